//! Priors of random covariances.

use rand_distr::{Beta, ChiSquared, Distribution, StandardNormal};
use thrifty_check::{InputError, number, positive};
use thrifty_sampling::Stream;

use crate::{Coefficients, LinearError};

/// Prior of random covariances around a given one.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CovariancePrior {
    /// Wishart distribution whose mean is the given covariance. With fewer degrees of freedom draws vary more.
    Wishart {
        /// Above one less than there are coefficients.
        degrees: f64,
    },
    /// The given variances, with correlations whose density is `det(R)^(η - 1)`: 1 is uniform. Source: Lewandowski, Kurowicka & Joe (2009).
    Lkj {
        /// η, positive.
        eta: f64,
    },
}

impl CovariancePrior {
    /// Normal distribution with the same mean and a random covariance around the given one.
    ///
    /// # Errors
    /// [`LinearError`] for too few degrees of freedom or an η that is not positive, or a distribution without a covariance.
    pub fn around(&self, belief: &Coefficients, rng: &mut Stream) -> Result<Coefficients, LinearError> {
        let n = belief.len();
        // A root of the covariance, lower triangular and row-major.
        let root = match *self {
            Self::Wishart { degrees } => {
                let enough = degrees > n as f64 - 1.0;
                number("degrees of freedom", degrees, enough, "more than the number of coefficients less 1")?;
                let scale = belief.square_root()?;
                times(&scale, &bartlett(n, degrees, rng)?, n, 1.0 / degrees.sqrt())
            }
            Self::Lkj { eta } => {
                positive("η of correlations", eta)?;
                let mut root = correlations(n, eta, rng)?;
                for (i, row) in root.chunks_exact_mut(n.max(1)).enumerate() {
                    let std_dev = belief.covariance()[i * n + i].sqrt();
                    row.iter_mut().for_each(|entry| *entry *= std_dev);
                }
                root
            }
        };
        let entry = |at: usize| {
            let (i, j) = (at / n, at % n);
            (0..=i.min(j)).map(|k| root[i * n + k] * root[j * n + k]).sum()
        };
        Coefficients::new(belief.mean().to_vec(), (0..n * n).map(entry).collect())
    }
}

fn failed(error: impl std::fmt::Display, value: f64) -> LinearError {
    debug_assert!(false, "{error}");
    InputError::Number { name: "parameter of a distribution", value, expected: "one within its range" }.into()
}

/// The root of a Wishart matrix of unit scale (Bartlett's decomposition).
fn bartlett(n: usize, degrees: f64, rng: &mut Stream) -> Result<Vec<f64>, LinearError> {
    let mut root = vec![0.0; n * n];
    for i in 0..n {
        let left = degrees - i as f64;
        let square: f64 = ChiSquared::new(left).map_err(|e| failed(e, left))?.sample(rng);
        root[i * n + i] = square.sqrt();
        for j in 0..i {
            root[i * n + j] = StandardNormal.sample(rng);
        }
    }
    Ok(root)
}

/// The root of a correlation matrix, from partial correlations that are independent (the C-vine of the source).
fn correlations(n: usize, eta: f64, rng: &mut Stream) -> Result<Vec<f64>, LinearError> {
    let mut root = vec![0.0; n * n];
    for i in 0..n {
        let mut left = 1.0_f64;
        for j in 0..i {
            let shape = eta + (n as f64 - 2.0 - j as f64) / 2.0;
            let beta: f64 = Beta::new(shape, shape).map_err(|e| failed(e, shape))?.sample(rng);
            let entry = (2.0 * beta - 1.0) * left.sqrt();
            root[i * n + j] = entry;
            left = (left - entry * entry).max(0.0);
        }
        root[i * n + i] = left.sqrt();
    }
    Ok(root)
}

