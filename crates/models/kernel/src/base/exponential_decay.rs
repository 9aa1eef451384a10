//! The exponential-decay kernel, centred at the target.

use rand_distr::{Distribution, Gamma};
use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::features::{Decays, Features};
use crate::hyperparameters::{Hyperparameters, read_positive};
use crate::{Kernel, KernelError, KernelWorkspace};

/// Exponential-decay kernel of one input s in `[0, 1]`, centred at the target s = 1: functions that decay to 0 there.
///
/// ```text
/// k(s, t) = N(s, t) / N(0, 0),   N(s, t) = M(s + t) - M(s + 1) - M(t + 1) + M(2),   M(u) = (β / (u + β))^α
/// ```
///
/// N is the mean of `(exp(-λs) - exp(-λ)) (exp(-λt) - exp(-λ))` over rates λ of a gamma distribution of shape α and rate β.
/// Functions vary by 1 at s = 0, and k(s, s) decreases to 0 at s = 1. With s a logarithm, as of the number of epochs, `exp(-λs)` is a power
/// law. Meant for the unit interval; defined for s > -β/2. [`ExponentialDecay::between`] maps another interval to it.
///
/// Parameters: `alpha`, `beta` > 0 within `[0.1, 10]`, log scale, with log-normal priors around 1.
/// Source: Swersky, Snoek & Adams (2014), eq. 6, where functions decay to 0 at infinity; departure: centred at 1, unit variance at 0.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct ExponentialDecay {
    alpha: Hyperparameters,
    beta: Hyperparameters,
    /// Inputs at which s is 0 and 1.
    range: (f64, f64),
}

/// A kernel as it is in a file.
#[derive(serde::Deserialize)]
struct Unchecked {
    #[serde(deserialize_with = "read_positive")]
    alpha: Hyperparameters,
    #[serde(deserialize_with = "read_positive")]
    beta: Hyperparameters,
    range: (f64, f64),
}

impl TryFrom<Unchecked> for ExponentialDecay {
    type Error = KernelError;

    fn try_from(Unchecked { alpha, beta, range }: Unchecked) -> Result<Self, KernelError> {
        Self { alpha, beta, range }.between(range.0, range.1)
    }
}

/// M at one argument, with its derivatives.
struct Moment {
    value: f64,
    by_alpha: f64,
    by_beta: f64,
    by_argument: f64,
}

impl ExponentialDecay {
    /// A kernel with this shape and rate of the distribution of decay rates, whose mean is `alpha / beta`.
    ///
    /// # Errors
    /// [`KernelError`] names the one that is not positive and finite.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, KernelError> {
        let prior = Prior::LogNormal { mu: 0.0, sigma: 1.0 };
        let one = |name: &str, value: f64| {
            Ok(Hyperparameters::positive(name, vec![value], 0.1, 10.0)?.with_prior(prior.clone()))
        };
        Ok(Self { alpha: one("alpha", alpha)?, beta: one("beta", beta)?, range: (0.0, 1.0) })
    }

    /// The kernel of inputs from `low`, where the variance is 1, to `target`, where it is 0.
    ///
    /// # Errors
    /// [`KernelError::EmptyBounds`] unless both are finite and `low` is below `target`.
    pub fn between(self, low: f64, target: f64) -> Result<Self, KernelError> {
        if low < target && (target - low).is_finite() {
            Ok(Self { range: (low, target), ..self })
        } else {
            Err(KernelError::EmptyBounds {
                name: "the inputs of an exponential decay".into(),
                low,
                high: target,
            })
        }
    }

    /// s of an input.
    fn scaled(&self, input: f64) -> f64 {
        let (low, target) = self.range;
        // Exactly 1 at the target.
        if input == target { 1.0 } else { (input - low) / (target - low) }
    }

    fn moment(&self, u: f64) -> Moment {
        let (alpha, beta) = (self.alpha.value(), self.beta.value());
        let logarithm = -(u / beta).ln_1p();
        let value = (alpha * logarithm).exp();
        Moment {
            value,
            by_alpha: value * logarithm,
            by_beta: value * alpha * u / (beta * (u + beta)),
            by_argument: -value * alpha / (u + beta),
        }
    }

    /// N(s, t): exactly 0 where one of them is 1, and accurate near it.
    ///
    /// ```text
    /// N = M(2) (G(a + b) - G(a) - G(b)),   G(x) = (1 - x)^-α - 1,   a = (1 - s)/(2 + β),   b = (1 - t)/(2 + β)
    /// ```
    fn covariance(&self, s: f64, t: f64) -> f64 {
        let (a, b) = (self.gap(s), self.gap(t));
        self.moment(2.0).value * self.mixed((a, self.growth(a)), (b, self.growth(b)))
    }

    /// a of the formula.
    fn gap(&self, s: f64) -> f64 {
        (1.0 - s) / (2.0 + self.beta.value())
    }

    /// G of the formula.
    fn growth(&self, x: f64) -> f64 {
        (-self.alpha.value() * (-x).ln_1p()).exp_m1()
    }

    /// G(a + b) - G(a) - G(b), of a and b with their growths: in one order of the two, so that the kernel is symmetric to the bit.
    fn mixed(&self, (a, of_a): (f64, f64), (b, of_b): (f64, f64)) -> f64 {
        (self.growth(a + b) - of_a.max(of_b)) - of_a.min(of_b)
    }

    /// Gaps and growths of points.
    fn growths(&self, x: PointsRef<'_>) -> Vec<(f64, f64)> {
        let of = |point: &[f64]| {
            let gap = self.gap(self.scaled(point[0]));
            (gap, self.growth(gap))
        };
        x.rows().map(of).collect()
    }

    /// Factor that makes the variance at s = 0 one.
    fn normalizer(&self) -> f64 {
        self.moment(2.0).value / self.covariance(0.0, 0.0)
    }

    /// N, or its derivative, from one part of the moments.
    fn combined(&self, s: f64, t: f64, part: impl Fn(&Moment) -> f64) -> f64 {
        let of = |u: f64| part(&self.moment(u));
        (of(s + t) - of(s + 1.0)) - (of(t + 1.0) - of(2.0))
    }
}

