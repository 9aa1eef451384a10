//! Theoretical bounds of level-set estimation and upper confidence bounds, evaluated for a run.
//!
//! All assume a prior variance of at most 1, a finite domain and known hyperparameters. For a prior variance v, divide noise by v and
//! lengths (ε, regret) by √v. They hold with the probability of the β schedule, and are loose by orders of magnitude: [`sample_bound`] is
//! far above what runs need.

use thrifty_acquisition::AcquisitionError;
use thrifty_check::{all_finite, number, positive};
use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::KernelError;

use crate::{Confidence, FixedGp};

/// `C₁ = 8/ln(1 + s⁻²)`, where s² is the variance of the noise.
#[must_use]
pub fn c1(noise_variance: f64) -> f64 {
    8.0 / (1.0 / noise_variance).ln_1p()
}

/// Cumulative information gain `½ ln det(I + K/s²)` of the first 1, 2, … points, by the chain rule.
///
/// ```text
/// I_t = I_{t-1} + ½ ln(1 + σ²_{t-1}(x_t)/s²)
/// ```
///
/// `covariance` is the prior covariance of n points, n×n and row-major. `visits` are indices of points in the order of observation; repeats
/// are allowed. Cost: O(n²) per visit. Source: Srinivas et al. (2010), lemma 5.3.
///
/// # Errors
/// [`AcquisitionError`] for a covariance that is not square, a noise variance that is not positive, or an invalid index.
pub fn information_gain(
    covariance: &[f64],
    visits: &[usize],
    noise_variance: f64,
) -> Result<Vec<f64>, AcquisitionError> {
    let mut prior = Prior::new(covariance, noise_variance)?;
    let mut total = 0.0;
    let each = visits.iter().map(|&visit| {
        number("visit", visit as f64, visit < prior.n, "an index of a point")?;
        total += prior.visit(visit);
        Ok(total)
    });
    each.collect()
}

/// Information gain of a greedy choice of `rounds` points by the largest variance, and the chosen points.
///
/// The greedy gain is at least 1 - 1/e of the largest gain, `γ_T`. Divide by this for an upper bound on `γ_T`. Source: Srinivas et al. (2010).
///
/// # Errors
/// As [`information_gain`].
pub fn greedy_information_gain(
    covariance: &[f64],
    rounds: usize,
    noise_variance: f64,
) -> Result<(Vec<usize>, Vec<f64>), AcquisitionError> {
    let mut prior = Prior::new(covariance, noise_variance)?;
    let (mut chosen, mut gains, mut total) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..rounds {
        let variance = |i: usize| prior.covariance[i * prior.n + i];
        let best = (0..prior.n).fold(0, |best, i| if variance(i) > variance(best) { i } else { best });
        total += prior.visit(best);
        chosen.push(best);
        gains.push(total);
    }
    Ok((chosen, gains))
}

/// Remaining covariance.
struct Prior {
    n: usize,
    covariance: Vec<f64>,
    noise_variance: f64,
}

impl Prior {
    fn new(covariance: &[f64], noise_variance: f64) -> Result<Self, AcquisitionError> {
        let (n, count) = (covariance.len().isqrt(), covariance.len());
        number("number of covariances", count as f64, n > 0 && n * n == count, "a positive square")?;
        all_finite("covariance", covariance)?;
        positive("noise variance", noise_variance)?;
        Ok(Self { n, covariance: covariance.to_vec(), noise_variance })
    }

    /// Observes a point and returns the gained information.
    fn visit(&mut self, at: usize) -> f64 {
        let n = self.n;
        let column: Vec<f64> = (0..n).map(|i| self.covariance[i * n + at]).collect();
        let variance = column[at].max(0.0);
        let scale = 1.0 / (variance + self.noise_variance);
        for (i, row) in self.covariance.chunks_exact_mut(n).enumerate() {
            let weight = column[i] * scale;
            row.iter_mut().zip(&column).for_each(|(slot, c)| *slot -= weight * c);
        }
        0.5 * (variance / self.noise_variance).ln_1p()
    }
}

/// Bound on the cumulative regret of upper confidence bounds: `√(C₁ T β_T γ_T)`. Source: Srinivas et al. (2010),
/// theorem 1.
#[must_use]
pub fn regret_bound(t: usize, beta: f64, gamma: f64, noise_variance: f64) -> f64 {
    (c1(noise_variance) * t as f64 * beta * gamma).sqrt()
}

