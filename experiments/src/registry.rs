use crate::bench;
use crate::error::ExperimentError;
use crate::harness::Experiment;
use crate::hybrid;

/// Every experiment.
pub fn all() -> Vec<Experiment> {
    vec![
        hybrid::toy::EXPERIMENT.clone(),
        hybrid::triplets::EXPERIMENT.clone(),
        hybrid::wangfreitas::EXPERIMENT.clone(),
        hybrid::credit::EXPERIMENT.clone(),
        bench::functions::EXPERIMENT.clone(),
        bench::tables::EXPERIMENT.clone(),
    ]
}

/// The experiment with an id.
pub fn find(id: &str) -> Result<Experiment, ExperimentError> {
    all().into_iter().find(|e| e.id == id).ok_or_else(|| ExperimentError::UnknownExperiment { id: id.into() })
}
