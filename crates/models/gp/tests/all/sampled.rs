//! Hyperparameters sampled from their posterior, and the mixture that they make.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{ExactLikelihood, Gp, GpError, GpSettings, GpSurrogate, Learning, Mean, Noise, Sampling};
use thrifty_kernel::{Kernel, Matern52, Scaled};
use thrifty_params::{LogLikelihood, Param, Parameterized, SliceSampler};
use thrifty_prob::Prior;
use thrifty_sampling::{Seed, Stream, latin_hypercube};
use thrifty_surrogate::{
    EarlierFit, FittedSurrogate, JointPosterior, Mixture, Observations, Posterior, Prediction, Surrogate,
    contract, sample_jointly,
};

fn sampled() -> GpSurrogate {
    GpSurrogate::default().with_sampled_hyperparameters(Sampling::default())
}

fn data(n: usize, seed: u64) -> (Points, Vec<f64>) {
    let mut rng = Seed(seed).stream("data", 0);
    let x = latin_hypercube(n, 2, &mut rng);
    let y = x.rows().map(|p| (5.0 * p[0]).sin() + (p[1] - 0.4).powi(2) + 0.1 * rng.uniform()).collect();
    (x, y)
}

fn fit(surrogate: &GpSurrogate, x: &Points, y: &[f64]) -> Box<dyn FittedSurrogate> {
    let domain = Domain::unit_cube(x.dim());
    surrogate.fit(&domain, Observations::new(x.as_ref(), y), None, &mut Seed(7).stream("fit", 0)).unwrap()
}

#[test]
fn a_sampled_process_keeps_the_contract_of_surrogates() {
    contract::surrogate(&sampled());
}

#[test]
fn a_mixture_keeps_the_contract_of_posteriors() {
    let (x, y) = data(12, 1);
    let fitted = fit(&sampled(), &x, &y);
    let posterior = fitted.posterior();
    let mut at = latin_hypercube(6, 2, &mut Seed(2).stream("at", 0));
    at.push(x.row(3));
    contract::batch_is_pointwise(posterior, at.as_ref(), 1e-12);
    contract::gradients_match(posterior, at.as_ref(), 1e-5, 1e-5);
    contract::covariance_is_consistent(posterior, &at, 1e-9);
    let weights: Vec<f64> = (0..49).map(|i| f64::from(i % 5) - 2.0).collect();
    let of_mean = [1.0, -2.0, 0.5, 0.0, 3.0, 1.0, -1.0];
    contract::joint_gradient_matches(posterior, &at, (&of_mean, &weights), 1e-5, 1e-4);
}

/// Means and covariances of the mixture against those of draws: of a member by its weight, then of its values.
#[test]
fn moments_are_those_of_draws() {
    let (x, y) = data(9, 3);
    let fitted = fit(&sampled(), &x, &y);
    let posterior = fitted.posterior();
    let at = latin_hypercube(3, 2, &mut Seed(5).stream("at", 0));
    let (mut mean, mut covariance) = (vec![0.0; 3], vec![0.0; 9]);
    posterior.mean_into(at.as_ref(), &mut mean);
    posterior.joint().unwrap().covariance_into(at.as_ref(), &mut covariance);
    let mut rng = Seed(4).stream("draws", 0);
    let (mut sums, mut products, count) = ([0.0; 3], [0.0; 9], 2000);
    let members = fitted.members();
    for member in members {
        for draw in
            sample_jointly(member.fitted.posterior().joint().unwrap(), at.as_ref(), count, &mut rng).unwrap()
        {
            for i in 0..3 {
                sums[i] += member.weight * draw[i];
                (0..3).for_each(|j| {
                    products[3 * i + j] += member.weight * (draw[i] - mean[i]) * (draw[j] - mean[j]);
                });
            }
        }
    }
    let total = count as f64;
    for i in 0..3 {
        let scale = covariance[4 * i].sqrt();
        assert!((sums[i] / total - mean[i]).abs() < 0.04 * scale, "mean {i}");
        for j in 0..3 {
            let scale = (covariance[4 * i] * covariance[4 * j]).sqrt();
            let found = products[3 * i + j] / total;
            assert!(
                (found - covariance[3 * i + j]).abs() < 0.06 * scale,
                "{found} {}",
                covariance[3 * i + j]
            );
        }
    }
    // Paths are of members, drawn by their weights.
    let paths = posterior.paths().unwrap().sample_paths(3000, &mut rng).unwrap();
    let mut values = vec![0.0; 3];
    let mut squares = [0.0; 3];
    for path in &paths {
        path.values_into(at.as_ref(), &mut values);
        (0..3).for_each(|i| squares[i] += (values[i] - mean[i]).powi(2) / 3000.0);
    }
    (0..3).for_each(|i| assert!((squares[i] / covariance[4 * i] - 1.0).abs() < 0.25, "{i} {squares:?}"));
}

