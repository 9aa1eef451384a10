//! Operations of several losses, timed on this build: fronts, their volumes, and expected improvements of them

use std::hint::black_box;

use thrifty_domain::Points;
use thrifty_pareto::{
    ExpectedHypervolumeImprovement, Hypervolume, NonDominatedBoxes, ParetoError, non_dominated_ranks,
};

use super::clock::cpu_minimum;
use super::inputs::Inputs;
use super::line::Line;
use super::tasks::{Operation, Task};
use crate::error::ExperimentError;

/// Times a task on this build.
pub fn measure(inputs: &Inputs, task: &Task) -> Result<Line, ExperimentError> {
    let fronts = &inputs.fronts;
    let failed = ExperimentError::measure::<ParetoError>;
    let reference = fronts.reference(task);
    let sphere = || fronts.sphere(task);
    let (cpu_ms, repeats, values) = match task.operation {
        Operation::Ranks => {
            let cloud = fronts.cloud(task)?;
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
    Ok(Line { values, ..Line::timed(task, cpu_ms, repeats) })
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
    let beliefs = inputs.fronts.beliefs(task);
    let (mut by_mean, mut by_std_dev) = (vec![0.0; m], vec![0.0; m]);
    let (ms, repeats, found) = cpu_minimum(inputs.budget, || {
        let mut sums = vec![0.0; if task.operation == Operation::EhviGradient { 2 * m } else { 1 }];
        for [mean, std_dev] in black_box(beliefs) {
            match task.operation {
                Operation::Ehvi => sums[0] += ehvi.value(mean, std_dev)?,
                Operation::LogEhvi => sums[0] += ehvi.log_value(mean, std_dev)?,
                _ => {
                    ehvi.value_with_grad(mean, std_dev, &mut by_mean, &mut by_std_dev)?;
                    sums.iter_mut().zip(by_mean.iter().chain(&by_std_dev)).for_each(|(sum, g)| *sum += g);
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
