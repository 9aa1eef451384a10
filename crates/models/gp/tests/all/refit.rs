//! Updates of a surrogate: hyperparameters that are kept, and data that ask for new ones.

use thrifty_domain::{Domain, Points};
use thrifty_gp::{GpSurrogate, Refit};
use thrifty_sampling::Seed;
use thrifty_surrogate::{EarlierFit, FittedSurrogate, Observations, Surrogate};

fn points(count: usize) -> Points {
    Points::from_flat((0..count).map(|i| (i as f64 * 0.618_033_988_75).fract()).collect(), 1)
}

fn fit(surrogate: &GpSurrogate, y: &[f64], earlier: Option<(&[f64], usize)>) -> Box<dyn FittedSurrogate> {
    let (domain, x, rng) = (Domain::unit_cube(1), points(y.len()), &mut Seed(1).stream("fit", 0));
    let data = Observations::new(x.as_ref(), y);
    match earlier {
        None => surrogate.fit(&domain, data, None, rng).unwrap(),
        Some((hyperparameters, n)) => surrogate
            .update(&domain, data, EarlierFit { hyperparameters, learnt_from: Some(n) }, rng)
            .unwrap(),
    }
}

/// A surrogate that learns after a fifth of growth.
fn by_a_fifth() -> GpSurrogate {
    GpSurrogate { refit: Refit::by_growth(1.2), ..GpSurrogate::default() }
}

fn wave(count: usize) -> Vec<f64> {
    points(count).rows().map(|x| (6.0 * x[0]).sin()).collect()
}

#[test]
fn kept_hyperparameters_are_those_of_the_earlier_fit() {
    let surrogate = by_a_fifth();
    let y = wave(48);
    let first = fit(&surrogate, &y[..44], None);
    assert_eq!(first.learnt_from(), Some(44));
    let hyperparameters = first.hyperparameters();
    let kept = fit(&surrogate, &y, Some((&hyperparameters, 44)));
    assert_eq!(kept.learnt_from(), Some(44));
    assert_eq!(kept.hyperparameters(), hyperparameters);
    assert!((kept.posterior().predict(&[0.35]).mean - (2.1_f64).sin()).abs() < 1e-4);
    // One more fantasy is not learnt from either.
    assert_eq!(kept.fantasize(&[0.351], 0.8).unwrap().learnt_from(), Some(44));
    for (surrogate, learnt_from) in [
        (GpSurrogate { refit: Refit::Always, ..GpSurrogate::default() }, 44),
        (surrogate.clone(), 40),
        (surrogate.clone(), 39),
    ] {
        let again = fit(&surrogate, &y, Some((&hyperparameters, learnt_from)));
        assert_eq!(again.learnt_from(), Some(48), "{:?} from {learnt_from}", surrogate.refit);
    }
    // Hyperparameters of another model are not kept.
    assert_eq!(fit(&surrogate, &y, Some((&hyperparameters[1..], 44))).learnt_from(), Some(48));
}

#[test]
fn improbable_observations_ask_for_a_fit() {
    let surrogate = by_a_fifth();
    let mut y = wave(46);
    let hyperparameters = fit(&surrogate, &y[..44], None).hyperparameters();
    y[45] += 0.5;
    let jumped = fit(&surrogate, &y, Some((&hyperparameters, 44)));
    assert_eq!(jumped.learnt_from(), Some(46));
    assert!(jumped.noise_variance() > 1e-6, "{}", jumped.noise_variance());
}

/// Hyperparameters that have no factor where every point comes three times are neither kept nor the only start.
#[test]
fn a_start_without_a_factor_does_not_end_a_study() {
    let surrogate = by_a_fifth();
    let mut x = Points::new(1);
    (0..250).for_each(|i| x.push(&[f64::from(i / 3) / 84.0]));
    let y: Vec<f64> = x.rows().zip(0..).map(|(x, i)| (6.0 * x[0]).sin() + 1e-3 * f64::from(i % 3)).collect();
    let data = Observations::new(x.as_ref(), &y);
    let (domain, rng) = (Domain::unit_cube(1), &mut Seed(1).stream("fit", 0));
    // Variance, lengthscale, noise, mean.
    let hyperparameters = &[1e3, 100.0, 1e-12, 0.0];
    for learnt_from in [240, 200] {
        let earlier = EarlierFit { hyperparameters, learnt_from: Some(learnt_from) };
        let fitted = surrogate.update(&domain, data, earlier, rng).unwrap();
        assert_eq!(fitted.learnt_from(), Some(250));
        assert!((fitted.posterior().predict(&[0.35]).mean - (2.1_f64).sin()).abs() < 0.01);
    }
}

#[test]
fn a_growth_that_makes_no_sense_is_named() {
    for growth in [1.0, 0.0, f64::NAN, f64::INFINITY] {
        let refit = Refit::WhenNeeded { from: 4, growth, restarts_until: 10 };
        let surrogate = GpSurrogate { refit, ..GpSurrogate::default() };
        let (domain, x, y) = (Domain::unit_cube(1), points(6), wave(6));
        let earlier = EarlierFit { hyperparameters: &[1.0], learnt_from: Some(5) };
        let rng = &mut Seed(1).stream("fit", 0);
        let error = surrogate.update(&domain, Observations::new(x.as_ref(), &y), earlier, rng).err().unwrap();
        assert!(error.to_string().contains("growth between fits"), "{error}");
    }
}
