//! Cost of an evaluation, learnt from the trials.

use crate::history::coding::Coding;
use crate::history::table::Table;
use crate::{CostPolicy, Dimension, TpeSettings};

/// Weight of the mean logarithm of all costs beside the kernels: that of one trial at three bandwidths.
const PRIOR_WEIGHT: f64 = 0.011;
/// Smallest bandwidth, as a share of the standard deviation of the prior.
const NARROWEST: f64 = 0.02;

/// Kernel regression of the logarithm of the cost on the parameters of a block.
///
/// ```text
/// ln c(x) - m = Σ_i w_i(x) (ln c_i - m) / (w₀ + Σ_i w_i(x)),   w_i(x) = Π_d k_d(x_d, x_id)
/// ```
///
/// m is the mean of the ln `c_i`. The kernel of a number is normal on its latent scale with Scott's bandwidth s n^(-1/(D+4)); that of a choice is 1
/// for the same choice and 1/(n+1) for another, as it is for a parameter that is active in one of the two alone.
/// Source: Nadaraya (1964); Watson (1964); Scott (1992), eq. 6.42.
pub(crate) struct LogCost {
    /// Latent values or choices, a column per parameter.
    columns: Vec<Vec<f64>>,
    /// Bandwidths of numbers; none for choices.
    bandwidths: Vec<Option<f64>>,
    /// Logarithms of the costs less their mean.
    logarithms: Vec<f64>,
    exponent: f64,
}

impl LogCost {
    /// The regression over some parameters; nothing where the settings ignore costs.
    pub(crate) fn fit(
        table: &Table,
        coding: &Coding,
        block: &[usize],
        settings: &TpeSettings,
    ) -> Option<Self> {
        let CostPolicy::PerUnit { exponent } = settings.cost else { return None };
        // Studies refuse a cost that has no logarithm, but older journals may have one.
        let of_row = |row: &usize| table.cost(*row).filter(|cost| *cost > 0.0).map(f64::ln);
        let rows: Vec<usize> = (0..table.len()).filter(|row| of_row(row).is_some()).collect();
        let mut logarithms: Vec<f64> = rows.iter().filter_map(of_row).collect();
        let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
        logarithms.iter_mut().for_each(|logarithm| *logarithm -= mean);
        let (mut columns, mut bandwidths) = (Vec::new(), Vec::new());
        let shrink = (rows.len().max(1) as f64).powf(-1.0 / (block.len() as f64 + 4.0));
        for index in block {
            let values = &table.columns[*index];
            let dimension = &coding.parameters[*index].dimension;
            let column: Vec<f64> = rows.iter().map(|row| latent(dimension, values.values[*row])).collect();
            bandwidths.push(match dimension {
                Dimension::Numeric(axis) => {
                    let widest = axis.prior_sd;
                    Some((std_dev(&column).min(widest) * shrink).max(NARROWEST * widest))
                }
                Dimension::Categorical(_) => None,
            });
            columns.push(column);
        }
        Some(Self { columns, bandwidths, logarithms, exponent })
    }

    /// Subtracts the exponent times the expected logarithm from scores of points, given as internal values.
    pub(crate) fn subtract(&self, dimensions: &[&Dimension], points: &[f64], scores: &mut [f64]) {
        let dim = self.columns.len();
        for (score, point) in scores.iter_mut().zip(points.chunks_exact(dim)) {
            let point: Vec<f64> = point.iter().zip(dimensions).map(|(x, d)| latent(d, *x)).collect();
            *score -= self.exponent * self.at(&point);
        }
    }

    /// Expected logarithm of the cost at a point on the latent scale, less the mean.
    fn at(&self, point: &[f64]) -> f64 {
        let other = 1.0 / (self.logarithms.len() as f64 + 1.0);
        let (mut total, mut sum) = (PRIOR_WEIGHT, 0.0);
        for (i, logarithm) in self.logarithms.iter().enumerate() {
            let mut weight = 1.0;
            for ((column, bandwidth), x) in self.columns.iter().zip(&self.bandwidths).zip(point) {
                let seen = column[i];
                weight *= match (bandwidth, x.is_nan(), seen.is_nan()) {
                    (_, true, true) => 1.0,
                    (_, true, false) | (_, false, true) => other,
                    (Some(bandwidth), ..) => (-0.5 * ((x - seen) / bandwidth).powi(2)).exp(),
                    (None, ..) if x.to_bits() == seen.to_bits() => 1.0,
                    (None, ..) => other,
                };
            }
            total += weight;
            sum += weight * logarithm;
        }
        sum / total
    }
}

