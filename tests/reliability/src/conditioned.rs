//! Ill-conditioned data: duplicates, near-duplicates, extreme scales, constants, outliers; every acquisition on them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use thrifty::acquisition::{MinValueSampler, Schedule as Widths};
use thrifty::domain::Points;
use thrifty::prelude::*;
use thrifty::sampling::Stream;
use thrifty::study::{History, OptimizerError, Trial, TrialId};
use thrifty::surrogate::Prediction;

use crate::tally::Tally;

/// Every acquisition of the catalogue.
const RULES: [AcquisitionKind; 15] = [
    AcquisitionKind::ProbabilityOfImprovement(ImprovementTarget::BestObserved),
    AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestObserved),
    AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean),
    AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved),
    AcquisitionKind::ConfidenceBound(Widths::Constant { beta: 4.0 }),
    AcquisitionKind::PosteriorMean,
    AcquisitionKind::MaxStdDev,
    AcquisitionKind::Thompson,
    AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 8 }),
    AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 8 }),
    AcquisitionKind::JointEntropySearch { minimizers: 4 },
    AcquisitionKind::EntropySearch { representers: 8, draws: 16 },
    AcquisitionKind::PredictiveEntropySearch { representers: 8, draws: 16 },
    AcquisitionKind::LogNoisyExpectedImprovement { draws: 8 },
    AcquisitionKind::LogKnowledgeGradient { anchors: 8 },
];

/// Largest absolute target for which a suggestion must come.
const CARRIED: f64 = 1e150;

/// Problems from `first` to `first + count`, every rule in turn by a draw of the seed.
///
/// `lost` counts panics, `differing` errors on targets up to 1e150, `silent` values that are NaN or +∞ and gradients that are NaN.
pub fn problems(first: u64, count: u64, beyond: bool) -> Tally {
    let mut tally = Tally::default();
    for number in first..first + count {
        let mut rng = Seed(2026).stream(if beyond { "beyond" } else { "conditioned" }, number);
        let problem = Problem::draw(&mut rng, beyond);
        let began = Instant::now();
        let seen = catch_unwind(AssertUnwindSafe(|| problem.look(number, &mut rng)));
        tally.time(began.elapsed().as_secs_f64(), || problem.name());
        tally.count += 1;
        let name = || format!("problem {number} ({})", problem.name());
        match seen {
            Err(_) => {
                tally.lost += 1;
                tally.remark(|| format!("{} panics", name()));
            }
            Ok(Err(error)) if !beyond => {
                tally.differing += 1;
                tally.remark(|| format!("{}: {error}", name()));
            }
            Ok(Err(_)) => {}
            Ok(Ok(bad)) => {
                tally.silent += bad.len() as u64;
                if let Some(first) = bad.first() {
                    tally.remark(|| format!("{}: {first}", name()));
                }
            }
        }
    }
    tally
}

struct Problem {
    rule: AcquisitionKind,
    points: Vec<Vec<f64>>,
    losses: Vec<f64>,
    description: String,
}

impl Problem {
    fn draw(rng: &mut Stream, beyond: bool) -> Self {
        let rule = RULES[rng.index(RULES.len())];
        let (n, dim) = (1 + rng.index(14), 1 + rng.index(4));
        let (points, place) = places(n, dim, rng);
        let (mut losses, shape) = targets(&points, rng);
        // From 1e-12 to the largest scale that must be carried, small ones as often as large ones.
        let exponent = match (beyond, rng.index(3)) {
            (true, _) => 150.0 + 158.0 * rng.uniform(),
            (false, 0) => 0.0,
            (false, 1) => -12.0 + 24.0 * rng.uniform(),
            (false, _) => 150.0 * rng.uniform(),
        };
        let largest = losses.iter().fold(0.0_f64, |a, b| a.max(b.abs())).max(f64::MIN_POSITIVE);
        for loss in &mut losses {
            *loss = (*loss / largest) * 10_f64.powf(exponent);
        }
        let description = format!("{n} points in {dim} dimensions, {place}, {shape}, scale 1e{exponent:.0}");
        Self { rule, points, losses, description }
    }

    fn name(&self) -> String {
        format!("{:?}, {}", self.rule, self.description)
    }

