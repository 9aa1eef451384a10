//! Settings of level-set estimation.

use thrifty_acquisition::AcquisitionError;
use thrifty_model_based::{
    CostAwareness, DesignBudget, FailurePolicy, InitialDesign, LossTransform, Maximizer, PendingPolicy,
    StateSettings, TiePolicy,
};
use thrifty_study::OptimizerError;

use crate::{ClassificationSet, Confidence, Criterion, DiagnosticStop, Threshold};

/// Integration points of look-ahead criteria.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Integration {
    /// Largest number of points, chosen from the classified ones.
    pub points: usize,
    /// Largest distance of the mean of a point from the threshold, in standard deviations. It is ignored if no point meets it.
    pub limit: f64,
}

impl Default for Integration {
    /// 1,000 points within 5 standard deviations.
    fn default() -> Self {
        Self { points: 1000, limit: 5.0 }
    }
}

/// Settings of [`LevelSetOptimizer`](crate::LevelSetOptimizer).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LevelSetSettings {
    /// Threshold.
    pub threshold: Threshold,
    /// Points that are classified.
    pub over: ClassificationSet,
    /// Acquisition criterion.
    pub criterion: Criterion,
    /// Width of the confidence intervals.
    pub confidence: Confidence,
    /// Tolerance: largest distance from the threshold of a misclassified point, in units of the objective.
    pub epsilon: f64,
    /// Initial design; if only some points can be evaluated, the nearest of them.
    pub initial: InitialDesign,
    /// Maximizer of the criterion on a continuous domain.
    #[serde(rename = "maximiser", alias = "maximizer")]
    pub maximizer: Maximizer,
    /// Weight of measured costs in the choice of a point.
    #[serde(default, skip_serializing_if = "CostAwareness::is_ignored")]
    pub cost: CostAwareness,
    /// Integration points of look-ahead criteria.
    pub integration: Integration,
    /// Largest number of candidates of look-ahead criteria on a finite set: those with the largest straddle.
    pub shortlist: usize,
    /// True if a point may be evaluated again, for noisy functions on a finite set.
    pub revisit: bool,
    /// True to stop when no point is undecided.
    pub stop_when_certified: bool,
    /// Stop rule on the diagnostics.
    pub stop: Option<DiagnosticStop>,
}

impl LevelSetSettings {
    /// Default settings for a threshold.
    #[must_use]
    pub fn above(threshold: f64) -> Self {
        Self { threshold: Threshold::Fixed(threshold), ..Self::default() }
    }

    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        let require = |name: &str, value: f64, holds: bool, expected: &str| {
            if holds {
                return Ok(());
            }
            Err(OptimizerError::InvalidSetting {
                name: name.into(),
                value: value.to_string(),
                expected: expected.into(),
            })
        };
        match self.threshold {
            Threshold::Fixed(h) => require("threshold", h, h.is_finite(), "a finite number")?,
            Threshold::Implicit { omega } => {
                require("omega", omega, omega > 0.0 && omega < 1.0, "a share in (0, 1)")?;
            }
        }
        let epsilon = self.epsilon;
        require("epsilon", epsilon, epsilon >= 0.0 && epsilon.is_finite(), "a finite number from 0")?;
        let (name, value, holds, expected) = match self.criterion {
            Criterion::Straddle { kappa } => ("kappa", kappa, kappa >= 0.0, "a finite number from 0"),
            Criterion::ExpectedFeasibility { alpha } | Criterion::Ranjan { alpha } => {
                ("alpha", alpha, alpha > 0.0, "a positive finite number")
            }
            Criterion::TargetedError { bandwidth } | Criterion::TargetedVariance { bandwidth } => {
                ("bandwidth", bandwidth, bandwidth >= 0.0, "a finite number from 0")
            }
            Criterion::SuperlevelVolume { kappa, gamma } => {
                require("gamma", gamma, gamma >= 0.0 && gamma.is_finite(), "a finite number from 0")?;
                ("kappa", kappa, kappa >= 0.0, "a finite number from 0")
            }
            Criterion::TruncatedVariance { shrink, slack } => {
                require("slack", slack, slack >= 0.0 && slack.is_finite(), "a finite number from 0")?;
                ("shrink", shrink, shrink > 0.0 && shrink < 1.0, "a share in (0, 1)")
            }
            _ => ("criterion", 0.0, true, ""),
        };
        require(name, value, holds && value.is_finite(), expected)?;
        self.confidence.beta(1, 1).map_err(|error| match error {
            AcquisitionError::Input(error) => OptimizerError::invalid_setting("confidence", error),
            other => OptimizerError::failed("checking the setting confidence", other),
        })?;
        let Integration { points, limit } = self.integration;
        require("integration points", points as f64, points > 0, "at least one")?;
        require("integration limit", limit, limit > 0.0, "a positive number")?;
        require("shortlist", self.shortlist as f64, self.shortlist > 0, "at least one")?;
        self.state().validate()?;
        self.stop.as_ref().map_or(Ok(()), DiagnosticStop::validate_setting)
    }

    /// Settings of the surrogate state. Losses are not transformed and failures are ignored, since thresholds and intervals are on the
    /// scale of the observations.
    pub(crate) fn state(&self) -> StateSettings {
        StateSettings {
            initial: self.initial.clone(),
            budget: DesignBudget::default(),
            maximizer: self.maximizer.clone(),
            losses: LossTransform::None,
            failures: FailurePolicy::Ignore,
            ties: TiePolicy::Ignore,
            pending: PendingPolicy::KrigingBeliever,
            ignores_running: false,
            cost: self.cost,
        }
    }
}

