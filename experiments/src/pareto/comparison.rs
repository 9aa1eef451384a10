//! Methods on problems with several losses: the same designs for all, what is missing of the largest hypervolume, tests.

use std::collections::BTreeMap;

use thrifty_sampling::{Seed, Sobol};
use thrifty_space::Config;
use thrifty_testbed::MultiObjectiveFunction;

use super::methods::{BASELINES, Job, OURS};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Finding, Judgement, Kind, Rule, Sample, Test};
use crate::harness::compare::Comparison;
use crate::harness::replicate::{Run, studies};
use crate::harness::stats::quantile;
use crate::harness::{JobName, Replications, Report, RunContext, Runs, Table, number, pairwise};

/// Methods and fronts of a comparison. The first method is ours.
pub struct FrontComparison<'a> {
    pub id: &'static str,
    pub problems: &'a [MultiObjectiveFunction],
    pub methods: &'a [&'static str],
    pub evaluations: usize,
    pub replications: Replications,
    pub context: &'a RunContext,
}

/// Scrambled Sobol points, two for each variable and two more.
pub fn design(problem: &MultiObjectiveFunction, seed: Seed) -> Vec<Config> {
    let dim = problem.bounds().len();
    let points = Sobol::scrambled(dim, &mut seed.stream("shared design", 0)).take(2 * dim + 2);
    points.rows().map(|x| problem.space().decode(x)).collect()
}

/// The pseudomedian of the differences in log₁₀ of what is missing may be at most this where the method under test need not be better.
const MARGIN: f64 = 0.1;

/// On every problem the first method misses less than each baseline, and not more than each other method.
fn judge(
    problems: &[&str],
    comparisons: &[Comparison],
    methods: &[&str],
    planned: usize,
) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (problem, comparison) in problems.iter().zip(comparisons) {
        let own = logs(comparison, 0);
        for (m, method) in methods.iter().enumerate().skip(1) {
            let (what, kind) = if BASELINES.contains(method) {
                ("less", Kind::Superior)
            } else {
                ("not more", Kind::NotInferior { margin: MARGIN })
            };
            let name = format!("{problem}: {what} is missing than with {method}");
            let claim = Claim::new(name, kind, Test::SignedRank, planned);
            let sample = Sample::losses(&claim.name, &own, &logs(comparison, m))?;
            family.push(claim, sample);
        }
    }
    family.judge()
}

/// log₁₀ of what is missing at the end.
fn logs(comparison: &Comparison, method: usize) -> Vec<f64> {
    comparison.finals(method).iter().map(|gap| gap.log10()).collect()
}

/// One row per problem: the median of log₁₀ of what is missing, and what the claim against the first method came to.
fn summary(
    problems: &[&str],
    comparisons: &[Comparison],
    judgement: &Judgement,
    methods: &[&str],
    evaluations: usize,
) -> Result<Table, ExperimentError> {
    let others = methods.len() - 1;
    let mut rows = Vec::new();
    for (k, (problem, comparison)) in problems.iter().zip(comparisons).enumerate() {
        let cell = |m: usize| {
            let median = format!("{:.2}", quantile(&logs(comparison, m), 0.5));
            match m.checked_sub(1) {
                None => median,
                Some(at) => format!("{median} ({})", judgement.findings()[k * others + at].verdict()),
            }
        };
        rows.push(std::iter::once((*problem).to_owned()).chain((0..methods.len()).map(cell)).collect());
    }
    if comparisons.len() > 1 {
        rows.push(over_all(comparisons, methods)?);
    }
    Ok(Table {
        name: "summary".into(),
        caption: format!(
            "Median of log₁₀(largest hypervolume - hypervolume) after {evaluations} evaluations, design included; in brackets whether \
             {OURS} misses less (baselines) or not more by {MARGIN} (others). Last row: the mean over all \
             runs of log₁₀ less that of {OURS}, with two-sided p of the signed-rank test over all pairs."
        ),
        header: std::iter::once(&"problem").chain(methods).map(|name| (*name).to_owned()).collect(),
        rows,
    })
}

