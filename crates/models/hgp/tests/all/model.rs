//! The model before data: its hyperparameters, priors and bounds, and closed forms of what it is.

use thrifty_check::InputError;
use thrifty_domain::{Domain, Points, PointsRef, Variable};
use thrifty_gp::{GpSettings, Mean, Noise};
use thrifty_hgp::{Component, Hgp, HgpError, HgpPosterior};
use thrifty_kernel::{Kernel, MemberCode};
use thrifty_prob::Prior;
use thrifty_surrogate::{
    JointLookahead, JointPosterior, Lookahead, LookaheadCotangent, Posterior, Prediction, contract,
};

/// Four configurations of two parameters on three folds.
fn conditioned(hgp: &Hgp) -> HgpPosterior {
    let x = Points::from_rows(&[[0.1, 0.2], [0.4, 0.9], [0.8, 0.3], [0.6, 0.6], [0.1, 0.2]]).unwrap();
    hgp.condition(x.as_ref(), &[0, 1, 2, 0, 1], &[1.0, 3.0, 2.0, 5.0, 1.5]).unwrap()
}

/// The table of `Hgp::matern52`: the priors of the authors' package `fcvopt`, and bounds.
#[test]
fn hyperparameters_start_within_bounds_and_have_the_priors_of_the_package() {
    let gamma = Prior::Gamma { shape: 1.5, rate: 0.65 };
    let expected = [
        ("common.variance", std::f64::consts::LN_2, 1e-6, 1e3, Prior::LogNormal { mu: 0.0, sigma: 1.0 }),
        ("common.lengthscale[0]", 1.0, 1e-2, 1e2, gamma.clone()),
        ("common.lengthscale[1]", 1.0, 1e-2, 1e2, gamma.clone()),
        ("deviation.variance", 0.1, 1e-6, 1e3, Prior::LogNormal { mu: -1.0, sigma: 2.0 }),
        ("deviation.lengthscale[0]", 1.0, 1e-2, 1e2, gamma.clone()),
        ("deviation.lengthscale[1]", 1.0, 1e-2, 1e2, gamma),
        ("correlation", 0.2, 1e-12, 1.0 - 1e-6, Prior::Beta { a: 1.0, b: 5.0 }),
        ("noise", 0.1, 1e-6, 10.0, Prior::HalfCauchy { scale: 0.1 }),
    ];
    let continuous = Domain::new(vec![Variable::continuous(), Variable::continuous()]).unwrap();
    for hgp in [Hgp::matern52(2), Hgp::on_domain(&continuous)] {
        let posterior = conditioned(&hgp);
        let params = posterior.process().params();
        let found: Vec<_> = params.iter().map(|p| (p.name.as_str(), p.value, p.low, p.high)).collect();
        assert_eq!(found.len(), expected.len() + 1, "{found:?}");
        for ((name, value, low, high, prior), p) in expected.iter().zip(params) {
            assert_eq!(p.name, *name);
            assert!((p.value - value).abs() < 1e-12, "{name} is {}, expected {value}", p.value);
            assert!((p.low / low - 1.0).abs() < 1e-12 && (p.high / high - 1.0).abs() < 1e-12, "{p:?}");
            assert_eq!(p.prior.as_ref(), Some(prior), "{name}");
        }
        assert_eq!(found[8].0, "mean");
        assert_eq!(found[8].1, 0.0);
    }
}

#[test]
fn the_process_has_learnt_noise_a_normal_mean_and_scouts_from_three_random_starts() {
    let noise = Noise::Learned {
        start: 0.1,
        floor: 1e-6,
        ceiling: 10.0,
        prior: Some(Prior::HalfCauchy { scale: 0.1 }),
    };
    let mean = Mean::Normal { mean: 0.0, std_dev: 1.0 };
    let expected = GpSettings { noise, mean, restarts: 3, scout: true, ..GpSettings::default() };
    assert_eq!(*Hgp::matern52(2).settings(), expected);
    // What else is chosen keeps them.
    assert_eq!(*Hgp::matern52(2).with_repeats(4).unwrap().settings(), expected);
    assert_eq!(*Hgp::matern52(2).without_correlation().unwrap().settings(), expected);
    let other = GpSettings { restarts: 0, ..expected };
    let chosen = Hgp::matern52(2).with_settings(other.clone());
    assert_eq!(*chosen.settings(), other);
    assert_eq!(*chosen.clone().with_repeats(4).unwrap().settings(), other);
    assert_eq!(*chosen.without_correlation().unwrap().settings(), other);
}