/// Realised cumulative regret of minimisation: `R_t = Σ_{i ≤ t} (f(x_i) - min f)`.
#[must_use]
pub fn cumulative_regret(values: &[f64], minimum: f64) -> Vec<f64> {
    let mut total = 0.0;
    let each = values.iter().map(|value| {
        total += value - minimum;
        total
    });
    each.collect()
}

/// Number of observations after which the classification has certainly ended: the smallest T with `T/(β_T γ_T) ≥ C₁/4ε²`.
///
/// `beta[t]` and `gamma[t]` are those of t + 1 observations. `None` if T is larger than their length. Source: Gotovos et al. (2013), theorem 1.
#[must_use]
pub fn sample_bound(beta: &[f64], gamma: &[f64], noise_variance: f64, epsilon: f64) -> Option<usize> {
    let enough = c1(noise_variance) / (4.0 * epsilon * epsilon);
    let each = beta.iter().zip(gamma).enumerate();
    let mut reached = each.map(|(t, (beta, gamma))| (t + 1, (t + 1) as f64 / (beta * gamma)));
    reached.find(|(_, ratio)| *ratio >= enough).map(|(t, _)| t)
}

/// All bounds of a run with known hyperparameters, one entry per observation, in units of the objective.
#[derive(Debug, Clone, PartialEq)]
pub struct RunBounds {
    /// Information gain, in nats.
    pub information: Vec<f64>,
    /// Bound on the maximum information gain: the greedy gain divided by 1 - 1/e, which is at least `γ_T`.
    pub gamma: Vec<f64>,
    /// `β_T`.
    pub beta: Vec<f64>,
    /// Bound on the cumulative regret of upper confidence bounds.
    pub regret: Vec<f64>,
    /// Number of observations after which the classification within ε has certainly ended; `None` if the run has fewer.
    pub samples: Option<usize>,
}

/// Error of evaluating the bounds of a run.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum TheoryError {
    /// An invalid number.
    #[error(transparent)]
    Number(#[from] AcquisitionError),
    /// An invalid kernel.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

impl RunBounds {
    /// Bounds for the points that a run visited, in order, among the points of a finite domain.
    ///
    /// Cost: T (T + n)² for T visits and n points.
    ///
    /// # Errors
    /// [`TheoryError`] for an invalid kernel, noise variance or confidence.
    pub fn of(
        model: &FixedGp,
        domain: PointsRef<'_>,
        visited: PointsRef<'_>,
        confidence: Confidence,
        epsilon: f64,
    ) -> Result<Self, TheoryError> {
        let (scale, t) = (model.variance, visited.len());
        let relative = |points: PointsRef<'_>| -> Result<Vec<f64>, KernelError> {
            Ok(model.covariance(points)?.into_iter().map(|c| c / scale).collect())
        };
        let noise_variance = model.noise_variance / scale;
        let order: Vec<usize> = (0..t).collect();
        let information =
            if t == 0 { Vec::new() } else { information_gain(&relative(visited)?, &order, noise_variance)? };
        let mut all: Points = domain.to_owned();
        visited.rows().for_each(|x| all.push(x));
        let (_, greedy) = greedy_information_gain(&relative(all.as_ref())?, t, noise_variance)?;
        let gamma: Vec<f64> = greedy.iter().map(|gain| gain / (1.0 - (-1.0_f64).exp())).collect();
        let beta = (1..=t)
            .map(|t| confidence.beta(t, domain.len()))
            .collect::<Result<Vec<f64>, AcquisitionError>>()?;
        let bound = |k: usize| scale.sqrt() * regret_bound(k + 1, beta[k], gamma[k], noise_variance);
        let regret = (0..t).map(bound).collect();
        let samples = sample_bound(&beta, &gamma, noise_variance, epsilon / scale.sqrt());
        Ok(Self { information, gamma, beta, regret, samples })
    }
}

/// Exponent of T in the regret bound for Matérn kernels of order ν in d dimensions, without logarithms.
///
/// ```text
/// Srinivas et al. (2010): (ν + d(d+1))/(2ν + d(d+1));   with γ_T of Vakili et al. (2021): (ν + d)/(2ν + d)
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaternExponents {
    /// The bound as published in 2010.
    pub srinivas: f64,
    /// The bound with the information gain of 2021.
    pub vakili: f64,
}

impl MaternExponents {
    /// For order ν and dimension d.
    #[must_use]
    pub fn new(nu: f64, dim: usize) -> Self {
        let d = dim as f64;
        let square = d * (d + 1.0);
        Self { srinivas: (nu + square) / (2.0 * nu + square), vakili: (nu + d) / (2.0 * nu + d) }
    }
}
