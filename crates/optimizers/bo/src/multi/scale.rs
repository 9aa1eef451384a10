use thrifty_gp::{TargetScaling, YeoJohnson};

use crate::LossTransform;

/// How one objective's losses look to its model: mean 0, deviation 1, and tails drawn in where the settings say so.
/// Increasing, so that what dominates what is the same.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scale {
    Straight(TargetScaling),
    Bent(YeoJohnson),
}

impl Scale {
    pub(crate) fn of(losses: &[f64], transform: LossTransform) -> Self {
        match transform {
            LossTransform::None => Self::Straight(TargetScaling::standardise(losses)),
            LossTransform::UpperTail => Self::Bent(YeoJohnson::of_upper_tail(losses)),
            LossTransform::BothTails => Self::Bent(YeoJohnson::of(losses)),
        }
    }

    pub(crate) fn apply(&self, loss: f64) -> f64 {
        match self {
            Self::Straight(TargetScaling { offset, width }) => loss / width - offset / width,
            Self::Bent(bent) => bent.apply(loss),
        }
    }

    /// Derivative at a loss.
    pub(crate) fn slope(&self, loss: f64) -> f64 {
        match self {
            Self::Straight(TargetScaling { width, .. }) => 1.0 / width,
            Self::Bent(bent) => bent.slope(loss),
        }
    }

    pub(crate) fn invert(&self, value: f64) -> f64 {
        match self {
            Self::Straight(TargetScaling { offset, width }) => offset + width * value,
            Self::Bent(bent) => bent.invert(value),
        }
    }
}
