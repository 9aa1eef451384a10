//! Laws of value functions: inequalities of the decision problem, simulated policies, edges.

use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{
    AutoBctError, Controls, Decision, Expectation, NoiseStdDev, Quadrature, State, TwoSteps, expected_cost,
};
use thrifty_check::InputError;
use thrifty_linear::{Basis, Coefficients, Polynomial};
use thrifty_sampling::{Seed, Stream};

fn cubic() -> Polynomial {
    Polynomial::of_one(3, 0.5)
}

fn controls(count: usize) -> Controls {
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    Controls::new(Controls::grid(1, count).as_ref(), &cubic(), &cubic(), noise).unwrap()
}

fn decision(count: usize) -> Decision {
    Decision::new(0.16, controls(count), Quadrature::ACCURATE).unwrap()
}

/// Appendix D.1.
fn prior() -> State {
    State {
        score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4]).unwrap(),
        cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0]).unwrap(),
    }
}

/// A belief after some runs that the prior itself might have given.
fn state(runs: usize, seed: u64) -> State {
    let (controls, mut rng) = (controls(11), Seed(seed).stream("runs", 0));
    let mut state = prior();
    for _ in 0..runs {
        let (u, z, w) = (rng.index(11), normal(&mut rng), normal(&mut rng));
        let (mean, variance) = state.score.moments(controls.score(u));
        let (cost, spread) = state.cost.moments(controls.cost(u));
        state.learn(&controls, u, mean + z * variance.sqrt(), cost + w * spread.sqrt()).unwrap();
    }
    state
}

/// Value of a first training at a control if every score is then known for nothing: more than any number of
/// trainings. Five standard errors above a mean of draws.
fn with_everything_known(decision: &Decision, state: &State, first: usize) -> f64 {
    const DRAWS: usize = 4000;
    let (root, controls) = (state.score.square_root().unwrap(), decision.controls());
    let mut rng = Seed(5).stream("truths", 0);
    let best: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let z: Vec<f64> = (0..4).map(|_| normal(&mut rng)).collect();
            let truth =
                |i: usize| state.score.mean()[i] + (0..4).map(|j| root[4 * i + j] * z[j]).sum::<f64>();
            let truth: Vec<f64> = (0..4).map(truth).collect();
            let score = |u: usize| controls.score(u).iter().zip(&truth).map(|(f, a)| f * a).sum::<f64>();
            (0..controls.len()).map(score).fold(f64::NEG_INFINITY, f64::max)
        })
        .collect();
    let mean = best.iter().sum::<f64>() / DRAWS as f64;
    let variance = best.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / (DRAWS - 1) as f64;
    mean + 5.0 * (variance / DRAWS as f64).sqrt() - 0.16 * state.cost_at(controls, first)
}

fn normal(rng: &mut Stream) -> f64 {
    StandardNormal.sample(rng)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The value never decreases with the horizon, and never exceeds that of perfect information.
    #[test]
    fn more_trainings_are_worth_no_less(runs in 0_usize..4, seed in 0_u64..1000) {
        let (decision, state) = (decision(9), state(runs, seed));
        let one = decision.one_step(&state);
        let two = decision.two_steps(&state);
        for (a, b) in one.of_controls.iter().zip(&two.of_controls) {
            prop_assert!(b >= &(a - 1e-9), "{a} {b}");
        }
        // `steps` is never below two by construction; one training and then V₂ is not, but for its quadrature.
        let three =
            decision.on_the_fly(&state, 1, &TwoSteps(&decision), &Expectation::DEFAULT).unwrap();
        for (a, b) in two.of_controls.iter().zip(&three.of_controls) {
            prop_assert!(b >= &(a - 2e-3), "{a} {b}");
        }
        for (u, three) in three.of_controls.iter().enumerate() {
            let all = with_everything_known(&decision, &state, u);
            prop_assert!(*three <= all, "{three} {all}");
        }
    }

    /// A score that is everywhere larger by c is worth c more.
    #[test]
    fn values_shift_with_the_score(runs in 0_usize..4, seed in 0_u64..1000, shift in -3.0..3.0_f64) {
        let (decision, state) = (decision(9), state(runs, seed));
        let mut mean = state.score.mean().to_vec();
        mean[0] += shift;
        let moved = State { score: state.score.with_mean(mean).unwrap(), cost: state.cost.clone() };
        let (a, b) = (decision.two_steps(&state), decision.two_steps(&moved));
        for (a, b) in a.of_controls.iter().zip(&b.of_controls) {
            prop_assert!((b - a - shift).abs() < 1e-9);
        }
        prop_assert!((decision.one_step(&moved).value() - decision.one_step(&state).value() - shift).abs() < 1e-12);
    }

    /// Stopping at what is certain is the same as one step; a constant that nothing reaches leaves nothing to the score.
    #[test]
    fn one_step_or_a_constant_has_its_limits(runs in 0_usize..4, seed in 0_u64..1000) {
        let (decision, state) = (decision(9), state(runs, seed));
        let (one, low, high) =
            (decision.one_step(&state), decision.one_step_or(&state, -50.0), decision.one_step_or(&state, 50.0));
        for u in 0..9 {
            prop_assert!((low.of_controls[u] - one.of_controls[u]).abs() < 1e-9);
            let cost = state.cost_at(decision.controls(), u);
            prop_assert!((high.of_controls[u] - 50.0 + 0.16 * cost).abs() < 1e-9);
        }
    }

    /// Learning never adds doubt, in any direction.
    #[test]
    fn learning_never_adds_doubt(runs in 1_usize..5, seed in 0_u64..1000, direction in prop::collection::vec(-1.0..1.0_f64, 4)) {
        let (before, after) = (state(runs - 1, seed), state(runs, seed));
        for (a, b) in [(&before.score, &after.score), (&before.cost, &after.cost)] {
            prop_assert!(b.moments(&direction).1 <= a.moments(&direction).1 + 1e-12);
        }
    }
}

