//! Small generated rows.

use thrifty_sampling::Seed;

use crate::{Rows, recipe};

pub(crate) fn hastie(count: usize, seed: u64) -> Rows {
    recipe::hastie::rows(count, Seed(seed))
}

pub(crate) fn friedman(count: usize, seed: u64) -> Rows {
    recipe::friedman::rows(count, Seed(seed))
}

/// The first column set to 1.
pub(crate) fn constant_column(rows: &Rows) -> Rows {
    let mut changed = rows.clone();
    changed.x.iter_mut().step_by(rows.columns).for_each(|x| *x = 1.0);
    changed
}
