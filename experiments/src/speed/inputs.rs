//! Inputs of all tasks.

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use super::clock::Budget;
use super::data::{DIM, Data, uniform};
use super::fronts::Fronts;
use super::hyperparameters::{Bounds, Hyperparameters};
use super::tasks::{Operation, Task};
use crate::error::ExperimentError;

/// Everything that a measurement starts from, the same for all tools.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Inputs {
    pub d: usize,
    #[serde(flatten)]
    pub budget: Budget,
    /// Hyperparameters at which likelihoods and predictions are taken and fits start.
    pub hyperparameters: Hyperparameters,
    pub bounds: Bounds,
    /// By number of points.
    pub data: BTreeMap<usize, Data>,
    /// Points of the predictions.
    pub test: Vec<Vec<f64>>,
    pub fronts: Fronts,
    pub tasks: Vec<Task>,
}

impl Inputs {
    /// Inputs for some tasks.
    pub fn new(budget: Budget, tasks: Vec<Task>, seed: u64) -> Result<Self, ExperimentError> {
        let seed = Seed(seed);
        let bounds = Bounds { variance: [1e-3, 1e3], lengthscale: [1e-2, 1e2], noise: [1e-6, 10.0] };
        let hyperparameters = Hyperparameters { variance: 1.0, lengthscales: vec![0.5; DIM], noise: 1e-2 };
        let mut data = BTreeMap::new();
        for task in tasks.iter().filter(|task| task.operation.has_data()) {
            let made = match data.remove(&task.n) {
                Some(made) => made,
                None => Data::noisy_hartmann6(task.n, seed)?,
            };
            let posterior = match (&made.posterior, task.operation) {
                (None, Operation::Acquisition) => Some(hyperparameters.fitted(&bounds, &made)?),
                _ => made.posterior.clone(),
            };
            data.insert(task.n, Data { posterior, ..made });
        }
        let most = tasks
            .iter()
            .filter(|task| task.operation == Operation::Predict)
            .filter_map(|task| task.m)
            .max()
            .unwrap_or(0);
        let test = uniform(most, seed.child("test", 0));
        let fronts = Fronts::new(&tasks, seed.child("fronts", 0));
        Ok(Self { d: DIM, budget, hyperparameters, bounds, data, test, fronts, tasks })
    }

    /// Inputs with whole runs from the first `seeds` seeds alone.
    pub fn with_fewer_runs(&self, seeds: usize) -> Self {
        let few = |task: &&Task| {
            task.operation != Operation::Bo || task.seed.is_none_or(|seed| seed < seeds as u64)
        };
        Self { tasks: self.tasks.iter().filter(few).cloned().collect(), ..self.clone() }
    }

    /// The data of a size that some task has.
    pub fn data(&self, n: usize) -> Result<&Data, ExperimentError> {
        let absent =
            || ExperimentError::Measure { what: "a task", message: format!("no data of {n} points") };
        self.data.get(&n).ok_or_else(absent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Inputs {
        let tasks = vec![
            Task::new(Operation::Likelihood, 20),
            Task::new(Operation::Acquisition, 20),
            Task::run(0),
            Task::run(1),
        ];
        Inputs::new(Budget { seconds: 0.0, repeats: 1 }, tasks, 3).unwrap()
    }

    #[test]
    fn targets_are_standardized_and_the_acquisition_has_a_posterior() {
        let inputs = inputs();
        let data = inputs.data(20).unwrap();
        let mean = data.y.iter().sum::<f64>() / 20.0;
        let variance = data.y.iter().map(|v| v * v).sum::<f64>() / 20.0;
        assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12);
        assert!(data.posterior.is_some());
        assert!(inputs.data(7).is_err());
    }

    #[test]
    fn peers_may_be_asked_for_fewer_runs() {
        assert_eq!(inputs().with_fewer_runs(1).tasks.len(), 3);
    }
}