/// Lemma C.1: between what the norms of the coefficients allow. The paper forgets the noise of the cost in the lower bound.
#[test]
fn values_are_bounded_by_what_coefficients_allow() {
    let (decision, controls) = (decision(9), controls(9));
    let longest = |of: &dyn Fn(usize) -> Vec<f64>| {
        (0..9).map(|u| of(u).iter().map(|f| f * f).sum::<f64>().sqrt()).fold(0.0, f64::max)
    };
    let (phi, psi) = (longest(&|u| controls.score(u).to_vec()), longest(&|u| controls.cost(u).to_vec()));
    // E‖a‖ ≤ (‖μ‖² + tr Σ)^½.
    let norm = |belief: &Coefficients| {
        let trace: f64 = (0..4).map(|i| belief.covariance()[5 * i]).sum();
        (belief.mean().iter().map(|m| m * m).sum::<f64>() + trace).sqrt()
    };
    let noise = 0.16 * 0.1 / std::f64::consts::TAU.sqrt();
    for seed in 0..20 {
        let state = state(seed as usize % 4, seed);
        let upper = norm(&state.score) * phi;
        let lower = -upper - 0.16 * norm(&state.cost) * psi - noise;
        let value = decision.steps(&state, 3, &Expectation::DEFAULT).unwrap().value();
        assert!((lower..=upper).contains(&value), "{lower} {value} {upper}");
    }
    // Without anything to hope for, the noise of the cost is what is paid.
    let nothing = Coefficients::independent(vec![0.0; 4], &[0.0; 4]).unwrap();
    let nothing = State { score: nothing.clone(), cost: nothing };
    assert!((decision.one_step(&nothing).value() + noise).abs() < 1e-15);
    assert!((decision.two_steps(&nothing).value() + noise).abs() < 1e-9);
}

/// Simulated trainings: earnings with expected for paid costs, the innovations of the first training, and how far the last
/// expected score came out from what was expected of it.
fn earned(decision: &Decision, first: usize, again: bool, rng: &mut Stream) -> (f64, [f64; 3]) {
    let (mut state, controls) = (prior(), decision.controls());
    let mut paid = 0.0;
    let mut train = |state: &mut State, u: usize| {
        let (mean, variance) = state.score.moments(controls.score(u));
        let (cost, spread) = state.cost.moments(controls.cost(u));
        let innovations = [normal(rng), normal(rng)];
        paid += state.cost_at(controls, u);
        let h = mean + innovations[0] * (variance + controls.score_noise(u)).sqrt();
        let t = cost + innovations[1] * (spread + controls.cost_noise(u)).sqrt();
        state.learn(controls, u, h, t).unwrap();
        (state.score_at(controls, u), innovations)
    };
    let (mut score, [z, w]) = train(&mut state, first);
    let (next, mut surprise) = (decision.one_step(&state), 0.0);
    if again && next.value() > score {
        let expected = state.score_at(controls, next.best);
        score = train(&mut state, next.best).0;
        surprise = score - expected;
    }
    (score - 0.16 * paid, [z, w, surprise])
}

