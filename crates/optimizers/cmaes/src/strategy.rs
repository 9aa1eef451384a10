//! Strategy parameters: weights and learning rates.

/// Strategy parameters of a generation of λ trials with n coordinates. Source: Hansen (2016), table 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Strategy {
    /// Weights by rank: the positive ones sum to 1, the negative ones are scaled so that the covariance matrix stays positive definite.
    pub(crate) weights: Vec<f64>,
    /// Variance-effective selection mass `1 / Σ w²` of the positive weights.
    pub(crate) effective: f64,
    /// Learning rate of the evolution path of the step size, `c_σ`.
    pub(crate) path_rate: f64,
    /// Damping of the step size, `d_σ`.
    pub(crate) damping: f64,
    /// Learning rate of the evolution path of the covariance matrix, `c_c`.
    pub(crate) covariance_path_rate: f64,
    /// Learning rate of the rank-one update, `c_1`.
    pub(crate) rank_one: f64,
    /// Learning rate of the rank-μ update, `c_μ`.
    pub(crate) rank_mu: f64,
    /// Mean length of a standard normal vector of n components.
    pub(crate) mean_length: f64,
}

impl Strategy {
    /// Parameters for n ≥ 1 coordinates and `population` ≥ 2 trials; without `active` the negative weights are 0.
    pub(crate) fn new(n: usize, population: usize, active: bool) -> Self {
        let (n, lambda) = (n as f64, population as f64);
        // Eq. 49: positive up to the middle rank.
        let raw: Vec<f64> =
            (1..=population).map(|rank| f64::midpoint(lambda, 1.0).ln() - (rank as f64).ln()).collect();
        let mu = (population / 2).max(1);
        let (good, bad) = raw.split_at(mu);
        let mass = |weights: &[f64]| {
            let squares: f64 = weights.iter().map(|w| w * w).sum();
            if squares > 0.0 { weights.iter().sum::<f64>().powi(2) / squares } else { 0.0 }
        };
        let (effective, effective_bad) = (mass(good), mass(bad));
        let rank_one = 2.0 / ((n + 1.3).powi(2) + effective);
        let rank_mu = (2.0 * (0.25 + effective + 1.0 / effective - 2.0) / ((n + 2.0).powi(2) + effective))
            .min(1.0 - rank_one);
        // Eqs. 50 to 52: the smallest of three bounds on the sum of the negative weights.
        let largest = (1.0 + rank_one / rank_mu)
            .min(1.0 + 2.0 * effective_bad / (effective + 2.0))
            .min((1.0 - rank_one - rank_mu) / (n * rank_mu));
        let (sum_good, sum_bad) = (good.iter().sum::<f64>(), bad.iter().map(|w| w.abs()).sum::<f64>());
        let scale_bad = if active && sum_bad > 0.0 { largest / sum_bad } else { 0.0 };
        let weights =
            good.iter().map(|w| w / sum_good).chain(bad.iter().map(|w| w.min(0.0) * scale_bad)).collect();
        let path_rate = (effective + 2.0) / (n + effective + 5.0);
        Self {
            weights,
            effective,
            path_rate,
            damping: 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + path_rate,
            covariance_path_rate: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            rank_one,
            rank_mu,
            mean_length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms for ten coordinates and ten trials.
    #[test]
    fn parameters_are_those_of_the_tutorial() {
        let strategy = Strategy::new(10, 10, true);
        let positive: f64 = strategy.weights[..5].iter().sum();
        assert!((positive - 1.0).abs() < 1e-14);
        let first = (5.5_f64).ln() / (1..=5).map(|i| 5.5_f64.ln() - f64::from(i).ln()).sum::<f64>();
        assert!((strategy.weights[0] - first).abs() < 1e-14);
        assert!((strategy.effective - 3.167_299).abs() < 1e-5, "{}", strategy.effective);
        assert!((strategy.mean_length - 3.084_7).abs() < 1e-3);
        assert!(strategy.weights.is_sorted_by(|a, b| a >= b));
    }

    /// Fractions of table 1 of Hansen (2016) for two trials, whose `μ_eff` is 1: `c_σ = 3 / (n + 6)`,
    /// `c_c = (4 + 1/n) / (n + 4 + 2/n)`, `d_σ = 1 + c_σ`.
    #[test]
    fn rates_of_two_trials_are_fractions() {
        for (n, of_step, of_covariance) in [(1, 3.0 / 7.0, 5.0 / 7.0), (4, 0.3, 0.5)] {
            let found = Strategy::new(n, 2, true);
            let close = |found: f64, expected: f64| {
                assert!((found - expected).abs() < 1e-14, "{n}: {found} {expected}");
            };
            close(found.path_rate, of_step);
            close(found.covariance_path_rate, of_covariance);
            close(found.damping, 1.0 + of_step);
        }
    }

    /// Damping of 100 trials of one coordinate: with `μ_eff = 26.966655`, `c_σ = 28.966655 / 32.966655` is 0.878665, and
    /// `d_σ = 1 + 2 (√(25.966655 / 2) - 1) + c_σ` is 7.085142.
    #[test]
    fn many_trials_are_damped_by_the_root_of_their_mass() {
        let found = Strategy::new(1, 100, true);
        assert!((found.effective - 26.966_655).abs() < 1e-6, "{}", found.effective);
        assert!((found.path_rate - 0.878_665).abs() < 1e-6, "{}", found.path_rate);
        assert!((found.damping - 7.085_142).abs() < 1e-6, "{}", found.damping);
    }

    /// Covariance matrices keep a positive share of themselves: `1 - c_1 - c_μ Σ w > 0` with the negative part bounded.
    #[test]
    fn learning_rates_stay_in_range() {
        for n in [1, 2, 3, 10, 100, 1000] {
            for population in [2, 3, 4, 5, 10, 37, 400] {
                for active in [false, true] {
                    let s = Strategy::new(n, population, active);
                    let of = |rates: [f64; 4]| rates.iter().all(|r| (0.0..=1.0).contains(r));
                    assert!(
                        of([s.path_rate, s.covariance_path_rate, s.rank_one, s.rank_mu]),
                        "{n} {population}: {s:?}"
                    );
                    let bad: f64 = s.weights.iter().filter(|w| **w < 0.0).map(|w| w.abs()).sum();
                    assert!(n as f64 * s.rank_mu * bad <= 1.0 - s.rank_one - s.rank_mu + 1e-12);
                    assert!(
                        s.weights.iter().all(|w| w.is_finite())
                            && s.damping >= 1.0
                            && s.effective >= 1.0 - 1e-12
                    );
                    assert_eq!(s.weights.len(), population);
                }
            }
        }
    }

    /// Sums of the negative weights where each of the three bounds of Hansen (2016), eqs. 50 to 52, is the least: of ten trials
    /// of ten coordinates `1 + c_1 / c_μ = 1 + 0.0152838 / 0.0235518`, of six trials of one coordinate
    /// `1 + 2 μ_eff⁻ / (μ_eff + 2) = 1 + 4.863838 / 4.028611`, of thirty trials of three coordinates
    /// `(1 - c_1 - c_μ) / (n c_μ) = 0.5096342 / 1.2499652`.
    #[test]
    fn negative_weights_have_the_least_of_three_sums() {
        for (n, population, sum) in [(10, 10, 1.648_946), (1, 6, 2.207_324), (3, 30, 0.407_719)] {
            let weights = Strategy::new(n, population, true).weights;
            let found: f64 = weights.iter().filter(|weight| **weight < 0.0).map(|weight| weight.abs()).sum();
            assert!((found - sum).abs() < 1e-5, "{n} coordinates, {population} trials: {found}, not {sum}");
        }
    }
}
