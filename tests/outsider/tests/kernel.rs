//! Kernels: sums and products of those that are here, in Bayesian optimisation by one closure.

use std::error::Error;

use thrifty::gp::GpSurrogate;
use thrifty::kernel::{Kernel, Linear, Matern52, Periodic, Product, Scaled, Sum};
use thrifty::prelude::*;

/// A season of period 0.2 under a trend.
fn seasonal(config: &Config) -> f64 {
    let x = config.float("x").unwrap_or(f64::NAN);
    (x - 0.6).powi(2) + 0.3 * (std::f64::consts::TAU * x / 0.2).sin()
}

#[test]
fn a_composed_kernel_in_bayesian_optimisation() -> Result<(), Box<dyn Error>> {
    let surrogate = GpSurrogate::default().with_kernel("trend + season x drift", |domain| {
        let trend = Scaled::new(Matern52::new(vec![0.5; domain.dim()])?, 1.0)?.with_bounds(1e-3, 1e3)?;
        let season = Scaled::new(Periodic::new(vec![1.0], 0.2)?, 1.0)?.with_bounds(1e-3, 1e3)?;
        let drift = Linear::new(vec![1.0; domain.dim()])?;
        Ok(Sum::new(trend, Product::new(season, drift)?)?.boxed())
    });
    let space = Space::builder().float("x", 0.0, 1.0).build()?;
    let optimizer = BayesianOptimizer::new(space, Seed(2)).with_surrogate(surrogate);
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(25));
    study.run(|config: &Config, _| seasonal(config))?;
    let (_, best) = study.history().best().ok_or("measurements")?;
    assert!(best < -0.29, "{best}");
    Ok(())
}

#[test]
fn a_closure_that_fails_is_named() -> Result<(), Box<dyn Error>> {
    let surrogate = GpSurrogate::default().with_kernel("own", |_| Err("no such file".into()));
    let space = Space::builder().float("x", 0.0, 1.0).build()?;
    let optimizer = BayesianOptimizer::new(space, Seed(2)).with_surrogate(surrogate);
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(9));
    let error = study.run(|config: &Config, _| seasonal(config)).expect_err("an error").to_string();
    assert!(error.contains("kernel \"own\": no such file"), "{error}");
    Ok(())
}
