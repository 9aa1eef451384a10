//! Share of designs in which one start of the likelihood's maximisation misses the best mode.

use std::collections::BTreeMap;

use thrifty_domain::Points;
use thrifty_figures::{LinePlot, Series};
use thrifty_gp::{Gp, GpSettings};
use thrifty_kernel::Matern52;
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_surrogate::{Calibration, Posterior};
use thrifty_testbed::{Problem, TestFunction};

use super::draws::draw;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, Figure, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "gp/restarts",
    paper: "Active learning with surrogates, surrogate training protocol: N restarts, the best likelihood kept",
    claim: "one start often misses the best mode of the likelihood on few data, and predictions are worse for it",
    quick_cost: "5 problems, 4 sizes, 12 designs, 20 starts: some seconds",
    full_cost: "5 problems, 5 sizes, 100 designs, 20 starts: two minutes",
    run,
};

/// Starts of which the best counts as the best mode.
const ALL: usize = 20;
/// Numbers of starts that are compared with it.
const STARTS: [usize; 5] = [1, 2, 3, 5, 10];
/// A log posterior this much lower is another mode.
const GAP: f64 = 0.01;
const TEST_POINTS: usize = 200;

/// Source of data. None of them is among the functions on which optimisers are compared.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// A draw from a process with lengthscales 0.2 to 1 in this dimension, with noise of this variance.
    Draw {
        dim: usize,
        noise: f64,
    },
    Ackley,
    Hartmann3,
}

const SOURCES: [Source; 5] = [
    Source::Draw { dim: 2, noise: 1e-6 },
    Source::Draw { dim: 4, noise: 1e-6 },
    Source::Draw { dim: 4, noise: 0.05 },
    Source::Ackley,
    Source::Hartmann3,
];

impl Source {
    fn label(self) -> String {
        match self {
            Self::Draw { dim, noise } => format!("draw, d = {dim}, noise {noise}"),
            Self::Ackley => "Ackley, d = 4".into(),
            Self::Hartmann3 => "Hartmann, d = 3".into(),
        }
    }

    /// Design and test points together, with their values.
    fn data(self, n: usize, seed: Seed) -> Result<(Points, Vec<f64>), ExperimentError> {
        let mut rng = seed.stream("data", 0);
        let points = |dim: usize, rng: &mut _| {
            let mut all = latin_hypercube(n, dim, rng);
            latin_hypercube(TEST_POINTS, dim, rng).rows().for_each(|p| all.push(p));
            all
        };
        let of = |problem: &dyn Problem, x: &Points| -> Result<Vec<f64>, ExperimentError> {
            let space = problem.space();
            x.rows().map(|p| problem.truth(&space.decode(p)).map_err(ExperimentError::failed)).collect()
        };
        match self {
            Self::Draw { dim, noise } => {
                let lengthscales = (0..dim).map(|_| 0.2 * 5_f64.powf(rng.uniform())).collect();
                let kernel = Matern52::new(lengthscales).map_err(ExperimentError::failed)?;
                let x = points(dim, &mut rng);
                let y = draw(&kernel, x.as_ref(), noise, &mut rng)?;
                Ok((x, y))
            }
            Self::Ackley => {
                let x = points(4, &mut rng);
                let y = of(&TestFunction::ackley(4), &x)?;
                Ok((x, y))
            }
            Self::Hartmann3 => {
                let x = points(3, &mut rng);
                let y = of(&TestFunction::hartmann3(), &x)?;
                Ok((x, y))
            }
        }
    }
}

/// Result of one design.
#[derive(serde::Serialize, serde::Deserialize)]
struct Found {
    /// For each number of starts: whether the best mode was missed, and how much worse predictions are.
    missed: Vec<(bool, f64)>,
    evaluations: f64,
}

