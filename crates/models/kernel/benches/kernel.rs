//! Covariance build and gradient pass. Expect about 15 and 6 µs at n = 100, d = 6 with AVX-512, growing with n².

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_domain::Points;
use thrifty_kernel::{Kernel, KernelWorkspace, Matern52, Scaled};
use thrifty_linalg::Matrix;

fn forward_and_pull_back(c: &mut Criterion) {
    for n in [25, 50, 100, 200, 500] {
        let data = (0..n * 6).map(|i| (i as f64 * 0.754_877_666).fract()).collect();
        let x = Points::from_flat(data, 6);
        let kernel = Scaled::new(Matern52::new(vec![0.5; 6]).unwrap(), 1.3).unwrap();
        let (mut workspace, mut out) = (KernelWorkspace::default(), Matrix::default());
        c.bench_function(&format!("kernel/forward/{n}"), |b| {
            b.iter(|| kernel.forward(x.as_ref(), 1.0, &mut workspace, &mut out));
        });
        let weights = Matrix::from_fn(n, n, |i, j| if i >= j { 0.01 } else { 0.0 });
        let mut grad = vec![0.0; 7];
        c.bench_function(&format!("kernel/pull_back/{n}"), |b| {
            b.iter(|| kernel.pull_back_params(&mut workspace, &weights, 1.0, &mut grad));
        });
    }
}

criterion_group!(benches, forward_and_pull_back);
criterion_main!(benches);
