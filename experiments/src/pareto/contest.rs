//! Methods on problems with several losses: the same designs for all, what is missing of the largest hypervolume, tests.

use std::collections::BTreeMap;
use std::path::Path;

use thrifty_sampling::{Seed, Sobol};
use thrifty_space::Config;
use thrifty_testbed::MultiObjectiveFunction;

use super::methods::{BASELINES, Job, OURS};
use crate::error::ExperimentError;
use crate::harness::compare::Comparison;
use crate::harness::replicate::{Run, in_parallel};
use crate::harness::stats::{holm, quantile, wilcoxon};
use crate::harness::{Report, Table, Verdict, number};

/// What is compared. The first method is ours.
pub struct Contest<'a> {
    pub id: &'static str,
    pub problems: &'a [MultiObjectiveFunction],
    pub methods: &'a [&'static str],
    pub evaluations: usize,
    pub replications: usize,
    pub seed: u64,
    /// The interpreter that has `BoTorch`.
    pub python: Option<&'a Path>,
}

/// Scrambled Sobol points, two for each variable and two more.
fn design(problem: &MultiObjectiveFunction, seed: Seed) -> Vec<Config> {
    let dim = problem.bounds().len();
    let points = Sobol::scrambled(dim, &mut seed.stream("shared design", 0)).take(2 * dim + 2);
    points.rows().map(|x| problem.space().decode(x)).collect()
}

/// How the first method compares with each other one on one problem.
struct Duel {
    problem: String,
    /// By method, ours left out: p after Holm, and whether ours has the smaller median.
    others: Vec<Against>,
}

struct Against {
    method: &'static str,
    p: f64,
    better: bool,
}

impl Duel {
    fn of(problem: &str, comparison: &Comparison, methods: &[&'static str]) -> Self {
        let finals: Vec<Vec<f64>> = (0..methods.len()).map(|m| comparison.finals(m)).collect();
        let p: Vec<f64> = finals[1..].iter().map(|other| wilcoxon(other, &finals[0])).collect();
        let median = |values: &[f64]| quantile(values, 0.5);
        let against = |(at, p): (usize, f64)| Against {
            method: methods[at + 1],
            p,
            better: median(&finals[0]) < median(&finals[at + 1]),
        };
        Self { problem: problem.into(), others: holm(&p).into_iter().enumerate().map(against).collect() }
    }
}

fn verdict(duels: &[Duel]) -> Verdict {
    let all = || duels.iter().flat_map(|duel| &duel.others);
    let worse = all().any(|other| !other.better && other.p < 0.05);
    let baselines = || all().filter(|other| BASELINES.contains(&other.method));
    let beaten = baselines().all(|other| other.better && other.p < 0.05);
    match (worse, beaten) {
        (true, _) => Verdict::DoesNotHold,
        (false, true) => Verdict::Holds,
        (false, false) => Verdict::Inconclusive,
    }
}

/// One row a problem: the median of log₁₀ of what is missing, and p against the first method.
fn summary(comparisons: &[Comparison], duels: &[Duel], methods: &[&str], evaluations: usize) -> Table {
    let rows = comparisons.iter().zip(duels).map(|(comparison, duel)| {
        let cell = |m: usize| {
            let logs: Vec<f64> = comparison.finals(m).iter().map(|gap| gap.log10()).collect();
            let median = format!("{:.2}", quantile(&logs, 0.5));
            match m.checked_sub(1) {
                None => median,
                Some(at) => format!("{median} ({})", number(duel.others[at].p)),
            }
        };
        std::iter::once(duel.problem.clone()).chain((0..methods.len()).map(cell)).collect()
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if comparisons.len() > 1 {
        rows.push(over_all(comparisons, methods));
    }
    Table {
        name: "summary".into(),
        caption: format!(
            "Median of log₁₀(largest hypervolume - hypervolume) after {evaluations} evaluations, design included; in brackets p \
             of the paired Wilcoxon test against {OURS}, Holm-corrected over the methods of a problem. Last row: the mean over all \
             runs of log₁₀ less that of {OURS}, with p over all pairs."
        ),
        header: std::iter::once(&"problem").chain(methods).map(|name| (*name).to_owned()).collect(),
        rows,
    }
}

/// Differences of logarithms over all problems together.
fn over_all(comparisons: &[Comparison], methods: &[&str]) -> Vec<String> {
    let logs = |m: usize| -> Vec<f64> {
        comparisons.iter().flat_map(|c| c.finals(m)).map(|gap: f64| gap.log10()).collect()
    };
    let ours = logs(0);
    let cell = |m: usize| {
        let theirs = logs(m);
        let difference: Vec<f64> = theirs.iter().zip(&ours).map(|(theirs, ours)| theirs - ours).collect();
        let mean = difference.iter().sum::<f64>() / difference.len().max(1) as f64;
        format!("{mean:+.2} ({})", number(wilcoxon(&theirs, &ours)))
    };
    let others = (1..methods.len()).map(cell);
    ["all, differences".to_owned(), "0".to_owned()].into_iter().chain(others).collect()
}

impl Contest<'_> {
    /// The runs of one problem after another.
    fn runs(&self) -> Result<Vec<Run>, ExperimentError> {
        let mut jobs = Vec::new();
        for problem in self.problems {
            for replication in 0..self.replications {
                let seed = Seed(self.seed).child(self.id, replication as u64);
                let design = design(problem, seed);
                let (evaluations, python) = (self.evaluations, self.python);
                let job = |&method| {
                    let design = design.clone();
                    Job { problem, method, replication, design, seed, evaluations, python }
                };
                jobs.extend(self.methods.iter().map(job));
            }
        }
        in_parallel(self.id, &jobs, Job::run)
    }

    /// Runs everything; holds when ours misses less than each baseline, and than no method more. Beside the report the
    /// comparisons, one a problem.
    pub fn report(&self) -> Result<(Report, Vec<Comparison>), ExperimentError> {
        let (methods, evaluations) = (self.methods, self.evaluations);
        let runs = self.runs()?;
        let comparisons: Vec<Comparison> = runs
            .chunks(runs.len() / self.problems.len())
            .map(|own| Comparison::new(own, evaluations).measuring("missing hypervolume"))
            .collect();
        let duels: Vec<Duel> = self
            .problems
            .iter()
            .zip(&comparisons)
            .map(|(problem, c)| Duel::of(problem.name(), c, methods))
            .collect();
        let mut numbers = BTreeMap::new();
        let mut tables = vec![summary(&comparisons, &duels, methods, evaluations)];
        let mut figures = Vec::new();
        for (problem, comparison) in self.problems.iter().zip(&comparisons) {
            let name = problem.name();
            tables.push(comparison.table(name));
            figures.push(comparison.anytime(name)?);
            for (m, method) in methods.iter().enumerate() {
                let logs: Vec<f64> = comparison.finals(m).iter().map(|gap| gap.log10()).collect();
                numbers.insert(format!("median log10 gap on {name}: {method}"), quantile(&logs, 0.5));
            }
        }
        let settings = [
            ("evaluations", format!("{evaluations}, the design included")),
            ("design", "2 d + 2 scrambled Sobol points, shared by the methods".into()),
        ];
        let report = Report {
            verdict: verdict(&duels),
            numbers,
            settings: settings.map(|(name, value): (&str, String)| (name.to_owned(), value)).into(),
            notes: Vec::new(),
            tables,
            figures,
        };
        Ok((report, comparisons))
    }
}