/// ρ starts at 1/2, without a prior of its own: uniform.
#[test]
fn repeats_add_a_likeness_of_blocks() {
    let posterior = conditioned(&Hgp::matern52(2).with_repeats(3).unwrap());
    let params = posterior.process().params();
    assert_eq!(params.len(), 10);
    let between = params.iter().find(|p| p.name.contains("between_blocks")).unwrap();
    assert!((between.value - 0.5).abs() < 1e-12 && between.prior.is_none(), "{between:?}");
    assert!(Hgp::matern52(2).with_repeats(0).is_err());
}

#[test]
fn without_correlation_deviations_have_nothing_in_common() {
    let hgp = Hgp::matern52(2).without_correlation().unwrap();
    let posterior = conditioned(&hgp);
    let beta = posterior.process().params().iter().find(|p| p.name == "correlation").unwrap();
    assert!(beta.value <= 1e-11 * (1.0 + 1e-9) && beta.high <= 1e-11 * (1.0 + 1e-9), "{beta:?}");
    assert!((beta.low / 1e-12 - 1.0).abs() < 1e-9 && beta.high > beta.low);
    let (x, kernel) = ([0.3, 0.4], hgp.kernel());
    let eval = |a: f64, b: f64| kernel.eval(&[x[0], x[1], a], &[x[0], x[1], b]);
    let common = MemberCode::Common.column();
    assert!((eval(0.0, 1.0) - eval(common, common)).abs() < 1e-11);
}

/// Prior variances in closed form.
///
/// With variances s = ln 2 of f and d = 0.1 of deviations, and β = 0.2: s for f, s + d for a fold, and for the mean of
/// k folds s + d (1 + (k - 1) β) / k.
#[test]
fn prior_variances_are_closed_forms() {
    let posterior = conditioned(&Hgp::matern52(2));
    // The mean of 1, 3, 2, 5 and 1.5 is 2.5; their squares about it sum to 10.
    let width = posterior.process().target_scaling().width;
    assert!((width - 2.0_f64.sqrt()).abs() < 1e-12 || (width - 2.5_f64.sqrt()).abs() < 1e-12, "{width}");
    let unit = width * width;
    let common = std::f64::consts::LN_2;
    let at = [0.3, 0.3];
    let close = |found: f64, expected: f64| assert!((found - expected * unit).abs() < 1e-12, "{found}");
    close(posterior.common().prior_variance(&at).unwrap(), common);
    close(posterior.fold(0).prior_variance(&at).unwrap(), common + 0.1);
    close(posterior.fold(17).prior_variance(&at).unwrap(), common + 0.1);
    close(posterior.mean_of(1).unwrap().prior_variance(&at).unwrap(), common + 0.1);
    close(posterior.mean_of(2).unwrap().prior_variance(&at).unwrap(), common + 0.1 * 1.2 / 2.0);
    close(posterior.mean_of(5).unwrap().prior_variance(&at).unwrap(), common + 0.1 * 1.8 / 5.0);
    let error = HgpError::Input(InputError::Dimension { name: "point", found: 3, expected: 2 });
    assert_eq!(posterior.common().prior_variance(&[0.1, 0.2, 0.3]), Err(error));
}

#[test]
fn every_part_is_of_the_dimension_of_a_configuration() {
    let posterior = conditioned(&Hgp::matern52(2));
    let common = posterior.common();
    let anchors = Points::from_rows(&[[0.2, 0.7], [0.5, 0.5], [0.9, 0.1]]).unwrap();
    let ahead = common.fold_lookahead(1, anchors.as_ref());
    assert_eq!((posterior.dim(), common.dim(), ahead.dim(), posterior.process().dim()), (2, 2, 2, 3));
    assert_eq!(ahead.means().len(), 3);
    for (mean, anchor) in ahead.means().iter().zip(anchors.rows()) {
        assert!((mean - common.predict(anchor).mean).abs() < 1e-12);
    }
    assert!((common.prior_scale() / posterior.process().prior_scale() - 1.0).abs() < 1e-15);
}

