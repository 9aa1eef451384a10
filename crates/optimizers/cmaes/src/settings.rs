//! Settings of the evolution strategy.

use thrifty_study::OptimizerError;

/// Settings of [`CmaEs`](crate::CmaEs).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CmaEsSettings {
    /// Trials of a generation in the first run, λ, from 2; without it 4 + ⌊3 ln n⌋ for n coordinates.
    pub population: Option<usize>,
    /// Standard deviation of the first generation of a run, as a share of the range of each parameter.
    pub step_size: f64,
    /// Negative weights of the worse half of a generation in the update of the covariance matrix.
    pub active: bool,
    /// Factor of the population from one run to the next; 1 restarts with the same population.
    pub growth: usize,
    /// Probability α that a discrete coordinate keeps for levels other than that of the mean; without it 1 / (n λ).
    pub margin: Option<f64>,
    /// A run ends when the standard deviations of all coordinates are below this share of the range. For discrete coordinates it is the
    /// standard deviation without what the margin adds.
    pub tolerance: f64,
}

impl Default for CmaEsSettings {
    /// Population and weights of Hansen (2016), a step size of 0.3 of the range as he advises for a known box, doubled populations as
    /// in Auger & Hansen (2005), the margin of Hamano et al. (2022).
    fn default() -> Self {
        Self { population: None, step_size: 0.3, active: true, growth: 2, margin: None, tolerance: 1e-11 }
    }
}

impl CmaEsSettings {
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub(crate) fn validate(&self) -> Result<(), OptimizerError> {
        let invalid = |name: &str, value: String, expected: &str| {
            Err(OptimizerError::InvalidSetting { name: name.into(), value, expected: expected.into() })
        };
        if let Some(population) = self.population.filter(|population| !(2..=LARGEST).contains(population)) {
            return invalid("population", population.to_string(), "a number from 2 to 100000");
        }
        if !(self.step_size > 0.0 && self.step_size.is_finite()) {
            return invalid("step_size", self.step_size.to_string(), "a positive finite number");
        }
        if !(1..=16).contains(&self.growth) {
            return invalid("growth", self.growth.to_string(), "a number from 1 to 16");
        }
        if let Some(margin) = self.margin.filter(|margin| !(0.0..0.5).contains(margin)) {
            return invalid("margin", margin.to_string(), "a probability from 0 to below 0.5");
        }
        if !(self.tolerance >= 0.0 && self.tolerance < self.step_size) {
            return invalid(
                "tolerance",
                self.tolerance.to_string(),
                "a number from 0 to below the step size",
            );
        }
        Ok(())
    }

    /// Trials of a generation of run `run` with n coordinates: λ · growth^run, with at most nine factors.
    pub(crate) fn population(&self, run: u64, n: usize) -> usize {
        let first = self.population.unwrap_or(4 + (3.0 * (n.max(1) as f64).ln()).floor() as usize);
        let factor = self.growth.saturating_pow(run.min(MOST_GROWN) as u32);
        first.saturating_mul(factor).min(LARGEST)
    }

    /// Margin α of a generation of `population` trials with n coordinates. Source: Hamano et al. (2022), section 4.4.
    pub(crate) fn margin(&self, population: usize, n: usize) -> f64 {
        self.margin.unwrap_or(1.0 / (n.max(1) * population) as f64).min(0.25)
    }
}

/// Restarts after which the population stays as it is. Source: Auger & Hansen (2005), section 3.
const MOST_GROWN: u64 = 9;
/// Largest population.
const LARGEST: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn populations_grow_and_stay_in_range() {
        let settings = CmaEsSettings::default();
        assert_eq!([1, 2, 10, 40, 100, 200].map(|n| settings.population(0, n)), [4, 6, 10, 15, 17, 19]);
        assert_eq!([0, 1, 2, 9, 10].map(|run| settings.population(run, 10)), [10, 20, 40, 5120, 5120]);
        assert_eq!(settings.population(0, 0), 4);
        let large = CmaEsSettings { population: Some(LARGEST), growth: 16, ..settings.clone() };
        assert_eq!(large.population(u64::MAX, 3), LARGEST);
        assert_eq!(settings.margin(10, 5), 0.02);
        assert_eq!(settings.margin(2, 1), 0.25, "no more than a quarter");
        assert_eq!(settings.margin(10, 0), 0.1, "without coordinates as with one");
    }

    #[test]
    fn senseless_settings_are_named() {
        let named = |settings: CmaEsSettings| settings.validate().unwrap_err().to_string();
        let good = CmaEsSettings::default;
        assert!(named(CmaEsSettings { population: Some(1), ..good() }).contains("population is 1"));
        assert!(named(CmaEsSettings { step_size: f64::NAN, ..good() }).contains("step_size is NaN"));
        assert!(named(CmaEsSettings { growth: 0, ..good() }).contains("growth is 0"));
        assert!(named(CmaEsSettings { margin: Some(0.5), ..good() }).contains("margin is 0.5"));
        assert!(named(CmaEsSettings { tolerance: 0.3, ..good() }).contains("tolerance is 0.3"));
        assert!(
            named(CmaEsSettings { population: Some(100_001), ..good() }).contains("population is 100001")
        );
        assert!(named(CmaEsSettings { step_size: 0.0, ..good() }).contains("step_size is 0"));
        assert!(named(CmaEsSettings { growth: 17, ..good() }).contains("growth is 17"));
        assert!(good().validate().is_ok());
        let ends = |population, growth| CmaEsSettings {
            population: Some(population),
            growth,
            margin: Some(0.0),
            tolerance: 0.0,
            ..good()
        };
        assert!(ends(2, 1).validate().is_ok() && ends(100_000, 16).validate().is_ok(), "ends of the ranges");
    }
}
