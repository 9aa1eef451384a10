//! Fronts and predictive distributions, the same for all tools.

use std::collections::BTreeMap;

use thrifty_domain::Points;
use thrifty_sampling::Seed;

use super::tasks::{Operation, Task};
use crate::error::ExperimentError;

/// Fronts and predictive distributions, the same for all tools; smaller is better.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Fronts {
    /// One number for all objectives.
    reference: f64,
    /// Fronts in which no point dominates another, by "n m".
    spheres: BTreeMap<String, Vec<Vec<f64>>>,
    /// Uniform points, by "n m".
    clouds: BTreeMap<String, Vec<Vec<f64>>>,
    /// Means and deviations of candidates, by m.
    beliefs: BTreeMap<usize, Vec<[Vec<f64>; 2]>>,
}

/// Candidates of a batch.
const BATCH: usize = 1000;

fn size(task: &Task) -> (usize, usize) {
    (task.n, task.m.unwrap_or(2))
}

impl Fronts {
    /// Fronts that some tasks need.
    pub fn new(tasks: &[Task], seed: Seed) -> Self {
        let mut fronts = Self { reference: 1.1, ..Self::default() };
        for task in tasks.iter().filter(|task| task.operation.has_front()) {
            let (n, m) = size(task);
            let key = format!("{n} {m}");
            let mut rng = seed.stream("front", (n * 100 + m) as u64);
            if task.operation == Operation::Ranks {
                let cloud = || (0..n).map(|_| (0..m).map(|_| rng.uniform()).collect()).collect();
                fronts.clouds.entry(key).or_insert_with(cloud);
                continue;
            }
            fronts
                .spheres
                .entry(key)
                .or_insert_with(|| (0..n).map(|_| on_sphere(m, || rng.uniform())).collect());
            let mut rng = seed.stream("beliefs", m as u64);
            let mut belief = || {
                let means: Vec<f64> = (0..m).map(|_| rng.uniform()).collect();
                [means, (0..m).map(|_| 0.05 + 0.2 * rng.uniform()).collect()]
            };
            fronts.beliefs.entry(m).or_insert_with(|| (0..BATCH).map(|_| belief()).collect());
        }
        fronts
    }

    /// The front of a task.
    pub fn sphere(&self, task: &Task) -> Result<Points, ExperimentError> {
        points(&self.spheres, task)
    }

    /// The uniform points of a task.
    pub fn cloud(&self, task: &Task) -> Result<Points, ExperimentError> {
        points(&self.clouds, task)
    }

    /// The reference point of a task.
    pub fn reference(&self, task: &Task) -> Vec<f64> {
        vec![self.reference; size(task).1]
    }

    /// The predictive distributions of a task.
    pub fn beliefs(&self, task: &Task) -> &[[Vec<f64>; 2]] {
        self.beliefs.get(&size(task).1).map_or(&[], Vec::as_slice)
    }
}

fn points(rows: &BTreeMap<String, Vec<Vec<f64>>>, task: &Task) -> Result<Points, ExperimentError> {
    let (n, m) = size(task);
    let rows = rows.get(&format!("{n} {m}")).map_or(&[][..], Vec::as_slice);
    Points::from_rows(rows).map_err(ExperimentError::measure("a front"))
}

/// A point of the positive part of the unit sphere around the nadir.
fn on_sphere(m: usize, mut uniform: impl FnMut() -> f64) -> Vec<f64> {
    // Twelve uniforms less six are normal enough to have no preferred direction.
    let row: Vec<f64> = (0..m).map(|_| ((0..12).map(|_| uniform()).sum::<f64>() - 6.0).abs()).collect();
    let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.iter().map(|x| 1.0 - x / norm).collect()
}
