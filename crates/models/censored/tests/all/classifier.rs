//! Classification: against the process of signs, its laws, and at the edges.

use proptest::prelude::*;
use thrifty_censored::{CensoredGp, GpClassifier, Response};
use thrifty_domain::{Domain, Points};
use thrifty_prob::cdf;
use thrifty_sampling::{Seed, Sobol};
use thrifty_surrogate::{
    EarlierFit, FittedSurrogate, Observations, Posterior, Prediction, Surrogate, contract,
};

fn points(n: usize, dim: usize, seed: u64) -> Points {
    Sobol::scrambled(dim, &mut Seed(seed).stream("points", 0)).take(n)
}

/// 1 on one side of a line, -1 on the other.
fn sides(x: &Points) -> Vec<f64> {
    x.rows().map(|x| if x[0] + 0.5 * x[1] > 0.8 { 1.0 } else { -1.0 }).collect()
}

fn fit(x: &Points, y: &[f64]) -> Box<dyn FittedSurrogate> {
    let domain = Domain::unit_cube(x.dim());
    let data = Observations::new(x.as_ref(), y);
    GpClassifier::default().fit(&domain, data, None, &mut Seed(1).stream("fit", 0)).unwrap()
}

/// Probability of the class 1.
fn probability(fitted: &dyn FittedSurrogate, x: &[f64]) -> f64 {
    let Prediction { mean, variance } = fitted.posterior().predict(x);
    cdf(mean / variance.sqrt())
}

/// Noise of the classes.
fn noise(fitted: &dyn FittedSurrogate) -> f64 {
    fitted.hyperparameters().last().copied().unwrap()
}

#[test]
fn it_is_a_surrogate() {
    contract::surrogate(&GpClassifier::default());
}

/// Latent mean and variance are those of the process of signs with the same hyperparameters; the noise of the classes is added.
#[test]
fn predictions_are_of_the_latent_function_with_its_noise() {
    let x = points(30, 2, 1);
    let (y, domain, surrogate) = (sides(&x), Domain::unit_cube(2), GpClassifier::default());
    let fitted = fit(&x, &y);
    let signs: Vec<Response> = y.iter().map(|y| Response::sign(*y > 0.0)).collect();
    let process = surrogate.process.process_for(&domain, x.as_ref()).unwrap();
    let model = CensoredGp::new(process).with_propagation(surrogate.propagation);
    let latent = model.warm_started(fitted.hyperparameters()).condition(x.as_ref(), &signs).unwrap();
    assert!(latent.noise_variance() >= 1e-6);
    for at in [[0.1, 0.2], [0.55, 0.5], [0.9, 0.8]] {
        let (found, own) = (fitted.posterior().predict(&at), latent.predict(&at));
        assert!((found.mean - own.mean).abs() < 1e-9 * (1.0 + own.mean.abs()), "{found:?} {own:?}");
        let expected = own.variance + latent.noise_variance();
        assert!((found.variance - expected).abs() < 1e-9 * expected, "{found:?} {own:?}");
    }
}

/// Classes are known next to a sharp border. Labels by chance have their rate everywhere, and are taken for noise: one of the eight draws of 80 labels
/// has a pattern that is more probable.
#[test]
fn sharp_borders_are_sharp_and_chance_is_chance() {
    let x = points(80, 2, 1);
    let fitted = fit(&x, &sides(&x));
    let along = |at: f64| probability(&*fitted, &[0.8 - 0.5 * 0.4 + at, 0.4]);
    assert!(along(-0.15) < 0.05 && along(0.15) > 0.95, "{} {}", along(-0.15), along(0.15));
    assert!(fitted.posterior().predict(&[0.6, 0.4]).variance > 0.0);
    let mut patterns = 0;
    for seed in 1..=8 {
        let mut rng = Seed(seed).stream("chance", 0);
        let y: Vec<f64> = (0..80).map(|_| if rng.uniform() < 0.3 { 1.0 } else { -1.0 }).collect();
        let rate = y.iter().filter(|y| **y > 0.0).count() as f64 / 80.0;
        let by_chance = fit(&x, &y);
        let found: Vec<f64> = points(64, 2, 5).rows().map(|at| probability(&*by_chance, at)).collect();
        let mean = found.iter().sum::<f64>() / 64.0;
        assert!((mean - rate).abs() < 0.1, "seed {seed}: {mean} {rate}");
        let is_known = |p: &f64| !(0.02..0.9).contains(p);
        patterns += usize::from(noise(&*by_chance) < 0.1 || found.iter().any(is_known));
    }
    assert!(patterns <= 1, "{patterns}");
}

/// Also where more labels are told than are kept, the more probable model is: chance is taken for noise, and a border is sharp.
#[test]
fn chance_is_chance_beyond_the_labels_that_are_kept() {
    let x = points(260, 2, 1);
    assert!(noise(&*fit(&x, &sides(&x))) < 1e-5);
    let by_chance = (1..=4).filter(|seed| {
        let mut rng = Seed(*seed).stream("chance", 0);
        let y: Vec<f64> = (0..260).map(|_| if rng.uniform() < 0.3 { 1.0 } else { -1.0 }).collect();
        noise(&*fit(&x, &y)) > 0.1
    });
    assert!(by_chance.count() >= 3);
}

