//! Four model fits at a time beside one after the other.

use super::comparison::{FoldComparison, NOTE};
use super::drawn::{Deviations, Drawn, FOLDS};
use super::methods::{BATCHES, BOUND};
use super::problem::FoldProblem;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/batches",
    paper: "FCVOpt (Yerramilli & Apley, 2025): one fold at a time beside batches of four",
    claim: "at equal numbers of model fits, batches of four folds are not worse than one fold at a time",
    quick_cost: "one draw, 2 seeds, 30 fits: some seconds",
    full_cost: "three draws, 30 seeds, 100 fits: ten minutes",
    run,
};

/// Draws of a standard deviation of 1 in the true loss; no default was chosen on them.
const DRAWS: [(&str, usize, Deviations); 3] = [
    ("rough-2d", 2, Deviations { std_dev: 0.4, lengthscale: 0.3, noise: 0.04 }),
    ("smooth-3d", 3, Deviations { std_dev: 0.4, lengthscale: 0.5, noise: 0.04 }),
    ("smooth-5d", 5, Deviations { std_dev: 0.4, lengthscale: 0.7, noise: 0.04 }),
];

/// Largest pseudomedian of paired differences in regret, in standard deviations of the true loss.
const MARGIN: f64 = 0.05;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let draws = context.pick(&DRAWS[..1], &DRAWS[..]);
    let (replications, fits) = (context.replications(2, 30), context.pick(30, 100));
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: "own".into(),
        measure: "regret",
        problems: draws.iter().map(|draw| draw.0.to_owned()).collect(),
        methods: &BATCHES,
        replications,
        fits,
        // Beside random batches the claim is that learning is better.
        claim: |other| {
            Some(if other == BOUND.name { Kind::NotInferior { margin: MARGIN } } else { Kind::Superior })
        },
        columns: [20, 50, 100].into_iter().filter(|at| *at <= fits).collect(),
        early: None,
    };
    let outcome = comparison
        .run(|k, seed| Ok(Box::new(Drawn::new(draws[k].1, draws[k].2, seed)?) as Box<dyn FoldProblem>))?;
    Ok(outcome.report([replications.run, fits, FOLDS], vec![NOTE.into()]))
}
