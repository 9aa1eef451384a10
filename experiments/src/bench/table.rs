//! A problem that is a grid of measured losses.

use thrifty_space::{Config, Kind, Parameter, Space, SpaceError, Value};
use thrifty_testbed::Problem;

use crate::harness::stats::quantile;

/// The values that a parameter of a table has.
#[derive(Debug, Clone)]
pub enum Levels {
    /// Number of ordered levels, searched as the whole numbers from 0, evenly. Lists that are even on a logarithmic scale stay so.
    Ordered(usize),
    /// Names without order.
    Named(Vec<String>),
}

impl Levels {
    pub fn len(&self) -> usize {
        match self {
            Self::Ordered(count) => *count,
            Self::Named(names) => names.len(),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Ordered(count) => Kind::Int { low: 0, high: *count as i64 - 1, step: 1, log: false },
            Self::Named(names) => {
                Kind::Categorical { choices: names.iter().map(|name| Value::from(name.as_str())).collect() }
            }
        }
    }

    fn position(&self, config: &Config, name: &str) -> Result<usize, SpaceError> {
        match self {
            Self::Ordered(_) => config.int(name).map(|level| level as usize),
            Self::Named(names) => {
                let value = config.str(name)?;
                Ok(names.iter().position(|n| n == value).unwrap_or(0))
            }
        }
    }
}

/// A loss measured on a whole grid.
///
/// An evaluation looks the configuration up, without noise. Regret is normalised:
///
/// ```text
/// (loss - least loss) / (median loss - least loss)
/// ```
#[derive(Debug, Clone)]
pub struct GridTable {
    name: String,
    parameters: Vec<(String, Levels)>,
    space: Space,
    losses: Vec<f64>,
    optimum: f64,
    median: f64,
}

impl GridTable {
    /// A table of finite losses, one per configuration, the last parameter fastest; errors are texts for a reader who knows the
    /// source.
    pub fn new(name: &str, parameters: Vec<(String, Levels)>, losses: Vec<f64>) -> Result<Self, String> {
        let count: usize = parameters.iter().map(|(_, levels)| levels.len()).product();
        if count != losses.len() || count == 0 {
            return Err(format!("{count} configurations and {} losses", losses.len()));
        }
        if let Some(row) = losses.iter().position(|loss| !loss.is_finite()) {
            return Err(format!("configuration {row} has no finite loss"));
        }
        let parameter = |(name, levels): &(String, Levels)| Parameter {
            name: name.clone(),
            kind: levels.kind(),
            conditions: Vec::new(),
        };
        let space =
            Space::new(parameters.iter().map(parameter).collect()).map_err(|error| error.to_string())?;
        let optimum = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let median = quantile(&losses, 0.5);
        if median <= optimum {
            return Err("half of the configurations share the least loss: regret has no scale".into());
        }
        Ok(Self { name: name.into(), parameters, space, losses, optimum, median })
    }

    /// Expected regret of the best of `count` uniform draws with replacement.
    ///
    /// ```text
    /// Σ_k r_(k) [ ((n - k + 1) / n)^count - ((n - k) / n)^count ]
    /// ```
    pub fn expected_random(&self, count: usize) -> f64 {
        let mut sorted = self.losses.clone();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let survives = |k: usize| ((n - k as f64) / n).powf(count as f64);
        let terms = sorted.iter().enumerate();
        terms.map(|(k, loss)| self.normalized(*loss) * (survives(k) - survives(k + 1))).sum()
    }

    fn normalized(&self, loss: f64) -> f64 {
        (loss - self.optimum) / (self.median - self.optimum)
    }
}

impl Problem for GridTable {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn optimum(&self) -> f64 {
        self.optimum
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        self.space.validate(config)?;
        let mut row = 0;
        for (name, levels) in &self.parameters {
            row = row * levels.len() + levels.position(config, name)?;
        }
        Ok(self.losses[row])
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok(self.normalized(self.truth(config)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<(String, Levels)> {
        vec![("a".into(), Levels::Ordered(3)), ("b".into(), Levels::Named(vec!["x".into(), "y".into()]))]
    }

    #[test]
    fn rows_regret_and_random_search() {
        let table = GridTable::new("T", parameters(), vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let mut config = Config::new();
        config.insert("a", 2_i64);
        config.insert("b", "y");
        assert_eq!((table.truth(&config), table.regret(&config)), (Ok(5.0), Ok(2.0)));
        config.insert("b", "z");
        assert!(table.truth(&config).is_err());
        assert!((table.expected_random(1) - 1.0).abs() < 1e-12, "mean 2.5 of median 2.5");
        // Two draws of six: the least is k with probability (11 - 2k) / 36.
        let two = (0..6).map(|k| f64::from(k * (11 - 2 * k)) / 36.0).sum::<f64>() / 2.5;
        assert!((table.expected_random(2) - two).abs() < 1e-12);
    }

    #[test]
    fn says_what_is_wrong() {
        let of = |losses: &[f64]| GridTable::new("T", parameters(), losses.to_vec()).unwrap_err();
        assert!(of(&[0.0]).contains("6 configurations and 1 losses"));
        assert!(of(&[0.0, 1.0, f64::NAN, 3.0, 4.0, 5.0]).contains("configuration 2"));
        assert!(of(&[1.0; 6]).contains("share the least loss"));
    }
}
