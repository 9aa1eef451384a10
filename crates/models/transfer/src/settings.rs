//! Settings of the ensemble.

use thrifty_check::{InputError, number};

/// Settings of a [`TransferSurrogate`](crate::TransferSurrogate).
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransferSettings {
    /// Number of joint draws of the predictions that the weights are computed from, at least 1.
    pub draws: usize,
    /// Probability that an unrelated source passes the first guard, from 0 to 1; 0 drops all sources.
    ///
    /// A source passes if at most this share of all orders of the observations agrees with it as well as the observed order.
    pub chance: f64,
}

impl Default for TransferSettings {
    /// 256 draws, a chance of one in ten.
    fn default() -> Self {
        Self { draws: 256, chance: 0.1 }
    }
}

impl TransferSettings {
    /// True if a source passes whose order agrees with the observed one by this probability. Of many observations it may underflow to 0.
    pub(crate) fn passes(&self, probability: f64) -> bool {
        self.chance > 0.0 && probability <= self.chance
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`InputError`] names the setting that is out of its range.
    pub fn validate(&self) -> Result<(), InputError> {
        number("draws", self.draws as f64, self.draws > 0, "at least 1")?;
        number("chance", self.chance, (0.0..=1.0).contains(&self.chance), "a number from 0 to 1")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_of_0_drops_all_sources() {
        let passes = |chance| TransferSettings { chance, ..TransferSettings::default() }.passes(0.0);
        assert!(!passes(0.0) && passes(f64::MIN_POSITIVE) && passes(1.0));
    }
}
