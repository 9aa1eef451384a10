//! Claims about earlier studies as sources.

use std::collections::BTreeMap;

use super::families::{Family, Scenario};
use super::{Curve, METHODS, Method};
use crate::harness::claims::{Claim, ClaimError, Family as Claims, Judgement, Kind, Rule, Sample, Test};

/// Regrets below this many standard deviations of the task are as good as none.
const NO_REGRET: f64 = 1e-3;

/// A mean log₁₀ regret that is higher by at most this does no harm.
const MARGIN: f64 = 0.1;

pub(super) const NOTE: &str = "Regrets are in standard deviations of the task, and count as 0.001 below that. Claims are on paired differences of \
    their log₁₀, by sign-flip test over the tasks of all families; a task with two kinds of helpful or misleading sources counts once, by the \
    mean of both, since its default run is the same one. Equal weights are made worse on purpose: the last claim is that they are worse \
    than the default by more than the margin of 0.1 that the transfer has to keep.";

/// Regrets of all jobs.
pub(super) struct Results {
    /// Family, sources and replication of each job. Family and replication are the task.
    pub(super) jobs: Vec<((Family, Scenario), usize)>,
    /// By job and method.
    pub(super) done: Vec<Vec<Curve>>,
    pub(super) evaluations: usize,
    /// Number of tasks that was declared.
    pub(super) planned: usize,
}

impl Results {
    /// Log₁₀ regrets of a method after so many evaluations, where the sources are of a kind: for each task the mean over its sources of that kind.
    pub(super) fn logs(&self, method: usize, time: usize, counts: impl Fn(Scenario) -> bool) -> Vec<f64> {
        let at = |curve: &Curve| curve.0.get(time - 1).copied().unwrap_or(f64::INFINITY);
        let mut of_tasks: BTreeMap<(&str, usize), Vec<f64>> = BTreeMap::new();
        for (((family, scenario), i), done) in self.jobs.iter().zip(&self.done) {
            if counts(*scenario) {
                let log = at(&done[method]).max(NO_REGRET).log10();
                of_tasks.entry((family.label(), *i)).or_default().push(log);
            }
        }
        of_tasks.values().map(|logs| logs.iter().sum::<f64>() / logs.len() as f64).collect()
    }
}

fn is_helpful(scenario: Scenario) -> bool {
    matches!(scenario, Scenario::Helpful | Scenario::OneHelpful)
}

fn is_misleading(scenario: Scenario) -> bool {
    matches!(scenario, Scenario::Negated | Scenario::Unrelated)
}

