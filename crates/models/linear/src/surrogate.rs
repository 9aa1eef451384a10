//! Bayesian linear regression as a surrogate.

use std::sync::Arc;

use thrifty_domain::{Domain, Variable};
use thrifty_optim::golden_section;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Posterior, Surrogate, SurrogateError};

use crate::{Basis, Coefficients, LinearError, LinearModel, LinearPosterior};

/// Bayesian linear regression on basis functions as a surrogate, with prior and noise variance learnt from the data.
///
/// ```text
/// f(x) = a_0 + Σ_j a_j φ_j(x),   a_0 ~ N(ȳ, 100 s²),   a_j ~ N(0, τ² s²),   y = f(x) + ε,   ε ~ N(0, σ² s² + v)
/// ```
///
/// ȳ and s² are mean and variance of the targets, v is the known noise variance of an observation. The relative variances τ²
/// (1e-4 to 1e6) and σ² (1e-8 to 10) maximise the evidence, by turns. Cost: O(n J²) per evidence, 13 and a golden-section search for each of 8 turns.
/// Source: Bishop (2006), sections 3.3 and 3.5.
///
/// ```
/// use thrifty_domain::{Domain, Points, Variable};
/// use thrifty_linear::{LinearSurrogate, Polynomial};
/// use thrifty_sampling::Seed;
/// use thrifty_surrogate::{Observations, Surrogate};
/// let surrogate = LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5))));
/// let domain = Domain::new(vec![Variable::continuous()])?;
/// let x = Points::from_flat(vec![0.0, 0.25, 0.5, 0.75, 1.0], 1);
/// let y: Vec<f64> = x.rows().map(|p| 3.0 + (p[0] - 0.4).powi(2)).collect();
/// let fitted = surrogate.fit(&domain, Observations::new(x.as_ref(), &y), None, &mut Seed(1).stream("fit", 0))?;
/// assert!((fitted.posterior().predict(&[0.6]).mean - 3.04).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LinearSurrogate {
    basis: Arc<BasisClosure>,
}

type BasisClosure = dyn Fn(&Domain) -> Result<Box<dyn Basis>, LinearError> + Send + Sync;

impl LinearSurrogate {
    /// A surrogate with the basis that a closure builds for a domain. A constant function need not be among it.
    pub fn new(
        basis: impl Fn(&Domain) -> Result<Box<dyn Basis>, LinearError> + Send + Sync + 'static,
    ) -> Self {
        Self { basis: Arc::new(basis) }
    }
}

/// Name of the surrogate in errors and journals.
const NAME: &str = "bayesian linear regression";

/// Bounds of τ² and σ².
const RANGES: [(f64, f64); 2] = [(1e-4, 1e6), (1e-8, 10.0)];

/// Rounds of the search for τ² and σ².
const ROUNDS: usize = 4;

/// Cells of a search along one variance.
const CELLS: usize = 12;

fn failed(error: LinearError) -> SurrogateError {
    SurrogateError::failed(NAME, error)
}

/// Objective of the search for τ² and σ²: the marginal likelihood.
struct Evidence<'a> {
    basis: Arc<WithConstant>,
    data: Observations<'a>,
    /// Mean and variance of the targets.
    mean: f64,
    variance: f64,
}

impl Evidence<'_> {
    fn model(&self, [prior, noise]: [f64; 2]) -> Result<(LinearModel<WithConstant>, Vec<f64>), LinearError> {
        let count = self.basis.len();
        let (mut mean, mut variances) = (vec![0.0; count], vec![prior.exp() * self.variance; count]);
        (mean[0], variances[0]) = (self.mean, 100.0 * self.variance);
        let noise = noise.exp() * self.variance;
        let known = self.data.noise_variances().into_iter().map(|known| known + noise).collect();
        let prior = Coefficients::independent(mean, &variances)?;
        Ok((LinearModel::shared(self.basis.clone(), prior)?, known))
    }

    fn condition(&self, at: [f64; 2]) -> Result<(LinearPosterior<WithConstant>, f64), LinearError> {
        let (model, noise) = self.model(at)?;
        model.condition(self.data.x, self.data.y, &noise)
    }

    fn maximize(&self, mut at: [f64; 2]) -> [f64; 2] {
        for _ in 0..ROUNDS {
            for (which, (low, high)) in RANGES.into_iter().enumerate() {
                let range = (low.ln(), high.ln());
                let loss = |value: f64| {
                    let mut moved = at;
                    moved[which] = value;
                    self.condition(moved).map_or(f64::INFINITY, |(_, evidence)| -evidence)
                };
                at[which] = golden_section(loss, range, CELLS, 1e-3);
            }
        }
        at
    }
}

