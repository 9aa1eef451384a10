//! The logarithm of expected improvement in units of the standard deviation. Expect about 35 ns at every distance in the tail.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_prob::log_h;

fn tail(c: &mut Criterion) {
    for z in [-1.0, -3.2, -8.0, -20.0] {
        c.bench_function(&format!("prob/log_h/{z}"), |b| b.iter(|| log_h(black_box(z))));
    }
}

criterion_group!(benches, tail);
criterion_main!(benches);
