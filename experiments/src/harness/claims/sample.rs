//! The observations from which a claim is judged.

use super::ClaimError;

/// Observations, one per replication.
#[derive(Debug, Clone, PartialEq)]
pub enum Sample {
    /// Differences of pairs, positive where the method under test is better.
    Gains(Vec<f64>),
    /// Losses of two methods from independent runs.
    Independent { own: Vec<f64>, other: Vec<f64> },
    /// Values of one quantity.
    Values(Vec<f64>),
    /// Successes of independent trials.
    Count { successes: usize, trials: usize },
}

impl Sample {
    /// Gains from paired losses: `other - own`.
    ///
    /// # Errors
    /// [`ClaimError::Unpaired`] when there are not as many of the one as of the other, [`ClaimError::NonFinite`] when a
    /// loss is not a number or infinite.
    pub fn losses(claim: &str, own: &[f64], other: &[f64]) -> Result<Self, ClaimError> {
        if own.len() != other.len() {
            return Err(ClaimError::Unpaired { claim: claim.into(), own: own.len(), other: other.len() });
        }
        finite(claim, own)?;
        finite(claim, other)?;
        Ok(Self::Gains(own.iter().zip(other).map(|(own, other)| other - own).collect()))
    }

    /// Number of successes among trials.
    pub fn count(trials: impl IntoIterator<Item = bool>) -> Self {
        let (mut successes, mut all) = (0, 0);
        for success in trials {
            successes += usize::from(success);
            all += 1;
        }
        Self::Count { successes, trials: all }
    }

    /// Replications; of two independent samples the smaller number.
    pub fn len(&self) -> usize {
        match self {
            Self::Gains(values) | Self::Values(values) => values.len(),
            Self::Independent { own, other } => own.len().min(other.len()),
            Self::Count { trials, .. } => *trials,
        }
    }

    pub(super) fn kind_name(&self) -> &'static str {
        match self {
            Self::Gains(_) => "paired differences",
            Self::Independent { .. } => "independent samples",
            Self::Values(_) => "values",
            Self::Count { .. } => "counts",
        }
    }

    pub(super) fn check(&self, claim: &str) -> Result<(), ClaimError> {
        match self {
            Self::Gains(values) | Self::Values(values) => finite(claim, values),
            Self::Independent { own, other } => finite(claim, own).and_then(|()| finite(claim, other)),
            Self::Count { successes, trials } if successes > trials => {
                Err(ClaimError::Count { claim: claim.into(), successes: *successes, trials: *trials })
            }
            Self::Count { .. } => Ok(()),
        }
    }
}

fn finite(claim: &str, values: &[f64]) -> Result<(), ClaimError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(replication) => {
            Err(ClaimError::NonFinite { claim: claim.into(), replication, value: values[replication] })
        }
    }
}
