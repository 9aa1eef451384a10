//! Starts and known noise: hyperparameters of an earlier fit, variances beside the common one, one more value.

use thrifty_censored::{CensoredGp, CensoredGpSurrogate, CensoredPosterior, Response};
use thrifty_domain::{Domain, Points};
use thrifty_gp::{Gp, GpSettings, GpSurrogate, Mean, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Observations, Posterior, Prediction, Surrogate};

type Process = Gp<Scaled<Matern52>>;

fn line(n: usize) -> Points {
    Points::from_flat((0..n).map(|i| i as f64 / (n - 1) as f64).collect(), 1)
}

fn responses() -> Vec<Response> {
    line(9).rows().map(|x| Response::clipped((6.0 * x[0]).cos() + 0.2, 0.0)).collect()
}

/// A process whose noise and mean are learnt beside lengthscale and variance.
fn learnt(change: impl Fn(&mut GpSettings)) -> Process {
    let mut settings = GpSettings {
        noise: Noise::Learned { start: 0.05, floor: 1e-6, ceiling: 1.0, prior: None },
        mean: Mean::Learned,
        standardize_targets: false,
        ..GpSettings::default()
    };
    change(&mut settings);
    Gp::new(Scaled::new(Matern52::new(vec![0.4]).unwrap(), 1.3).unwrap()).with_settings(settings)
}

fn fixed(noise: f64, standardize_targets: bool) -> Process {
    learnt(|s| {
        (s.noise, s.mean, s.standardize_targets) = (Noise::Fixed(noise), Mean::Zero, standardize_targets);
    })
}

fn condition(model: &CensoredGp<Scaled<Matern52>>) -> CensoredPosterior<Scaled<Matern52>> {
    model.condition(line(9).as_ref(), &responses()).unwrap()
}

fn close(a: Prediction, b: Prediction, tolerance: f64) -> bool {
    (a.mean - b.mean).abs() <= tolerance && (a.variance - b.variance).abs() <= tolerance
}

/// Conditioning takes the hyperparameters of the warm start as they are, within their bounds; others are ignored.
#[test]
fn conditioning_takes_the_hyperparameters_of_the_start() {
    let model = CensoredGp::new(learnt(|_| ()));
    let own = condition(&model).hyperparameters();
    assert_eq!(own.len(), 4);
    let given: Vec<f64> = own.iter().map(|value| 0.9 * value + 0.01).collect();
    let warm = |start: &[f64]| condition(&model.clone().warm_started(start.to_vec()));
    assert_eq!(warm(&given).hyperparameters(), given);
    assert!(!close(warm(&given).predict(&[0.42]), condition(&model).predict(&[0.42]), 1e-3));
    for ignored in [vec![], given[1..].to_vec(), vec![f64::NAN; 4], [&given[1..], &[f64::INFINITY]].concat()]
    {
        assert_eq!(warm(&ignored).hyperparameters(), own, "{ignored:?}");
    }
    let (low, high): (Vec<f64>, Vec<f64>) =
        condition(&model).params().iter().map(|param| (param.low, param.high)).unzip();
    assert_eq!(warm(&[-1e300; 4]).hyperparameters(), low);
    assert_eq!(warm(&[1e300; 4]).hyperparameters(), high);
}

/// A fit begins at the hyperparameters of the warm start: after one evaluation it is still there.
#[test]
fn fits_begin_at_the_start() {
    let x = line(9);
    let model = CensoredGp::new(learnt(|s| (s.restarts, s.max_evaluations) = (1, 1)));
    let given: Vec<f64> = condition(&model).hyperparameters().iter().map(|v| 0.9 * v + 0.01).collect();
    let fit = |model: &CensoredGp<_>| {
        model.fit(x.as_ref(), &responses(), &mut Seed(1).stream("fit", 0)).unwrap().restarts().to_vec()
    };
    let starts = fit(&model.clone().warm_started(given.clone()));
    assert_eq!((starts.len(), &starts[0].start), (2, &given));
    assert!(starts[0].end.iter().zip(&given).all(|(end, start)| (end - start).abs() < 1e-9 * (1.0 + start)));
    assert_ne!(fit(&model)[0].start, given);
    // As a surrogate.
    let y: Vec<f64> = responses().iter().map(|response| response.number()).collect();
    let process = GpSurrogate {
        settings: GpSettings { restarts: 0, max_evaluations: 1, ..learnt(|_| ()).settings().clone() },
        ..GpSurrogate::default()
    };
    let surrogate = CensoredGpSurrogate { process, ..CensoredGpSurrogate::above(0.0) };
    let hyperparameters = |start: Option<&[f64]>| {
        let data = Observations::new(x.as_ref(), &y);
        let mut rng = Seed(1).stream("fit", 0);
        surrogate.fit(&Domain::unit_cube(1), data, start, &mut rng).unwrap().hyperparameters()
    };
    let own = hyperparameters(None);
    let given: Vec<f64> = own.iter().map(|v| 0.9 * v + 0.01).collect();
    let near =
        hyperparameters(Some(&given)).iter().zip(&given).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + b));
    assert!(near, "{given:?} {:?}", hyperparameters(Some(&given)));
}

