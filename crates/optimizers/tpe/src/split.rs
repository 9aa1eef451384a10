use crate::TpeError;

/// How many of the trials count as good.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// `min(⌈γ √n⌉, cap)`. Source: Hyperopt, γ = ¼, cap = 25.
    SquareRoot {
        /// The factor.
        gamma: f64,
        /// No more than so many.
        cap: usize,
    },
    /// `min(⌈γ n⌉, cap)`. Source: Optuna, γ = 0.1, cap = 25; Watanabe (2023), γ = 0.15, cap = 25.
    Linear {
        /// The fraction.
        gamma: f64,
        /// No more than so many.
        cap: usize,
    },
    /// Losses not above a target, at least one trial.
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
