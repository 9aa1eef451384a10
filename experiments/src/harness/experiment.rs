//! An experiment: its claim, its costs and how it is run.

use super::{Report, RunContext};
use crate::error::ExperimentError;

/// One claim of a paper, and what tests it.
#[derive(Clone)]
pub struct Experiment {
    /// `paper/name`.
    pub id: &'static str,
    /// Where the claim stands.
    pub paper: &'static str,
    /// The claim, as we read it.
    pub claim: &'static str,
    /// What the reduced study does and costs on two cores.
    pub quick_cost: &'static str,
    /// What the whole study does and costs on two cores.
    pub full_cost: &'static str,
    /// Runs it.
    pub run: fn(&RunContext) -> Result<Report, ExperimentError>,
}