/// Known noise adds to the common one, for values and bounds, in the square of the unit of the responses.
#[test]
fn known_noise_adds_to_the_common_noise() {
    let x = line(9);
    let with = |common: f64, known: f64, standardize: bool, unit: f64| {
        let scaled: Vec<Response> = responses()
            .iter()
            .map(|response| match response {
                Response::Value(y) => Response::Value(unit * y),
                Response::AtMost(c) => Response::AtMost(unit * c),
                Response::AtLeast(c) => Response::AtLeast(unit * c),
            })
            .collect();
        CensoredGp::new(fixed(common, standardize))
            .condition_with_noise(x.as_ref(), &scaled, &[known * unit * unit; 9])
            .unwrap()
    };
    for at in [[0.1], [0.42], [0.77]] {
        let expected = with(0.3, 0.0, false, 1.0).predict(&at);
        assert!(close(with(0.1, 0.2, false, 1.0).predict(&at), expected, 1e-7), "{at:?}");
        assert!(!close(with(0.1, 0.0, false, 1.0).predict(&at), expected, 1e-3), "{at:?}");
        let Prediction { mean, variance } = with(0.1, 0.2, true, 1.0).predict(&at);
        let wide = with(0.1, 0.2, true, 50.0).predict(&at);
        let back = Prediction { mean: wide.mean / 50.0, variance: wide.variance / 2500.0 };
        assert!(close(back, Prediction { mean, variance }, 1e-7), "{at:?}");
    }
    assert!(
        (with(0.1, 0.2, false, 1.0).log_likelihood() - with(0.3, 0.0, false, 1.0).log_likelihood()).abs()
            < 1e-7
    );
    // On the scale of the responses, where targets are standardised.
    let (narrow, wide) = (with(0.1, 0.0, true, 1.0), with(0.1, 0.0, true, 50.0));
    assert!((wide.noise_variance() / narrow.noise_variance() - 2500.0).abs() < 1e-6);
    assert!((with(0.1, 0.0, false, 1.0).noise_variance() - 0.1).abs() < 1e-12);
}

/// One more value pulls the mean by its share of the variance; likelihood and hyperparameters are those of before.
#[test]
fn one_more_value_is_conditioned_on() {
    let noise = 0.05;
    let before = condition(&CensoredGp::new(fixed(noise, false)));
    let after = before.with_observation(&[0.42], 3.0).unwrap();
    let (was, is) = (before.predict(&[0.42]), after.predict(&[0.42]));
    let share = was.variance / (was.variance + noise);
    assert!((is.mean - (was.mean + share * (3.0 - was.mean))).abs() < 1e-9, "{was:?} {is:?}");
    assert!((is.variance - was.variance * (1.0 - share)).abs() < 1e-9, "{was:?} {is:?}");
    assert_eq!(after.log_likelihood(), before.log_likelihood());
    assert_eq!((after.sweeps(), after.converged(), after.dim()), (before.sweeps(), true, 1));
    assert!(before.sweeps() > 1 && after.restarts().is_empty());
}

/// Kinds of responses by their definition.
#[test]
fn responses_are_values_or_bounds() {
    assert_eq!(
        (Response::sign(true), Response::sign(false)),
        (Response::AtLeast(0.0), Response::AtMost(0.0))
    );
    let clipped = [0.4, 0.5, 0.6].map(|y| Response::clipped(y, 0.5));
    assert_eq!(clipped, [Response::AtMost(0.5), Response::AtMost(0.5), Response::Value(0.6)]);
    for (response, negated) in [
        (Response::Value(2.0), Response::Value(-2.0)),
        (Response::AtMost(2.0), Response::AtLeast(-2.0)),
        (Response::AtLeast(2.0), Response::AtMost(-2.0)),
    ] {
        assert_eq!((response.negated(), response.number(), negated.number()), (negated, 2.0, -2.0));
    }
}
