//! Runs of all methods, as the report reads them.

use std::collections::BTreeMap;

use super::run::Done;
use crate::harness::ablation::NO_REGRET;
use crate::harness::stats::{mean_and_std_dev, quantile};

/// Finished runs by method, problem and replication.
#[derive(Default)]
pub struct Results {
    runs: BTreeMap<(String, String), BTreeMap<usize, Done>>,
}

impl Results {
    pub fn insert(&mut self, method: &str, problem: &str, replication: usize, done: Done) {
        let runs = self.runs.entry((method.to_owned(), problem.to_owned())).or_default();
        runs.insert(replication, done);
    }

    fn of(&self, method: &str, problem: &str) -> impl Iterator<Item = (usize, &Done)> {
        let runs = self.runs.get(&(method.to_owned(), problem.to_owned()));
        runs.into_iter().flatten().map(|(replication, done)| (*replication, done))
    }

    /// All runs of a method.
    pub fn of_method<'a>(&'a self, method: &'a str) -> impl Iterator<Item = &'a Done> {
        self.runs.iter().filter(move |((name, _), _)| name == method).flat_map(|(_, runs)| runs.values())
    }

    /// True if a method has no type for the parameters of a problem.
    pub fn is_unsupported(&self, method: &str, problem: &str) -> bool {
        self.of(method, problem).any(|(_, done)| done.is_unsupported())
    }

    /// log₁₀ of the regret at position `step` of each run, or at its end, by replication.
    pub fn logs(&self, method: &str, problem: &str, step: Option<usize>) -> BTreeMap<usize, f64> {
        let at = |done: &Done| match step {
            Some(step) => done.regret.get(step).copied().unwrap_or(f64::INFINITY),
            None => done.last(),
        };
        let supported = self.of(method, problem).filter(|(_, done)| !done.is_unsupported());
        // A run without a measurement is as bad as any number can say.
        supported.map(|(i, done)| (i, at(done).clamp(NO_REGRET, 1e30).log10())).collect()
    }

    /// Median of the logarithms at the end, and the number of runs.
    pub fn median(&self, method: &str, problem: &str, step: Option<usize>) -> Option<(f64, usize)> {
        let logs: Vec<f64> = self.logs(method, problem, step).into_values().collect();
        (!logs.is_empty()).then(|| (quantile(&logs, 0.5), logs.len()))
    }

    /// Losses of the replications that both methods have, in the same order.
    pub fn paired(&self, own: &str, other: &str, problem: &str) -> (Vec<f64>, Vec<f64>) {
        let (own, other) = (self.logs(own, problem, None), self.logs(other, problem, None));
        own.iter().filter_map(|(i, own)| Some((*own, *other.get(i)?))).unzip()
    }

    /// Mean CPU seconds per run; NaN without runs.
    pub fn cpu_seconds(&self, method: &str) -> f64 {
        let seconds: Vec<f64> =
            self.of_method(method).filter(|done| !done.is_unsupported()).map(|d| d.cpu_seconds).collect();
        mean_and_std_dev(&seconds).0
    }

    /// Runs that ended early, apart from those without a type for the parameters.
    pub fn failures(&self, method: &str) -> Vec<String> {
        let failed = |done: &&Done| !done.failure.is_empty() && !done.is_unsupported();
        self.of_method(method).filter(failed).map(|done| done.failure.clone()).collect()
    }
}
