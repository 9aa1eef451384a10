//! Covariance build and gradient pass. Expect about 15 and 6 µs at n = 100, d = 6 with AVX-512, growing with n²; the other
//! kernels at n = 200 within a small factor of Matérn 5/2. The passes of 50 categorical parameters take 0.1 to 0.3 ms at n = 100.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_domain::Points;
use thrifty_kernel::{
    Exchangeable, Kernel, KernelWorkspace, Matern12, Matern32, Matern52, RationalQuadratic, Scaled,
    SquaredExponential,
};
use thrifty_linalg::Matrix;
use thrifty_sampling::Seed;

fn both_passes(c: &mut Criterion, name: &str, n: usize, kernel: &dyn Kernel) {
    let data = (0..n * 6).map(|i| (i as f64 * 0.754_877_666).fract()).collect();
    both_passes_on(c, name, &Points::from_flat(data, 6), kernel);
}

fn both_passes_on(c: &mut Criterion, name: &str, x: &Points, kernel: &dyn Kernel) {
    let n = x.len();
    let (mut workspace, mut out) = (KernelWorkspace::default(), Matrix::default());
    c.bench_function(&format!("kernel/forward{name}/{n}"), |b| {
        b.iter(|| kernel.forward(x.as_ref(), 1.0, &mut workspace, &mut out));
    });
    let weights = Matrix::from_fn(n, n, |i, j| if i >= j { 0.01 } else { 0.0 });
    let mut grad = vec![0.0; kernel.num_params()];
    c.bench_function(&format!("kernel/pull_back{name}/{n}"), |b| {
        b.iter(|| kernel.pull_back_params(x.as_ref(), &mut workspace, &weights, 1.0, &mut grad));
    });
}

fn forward_and_pull_back(c: &mut Criterion) {
    let lengthscales = || vec![0.5; 6];
    for n in [25, 50, 100, 200, 500] {
        let kernel = Scaled::new(Matern52::new(lengthscales()).unwrap(), 1.3).unwrap();
        both_passes(c, "", n, &kernel);
    }
    both_passes(c, "/squared_exponential", 200, &SquaredExponential::new(lengthscales()).unwrap());
    both_passes(c, "/matern12", 200, &Matern12::new(lengthscales()).unwrap());
    both_passes(c, "/matern32", 200, &Matern32::new(lengthscales()).unwrap());
    both_passes(c, "/rational_quadratic", 200, &RationalQuadratic::new(lengthscales()).unwrap());
    both_passes(c, "/isotropic", 200, &Matern52::isotropic(6, 0.5).unwrap());
}

/// 50 one-hot blocks of four choices: passes of a fit, covariances with candidates, and random features of a point.
fn categories(c: &mut Criterion) {
    let points = |n: usize, salt: f64| {
        let choice = |i: usize| ((i as f64 + salt) * 0.754_877_666).fract();
        let hot = |i: usize| (0..4).map(move |k| f64::from(u8::from((4.0 * choice(i)) as usize == k)));
        Points::from_flat((0..n * 50).flat_map(hot).collect(), 200)
    };
    let blocks = (0..50).map(|p| 4 * p..4 * p + 4).collect();
    let kernel = Exchangeable::new(blocks, vec![0.7; 50]).unwrap();
    let (x, candidates) = (points(100, 0.0), points(512, 0.3));
    both_passes_on(c, "/categories", &x, &kernel);
    let mut cross = Matrix::default();
    c.bench_function("kernel/covariances/categories/100x512", |b| {
        b.iter(|| kernel.cov_into(x.as_ref(), candidates.as_ref(), &mut cross));
    });
    let features = kernel.features(1024, &mut Seed(1).stream("features", 0)).unwrap();
    let mut phi = vec![0.0; features.count()];
    c.bench_function("kernel/features/categories/1024", |b| {
        b.iter(|| features.eval_into(x.row(0), &mut phi));
    });
}

criterion_group!(benches, forward_and_pull_back, categories);
criterion_main!(benches);
