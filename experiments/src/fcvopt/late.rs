//! Fractional cross-validation after as many fits as twenty whole evaluations.

use std::sync::Arc;

use super::comparison::{FoldComparison, NOTE};
use super::drawn::{Deviations, Drawn, FOLDS};
use super::methods::{FULL_TPE, LATE, NARROW, YARDSTICK};
use super::problem::FoldProblem;
use super::svm_table;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/late",
    paper: "none: whether single folds fall behind whole cross-validations as fits go on",
    claim: "after as many fits as twenty whole cross-validations, fractional cross-validation is not behind these",
    quick_cost: "one draw, 2 seeds, 30 fits: some seconds",
    full_cost: "four draws, two tables with a data folder, 20 seeds, 200 fits: one to two hours",
    run,
};

/// Draws of a standard deviation of 1 in the true loss, which chose the width of the bound.
pub(super) const DRAWS: [(&str, usize, Deviations); 4] = [
    ("rough-3d", 3, Deviations { std_dev: 0.5, lengthscale: 0.25, noise: 0.05 }),
    ("rough-4d", 4, Deviations { std_dev: 0.5, lengthscale: 0.25, noise: 0.05 }),
    ("smooth-4d", 4, Deviations { std_dev: 0.5, lengthscale: 0.6, noise: 0.05 }),
    ("quiet-4d", 4, Deviations { std_dev: 0.15, lengthscale: 0.4, noise: 0.02 }),
];

/// The whole cross-validations, which the claim is about.
pub(super) const WHOLE: [&str; 2] = [YARDSTICK, FULL_TPE.name];

/// A pseudomedian of paired differences of at most a fifth of a point of the error rate is no worse.
pub(super) const MARGIN: f64 = 0.002;

/// Claim against a method: beside whole cross-validations not being behind; beside the bound that is too narrow on purpose being
/// better, without which a comparison could not have shown a difference.
fn claim(method: &str) -> Option<Kind> {
    match method {
        method if WHOLE.contains(&method) => Some(Kind::NotInferior { margin: MARGIN }),
        method if method == NARROW.name => Some(Kind::Superior),
        _ => None,
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let draws = context.pick(&DRAWS[..1], &DRAWS[..]);
    let data = context.data.as_deref();
    let tables = svm_table::judged(data)?;
    let tables: Vec<_> = tables.into_iter().map(|(name, table)| (name, Arc::new(table))).collect();
    let (replications, fits) = (context.replications(2, 20), context.pick(30, 200));
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: svm_table::judged_identity(data)?,
        measure: "regret",
        problems: draws
            .iter()
            .map(|draw| draw.0.to_owned())
            .chain(tables.iter().map(|(name, _)| name.clone()))
            .collect(),
        methods: context.pick(&LATE[..3], &LATE[..]),
        replications,
        fits,
        claim,
        columns: [20, 50, 100, 150, 200].into_iter().filter(|at| *at <= fits).collect(),
        early: None,
    };
    let outcome = comparison.run(|k, seed| {
        Ok(match draws.get(k) {
            Some((_, dim, deviations)) => {
                Box::new(Drawn::new(*dim, *deviations, seed)?) as Box<dyn FoldProblem>
            }
            None => Box::new(tables[k - draws.len()].1.clone()),
        })
    })?;
    Ok(outcome.report([replications.run, fits, FOLDS], vec![NOTE.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_about_whole_cross_validations_and_what_is_worse_on_purpose() {
        let claims: Vec<Option<Kind>> = LATE.iter().map(|method| claim(method.name)).collect();
        let behind = Some(Kind::NotInferior { margin: MARGIN });
        assert_eq!(claims, [None, behind, Some(Kind::Superior), behind, None, None]);
    }
}
