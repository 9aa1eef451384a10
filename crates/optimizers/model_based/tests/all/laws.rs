//! Laws of surrogate states: weights, targets, fantasies, warm starts, choice.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_model_based::{
    Candidate, CostAwareness, GpSurrogate, InitialDesign, Maximizer, OutputFitter, StateSettings,
    SurrogateState,
};
use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Fingerprint, History, MaxTrials, Measurement, Memo, MemoKey, Optimizer, OptimizerError, Study,
    Suggestion, Trial, TrialId,
};

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn at(config: &Config) -> f64 {
    config.float("x").unwrap()
}

/// Suggests given points in order.
struct Given(Vec<f64>);

impl Optimizer for Given {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, _: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(line().decode(&[self.0[id.0 as usize]]))))
    }

    fn recommend(&mut self, _: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("given"))
    }
}

/// A parabola with a constraint x ≥ 0.3 and a cost that grows with x.
fn history(points: &[f64]) -> History<Config> {
    let mut study = Study::new(Given(points.to_vec()), Seed(2)).with_stop(MaxTrials(points.len()));
    study
        .run(|config, _| {
            let x = at(config);
            let cost = Some((3.0 * x).exp());
            Measurement { constraints: vec![0.3 - x], cost, ..Measurement::from((x - 0.2).powi(2)) }
        })
        .unwrap();
    study.history().clone()
}

const POINTS: [f64; 7] = [0.02, 0.15, 0.34, 0.5, 0.66, 0.81, 0.98];

fn with_state<T>(
    history: &History<Config>,
    settings: StateSettings,
    look: impl FnOnce(&SurrogateState<'_>) -> T,
) -> T {
    let (space, surrogate) = (line(), GpSurrogate::default());
    let trials: Vec<&Trial<Config>> = history.trials().iter().collect();
    let (seed, id) = (history.seed(), TrialId(history.len() as u64));
    let fitter =
        OutputFitter { space: &space, surrogate: &surrogate, weight_surrogate: &surrogate, trials, seed, id };
    look(&SurrogateState::fit(&fitter, settings).unwrap().expect("measurements"))
}

fn settings(cost: CostAwareness) -> StateSettings {
    StateSettings {
        initial: InitialDesign::Sobol(3),
        maximizer: Maximizer { raw: 64, around_best: 4, climbs: 2 },
        cost,
        ..StateSettings::default()
    }
}

/// The weight is the probability of being feasible, divided by the cost where it counts.
#[test]
fn weights_are_probabilities_per_cost() {
    let history = history(&POINTS);
    let x = |i: i32| [f64::from(i) / 20.0];
    let free: Vec<f64> = with_state(&history, settings(CostAwareness::Ignore), |state| {
        (0..=20)
            .map(|i| {
                let weight = state.weight(&x(i));
                assert!((0.0..=1.0).contains(&weight));
                assert!((weight - state.probability_feasible(&x(i)).unwrap()).abs() < 1e-12);
                assert_eq!(state.expected_cost(&x(i)), None);
                weight
            })
            .collect()
    });
    assert!(free[1] < 0.05 && free[12] > 0.95, "{free:?}");
    with_state(&history, settings(CostAwareness::PerUnit { exponent: 1.0 }), |state| {
        for i in 6..=18 {
            let cost = state.expected_cost(&x(i)).unwrap();
            let truth = (3.0 * x(i)[0]).exp();
            assert!((cost / truth - 1.0).abs() < 0.2, "{cost} {truth}");
            let ratio = state.weight(&x(i)) * truth / free[i as usize];
            assert!((ratio - 1.0).abs() < 0.3, "{ratio}");
        }
    });
}

/// Targets are among feasible points; fantasies change variances and no mean.
#[test]
fn targets_and_fantasies() {
    let history = history(&POINTS);
    with_state(&history, settings(CostAwareness::Ignore), |state| {
        let feasible = state.losses().iter().zip(state.feasible()).filter(|(_, feasible)| **feasible);
        let least = feasible.map(|(loss, _)| *loss).fold(f64::INFINITY, f64::min);
        assert_eq!(state.target(ImprovementTarget::BestObserved), least);
        assert!(state.losses().iter().any(|loss| *loss < least), "an infeasible point is better");
        assert!((state.loss_of(least) - 0.0196).abs() < 1e-6, "{}", state.loss_of(least));
        let point = thrifty_domain::Points::from_rows(&[[0.58]]).unwrap();
        let after = state.with_fantasies(point.as_ref()).unwrap();
        let (before, after) = (state.posterior().predict(&[0.58]), after.posterior().predict(&[0.58]));
        assert!(
            (before.mean - after.mean).abs() < 1e-6 && after.variance < before.variance,
            "{before:?} {after:?}"
        );
    });
}

/// Chosen points satisfy the known constraint, and no point is chosen twice.
#[test]
fn choices_are_new_and_allowed() {
    let history = history(&POINTS);
    let known = KnownConstraint::new(|config: &Config| at(config) > 0.7);
    let (space, surrogate) = (line(), GpSurrogate::default());
    let trials: Vec<&Trial<Config>> = history.trials().iter().collect();
    let (seed, id) = (history.seed(), TrialId(7));
    let fitter =
        OutputFitter { space: &space, surrogate: &surrogate, weight_surrogate: &surrogate, trials, seed, id };
    let state = SurrogateState::fit(&fitter, settings(CostAwareness::Ignore)).unwrap().unwrap();
    let state = state.with_known_constraint(&known);
    let candidates: Vec<Candidate> = [0.4, 0.81, 0.9].map(|x| Candidate { x: vec![x], value: 0.0 }).to_vec();
    assert_eq!(state.first_allowed(candidates).unwrap().unwrap().x, [0.9]);
    let acquisition = state.acquisition(&AcquisitionKind::default()).unwrap();
    let found = state.maximize(&*acquisition, "acquisition");
    assert!(found[0].value.is_finite() && found[0].x[0] > 0.7, "{:?}", found[0]);
}

fn memo_of(state: &SurrogateState<'_>) -> Memo {
    state.memo()
}

/// A memo has the hyperparameters of every output, from which the next fit starts.
#[test]
fn memos_start_the_next_fit() {
    let mut history = history(&POINTS);
    let cost = CostAwareness::PerUnit { exponent: 1.0 };
    let memo = with_state(&history, settings(cost), memo_of);
    for name in ["model", "constraint 0", "cost"] {
        assert!(memo.get(&MemoKey::<Vec<f64>>::new(name)).is_some_and(|all| !all.is_empty()), "{name}");
    }
    let mut trials = history.trials().to_vec();
    trials[6].memo = memo.clone();
    history = History::from_trials(trials, Seed(2));
    let again = with_state(&history, settings(cost), memo_of);
    let key = MemoKey::<Vec<f64>>::new("model");
    let (first, second) = (memo.get(&key).unwrap(), again.get(&key).unwrap());
    let near = first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-2 * (1.0 + a.abs()));
    assert!(near, "{first:?} {second:?}");
}

/// A trial that is not of the space is an error that names it.
#[test]
fn bad_trials_are_named() {
    let mut trials = history(&POINTS).trials().to_vec();
    trials[3].query = Config::new();
    let (space, surrogate) = (line(), GpSurrogate::default());
    let trials: Vec<&Trial<Config>> = trials.iter().collect();
    let (seed, id) = (Seed(2), TrialId(7));
    let fitter =
        OutputFitter { space: &space, surrogate: &surrogate, weight_surrogate: &surrogate, trials, seed, id };
    let error = SurrogateState::fit(&fitter, StateSettings::default()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("trial 3"), "{error}");
}
