//! Kernels: sums and products of those that are here, and one of one's own, in Bayesian optimisation by one closure.

use std::error::Error;

use thrifty::domain::{Points, PointsRef};
use thrifty::gp::GpSurrogate;
use thrifty::kernel::{
    Kernel, Linear, Matern52, Matern52Profile, Periodic, Stationary, contract, kernel_operators,
};
use thrifty::params::{Param, Parameterized};
use thrifty::prelude::*;

/// A season of period 0.2 under a trend.
fn seasonal(config: &Config) -> f64 {
    let x = config.float("x").unwrap_or(f64::NAN);
    (x - 0.6).powi(2) + 0.3 * (std::f64::consts::TAU * x / 0.2).sin()
}

fn best_with(surrogate: GpSurrogate) -> Result<f64, Box<dyn Error>> {
    let space = Space::builder().float("x", 0.0, 1.0).build()?;
    let optimizer = BayesianOptimizer::new(space).with_surrogate(surrogate);
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(25));
    study.run(|config: &Config, _| seasonal(config))?;
    Ok(study.history().best().ok_or("measurements")?.1)
}

#[test]
fn sums_and_products_in_bayesian_optimization() -> Result<(), Box<dyn Error>> {
    let composed = GpSurrogate::default().with_kernel("trend + season x drift", |domain| {
        let trend = 1.0 * Matern52::new(vec![0.5; domain.dim()])?;
        let season = 1.0 * Periodic::new(vec![1.0], 0.2)?.with_fixed_period();
        let drift = Linear::new(vec![1.0; domain.dim()])?;
        Ok((trend + season * drift).clone_box())
    });
    assert!(best_with(composed)? < -0.28);
    let isotropic = GpSurrogate::default().with_kernel("isotropic", |domain| {
        Ok((1.0 * Stationary::<Matern52Profile>::isotropic(domain.dim(), 0.5)?).clone_box())
    });
    assert!(best_with(isotropic)? < -0.28);
    Ok(())
}

/// Cauchy kernel: `k(x, y) = 1 / (1 + ‖x - y‖² / ℓ²)`; a defective one is NaN left of the middle.
#[derive(Debug, Clone)]
struct Cauchy {
    lengthscale: Param,
    defective: bool,
}

impl Cauchy {
    fn new(lengthscale: f64, defective: bool) -> Self {
        Self { lengthscale: Param::positive("lengthscale", lengthscale, 0.01, 100.0), defective }
    }
}

kernel_operators!(Cauchy);

impl Parameterized for Cauchy {
    fn params(&self) -> Vec<Param> {
        vec![self.lengthscale.clone()]
    }

    fn set_params(&mut self, values: &[f64]) {
        self.lengthscale.value = values[0];
    }
}

impl Kernel for Cauchy {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn num_params(&self) -> usize {
        1
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        if self.defective && x[0] < 0.5 {
            return f64::NAN;
        }
        let l = self.lengthscale.value;
        1.0 / (1.0 + x.iter().zip(y).map(|(x, y)| ((x - y) / l).powi(2)).sum::<f64>())
    }

    /// `∂k/∂ℓ = 2 (k - k²) / ℓ`.
    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let k = self.eval(x, y);
        grad[0] += weight * 2.0 * k * (1.0 - k) / self.lengthscale.value;
    }

    /// `∂k/∂x_d = -2 k² (x_d - y_d) / ℓ²`.
    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, w) in y.rows().zip(weights) {
            let slope = -2.0 * w * (self.eval(x, y) / self.lengthscale.value).powi(2);
            grad.iter_mut().zip(x).zip(y).for_each(|((slot, x), y)| *slot += slope * (x - y));
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

#[test]
fn a_kernel_of_ones_own_in_bayesian_optimization() -> Result<(), Box<dyn Error>> {
    let points = Points::from_flat(vec![0.1, 0.7, 0.4, 0.2, 0.9, 0.5], 2);
    let mut rng = Seed(1).stream("contract", 0);
    assert!(contract::check(&Cauchy::new(0.4, false), points.as_ref(), &mut rng).is_ok());
    let own =
        GpSurrogate::default().with_kernel("cauchy", |_| Ok((1.0 * Cauchy::new(0.3, false)).clone_box()));
    assert!(best_with(own)? < -0.28);
    Ok(())
}

#[test]
fn defects_are_named() {
    let failing = GpSurrogate::default().with_kernel("own", |_| Err("no such file".into()));
    let error = best_with(failing).expect_err("an error").to_string();
    assert!(error.contains("kernel \"own\": no such file"), "{error}");
    let defective =
        GpSurrogate::default().with_kernel("own", |_| Ok((1.0 * Cauchy::new(0.3, true)).clone_box()));
    let error = best_with(defective).expect_err("an error").to_string();
    assert!(error.contains("kernel \"own\": k(x, y) is NaN at x = ["), "{error}");
}
