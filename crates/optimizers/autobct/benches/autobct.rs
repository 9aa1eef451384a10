//! One decision from the belief after the first training of the paper's synthetic example. Expect 6 ms for two
//! steps on 101 by 101 controls to 2e-6, 0.13 for 33 by 33 with five nodes to 1e-3, 7 for three steps.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_autobct::{Controls, Decision, Expectation, NoiseStdDev, Quadrature, State};
use thrifty_linear::{Coefficients, Polynomial};

fn decision(now: usize, later: usize, of_cost: Quadrature) -> Decision {
    let basis = Polynomial::of_one(3, 0.5);
    let controls = |count: usize| {
        let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
        Controls::new(Controls::grid(1, count).as_ref(), &basis, &basis, noise).unwrap()
    };
    Decision::with_later(0.16, controls(now), controls(later), of_cost).unwrap()
}

fn state() -> State {
    let mut state = State {
        score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4]).unwrap(),
        cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0]).unwrap(),
    };
    state.learn(decision(101, 101, Quadrature::ACCURATE).controls(), 0, 0.556, 0.068).unwrap();
    state
}

fn values(c: &mut Criterion) {
    let state = state();
    let fine = decision(101, 101, Quadrature::ACCURATE);
    c.bench_function("autobct/one-step/101", |b| b.iter(|| fine.one_step(&state)));
    c.bench_function("autobct/two-steps/101x101", |b| b.iter(|| fine.two_steps(&state)));
    let coarse = decision(33, 33, Quadrature::Hermite(5));
    c.bench_function("autobct/two-steps/33x33x5", |b| b.iter(|| coarse.two_steps(&state)));
    let deep = decision(21, 11, Quadrature::Hermite(3));
    c.bench_function("autobct/three-steps/21", |b| {
        b.iter(|| deep.steps(&state, 3, &Expectation::DEFAULT).unwrap());
    });
}

criterion_group!(benches, values);
criterion_main!(benches);
