//! Losses of folds by a closure.

use thrifty_space::Config;
use thrifty_study::Outcome;

use crate::{FoldQuery, Splits};

/// The loss of a fold by a closure `(config, rows to train on, rows to test on) -> loss`.
///
/// What the closure returns becomes an [`Outcome`]: a number, or [`Outcome::failed`]. A loss that is not finite is a
/// failure of that fold, not of the configuration.
#[derive(Debug, Clone)]
pub struct CrossValidation<F> {
    splits: Splits,
    evaluate: F,
}

impl<F, R> CrossValidation<F>
where
    F: Fn(&Config, &[usize], &[usize]) -> R,
    R: Into<Outcome>,
{
    /// An objective over splits.
    pub fn new(splits: Splits, evaluate: F) -> Self {
        Self { splits, evaluate }
    }

    /// The splits.
    pub fn splits(&self) -> &Splits {
        &self.splits
    }

    /// One model fit. A fold that does not exist is a failure that names it.
    pub fn evaluate(&self, query: &FoldQuery) -> Outcome {
        let FoldQuery { config, repeat, fold } = query;
        match self.splits.get(*repeat, *fold) {
            Some(rows) => (self.evaluate)(config, &rows.train, &rows.test).into().checked(),
            None => Outcome::failed(format!(
                "fold {fold} of repeat {repeat} does not exist: there are {} folds and {} repeats",
                self.splits.folds(),
                self.splits.repeats()
            )),
        }
    }

    /// The mean over all folds of one repeat, or of all repeats; nothing where one of them fails.
    pub fn mean(&self, config: &Config, repeat: Option<usize>) -> Option<f64> {
        let repeats = repeat.map_or(0..self.splits.repeats(), |r| r..r + 1);
        let (mut sum, mut count) = (0.0, 0);
        for repeat in repeats {
            for fold in 0..self.splits.folds() {
                let query = FoldQuery { config: config.clone(), repeat, fold };
                sum += self.evaluate(&query).objective()?;
                count += 1;
            }
        }
        (count > 0).then(|| sum / f64::from(count))
    }
}
