//! Learners and data of the study.

use thrifty_learners::{BoostedTrees, Learner, Networks, RandomForest, Rows, Shape, recipe};
use thrifty_sampling::Seed;

use super::measured::Subject;
use crate::data;
use crate::data::sources::{self, ELECTRICITY, HOUSE_SALES, MADELON};
use crate::error::ExperimentError;
use crate::harness::RunContext;

/// Learners of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tuned {
    Forest,
    Boosting,
    Perceptron,
    Residual,
}

/// A learner of the source on data of the folder where it has them, else on shipped or generated data.
pub fn subject(tuned: Tuned, context: &RunContext) -> Result<Subject, ExperimentError> {
    let pick = |quick: usize, full: usize| context.pick(quick, full);
    let forest = RandomForest { trees: pick(20, 60) };
    let boosting = BoostedTrees { rounds: pick(40, 500), patience: pick(10, 25), leaves: true };
    let network = |shape, widest| Networks { shape, epochs: pick(8, 100), widest };
    let (perceptron, residual) = (network(Shape::Perceptron, 256), network(Shape::Residual, 64));
    let friedman = || ("Friedman's function", recipe::friedman::rows(1000, Seed(0)));
    if context.pick(true, false) {
        let digits = ("digits, odd or even", sources::parity_of_digits());
        return Ok(match tuned {
            Tuned::Forest => of("forest-digits", forest, digits, 200),
            Tuned::Boosting => {
                of("boosting-cancer", boosting, ("breast cancer", sources::breast_cancer()), 200)
            }
            Tuned::Perceptron => of("perceptron-friedman", perceptron, friedman(), 150),
            Tuned::Residual => of("residual-friedman", residual, friedman(), 150),
        });
    }
    let folder = context.data.as_deref();
    let identified = |found: Subject, files: &[&str]| -> Result<Subject, ExperimentError> {
        let files: Vec<String> = files.iter().map(|name| (*name).to_owned()).collect();
        Ok(Subject { data: data::identity_of(folder, &files)?, ..found })
    };
    match tuned {
        Tuned::Forest => match sources::madelon(folder)? {
            Some(rows) => identified(of("forest-madelon", forest, ("madelon", rows), usize::MAX), &MADELON),
            None => Ok(of("forest-made", forest, ("madelon-made", sources::madelon_made()?), usize::MAX)),
        },
        Tuned::Boosting => match sources::electricity(folder)? {
            Some(rows) => {
                let found = of("boosting-electricity", boosting, ("electricity-full", rows), 2000);
                identified(found, &[ELECTRICITY])
            }
            None => Ok(of(
                "boosting-hastie",
                boosting,
                ("the generator of `hastie2009`", recipe::hastie::rows(2000, Seed(0))),
                usize::MAX,
            )),
        },
        Tuned::Perceptron => match sources::house_sales(folder)? {
            Some(rows) => {
                let found = of("perceptron-houses", perceptron, ("house-sales-full", rows), 800);
                identified(found, &[HOUSE_SALES])
            }
            None => Ok(of("perceptron-friedman", perceptron, friedman(), 800)),
        },
        Tuned::Residual => match sources::house_sales(folder)? {
            Some(rows) => {
                let found = of("residual-houses", residual, ("house-sales-full", rows), 500);
                identified(found, &[HOUSE_SALES])
            }
            None => Ok(of("residual-friedman", residual, friedman(), 500)),
        },
    }
}

fn of(
    name: &'static str,
    learner: impl Learner + std::fmt::Debug + 'static,
    (data, rows): (&str, Rows),
    most: usize,
) -> Subject {
    let all = rows.len();
    // The rows are those of the study, whatever its seed.
    let rows = rows.sample(most, Seed(0));
    let of = if rows.len() < all { format!(" of {all}") } else { String::new() };
    let what = format!("{data}: {}{of} rows of {} columns; {learner:?}", rows.len(), rows.columns);
    Subject { name, learner: Box::new(learner), rows, what, data: "own".into() }
}
