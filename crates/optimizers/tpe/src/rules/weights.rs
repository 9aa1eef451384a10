//! Weights of trials in a density.

/// Weights of the trials of a side, before the prior joins and the sum becomes 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// Equal weights.
    Uniform,
    /// The last 25 trials count 1, those before ramp up from 1/n to 1. Source: Bergstra et al. (2013), Hyperopt.
    #[default]
    LinearForgetting,
    /// Good trials by how far they are below the best bad one, bad ones all the same. Source: Watanabe (2023).
    ExpectedImprovement,
}

/// Number of trials that count in full under linear forgetting.
const REMEMBERED: usize = 25;

/// Weights of a side.
#[derive(Debug, Clone, PartialEq)]
pub struct SideWeights {
    /// One a trial, in the order of the trials.
    pub trials: Vec<f64>,
    /// Factor of the prior's weight, so that it means the same under all rules.
    pub prior_scale: f64,
}

impl Weights {
    /// Weights of a side's trials, given their losses in the order of the trials; `worst` is the smallest loss of
    /// the bad side when this is the good one.
    #[must_use]
    pub fn of(self, losses: &[f64], worst: Option<f64>) -> SideWeights {
        let n = losses.len();
        match (self, worst) {
            (Self::LinearForgetting, _) => SideWeights { trials: linear_forgetting(n), prior_scale: 1.0 },
            (Self::ExpectedImprovement, Some(worst)) if worst.is_finite() && n > 0 => {
                improvement(losses, carried(worst))
            }
            _ => SideWeights { trials: vec![1.0; n], prior_scale: 1.0 },
        }
    }
}

/// Improvements on a loss, of which none counts less than 1e-12 of the largest; equal weights where nothing improves.
fn improvement(losses: &[f64], worst: f64) -> SideWeights {
    let mut trials: Vec<f64> = losses.iter().map(|loss| worst - carried(*loss)).collect();
    let most = trials.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return SideWeights { trials: vec![1.0; losses.len()], prior_scale: 1.0 };
    }
    trials.iter_mut().for_each(|weight| *weight = weight.max(LEAST * most));
    let prior_scale = trials.iter().sum::<f64>() / losses.len() as f64;
    SideWeights { trials, prior_scale }
}

/// Smallest weight by improvement, as a share of the largest.
const LEAST: f64 = 1e-12;

/// Largest magnitude of a loss in a weight, that of the surrogates too: sums of differences of larger ones leave the range of numbers.
const LARGEST: f64 = 1e150;

fn carried(loss: f64) -> f64 {
    loss.clamp(-LARGEST, LARGEST)
}

fn linear_forgetting(n: usize) -> Vec<f64> {
    let ramp = n.saturating_sub(REMEMBERED);
    let mut weights = vec![1.0; n];
    let start = 1.0 / n as f64;
    if ramp > 0 {
        weights[0] = start;
    }
    // The last of the ramp is 1, exactly.
    let step = (1.0 - start) / ramp.saturating_sub(1).max(1) as f64;
    for (i, weight) in weights.iter_mut().enumerate().take(ramp.saturating_sub(1)).skip(1) {
        *weight = start + i as f64 * step;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgetting_ramps_up_to_the_last_twenty_five() {
        assert_eq!(linear_forgetting(0), Vec::<f64>::new());
        assert_eq!(linear_forgetting(25), vec![1.0; 25]);
        let weights = linear_forgetting(30);
        assert_eq!(weights[0], 1.0 / 30.0);
        assert_eq!(weights[4..], [1.0; 26]);
        assert_eq!(linear_forgetting(26)[0], 1.0 / 26.0);
    }

    #[test]
    fn improvement_is_measured_from_the_best_bad_trial() {
        let weights = Weights::ExpectedImprovement.of(&[1.0, 3.0, 5.0], Some(4.0));
        assert_eq!(weights.trials, [3.0, 1.0, 3e-12]);
        assert!((weights.prior_scale - 4.0 / 3.0).abs() < 1e-9);
        let penalties = Weights::ExpectedImprovement.of(&[1.0, -f64::MAX, f64::MAX], Some(f64::MAX));
        assert_eq!(penalties.trials, [1e150, 2e150, 2e138]);
        assert!((penalties.prior_scale / 1e150 - 1.0).abs() < 1e-9);
        let bad = Weights::ExpectedImprovement.of(&[7.0, f64::INFINITY], None);
        assert_eq!(bad, SideWeights { trials: vec![1.0; 2], prior_scale: 1.0 });
    }

    /// Losses in another unit have the same weights in that unit, and losses that are all alike have equal ones.
    #[test]
    fn improvement_has_the_unit_of_the_losses() {
        let losses = [1.0, 3.0, 3.999, 5.0];
        let of =
            |unit: f64| Weights::ExpectedImprovement.of(&losses.map(|loss| unit * loss), Some(4.0 * unit));
        let (whole, unit) = (of(1.0), 2.0_f64.powi(-60));
        assert_eq!(of(unit).trials, whole.trials.iter().map(|weight| unit * weight).collect::<Vec<_>>());
        assert_eq!(of(unit).prior_scale, unit * whole.prior_scale);
        let alike = Weights::ExpectedImprovement.of(&[2.0, 2.0], Some(2.0));
        assert_eq!(alike, SideWeights { trials: vec![1.0; 2], prior_scale: 1.0 });
    }

    /// Hyperopt 0.3.0: `concatenate([linspace(1 / n, 1, n - 25), ones(25)])`.
    #[test]
    fn the_ramp_is_a_line_from_one_over_n_to_1() {
        for n in [26_usize, 27, 28, 31, 60, 125] {
            let (weights, ramp) = (linear_forgetting(n), n - 25);
            assert_eq!(weights.len(), n);
            let start = 1.0 / n as f64;
            for (i, weight) in weights.iter().enumerate() {
                let expected = match i {
                    _ if i >= ramp => 1.0,
                    0 => start,
                    _ => start + (1.0 - start) * i as f64 / (ramp - 1) as f64,
                };
                assert!((weight - expected).abs() < 1e-15, "{n}: {i} is {weight}, not {expected}");
            }
        }
        assert_eq!(linear_forgetting(27)[..3], [1.0 / 27.0, 1.0, 1.0]);
    }

    #[test]
    fn rules_choose_weights() {
        let uniform = SideWeights { trials: vec![1.0; 3], prior_scale: 1.0 };
        assert_eq!(Weights::Uniform.of(&[1.0, 2.0, 3.0], Some(4.0)), uniform);
        let forgetting = Weights::LinearForgetting.of(&[0.0; 30], Some(1.0));
        assert_eq!(forgetting, SideWeights { trials: linear_forgetting(30), prior_scale: 1.0 });
        let improvement = |losses: &[f64], worst| Weights::ExpectedImprovement.of(losses, worst);
        // Nothing to improve on, or nothing that could.
        assert_eq!(improvement(&[1.0, 2.0, 3.0], Some(f64::INFINITY)), uniform);
        assert_eq!(improvement(&[], Some(1.0)), SideWeights { trials: vec![], prior_scale: 1.0 });
        let one = improvement(&[1.0], Some(3.5));
        assert_eq!(one, SideWeights { trials: vec![2.5], prior_scale: 2.5 });
        assert_eq!(Weights::default(), Weights::LinearForgetting);
    }
}
