//! Ranks of trials.

use std::cmp::Ordering;

use thrifty_space::Config;
use thrifty_study::Trial;

use crate::measurement;

/// Rank of a trial: by measured loss, then by the sum of constraint violations; failed and pruned trials come last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rank {
    /// Loss of a trial that breaks no constraint.
    Feasible(f64),
    /// Sum of the positive constraint values.
    Infeasible(f64),
    /// Failed or pruned.
    Lost,
}

impl Rank {
    /// Rank of a finished trial. `None` for a running one, and for a failure that is unrelated to the configuration.
    #[must_use]
    pub fn of(trial: &Trial<Config>) -> Option<Self> {
        let outcome = trial.outcome.as_ref().filter(|outcome| !outcome.is_unrelated())?;
        let Some(measured) = measurement(trial) else { return Some(Self::Lost) };
        Some(match outcome.objective() {
            Some(loss) if measured.is_feasible() => Self::Feasible(loss),
            _ => Self::Infeasible(measured.violation()),
        })
    }

    /// Order of two ranks; the better rank is less.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let class = |rank: &Self| match rank {
            Self::Feasible(_) => 0,
            Self::Infeasible(_) => 1,
            Self::Lost => 2,
        };
        match (self, other) {
            (Self::Feasible(a), Self::Feasible(b)) | (Self::Infeasible(a), Self::Infeasible(b)) => {
                a.partial_cmp(b).unwrap_or(Ordering::Equal)
            }
            _ => class(self).cmp(&class(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_come_before_broken_constraints_and_failures() {
        let order = [
            Rank::Feasible(-1.0),
            Rank::Feasible(2.0),
            Rank::Infeasible(0.1),
            Rank::Infeasible(3.0),
            Rank::Lost,
        ];
        for (i, a) in order.iter().enumerate() {
            for (j, b) in order.iter().enumerate() {
                assert_eq!(a.compare(b), i.cmp(&j), "{a:?} and {b:?}");
            }
        }
        assert_eq!(Rank::Feasible(0.0).compare(&Rank::Feasible(-0.0)), Ordering::Equal);
    }
}
