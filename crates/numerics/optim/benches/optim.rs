//! A whole minimisation. Expect some tens of microseconds for the eight-dimensional Rosenbrock function, of which
//! the function itself is a small part, and more where bounds are active and the Cauchy point is computed. Of a thousand variables it takes
//! milliseconds.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_optim::{Lbfgsb, suite};

fn minimize(c: &mut Criterion) {
    let start = [-1.2, 1.0, -1.2, 1.0, -1.2, 1.0, -1.2, 1.0];
    for (name, high) in [("free", 5.0), ("active", 0.8)] {
        let bounds = [(-5.0, high); 8];
        c.bench_function(&format!("optim/lbfgsb/rosenbrock8_{name}"), |b| {
            b.iter(|| Lbfgsb::default().minimize(suite::rosenbrock, &start, &bounds).unwrap());
        });
    }
    let start: Vec<f64> = (0..1000).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
    let bounds = vec![(-5.0, 0.8); 1000];
    c.bench_function("optim/lbfgsb/rosenbrock1000_active", |b| {
        b.iter(|| Lbfgsb::default().minimize(suite::rosenbrock, &start, &bounds).unwrap());
    });
}

criterion_group!(benches, minimize);
criterion_main!(benches);