/// A scaled product of two lower triangles.
fn times(a: &[f64], b: &[f64], n: usize, scale: f64) -> Vec<f64> {
    (0..n * n)
        .map(|at| {
            let (i, j) = (at / n, at % n);
            scale * (j..=i).map(|k| a[i * n + k] * b[k * n + j]).sum::<f64>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_sampling::Seed;

    fn center() -> Coefficients {
        let covariance = vec![1.0, 0.3, 0.0, 0.3, 4.0, -0.5, 0.0, -0.5, 0.25];
        Coefficients::new(vec![1.0, 2.0, 3.0], covariance).unwrap()
    }

    /// Means and variances of every entry over many draws.
    fn moments(law: CovariancePrior) -> (Vec<f64>, Vec<f64>) {
        let (draws, mut rng) = (20_000, Seed(3).stream("covariances", 0));
        let all: Vec<Vec<f64>> =
            (0..draws).map(|_| law.around(&center(), &mut rng).unwrap().covariance().to_vec()).collect();
        let over = |of: &dyn Fn(&[f64]) -> f64| all.iter().map(|c| of(c)).sum::<f64>() / f64::from(draws);
        let means: Vec<f64> = (0..9).map(|at| over(&|c| c[at])).collect();
        let variances = (0..9).map(|at| over(&|c| (c[at] - means[at]).powi(2))).collect();
        (means, variances)
    }

    #[test]
    fn wishart_has_the_moments_of_its_closed_form() {
        let degrees = 7.0;
        let (means, variances) = moments(CovariancePrior::Wishart { degrees });
        let s = center().covariance().to_vec();
        for i in 0..3 {
            for j in 0..3 {
                let at = i * 3 + j;
                // Var W_ij = (S_ij² + S_ii S_jj) / ν for a mean of S.
                let variance = (s[at] * s[at] + s[i * 3 + i] * s[j * 3 + j]) / degrees;
                assert!((means[at] - s[at]).abs() < 5.0 * (variance / 20_000.0).sqrt(), "{at}");
                assert!((variances[at] / variance - 1.0).abs() < 0.1, "{at} {} {variance}", variances[at]);
            }
        }
    }

    #[test]
    fn lkj_keeps_variances_and_has_correlations_of_the_right_spread() {
        for eta in [0.7, 1.0, 3.0] {
            let (means, variances) = moments(CovariancePrior::Lkj { eta });
            let s = center().covariance().to_vec();
            for i in 0..3 {
                assert!((means[i * 4] - s[i * 4]).abs() < 1e-12 && variances[i * 4] < 1e-20);
                for j in 0..i {
                    // A correlation has a variance of 1 / (2 η + n - 1).
                    let found = variances[i * 3 + j] / (s[i * 4] * s[j * 4]);
                    assert!((found * (2.0 * eta + 2.0) - 1.0).abs() < 0.06, "{eta} {i} {j} {found}");
                    assert!(means[i * 3 + j].abs() < 0.05);
                }
            }
        }
    }

    #[test]
    fn edges() {
        let mut rng = Seed(0).stream("covariances", 0);
        let law = CovariancePrior::Wishart { degrees: 2.0 };
        assert!(law.around(&center(), &mut rng).unwrap_err().to_string().contains("degrees of freedom is 2"));
        let law = CovariancePrior::Lkj { eta: f64::NAN };
        assert!(law.around(&center(), &mut rng).unwrap_err().to_string().contains("NaN"));
        let none = Coefficients::independent(vec![], &[]).unwrap();
        for law in [CovariancePrior::Wishart { degrees: 1.0 }, CovariancePrior::Lkj { eta: 1.0 }] {
            assert_eq!(law.around(&none, &mut rng).unwrap(), none);
        }
        // What is known for certain stays so.
        let known = Coefficients::independent(vec![0.0; 2], &[1.0, 0.0]).unwrap();
        for law in [CovariancePrior::Wishart { degrees: 5.0 }, CovariancePrior::Lkj { eta: 2.0 }] {
            assert_eq!(law.around(&known, &mut rng).unwrap().covariance()[3], 0.0);
        }
    }
}
