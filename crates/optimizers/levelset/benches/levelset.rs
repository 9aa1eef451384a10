//! 100 observations in two dimensions, one thread, prediction and all. Expect a step of stepwise uncertainty
//! reduction over 1,000 candidates and 1,000 integration points, all of them near the threshold, within 50 ms; a step
//! of the straddle over 1,000 candidates within 2 ms.

#[path = "../../../../tests/bench/cpu_time.rs"]
mod cpu_time;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_acquisition::{
    Acquisition, Analytic, Integrated, IntegratedBernoulli, MisclassifiedVolume, Straddle, ThresholdField,
};
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::{Seed, Sobol};

const NOISE: f64 = 0.01;

fn points(count: usize, seed: u64) -> Points {
    Sobol::scrambled(2, &mut Seed(seed).stream("points", 0)).take(count)
}

fn posterior() -> GpPosterior<Scaled<Matern52>> {
    let x = points(100, 1);
    let y: Vec<f64> = x.rows().map(|p| (7.0 * p[0]).sin() + (5.0 * p[1]).cos()).collect();
    Gp::matern52(2).condition(x.as_ref(), &y).expect("a posterior")
}

fn steps(c: &mut Criterion<cpu_time::CpuTime>) {
    let posterior = posterior();
    let (candidates, integration) = (points(1000, 2), points(1000, 3));
    let mut values = vec![0.0; 1000];
    c.bench_function("levelset/straddle/1000", |b| {
        let straddle = Analytic::new(&posterior, Straddle { threshold: 0.5, kappa: 1.96 });
        b.iter(|| straddle.values_into(black_box(candidates.as_ref()), &mut values));
    });
    let field = || ThresholdField::new(&posterior, integration.as_ref(), None, 0.5).expect("a field");
    c.bench_function("levelset/sur_all_points/1000x1000", |b| {
        b.iter(|| {
            let sur = Integrated::over(&field(), IntegratedBernoulli::default(), &posterior, NOISE);
            sur.expect("a criterion").values_into(black_box(candidates.as_ref()), &mut values);
        });
    });
    c.bench_function("levelset/sur_within_5/1000x1000", |b| {
        b.iter(|| {
            let sur = Integrated::over(&field().near(5.0), IntegratedBernoulli::default(), &posterior, NOISE);
            sur.expect("a criterion").values_into(black_box(candidates.as_ref()), &mut values);
        });
    });
    c.bench_function("levelset/misclassified_within_5/1000x1000", |b| {
        b.iter(|| {
            let volume = Integrated::over(&field().near(5.0), MisclassifiedVolume, &posterior, NOISE);
            volume.expect("a criterion").values_into(black_box(candidates.as_ref()), &mut values);
        });
    });
    let sur =
        Integrated::over(&field(), IntegratedBernoulli::default(), &posterior, NOISE).expect("a criterion");
    let (mut value, mut slope) = ([0.0; 10], [0.0; 20]);
    c.bench_function("levelset/sur_gradient/10x1000", |b| {
        b.iter(|| {
            let ten = candidates.as_ref().slice(0, 10);
            sur.values_with_gradients_into(black_box(ten), &mut value, &mut slope)
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(cpu_time::CpuTime)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(10);
    targets = steps
}
criterion_main!(benches);
