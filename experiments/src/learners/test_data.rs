//! Small generated rows.

use thrifty_sampling::Seed;

use super::{Rows, sources};

pub fn hastie(count: usize, seed: u64) -> Rows {
    sources::hastie(count, Seed(seed))
}

pub fn friedman(count: usize, seed: u64) -> Rows {
    sources::friedman(count, Seed(seed))
}

/// The first column set to 1.
pub fn constant_column(rows: &Rows) -> Rows {
    let mut changed = rows.clone();
    changed.x.iter_mut().step_by(rows.columns).for_each(|x| *x = 1.0);
    changed
}
