use thrifty_autobct::{AutoBctError, Noise, State};
use thrifty_linear::{Coefficients, Polynomial};

use crate::autobct::paper;

/// What an appendix of the paper says before the first training.
pub struct Prior {
    pub basis: Polynomial,
    pub state: State,
    pub noise: Noise,
}

/// Appendices D.2 to D.8.
pub fn prior(appendix: usize) -> Result<Prior, AutoBctError> {
    match appendix {
        2 | 3 => {
            let (state, noise) = paper::prior(appendix)?;
            Ok(Prior { basis: paper::basis(), state, noise })
        }
        5 => of_one([0.5, 0.3, -0.2, 0.0], [1.4, 4.0, 6.0, 6.0], 0.05),
        6 => of_one([0.9, 0.4, -2.0, 0.0], [0.8, 1.5, 0.0, 0.0], 0.15),
        7 => of_one([0.9, 0.0, -2.0, 0.0], [1.1, 0.6, 0.0, 0.0], 0.15),
        4 => of_rate_and_batch(),
        _ => of_scale_and_code(),
    }
}

fn of_one(score: [f64; 4], cost: [f64; 4], noise: f64) -> Result<Prior, AutoBctError> {
    let belief = |mean: [f64; 4]| Coefficients::independent(mean.to_vec(), &[1.0; 4]);
    let state = State { score: belief(score)?, cost: belief(cost)? };
    Ok(Prior { basis: paper::basis(), state, noise: Noise { score: noise, cost: 0.1 } })
}

/// Powers of each control around 0.5 up to the fourth, and one product.
fn basis_of_two() -> Polynomial {
    let first = (0..5).map(|k| vec![k, 0]);
    let second = (1..5).map(|k| vec![0, k]);
    Polynomial::of_exponents(first.chain(second).chain([vec![1, 1]]).collect(), vec![0.5; 2])
}

const NOISE_OF_TWO: Noise = Noise { score: 0.15, cost: 0.1 };

/// D.4 lists `μ_α[2] = +0.4` and prints the polynomial with -0.4, which is what it says of it in words: unimodal.
fn of_rate_and_batch() -> Result<Prior, AutoBctError> {
    let score = vec![0.4, 0.3, -0.4, 0.0, 0.0, 0.2, -0.4, 0.0, 0.0, 0.0];
    let cost = vec![3.0, 0.0, 0.0, 0.0, 0.0, -3.5, 0.45, 0.0, 0.5, 0.0];
    let mut of_cost = [0.6; 10];
    of_cost[8] = 0.001;
    let state = State {
        score: Coefficients::independent(score, &[0.6; 10])?,
        cost: Coefficients::independent(cost, &of_cost)?,
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

    #[test]
    fn every_prior_fits_its_basis() {
        for appendix in 2..=8 {
            let prior = prior(appendix).unwrap();
            assert_eq!(
                (prior.state.score.len(), prior.state.cost.len()),
                (prior.basis.len(), prior.basis.len())
            );
        }
    }

    /// In the middle of the cube only the first function is not 0; at an end every power is seen.
    #[test]
    fn means_by_hand() {
        let mean = |appendix: usize, u: &[f64]| {
            let Prior { basis, state, .. } = prior(appendix).unwrap();
            (state.score.moments(&basis.eval(u)).0, state.cost.moments(&basis.eval(u)).0)
        };
        assert_eq!(mean(4, &[0.5, 0.5]), (0.4, 3.0));
        let (score, cost) = mean(4, &[1.0, 0.0]);
        assert!((score - (0.4 + 0.15 - 0.1 - 0.1 - 0.1)).abs() < 1e-12);
        assert!((cost - (3.0 + 1.75 + 0.1125 + 0.03125)).abs() < 1e-12);
        let (score, cost) = mean(8, &[0.0, 0.0]);
        assert!((score - 0.4).abs() < 1e-12 && (cost - 0.7).abs() < 1e-12);
        assert!((mean(6, &[0.0]).0 - 0.2).abs() < 1e-12);
    }
}