/// A border that close labels enclose is as sharp as they are. From an earlier fit that saw a sharp border, labels by chance are found to be that, and
/// the other way round.
#[test]
fn a_border_is_as_sharp_as_its_labels() {
    let mut x = points(20, 2, 1);
    for k in 0..16 {
        let y = f64::from(k) / 16.0;
        x.push(&[0.8 - 0.5 * y - 0.002, y]);
        x.push(&[0.8 - 0.5 * y + 0.002, y]);
    }
    let fitted = fit(&x, &sides(&x));
    let along = |at: f64| probability(&*fitted, &[0.8 - 0.5 * 0.4 + at, 0.4]);
    assert!(along(-0.006) < 0.02 && along(0.006) > 0.98, "{} {}", along(-0.006), along(0.006));
    let mut rng = Seed(3).stream("chance", 0);
    let chance: Vec<f64> = (0..52).map(|_| if rng.uniform() < 0.3 { 1.0 } else { -1.0 }).collect();
    let domain = Domain::unit_cube(2);
    let refit = |y: &[f64], from: &dyn FittedSurrogate| {
        let warm_start = from.hyperparameters();
        let data = Observations::new(x.as_ref(), y);
        GpClassifier::default().fit(&domain, data, Some(&warm_start), &mut Seed(1).stream("fit", 0)).unwrap()
    };
    let by_chance = refit(&chance, &*fitted);
    let again = refit(&sides(&x), &*by_chance);
    assert!(noise(&*by_chance) > 0.1 && noise(&*again) < 1e-5, "{} {}", noise(&*by_chance), noise(&*again));
}

/// Hyperparameters are kept until there are a tenth more targets, and learnt anew then.
#[test]
fn hyperparameters_are_kept_up_to_a_tenth_of_growth() {
    let x = points(60, 2, 1);
    let (y, domain) = (sides(&x), Domain::unit_cube(2));
    let first = fit(&Points::from_flat(x.as_flat()[..2 * 40].to_vec(), 2), &y[..40]);
    let hyperparameters = first.hyperparameters();
    let update = |n: usize| {
        let data = Observations::new(x.as_ref().slice(0, n), &y[..n]);
        let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from: first.learnt_from() };
        GpClassifier::default().update(&domain, data, earlier, &mut Seed(1).stream("fit", 0)).unwrap()
    };
    let (kept, anew) = (update(43), update(44));
    assert_eq!((kept.hyperparameters(), kept.learnt_from()), (hyperparameters.clone(), Some(40)));
    assert_eq!(anew.learnt_from(), Some(44));
    assert_ne!(anew.hyperparameters(), hyperparameters);
    // Those of a model with another number of them are not kept.
    let longer: Vec<f64> = hyperparameters.iter().copied().chain([0.0]).collect();
    let earlier = EarlierFit { hyperparameters: &longer, learnt_from: first.learnt_from() };
    let data = Observations::new(x.as_ref().slice(0, 43), &y[..43]);
    let other =
        GpClassifier::default().update(&domain, data, earlier, &mut Seed(1).stream("fit", 0)).unwrap();
    assert_eq!((other.learnt_from(), other.hyperparameters().len()), (Some(43), hyperparameters.len()));
}

/// One target, one class, opposite classes at one point, and more targets than are kept: predictions are numbers, on the side of the labels.
#[test]
fn edges_are_no_error() {
    let one = fit(&points(1, 2, 1), &[1.0]);
    assert!(probability(&*one, points(1, 2, 1).row(0)) > 0.5);
    let x = points(12, 2, 1);
    let of_one_class = fit(&x, &[-1.0; 12]);
    assert!(x.rows().all(|x| probability(&*of_one_class, x) < 0.5));
    let mut twice = x.clone();
    x.rows().for_each(|row| twice.push(row));
    let y: Vec<f64> = (0..24).map(|i| if i < 12 { 1.0 } else { -1.0 }).collect();
    let torn = fit(&twice, &y);
    assert!(x.rows().all(|x| (probability(&*torn, x) - 0.5).abs() < 0.2));
    let many = points(260, 2, 1);
    let fitted = fit(&many, &sides(&many));
    assert!(probability(&*fitted, &[0.2, 0.2]) < 0.05 && probability(&*fitted, &[0.9, 0.8]) > 0.95);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Only signs count, and with all classes exchanged probabilities are those of the other class.
    #[test]
    fn signs_alone_count(labels in prop::collection::vec(any::<bool>(), 14), scale in prop::sample::select(vec![1e-12, 0.3, 1e12])) {
        let x = points(14, 2, 7);
        let y: Vec<f64> = labels.iter().map(|label| if *label { 1.0 } else { -1.0 }).collect();
        let fitted = fit(&x, &y);
        let scaled = fit(&x, &y.iter().map(|y| scale * y).collect::<Vec<f64>>());
        let turned = fit(&x, &y.iter().map(|y| -y).collect::<Vec<f64>>());
        for at in points(6, 2, 9).rows() {
            let found = probability(&*fitted, at);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert_eq!(found, probability(&*scaled, at));
            prop_assert!((found + probability(&*turned, at) - 1.0).abs() < 0.02, "{found}");
        }
    }
}
