//! Acquisition functions under noise: is the knowledge gradient better?

use std::collections::BTreeMap;

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, Schedule};
use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, InitialDesign, LossTransform};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{MaxTrials, Study};
use thrifty_testbed::{MultiObjectiveFunction, Problem, RandomFunction, Spectrum};

use crate::bo::development::{Development, Noise, searched};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};
use crate::hybrid::largest_mean::LargestMean;

pub const EXPERIMENT: Experiment = Experiment {
    id: "caligo/noise",
    paper: "Active learning with surrogates, acquisition function theory: the knowledge gradient \"provides better performance with noisy \
            evaluations\"",
    claim: "under noise of 5, 20 and 50 % of the range the knowledge gradient recommends points of lower true regret than expected improvement \
            on the best mean, and not of higher than noisy expected improvement, confidence bound and probability of improvement",
    quick_cost: "2 replications, 3 functions, 3 levels of noise, 7 methods, 16 evaluations: some seconds",
    full_cost: "40 replications, 3 functions, 3 levels of noise, 7 methods, 30 evaluations: ten minutes",
    run,
};

/// Standard deviation of the noise, as a share of the range of the function.
const LEVELS: [f64; 3] = [0.05, 0.2, 0.5];
/// A mean regret that is higher by at most this share of the range is not higher.
const MARGIN: f64 = 0.03;

/// A method: the acquisition function of the same optimiser; none for points of the initial design alone.
enum By {
    Kind(AcquisitionKind),
    Sobol,
    Worst,
}

/// The one under test, the one that the claim names, the three that it must not be behind, and two more.
const METHODS: [(&str, By); 7] = [
    ("KG", By::Kind(AcquisitionKind::LogKnowledgeGradient { anchors: 50 })),
    ("EI on the best mean", By::Kind(AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean))),
    ("noisy EI", By::Kind(AcquisitionKind::LogNoisyExpectedImprovement { draws: 64 })),
    ("LCB, β = 4", By::Kind(AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 }))),
    (
        "PI on the best mean",
        By::Kind(AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestMean)),
    ),
    ("Sobol points", By::Sobol),
    ("largest mean (worse on purpose)", By::Worst),
];
const PEERS: [usize; 3] = [2, 3, 4];
const WORSE: usize = 6;

/// A function on the unit cube, and the range of its values.
struct Ranged {
    problem: Development,
    range: f64,
}

impl Ranged {
    /// By a long search for the least and the largest value.
    fn new(
        name: &str,
        dim: usize,
        function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
        seed: Seed,
    ) -> Result<Self, ExperimentError> {
        let mut rng = seed.stream("range", 0);
        let least = searched(&function, dim, &mut rng)?;
        let range = -searched(&|x: &[f64]| -function(x), dim, &mut rng)? - least;
        Ok(Self { problem: Development::new(name, dim, function, least), range })
    }
}

const PROBLEMS: [&str; 3] = ["Matérn 3/2 draw, d = 1", "Matérn 3/2 draw, d = 2", "rate of CaligoMO, d = 4"];

/// Draws are new in every replication; the rate of the protocol is one function.
fn problem(at: usize, seed: Seed) -> Result<Ranged, ExperimentError> {
    let drawn = |lengthscales: &[f64]| {
        let matern = Spectrum::Matern { twice_smoothness: 3 };
        RandomFunction::draw(matern, lengthscales, &mut seed.stream("draw", at as u64))
    };
    let (name, seed) = (PROBLEMS[at], seed.child("problem", at as u64));
    match at {
        0 => {
            let f = drawn(&[0.15]);
            Ranged::new(name, 1, move |x| f.value(x), seed)
        }
        1 => {
            let f = drawn(&[0.3, 0.3]);
            Ranged::new(name, 2, move |x| f.value(x), seed)
        }
        _ => {
            let caligo = MultiObjectiveFunction::caligo();
            let rate = move |x: &[f64]| {
                let bounds = caligo.bounds().iter();
                caligo
                    .losses(&bounds.zip(x).map(|((low, high), x)| low + x * (high - low)).collect::<Vec<_>>())
                    [0]
            };
            Ranged::new(name, 4, rate, Seed(0))
        }
    }
}

