//! Covariance build and gradient pass. Expect about 15 and 6 µs at n = 100, d = 6 with AVX-512, growing with n²; the other
//! kernels at n = 200 within a small factor of Matérn 5/2.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_domain::Points;
use thrifty_kernel::{
    Kernel, KernelWorkspace, Matern12, Matern32, Matern52, RationalQuadratic, Scaled, SquaredExponential,
};
use thrifty_linalg::Matrix;

fn both_passes(c: &mut Criterion, name: &str, n: usize, kernel: &dyn Kernel) {
    let data = (0..n * 6).map(|i| (i as f64 * 0.754_877_666).fract()).collect();
    let x = Points::from_flat(data, 6);
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

criterion_group!(benches, forward_and_pull_back);
criterion_main!(benches);
