//! The model for responses that are cut off.

use std::sync::{Arc, Mutex};

use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, LossTransform};
use thrifty_censored::CensoredGpSurrogate;
use thrifty_domain::{Domain, Points};
use thrifty_model_based::surrogate_fingerprint;
use thrifty_sampling::{Seed, Sobol, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{History, Measurement, Outcome, Trial, TrialId};
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Prediction, Surrogate, SurrogateError};

fn fit(
    model: &dyn Surrogate,
    space: &Space,
    x: &Points,
    y: &[f64],
    warm_start: Option<&[f64]>,
) -> Box<dyn FittedSurrogate> {
    let data = Observations::new(x.as_ref(), y);
    model.fit(space.domain(), data, warm_start, &mut Seed(1).stream("fit", 0)).unwrap()
}

#[test]
fn what_is_cut_off_goes_on_below() {
    let space = Space::builder().float("a", 0.0, 1.0).categorical("c", ["p", "q"]).build().unwrap();
    let x = Sobol::scrambled(space.dim(), &mut Seed(2).stream("design", 0)).take(24);
    let mut snapped = Points::new(space.dim());
    x.rows().for_each(|x| snapped.push(&space.encode(&space.decode(x)).unwrap()));
    let y: Vec<f64> = snapped.rows().map(|x| (2.0 * x[0] - 1.0).max(0.0)).collect();
    let (censored, values) = (CensoredGpSurrogate::above(0.0), GpSurrogate::default());
    let low = space.encode(&space.decode(&vec![0.15; space.dim()])).unwrap();
    let below = fit(&censored, &space, &snapped, &y, None);
    let flat = fit(&values, &space, &snapped, &y, None);
    assert!(below.posterior().predict(&low).mean < -0.05, "{:?}", below.posterior().predict(&low));
    assert!(flat.posterior().predict(&low).mean.abs() < 0.05, "{:?}", flat.posterior().predict(&low));
    // What it notes is where the next fit starts; an imagined response is believed.
    let again = fit(&censored, &space, &snapped, &y, Some(&below.hyperparameters()));
    assert_eq!(again.hyperparameters().len(), below.hyperparameters().len());
    let told = below.fantasize(&low, -0.5).unwrap();
    let Prediction { mean, variance } = told.posterior().predict(&low);
    assert!(
        (mean + 0.5).abs() < 0.2 && variance < below.posterior().predict(&low).variance,
        "{mean} {variance}"
    );
    assert!(below.noise_variance() >= 0.0);
}

#[test]
fn without_anything_at_the_floor_it_is_the_ordinary_model() {
    let space = Space::unit_cube(1);
    let x = Points::from_flat((0..10).map(|i| f64::from(i) / 9.0).collect(), 1);
    let y: Vec<f64> = x.rows().map(|x| (5.0 * x[0]).sin()).collect();
    let (a, b) = (CensoredGpSurrogate::above(-10.0), GpSurrogate::default());
    let (a, b) = (fit(&a, &space, &x, &y, None), fit(&b, &space, &x, &y, None));
    assert_eq!(a.hyperparameters(), b.hyperparameters());
    let (p, q) = (a.posterior().predict(&[0.33]), b.posterior().predict(&[0.33]));
    assert!((p.mean - q.mean).abs() < 1e-10 && (p.variance - q.variance).abs() < 1e-10, "{p:?} {q:?}");
}

#[test]
fn floors_have_fingerprints() {
    let (a, b) = (CensoredGpSurrogate::above(0.0), CensoredGpSurrogate::above(1.0));
    assert_ne!(surrogate_fingerprint(&a).unwrap(), surrogate_fingerprint(&b).unwrap());
    assert_ne!(surrogate_fingerprint(&a).unwrap(), surrogate_fingerprint(&GpSurrogate::default()).unwrap());
}

/// A censored process that notes how many of its observations are bounds.
struct Counting {
    process: CensoredGpSurrogate,
    bounds: Arc<Mutex<Vec<usize>>>,
}

impl Surrogate for Counting {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.bounds.lock().unwrap().push(data.y.iter().filter(|y| **y <= self.process.floor).count());
        self.process.fit(domain, data, warm_start, rng)
    }

    fn on_scale(&self, scale: &dyn Fn(f64) -> f64) -> Option<Box<dyn Surrogate>> {
        let process = CensoredGpSurrogate { floor: scale(self.process.floor), ..self.process.clone() };
        Some(Box::new(Self { process, bounds: Arc::clone(&self.bounds) }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.process.describe()
    }
}

/// Losses at the floor are bounds and all others are values, on the scale of every transform.
#[test]
fn the_floor_is_on_the_scale_of_the_losses() {
    let space = Space::unit_cube(1);
    let trials = |losses: &[f64]| -> History<Config> {
        let of = |(i, loss): (usize, &f64)| {
            Trial::new(
                TrialId(i as u64),
                space.decode(&[(i as f64 + 0.5) / losses.len() as f64]),
                Some(Outcome::from(*loss)),
            )
        };
        History::from_trials(losses.iter().enumerate().map(of).collect(), Seed(1))
    };
    let ten: Vec<f64> = (0..=10).map(f64::from).collect();
    let shifted: Vec<f64> = std::iter::once(50.0).chain((5..15).map(|i| 10.0 * f64::from(i))).collect();
    let wide: Vec<f64> = [-3.0, -3.0].into_iter().chain((0..9).map(|i| 40.0 * f64::from(i))).collect();
    for losses in [
        LossTransform::None,
        LossTransform::UpperTail,
        LossTransform::UpperHalf,
        LossTransform::BothTails,
        LossTransform::Chosen,
    ] {
        for (floor, data, expected) in [(0.0, &ten, 1), (50.0, &shifted, 2), (-3.0, &wide, 2)] {
            let bounds = Arc::new(Mutex::new(Vec::new()));
            let process = CensoredGpSurrogate::above(floor);
            let optimizer = BayesianOptimizer::new(space.clone())
                .with_settings(BoSettings { losses, ..BoSettings::default() })
                .unwrap()
                .with_surrogate(Counting { process, bounds: Arc::clone(&bounds) });
            let history = trials(data);
            assert!(optimizer.state(&history, TrialId(data.len() as u64)).unwrap().is_some());
            assert_eq!(*bounds.lock().unwrap(), [expected], "{losses:?}, floor {floor}");
        }
    }
}

/// Values of a constraint below the floor of the losses are values: the point that kept it and the one that broke it are told apart.
#[test]
fn constraints_have_no_floor() {
    let space = Space::unit_cube(1);
    let measured = [(0.1, -1.0), (0.35, -0.5), (0.65, 0.8), (0.9, 3.0)].into_iter().enumerate();
    let trials = measured.map(|(i, (x, constraint))| {
        Trial::new(
            TrialId(i as u64),
            space.decode(&[x]),
            Some(Outcome::from(Measurement { constraints: vec![constraint], ..Measurement::from(5.0 + x) })),
        )
    });
    let history = History::from_trials(trials.collect(), Seed(1));
    let optimizer = BayesianOptimizer::new(space.clone()).with_surrogate(CensoredGpSurrogate::above(5.0));
    let state = optimizer.state(&history, TrialId(4)).unwrap().unwrap();
    let feasible = |x: f64| state.probability_feasible(&[x]).unwrap();
    assert!(feasible(0.1) > 0.9 && feasible(0.9) < 0.1, "{} {}", feasible(0.1), feasible(0.9));
}