    /// Values and gradients that are not numbers.
    fn look(&self, number: u64, rng: &mut Stream) -> Result<Vec<String>, OptimizerError> {
        let dim = self.points[0].len();
        let space = Space::from_bounds(&vec![(0.0, 1.0); dim])
            .map_err(|error| OptimizerError::failed("building the space", error))?;
        let trials = self
            .points
            .iter()
            .zip(&self.losses)
            .map(|(point, loss)| Trial::new(TrialId(0), space.decode(point), Some(Outcome::from(*loss))));
        let history = History::from_trials(trials.collect(), Seed(number));
        let settings =
            BoSettings { initial: InitialDesign::Sobol(1), rule: self.rule, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(space).with_settings(settings)?;
        let id = TrialId(history.len() as u64);
        let Some(belief) = optimizer.state(&history, id)? else { return Ok(vec!["no model".into()]) };
        let acquisition = belief
            .acquisition(&self.rule)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let mut at = Points::new(dim);
        for point in self.points.iter().take(3) {
            at.push(point);
            let near: Vec<f64> = point.iter().map(|u| (u + 1e-12).min(1.0)).collect();
            at.push(&near);
        }
        at.push(&vec![0.0; dim]);
        at.push(&vec![1.0; dim]);
        for _ in 0..3 {
            at.push(&(0..dim).map(|_| rng.uniform()).collect::<Vec<_>>());
        }
        let (mut values, mut slopes) = (vec![0.0; at.len()], vec![0.0; at.len() * dim]);
        let mut bad = Vec::new();
        acquisition.values_into(at.as_ref(), &mut values);
        bad.extend(
            values.iter().filter(|v| v.is_nan() || **v == f64::INFINITY).map(|v| format!("a value is {v}")),
        );
        if acquisition.values_with_gradients_into(at.as_ref(), &mut values, &mut slopes) {
            let odd = values.iter().filter(|v| v.is_nan() || **v == f64::INFINITY);
            bad.extend(odd.map(|v| format!("a value with a gradient is {v}")));
            bad.extend(slopes.iter().filter(|s| s.is_nan()).map(|_| "a gradient is NaN".to_owned()));
        }
        if self.losses.iter().all(|loss| loss.abs() <= CARRIED) {
            let Prediction { mean, variance } = belief.posterior().predict(at.row(0));
            if !(mean.is_finite() && variance.is_finite()) {
                bad.push(format!("the posterior is {mean} ± {variance}"));
            }
        }
        Ok(bad)
    }
}

/// Points of the unit cube that make covariances singular, and what they are.
fn places(n: usize, dim: usize, rng: &mut Stream) -> (Vec<Vec<f64>>, &'static str) {
    let mut uniform = || (0..dim).map(|_| rng.uniform()).collect::<Vec<f64>>();
    let mut points: Vec<Vec<f64>> = (0..n).map(|_| uniform()).collect();
    let kind = rng.index(5);
    let near = 10_f64.powf(-3.0 - 13.0 * rng.uniform());
    for i in 1..n {
        let (first, last) = (points[0].clone(), points[i - 1].clone());
        for ((u, first), last) in points[i].iter_mut().zip(first).zip(last) {
            *u = match kind {
                0 => *u,
                1 => first,
                2 => (last + near * rng.uniform()).min(1.0),
                3 => i as f64 / n as f64,
                _ => f64::from(u8::from(*u > 0.5)),
            };
        }
    }
    (points, ["spread", "all the same", "a cluster", "on a line", "corners"][kind])
}

/// Targets of unfriendly shapes, and what they are.
fn targets(points: &[Vec<f64>], rng: &mut Stream) -> (Vec<f64>, &'static str) {
    let kind = rng.index(6);
    let smooth = |x: &Vec<f64>| x.iter().map(|u| (3.0 * u - 1.0).powi(2)).sum::<f64>();
    let losses = points.iter().enumerate().map(|(i, x)| match kind {
        0 => smooth(x),
        1 => 1.0,
        2 => rng.uniform() - 0.5,
        3 => {
            if i == 0 {
                1.0
            } else {
                1e-9 * smooth(x)
            }
        }
        4 => 1.0 + 1e-13 * rng.uniform(),
        _ => 10_f64.powf(-12.0 * rng.uniform()) * if rng.uniform() < 0.5 { -1.0 } else { 1.0 },
    });
    let losses = losses.collect();
    (losses, ["smooth", "constant", "noise", "one outlier", "almost constant", "many scales"][kind])
}
