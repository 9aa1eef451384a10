//! Errors of the commands.

use std::path::PathBuf;

/// Errors of the commands.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// No experiment has this id.
    #[error("no experiment is called {id}; the list command names them all")]
    UnknownExperiment { id: String },
    /// An experiment has no method of this name, or no choice of methods.
    #[error("--methods: {id} has no method {method:?}; {known}")]
    UnknownMethod { id: String, method: String, known: String },
    /// An experiment does not read an option that was given.
    #[error("{option} has no effect on {id}; it is for {known}")]
    NoEffect { option: &'static str, id: String, known: String },
    /// No source has this key, and no experiment this id.
    #[error(
        "no source or experiment is called {id}; docs/src/references.md has the keys, and the list command the ids"
    )]
    UnknownSource { id: String },
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    /// A data file is not what it should be.
    #[error("{path}: {message}")]
    Data { path: PathBuf, message: String },
    /// A data set could not be fetched or checked.
    #[error(transparent)]
    DataSet(#[from] crate::data::DataError),
    /// A results page cannot be built, or a run cannot be accepted.
    #[error(transparent)]
    Results(#[from] crate::results::ResultsError),
    /// A study failed.
    #[error(transparent)]
    Study(#[from] thrifty_study::StudyError),
    /// An optimiser was given a bad setting.
    #[error(transparent)]
    Optimizer(#[from] thrifty_study::OptimizerError),
    /// A space could not be built.
    #[error(transparent)]
    Space(#[from] thrifty_space::SpaceError),
    /// A figure could not be drawn.
    #[error(transparent)]
    Figure(#[from] thrifty_figures::FigureError),
    /// A learner could not be trained or asked.
    #[error(transparent)]
    Learner(#[from] thrifty_learners::LearnerError),
    /// The random forest gave up.
    #[error("random forest: {message}")]
    Forest { message: String },
    /// Something to be timed did not work.
    #[error("cannot measure {what}: {message}")]
    Measure { what: &'static str, message: String },
    /// A model or a sampler gave up.
    #[error("{message}")]
    Failed { message: String },
    /// A claim and the sample that should decide it do not fit.
    #[error(transparent)]
    Claim(#[from] crate::harness::claims::ClaimError),
    /// Runs of other shards are not here, so that nothing can be reported yet.
    #[error("{id}: {missing} of {of} runs are missing, the first of them {first}")]
    Unfinished { id: &'static str, missing: usize, of: usize, first: String },
    /// A reference file cannot be checked.
    #[error(transparent)]
    Golden(#[from] thrifty_golden::GoldenError),
    /// A setting of the command makes no sense.
    #[error("{name} is {value}, expected {expected}")]
    Setting { name: &'static str, value: String, expected: &'static str },
}

impl ExperimentError {
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    pub fn measure<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Measure { what, message: error.to_string() }
    }

    #[allow(clippy::needless_pass_by_value)] // for map_err
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed { message: error.to_string() }
    }

    pub fn data(path: impl Into<PathBuf>, message: impl std::fmt::Display) -> Self {
        Self::Data { path: path.into(), message: message.to_string() }
    }
}