/// One hyperparameter, the noise: quantiles of the samples against those of its posterior by quadrature.
#[test]
fn samples_have_the_quantiles_of_the_posterior() {
    let (x, y) = data(14, 6);
    let scaled: Vec<f64> = y.iter().map(|v| v - y.iter().sum::<f64>() / 14.0).collect();
    let kernel = || {
        Scaled::new(Matern52::new(vec![0.4; 2]).unwrap().with_bounds(0.4, 0.4).unwrap(), 1.0)
            .unwrap()
            .with_bounds(1.0, 1.0)
            .unwrap()
    };
    let prior = Prior::LogNormal { mu: -8.0, sigma: 4.0 };
    let noise = Noise::Learned { start: 1e-4, floor: 1e-12, ceiling: 10.0, prior: Some(prior.clone()) };
    let settings = GpSettings {
        noise: noise.clone(),
        mean: Mean::Zero,
        standardize_targets: false,
        ..GpSettings::default()
    };
    // Distribution function of ln σ² by quadrature.
    let mut moved = kernel();
    let mut likelihood = ExactLikelihood::new(&mut moved, x.as_ref(), &scaled, &noise, Mean::Zero);
    let values: Vec<f64> = likelihood.params().iter().map(|p| p.value).collect();
    let steps = 4000;
    let grid: Vec<f64> = (0..steps).map(|i| -27.6 + 29.9 * (f64::from(i) + 0.5) / f64::from(steps)).collect();
    let density: Vec<f64> = grid
        .iter()
        .map(|u| {
            let mut at = values.clone();
            *at.last_mut().unwrap() = u.exp();
            likelihood.set_params(&at);
            let log_likelihood = likelihood.log_likelihood_value().unwrap();
            (log_likelihood + prior.log_density(u.exp()) + u).exp()
        })
        .collect();
    let total: f64 = density.iter().sum();
    let process = Gp::new(kernel()).with_settings(settings);
    let sampler = SliceSampler { count: 16, burn_in: 40, steps: 5 };
    let mut found = Vec::new();
    for seed in 0..100 {
        let mut rng = Seed(seed).stream("fit", 0);
        let samples =
            process.sample_with_noise(x.as_ref(), &scaled, &[0.0; 14], &sampler, &[], &mut rng).unwrap();
        found.extend(samples.iter().map(|sample| sample.noise_variance().ln()));
    }
    for at in [-14.0, -10.0, -8.0, -6.0, -4.0] {
        let expected =
            grid.iter().zip(&density).filter(|(u, _)| **u < at).map(|(_, d)| d / total).sum::<f64>();
        let share = found.iter().filter(|u| **u < at).count() as f64 / found.len() as f64;
        // Five standard errors of 1,600 samples of which one in four counts.
        let error = 5.0 * (expected * (1.0 - expected) / 400.0).sqrt().max(0.005);
        assert!((share - expected).abs() < error, "below {at}: {share}, expected {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The likelihood alone is that with the gradient.
    #[test]
    fn the_likelihood_needs_no_gradient(n in 1_usize..40, seed in 0_u64..1000, lengthscale in 0.05..3.0_f64, noise in -12.0..0.0_f64) {
        let (x, y) = data(n, seed);
        let mut kernel = Scaled::new(Matern52::new(vec![lengthscale; 2]).unwrap(), 1.3).unwrap();
        let known = vec![1e-3; n];
        let mut likelihood =
            ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &Noise::Fixed(noise.exp()), Mean::Learned).with_known_noise(&known);
        let mut gradient = vec![0.0; likelihood.params().len()];
        let whole = likelihood.log_likelihood(&mut gradient).unwrap();
        let alone = likelihood.log_likelihood_value().unwrap();
        prop_assert!((whole - alone).abs() < 1e-8 * (1.0 + whole.abs()), "{whole} {alone}");
    }

    /// Weights of members that agree do not matter; the variance is never below the least of the members'.
    #[test]
    fn variances_are_at_least_those_within(n in 2_usize..20, seed in 0_u64..1000) {
        let (x, y) = data(n, seed);
        let fitted = fit(&sampled(), &x, &y);
        let at = [0.3, 0.8];
        let within: f64 = fitted.members().iter().map(|m| m.weight * m.fitted.posterior().predict(&at).variance).sum();
        prop_assert!(fitted.posterior().predict(&at).variance >= within * (1.0 - 1e-12));
        let total: f64 = fitted.members().iter().map(|m| m.weight).sum();
        prop_assert!((total - 1.0).abs() < 1e-12);
    }
}

/// The number of samples falls with the observations, and beyond a number the maximum a posteriori is taken.
#[test]
fn many_observations_need_few_samples() {
    let sampling = Sampling { members: 8, rows: 120, until: 30 };
    let surrogate = GpSurrogate::default().with_sampled_hyperparameters(sampling);
    for (n, members) in [(1, 8), (15, 8), (20, 6), (30, 4), (31, 0)] {
        let (x, y) = data(n, 9);
        let fitted = fit(&surrogate, &x, &y);
        assert_eq!(fitted.members().len(), members, "{n} observations");
        assert_eq!(fitted.learnt_from(), Some(n));
        // Two lengthscales, a variance, a noise, a mean.
        assert_eq!(fitted.hyperparameters().len(), 5 * members.max(1));
    }
    let none = GpSurrogate {
        learning: Learning::Sampled(Sampling { members: 0, ..sampling }),
        ..GpSurrogate::default()
    };
    let (x, y) = data(5, 9);
    let error = none.fit(
        &Domain::unit_cube(2),
        Observations::new(x.as_ref(), &y),
        None,
        &mut Seed(1).stream("fit", 0),
    );
    let error = error.err().unwrap().to_string();
    assert!(error.contains("samples of hyperparameters is 0, expected at least 1"), "{error}");
}

/// An update goes on from the samples of an earlier fit; from the maximum a posteriori, or nothing that fits, it begins anew.
#[test]
fn samples_continue_those_of_an_earlier_fit() {
    let (x, y) = data(20, 11);
    let domain = Domain::unit_cube(2);
    let early = {
        let x = x.as_ref().slice(0, 19);
        sampled().fit(&domain, Observations::new(x, &y[..19]), None, &mut Seed(1).stream("fit", 0)).unwrap()
    };
    let update = |hyperparameters: &[f64]| {
        let earlier = EarlierFit { hyperparameters, learnt_from: Some(19) };
        let next = sampled().update(
            &domain,
            Observations::new(x.as_ref(), &y),
            earlier,
            &mut Seed(2).stream("fit", 0),
        );
        next.unwrap().hyperparameters()
    };
    let continued = update(&early.hyperparameters());
    let anew = update(&[]);
    assert_eq!(continued.len(), anew.len());
    assert_ne!(continued, anew);
    assert_eq!(continued, update(&early.hyperparameters()), "the same bits");
    for other in [&early.hyperparameters()[..5], &[1.0; 7], &[f64::NAN; 80]] {
        assert_eq!(update(other), anew, "{other:?}");
    }
}

/// An imagined observation conditions every member and leaves the weights.
#[test]
fn imagined_observations_condition_the_members() {
    let (x, y) = data(8, 12);
    let fitted = fit(&sampled(), &x, &y);
    let at = [0.9, 0.1];
    let next = fitted.fantasize(&at, 1.5).unwrap();
    for (before, after) in fitted.members().iter().zip(next.members()) {
        assert!((before.weight - after.weight).abs() < 1e-15);
        let expected = before.fitted.fantasize(&at, 1.5).unwrap();
        assert_eq!(expected.posterior().predict(&[0.5, 0.5]), after.fitted.posterior().predict(&[0.5, 0.5]));
    }
}

/// Weights that are no numbers, members of different dimensions, no members.
#[test]
fn mixtures_that_make_no_sense_are_errors() {
    let (x, y) = data(5, 1);
    let model = || fit(&GpSurrogate::default(), &x, &y);
    let error = |models| Mixture::new(models).err().unwrap().to_string();
    assert!(error(vec![]).contains("members of a mixture"));
    assert!(error(vec![(0.0, model())]).contains("members of a mixture"));
    assert!(error(vec![(f64::NAN, model())]).contains("weight of a member"));
    assert!(error(vec![(-1.0, model())]).contains("weight of a member"));
    let line = Points::from_flat(vec![0.1, 0.9], 1);
    assert!(
        error(vec![(1.0, model()), (1.0, fit(&GpSurrogate::default(), &line, &[1.0, 2.0]))])
            .contains("member")
    );
    let mixture = Mixture::new(vec![(0.5, model()), (1.5, model()), (0.0, model())]).unwrap();
    let weights: Vec<f64> = mixture.members().iter().map(|member| member.weight).collect();
    assert!(weights.len() == 2 && (weights[0] - 0.25).abs() < 1e-15, "{weights:?}");
    // Equal members: the mixture is one of them.
    let (found, expected) = (mixture.predict(&[0.3, 0.3]), model().posterior().predict(&[0.3, 0.3]));
    assert!((found.mean - expected.mean).abs() < 1e-12 && (found.variance - expected.variance).abs() < 1e-12);
    assert!(mixture.prior_scale() > 0.0);
}

/// One observation, equal ones, constant targets, extreme scales: finite, and near the targets.
#[test]
fn edges_are_no_error() {
    let domain = Domain::unit_cube(2);
    let twice = Points::from_flat(vec![0.2, 0.3, 0.2, 0.3, 0.8, 0.1], 2);
    let one = Points::from_flat(vec![0.5, 0.5], 2);
    let cases: [(&Points, Vec<f64>); 6] = [
        (&one, vec![3.0]),
        (&twice, vec![1.0, 1.0, 2.0]),
        (&twice, vec![1.0, -1.0, 2.0]),
        (&twice, vec![4.0; 3]),
        (&twice, vec![1e12, 2e12, -1e12]),
        (&twice, vec![1e-12, 2e-12, -1e-12]),
    ];
    for (x, y) in cases {
        let fitted = sampled()
            .fit(&domain, Observations::new(x.as_ref(), &y), None, &mut Seed(3).stream("fit", 0))
            .unwrap();
        let found = fitted.posterior().predict(&[0.4, 0.9]);
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(
            found.mean.abs() <= 10.0 * size && found.variance.is_finite() && found.variance >= 0.0,
            "{y:?}: {found:?}"
        );
    }
    let error = sampled().fit(
        &domain,
        Observations::new(one.as_ref(), &[f64::NAN]),
        None,
        &mut Seed(3).stream("fit", 0),
    );
    assert!(error.err().unwrap().to_string().contains("NaN"));
    assert!(GpError::NoSample.to_string().contains("likelihood"));
}

/// A kernel that has no covariances in every third copy, once its hyperparameters were set a single time: as a member that cannot be conditioned.
#[derive(Clone)]
struct Flaky {
    kernel: Scaled<Matern52>,
    copies: Arc<AtomicUsize>,
    copy: usize,
    settings: usize,
}

impl Flaky {
    fn fails(&self) -> bool {
        self.copy % 3 == 1 && self.settings == 1
    }
}

impl Parameterized for Flaky {
    fn params(&self) -> Vec<Param> {
        self.kernel.params()
    }

    fn set_params(&mut self, values: &[f64]) {
        self.settings += 1;
        self.kernel.set_params(values);
    }
}

impl Kernel for Flaky {
    fn dim(&self) -> Option<usize> {
        self.kernel.dim()
    }

    fn num_params(&self) -> usize {
        self.kernel.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        if self.fails() { f64::NAN } else { self.kernel.eval(x, y) }
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        self.kernel.pull_back_pair(x, y, weight, grad);
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        self.kernel.pull_back_input(x, y, weights, grad);
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        let copy = self.copies.fetch_add(1, Ordering::Relaxed);
        Box::new(Self { copy, settings: 0, ..self.clone() })
    }
}

/// Members whose covariance has no factor are left out and counted, and the rest predicts.
#[test]
fn lost_members_are_counted() {
    let (x, y) = data(12, 1);
    let flaky = sampled().with_kernel("flaky", |domain| {
        let kernel = Scaled::new(Matern52::new(vec![0.5; domain.dim()])?, 1.0)?;
        let copies = Arc::new(AtomicUsize::new(0));
        Ok(Box::new(Flaky { kernel, copies, copy: 0, settings: 0 }) as Box<dyn Kernel>)
    });
    let fitted = fit(&flaky, &x, &y);
    assert!(fitted.lost_members() > 0, "some are lost");
    assert_eq!(fitted.lost_members() + fitted.members().len(), 16);
    let Prediction { mean, variance } = fitted.posterior().predict(&[0.4, 0.7]);
    assert!(mean.is_finite() && variance > 0.0, "{mean} {variance}");
    // Fantasies lose no more.
    assert_eq!(fitted.fantasize(&[0.4, 0.7], mean).unwrap().lost_members(), fitted.lost_members());
    assert_eq!(fit(&sampled(), &x, &y).lost_members(), 0);
}

/// Samples are remembered with five digits: a start of the next sampler, not the model itself.
#[test]
fn samples_are_remembered_with_five_digits() {
    let (x, y) = data(12, 1);
    let fitted = fit(&sampled(), &x, &y);
    for value in fitted.hyperparameters() {
        assert_eq!(value.to_string(), format!("{value:.4e}").parse::<f64>().unwrap().to_string());
    }
    let most_probable = fit(&GpSurrogate::default(), &x, &y).hyperparameters();
    assert!(most_probable.iter().any(|value| *value != format!("{value:.4e}").parse::<f64>().unwrap()));
}

/// Beyond the samples the maximum is that of their density, so that noise is decided by evidence there too.
#[test]
fn noise_beyond_the_samples_is_decided_by_evidence() {
    for seed in 0..5 {
        let mut rng = Seed(seed).stream("noisy", 0);
        let x = latin_hypercube(101, 6, &mut rng);
        let noise = |rng: &mut Stream| -> f64 { 0.3 * Distribution::<f64>::sample(&StandardNormal, rng) };
        let y: Vec<f64> =
            x.rows().map(|p| (6.0 * p[0]).sin() + (p[1] - 0.4).powi(2) + noise(&mut rng)).collect();
        let fitted = fit(&GpSurrogate::noisy(), &x, &y);
        assert!(fitted.members().is_empty(), "seed {seed}: the maximum at 101 observations");
        let found = fitted.noise_variance();
        assert!((0.03..0.3).contains(&found), "seed {seed}: noise {found:e}, expected about 0.09");
    }
}

/// One observation says nothing of lengthscales: the maximum is the median of the prior of the samples, 0.2 √d, whatever the kernel is
/// made of. A kernel of one's own has the same treatment: log-normal(0, ½) has its median at 1.
#[test]
fn maxima_without_samples_are_medians_of_the_priors() {
    let never = Sampling { until: 0, ..Sampling::default() };
    let surrogate = GpSurrogate::default().with_sampled_hyperparameters(never);
    let own = surrogate.clone().with_kernel("own", |domain| {
        let kernel = Matern52::new(vec![0.7; domain.dim()])?;
        Ok(kernel.with_prior(Prior::LogNormal { mu: 0.0, sigma: 0.5 }).clone_box())
    });
    let x = Points::from_flat(vec![0.3, 0.6], 2);
    let median = (2_f64.sqrt() + 0.5 * 2_f64.ln() - 3.0).exp();
    // The kernel of a family has its variance first.
    for (surrogate, lengthscales, expected) in [(surrogate, 1..3, median), (own, 0..2, 1.0)] {
        let fitted = fit(&surrogate, &x, &[1.5]);
        for found in &fitted.hyperparameters()[lengthscales] {
            assert!((found / expected - 1.0).abs() < 0.01, "lengthscale {found}, expected {expected}");
        }
    }
}

/// On stairs the form for pieces takes the steps for noise on a slope; a noise that is given stays.
#[test]
fn the_form_for_pieces_has_noise() {
    let x = Points::from_flat((0..40).map(|i| f64::from(i) / 39.0).collect(), 1);
    let y: Vec<f64> = x.rows().map(|x| ((8.0 * x[0]).floor() / 8.0 - 0.4).powi(2)).collect();
    let noise = |surrogate: &dyn Surrogate| {
        let data = Observations::new(x.as_ref(), &y);
        surrogate
            .fit(&Domain::unit_cube(1), data, None, &mut Seed(3).stream("fit", 0))
            .unwrap()
            .noise_variance()
    };
    let pieces = |surrogate: &GpSurrogate| surrogate.in_pieces().unwrap();
    let plain = GpSurrogate::default();
    assert!(noise(&*pieces(&plain)) > 10.0 * noise(&plain), "{} {}", noise(&*pieces(&plain)), noise(&plain));
    let given = GpSurrogate::deterministic();
    assert_eq!(pieces(&given).describe().unwrap(), given.describe().unwrap());
    assert_eq!(pieces(&GpSurrogate::noisy()).describe().unwrap(), GpSurrogate::noisy().describe().unwrap());
}