/// Superior with helpful sources early, not inferior at the end with helpful or misleading ones, where a method that was made worse is.
pub(super) fn judge(results: &Results) -> Result<Judgement, ClaimError> {
    let index = |method: Method| METHODS.iter().position(|other| *other == method).unwrap_or(0);
    let (default, transfer, equal) = (index(Method::Default), index(Method::Transfer), index(Method::Equal));
    let end = results.evaluations;
    let mut claims = Claims::new(Rule::All);
    let mut push = |name: String, kind: Kind, (own, other): (Vec<f64>, Vec<f64>)| {
        let claim = Claim::new(name, kind, Test::SignFlip, results.planned);
        let sample = Sample::losses(&claim.name, &own, &other)?;
        claims.push(claim, sample);
        Ok::<(), ClaimError>(())
    };
    let pair = |own, other, time, counts: fn(Scenario) -> bool| {
        (results.logs(own, time, counts), results.logs(other, time, counts))
    };
    for time in [10, 20] {
        let name = format!("helpful sources: lower regret after {time} evaluations");
        push(name, Kind::Superior, pair(transfer, default, time, is_helpful))?;
    }
    let name = format!("helpful sources: regret after {end} evaluations not higher");
    push(name, Kind::NotInferior { margin: MARGIN }, pair(transfer, default, end, is_helpful))?;
    let alone = index(Method::NoneFirst);
    for (method, what) in [(alone, "Sobol design"), (transfer, "one first trial")] {
        let name = format!("misleading sources, {what}: regret after {end} evaluations not higher");
        push(name, Kind::NotInferior { margin: MARGIN }, pair(method, default, end, is_misleading))?;
    }
    let (planned, long) = (index(Method::Planned), index(Method::Long));
    for (what, counts) in [("helpful", is_helpful as fn(Scenario) -> bool), ("misleading", is_misleading)] {
        for (other, beside) in
            [(planned, "of a planned study without sources"), (long, "with the design of a planned study")]
        {
            let name =
                format!("{what} sources: regret after {end} evaluations not higher than that {beside}");
            push(name, Kind::NotInferior { margin: MARGIN }, pair(transfer, other, end, counts))?;
        }
    }
    let name = "helpful sources: lower regret after 10 evaluations than with the design of a planned study"
        .to_owned();
    push(name, Kind::Superior, pair(transfer, long, 10, is_helpful))?;
    let name = format!("misleading sources: equal weights have a higher regret after {end} evaluations");
    let (mut own, other) = pair(default, equal, end, is_misleading);
    own.iter_mut().for_each(|log| *log += MARGIN);
    push(name, Kind::Superior, (own, other))?;
    claims.judge()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Regrets of 1 for the default, and of other methods by a factor.
    fn results(transfer: [f64; 2], equal: f64) -> Results {
        let (mut jobs, mut done) = (Vec::new(), Vec::new());
        for i in 0..12 {
            for (scenario, factor) in [(Scenario::Helpful, transfer[0]), (Scenario::Negated, transfer[1])] {
                let base = 0.1 + 0.01 * i as f64;
                jobs.push(((Family::Branin, scenario), i));
                let factors = METHODS.map(|method| match method {
                    Method::Default | Method::Planned => 1.0,
                    Method::Equal => equal,
                    Method::Transfer | Method::NoneFirst | Method::Plain => factor,
                    Method::Long => 1.1 * factor,
                });
                done.push(factors.map(|f| Curve(vec![f * base; 20])).into());
            }
        }
        Results { jobs, done, evaluations: 20, planned: 12 }
    }

    /// Helpful sources that gain early and lose at the end.
    #[test]
    fn harm_of_helpful_sources_at_the_end_is_found() {
        let claims = |late: f64| {
            let mut results = results([0.5, 1.0], 3.0);
            results.evaluations = 30;
            for (((_, scenario), _), done) in results.jobs.iter().zip(&mut results.done) {
                for (m, curve) in done.iter_mut().enumerate() {
                    let is_transfer = METHODS[m] == Method::Transfer && is_helpful(*scenario);
                    let factor = if is_transfer { late } else { 1.0 };
                    let last = curve.0[19];
                    curve.0.extend([factor * last; 10]);
                }
            }
            let judgement = judge(&results).unwrap();
            let verdicts: Vec<Verdict> =
                judgement.findings().iter().map(crate::harness::claims::Finding::verdict).collect();
            (verdicts, judgement.verdict())
        };
        let mut expected = vec![Verdict::Holds; 11];
        assert_eq!(claims(1.0), (expected.clone(), Verdict::Holds));
        // Beside the default, the planned one and the longer design.
        for harm in [2, 5, 6] {
            expected[harm] = Verdict::DoesNotHold;
        }
        assert_eq!(claims(4.0), (expected, Verdict::DoesNotHold));
    }

    /// The default run of a task is one run, whatever the sources of the others are.
    #[test]
    fn a_task_counts_once() {
        let curves = |regret: f64| vec![Curve(vec![regret])];
        let jobs = [
            (Scenario::Helpful, 0),
            (Scenario::OneHelpful, 0),
            (Scenario::Negated, 0),
            (Scenario::Helpful, 1),
        ];
        let jobs = jobs.map(|(scenario, i)| ((Family::Branin, scenario), i)).to_vec();
        let done = [1.0, 0.01, 7.0, 0.1].map(curves).into();
        let results = Results { jobs, done, evaluations: 1, planned: 2 };
        assert_eq!(results.logs(0, 1, is_helpful), [-1.0, -1.0], "the mean of 0 and -2, and -1");
        assert_eq!(results.logs(0, 1, |scenario| scenario == Scenario::OneHelpful), [-2.0]);
    }

    #[test]
    fn harm_and_missing_gains_are_found() {
        let verdict = |transfer, equal| judge(&results(transfer, equal)).unwrap().verdict();
        assert_eq!(verdict([0.5, 1.0], 3.0), Verdict::Holds);
        assert_eq!(verdict([0.5, 1.5], 3.0), Verdict::DoesNotHold);
        assert_eq!(verdict([1.5, 1.0], 3.0), Verdict::DoesNotHold);
        // A control that does no harm shows that the comparison could not have found any.
        assert_eq!(verdict([0.5, 1.0], 1.0), Verdict::DoesNotHold);
    }
}
