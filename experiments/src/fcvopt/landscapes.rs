//! Fractional cross-validation on the landscapes of the paper.

use std::sync::Arc;

use super::comparison::{FoldComparison, NOTE};
use super::drawn::{Deviations, Drawn, FOLDS};
use super::landscape::{NAMES, Objective};
use super::methods::{FOLD_TPE, LANDSCAPES, MULTI_TASK, YARDSTICK};
use super::problem::FoldProblem;
use super::smac::{SMAC, with_peers};
use crate::data;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/landscapes",
    paper: "FCVOpt (Yerramilli & Apley, 2025), on the true losses of its studies",
    claim: "on the losses of forests, boosting and networks that the paper tuned, with folds drawn around them, fractional cross-validation needs fewer fits than full cross-validation and the rivals of the paper: multi-task optimisation, TPE on random folds and, with --python, SMAC3",
    quick_cost: "one landscape, 1 seed, 20 fits: some seconds",
    full_cost: "eleven landscapes with a data folder, 15 seeds, 150 fits: an hour; SMAC3 with --python as long again",
    run,
};

/// In place of the authors' losses where there are none: a draw in four dimensions.
const OWN: &str = "own-draw-4d";

/// Lower than full cross-validation and the rivals in `yerramilli2025`; nothing is claimed of the others.
fn claim(method: &str) -> Option<Kind> {
    [YARDSTICK, MULTI_TASK.name, FOLD_TPE.name, SMAC.name].contains(&method).then_some(Kind::Superior)
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let mut landscapes: Vec<(String, Arc<Objective>)> = Vec::new();
    for name in NAMES {
        if let Some(landscape) = Objective::read(context.data.as_deref(), name)? {
            landscapes.push((name.to_owned(), Arc::new(landscape)));
        }
    }
    landscapes.truncate(context.pick(1, usize::MAX));
    let mut problems: Vec<String> = landscapes.iter().map(|(name, _)| name.clone()).collect();
    if problems.is_empty() {
        problems.push(OWN.into());
    }
    let (replications, fits) = (context.replications(1, 15), context.pick(20, 150));
    let methods = with_peers(&LANDSCAPES, context);
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: data::identity_of(context.data.as_deref(), &NAMES.map(|name| format!("fcvopt/{name}.json")))?,
        measure: "regret",
        problems,
        methods: &methods,
        replications,
        fits,
        claim,
        columns: [20, 50, 100, 150].into_iter().filter(|at| *at <= fits).collect(),
        early: None,
    };
    let outcome = comparison.run(|k, seed| {
        Ok(Box::new(match landscapes.get(k) {
            Some((_, landscape)) => landscape.clone().with_folds(seed)?,
            None => Drawn::new(4, Deviations { std_dev: 0.3, lengthscale: 0.4, noise: 0.1 }, seed)?,
        }) as Box<dyn FoldProblem>)
    })?;
    let missing = "The authors' landscapes were not found: a data folder with fcvopt/NAME.json has them; one draw of our own \
                   stands in.";
    let mut notes = vec![
        "The true losses are the authors' surrogates of full cross-validations. They say nothing of single folds: those are drawn \
         here around them, with deviations of 0.3 and noise of 0.1 of the deviation of the losses. So these are the paper's \
         landscapes, not its experiments. The truth is the mean over the ten folds."
            .to_owned(),
        NOTE.into(),
    ];
    if landscapes.is_empty() {
        notes.insert(0, missing.into());
    }
    Ok(outcome.report([replications.run, fits, FOLDS], notes))
}
