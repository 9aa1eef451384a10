//! Catalogue of the pruners.

use thrifty_sampling::Seed;
use thrifty_study::{Curve, Direction, Pruner, StudyError};

use crate::{
    HyperbandPruner, MedianPruner, PatiencePruner, PercentilePruner, SuccessiveHalvingPruner,
    ThresholdPruner, WilcoxonPruner,
};

/// Catalogue of the pruners, for settings that are read from a file: `{"pruner": "median", "warmup_steps": 3}`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "pruner", rename_all = "snake_case")]
#[non_exhaustive]
pub enum PrunerKind {
    /// [`MedianPruner`].
    Median(MedianPruner),
    /// [`PercentilePruner`].
    Percentile(PercentilePruner),
    /// [`SuccessiveHalvingPruner`].
    SuccessiveHalving(SuccessiveHalvingPruner),
    /// [`HyperbandPruner`].
    Hyperband(HyperbandPruner),
    /// [`PatiencePruner`].
    Patience(PatiencePruner),
    /// [`ThresholdPruner`].
    Threshold(ThresholdPruner),
    /// [`WilcoxonPruner`].
    Wilcoxon(WilcoxonPruner),
}

impl PrunerKind {
    /// The pruner of losses for settings in the user's units: bounds of a threshold; the others compare trials only.
    #[must_use]
    pub fn directed(self, direction: Direction) -> Self {
        match self {
            Self::Threshold(pruner) => Self::Threshold(pruner.directed(direction)),
            other => other,
        }
    }

    fn pruner(&self) -> &dyn Pruner {
        match self {
            Self::Median(pruner) => pruner,
            Self::Percentile(pruner) => pruner,
            Self::SuccessiveHalving(pruner) => pruner,
            Self::Hyperband(pruner) => pruner,
            Self::Patience(pruner) => pruner,
            Self::Threshold(pruner) => pruner,
            Self::Wilcoxon(pruner) => pruner,
        }
    }
}

impl Pruner for PrunerKind {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], seed: Seed) -> bool {
        self.pruner().should_prune(running, others, seed)
    }

    fn validate(&self) -> Result<(), StudyError> {
        self.pruner().validate()
    }
}
