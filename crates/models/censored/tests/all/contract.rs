//! The contract of surrogates, on the censored process.

use thrifty_censored::CensoredGpSurrogate;
use thrifty_domain::{Domain, Points};
use thrifty_gp::{Conditioning, GpSurrogate};
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_surrogate::{FittedSurrogate, Observations, Prediction, Surrogate, contract};

#[test]
fn the_censored_process_is_a_surrogate() {
    contract::surrogate(&CensoredGpSurrogate::above(-1e300));
    contract::surrogate(&CensoredGpSurrogate::above(0.8));
}

/// A fit to 60 responses, some at the floor, under a process.
fn fit_sixty(process: GpSurrogate) -> Box<dyn FittedSurrogate> {
    let surrogate = CensoredGpSurrogate { process, ..CensoredGpSurrogate::above(0.0) };
    let x = latin_hypercube(60, 2, &mut Seed(1).stream("data", 0));
    let y: Vec<f64> = x.rows().map(|p| (5.0 * p[0]).sin() + p[1]).collect();
    assert!(y.iter().any(|y| *y < 0.0), "some are cut off");
    let (data, mut rng) = (Observations::new(x.as_ref(), &y), Seed(1).stream("fit", 0));
    surrogate.fit(&Domain::unit_cube(2), data, None, &mut rng).unwrap()
}

/// Mean and variance of [`fit_sixty`].
fn of_sixty(process: GpSurrogate) -> (u64, u64) {
    let Prediction { mean, variance } = fit_sixty(process).posterior().predict(&[0.4, 0.7]);
    (mean.to_bits(), variance.to_bits())
}

/// Joint distributions are of as many points as the model is conditioned on at most, also after a fantasy.
#[test]
fn joint_distributions_are_bounded_like_the_model() {
    let limits = [
        (Conditioning::default(), 1000),
        (Conditioning::Subset { size: 20 }, 20),
        (Conditioning::All, usize::MAX),
    ];
    for (conditioning, limit) in limits {
        let fitted = fit_sixty(GpSurrogate { conditioning, ..GpSurrogate::default() });
        assert_eq!(fitted.joint_limit(), limit);
        assert_eq!(fitted.fantasize(&[0.12, 0.45], 0.5).unwrap().joint_limit(), limit);
    }
}

/// The setting of the process holds: a subset of 20 is another model, one of as many as there are is not.
#[test]
fn many_responses_are_conditioned_on_as_the_process_says() {
    let of = |conditioning| of_sixty(GpSurrogate { conditioning, ..GpSurrogate::default() });
    assert_ne!(of(Conditioning::Subset { size: 20 }), of(Conditioning::All), "a subset");
    assert_eq!(of(Conditioning::Subset { size: 60 }), of(Conditioning::All), "all of them");
}

/// The hyperparameters are a maximum, so a process that samples its own has the priors of a maximum here.
#[test]
fn processes_that_sample_have_the_priors_of_the_maximum() {
    assert_eq!(of_sixty(GpSurrogate::noisy()), of_sixty(GpSurrogate::default()));
}

/// Hyperparameters that were learnt from half of a subset are on the scale of the half: the noise is that of a fit to the half alone.
#[test]
fn hyperparameters_are_on_the_scale_on_which_they_were_learnt() {
    // A search: some points everywhere, most near the minimum, so that the half is spread farther than the whole.
    let far = latin_hypercube(20, 2, &mut Seed(1).stream("far", 0));
    let near = latin_hypercube(60, 2, &mut Seed(2).stream("near", 0));
    let mut x = Points::new(2);
    far.rows().for_each(|row| x.push(row));
    near.rows().for_each(|row| x.push(&[0.25 + 0.1 * row[0], 0.55 + 0.1 * row[1]]));
    let rng = &mut Seed(3).stream("noise", 0);
    let mut noise = || rng.uniform() - 0.5;
    let y: Vec<f64> =
        x.rows().map(|row| 10.0 * ((row[0] - 0.3).powi(2) + (row[1] - 0.6).powi(2)) + noise()).collect();
    let domain = Domain::unit_cube(2);
    let surrogate = {
        let conditioning = Conditioning::Subset { size: 32 };
        let process = GpSurrogate { conditioning, ..GpSurrogate::default() };
        CensoredGpSurrogate { process, ..CensoredGpSurrogate::above(-0.2) }
    };
    let fit = |(x, y): &(Points, Vec<f64>)| {
        let data = Observations::new(x.as_ref(), y);
        surrogate.fit(&domain, data, None, &mut Seed(1).stream("fit", 0)).unwrap()
    };
    // All targets at the floor count alike in the choice.
    let y: Vec<f64> = y.iter().map(|y| y.max(-0.2)).collect();
    let process = surrogate.process.process_for(&domain, x.as_ref()).unwrap();
    let some = |(x, y): &(Points, Vec<f64>), size| {
        let (mut points, mut targets) = (Points::new(2), Vec::new());
        for i in process.subset(x.as_ref(), y, size).unwrap() {
            points.push(x.row(i));
            targets.push(y[i]);
        }
        (points, targets)
    };
    let all = (x, y);
    let (fitted, alone) = (fit(&all), fit(&some(&some(&all, 32), 16)));
    assert_eq!(fitted.hyperparameters(), alone.hyperparameters(), "learnt from the half");
    assert_eq!(fitted.noise_variance(), alone.noise_variance(), "in units of the targets");
}

/// A file with the floor alone has the default for all else.
#[test]
fn a_floor_is_enough() {
    let read = |text: &str| serde_json::from_str::<CensoredGpSurrogate>(text);
    assert_eq!(read(r#"{"floor": -0.5}"#).unwrap(), CensoredGpSurrogate::above(-0.5));
    let small = read(r#"{"floor": 0, "process": {"conditioning": {"subset": {"size": 40}}}}"#).unwrap();
    assert_eq!(small.process.conditioning, Conditioning::Subset { size: 40 });
    assert!(read(r#"{"floor": 0, "flor": 1}"#).is_err() && read("{}").is_err());
}