impl Parameterized for ExponentialDecay {
    fn params(&self) -> Vec<Param> {
        vec![self.alpha.only_param("alpha"), self.beta.only_param("beta")]
    }

    fn set_params(&mut self, values: &[f64]) {
        let rest = self.beta.take(self.alpha.take(values));
        assert!(rest.is_empty(), "more values than alpha and beta");
    }
}

impl Kernel for ExponentialDecay {
    fn dim(&self) -> Option<usize> {
        Some(1)
    }

    fn num_params(&self) -> usize {
        2
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.covariance(self.scaled(x[0]), self.scaled(y[0])) / self.covariance(0.0, 0.0)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let (k, largest) = (self.eval(x, y), self.covariance(0.0, 0.0));
        let (s, t) = (self.scaled(x[0]), self.scaled(y[0]));
        let parts: [fn(&Moment) -> f64; 2] = [|m| m.by_alpha, |m| m.by_beta];
        for (slot, part) in grad.iter_mut().zip(parts) {
            let slope = self.combined(s, t, part) - k * self.combined(0.0, 0.0, part);
            *slot += weight * slope / largest;
        }
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let scale = self.covariance(0.0, 0.0) * (self.range.1 - self.range.0);
        let s = self.scaled(x[0]);
        let at_target = self.moment(s + 1.0).by_argument;
        for (y, w) in y.rows().zip(weights) {
            grad[0] += w * (self.moment(s + self.scaled(y[0])).by_argument - at_target) / scale;
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        out.resize(x.len(), y.len());
        let (factor, of_x) = (self.normalizer(), self.growths(x));
        for (j, y) in self.growths(y).into_iter().enumerate() {
            for (slot, x) in out.column_mut(j).iter_mut().zip(&of_x) {
                *slot = factor * self.mixed(*x, y);
            }
        }
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, _workspace: &mut KernelWorkspace, out: &mut Matrix) {
        out.resize(x.len(), x.len());
        let (factor, of_x) = (scale * self.normalizer(), self.growths(x));
        for (j, y) in of_x.iter().enumerate() {
            for (slot, x) in out.column_mut(j)[j..].iter_mut().zip(&of_x[j..]) {
                *slot = factor * self.mixed(*x, *y);
            }
        }
    }

    /// One moment per pair: those of single points are computed once.
    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        _workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let s: Vec<f64> = x.rows().map(|point| self.scaled(point[0])).collect();
        let parts = |moment: &Moment| [moment.value, moment.by_alpha, moment.by_beta];
        let single: Vec<[f64; 3]> = s.iter().map(|s| parts(&self.moment(s + 1.0))).collect();
        let target = parts(&self.moment(2.0));
        let mut sums = [0.0; 3];
        for j in 0..s.len() {
            for (i, w) in weights.column(j).iter().enumerate().take(s.len()).skip(j) {
                let pair = parts(&self.moment(s[i] + s[j]));
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum += w * ((pair[k] - single[i][k]) - (single[j][k] - target[k]));
                }
            }
        }
        let largest = self.covariance(0.0, 0.0);
        let total = sums[0] / largest;
        grad[0] += scale * (sums[1] - total * self.combined(0.0, 0.0, |m| m.by_alpha)) / largest;
        grad[1] += scale * (sums[2] - total * self.combined(0.0, 0.0, |m| m.by_beta)) / largest;
        total
    }

    /// Decays at rates that are drawn.
    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let rates = Gamma::new(self.alpha.value(), 1.0 / self.beta.value()).ok()?;
        let scale = 1.0 / self.covariance(0.0, 0.0).sqrt();
        let rates = (0..count).map(|_| rates.sample(rng)).collect();
        Some(Box::new(Decays { rates, scale, range: self.range }))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