/// Mean and standard error after what functions of the first innovations explain was taken out that have a mean of 0.
fn controlled(runs: &[(f64, [f64; 3])]) -> (f64, f64) {
    // Hinges less their means, E[max(Z - c, 0)] = h(-c): of both innovations, and products of the two.
    let hinges =
        |z: f64| [-1.5, -0.75, -0.3, 0.0, 0.3, 0.75, 1.5].map(|c| (z - c).max(0.0) - expected_cost(-c, 1.0));
    let functions = |[z, w, surprise]: [f64; 3]| {
        let (of_z, of_w) = (hinges(z), hinges(w));
        let mut all = vec![1.0, z, w, surprise];
        all.extend(of_z.iter().chain(&of_w));
        for a in [z].iter().chain(&of_z) {
            all.extend([w].iter().chain(&of_w).map(|b| a * b));
        }
        all
    };
    let n = functions([0.0; 3]).len();
    let mut belief = Coefficients::independent(vec![0.0; n], &vec![100.0; n]).unwrap();
    for (value, innovations) in runs {
        belief.update(&functions(*innovations), *value, 1.0).unwrap();
    }
    let left: f64 = runs
        .iter()
        .map(|(value, innovations)| (value - belief.moments(&functions(*innovations)).0).powi(2))
        .sum();
    let count = runs.len() as f64;
    (belief.mean()[0], (left / count).sqrt() / count.sqrt())
}

/// The value is what the policy earns, on average over truths drawn from the prior: once, and once or twice.
#[test]
fn horizons_are_worth_what_their_policies_earn() {
    let decision = decision(21);
    let (one, two) = (decision.one_step(&prior()), decision.two_steps(&prior()));
    let mut rng = Seed(11).stream("truths", 0);
    for (values, again) in [(&one, false), (&two, true)] {
        let runs: Vec<_> = (0..20_000).map(|_| earned(&decision, values.best, again, &mut rng)).collect();
        let (mean, error) = controlled(&runs);
        assert!(error < 1e-3, "{error}");
        // One training is a straight line in its innovation: only rounding and the prior of the fit remain.
        assert!(
            (mean - values.value()).abs() < 4.0 * error + 1e-6,
            "{mean} ± {error} against {}",
            values.value()
        );
        // Precise enough to separate one horizon from the other.
        assert!(two.value() - one.value() > 6.0 * error);
    }
}

#[test]
fn free_training_is_worth_the_best_of_all() {
    // Without cost and nearly without noise two trainings see two scores and keep the better.
    let decision = Decision::new(0.0, controls(2), Quadrature::ACCURATE).unwrap();
    let independent = State {
        // Two controls, 0 and 1, whose scores are a - b/2 and a + b/2: independent and of variance 1.
        score: Coefficients::independent(vec![0.0; 4], &[0.5, 2.0, 0.0, 0.0]).unwrap(),
        cost: prior().cost,
    };
    let value = decision.two_steps(&independent).value();
    // First X, known; then the other if that is negative: E[max(X, 0)] = φ(0), less a little for the noise.
    let known = (1.0_f64 / 1.0025).sqrt();
    assert!((value - known * 0.398_942_280_401_432_7).abs() < 1e-6, "{value}");
}

#[test]
fn bad_input_is_named() {
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    let message = |error: AutoBctError| error.to_string();
    let none = thrifty_domain::Points::new(1);
    assert_eq!(
        Controls::new(none.as_ref(), &cubic(), &cubic(), noise),
        Err(InputError::Empty { name: "controls" }.into())
    );
    let outside = thrifty_domain::Points::from_flat(vec![0.5, 1.5], 1);
    let error = Controls::new(outside.as_ref(), &cubic(), &cubic(), noise).unwrap_err();
    assert!(message(error).contains("control 1 is [1.5]"));
    let silent = |_: &[f64]| NoiseStdDev { score: 0.0, cost: 0.1 };
    let error = Controls::new(Controls::grid(1, 3).as_ref(), &cubic(), &cubic(), silent).unwrap_err();
    assert!(message(error).contains("noise of the score is 0"));
    assert!(message(Decision::new(-1.0, controls(3), Quadrature::ACCURATE).unwrap_err()).contains("γ is -1"));
    let mut state = prior();
    let before = state.clone();
    assert!(state.learn(&controls(3), 1, 0.4, f64::NAN).is_err());
    assert_eq!(state, before);
    assert!(decision(3).steps(&state, 0, &Expectation::DEFAULT).is_err());
}

#[test]
fn grids_have_every_combination() {
    let grid = Controls::grid(2, 3);
    assert_eq!(grid.len(), 9);
    assert_eq!((grid.row(1), grid.row(3)), (&[0.0, 0.5][..], &[0.5, 0.0][..]));
    assert_eq!(Controls::grid(1, 1).row(0), [0.5]);
    assert_eq!(cubic().len(), 4);
}
