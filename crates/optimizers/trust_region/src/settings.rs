//! Settings of the trust region.

use thrifty_model_based::{
    CostAwareness, FailurePolicy, InitialDesign, LossTransform, Maximizer, PendingPolicy, Repeats,
    StateSettings, TiePolicy,
};
use thrifty_study::OptimizerError;

/// Settings of [`TrustRegionOptimizer`](crate::TrustRegionOptimizer).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrustRegionSettings {
    /// Initial design of each run.
    pub initial: InitialDesign,
    /// Number of trials that the study is planned for, if known. It caps an [automatic design](InitialDesign::Automatic).
    pub budget: Option<usize>,
    /// Side of the box at the start of a run, as a share of the range of each parameter.
    pub side: f64,
    /// Largest side of the box.
    pub largest: f64,
    /// Smallest side of the box; below it a run ends.
    pub smallest: f64,
    /// Successes in a row after which the side doubles.
    pub successes: usize,
    /// Failures in a row after which the side halves. By default the number of parameters, at least 4 and at most 10.
    pub failures_in_a_row: Option<usize>,
    /// Number of candidates at which a drawn function is evaluated. By default 100 per column, at most 2000.
    pub candidates: Option<usize>,
    /// Average number of columns in which a candidate differs from the best trial: each with probability `perturbed / d`.
    pub perturbed: f64,
    /// Transform of the losses.
    pub losses: LossTransform,
    /// Policy for failed trials.
    pub failures: FailurePolicy,
    /// Treatment of a space in which every configuration was evaluated. By default, configurations are repeated if a measurement reported a
    /// noise variance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

impl Default for TrustRegionSettings {
    /// Sides 0.8, 1.6 and 0.5⁷, three successes and 20 perturbed columns, as in Eriksson et al. (2019). They use ⌈d / q⌉ failures for
    /// batches of q up to 100, and thousands of evaluations. With hundreds of evaluations one by one, d failures would be too many for the
    /// box to shrink.
    fn default() -> Self {
        Self {
            initial: InitialDesign::Automatic,
            budget: None,
            side: 0.8,
            largest: 1.6,
            smallest: 0.5_f64.powi(7),
            successes: 3,
            failures_in_a_row: None,
            candidates: None,
            perturbed: 20.0,
            losses: LossTransform::default(),
            failures: FailurePolicy::default(),
            repeats: None,
        }
    }
}

impl TrustRegionSettings {
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        self.state().validate()?;
        let invalid = |name: &str, value: f64, expected: &str| {
            let (name, value, expected) = (name.into(), value.to_string(), expected.into());
            Err(OptimizerError::InvalidSetting { name, value, expected })
        };
        for (name, value) in
            [("smallest", self.smallest), ("largest", self.largest), ("perturbed", self.perturbed)]
        {
            if !(value > 0.0 && value.is_finite()) {
                return invalid(name, value, "a positive finite number");
            }
        }
        if !(self.smallest..=self.largest).contains(&self.side) {
            return invalid("side", self.side, "a number from the smallest to the largest side");
        }
        for (name, count) in [
            ("successes", Some(self.successes)),
            ("failures_in_a_row", self.failures_in_a_row),
            ("candidates", self.candidates),
        ] {
            if count == Some(0) {
                return invalid(name, 0.0, "at least 1");
            }
        }
        Ok(())
    }

    /// Settings of the surrogate state. Running trials are observed at their posterior mean: functions drawn from the posterior already
    /// spread the points of a batch.
    pub(crate) fn state(&self) -> StateSettings {
        StateSettings {
            initial: self.initial.clone(),
            budget: self.budget.into(),
            maximizer: Maximizer::default(),
            losses: self.losses,
            failures: self.failures,
            ties: TiePolicy::Ignore,
            pending: PendingPolicy::KrigingBeliever,
            ignores_running: false,
            cost: CostAwareness::Ignore,
        }
    }

    /// Number of failures in a row after which the side halves, for a number of parameters.
    pub(crate) fn patience(&self, parameters: usize) -> usize {
        self.failures_in_a_row.unwrap_or(parameters.clamp(4, 10))
    }

    /// Number of candidates for a number of columns.
    pub(crate) fn count(&self, columns: usize) -> usize {
        self.candidates.unwrap_or((100 * columns).clamp(1, 2000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_source() {
        let TrustRegionSettings { side, largest, smallest, successes, perturbed, .. } =
            TrustRegionSettings::default();
        // Eriksson et al. (2019), appendix D.
        assert_eq!((side, largest, smallest), (0.8, 1.6, 1.0 / 128.0));
        assert_eq!((successes, perturbed), (3, 20.0));
    }

    #[test]
    fn senseless_settings_are_named() {
        let named = |settings: TrustRegionSettings| settings.validate().unwrap_err().to_string();
        let good = TrustRegionSettings::default;
        assert!(good().validate().is_ok());
        assert!(named(TrustRegionSettings { side: 2.0, ..good() }).contains("side is 2"));
        assert!(named(TrustRegionSettings { smallest: 0.0, ..good() }).contains("smallest is 0"));
        assert!(named(TrustRegionSettings { perturbed: f64::NAN, ..good() }).contains("perturbed is NaN"));
        assert!(named(TrustRegionSettings { successes: 0, ..good() }).contains("successes is 0"));
        for side in [good().smallest, good().largest] {
            assert!(
                TrustRegionSettings { side, ..good() }.validate().is_ok(),
                "the ends belong to the range"
            );
        }
        assert_eq!([1, 6, 100].map(|d| good().patience(d)), [4, 6, 10]);
        assert_eq!([0, 1, 100].map(|d| good().count(d)), [1, 100, 2000]);
    }
}
