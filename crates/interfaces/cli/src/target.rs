//! The target of a multi-fidelity study: which trials can be the best.

use thrifty_fidelity::FidelityAxis;
use thrifty_space::{Config, Space};
use thrifty_study::History;

/// The axis of a history without its study file, from what its journal says of the optimiser.
fn recorded(history: &History<Config>) -> Option<FidelityAxis> {
    let name = history.recorded_setting("fidelity")?.as_str()?;
    FidelityAxis::new(&recorded_space(history)?, name).ok()
}

/// The space of a history without its study file, if its journal has it.
pub(crate) fn recorded_space(history: &History<Config>) -> Option<Space> {
    serde_json::from_value(history.recorded_setting("space")?.clone()).ok()
}

/// Restricts comparisons in a history that was read to trials at the target, if its study has several fidelities.
///
/// Without the axis of a study file it is that of the journal.
pub(crate) fn compare_at_target(history: History<Config>, axis: Option<&FidelityAxis>) -> History<Config> {
    match axis.cloned().or_else(|| recorded(&history)) {
        Some(axis) => history.with_comparable(move |config| axis.is_at_target(config)),
        None => history,
    }
}