fn study(source: Source, n: usize, seed: Seed) -> Result<Found, ExperimentError> {
    let (all, values) = source.data(n, seed)?;
    let (x, y) = (all.as_ref().slice(0, n), &values[..n]);
    let (test, truth) = (all.as_ref().slice(n, n + TEST_POINTS), &values[n..]);
    let settings = GpSettings { restarts: ALL - 1, ..GpSettings::default() };
    let gp = Gp::matern52(all.dim()).with_settings(settings);
    let fitted = gp.fit(x, y, &mut seed.stream("fit", 0)).map_err(ExperimentError::failed)?;
    let restarts = fitted.restarts();
    let reached = |k: usize| {
        let better = |best: usize, i: usize| {
            if restarts[i].log_posterior > restarts[best].log_posterior { i } else { best }
        };
        (0..k).reduce(better).unwrap_or(0)
    };
    let nlpd = |start: usize| -> Result<f64, ExperimentError> {
        let posterior = gp.clone().warm_started(restarts[start].end.clone()).condition(x, y);
        let posterior = posterior.map_err(ExperimentError::failed)?;
        let (mut mean, mut variance) = (vec![0.0; TEST_POINTS], vec![0.0; TEST_POINTS]);
        posterior.predict_into(test, &mut mean, &mut variance);
        variance.iter_mut().for_each(|v| *v += posterior.noise_variance());
        Ok(Calibration::of(&mean, &variance, truth).map_err(ExperimentError::failed)?.nlpd)
    };
    let value = |start: usize| restarts[start].log_posterior.unwrap_or(f64::NEG_INFINITY);
    let best = reached(ALL);
    let at_best = nlpd(best)?;
    let one = |&k: &usize| -> Result<(bool, f64), ExperimentError> {
        let start = reached(k);
        let missed = value(start) < value(best) - GAP;
        Ok((missed, if missed { nlpd(start)? - at_best } else { 0.0 }))
    };
    let missed = STARTS.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    let evaluations = restarts.iter().map(|r| r.evaluations as f64).sum::<f64>() / ALL as f64;
    Ok(Found { missed, evaluations })
}

/// Claims: one start misses the best mode in more than one design of 20, and predictions are worse for it.
fn judge(found: &[Found], planned: usize) -> Result<Judgement, ClaimError> {
    Family::new(Rule::All)
        .with(
            Claim::new("one start misses the best mode", Kind::RateAtLeast(0.05), Test::Binomial, planned),
            Sample::count(found.iter().map(|f| f.missed[0].0)),
        )
        .with(
            Claim::new("excess NLPD of one start above 0", Kind::Superior, Test::SignFlip, planned),
            Sample::Gains(found.iter().map(|f| f.missed[0].1).collect()),
        )
        .judge()
}

/// Findings by the sources and sizes that they are from.
struct Groups<'a> {
    jobs: &'a [(usize, usize, u64)],
    found: &'a [Found],
    sizes: &'a [usize],
}

