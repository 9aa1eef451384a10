//! What several losses ask for: fronts, their volumes, and how much a belief may add to them.

use std::collections::BTreeMap;
use std::hint::black_box;

use thrifty_domain::Points;
use thrifty_pareto::{
    ExpectedHypervolumeImprovement, Hypervolume, NonDominatedBoxes, ParetoError, non_dominated_ranks,
};
use thrifty_sampling::Seed;

use super::clock::cpu_minimum;
use super::inputs::Inputs;
use super::line::Line;
use super::ours::line;
use super::tasks::{Operation, Task};
use crate::error::ExperimentError;

/// Fronts and beliefs, the same for all tools; smaller is better.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Fronts {
    /// One number for all objectives.
    reference: f64,
    /// Where no point dominates another, by "n m".
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
    /// What some tasks need.
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

    fn points(
        rows: &BTreeMap<String, Vec<Vec<f64>>>,
        (n, m): (usize, usize),
    ) -> Result<Points, ExperimentError> {
        let rows = rows.get(&format!("{n} {m}")).map_or(&[][..], Vec::as_slice);
        Points::from_rows(rows).map_err(ExperimentError::measure("a front"))
    }
}

/// A point of the positive part of the unit sphere around the nadir.
fn on_sphere(m: usize, mut uniform: impl FnMut() -> f64) -> Vec<f64> {
    // Twelve uniforms less six are normal enough to have no preferred direction.
    let row: Vec<f64> = (0..m).map(|_| ((0..12).map(|_| uniform()).sum::<f64>() - 6.0).abs()).collect();
    let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.iter().map(|x| 1.0 - x / norm).collect()
}

/// Times a task on this build.
pub fn measure(inputs: &Inputs, task: &Task) -> Result<Line, ExperimentError> {
    let (size, fronts) = (size(task), &inputs.fronts);
    let failed = ExperimentError::measure::<ParetoError>;
    let reference = vec![fronts.reference; size.1];
    let sphere = || Fronts::points(&fronts.spheres, size);
    let (cpu_ms, repeats, values) = match task.operation {
        Operation::Ranks => {
            let cloud = Fronts::points(&fronts.clouds, size)?;
            let (ms, repeats, ranks) =
                cpu_minimum(inputs.budget, || non_dominated_ranks(black_box(cloud.as_ref())));
            let ranks = ranks.map_err(failed("ranks"))?;
            (ms, repeats, vec![ranks.iter().sum::<usize>() as f64 / ranks.len().max(1) as f64])
        }
        Operation::Hypervolume => {
            let (sphere, volume) = (sphere()?, Hypervolume::new(&reference).map_err(failed("a volume"))?);
            let (ms, repeats, found) =
                cpu_minimum(inputs.budget, || volume.exact(black_box(sphere.as_ref())));
            (ms, repeats, vec![found.map_err(failed("a volume"))?])
        }
        Operation::Boxes => {
            let sphere = sphere()?;
            let (ms, repeats, boxes) =
                cpu_minimum(inputs.budget, || NonDominatedBoxes::new(black_box(sphere.as_ref()), &reference));
            boxes.map_err(failed("boxes"))?;
            (ms, repeats, Vec::new())
        }
        _ => improvement(inputs, task, &sphere()?, &reference).map_err(failed("an improvement"))?,
    };
    Ok(Line { values, ..line(task, cpu_ms, repeats) })
}

/// A batch of expected hypervolume improvements: their sum, or the sums of their gradient by mean and deviation.
fn improvement(
    inputs: &Inputs,
    task: &Task,
    sphere: &Points,
    reference: &[f64],
) -> Result<(f64, usize, Vec<f64>), ParetoError> {
    let m = reference.len();
    let ehvi = ExpectedHypervolumeImprovement::new(sphere.as_ref(), reference)?;
    let beliefs = inputs.fronts.beliefs.get(&m).map_or(&[][..], Vec::as_slice);
    let (mut by_mean, mut by_deviation) = (vec![0.0; m], vec![0.0; m]);
    let (ms, repeats, found) = cpu_minimum(inputs.budget, || {
        let mut sums = vec![0.0; if task.operation == Operation::EhviGradient { 2 * m } else { 1 }];
        for [mean, deviation] in black_box(beliefs) {
            match task.operation {
                Operation::Ehvi => sums[0] += ehvi.value(mean, deviation)?,
                Operation::LogEhvi => sums[0] += ehvi.log_value(mean, deviation)?,
                _ => {
                    ehvi.value_with_grad(mean, deviation, &mut by_mean, &mut by_deviation)?;
                    sums.iter_mut().zip(by_mean.iter().chain(&by_deviation)).for_each(|(sum, g)| *sum += g);
                }
            }
        }
        Ok(sums)
    });
    Ok((ms, repeats, found?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::clock::Budget;

    #[test]
    fn every_operation_on_fronts_is_measured() {
        let of = |operation, m| Task::front(operation, 20, m);
        let tasks = vec![
            of(Operation::Hypervolume, 2),
            of(Operation::Ranks, 3),
            of(Operation::Boxes, 3),
            of(Operation::Ehvi, 2),
            of(Operation::LogEhvi, 2),
            of(Operation::EhviGradient, 2),
        ];
        let inputs = Inputs::new(Budget { seconds: 0.0, repeats: 1 }, tasks, 3).unwrap();
        let values: Vec<Vec<f64>> =
            inputs.tasks.iter().map(|task| measure(&inputs, task).unwrap().values).collect();
        // The square of side 1.1 less what lies before the arc, and less what twenty points leave of that.
        let limit = 1.21 - (1.0 - std::f64::consts::FRAC_PI_4);
        assert!((0.8 * limit..limit).contains(&values[0][0]), "{}", values[0][0]);
        assert!(values[1][0] > 0.0 && values[2].is_empty());
        // A lower mean improves more; the logarithms of numbers below one are negative.
        assert!(values[3][0] > 0.0 && values[4][0] < 0.0 && values[5][0] < 0.0);
        assert_eq!(values[5].len(), 4);
    }
}
