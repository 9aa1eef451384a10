use crate::error::ExperimentError;
use crate::harness::{Report, RunContext};
use crate::hybrid;

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

/// Every experiment.
pub fn all() -> Vec<Experiment> {
    vec![
        hybrid::toy::EXPERIMENT.clone(),
        hybrid::triplets::EXPERIMENT.clone(),
        hybrid::wangfreitas::EXPERIMENT.clone(),
        hybrid::credit::EXPERIMENT.clone(),
    ]
}

/// The experiment with an id.
pub fn find(id: &str) -> Result<Experiment, ExperimentError> {
    all().into_iter().find(|e| e.id == id).ok_or_else(|| ExperimentError::UnknownExperiment { id: id.into() })
}
