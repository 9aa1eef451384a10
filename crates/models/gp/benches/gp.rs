//! Cost of fits and predictions.
//!
//! Expect, for d = 6 on one core with AVX-512: likelihood and gradient about
//! 0.006 / 0.02 / 0.06 / 0.23 / 1.9 ms at n = 25 / 50 / 100 / 200 / 500, a fit 30 to 40 of them, 1,000 predictions
//! 0.08 / 0.15 / 0.75 / 10 ms at n = 25 / 50 / 200 / 1000, 10 predictions with gradients 3.5 / 6 / 27 / 350 µs.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_domain::Points;
use thrifty_gp::{ExactLikelihood, Gp, GpSettings, Mean, Noise};
use thrifty_params::{LogLikelihood, Parameterized};
use thrifty_sampling::{Seed, Sobol};
use thrifty_surrogate::{Posterior, PosteriorGradient};

/// Targets of a smooth function of six variables, standardised well enough.
fn data(n: usize) -> (Points, Vec<f64>) {
    let x = Sobol::scrambled(6, &mut Seed(0).stream("bench", n as u64)).take(n);
    let y = x.rows().map(|p| (3.0 * p[0]).sin() + p[1] * p[2] - (p[3] - 0.4).powi(2) + 0.1 * p[4]).collect();
    (x, y)
}

fn likelihood(c: &mut Criterion) {
    for n in [25, 50, 100, 200, 500] {
        let (x, y) = data(n);
        let mut kernel = Gp::matern52(6).kernel().clone();
        let noise = Noise::Learned { start: 1e-3, floor: 1e-8, ceiling: 1.0, prior: None };
        let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &noise, Mean::Zero);
        let mut gradient = vec![0.0; likelihood.params().len()];
        c.bench_function(&format!("gp/likelihood_and_gradient/{n}"), |b| {
            b.iter(|| likelihood.log_likelihood(&mut gradient).unwrap());
        });
    }
}

fn fit(c: &mut Criterion) {
    for n in [25, 50, 100, 200] {
        let (x, y) = data(n);
        let settings = GpSettings { restarts: 0, ..GpSettings::default() };
        let gp = Gp::matern52(6).with_settings(settings);
        c.bench_function(&format!("gp/fit/{n}"), |b| {
            b.iter(|| gp.fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0)).unwrap());
        });
    }
}

fn predict(c: &mut Criterion) {
    let test = data(1000).0;
    let (mut mean, mut variance) = (vec![0.0; 1000], vec![0.0; 1000]);
    for n in [25, 50, 200, 1000] {
        let (x, y) = data(n);
        let posterior = Gp::matern52(6).condition(x.as_ref(), &y).unwrap();
        c.bench_function(&format!("gp/predict_1000/{n}"), |b| {
            b.iter(|| posterior.predict_into(test.as_ref(), &mut mean, &mut variance));
        });
        let ten = test.as_ref().slice(0, 10);
        let (mut mean_gradient, mut variance_gradient) = (vec![0.0; 60], vec![0.0; 60]);
        c.bench_function(&format!("gp/gradient_10/{n}"), |b| {
            b.iter(|| {
                posterior.predict_with_gradient_into(
                    ten,
                    &mut mean[..10],
                    &mut variance[..10],
                    &mut mean_gradient,
                    &mut variance_gradient,
                );
            });
        });
    }
}

criterion_group!(benches, likelihood, fit, predict);
criterion_main!(benches);