fn optimizer(by: &By, space: &Space, evaluations: usize) -> Result<BayesianOptimizer, ExperimentError> {
    let design = if matches!(by, By::Sobol) { evaluations } else { 2 * space.dim().max(2) };
    let rule = if let By::Kind(rule) = by { *rule } else { AcquisitionKind::default() };
    let settings = BoSettings {
        initial: InitialDesign::Sobol(design),
        rule,
        losses: LossTransform::None,
        convergence: Convergence::Continue,
        ..BoSettings::default()
    };
    let optimizer = BayesianOptimizer::new(space.clone()).with_settings(settings)?;
    Ok(if matches!(by, By::Worst) { optimizer.with_acquisition(LargestMean) } else { optimizer })
}

/// True regret of the recommendation, as a share of the range. The recommendation is that of the same model for every method.
fn regret(
    by: &By,
    Ranged { problem, range }: &Ranged,
    evaluations: usize,
    seed: Seed,
) -> Result<f64, ExperimentError> {
    let optimizer = optimizer(by, problem.space(), evaluations)?;
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
    study.run(|config, context| problem.evaluate(config, &mut context.noise()))?;
    let best = study.recommend()?.ok_or_else(|| ExperimentError::failed("nothing was measured"))?;
    Ok(problem.regret(&best.config)? / range)
}

/// Regrets of one replication on one problem: by level, by method.
type Regrets = Vec<Vec<f64>>;

fn study(at: usize, evaluations: usize, seed: Seed) -> Result<Regrets, ExperimentError> {
    let mut ranged = problem(at, seed)?;
    let mut all = Vec::new();
    for (l, level) in LEVELS.iter().enumerate() {
        ranged.problem.set_noise(Noise::Normal(level * ranged.range));
        let own = seed.child("study", l as u64);
        all.push(
            METHODS.iter().map(|(_, by)| regret(by, &ranged, evaluations, own)).collect::<Result<_, _>>()?,
        );
    }
    Ok(all)
}

/// Mean regrets over the problems: by level, by method, by replication.
fn means(found: &[Regrets], replications: usize) -> Vec<Vec<Vec<f64>>> {
    let mean = |l: usize, m: usize, i: usize| {
        let over = (0..PROBLEMS.len()).map(|at| found[at * replications + i][l][m]);
        over.sum::<f64>() / PROBLEMS.len() as f64
    };
    let of =
        |l: usize| (0..METHODS.len()).map(|m| (0..replications).map(|i| mean(l, m, i)).collect()).collect();
    (0..LEVELS.len()).map(of).collect()
}

/// At every level the knowledge gradient is better than expected improvement and what is worse on purpose, and not behind the others.
fn judge(regrets: &[Vec<Vec<f64>>], planned: usize) -> Result<Judgement, ClaimError> {
    let [mut better, mut not_worse, mut than_worse] = [(); 3].map(|()| Family::new(Rule::All));
    for (level, of) in LEVELS.iter().zip(regrets) {
        let push = |family: &mut Family, m: usize, kind: Kind| {
            let against = format!("noise {} %: {} against {}", 100.0 * level, METHODS[0].0, METHODS[m].0);
            let claim = Claim::new(against, kind, Test::SignFlip, planned);
            let sample = Sample::losses(&claim.name, &of[0], &of[m])?;
            family.push(claim, sample);
            Ok::<(), ClaimError>(())
        };
        push(&mut better, 1, Kind::Superior)?;
        for m in PEERS {
            push(&mut not_worse, m, Kind::NotInferior { margin: MARGIN })?;
        }
        push(&mut than_worse, WORSE, Kind::Superior)?;
    }
    Ok(Judgement::all(vec![better.judge()?, not_worse.judge()?, than_worse.judge()?]))
}

