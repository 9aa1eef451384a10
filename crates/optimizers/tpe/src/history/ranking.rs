//! Rank keys of trials.

use std::cmp::Ordering;

/// Rank key of a trial; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Key {
    /// Feasible before pruned before infeasible before those without a loss.
    pub(crate) class: Class,
    /// Loss, violation, or front.
    pub(crate) value: f64,
    /// Among equals.
    pub(crate) tie: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Feasible,
    Pruned,
    Infeasible,
    Lost,
}

impl Key {
    pub(crate) fn of_loss(loss: f64) -> Self {
        Self { class: Class::Feasible, value: loss, tie: 0.0 }
    }

    pub(crate) const LOST: Self = Self { class: Class::Lost, value: f64::INFINITY, tie: 0.0 };

    fn compare(&self, other: &Self) -> Ordering {
        let values = self.value.total_cmp(&other.value).then(self.tie.total_cmp(&other.tie));
        self.class.cmp(&other.class).then(values)
    }
}

/// Trials from the best to the worst, earlier ones first among equals.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ranking {
    order: Vec<u32>,
}

impl Ranking {
    /// The trials in order.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Puts a trial where its key belongs; all keys of trials that are in already stand in `keys`.
    pub(crate) fn insert(&mut self, row: u32, keys: &[Option<Key>]) {
        let Some(key) = keys[row as usize] else { return };
        let before = |other: &u32| match keys[*other as usize] {
            Some(theirs) => theirs.compare(&key).then(other.cmp(&row)) == Ordering::Less,
            None => false,
        };
        let at = self.order.partition_point(before);
        self.order.insert(at, row);
    }

    /// Takes a trial out, before its key changes.
    pub(crate) fn remove(&mut self, row: u32) {
        self.order.retain(|other| *other != row);
    }
}
