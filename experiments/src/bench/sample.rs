//! Regret of one run against evaluations.

use std::collections::BTreeMap;

use crate::harness::replicate::Run;

/// Regrets of one method on one function from one design, whoever ran it.
#[derive(Debug, Clone)]
pub struct Sample {
    pub method: String,
    pub function: String,
    pub design: usize,
    /// Evaluations and the simple regret after them, in order.
    pub curve: Vec<(usize, f64)>,
    pub seconds: f64,
}

impl Sample {
    /// Sample of a run of ours; regret below 0 is rounding of the optimum.
    pub fn of(Timed { run, thread_seconds: seconds }: &Timed) -> Self {
        let seconds = *seconds;
        Self {
            method: run.method.clone(),
            function: run.problem.clone(),
            design: run.replication,
            curve: run.regret.iter().enumerate().map(|(i, r)| (i + 1, r.max(0.0))).collect(),
            seconds,
        }
    }

    /// Regret after so many evaluations, infinite before the first known.
    pub fn at(&self, evaluations: usize) -> f64 {
        let known = self.curve.iter().rev().find(|(t, _)| *t <= evaluations);
        known.map_or(f64::INFINITY, |(_, regret)| *regret)
    }
}

/// A run with the seconds of its thread.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Timed {
    #[serde(flatten)]
    pub run: Run,
    pub thread_seconds: f64,
}

impl AsMut<Run> for Timed {
    fn as_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}

/// Names in the order in which they first come.
pub fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name.clone());
        }
    }
    distinct
}

/// Regrets after so many evaluations by design.
pub fn finals(samples: &[Sample], method: &str, function: &str, evaluations: usize) -> BTreeMap<usize, f64> {
    let own = samples.iter().filter(|s| s.method == method && s.function == function);
    own.map(|s| (s.design, s.at(evaluations))).collect()
}