/// Value on the scale on which kernels live.
fn latent(dimension: &Dimension, value: f64) -> f64 {
    match dimension {
        Dimension::Numeric(axis) if axis.grid.is_some() && !value.is_nan() => axis.latent(value),
        _ => value,
    }
}

fn std_dev(values: &[f64]) -> f64 {
    let active: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let count = active.len().max(1) as f64;
    let mean = active.iter().sum::<f64>() / count;
    (active.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_space::{Config, Space};
    use thrifty_study::{History, Measurement, Outcome, Trial, TrialId};

    use super::*;
    use crate::GridEnds;

    fn regression(columns: Vec<Vec<f64>>, bandwidths: Vec<Option<f64>>, logarithms: Vec<f64>) -> LogCost {
        LogCost { columns, bandwidths, logarithms, exponent: 1.0 }
    }

    /// One trial: its logarithm times its share beside the prior; far away the mean.
    #[test]
    fn one_trial_counts_near_itself() {
        let cost = regression(vec![vec![0.3]], vec![Some(0.1)], vec![2.0]);
        let weight = |x: f64| (-0.5 * ((x - 0.3) / 0.1_f64).powi(2)).exp();
        for x in [0.3, 0.35, 0.1] {
            let expected = 2.0 * weight(x) / (PRIOR_WEIGHT + weight(x));
            assert!((cost.at(&[x]) - expected).abs() < 1e-14, "{x}");
        }
        assert!(cost.at(&[0.9]).abs() < 1e-5);
    }

    /// Choices and inactive parameters by hand: 1 for the same, 1/(n+1) for another.
    #[test]
    fn choices_and_inactive_parameters_match_or_not() {
        let nan = f64::NAN;
        let columns = vec![vec![0.0, 1.0, 1.0], vec![nan, 0.2, nan]];
        let cost = regression(columns, vec![None, Some(0.5)], vec![1.0, -2.0, 4.0]);
        let expected = |weights: [f64; 3]| {
            let total = PRIOR_WEIGHT + weights.iter().sum::<f64>();
            (weights[0] - 2.0 * weights[1] + 4.0 * weights[2]) / total
        };
        assert!((cost.at(&[0.0, nan]) - expected([1.0, 0.0625, 0.25])).abs() < 1e-14);
        assert!((cost.at(&[1.0, 0.2]) - expected([0.0625, 1.0, 0.25])).abs() < 1e-14);
    }

    #[test]
    fn spreads_leave_out_what_is_not_active() {
        assert_eq!(std_dev(&[1.0, f64::NAN, 3.0]), 1.0);
        assert_eq!(std_dev(&[]), 0.0);
    }

    fn trial(config: &Config, outcome: Outcome) -> Trial<Config> {
        Trial::new(TrialId(0), config.clone(), Some(outcome))
    }

    /// Against the formula of the doc comment, on logarithmic axes, a grid and choices; failed trials have no cost.
    #[test]
    fn the_regression_is_that_of_its_formula() {
        let space = Space::builder()
            .log_float("rate", 1e-4, 1.0)
            .log_int("width", 3, 300)
            .categorical("kind", ["a", "b"])
            .build()
            .unwrap();
        let config = |rate: f64, width: i64, kind: &str| {
            let mut config = Config::new();
            config.insert("rate", rate);
            config.insert("width", width);
            config.insert("kind", kind);
            config
        };
        let seen = [(1e-3, 5, "a", 2.0), (0.1, 50, "b", 30.0), (0.4, 210, "a", 7.0), (0.02, 9, "b", 0.5)];
        let mut trials: Vec<Trial<Config>> = Vec::new();
        for (rate, width, kind, cost) in seen {
            let measurement = Measurement { cost: Some(cost), ..Measurement::from(1.0) };
            trials.push(trial(&config(rate, width, kind), measurement.into()));
            trials.push(trial(&config(0.9, width + 1, kind), Outcome::failed("no")));
        }
        let settings = TpeSettings { cost: CostPolicy::PerUnit { exponent: 0.5 }, ..TpeSettings::default() };
        let coding = Coding::new(&space, &std::collections::BTreeMap::new(), GridEnds::Whole).unwrap();
        let mut table = Table::new(&space, &coding, &[], &settings).unwrap();
        table.follow(&space, &coding, &History::from_trials(trials, Seed(1)), &settings).unwrap();
        let block = [0, 1, 2];
        let ignored = TpeSettings { cost: CostPolicy::Ignore, ..settings.clone() };
        assert!(LogCost::fit(&table, &coding, &block, &ignored).is_none());
        let fitted = LogCost::fit(&table, &coding, &block, &settings).unwrap();

        let of = |f: &dyn Fn(&(f64, i64, &str, f64)) -> f64| seen.iter().map(f).collect::<Vec<f64>>();
        let columns = [of(&|s| s.0.ln()), of(&|s| (s.1 as f64).ln())];
        let mean = of(&|s| s.3.ln()).iter().sum::<f64>() / 4.0;
        let widest = [1e4_f64.ln(), (300.5_f64 / 2.5).ln()];
        let bandwidth = |d: usize| (std_dev(&columns[d]) * 4_f64.powf(-1.0 / 7.0)).max(0.02 * widest[d]);
        let dimensions: Vec<&Dimension> = coding.parameters.iter().map(|coded| &coded.dimension).collect();
        for (rate, width, kind) in [(1e-3, 5, "b"), (0.15, 60, "b"), (0.02, 300, "a")] {
            let (mut total, mut sum) = (PRIOR_WEIGHT, 0.0);
            for (i, (_, _, choice, cost)) in seen.iter().enumerate() {
                let at = [f64::ln(rate), f64::from(width).ln()];
                let normal = |d: usize| (-0.5 * ((at[d] - columns[d][i]) / bandwidth(d)).powi(2)).exp();
                let weight = normal(0) * normal(1) * if *choice == kind { 1.0 } else { 0.2 };
                total += weight;
                sum += weight * (cost.ln() - mean);
            }
            let point = coding.encode(&space, &config(rate, i64::from(width), kind)).unwrap();
            let mut scores = [3.0, 3.0];
            fitted.subtract(&dimensions, &[point.clone(), point].concat(), &mut scores);
            for score in scores {
                assert!((score - (3.0 - 0.5 * sum / total)).abs() < 1e-9, "{score} {}", sum / total);
            }
        }
    }

    /// However close the trials, a kernel has a fiftieth of the standard deviation of the prior; however far, not more than all of it.
    #[test]
    fn bandwidths_have_bounds() {
        let space = Space::builder().float("x", 0.0, 10.0).build().unwrap();
        let settings = TpeSettings { cost: CostPolicy::PerUnit { exponent: 1.0 }, ..TpeSettings::default() };
        let coding = Coding::new(&space, &std::collections::BTreeMap::new(), GridEnds::Whole).unwrap();
        let bandwidth = |xs: &[f64]| {
            let one = |x: &f64| {
                let mut config = Config::new();
                config.insert("x", *x);
                trial(&config, Measurement { cost: Some(1.0), ..Measurement::from(1.0) }.into())
            };
            let mut table = Table::new(&space, &coding, &[], &settings).unwrap();
            let history = History::from_trials(xs.iter().map(one).collect(), Seed(1));
            table.follow(&space, &coding, &history, &settings).unwrap();
            LogCost::fit(&table, &coding, &[0], &settings).unwrap().bandwidths[0].unwrap()
        };
        assert!((bandwidth(&[4.0, 4.0, 4.0]) - 0.2).abs() < 1e-12);
        assert!((bandwidth(&[0.0, 10.0]) - 5.0 * 2_f64.powf(-0.2)).abs() < 1e-12);
        assert!((bandwidth(&[3.0]) - 0.2).abs() < 1e-12 && (bandwidth(&[]) - 0.2).abs() < 1e-12);
    }
}