impl Surrogate for LinearSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        _: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        data.check(domain.dim())?;
        let basis = Arc::new(WithConstant((self.basis)(domain).map_err(failed)?));
        let n = data.len() as f64;
        let mean = data.y.iter().sum::<f64>() / n;
        let variance = data.y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
        // Equal targets have no scale of their own, but for rounding.
        let variance = if variance > (1e-12 * mean).powi(2) { variance } else { 1.0 };
        let evidence = Evidence { basis, data, mean, variance };
        let start = match warm_start {
            Some([prior, noise]) if *prior > 0.0 && *noise > 0.0 => [prior.ln(), noise.ln()],
            _ => [0.0, -4.0],
        };
        let at = evidence.maximize(start);
        let (posterior, _) = evidence.condition(at).map_err(failed)?;
        let hyperparameters = at.map(f64::exp);
        let noise_variance = hyperparameters[1] * variance;
        Ok(Box::new(Fitted { posterior, hyperparameters, noise_variance }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        // The functions depend on the domain. Bases that agree on one dimension may differ on more.
        let name = |dim: usize| {
            let domain = Domain::new(vec![Variable::continuous(); dim]).ok()?;
            Some((self.basis)(&domain).ok()?.name())
        };
        let names: Vec<Option<String>> = (1..=3).map(name).collect();
        Description::new(NAME, &[("basis", names)]).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

/// A basis after the constant function.
struct WithConstant(Box<dyn Basis>);

impl Basis for WithConstant {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn len(&self) -> usize {
        1 + self.0.len()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
        self.0.eval_into(x, &mut out[1..]);
    }

    fn gradient_into(&self, x: &[f64], out: &mut [f64]) -> bool {
        let d = x.len();
        let known = self.0.gradient_into(x, &mut out[d..]);
        if known {
            out[..d].fill(0.0);
        }
        known
    }

    fn name(&self) -> String {
        format!("1 + {}", self.0.name())
    }
}

/// Linear regression after data, with its relative variances τ² and σ².
struct Fitted {
    posterior: LinearPosterior<WithConstant>,
    hyperparameters: [f64; 2],
    noise_variance: f64,
}

impl FittedSurrogate for Fitted {
    fn posterior(&self) -> &dyn Posterior {
        &self.posterior
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters.to_vec()
    }

    fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let posterior = self.posterior.with_observation(x, y, self.noise_variance).map_err(failed)?;
        Ok(Box::new(Self { posterior, ..*self }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use thrifty_domain::Points;
    use thrifty_sampling::Seed;

    use thrifty_surrogate::Prediction;

    use super::*;
    use crate::{FromFn, Polynomial};

    fn surrogate() -> LinearSurrogate {
        LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5))))
    }

    fn fitted(y: &[f64], noise: Option<&[f64]>) -> Box<dyn FittedSurrogate> {
        let n = y.len();
        let x = Points::from_flat((0..n).map(|i| (i as f64 + 0.5) / n as f64).collect(), 1);
        let domain = Domain::new(vec![Variable::continuous()]).unwrap();
        let data = Observations { x: x.as_ref(), y, noise_variance: noise };
        surrogate().fit(&domain, data, None, &mut Seed(1).stream("fit", 0)).unwrap()
    }

    /// Polynomials with and without mixed terms are the same on one dimension, and different surrogates. A basis of two dimensions alone
    /// is described too.
    #[test]
    fn descriptions_tell_bases_apart() {
        let described = |surrogate: LinearSurrogate| surrogate.describe().unwrap();
        let additive =
            LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::additive(domain.dim(), 2, 0.5))));
        assert_ne!(described(surrogate()), described(additive));
        assert_eq!(described(surrogate()), described(surrogate()));
        let of_two = |center: f64| {
            LinearSurrogate::new(move |domain| match domain.dim() {
                2 => Ok(Box::new(Polynomial::full(2, 1, center))),
                _ => Err(LinearError::Contradiction { observed: 1.0, expected: 2.0 }),
            })
        };
        assert_ne!(described(of_two(0.5)), described(of_two(0.0)));
    }

    /// Targets with noise of variance 0.04: the estimate is within its own standard error, √(2/n) of it.
    #[test]
    fn the_noise_is_learnt() {
        let mut rng = Seed(3).stream("noise", 0);
        let mut normal =
            || (-2.0 * (1.0 - rng.uniform()).ln()).sqrt() * (std::f64::consts::TAU * rng.uniform()).cos();
        let y: Vec<f64> = (0..200).map(|i| 5.0 + f64::from(i) / 100.0 + 0.2 * normal()).collect();
        let found = fitted(&y, None).noise_variance();
        assert!((found - 0.04).abs() < 3.0 * 0.04 * 0.1, "{found}");
        // Given noise variances leave no noise to estimate.
        let known = fitted(&y, Some(&[0.04; 200])).noise_variance();
        assert!(known < 0.01, "{known}");
    }

    #[test]
    fn offsets_and_scales_do_not_matter() {
        let shape = [0.3, 0.1, 0.05, 0.2, 0.6, 1.3, 2.0];
        let base = fitted(&shape, None);
        for (offset, scale) in [(1e6, 1.0), (-3.0, 1e12), (0.5, 1e-12)] {
            let y: Vec<f64> = shape.iter().map(|y| offset + scale * y).collect();
            let other = fitted(&y, None);
            for at in [0.1, 0.45, 0.9] {
                let (Prediction { mean: m, variance: v }, Prediction { mean: n, variance: w }) =
                    (base.posterior().predict(&[at]), other.posterior().predict(&[at]));
                let rounding = 1e-6 * scale + 1e-9 * offset.abs();
                assert!((n - offset - scale * m).abs() < rounding, "{offset} {scale}: {n} against {m}");
                assert!(
                    (w / scale.powi(2) - v).abs() < 1e-3 * v + (1e-9 * offset / scale).powi(2),
                    "{w} {v}"
                );
            }
        }
        let constant = fitted(&[4.0; 5], None);
        assert!((constant.posterior().predict(&[0.3]).mean - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_fantasy_draws_the_mean_to_itself() {
        let before = fitted(&[0.3, 0.1, 0.05, 0.2, 0.6], None);
        let Prediction { mean, variance } = before.posterior().predict(&[0.2]);
        let after = before.fantasize(&[0.2], mean + 1.0).unwrap();
        let Prediction { mean: moved, variance: less } = after.posterior().predict(&[0.2]);
        let gain = variance / (variance + before.noise_variance());
        assert!((moved - mean - gain).abs() < 1e-9 && less < variance, "{moved} {mean} {gain}");
        assert_eq!(before.predict_observed(&[0.2]).variance, variance + before.noise_variance());
    }

    /// The cost of a fit: for each of 8 turns 13 evidences and a golden-section search, and one for the model itself. Functions without
    /// values leave every evidence infinite, so the searches are those of a constant.
    #[test]
    fn a_fit_takes_eight_searches() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let surrogate = LinearSurrogate::new(move |_| {
            let calls = Arc::clone(&counted);
            let broken = move |_: &[f64], out: &mut [f64]| {
                calls.fetch_add(1, Ordering::Relaxed);
                out.fill(f64::NAN);
            };
            Ok(Box::new(FromFn::new("broken", 1, 1, broken)))
        });
        let x = Points::from_flat(vec![0.4], 1);
        let data = Observations::new(x.as_ref(), &[1.0]);
        let fitted = surrogate.fit(&Domain::unit_cube(1), data, None, &mut Seed(1).stream("fit", 0));
        assert!(fitted.is_err(), "a model of functions without values");
        let mut searches = 0;
        for (low, high) in [(1e-4_f64, 1e6_f64), (1e-8, 10.0)] {
            let constant = |_| {
                searches += 1;
                f64::INFINITY
            };
            golden_section(constant, (low.ln(), high.ln()), 12, 1e-3);
        }
        // Each of both variances has its turn four times.
        assert_eq!(calls.load(Ordering::Relaxed), 4 * searches + 1, "evidences of one observation");
    }
}