/// A fold's own look ahead has the covariances of that fold, and its derivatives add to what is there.
#[test]
fn joint_covariances_of_a_component_are_those_of_its_function() {
    let posterior = conditioned(&Hgp::matern52(2));
    let (a, b) = (
        Points::from_rows(&[[0.2, 0.7], [0.5, 0.5]]).unwrap(),
        Points::from_rows(&[[0.9, 0.1], [0.3, 0.3], [0.2, 0.7]]).unwrap(),
    );
    for (component, code) in [
        (posterior.common(), MemberCode::Common.column()),
        (posterior.fold(1), 1.0),
        (posterior.mean_of(3).unwrap(), -3.0),
    ] {
        let coded = |x: &Points| {
            let rows: Vec<f64> = x.rows().flat_map(|row| [row[0], row[1], code]).collect();
            Points::from_flat(rows, 3)
        };
        let (mut found, mut expected) = ([0.0; 6], [0.0; 6]);
        component.cross_covariance_into(a.as_ref(), b.as_ref(), &mut found);
        posterior.process().cross_covariance_into(coded(&a).as_ref(), coded(&b).as_ref(), &mut expected);
        assert_eq!(found, expected);
        let weights = [0.3, -0.2, 0.5, -0.2, 0.9, 0.1, 0.5, 0.1, -0.4];
        contract::joint_gradient_matches(&component, &b, (&[0.7, -1.0, 0.2], &weights), 1e-5, 1e-6);
        let mut once = [0.0; 6];
        let joint = component.joint_gradient().unwrap();
        joint.pull_back_joint(b.as_ref(), &[0.7, -1.0, 0.2], &weights, &mut once);
        let mut twice = once;
        joint.pull_back_joint(b.as_ref(), &[0.7, -1.0, 0.2], &weights, &mut twice);
        assert!(once.iter().zip(&twice).all(|(one, two)| (two - 2.0 * one).abs() < 1e-12));
    }
}

/// The faster look ahead of a function of its own has the moments and derivatives of one by joint covariances.
#[test]
fn the_own_look_ahead_is_that_of_the_joint_covariances() {
    let posterior = conditioned(&Hgp::matern52(2));
    let anchors = Points::from_rows(&[[0.2, 0.7], [0.5, 0.5]]).unwrap();
    let x = Points::from_rows(&[[0.3, 0.3], [0.9, 0.1], [0.2, 0.7]]).unwrap();
    for component in [posterior.common(), posterior.fold(1), posterior.mean_of(3).unwrap()] {
        let own = component.own_lookahead(anchors.as_ref(), 0.3).unwrap();
        let joint = JointLookahead::new(&component, anchors.as_ref(), 0.3);
        let numbers = |ahead: &dyn Lookahead| {
            let (mut mean, mut variance, mut covariance) = ([0.0; 3], [0.0; 3], [0.0; 9]);
            ahead.moments_into(x.as_ref(), &mut mean, &mut variance, &mut covariance);
            let mut slopes = [0.0; 2];
            let weights = LookaheadCotangent { mean: 0.4, variance: 1.1, covariance: &[0.3, -0.7, 0.2] };
            assert!(ahead.pull_back(x.row(0), weights, &mut slopes));
            [ahead.means(), &mean, &variance, &covariance, &slopes].concat()
        };
        let (found, expected) = (numbers(&*own), numbers(&joint));
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {expected:?}");
        assert_eq!((own.dim(), found.len()), (2, expected.len()));
    }
}

/// The lookahead's derivatives are added to what is there.
#[test]
fn derivatives_of_a_look_ahead_add_up() {
    let posterior = conditioned(&Hgp::matern52(2));
    let common = posterior.common();
    let anchors = Points::from_rows(&[[0.2, 0.7], [0.5, 0.5]]).unwrap();
    let ahead = common.fold_lookahead(1, anchors.as_ref());
    let weights = LookaheadCotangent { mean: 0.4, variance: 1.1, covariance: &[0.3, -0.7, 0.2] };
    let mut once = [0.0; 2];
    assert!(ahead.pull_back(&[0.3, 0.3], weights, &mut once));
    let mut twice = once;
    assert!(ahead.pull_back(&[0.3, 0.3], weights, &mut twice));
    assert!(once.iter().any(|slope| slope.abs() > 1e-6));
    assert!(once.iter().zip(&twice).all(|(one, two)| (two - 2.0 * one).abs() < 1e-12));
}

