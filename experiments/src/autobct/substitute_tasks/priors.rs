//! Priors of Appendix D, by table.

use thrifty_autobct::{AutoBctError, NoiseStdDev, State};
use thrifty_linear::{Coefficients, Polynomial};

use crate::autobct::paper;

/// Prior of an appendix of the paper before the first training.
pub struct Prior {
    pub basis: Polynomial,
    pub state: State,
    pub noise: NoiseStdDev,
}

/// Appendix of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appendix {
    /// Batch size.
    D2,
    /// Learning rate.
    D3,
    /// Learning rate and batch size.
    D4(Reading),
    /// Sample size.
    D5,
    /// Epochs.
    D6,
    /// Size of an autoencoder.
    D7,
    /// The autoencoder with its code.
    D8,
}

/// D.4 has coefficients for a basis around 0.5 and prints the polynomial with the same coefficients in u itself: one of both
/// is not what was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The coefficients: a cost of 1.4 to 4.9, 3 in the middle.
    Coefficients,
    /// The polynomial: a cost of 0.45 to 3, 1.4 in the middle.
    Polynomial,
}

/// The prior before the first training.
pub fn prior(appendix: Appendix) -> Result<Prior, AutoBctError> {
    let of_paper = |number: usize| -> Result<Prior, AutoBctError> {
        let (state, noise) = paper::prior(number)?;
        Ok(Prior { basis: paper::basis(), state, noise })
    };
    match appendix {
        Appendix::D2 => of_paper(2),
        Appendix::D3 => of_paper(3),
        Appendix::D4(reading) => of_rate_and_batch(reading),
        Appendix::D5 => of_one([0.5, 0.3, -0.2, 0.0], [1.4, 4.0, 6.0, 6.0], 0.05),
        Appendix::D6 => of_one([0.9, 0.4, -2.0, 0.0], [0.8, 1.5, 0.0, 0.0], 0.15),
        Appendix::D7 => of_one([0.9, 0.0, -2.0, 0.0], [1.1, 0.6, 0.0, 0.0], 0.15),
        Appendix::D8 => of_scale_and_code(),
    }
}

fn of_one(score: [f64; 4], cost: [f64; 4], noise: f64) -> Result<Prior, AutoBctError> {
    let belief = |mean: [f64; 4]| Coefficients::independent(mean.to_vec(), &[1.0; 4]);
    let state = State { score: belief(score)?, cost: belief(cost)? };
    Ok(Prior { basis: paper::basis(), state, noise: NoiseStdDev { score: noise, cost: 0.1 } })
}

/// Powers of each control around 0.5 up to the fourth, and one product.
fn basis_of_two() -> Polynomial {
    let first = (0..5).map(|k| vec![k, 0]);
    let second = (1..5).map(|k| vec![0, k]);
    Polynomial::of_exponents(first.chain(second).chain([vec![1, 1]]).collect(), vec![0.5; 2])
}

const NOISE_OF_TWO: NoiseStdDev = NoiseStdDev { score: 0.15, cost: 0.1 };

/// D.4 lists `μ_α[2] = +0.4` and prints the polynomial with -0.4, which is what it says of it in words: unimodal.
fn of_rate_and_batch(reading: Reading) -> Result<Prior, AutoBctError> {
    let (score, cost) = match reading {
        Reading::Coefficients => (
            [0.4, 0.3, -0.4, 0.0, 0.0, 0.2, -0.4, 0.0, 0.0, 0.0],
            [3.0, 0.0, 0.0, 0.0, 0.0, -3.5, 0.45, 0.0, 0.5, 0.0],
        ),
        // The same powers of u, in powers of u - 0.5.
        Reading::Polynomial => (
            [0.45, -0.1, -0.4, 0.0, 0.0, -0.2, -0.4, 0.0, 0.0, 0.0],
            [1.39375, 0.0, 0.0, 0.0, 0.0, -2.8, 1.2, 1.0, 0.5, 0.0],
        ),
    };
    let mut of_cost = [0.6; 10];
    of_cost[8] = 0.001;
    let state = State {
        score: Coefficients::independent(score.to_vec(), &[0.6; 10])?,
        cost: Coefficients::independent(cost.to_vec(), &of_cost)?,
    };
    Ok(Prior { basis: basis_of_two(), state, noise: NOISE_OF_TWO })
}

/// D.8.
fn of_scale_and_code() -> Result<Prior, AutoBctError> {
    let score = vec![0.8, 0.0, -0.8, 0.0, 0.0, 0.0, -0.8, 0.0, 0.0, 0.0];
    let cost = vec![1.325, 0.75, 0.25, 0.0, 0.0, 0.75, 0.25, 0.0, 0.0, 0.0];
    let variances = [4.0, 0.6, 0.62, 0.65, 0.70, 0.6, 0.62, 0.65, 0.70, 0.6];
    let entry = |at: usize| match (at / 10, at % 10) {
        (i, j) if i == j => variances[i],
        (0, _) | (_, 0) => -0.1,
        _ => 0.0,
    };
    let state = State {
        score: Coefficients::new(score, (0..100).map(entry).collect())?,
        cost: Coefficients::independent(cost, &[1.0; 10])?,
    };
    Ok(Prior { basis: basis_of_two(), state, noise: NOISE_OF_TWO })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_linear::Basis;

    const ALL: [Appendix; 8] = [
        Appendix::D2,
        Appendix::D3,
        Appendix::D4(Reading::Coefficients),
        Appendix::D4(Reading::Polynomial),
        Appendix::D5,
        Appendix::D6,
        Appendix::D7,
        Appendix::D8,
    ];

    fn means(appendix: Appendix, u: &[f64]) -> (f64, f64) {
        let Prior { basis, state, .. } = prior(appendix).unwrap();
        let functions = basis.eval(u);
        (state.score.moments(&functions).0, state.cost.moments(&functions).0)
    }

    #[test]
    fn every_prior_fits_its_basis() {
        for appendix in ALL {
            let prior = prior(appendix).unwrap();
            let len = prior.basis.len();
            assert_eq!((prior.state.score.len(), prior.state.cost.len()), (len, len), "{appendix:?}");
        }
    }

    #[test]
    fn means_by_hand() {
        let around = Appendix::D4(Reading::Coefficients);
        assert_eq!(means(around, &[0.5, 0.5]), (0.4, 3.0));
        let (score, cost) = means(around, &[1.0, 0.0]);
        assert!((score - (0.4 + 0.15 - 0.1 - 0.1 - 0.1)).abs() < 1e-12);
        assert!((cost - (3.0 + 1.75 + 0.1125 + 0.03125)).abs() < 1e-12);
        let (score, cost) = means(Appendix::D8, &[0.0, 0.0]);
        assert!((score - 0.4).abs() < 1e-12 && (cost - 0.7).abs() < 1e-12);
        assert!((means(Appendix::D6, &[0.0]).0 - 0.2).abs() < 1e-12);
    }

    #[test]
    fn the_other_reading_is_the_printed_polynomial() {
        for (u, v) in [(0.0, 0.0), (1.0, 0.0), (0.3, 0.8), (0.47, 1.0)] {
            let (score, cost) = means(Appendix::D4(Reading::Polynomial), &[u, v]);
            let h = 0.4 + 0.3 * u + 0.2 * v - 0.4 * u * u - 0.4 * v * v;
            let t = 3.0 - 3.5 * v + 0.45 * v * v + 0.5 * v.powi(4);
            assert!((score - h).abs() < 1e-12 && (cost - t).abs() < 1e-12, "{u} {v}: {score} {cost}");
        }
    }
}
