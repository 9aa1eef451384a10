//! Number of good trials.

use crate::TpeError;

/// Number of good trials.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Split {
    /// `min(⌈γ √n⌉, cap)`. Source: Hyperopt, γ = ¼, cap = 25.
    SquareRoot {
        /// The factor.
        gamma: f64,
        /// Largest number of good trials.
        cap: usize,
    },
    /// `min(⌈γ n⌉, cap)`. Source: Optuna, γ = 0.1, cap = 25; Watanabe (2023), γ = 0.15, cap = 25.
    Linear {
        /// The fraction.
        gamma: f64,
        /// Largest number of good trials.
        cap: usize,
    },
    /// Losses not above a target, at least one trial. With several objectives there is no such loss, and the first measurement is an error.
    Target {
        /// The loss that is good enough.
        loss: f64,
    },
}

impl Split {
    /// Number of good ones among trials with these losses, smallest first; infinities are losses as well.
    #[must_use]
    pub fn good(&self, sorted_losses: &[f64]) -> usize {
        let n = sorted_losses.len();
        let count = match *self {
            Self::SquareRoot { gamma, cap } => ((gamma * (n as f64).sqrt()).ceil() as usize).min(cap),
            Self::Linear { gamma, cap } => ((gamma * n as f64).ceil() as usize).min(cap),
            Self::Target { loss } => sorted_losses.partition_point(|l| *l <= loss).max(1),
        };
        count.min(n)
    }

    /// Number of good ones by rank alone among `n` trials whose order is of something else than the loss: of a target at least one.
    pub(crate) fn good_by_rank(&self, n: usize) -> usize {
        match self {
            Self::Target { .. } => n.min(1),
            Self::SquareRoot { .. } | Self::Linear { .. } => self.good(&vec![0.0; n]),
        }
    }

    pub(crate) fn validate(&self) -> Result<(), TpeError> {
        match *self {
            Self::SquareRoot { gamma, cap } | Self::Linear { gamma, cap } => {
                if !(gamma > 0.0 && gamma <= 1.0) {
                    return Err(TpeError::InvalidSetting {
                        name: "gamma",
                        value: gamma,
                        expected: "a fraction in (0, 1]",
                    });
                }
                if cap == 0 {
                    return Err(TpeError::InvalidSetting { name: "cap", value: 0.0, expected: "at least 1" });
                }
                Ok(())
            }
            Self::Target { loss } if loss.is_nan() => {
                Err(TpeError::InvalidSetting { name: "target loss", value: loss, expected: "a number" })
            }
            Self::Target { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(split: Split, n: usize) -> usize {
        split.good(&vec![0.0; n])
    }

    /// ⌈√n / 4⌉ up to 25: Hyperopt's rule.
    #[test]
    fn good_ones_grow_with_the_root_up_to_the_cap() {
        let split = Split::SquareRoot { gamma: 0.25, cap: 25 };
        for (n, expected) in [(0, 0), (1, 1), (16, 1), (17, 2), (64, 2), (65, 3), (9_216, 24), (10_000, 25)] {
            assert_eq!(good(split, n), expected, "{n}");
        }
        assert_eq!(good(split, 40_000), 25);
        // Never more than there are.
        assert_eq!(good(Split::SquareRoot { gamma: 1.0, cap: 9 }, 1), 1);
    }

    /// ⌈n / 8⌉ up to 25.
    #[test]
    fn good_ones_grow_in_proportion_up_to_the_cap() {
        let split = Split::Linear { gamma: 0.125, cap: 25 };
        for (n, expected) in [(0, 0), (1, 1), (8, 1), (9, 2), (16, 2), (192, 24), (193, 25), (400, 25)] {
            assert_eq!(good(split, n), expected, "{n}");
        }
        assert_eq!(good(Split::Linear { gamma: 1.0, cap: usize::MAX }, 7), 7);
    }

    #[test]
    fn what_meets_the_target_is_good_and_at_least_one() {
        let of = |loss: f64| Split::Target { loss }.good(&[1.0, 2.0, 2.0, f64::INFINITY]);
        assert_eq!([of(0.5), of(1.0), of(1.5), of(2.0), of(f64::INFINITY)], [1, 1, 1, 3, 4]);
        assert_eq!(Split::Target { loss: 1.0 }.good(&[]), 0);
    }
}