/// Observing a fold at its mean plus one standard deviation moves f by the covariance over that standard deviation.
#[test]
fn gains_hold_the_moments_of_an_observation() {
    let posterior = conditioned(&Hgp::matern52(2));
    let (common, at) = (posterior.common(), [0.35, 0.6]);
    let gains = common.fold_gains(&at, &[2, 0, 9]).unwrap();
    assert_eq!(gains.iter().map(|gain| gain.fold).collect::<Vec<_>>(), [2, 0, 9]);
    let noise = posterior.process().noise_variance();
    for gain in gains {
        let Prediction { mean, variance } = posterior.fold(gain.fold).predict(&at);
        assert!((gain.variance - variance - noise).abs() < 1e-10, "{gain:?}");
        let shown = mean + gain.variance.sqrt();
        let next = posterior.with_observations(PointsRef::single(&at), &[gain.fold], &[shown]).unwrap();
        let moved = next.common().predict(&at).mean - common.predict(&at).mean;
        assert!((moved - gain.covariance / gain.variance.sqrt()).abs() < 1e-8, "{gain:?} {moved}");
        let left = common.predict(&at).variance - gain.covariance * gain.covariance / gain.variance;
        assert!((gain.remaining - left).abs() < 1e-10 && gain.remaining > 0.0);
    }
}

/// Noise that the next observation is expected to report adds to the common noise: in the gains, and in the look-ahead.
#[test]
fn reported_noise_counts_in_all_that_looks_ahead() {
    let posterior = conditioned(&Hgp::matern52(2));
    let (common, at) = (posterior.common(), [0.35, 0.6]);
    let noisy = common.clone().with_expected_noise(0.5).unwrap();
    assert_eq!(noisy.noise_variance(), posterior.process().noise_variance() + 0.5);
    let (exact, reported) =
        (common.fold_gains(&at, &[2, 9]).unwrap(), noisy.fold_gains(&at, &[2, 9]).unwrap());
    for (exact, reported) in exact.iter().zip(&reported) {
        assert!((reported.variance - exact.variance - 0.5).abs() < 1e-12);
        assert!(reported.remaining > exact.remaining, "{reported:?} {exact:?}");
    }
    let (anchors, x) = (Points::from_rows(&[[0.2, 0.2]]).unwrap(), PointsRef::single(&at));
    let variance = |component: &Component| {
        let (mut mean, mut variance, mut covariance) = ([0.0], [0.0], [0.0; 2]);
        let ahead = component.fold_lookahead(2, anchors.as_ref());
        ahead.moments_into(x, &mut mean, &mut variance, &mut covariance);
        variance[0]
    };
    assert!((variance(&noisy) - variance(&common) - 0.5).abs() < 1e-12);
    for value in [-1e-9, f64::NAN, f64::INFINITY] {
        let error = common.clone().with_expected_noise(value).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("expected noise variance") && error.contains(&value.to_string()), "{error}");
    }
}

#[test]
fn of_folds_that_would_tell_the_same_the_first_is_taken() {
    let common = conditioned(&Hgp::matern52(2)).common();
    let gains = common.fold_gains(&[0.5, 0.5], &[8, 7, 9]).unwrap();
    assert!(gains.iter().all(|gain| gain.remaining == gains[0].remaining), "{gains:?}");
    assert_eq!(common.best_fold(&[0.5, 0.5], &[8, 7, 9]), Ok(8));
    assert_eq!(common.best_fold(&[0.5, 0.5], &[7, 8]), Ok(7));
    assert_eq!(common.best_fold(&[0.5, 0.5], &[5]), Ok(5));
}

