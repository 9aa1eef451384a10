//! The model for responses that are cut off.

use thrifty_bo::GpSurrogate;

use thrifty_censored::CensoredGpSurrogate;
use thrifty_domain::Points;
use thrifty_model_based::surrogate_fingerprint;
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::Space;
use thrifty_surrogate::{FittedSurrogate, Observations, Prediction, Surrogate};

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
