//! Fractional cross-validation that verifies its winner, after as many fits as twenty whole evaluations.

use std::sync::Arc;

use super::comparison::{FoldComparison, NOTE};
use super::drawn::{Drawn, FOLDS};
use super::late::{DRAWS, MARGIN, WHOLE};
use super::methods::{FOLD_RANDOM, VERIFICATION};
use super::problem::FoldProblem;
use super::svm_table;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/verified",
    paper: "none: whether single folds fall behind whole cross-validations when the winner is verified on all folds",
    claim: "after as many fits as twenty whole cross-validations, the last of which complete the folds of the best configurations, fractional \
            cross-validation is not behind these, on tables that chose no default",
    quick_cost: "one draw, or two tables with a data folder, 2 seeds, 30 fits: some seconds",
    full_cost: "two tables with a data folder, 40 seeds, 200 fits: half an hour",
    run,
};

/// Claim against a method: beside whole cross-validations not being behind; beside random configurations on random folds, which are worse on
/// purpose, being better. Whether verification lowers the regret is looked at without a claim.
fn claim(method: &str) -> Option<Kind> {
    match method {
        method if WHOLE.contains(&method) => Some(Kind::NotInferior { margin: MARGIN }),
        method if method == FOLD_RANDOM.name => Some(Kind::Superior),
        _ => None,
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let data = context.data.as_deref();
    let tables: Vec<_> =
        svm_table::judged(data)?.into_iter().map(|(name, table)| (name, Arc::new(table))).collect();
    let (replications, fits) = (context.replications(2, 40), context.pick(30, 200));
    let mut notes = vec![NOTE.to_owned()];
    let mut problems: Vec<String> = tables.iter().map(|(name, _)| name.clone()).collect();
    let (draw, dim, deviations) = DRAWS[0];
    if problems.is_empty() {
        problems.push(draw.into());
        notes.push("The tables were not found: one draw stands in their place, about which nothing is claimed elsewhere.".into());
    }
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: svm_table::judged_identity(data)?,
        measure: "regret",
        problems,
        methods: &VERIFICATION,
        replications,
        fits,
        claim,
        columns: [20, 50, 100, 150, 200].into_iter().filter(|at| *at <= fits).collect(),
        early: None,
    };
    let outcome = comparison.run(|k, seed| {
        Ok(match tables.get(k) {
            Some((_, table)) => Box::new(table.clone()) as Box<dyn FoldProblem>,
            None => Box::new(Drawn::new(dim, deviations, seed)?),
        })
    })?;
    Ok(outcome.report([replications.run, fits, FOLDS], notes))
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_study::{Next, Study};

    use super::super::methods::{Setup, VERIFIED};
    use super::*;

    #[test]
    fn claims_are_about_whole_cross_validations_and_what_is_worse_on_purpose() {
        let claims: Vec<Option<Kind>> = VERIFICATION.iter().map(|method| claim(method.name)).collect();
        let behind = Some(Kind::NotInferior { margin: MARGIN });
        assert_eq!(claims, [None, behind, Some(Kind::Superior), behind, None]);
    }

    /// A budget of 30 fits: the recommended configuration has all of its folds.
    #[test]
    fn the_winner_has_all_folds() {
        let (_, dim, deviations) = DRAWS[0];
        let problem = Drawn::new(dim, deviations, Seed(1)).unwrap();
        let setup =
            Setup { space: problem.space().clone(), folds: FOLDS, fits: 30, seed: Seed(2), python: &[] };
        let mut study = Study::new((VERIFIED.make)(setup).unwrap(), Seed(2));
        while let Next::Evaluate(trial) = study.ask().unwrap() {
            let loss = problem.loss(&trial.query, &mut Seed(3).stream("noise", trial.id.0)).unwrap();
            study.tell(trial.id, loss).unwrap();
        }
        let best = study.recommend().unwrap().unwrap().config;
        let folds = study.history().trials().iter().filter(|trial| trial.query.config == best).count();
        assert!(study.history().len() <= 30);
        assert_eq!(folds, FOLDS);
    }
}
