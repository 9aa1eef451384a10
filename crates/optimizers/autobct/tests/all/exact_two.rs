//! Accuracy of the value of two trainings on problems for which it was not tuned.

use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{Controls, Decision, NoiseStdDev, Quadrature, State};
use thrifty_linear::{Basis, Coefficients, Fourier, Polynomial};
use thrifty_sampling::{Seed, Stream};

fn normal(rng: &mut Stream) -> f64 {
    StandardNormal.sample(rng)
}

fn within(rng: &mut Stream, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.uniform()
}

/// A random price, basis, noise, number of controls and belief, after some runs that the prior itself might have given.
fn random(seed: u64) -> (f64, Controls, State) {
    let mut rng = Seed(seed).stream("problem", 0);
    let basis: Box<dyn Basis> = match rng.index(3) {
        0 => Box::new(Polynomial::of_one(1 + rng.index(4) as u32, 0.5)),
        1 => Box::new(Fourier::new(1, 1 + rng.index(2), 2.0)),
        _ => Box::new(Polynomial::of_one(3, 0.5)),
    };
    let gamma = 10_f64.powf(within(&mut rng, -2.0, 0.3));
    let noise = NoiseStdDev {
        score: 10_f64.powf(within(&mut rng, -2.0, -0.5)),
        cost: 10_f64.powf(within(&mut rng, -2.0, -0.5)),
    };
    let count = 3 + rng.index(15);
    let grid = Controls::grid(1, count);
    let controls = Controls::new(grid.as_ref(), &*basis, &*basis, |_| noise).unwrap();
    let len = controls.score(0).len();
    let mut coefficients = |level: f64| {
        let mean = (0..len).map(|i| if i == 0 { level } else { 0.5 * level * normal(&mut rng) }).collect();
        let variances: Vec<f64> = (0..len).map(|_| 10_f64.powf(within(&mut rng, -2.0, 0.6))).collect();
        Coefficients::independent(mean, &variances).unwrap()
    };
    let mut state = State { score: coefficients(0.4), cost: coefficients(1.0) };
    for _ in 0..rng.index(6) {
        run(&mut state, &controls, &mut rng);
    }
    (gamma, controls, state)
}

/// A belief after some runs at the published problem: its price, noise, basis and prior.
fn published(seed: u64) -> (f64, Controls, State) {
    let mut rng = Seed(seed).stream("published", 0);
    let basis = Polynomial::of_one(3, 0.5);
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    let controls = Controls::new(Controls::grid(1, 11).as_ref(), &basis, &basis, noise).unwrap();
    let mut state = State {
        score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4]).unwrap(),
        cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0]).unwrap(),
    };
    for _ in 0..rng.index(6) {
        run(&mut state, &controls, &mut rng);
    }
    (0.16, controls, state)
}

/// Learns from a training somewhere, whose outcome the belief itself might have given.
fn run(state: &mut State, controls: &Controls, rng: &mut Stream) {
    let u = rng.index(controls.len());
    let (score, of_score) = state.score.moments(controls.score(u));
    let (cost, of_cost) = state.cost.moments(controls.cost(u));
    let score = score + normal(rng) * of_score.sqrt();
    let cost = cost + normal(rng) * of_cost.sqrt();
    state.learn(controls, u, score, cost).unwrap();
}

/// The largest error over the controls.
fn error((gamma, controls, state): &(f64, Controls, State), rule: Quadrature) -> f64 {
    let value = |rule| Decision::new(*gamma, controls.clone(), rule).unwrap().two_steps(state).of_controls;
    let found = value(rule);
    let against = |truth: &[f64]| found.iter().zip(truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let rough = against(&value(Quadrature::Composite { panels: 220, nodes: 7 }));
    // Where these nodes may themselves be off, more of them.
    if rough < 2e-6 { rough } else { against(&value(Quadrature::Composite { panels: 8000, nodes: 3 })) }
}

/// Errors over problems with these seeds, in rising order.
fn errors(problem: fn(u64) -> (f64, Controls, State), count: u64, rule: Quadrature) -> Vec<f64> {
    let mut errors: Vec<f64> = (0..count).map(|seed| error(&problem(seed), rule)).collect();
    errors.sort_by(f64::total_cmp);
    errors
}

/// The documented accuracy: states of the published problem to 1e-5; of random problems 99 of 100 to 5e-6, and all
/// to 1e-4.
fn holds(count: u64) {
    let of_published = errors(published, count, Quadrature::ACCURATE);
    let of_random = errors(random, count, Quadrature::ACCURATE);
    let last = count as usize - 1;
    println!("published: largest {:e}", of_published[last]);
    println!("random: 99 % {:e}, largest {:e}", of_random[last * 99 / 100], of_random[last]);
    assert!(of_published[last] < 1e-5, "{:e}", of_published[last]);
    assert!(of_random[last * 99 / 100] < 5e-6 && of_random[last] < 1e-4, "{:e}", of_random[last]);
}

#[test]
fn the_default_is_as_exact_as_it_says() {
    holds(120);
    // These problems are hard: panels that end at one bend alone are far off.
    let fixed = errors(random, 120, Quadrature::Bent { nodes: 5 });
    assert!(fixed[119] > 1e-3, "{:e}", fixed[119]);
}

#[test]
#[ignore = "a longer run of the test above: cargo test -p thrifty-autobct exact_two -- --ignored"]
fn the_default_is_as_exact_as_it_says_on_ten_thousand() {
    holds(10_000);
}
