//! Stop rules on the diagnostics of level-set estimation.

use std::collections::BTreeMap;

use thrifty_study::{HistoryView, OptimizerError, StopReason, StopRule, StudyError};

/// Stop rule on the diagnostics that [`LevelSetOptimizer`](crate::LevelSetOptimizer) adds to each suggestion.
///
/// As a setting it also includes the diagnostics before the next suggestion. As a [`StopRule`] of a study it only uses the recorded ones.
/// Each diagnostic is necessary for convergence and none is sufficient: a model that has not changed is stable. Only the expected
/// misclassified volume has a direct meaning.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticStop {
    /// The last `times` values of a diagnostic are all below a limit.
    Below {
        /// Its name.
        diagnostic: String,
        /// The limit.
        limit: f64,
        /// Number of times in a row, at least 1.
        times: usize,
    },
    /// One of these holds.
    Any(Vec<DiagnosticStop>),
    /// All of these hold; an empty list never holds.
    All(Vec<DiagnosticStop>),
}

impl DiagnosticStop {
    fn below(diagnostic: &str, limit: f64, times: usize) -> Self {
        Self::Below { diagnostic: diagnostic.into(), limit, times }
    }

    /// The share of the points that changed sides was below `limit` in the last `times` suggestions.
    #[must_use]
    pub fn boundary_stable(limit: f64, times: usize) -> Self {
        Self::below("boundary_change", limit, times)
    }

    /// The mean posterior variance was below a share of the variance of the observations.
    #[must_use]
    pub fn contracted(limit: f64, times: usize) -> Self {
        Self::below("relative_variance", limit, times)
    }

    /// The expected share of misclassified points was below `limit`.
    #[must_use]
    pub fn misclassified(limit: f64, times: usize) -> Self {
        Self::below("misclassified", limit, times)
    }

    /// The largest expected improvement on the smallest value was below `relative` standard deviations of the observations. Logarithms are
    /// compared, to avoid underflow.
    #[must_use]
    pub fn no_improvement(relative: f64, times: usize) -> Self {
        Self::below("log_expected_improvement", relative.ln(), times)
    }

    /// The first invalid number, with its names as a setting and in a rule, and the expected range.
    fn fault(&self) -> Option<([&'static str; 2], f64, &'static str)> {
        match self {
            Self::Below { times: 0, .. } => Some((["times", "DiagnosticStop (times)"], 0.0, "at least once")),
            Self::Below { limit, .. } if limit.is_nan() => {
                Some((["limit", "DiagnosticStop (limit)"], *limit, "a number"))
            }
            Self::Below { .. } => None,
            Self::Any(rules) | Self::All(rules) => rules.iter().find_map(Self::fault),
        }
    }

    /// Checks the rule as a setting of an optimiser.
    pub(crate) fn validate_setting(&self) -> Result<(), OptimizerError> {
        self.fault().map_or(Ok(()), |([name, _], value, expected)| {
            let (name, value, expected) = (name.into(), value.to_string(), expected.into());
            Err(OptimizerError::InvalidSetting { name, value, expected })
        })
    }

    /// True if a series of diagnostics, oldest first, meets the rule. Entries without the diagnostic are skipped.
    #[must_use]
    pub fn holds(&self, series: &[&BTreeMap<String, f64>]) -> bool {
        match self {
            Self::Below { diagnostic, limit, times } => {
                let recent = series.iter().rev().filter_map(|entry| entry.get(diagnostic)).take(*times);
                let below: Vec<bool> = recent.map(|value| value < limit).collect();
                *times > 0 && below.len() == *times && below.iter().all(|below| *below)
            }
            Self::Any(rules) => rules.iter().any(|rule| rule.holds(series)),
            Self::All(rules) => !rules.is_empty() && rules.iter().all(|rule| rule.holds(series)),
        }
    }
}

impl StopRule for DiagnosticStop {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let series: Vec<&BTreeMap<String, f64>> = view.diagnostics().collect();
        self.holds(&series).then(|| StopReason::Decided {
            message: "diagnostics of the level set".into(),
            numbers: series.last().map(|last| (*last).clone()).unwrap_or_default(),
        })
    }

    fn validate(&self) -> Result<(), StudyError> {
        self.fault().map_or(Ok(()), |([_, rule], value, expected)| {
            Err(StudyError::InvalidStopRule { rule, value, expected })
        })
    }
}
