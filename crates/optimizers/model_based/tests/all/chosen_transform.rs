//! The transform of losses under which the model predicts best.

use thrifty_domain::Domain;
use thrifty_model_based::{GpSurrogate, LossTransform, OutputFitter, StateSettings, SurrogateState};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{Memo, MemoKey, Trial, TrialId};
use thrifty_surrogate::{
    Description, FittedSurrogate, Observations, Posterior, Prediction, Surrogate, SurrogateError,
};

/// The choice in a memo: 0 for losses as they are.
static TRANSFORM: MemoKey<f64> = MemoKey::new("transform");

fn trials(losses: &dyn Fn(f64) -> f64) -> Vec<Trial<Config>> {
    some_trials(24, losses)
}

fn some_trials(count: u64, losses: &dyn Fn(f64) -> f64) -> Vec<Trial<Config>> {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let one = |i: u64| {
        let spread = (i as f64 * 0.618_034 + 0.1).fract();
        // Two of three near 0.3, as in a search that has found the minimum there.
        let x = if i.is_multiple_of(3) { spread } else { 0.3 + 0.04 * (spread - 0.5) };
        Trial::new(TrialId(i), space.decode(&[x]), Some(losses(x).into()))
    };
    (0..count).map(one).collect()
}

fn with<T>(
    surrogate: &dyn Surrogate,
    losses: LossTransform,
    trials: &[Trial<Config>],
    look: impl FnOnce(&SurrogateState<'_>) -> T,
) -> T {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let (seed, id, trials) = (Seed(2), TrialId(20), trials.iter().collect());
    let fitter = OutputFitter { space: &space, surrogate, weight_surrogate: surrogate, trials, seed, id };
    let settings = StateSettings { losses, ..StateSettings::default() };
    look(&SurrogateState::fit(&fitter, settings).unwrap().expect("losses"))
}

fn moments(state: &SurrogateState<'_>) -> Vec<Prediction> {
    (0..=20).map(|i| state.posterior().predict(&[f64::from(i) / 20.0])).collect()
}

fn memo(state: &SurrogateState<'_>) -> Memo {
    state.memo()
}

/// λ of the transform that is chosen; nothing for losses as they are.
fn lambda(trials: &[Trial<Config>]) -> Option<f64> {
    with(&GpSurrogate::default(), LossTransform::Chosen, trials, |state| state.transform().map(|t| t.lambda))
}

/// A wave with its minimum at 0.3: a search leaves most losses near the least.
fn wave(x: f64) -> f64 {
    -(7.0 * (x - 0.3)).cos() + 0.3 * x
}

/// The exponential of such a wave.
fn skewed(x: f64) -> f64 {
    (4.0 * wave(x)).exp()
}

/// A wave stays as it is, however many losses are near the least; the exponential of a wave is drawn in.
#[test]
fn the_transform_is_chosen_by_what_it_predicts() {
    assert_eq!(lambda(&trials(&wave)), None);
    assert!(lambda(&trials(&skewed)).is_some_and(|lambda| lambda < 0.5));
    // Both would be drawn in by their distribution.
    let of_upper_half = |losses: &dyn Fn(f64) -> f64| {
        let surrogate = GpSurrogate::default();
        with(&surrogate, LossTransform::UpperHalf, &trials(losses), |state| state.transform().unwrap().lambda)
    };
    assert!(of_upper_half(&wave) < 0.5 && of_upper_half(&skewed) < 0.5);
}

/// Losses in other units, and from another zero: the same choice.
#[test]
fn the_choice_does_not_depend_on_units() {
    for (offset, unit) in [(0.0, 1e-9), (7.0, 1e-3), (-3e4, 1e3), (1e9, 1e9)] {
        assert_eq!(lambda(&trials(&|x| offset + unit * wave(x))), None, "{offset} {unit}");
        let drawn_in = lambda(&trials(&|x| offset + unit * skewed(x)));
        assert!(drawn_in.is_some_and(|lambda| lambda < 0.5), "{offset} {unit}: {drawn_in:?}");
    }
}

/// The model is that of the transform alone, up to the start of its fit, and losses come back in their units.
#[test]
fn the_model_is_that_of_the_chosen_transform() {
    let surrogate = GpSurrogate::default();
    for (losses, chosen) in
        [(&wave as &dyn Fn(f64) -> f64, LossTransform::None), (&skewed, LossTransform::UpperHalf)]
    {
        let trials = trials(losses);
        let found = with(&surrogate, LossTransform::Chosen, &trials, |state| {
            for (loss, trial) in state.losses().iter().zip(&trials) {
                let expected = losses(trial.query.float("x").unwrap());
                let found = state.loss_of(*loss);
                assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{found} {expected}");
            }
            moments(state)
        });
        if chosen == LossTransform::None {
            let alone = with(&surrogate, chosen, &trials, moments);
            for (a, b) in found.iter().zip(&alone) {
                let scale = 1e-3 * (1.0 + b.mean.abs());
                assert!((a.mean - b.mean).abs() < scale, "{chosen:?}: {a:?} {b:?}");
            }
        }
    }
}

/// Hyperparameters of both models are remembered, for the next fit starts from them, and the choice.
#[test]
fn both_models_are_remembered() {
    let surrogate = GpSurrogate::default();
    for (losses, choice) in [(&wave as &dyn Fn(f64) -> f64, 0.0), (&skewed, 1.0)] {
        let remembered = with(&surrogate, LossTransform::Chosen, &trials(losses), memo);
        for name in ["model", "losses as they are"] {
            let values = remembered.get(&MemoKey::<Vec<f64>>::named(name));
            assert!(values.is_some_and(|values| values.len() >= 3), "{name}");
        }
        assert_eq!(remembered.get(&TRANSFORM), Some(choice));
    }
}

/// The last choice is kept beyond 50 losses until there are a fifth more, whatever predicts better, and nothing of the other model is remembered.
/// Then, and where none was made, it is made.
#[test]
fn the_choice_is_kept_until_there_are_a_fifth_more() {
    let surrogate = GpSurrogate::default();
    let chosen_from = MemoKey::<f64>::new("transform chosen from");
    for (count, before, is_kept) in
        [(50, 50, false), (51, 50, true), (59, 50, true), (60, 50, false), (83, 70, true), (84, 70, false)]
    {
        for last in [0.0, 1.0] {
            let mut trials = some_trials(count, &skewed);
            for (at, choice) in [(20, 1.0 - last), (40, last)] {
                trials[at].memo.set(&TRANSFORM, &choice);
                trials[at].memo.set(&chosen_from, &f64::from(before));
            }
            let (bent, remembered) = with(&surrogate, LossTransform::Chosen, &trials, |state| {
                (state.transform().is_some(), state.memo())
            });
            let expected = if is_kept { (last, f64::from(before)) } else { (1.0, count as f64) };
            let found = [&TRANSFORM, &chosen_from].map(|key| remembered.get(key).unwrap());
            assert_eq!((bent, found), (expected.0 == 1.0, expected.into()), "{count} {last}");
            let [model, straight] = ["model", "losses as they are"].map(MemoKey::<Vec<f64>>::new);
            let found = (remembered.contains(&model), remembered.contains(&straight));
            assert_eq!(found, if is_kept { (bent, !bent) } else { (true, true) }, "{count} {last}");
        }
    }
    let chosen = with(&surrogate, LossTransform::Chosen, &some_trials(101, &wave), memo);
    assert_eq!(chosen.get(&TRANSFORM), Some(0.0), "none was made before");
}

/// A surrogate that predicts each of its data alike, or none of them.
struct Mute {
    process: GpSurrogate,
    prediction: Option<Prediction>,
}

struct MuteFit {
    fitted: Box<dyn FittedSurrogate>,
    predictions: Option<Vec<Prediction>>,
}

impl Surrogate for Mute {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let fitted = self.process.fit(domain, data, warm_start, rng)?;
        let predictions = self.prediction.map(|prediction| vec![prediction; data.len()]);
        Ok(Box::new(MuteFit { fitted, predictions }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.process.describe()
    }
}

impl FittedSurrogate for MuteFit {
    fn posterior(&self) -> &dyn Posterior {
        self.fitted.posterior()
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.fitted.hyperparameters()
    }

    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        self.predictions.clone()
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.fitted.fantasize(x, y)
    }
}

/// Nothing to choose by, since the data are not predicted, or with variances that are no numbers: the upper half, to the bit.
#[test]
fn a_model_that_does_not_predict_its_data_has_the_upper_half() {
    for variance in [None, Some(f64::NAN), Some(0.0)] {
        let prediction = variance.map(|variance| Prediction { mean: 0.0, variance });
        let mute = Mute { process: GpSurrogate::default(), prediction };
        for losses in [&wave as &dyn Fn(f64) -> f64, &skewed] {
            let of = |transform| with(&mute, transform, &trials(losses), moments);
            assert_eq!(of(LossTransform::Chosen), of(LossTransform::UpperHalf), "{variance:?}");
        }
    }
}
