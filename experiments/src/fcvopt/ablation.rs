//! Parts of fractional cross-validation, one changed at a time.

use super::branin;
use super::comparison::{FoldComparison, NOTE};
use super::drawn::{Deviations, Drawn, FOLDS};
use super::methods::ABLATION;
use super::problem::FoldProblem;
use super::svm_table;
use crate::data;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/ablation",
    paper: "FCVOpt (Yerramilli & Apley, 2025): its parts, against what might stand in their place",
    claim: "no part of the method is better left out: target, exact criterion of the fold, correlation of folds, acquisition",
    quick_cost: "Branin, 2 seeds, 20 fits: some seconds",
    full_cost: "Branin, draws and two measured tables, 30 seeds, 100 fits: a quarter of an hour",
    run,
};

/// A pseudomedian of paired differences in regret of at most this is no worse.
const MARGIN: f64 = 0.01;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let names =
        context.pick(&["branin"][..], &["branin", "rough-2d", "rough-4d", "breast_cancer", "digits600"][..]);
    let (replications, fits) = (context.replications(2, 30), context.pick(20, 100));
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: data::identity_of(context.data.as_deref(), &[branin::FILE.to_owned()])?,
        measure: "regret",
        problems: names.iter().map(|name| (*name).to_owned()).collect(),
        methods: &ABLATION,
        replications,
        fits,
        claim: |_| Some(Kind::NotInferior { margin: MARGIN }),
        columns: [20, 50, 100].into_iter().filter(|at| *at <= fits).collect(),
        early: None,
    };
    let rough = Deviations { std_dev: 0.5, lengthscale: 0.25, noise: 0.05 };
    let outcome = comparison.run(|k, seed| {
        Ok(match names[k] {
            "branin" => Box::new(branin::problem(context.data.as_deref())?.0) as Box<dyn FoldProblem>,
            "rough-2d" => Box::new(Drawn::new(2, rough, seed)?),
            "rough-4d" => Box::new(Drawn::new(4, rough, seed)?),
            name => {
                let table = svm_table::all(None)?.into_iter().find(|(known, _)| known == name);
                Box::new(table.ok_or_else(|| ExperimentError::failed(format!("no table {name}")))?.1)
            }
        })
    })?;
    Ok(outcome.report([replications.run, fits, FOLDS], vec![NOTE.into()]))
}