impl Groups<'_> {
    fn of(&self, keep: impl Fn(usize, usize) -> bool) -> Vec<&Found> {
        self.jobs.iter().zip(self.found).filter(|(job, _)| keep(job.0, job.1)).map(|(_, f)| f).collect()
    }

    /// Share of designs on which the best mode is missed.
    fn rate(group: &[&Found], k: usize) -> f64 {
        group.iter().filter(|f| f.missed[k].0).count() as f64 / group.len().max(1) as f64
    }

    fn by_size(&self) -> Table {
        let mut rows = Vec::new();
        for (s, source) in SOURCES.iter().enumerate() {
            for &n in self.sizes {
                let group = self.of(|source, size| source == s && size == n);
                let mut row = vec![source.label(), n.to_string()];
                row.extend((0..STARTS.len()).map(|k| format!("{:.0} %", 100.0 * Self::rate(&group, k))));
                let evaluations: Vec<f64> = group.iter().map(|f| f.evaluations).collect();
                row.push(number(mean_and_std_dev(&evaluations).0));
                rows.push(row);
            }
        }
        let mut header = vec!["data".to_owned(), "n".to_owned()];
        header.extend(STARTS.iter().map(|k| format!("missed with {k}")));
        header.push("evaluations per start".into());
        let caption = "Share of designs on which the best mode is missed.".into();
        Table { name: "by_size".into(), caption, header, rows }
    }

    fn overall(&self, numbers: &mut BTreeMap<String, f64>) -> Table {
        let everything = self.of(|_, _| true);
        let mut rows = Vec::new();
        for (k, starts) in STARTS.iter().enumerate() {
            let excess: Vec<f64> = everything.iter().map(|f| f.missed[k].1).collect();
            let (mean, std_dev) = mean_and_std_dev(&excess);
            let error = std_dev / (everything.len() as f64).sqrt();
            numbers.insert(format!("missed with {starts}"), Self::rate(&everything, k));
            numbers.insert(format!("excess NLPD with {starts}"), mean);
            rows.push(vec![
                starts.to_string(),
                format!("{:.1} %", 100.0 * Self::rate(&everything, k)),
                format!("{mean:.4} ± {error:.4}"),
            ]);
        }
        Table {
            name: "overall".into(),
            caption: "All data and sizes together; ± one standard error.".into(),
            header: ["starts", "missed", "excess NLPD"].map(String::from).to_vec(),
            rows,
        }
    }

    fn figure(&self) -> Result<Figure, ExperimentError> {
        let at = |k: usize, n: usize| (n as f64, 100.0 * Self::rate(&self.of(|_, size| size == n), k));
        let series = STARTS.iter().enumerate().map(|(k, starts)| {
            Series::line(format!("{starts} starts"), self.sizes.iter().map(|&n| at(k, n)).collect())
        });
        let plot = LinePlot {
            title: "designs on which the best mode is missed".into(),
            x_label: "observations".into(),
            y_label: "% of designs".into(),
            series: series.collect(),
            ..LinePlot::default()
        };
        let caption = "Share of designs on which the best of the first starts is not the best mode.";
        Figure::of("missed", caption, plot.draw())
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(12, 100);
    let designs = n.run;
    let sizes: &[usize] = context.pick(&[10, 20, 30, 50], &[10, 15, 20, 30, 50]);
    let jobs: Vec<(usize, usize, u64)> = (0..SOURCES.len())
        .flat_map(|s| sizes.iter().map(move |&n| (s, n)))
        .flat_map(|(s, n)| (0..designs as u64).map(move |i| (s, n, i)))
        .collect();
    let name = |&(s, n, i): &(usize, usize, u64)| {
        JobName::new(format!("{}, n = {n}", SOURCES[s].label()), "default process", i as usize)
    };
    let found: Vec<Found> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&(s, n, i)| {
        study(SOURCES[s], n, Seed(context.seed).child("gp/restarts", i * 1000 + (n * 10 + s) as u64))
    })?;
    let groups = Groups { jobs: &jobs, found: &found, sizes };
    let mut numbers = BTreeMap::new();
    let overall = groups.overall(&mut numbers);
    Ok(Report {
        judgement: judge(&found, SOURCES.len() * sizes.len() * n.planned)?,
        numbers,
        settings: [
            ("model", "Matérn 5/2, default settings".to_owned()),
            ("best mode", format!("the best of {ALL} starts; missed when the log posterior is {GAP} lower")),
            ("designs", designs.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![
            "Excess NLPD is what the mean negative log predictive density of 200 points loses when the fit stops at the \
             best of its first starts; 0 where the best mode is found."
                .into(),
        ],
        tables: vec![overall, groups.by_size()],
        figures: vec![groups.figure()?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Starts that miss the best mode often, or never, and predictions that suffer from it, or gain.
    #[test]
    fn both_halves_of_the_claim_can_fail() {
        let of = |every: usize, excess: f64, planned: usize| {
            let found = |i: usize| {
                let missed = i.is_multiple_of(every);
                Found { missed: vec![(missed, if missed { excess } else { 0.0 })], evaluations: 1.0 }
            };
            judge(&(0..120).map(found).collect::<Vec<_>>(), planned).unwrap().verdict()
        };
        let judged = |every: usize, excess: f64| of(every, excess, 120);
        assert_eq!(of(4, 0.5, 121), Verdict::Inconclusive);
        assert_eq!(judged(4, 0.5), Verdict::Holds);
        assert_eq!(judged(4, -0.5), Verdict::DoesNotHold);
        assert_eq!(judged(120, 0.5), Verdict::Inconclusive);
        assert_eq!(judged(1000, 0.5), Verdict::Inconclusive);
    }
}
