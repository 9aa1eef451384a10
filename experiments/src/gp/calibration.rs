//! Share of 95 % intervals that hold the truth: hyperparameters at their maximum or sampled from their posterior.

use std::collections::BTreeMap;

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::{Domain, PointsRef};
use thrifty_gp::{GpSettings, GpSurrogate, Sampling};
use thrifty_kernel::{Kernel, Matern52, SquaredExponential};
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_surrogate::{Observations, Prediction, Surrogate};

use super::draws::draw;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table};

pub const EXPERIMENT: Experiment = Experiment {
    id: "gp/calibration",
    paper: "none: intervals of Gaussian processes on few data",
    claim: "with sampled hyperparameters 93 to 97 of 100 intervals of 95 % hold the truth",
    quick_cost: "4 sources, 2 sizes, 20 draws: some seconds",
    full_cost: "4 sources, 3 sizes, 1,500 draws: a quarter of an hour",
    run,
};

/// Half width of a 95 % interval in standard deviations.
const WIDTH: f64 = 1.959_963_984_540_054;

const DIM: usize = 2;

/// Draws of unit variance with lengthscales from 0.2 to 1, seen through noise of a variance.
#[derive(Debug, Clone, Copy)]
struct Source {
    label: &'static str,
    /// True for draws from the kernel of the models.
    is_matched: bool,
    noise: f64,
}

const SOURCES: [Source; 4] = [
    Source { label: "Matérn 5/2, no noise", is_matched: true, noise: 0.0 },
    Source { label: "Matérn 5/2, noise 0.1", is_matched: true, noise: 0.1 },
    Source { label: "squared exponential, no noise", is_matched: false, noise: 0.0 },
    Source { label: "squared exponential, noise 0.1", is_matched: false, noise: 0.1 },
];

/// Models that are compared; the claims are about the last.
fn models() -> [(&'static str, GpSurrogate); 4] {
    let without = GpSurrogate { settings: GpSettings::default(), ..GpSurrogate::default() };
    let sampled = |model: &GpSurrogate| model.clone().with_sampled_hyperparameters(Sampling::default());
    [
        ("maximum", GpSurrogate::default()),
        ("maximum, noise without a prior", without.clone()),
        ("sampled, noise without a prior", sampled(&without)),
        ("sampled", sampled(&GpSurrogate::default())),
    ]
}

/// For each model whether the interval at a new point holds the value of the function there, and its width.
#[derive(serde::Serialize, serde::Deserialize)]
struct Found(Vec<(bool, f64)>);

fn study(source: Source, n: usize, seed: Seed) -> Result<Found, ExperimentError> {
    let mut rng = seed.stream("data", 0);
    let lengthscales: Vec<f64> = (0..DIM).map(|_| 0.2 * 5_f64.powf(rng.uniform())).collect();
    let kernel: Box<dyn Kernel> = if source.is_matched {
        Box::new(Matern52::new(lengthscales).map_err(ExperimentError::failed)?)
    } else {
        Box::new(SquaredExponential::new(lengthscales).map_err(ExperimentError::failed)?)
    };
    let mut x = latin_hypercube(n, DIM, &mut rng);
    let at: Vec<f64> = (0..DIM).map(|_| rng.uniform()).collect();
    x.push(&at);
    // What is added makes the covariance regular, and the last value the function's own.
    let mut y = draw(&*kernel, x.as_ref(), 1e-10, &mut rng)?;
    let truth = y.remove(n);
    for value in &mut y {
        let z: f64 = StandardNormal.sample(&mut rng);
        *value += source.noise.sqrt() * z;
    }
    let x: PointsRef<'_> = x.as_ref().slice(0, n);
    let holds = |(_, model): (&str, GpSurrogate)| {
        let data = Observations::new(x, &y);
        let fitted = model.fit(&Domain::unit_cube(DIM), data, None, &mut seed.stream("fit", 0));
        let Prediction { mean, variance } = fitted.map_err(ExperimentError::failed)?.posterior().predict(&at);
        Ok(((truth - mean).abs() <= WIDTH * variance.sqrt(), 2.0 * WIDTH * variance.sqrt()))
    };
    Ok(Found(models().into_iter().map(holds).collect::<Result<_, ExperimentError>>()?))
}

/// A group of draws: source, size, and what was found.
type Group<'a> = (Source, usize, Vec<&'a Found>);

