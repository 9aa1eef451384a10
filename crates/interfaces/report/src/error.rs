//! Errors of reports.

use thrifty_check::counted;
use thrifty_figures::FigureError;
use thrifty_results::ResultsError;
use thrifty_space::SpaceError;
use thrifty_study::OptimizerError;

/// A report that could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A history without trials, from which no space can be derived.
    #[error("no trials and no space")]
    NoTrials,
    /// A name that no figure has.
    #[error("no figure is named {name:?}; the figures are {known}")]
    UnknownFigure {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// A figure that the study does not fit.
    #[error("{figure}: {reason}")]
    Unfit {
        /// Name of the figure.
        figure: &'static str,
        /// The reason.
        reason: Unfit,
    },
    /// Parameters that make no space.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The table of trials.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// Reason for which a study has no such figure.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// Fewer than the figure needs.
    #[error("{}, expected at least {needed}", counted(*found, what))]
    TooFew {
        /// The things that are counted.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Smallest number.
        needed: usize,
    },
    /// Trials without the numbers that the figure shows.
    #[error("no trial has {0}")]
    Missing(&'static str),
    /// Objectives that are all equal.
    #[error("all objectives are equal")]
    Constant,
    /// A model that cannot be fitted to the trials.
    #[error("{model}: {message}")]
    Model {
        /// The model.
        model: &'static str,
        /// Its message.
        message: String,
    },
    /// A drawing that failed.
    #[error(transparent)]
    Figure(#[from] FigureError),
}

impl Unfit {
    /// An error unless there are enough.
    pub(crate) fn unless(what: &'static str, found: usize, needed: usize) -> Result<(), Self> {
        if found < needed { Err(Self::TooFew { what, found, needed }) } else { Ok(()) }
    }

    /// A model that failed, with its message and the causes behind it.
    pub(crate) fn model(model: &'static str, error: &dyn std::error::Error) -> Self {
        let causes = std::iter::successors(Some(error), |error| error.source());
        let messages: Vec<String> = causes.map(ToString::to_string).collect();
        Self::Model { model, message: messages.join(": ") }
    }
}

impl From<OptimizerError> for Unfit {
    fn from(error: OptimizerError) -> Self {
        Self::model("the trials", &error)
    }
}
