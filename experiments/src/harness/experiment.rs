//! An experiment: its claim, its costs and how it is run.

use super::{Report, RunContext};
use crate::error::ExperimentError;

/// One claim of a paper, and what tests it.
#[derive(Clone)]
pub struct Experiment {
    /// `paper/name`.
    pub id: &'static str,
    /// Place of the claim.
    pub paper: &'static str,
    /// The claim, as we read it.
    pub claim: &'static str,
    /// Content and cost of the reduced study on two cores.
    pub quick_cost: &'static str,
    /// Content and cost of the whole study on two cores.
    pub full_cost: &'static str,
    /// Runs it.
    pub run: fn(&RunContext) -> Result<Report, ExperimentError>,
}