/// Differences of logarithms over all problems together.
fn over_all(comparisons: &[Comparison], methods: &[&str]) -> Result<Vec<String>, ClaimError> {
    let all: Vec<Vec<f64>> =
        (0..methods.len()).map(|m| comparisons.iter().flat_map(|c| logs(c, m)).collect()).collect();
    let others = methods.iter().zip(&all).skip(1).map(|(name, own)| (*name, own.as_slice()));
    let found = pairwise::superior(&all[0], others, Test::SignedRank)?;
    let cell = |(theirs, finding): (&Vec<f64>, &Finding)| {
        let sum: f64 = theirs.iter().zip(&all[0]).map(|(theirs, ours)| theirs - ours).sum();
        format!("{:+.2} ({})", sum / theirs.len().max(1) as f64, number(finding.two_sided()))
    };
    let cells = all[1..].iter().zip(&found).map(cell);
    Ok(["all, differences".to_owned(), "0".to_owned()].into_iter().chain(cells).collect())
}

impl FrontComparison<'_> {
    /// The runs of one problem after another.
    fn runs(&self) -> Result<Vec<Run>, ExperimentError> {
        let mut jobs = Vec::new();
        for problem in self.problems {
            for replication in 0..self.replications.run {
                let seed = Seed(self.context.seed).child(self.id, replication as u64);
                let design = design(problem, seed);
                let evaluations = self.evaluations;
                let job = |&method| {
                    let design = design.clone();
                    Job { problem, method, replication, design, seed, evaluations }
                };
                jobs.extend(self.methods.iter().map(job));
            }
        }
        let name = |job: &Job<'_>| JobName::new(job.problem.name(), job.method, job.replication);
        studies(&Runs::new(self.id, self.context), &jobs, name, Job::run)
    }

    /// Runs everything and judges the claims. Beside the report the comparisons, one per problem.
    pub fn report(&self) -> Result<(Report, Vec<Comparison>), ExperimentError> {
        let (methods, evaluations) = (self.methods, self.evaluations);
        let runs = self.runs()?;
        let comparisons: Vec<Comparison> = runs
            .chunks(runs.len() / self.problems.len())
            .map(|own| Comparison::new(own, evaluations).measuring("missing hypervolume"))
            .collect();
        let names: Vec<&str> = self.problems.iter().map(MultiObjectiveFunction::name).collect();
        let judgement = judge(&names, &comparisons, methods, self.replications.planned)?;
        let mut numbers = BTreeMap::new();
        let mut tables = vec![summary(&names, &comparisons, &judgement, methods, evaluations)?];
        let mut figures = Vec::new();
        for (name, comparison) in names.iter().zip(&comparisons) {
            tables.push(comparison.table(name)?);
            figures.push(comparison.anytime(name)?);
            for (m, method) in methods.iter().enumerate() {
                let median = quantile(&logs(comparison, m), 0.5);
                numbers.insert(format!("median log10 gap on {name}: {method}"), median);
            }
        }
        let settings = [
            ("evaluations", format!("{evaluations}, the design included")),
            ("design", "2 d + 2 scrambled Sobol points, shared by the methods".into()),
        ];
        let report = Report {
            judgement,
            numbers,
            settings: settings.map(|(name, value): (&str, String)| (name.to_owned(), value)).into(),
            notes: Vec::new(),
            tables,
            figures,
        };
        Ok((report, comparisons))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    fn runs(method: &str, gap: impl Fn(usize) -> f64) -> Vec<Run> {
        let run = |replication| Run {
            method: method.into(),
            problem: "p".into(),
            replication,
            regret: vec![10.0, gap(replication)],
            failures: 0,
            optimizer_seconds: 0.0,
            evaluation_seconds: 0.0,
        };
        (0..12).map(run).collect()
    }

    /// Against a baseline that is worse on purpose, one that is better, and an equal that is as good.
    #[test]
    fn baselines_must_be_beaten_and_equals_not() {
        let gap = |i: usize| 0.1 + 0.01 * (i * 5 % 12) as f64;
        let of = |baseline: f64, equal: f64, planned: usize| {
            let all =
                [runs(OURS, gap), runs("ParEGO", |i| equal * gap(i)), runs("NSGA-II", |i| baseline * gap(i))];
            let comparison = Comparison::new(&all.concat(), 2);
            judge(&["p"], &[comparison], &[OURS, "ParEGO", "NSGA-II"], planned).unwrap().verdict()
        };
        let judged = |baseline: f64, equal: f64| of(baseline, equal, 12);
        assert_eq!(of(2.0, 1.0, 13), Verdict::Inconclusive);
        assert_eq!(judged(2.0, 1.0), Verdict::Holds);
        assert_eq!(judged(0.5, 1.0), Verdict::DoesNotHold);
        assert_eq!(judged(2.0, 0.5), Verdict::DoesNotHold);
        assert_eq!(judged(1.0, 1.0), Verdict::Inconclusive);
    }
}
