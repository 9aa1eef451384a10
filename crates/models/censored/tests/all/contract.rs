//! The contract of surrogates, on the censored process.

use thrifty_censored::CensoredGpSurrogate;
use thrifty_domain::Domain;
use thrifty_gp::{Conditioning, GpSurrogate};
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_surrogate::{Observations, Prediction, Surrogate, contract};

#[test]
fn the_censored_process_is_a_surrogate() {
    contract::surrogate(&CensoredGpSurrogate::above(-1e300));
    contract::surrogate(&CensoredGpSurrogate::above(0.8));
}

/// Mean and variance of a fit to 60 responses, some at the floor, under a process.
fn of_sixty(process: GpSurrogate) -> (u64, u64) {
    let surrogate = CensoredGpSurrogate { process, ..CensoredGpSurrogate::above(0.0) };
    let x = latin_hypercube(60, 2, &mut Seed(1).stream("data", 0));
    let y: Vec<f64> = x.rows().map(|p| (5.0 * p[0]).sin() + p[1]).collect();
    assert!(y.iter().any(|y| *y < 0.0), "some are cut off");
    let (data, mut rng) = (Observations::new(x.as_ref(), &y), Seed(1).stream("fit", 0));
    let fitted = surrogate.fit(&Domain::unit_cube(2), data, None, &mut rng).unwrap();
    let Prediction { mean, variance } = fitted.posterior().predict(&[0.4, 0.7]);
    (mean.to_bits(), variance.to_bits())
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
