//! Figures by name.

use crate::{ReportError, Unfit, figures, report::Report};

/// A figure of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Figure {
    /// Objective per trial and the best so far.
    History,
    /// Objective over each parameter.
    Slices,
    /// A line per trial over all parameters.
    Parallel,
    /// Share of each parameter in the variation of the objective.
    Importance,
    /// Objective over the two most important numeric parameters, by a random forest.
    Contour,
    /// Pairs of objectives with the Pareto set.
    Pareto,
    /// Empirical distribution of the objective.
    Distribution,
    /// Time spent on suggestions and evaluations.
    Timeline,
    /// Intermediate values by step.
    Curves,
    /// Predictions of the optimiser against the objectives that followed.
    Calibration,
    /// Leave-one-out predictions of a Gaussian process.
    LeaveOneOut,
    /// Gaussian process along each numeric parameter through the best trial.
    Surrogate,
    /// Gaussian process over the two most important numeric parameters.
    Map,
    /// Densities of good and bad trials of a Parzen estimator.
    Densities,
}

impl Figure {
    /// All figures, in the order of the page.
    pub const ALL: [Self; 14] = [
        Self::History,
        Self::Pareto,
        Self::Importance,
        Self::Slices,
        Self::Contour,
        Self::Parallel,
        Self::Surrogate,
        Self::Map,
        Self::LeaveOneOut,
        Self::Calibration,
        Self::Densities,
        Self::Distribution,
        Self::Curves,
        Self::Timeline,
    ];

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Slices => "slices",
            Self::Parallel => "parallel",
            Self::Importance => "importance",
            Self::Contour => "contour",
            Self::Pareto => "pareto",
            Self::Distribution => "distribution",
            Self::Timeline => "timeline",
            Self::Curves => "curves",
            Self::Calibration => "calibration",
            Self::LeaveOneOut => "leave-one-out",
            Self::Surrogate => "surrogate",
            Self::Map => "map",
            Self::Densities => "densities",
        }
    }

    /// The axes and what is drawn, in one or two sentences.
    #[must_use]
    pub fn caption(self) -> &'static str {
        match self {
            Self::History => {
                "Objective per trial and the best so far. Trials without an objective stand at the worst value."
            }
            Self::Slices => "Objective over each parameter, one dot per measured trial.",
            Self::Parallel => {
                "One line per measured trial over all parameters; dark lines have small objectives."
            }
            Self::Importance => {
                "Functional ANOVA: share of the variance that each parameter explains alone over the whole space, with its \
                 standard deviation over the trees. PED-ANOVA: divergence of the best tenth of the trials from all of them."
            }
            Self::Contour => {
                "Objective over the two most important numeric parameters: a random forest, averaged over the values of the other \
                 parameters in the trials. Dots are trials."
            }
            Self::Pareto => "Pairs of objectives, one dot per measured trial.",
            Self::Distribution => "Share of the measured trials with an objective at or below each value.",
            Self::Timeline => {
                "Wall-clock seconds spent on suggestions and on evaluations, summed over the trials."
            }
            Self::Curves => "Intermediate values by step, one line per trial.",
            Self::Calibration => {
                "Predictions that came with the suggestions against the measured objectives, with 95 % intervals of the function without its noise: of \
                 calibrated ones 95 % cross the diagonal. Predictions in the units of the model, which may transform the objectives, have no diagonal: \
                 they should rise, and not more than the bars allow."
            }
            Self::LeaveOneOut => {
                "Prediction of each trial by a Gaussian process on all others, of a long study among the last 400. Calibrated bars cross the diagonal in 95 % of the trials."
            }
            Self::Surrogate => {
                "Gaussian process on all trials, of a long study the last 400, along each numeric parameter, the others as in the best trial: mean \
                 and 95 % band."
            }
            Self::Map => {
                "Gaussian process on all trials, of a long study the last 400, over the two most important numeric parameters, the others as in \
                 the best trial. Dots are trials."
            }
            Self::Densities => {
                "Parzen estimates of the good trials (l) and the bad trials (g) over each numeric parameter, on its unit interval."
            }
        }
    }

    /// The figure of this name.
    ///
    /// # Errors
    /// [`ReportError::UnknownFigure`] lists all names.
    pub fn named(name: &str) -> Result<Self, ReportError> {
        Self::ALL.into_iter().find(|figure| figure.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|figure| figure.name()).collect();
            ReportError::UnknownFigure { name: name.into(), known: known.join(", ") }
        })
    }

    pub(crate) fn draw(self, report: &Report<'_>) -> Result<String, Unfit> {
        match self {
            Self::History => figures::history::draw(report),
            Self::Slices => figures::slices::draw(report),
            Self::Parallel => figures::parallel::draw(report),
            Self::Importance => figures::importance::draw(report),
            Self::Contour => figures::contour::draw(report),
            Self::Pareto => figures::pareto::draw(report),
            Self::Distribution => figures::distribution::draw(report),
            Self::Timeline => figures::timeline::draw(report),
            Self::Curves => figures::curves::draw(report),
            Self::Calibration => figures::calibration::draw(report),
            Self::LeaveOneOut => figures::calibration::leave_one_out(report),
            Self::Surrogate => figures::surrogate::slices(report),
            Self::Map => figures::surrogate::map(report),
            Self::Densities => figures::densities::draw(report),
        }
    }
}
