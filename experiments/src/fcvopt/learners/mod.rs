//! Fractional cross-validation on the four learners of the paper, trained here.

pub mod fold_last;
pub mod listed;
mod measured;
mod subjects;

use std::sync::Arc;

use self::measured::{Measured, OneRepeat, Size, Subject};
use self::subjects::Tuned;
use super::comparison::{FoldComparison, NOTE};
use super::methods::LEARNERS;
use super::problem::FoldProblem;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext, Table, number};

const PAPER: &str = "FCVOpt (Yerramilli & Apley, 2025): one of its four learners";
const QUICK: &str = "shipped or generated rows, 12 configurations, 2 seeds, 30 fits: a second";

/// A random forest for two classes.
pub const FOREST: Experiment = Experiment {
    id: "fcvopt/forest",
    paper: PAPER,
    claim: "tuning a random forest, fractional cross-validation chooses lower true losses than whole cross-validations after 100 model fits, and is not behind them after 120",
    quick_cost: QUICK,
    full_cost: "128 configurations on 20 folds of Madelon, 30 seeds, 120 fits: a quarter of an hour",
    run: |context| run(&FOREST, Tuned::Forest, context),
};

/// Boosted trees for two classes.
pub const BOOSTING: Experiment = Experiment {
    id: "fcvopt/boosting",
    paper: PAPER,
    claim: "tuning boosted trees, fractional cross-validation chooses lower true losses than whole cross-validations after 100 model fits, and is not behind them after 120",
    quick_cost: QUICK,
    full_cost: "128 configurations on 20 folds of the electricity market, 30 seeds, 120 fits: ten minutes",
    run: |context| run(&BOOSTING, Tuned::Boosting, context),
};

/// A multilayer perceptron for numbers.
pub const PERCEPTRON: Experiment = Experiment {
    id: "fcvopt/perceptron",
    paper: PAPER,
    claim: "tuning a perceptron, fractional cross-validation chooses lower true losses than whole cross-validations after 100 model fits, and is not behind them after 120",
    quick_cost: QUICK,
    full_cost: "128 configurations on 20 folds of house sales, 30 seeds, 120 fits: a quarter of an hour",
    run: |context| run(&PERCEPTRON, Tuned::Perceptron, context),
};

/// A residual network for numbers.
pub const RESIDUAL: Experiment = Experiment {
    id: "fcvopt/residual",
    paper: PAPER,
    claim: "tuning a residual network, fractional cross-validation chooses lower true losses than whole cross-validations after 100 model fits, and is not behind them after 120",
    quick_cost: QUICK,
    full_cost: "128 configurations on 20 folds of house sales, 30 seeds, 120 fits: a quarter of an hour",
    run: |context| run(&RESIDUAL, Tuned::Residual, context),
};

/// A loss that is higher by at most this is no worse, in √(1 - AUC) or in standard deviations of the target.
const MARGIN: f64 = 0.01;

/// Random configurations on random folds, there to be found worse.
const WORSE: &str = "random fold, random";

fn is_whole(method: &str) -> bool {
    method.starts_with("full CV")
}

/// Not behind whole cross-validations at the end, and better than what is worse on purpose.
fn at_the_end(method: &str) -> Option<Kind> {
    if method == WORSE {
        return Some(Kind::Superior);
    }
    is_whole(method).then_some(Kind::NotInferior { margin: MARGIN })
}

/// Below whole cross-validations, which have ten configurations by then.
fn early(method: &str) -> Option<Kind> {
    is_whole(method).then_some(Kind::Superior)
}

/// The candidates, and what the best of them comes to.
fn candidates(subject: &Subject, measured: &Measured) -> Table {
    let found = measured.summary();
    let rows = [
        ("parameters", measured.list.space.parameters().len().to_string()),
        ("candidates", measured.list.configs.len().to_string()),
        ("least loss", number(found.least)),
        ("loss of the usual values", number(found.usual)),
        ("median loss", number(found.median)),
        ("candidates near the least loss", found.within_margin.to_string()),
        ("between folds", number(found.between_folds)),
        ("regret of the whole", number(found.whole)),
    ];
    Table {
        name: "candidates".into(),
        caption: format!(
            "Candidates, with their losses as means over all folds. Near the least loss: above it by at most {MARGIN}. Between folds: \
             median standard deviation between the folds of a candidate. Regret of the whole: of the best of one whole cross-validation \
             of all candidates, on the other repeat."
        ),
        header: ["number".to_owned(), subject.name.to_owned()].to_vec(),
        rows: rows.map(|(name, value)| vec![name.to_owned(), value]).to_vec(),
    }
}

fn run(experiment: &Experiment, tuned: Tuned, context: &RunContext) -> Result<Report, ExperimentError> {
    let size = context
        .pick(Size { configs: 12, folds: 5, repeats: 2 }, Size { configs: 128, folds: 10, repeats: 2 });
    let subject = subjects::subject(tuned, context)?;
    let measured = Arc::new(measured::measure(experiment.id, &subject, size, context)?);
    let (replications, fits) = (context.replications(2, 30), context.pick(30, 120));
    let comparison = FoldComparison {
        id: experiment.id,
        context,
        data: subject.data.clone(),
        measure: "regret",
        problems: vec![subject.name.to_owned()],
        methods: &LEARNERS,
        replications,
        fits,
        claim: at_the_end,
        early: Some((context.pick(20, 100), early)),
        columns: context.pick(vec![10, 20, 30], vec![20, 50, 100, 120]),
    };
    let mut outcome = comparison.run(|_, seed| {
        // Which repeat may be asked changes with the replication.
        let asked = seed.stream("repeat", 0).index(size.repeats);
        Ok(Box::new(OneRepeat::new(measured.clone(), asked)) as Box<dyn FoldProblem>)
    })?;
    outcome.tables.push(candidates(&subject, &measured));
    let found = measured.summary();
    outcome.numbers.extend([
        ("least loss of the candidates".to_owned(), found.least),
        ("loss of the usual values".to_owned(), found.usual),
        ("seconds of a fit".to_owned(), found.seconds),
    ]);
    let notes = vec![
        "The learner is trained here on every fold. The candidates are a sample of the search space of the paper: usual values and \
         points of a Sobol sequence; every method asks the nearest candidate in place of what it suggests, and learns from that. \
         Losses are √(1 - AUC) for classes and the root of the mean squared error over the standard deviation for numbers. The folds \
         of one repeat of the cross-validation may be asked, which one changes with the replication; the truth is the mean over the \
         other repeat."
            .to_owned(),
        format!("{}: {}.", subject.name, subject.what),
        NOTE.into(),
    ];
    Ok(outcome.report([replications.run, fits, size.folds], notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claims of all four are judged of whole cross-validations, and one method is there to be found worse.
    #[test]
    fn claims_are_about_whole_cross_validations_and_what_is_worse_on_purpose() {
        let names = LEARNERS.map(|method| method.name);
        let claimed =
            |claim: fn(&str) -> Option<Kind>| names.iter().filter(|name| claim(name).is_some()).count();
        assert_eq!((claimed(at_the_end), claimed(early)), (4, 3));
        assert_eq!((names[0], at_the_end(names[0]), early(names[0])), ("fractional", None, None));
        assert_eq!(names.last(), Some(&WORSE));
    }
}