fn table(found: &[Regrets], replications: usize, numbers: &mut BTreeMap<String, f64>) -> Table {
    let mut rows = Vec::new();
    for (l, level) in LEVELS.iter().enumerate() {
        for (m, (method, _)) in METHODS.iter().enumerate() {
            let mut row = vec![format!("{} %", 100.0 * level), (*method).to_owned()];
            let mut sum = 0.0;
            for own in found.chunks(replications) {
                let regrets: Vec<f64> = own.iter().map(|of| of[l][m]).collect();
                let (mean, std_dev) = mean_and_std_dev(&regrets);
                row.push(format!("{} ± {}", number(mean), number(std_dev / (replications as f64).sqrt())));
                sum += mean / PROBLEMS.len() as f64;
            }
            numbers.insert(format!("mean regret of {method} under noise of {} %", 100.0 * level), sum);
            row.push(number(sum));
            rows.push(row);
        }
    }
    let header = ["noise", "method"].into_iter().chain(PROBLEMS).chain(["mean"]);
    Table {
        name: "regret".into(),
        caption: format!(
            "True regret of the recommendation as a share of the range of the function, mean ± one standard error over {replications} \
             replications, by level of noise (standard deviation as a share of the range) and method."
        ),
        header: header.map(String::from).collect(),
        rows,
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 40);
    let (replications, evaluations) = (n.run, context.pick(16, 30));
    let jobs: Vec<(usize, usize)> =
        (0..PROBLEMS.len()).flat_map(|at| (0..replications).map(move |i| (at, i))).collect();
    let name = |(at, i): &(usize, usize)| JobName::new(PROBLEMS[*at], "every method", *i);
    let found: Vec<Regrets> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |(at, i)| {
        study(*at, evaluations, Seed(context.seed).child(EXPERIMENT.id, *i as u64))
    })?;
    let mut numbers = BTreeMap::new();
    let table = table(&found, replications, &mut numbers);
    Ok(Report {
        judgement: judge(&means(&found, replications), n.planned)?,
        numbers,
        settings: [
            ("evaluations", format!("{evaluations}, 2 d of them Sobol points but at least 4")),
            ("replications", replications.to_string()),
            ("model", "the default of the Bayesian optimiser, losses not transformed".into()),
        ]
        .map(|(name, value): (&str, String)| (name.to_owned(), value))
        .into(),
        notes: vec![format!(
            "Claims, at each level of noise, on the mean regret over the three functions: lower than expected improvement on the best mean; not \
             higher by {MARGIN} of the range than noisy expected improvement, confidence bound and probability of improvement; lower than \
             the largest mean, which is made worse on purpose. All methods share design, model, noise and the rule of the recommendation. \
             None of these functions chose a default."
        )],
        tables: vec![table],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    fn verdict(change: impl Fn(&mut Vec<Vec<Vec<f64>>>), planned: usize) -> Verdict {
        let own = |m: usize, i: usize| {
            0.1 + 0.02 * (i % 4) as f64 + if m == 0 { 0.0 } else { 0.05 + 0.001 * i as f64 }
        };
        let level = || (0..METHODS.len()).map(|m| (0..40).map(|i| own(m, i)).collect()).collect();
        let mut regrets: Vec<Vec<Vec<f64>>> = (0..LEVELS.len()).map(|_| level()).collect();
        change(&mut regrets);
        judge(&regrets, planned).unwrap().verdict()
    }

    /// The knowledge gradient made worse on purpose at one level, against each of the others.
    #[test]
    fn a_worse_knowledge_gradient_is_found() {
        assert_eq!(verdict(|_| {}, 40), Verdict::Holds);
        assert_eq!(verdict(|_| {}, 41), Verdict::Inconclusive);
        for l in 0..LEVELS.len() {
            let worse = move |r: &mut Vec<Vec<Vec<f64>>>| r[l][0].iter_mut().for_each(|own| *own += 0.3);
            assert_eq!(verdict(worse, 40), Verdict::DoesNotHold);
            for m in [1, 2, 3, 4, WORSE] {
                let other =
                    move |r: &mut Vec<Vec<Vec<f64>>>| r[l][m].iter_mut().for_each(|loss| *loss -= 0.14);
                assert_eq!(verdict(other, 40), Verdict::DoesNotHold, "{m}");
            }
        }
        // Points of the design alone are shown beside and not claimed.
        assert_eq!(verdict(|r| r[0][5].iter_mut().for_each(|loss| *loss = 0.0), 40), Verdict::Holds);
    }

    #[test]
    fn ranges_and_regrets_are_those_of_the_function() {
        let f = |x: &[f64]| (x[0] - 0.3).powi(2) * 4.0 - 1.0;
        let mut ranged = Ranged::new("bowl", 1, f, Seed(1)).unwrap();
        let range = ranged.range;
        assert!((ranged.problem.optimum() + 1.0).abs() < 1e-9 && (range - 1.96).abs() < 1e-9, "{range}");
        let off = |x: f64| ranged.problem.regret(&ranged.problem.space().decode(&[x])).unwrap();
        assert!(off(0.3).abs() < 1e-9 && (off(0.8) - 1.0).abs() < 1e-9);
        // The largest mean recommends worse points than the knowledge gradient.
        ranged.problem.set_noise(Noise::Normal(0.05 * range));
        let of = |m: usize| {
            (0..6).map(|i| regret(&METHODS[m].1, &ranged, 12, Seed(i)).unwrap()).sum::<f64>() / 6.0
        };
        let (own, worst) = (of(0), of(WORSE));
        assert!(own < 0.02 && own < worst, "{own} {worst}");
    }
}
