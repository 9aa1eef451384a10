//! Fractional cross-validation on measured folds.

use super::comparison::{FoldComparison, NOTE};
use super::methods::{ALL, is_variant};
use super::problem::FoldProblem;
use super::smac::with_peers;
use super::svm_table;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/tables",
    paper: "FCVOpt (Yerramilli & Apley, 2025), on measured folds of support vector machines",
    claim: "at equal numbers of model fits fractional cross-validation chooses configurations that are better on folds nobody saw than full cross-validation and other ways with single folds do",
    quick_cost: "one data set, 2 seeds, 20 fits: some seconds",
    full_cost: "three data sets, five with a data folder, 30 seeds, 300 fits: one to two hours",
    run,
};

/// A pseudomedian of paired differences of at most 0.2 points of the error rate is no worse.
const MARGIN: f64 = 0.002;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let mut tables = svm_table::all(context.data.as_deref())?;
    tables.truncate(context.pick(1, usize::MAX));
    let (replications, fits) = (context.replications(2, 30), context.pick(20, 300));
    let methods = with_peers(&ALL, context);
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: svm_table::identity(context.data.as_deref())?,
        measure: "regret",
        problems: tables.iter().map(|(name, _)| name.clone()).collect(),
        methods: &methods,
        replications,
        fits,
        // Lower than every other way, and not worse than the method's own variants.
        claim: |method| {
            Some(if is_variant(method) { Kind::NotInferior { margin: MARGIN } } else { Kind::Superior })
        },
        columns: [20, 50, 100, 200, 300].into_iter().filter(|at| *at <= fits).collect(),
        early: None,
    };
    let tables: Vec<_> = tables.into_iter().map(|(name, table)| (name, std::sync::Arc::new(table))).collect();
    let mut outcome = comparison.run(|k, _| Ok(Box::new(tables[k].1.clone()) as Box<dyn FoldProblem>))?;
    let yardsticks = tables.iter().map(|(name, table)| {
        let (regret, share) = table.yardstick();
        vec![name.clone(), number(regret), number(100.0 * share)]
    });
    outcome.tables.push(Table {
        name: "yardstick".into(),
        caption: "What the best of one whole cross-validation of all 441 configurations, 4410 model fits, comes to on the other five \
                  repeats: its regret, and the share of configurations (in %) that are no worse. A data set where that share is large \
                  cannot tell methods apart."
            .into(),
        header: ["data set", "regret", "no worse, %"].map(String::from).to_vec(),
        rows: yardsticks.collect(),
    });
    Ok(outcome.report([replications.run, fits, 10], vec![
            "Losses are shares of misclassified rows, measured for every cell of a grid of 21 × 21 in six repeats of a stratified \
             tenfold cross-validation. The folds of the first repeat may be asked, the truth is the mean over the five others."
                .into(),
            NOTE.into(),
        ]))
}