impl Default for LevelSetSettings {
    /// Classifies values above 0 over the whole space, by stepwise uncertainty reduction, with √β = 3 and ε = 0; stops when certified.
    fn default() -> Self {
        Self {
            threshold: Threshold::Fixed(0.0),
            over: ClassificationSet::default(),
            criterion: Criterion::default(),
            confidence: Confidence::default(),
            epsilon: 0.0,
            initial: InitialDesign::default(),
            maximizer: Maximizer::default(),
            cost: CostAwareness::Ignore,
            integration: Integration::default(),
            shortlist: 1000,
            revisit: false,
            stop_when_certified: true,
            stop: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(change: impl Fn(&mut LevelSetSettings)) -> Option<String> {
        let mut settings = LevelSetSettings::default();
        change(&mut settings);
        settings.validate().err().map(|error| error.to_string())
    }

    #[test]
    fn the_default_is_above_zero_with_uncertainty_reduction_until_certified() {
        let default = LevelSetSettings::default();
        assert_eq!(default.threshold, Threshold::Fixed(0.0));
        assert_eq!(default.criterion, Criterion::IntegratedBernoulli);
        assert_eq!(default.confidence, Confidence::Constant { beta: 9.0 });
        assert_eq!((default.epsilon, default.shortlist), (0.0, 1000));
        assert_eq!(default.integration, Integration { points: 1000, limit: 5.0 });
        assert!(default.stop_when_certified && !default.revisit && default.stop.is_none());
        assert_eq!(LevelSetSettings::above(2.5).threshold, Threshold::Fixed(2.5));
        assert_eq!(
            LevelSetSettings { threshold: Threshold::Fixed(0.0), ..LevelSetSettings::above(2.5) },
            default
        );
        let state = default.state();
        assert_eq!((state.losses, state.failures), (LossTransform::None, FailurePolicy::Ignore));
        assert_eq!((state.pending, state.budget), (PendingPolicy::KrigingBeliever, DesignBudget::default()));
    }

    /// Each setting at its bounds, and beyond them with its name and value.
    #[test]
    fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
        let refuses = |name: &str, value: f64, change: &dyn Fn(&mut LevelSetSettings, f64)| {
            let text = error(|s| change(s, value)).unwrap_or_else(|| panic!("{name} {value} is taken"));
            assert!(text.contains(&format!("{name} is {value}")), "{text}");
        };
        let takes = |name: &str, value: f64, change: &dyn Fn(&mut LevelSetSettings, f64)| {
            assert_eq!(error(|s| change(s, value)), None, "{name} {value}");
        };
        let nowhere = [f64::NAN, f64::INFINITY];
        let from_zero: [(&str, &dyn Fn(&mut LevelSetSettings, f64)); 6] = [
            ("epsilon", &|s, v| s.epsilon = v),
            ("kappa", &|s, kappa| s.criterion = Criterion::Straddle { kappa }),
            ("bandwidth", &|s, bandwidth| s.criterion = Criterion::TargetedError { bandwidth }),
            ("bandwidth", &|s, bandwidth| s.criterion = Criterion::TargetedVariance { bandwidth }),
            ("gamma", &|s, gamma| s.criterion = Criterion::SuperlevelVolume { kappa: 1.0, gamma }),
            ("slack", &|s, slack| s.criterion = Criterion::TruncatedVariance { shrink: 0.5, slack }),
        ];
        for (name, change) in from_zero {
            takes(name, 0.0, change);
            nowhere.iter().chain(&[-1e-9]).for_each(|value| refuses(name, *value, change));
        }
        let positive: [(&str, &dyn Fn(&mut LevelSetSettings, f64)); 2] = [
            ("alpha", &|s, alpha| s.criterion = Criterion::ExpectedFeasibility { alpha }),
            ("alpha", &|s, alpha| s.criterion = Criterion::Ranjan { alpha }),
        ];
        for (name, change) in positive {
            takes(name, 1e-9, change);
            nowhere.iter().chain(&[0.0, -1.0]).for_each(|value| refuses(name, *value, change));
        }
        let shares: [(&str, &dyn Fn(&mut LevelSetSettings, f64)); 2] = [
            ("omega", &|s, omega| s.threshold = Threshold::Implicit { omega }),
            ("shrink", &|s, shrink| s.criterion = Criterion::TruncatedVariance { shrink, slack: 0.0 }),
        ];
        for (name, change) in shares {
            takes(name, 0.5, change);
            nowhere.iter().chain(&[0.0, 1.0]).for_each(|value| refuses(name, *value, change));
        }
        nowhere
            .iter()
            .for_each(|value| refuses("threshold", *value, &|s, v| s.threshold = Threshold::Fixed(v)));
        let limit: &dyn Fn(&mut LevelSetSettings, f64) = &|s, limit| s.integration.limit = limit;
        takes("integration limit", 1e-9, limit);
        refuses("integration limit", 0.0, limit);
        let points: &dyn Fn(&mut LevelSetSettings, f64) = &|s, v| s.integration.points = v as usize;
        takes("integration points", 1.0, points);
        refuses("integration points", 0.0, points);
        let shortlist: &dyn Fn(&mut LevelSetSettings, f64) = &|s, v| s.shortlist = v as usize;
        takes("shortlist", 1.0, shortlist);
        refuses("shortlist", 0.0, shortlist);
        assert!(
            error(|s| s.confidence = Confidence::Constant { beta: -1.0 }).unwrap().contains("confidence")
        );
        assert!(error(|s| s.maximizer.raw = 0).unwrap().contains("raw is 0"));
    }
}
