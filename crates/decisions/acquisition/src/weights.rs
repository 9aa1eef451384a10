//! Weights of a utility: cost, feasibility, distance from running trials, known constraints.

mod cost;
mod feasibility;
mod log_excess;
mod masked;
mod penalty;
mod weighted;
mod zero_log;

pub use cost::LogInverseCost;
pub use feasibility::LogFeasibility;
pub use log_excess::LogExcess;
pub use masked::Masked;
pub use penalty::{LocalPenalties, lipschitz_constant};
pub use weighted::Weighted;
pub use zero_log::ZeroLog;

use thrifty_domain::PointsRef;

use crate::{Acquisition, AcquisitionError, UtilityScale};

/// Combines an acquisition with weights, given by their logarithms, according to its scale. Logarithms are added, non-negative utilities
/// are multiplied, and a signed utility is replaced by its [`LogExcess`] over the incumbent.
///
/// `points` are the observed points; the values there determine the scale of a signed utility. Without weights the acquisition is returned
/// unchanged.
///
/// # Errors
/// As [`LogExcess::over_incumbent`].
pub fn weigh<'a>(
    acquisition: Box<dyn Acquisition + 'a>,
    scale: UtilityScale,
    log_weights: Vec<Box<dyn Acquisition + 'a>>,
    incumbent: &[f64],
    points: PointsRef<'_>,
) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
    if log_weights.is_empty() {
        return Ok(acquisition);
    }
    let utility = match scale {
        UtilityScale::Log => Weighted::log_utility(acquisition),
        UtilityScale::NonNegative => Weighted::utility(acquisition),
        UtilityScale::Signed => {
            Weighted::log_utility(LogExcess::over_incumbent(acquisition, incumbent, points)?)
        }
    };
    Ok(Box::new(log_weights.into_iter().fold(utility, Weighted::times)))
}