/// Claims: the rate of the last model is from 93 to 97 % where the kernel is that of the draws, else from 90 to 98 %.
fn judge(groups: &[Group<'_>], planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (source, n, found) in groups {
        let (low, high) = if source.is_matched { (0.93, 0.97) } else { (0.90, 0.98) };
        let name = format!("{}, n = {n}", source.label);
        let claim = Claim::new(name, Kind::RateBetween(low, high), Test::Binomial, planned);
        let held = found.iter().map(|found| found.0.last().is_some_and(|(holds, _)| *holds));
        family.push(claim, Sample::count(held));
    }
    family.judge()
}

fn table(groups: &[Group<'_>], numbers: &mut BTreeMap<String, f64>) -> Table {
    let models = models();
    let mut header = vec!["draws".to_owned(), "n".to_owned()];
    header.extend(models.iter().map(|(name, _)| (*name).to_owned()));
    let row = |(source, n, found): &Group<'_>| {
        let mut row = vec![source.label.to_owned(), n.to_string()];
        for (m, (name, _)) in models.iter().enumerate() {
            let count = found.len() as f64;
            let rate = found.iter().filter(|found| found.0[m].0).count() as f64 / count;
            let width = found.iter().map(|found| found.0[m].1).sum::<f64>() / count;
            numbers.insert(format!("{}, n = {n}, {name}", source.label), rate);
            row.push(format!("{:.1} % ({width:.3})", 100.0 * rate));
        }
        row
    };
    let rows = groups.iter().map(row).collect();
    let caption = "Share of draws in which the 95 % interval of the function at a random point holds its value, and the mean width of the interval."
        .into();
    Table { name: "coverage".into(), caption, header, rows }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(20, 1500);
    let draws = n.run;
    let sizes: &[usize] = context.pick(&[10, 30], &[10, 30, 100]);
    let jobs: Vec<(usize, usize, u64)> = (0..SOURCES.len())
        .flat_map(|s| sizes.iter().map(move |&n| (s, n)))
        .flat_map(|(s, n)| (0..draws as u64).map(move |i| (s, n, i)))
        .collect();
    let name = |&(s, n, i): &(usize, usize, u64)| {
        JobName::new(format!("{}, n = {n}", SOURCES[s].label), "intervals", i as usize)
    };
    let found: Vec<Found> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&(s, n, i)| {
        study(SOURCES[s], n, Seed(context.seed).child("gp/calibration", i * 1000 + (n * 10 + s) as u64))
    })?;
    let groups: Vec<Group<'_>> = (0..SOURCES.len())
        .flat_map(|s| sizes.iter().map(move |&n| (s, n)))
        .map(|(s, n)| {
            let own = jobs.iter().zip(&found).filter(|(job, _)| job.0 == s && job.1 == n);
            (SOURCES[s], n, own.map(|(_, found)| found).collect())
        })
        .collect();
    let mut numbers = BTreeMap::new();
    let table = table(&groups, &mut numbers);
    Ok(Report {
        judgement: judge(&groups, n.planned)?,
        numbers,
        settings: [
            ("model", "Matérn 5/2 in two dimensions, settings of Bayesian optimisation".to_owned()),
            ("interval", "posterior mean ± 1.96 standard deviations, of the function without noise".to_owned()),
            ("draws", draws.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec!["Each draw has lengthscales, a design, noise and one point of its own, so that draws are independent.".into()],
        tables: vec![table],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Rates in the middle, and those of intervals that are too narrow or too wide.
    #[test]
    fn narrow_and_wide_intervals_fail() {
        let of = |held: usize, draws: usize, planned: usize| {
            let found: Vec<Found> = (0..draws).map(|i| Found(vec![(i < held, 1.0)])).collect();
            judge(&[(SOURCES[0], 10, found.iter().collect())], planned).unwrap().verdict()
        };
        let judged = |held: usize, draws: usize| of(held, draws, draws);
        assert_eq!(of(1425, 1500, 1501), Verdict::Inconclusive);
        assert_eq!(judged(1425, 1500), Verdict::Holds);
        assert_eq!(judged(1350, 1500), Verdict::DoesNotHold);
        assert_eq!(judged(1490, 1500), Verdict::DoesNotHold);
        assert_eq!(judged(57, 60), Verdict::Inconclusive);
    }
}
