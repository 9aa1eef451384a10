//! Scaled inputs on domains whose columns are not all numbers.

use thrifty_domain::{Domain, Points, Variable};
use thrifty_gp::{Gp, GpSettings, GpSurrogate, Noise};
use thrifty_kernel::{Kernel, Matern52Profile};
use thrifty_params::Param;
use thrifty_sampling::Seed;
use thrifty_surrogate::{EarlierFit, FittedSurrogate, Observations, Posterior, Surrogate};

fn scaled() -> GpSettings {
    GpSettings { normalize_inputs: true, ..GpSettings::default() }
}

/// A choice of two, and a number that is active under the first.
fn conditional() -> Domain {
    Domain::new(vec![Variable::one_hot(2), Variable::continuous().when(0, vec![0])]).unwrap()
}

/// Nine observations of y = z, all under the first choice.
fn line() -> (Points, Vec<f64>) {
    let y: Vec<f64> = (0..9).map(|i| f64::from(i) / 8.0).collect();
    (Points::from_flat(y.iter().flat_map(|z| [1.0, 0.0, *z, 1.0]).collect(), 4), y)
}

fn rise(posterior: &dyn Posterior) -> f64 {
    let at = |z: f64| posterior.predict(&[1.0, 0.0, z, 1.0]).mean;
    at(1.0) - at(0.0)
}

/// Observations under one choice alone: the column of activity is constant, and scaled it would switch the parameter off.
#[test]
fn conditional_parameters_stay_active() {
    let (x, y) = line();
    let (domain, rng) = (conditional(), || Seed(1).stream("fit", 0));
    let surrogate = GpSurrogate { settings: scaled(), ..GpSurrogate::default() };
    let data = Observations::new(x.as_ref(), &y);
    let fitted = surrogate.fit(&domain, data, None, &mut rng()).unwrap();
    assert!((rise(fitted.posterior()) - 1.0).abs() < 0.1, "{}", rise(fitted.posterior()));
    let process = Gp::on_domain::<Matern52Profile>(&domain).with_settings(scaled());
    let posterior = process.fit(x.as_ref(), &y, &mut rng()).unwrap();
    assert!((rise(&posterior) - 1.0).abs() < 0.1, "{}", rise(&posterior));
    // A kernel of one's own on such a domain.
    let own = surrogate
        .with_kernel("own", |domain| Ok(Gp::on_domain::<Matern52Profile>(domain).kernel().clone_box()));
    let fitted = own.fit(&domain, data, None, &mut rng()).unwrap();
    assert!((rise(fitted.posterior()) - 1.0).abs() < 0.1, "{}", rise(fitted.posterior()));
}

/// Many observations, so that an update goes on from the last hyperparameters without restarts: the same rule.
#[test]
fn updates_keep_the_inputs_as_well() {
    let z: Vec<f64> = (0..260).map(|i| f64::from(i % 130) / 129.0).collect();
    let x = Points::from_flat(z.iter().flat_map(|z| [1.0, 0.0, *z, 1.0]).collect(), 4);
    let noise = Noise::Fixed(1e-4);
    let surrogate = GpSurrogate { settings: GpSettings { noise, ..scaled() }, ..GpSurrogate::default() };
    let hyperparameters = {
        let first = surrogate.process(&conditional()).unwrap();
        first.condition(x.as_ref(), &z).unwrap().hyperparameters()
    };
    let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from: Some(100) };
    let data = Observations::new(x.as_ref(), &z);
    let fitted: Box<dyn FittedSurrogate> =
        surrogate.update(&conditional(), data, earlier, &mut Seed(1).stream("fit", 0)).unwrap();
    assert!((rise(fitted.posterior()) - 1.0).abs() < 0.1, "{}", rise(fitted.posterior()));
}

/// Warps are functions on the unit interval: inputs in a part of it are not spread over the whole.
#[test]
fn warped_inputs_stay_in_the_cube() {
    let x = Points::from_flat((0..9).map(|i| 0.3 + 0.3 * f64::from(i) / 8.0).collect(), 1);
    let y: Vec<f64> = x.rows().map(|p| (3.0 * p[0]).sin()).collect();
    let at = |normalize_inputs: bool| {
        let settings = GpSettings { normalize_inputs, ..GpSettings::default() };
        let surrogate = GpSurrogate { settings, warp_inputs: true, ..GpSurrogate::default() };
        let data = Observations::new(x.as_ref(), &y);
        let fitted = surrogate.fit(&Domain::unit_cube(1), data, None, &mut Seed(1).stream("fit", 0)).unwrap();
        [0.6, 0.7, 0.9].map(|x| fitted.posterior().predict(&[x]))
    };
    assert_eq!(at(true), at(false));
    assert!(at(true)[1] != at(true)[2], "the model goes on beyond the data");
}

/// Fixed variables change no prior of the others: it grows with the number of those that a search chooses.
#[test]
fn variables_of_one_value_are_no_dimensions() {
    let free = || vec![Variable::continuous(), Variable::one_hot(3)];
    let fixed = (0..12).map(|_| Variable::stepped(1));
    let domains = [free(), free().into_iter().chain(fixed).collect()].map(|all| Domain::new(all).unwrap());
    for surrogate in [GpSurrogate::default(), GpSurrogate::noisy()] {
        let [alone, beside] = domains.each_ref().map(|domain| {
            let params: Vec<Param> = surrogate.process(domain).unwrap().kernel().params();
            let open = |param: &Param| (param.value, param.prior.clone());
            params.iter().filter(|param| param.low < param.high).map(open).collect::<Vec<_>>()
        });
        assert_eq!(alone[..], beside[..alone.len()]);
    }
}