#[test]
fn a_warm_start_begins_where_it_is_told() {
    let no_search = GpSettings { restarts: 0, max_evaluations: 1, ..Hgp::matern52(1).settings().clone() };
    let hgp = Hgp::matern52(1).with_settings(no_search);
    let x = Points::from_rows(&[[0.0], [0.3], [0.6], [1.0]]).unwrap();
    let fit = |hgp: &Hgp| {
        let mut rng = thrifty_sampling::Seed(1).stream("fit", 0);
        hgp.fit(x.as_ref(), &[0, 1, 0, 1], &[1.0, 0.2, 0.4, 1.3], &mut rng).unwrap()
    };
    let start = vec![0.37, 1.4, 0.8, 0.3, 0.4, 0.05, 0.1];
    let cold = fit(&hgp).process().hyperparameters();
    let warm = fit(&hgp.warm_started(start.clone())).process().hyperparameters();
    let distance = |a: &[f64]| a.iter().zip(&start).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(distance(&warm) < distance(&cold), "{warm:?} {cold:?}");
}

/// A warm start is kept by what is chosen after it.
#[test]
fn a_warm_start_may_come_first() {
    let hgp = || {
        let no_search = GpSettings { restarts: 0, max_evaluations: 1, ..Hgp::matern52(1).settings().clone() };
        Hgp::matern52(1).with_settings(no_search)
    };
    let x = Points::from_rows(&[[0.0], [0.3], [0.6], [1.0]]).unwrap();
    let fit = |hgp: Hgp| {
        let mut rng = thrifty_sampling::Seed(1).stream("fit", 0);
        let posterior = hgp.fit(x.as_ref(), &[0, 1, 0, 1], &[1.0, 0.2, 0.4, 1.3], &mut rng).unwrap();
        posterior.process().hyperparameters()
    };
    let start = vec![0.37, 1.4, 0.8, 0.3, 5e-12, 0.05, 0.1];
    let after = fit(hgp().without_correlation().unwrap().warm_started(start.clone()));
    assert_eq!(fit(hgp().warm_started(start.clone()).without_correlation().unwrap()), after);
    assert_ne!(fit(hgp().without_correlation().unwrap()), after);
    let mut start = start;
    (start[4], start[5]) = (0.3, 0.6);
    start.insert(6, 0.05);
    let after = fit(hgp().with_repeats(1).unwrap().warm_started(start.clone()));
    assert_eq!(fit(hgp().warm_started(start).with_repeats(1).unwrap()), after);
    assert_ne!(fit(hgp().with_repeats(1).unwrap()), after);
}

#[test]
fn kernels_that_do_not_fit_are_refused() {
    let matern =
        |dim: usize| -> Box<dyn Kernel> { Box::new(thrifty_kernel::Matern52::new(vec![1.0; dim]).unwrap()) };
    assert!(Hgp::new(matern(2), matern(3), 0.2).is_err());
    for correlation in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(Hgp::new(matern(2), matern(2), correlation).is_err(), "{correlation}");
    }
    let hgp = Hgp::new(matern(2), matern(2), 0.7).unwrap();
    assert!((hgp.kernel().correlation() - 0.7).abs() < 1e-12);
    let x = Points::from_rows(&[[0.1], [0.2]]).unwrap();
    let error = Hgp::matern52(1).condition(x.as_ref(), &[0], &[1.0, 2.0]).err();
    assert_eq!(error, Some(HgpError::Input(InputError::Length { name: "folds", found: 1, expected: 2 })));
}

#[test]
#[should_panic(expected = "points of no dimension")]
fn no_dimension_is_refused() {
    let _ = Hgp::matern52(0);
}

/// The last column is the code of the fold, which is no input to scale.
#[test]
fn inputs_are_not_scaled() {
    let settings = |normalize_inputs| GpSettings { normalize_inputs, ..GpSettings::default() };
    let of = |normalize| conditioned(&Hgp::matern52(2).with_settings(settings(normalize)));
    let (scaled, plain) = (of(true), of(false));
    for at in [[0.3, 0.4], [0.7, 0.1]] {
        assert_eq!(scaled.common().predict(&at), plain.common().predict(&at));
        assert_eq!(scaled.mean_of(3).unwrap().predict(&at), plain.mean_of(3).unwrap().predict(&at));
        assert_ne!(scaled.mean_of(3).unwrap().predict(&at), scaled.common().predict(&at));
    }
}
