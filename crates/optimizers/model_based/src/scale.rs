//! Scale of one of several objectives.

use thrifty_gp::{TargetScaling, YeoJohnson};

use crate::{LossTransform, carried};

/// Scale of one of several objectives for its surrogate: mean 0, standard deviation 1, and compressed tails if the settings ask for them.
/// It is increasing, so dominance is unchanged.
#[derive(Debug, Clone, Copy)]
pub enum Scale {
    /// Mean 0, standard deviation 1.
    Straight(TargetScaling),
    /// Power transform, then mean 0 and standard deviation 1.
    Bent(YeoJohnson),
}

impl Scale {
    /// The scale of measured losses.
    #[must_use]
    pub fn of(losses: &[f64], transform: LossTransform) -> Self {
        match transform {
            LossTransform::None => Self::Straight(TargetScaling::standardize(losses)),
            LossTransform::UpperTail => Self::Bent(YeoJohnson::of_upper_tail(losses)),
            LossTransform::UpperHalf | LossTransform::Chosen => Self::Bent(YeoJohnson::of_upper_half(losses)),
            LossTransform::BothTails => Self::Bent(YeoJohnson::of(losses)),
        }
    }

    /// A loss on this scale.
    #[must_use]
    pub fn apply(&self, loss: f64) -> f64 {
        match self {
            Self::Straight(TargetScaling { offset, width }) => loss / width - offset / width,
            Self::Bent(bent) => carried(bent.apply(loss)),
        }
    }

    /// Derivative at a loss.
    #[must_use]
    pub fn slope(&self, loss: f64) -> f64 {
        match self {
            Self::Straight(TargetScaling { width, .. }) => 1.0 / width,
            Self::Bent(bent) => bent.slope(loss),
        }
    }

    /// The loss that has a value on this scale.
    #[must_use]
    pub fn invert(&self, value: f64) -> f64 {
        match self {
            Self::Straight(TargetScaling { offset, width }) => offset + width * value,
            Self::Bent(bent) => bent.invert(value),
        }
    }
}
