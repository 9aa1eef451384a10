//! Slice sampling of hyperparameters against posteriors that are known.

use thrifty_params::{LogLikelihood, Param, Parameterized, SliceSampler, Transform};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;

/// A likelihood that is a function of the natural values.
struct Known<F> {
    params: Vec<Param>,
    values: Vec<f64>,
    log_likelihood: F,
}

impl<F: Fn(&[f64]) -> Option<f64>> Known<F> {
    fn new(params: Vec<Param>, log_likelihood: F) -> Self {
        let values = params.iter().map(|p| p.value).collect();
        Self { params, values, log_likelihood }
    }
}

impl<F> Parameterized for Known<F> {
    fn params(&self) -> Vec<Param> {
        self.params.clone()
    }

    fn set_params(&mut self, values: &[f64]) {
        self.values = values.to_vec();
    }
}

impl<F: Fn(&[f64]) -> Option<f64>> LogLikelihood for Known<F> {
    type Error = ();

    fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, ()> {
        gradient.fill(0.0);
        (self.log_likelihood)(&self.values).ok_or(())
    }
}

const SAMPLER: SliceSampler = SliceSampler { count: 16, burn_in: 20, steps: 6 };

fn param(transform: Transform, value: f64, (low, high): (f64, f64), prior: Option<Prior>) -> Param {
    Param { name: "p".into(), value, low, high, transform, prior }
}

/// Samples of many independent populations, each continued twice.
fn samples(params: &[Param], log_likelihood: impl Fn(&[f64]) -> Option<f64> + Copy) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    for seed in 0..250 {
        let mut rng = Seed(seed).stream("slice", 0);
        let mut known = Known::new(params.to_vec(), log_likelihood);
        let mut population = Vec::new();
        for _ in 0..3 {
            population = SAMPLER.sample(&mut known, &population, &mut rng).unwrap();
            assert_eq!(population.len(), SAMPLER.count);
        }
        all.extend(population);
    }
    all
}

/// Shares of samples below quantiles that are known, within 5 standard errors of 4,000 samples of which one in four counts.
fn has_quantiles(values: &[f64], quantiles: &[(f64, f64)]) {
    for (at, share) in quantiles {
        let found = values.iter().filter(|v| *v < at).count() as f64 / values.len() as f64;
        let error = (share * (1.0 - share) / (0.25 * values.len() as f64)).sqrt();
        assert!((found - share).abs() < 5.0 * error, "{share} of the mass is below {at}, found {found}");
    }
}

fn column(samples: &[Vec<f64>], k: usize) -> Vec<f64> {
    samples.iter().map(|sample| sample[k]).collect()
}

/// Without information in the data the samples are of the priors, whatever the transform: the Jacobian is there.
#[test]
fn a_flat_likelihood_leaves_the_priors() {
    let params = [
        param(Transform::Log, 1.0, (1e-9, 1e9), Some(Prior::LogNormal { mu: 1.0, sigma: 0.5 })),
        param(Transform::Log, 1.0, (1e-9, 1e9), Some(Prior::Gamma { shape: 1.0, rate: 2.0 })),
        param(Transform::Logit, 0.5, (1e-9, 1.0 - 1e-9), Some(Prior::Beta { a: 1.0, b: 2.0 })),
        param(Transform::Identity, 0.0, (-2.0, 6.0), None),
        param(Transform::Log, 1.0, (0.01, 100.0), None),
        param(Transform::Log, 3.0, (3.0, 3.0), Some(Prior::LogNormal { mu: 0.0, sigma: 1.0 })),
    ];
    let found = samples(&params, |_| Some(0.0));
    let e = std::f64::consts::E;
    has_quantiles(
        &column(&found, 0),
        &[(e, 0.5), (e * 0.5_f64.exp(), 0.841_345), (e / 1.0_f64.exp(), 0.022_75)],
    );
    // An exponential law with mean 1/2.
    has_quantiles(
        &column(&found, 1),
        &[(0.5 * 2.0_f64.ln(), 0.5), (0.05, 1.0 - (-0.1_f64).exp()), (1.0, 1.0 - (-2.0_f64).exp())],
    );
    // The distribution function of Beta(1, 2) is 1 - (1 - x)².
    has_quantiles(&column(&found, 2), &[(0.1, 0.19), (0.5, 0.75), (0.9, 0.99)]);
    has_quantiles(&column(&found, 3), &[(-1.0, 0.125), (2.0, 0.5), (5.0, 0.875)]);
    has_quantiles(&column(&found, 4), &[(0.1, 0.25), (1.0, 0.5), (10.0, 0.75)]);
    assert!(column(&found, 5).iter().all(|v| *v == 3.0), "a parameter that is fixed");
}

/// A normal likelihood in the logarithm, far out in a normal prior and narrow: the product of two normal laws.
#[test]
fn a_narrow_likelihood_far_from_the_prior_is_found() {
    let params = [
        param(Transform::Log, 1.0, (1e-12, 1e12), Some(Prior::LogNormal { mu: -8.0, sigma: 4.0 })),
        param(Transform::Log, 1.0, (1e-12, 1e12), Some(Prior::LogNormal { mu: 0.0, sigma: 1.0 })),
    ];
    let found = samples(&params, |v| {
        Some(-0.5 * ((v[0].ln() - 2.0) / 0.2).powi(2) - 0.5 * ((v[0].ln() + v[1].ln()) / 0.5).powi(2))
    });
    // Precisions of (a, b): [1/16 + 25 + 4, 4; 4, 1 + 4]; times the mean: (-0.5 + 50, 0).
    let determinant: f64 = 29.0625 * 5.0 - 16.0;
    let (mean_a, mean_b) = (5.0 * 49.5 / determinant, -4.0 * 49.5 / determinant);
    let (sd_a, sd_b) = ((5.0 / determinant).sqrt(), (29.0625_f64 / determinant).sqrt());
    for (k, mean, sd) in [(0, mean_a, sd_a), (1, mean_b, sd_b)] {
        let logs: Vec<f64> = column(&found, k).iter().map(|v| v.ln()).collect();
        has_quantiles(&logs, &[(mean, 0.5), (mean + sd, 0.841_345), (mean - 2.0 * sd, 0.022_75)]);
    }
}

/// Two separate explanations have their shares: the population is not caught in one.
#[test]
fn two_modes_have_their_shares() {
    let params =
        [param(Transform::Log, 1e-4, (1e-12, 10.0), Some(Prior::LogNormal { mu: -8.0, sigma: 4.0 }))];
    let mode = |u: f64, at: f64, sd: f64| (-0.5 * ((u - at) / sd).powi(2)).exp();
    let found =
        samples(&params, |v| Some((mode(v[0].ln(), -14.0, 1.0) + 2.0 * mode(v[0].ln(), -3.0, 1.0)).ln()));
    // Weights of the modes times those of the prior: normal laws multiplied.
    let weight = |at: f64| (-0.5 * (at + 8.0_f64).powi(2) / 17.0).exp();
    let share = weight(-14.0) / (weight(-14.0) + 2.0 * weight(-3.0));
    has_quantiles(&column(&found, 0), &[((-9.0_f64).exp(), share)]);
}

/// No samples lie at points without a likelihood; a likelihood that can never be computed gives none at all.
#[test]
fn failures_are_left_out() {
    let params = [param(Transform::Identity, 0.5, (0.0, 1.0), None)];
    let found = samples(&params, |v| (v[0] > 0.25).then_some(0.0));
    let values = column(&found, 0);
    assert!(values.iter().all(|v| (0.25..=1.0).contains(v)));
    has_quantiles(&values, &[(0.5, 1.0 / 3.0), (0.75, 2.0 / 3.0)]);
    for nothing in [None, Some(f64::NAN), Some(f64::NEG_INFINITY)] {
        let mut known = Known::new(params.to_vec(), |_| nothing);
        let mut rng = Seed(1).stream("slice", 0);
        assert!(SAMPLER.sample(&mut known, &[], &mut rng).unwrap().is_empty(), "{nothing:?}");
    }
    // Of earlier samples that do not fit nothing is used; a count of 0 is nothing.
    let mut known = Known::new(params.to_vec(), |_| Some(0.0));
    let mut sample = |sampler: SliceSampler, earlier: &[Vec<f64>]| {
        sampler.sample(&mut known, earlier, &mut Seed(1).stream("slice", 0)).unwrap()
    };
    let cold = sample(SAMPLER, &[]);
    for wrong in
        [vec![vec![0.5, 0.5]; 8], vec![vec![f64::NAN]; 8], [vec![vec![0.5]; 8], vec![vec![]]].concat()]
    {
        assert_eq!(sample(SAMPLER, &wrong), cold, "{wrong:?}");
    }
    assert_eq!(sample(SAMPLER, &vec![vec![0.5]; 7]), cold, "too few");
    assert_ne!(sample(SAMPLER, &vec![vec![0.5]; 8]), cold);
    assert!(sample(SliceSampler { count: 0, ..SAMPLER }, &[]).is_empty());
    let pair = [0, 1].map(|_| param(Transform::Identity, 0.5, (0.0, 1.0), None));
    let mut both = Known::new(pair.to_vec(), |_| Some(0.0));
    let mut sample_both =
        |earlier: &[Vec<f64>]| SAMPLER.sample(&mut both, earlier, &mut Seed(1).stream("slice", 0)).unwrap();
    let half = vec![vec![0.5, f64::INFINITY]; 16];
    assert_eq!(sample_both(&half), sample_both(&[]), "one of two values is not finite");
    assert_eq!(sample(SliceSampler { count: 1, ..SAMPLER }, &[]).len(), 1);
    let mut wrong = Known::new(vec![param(Transform::Log, -1.0, (0.1, 1.0), None)], |_| Some(0.0));
    let error = SAMPLER.sample(&mut wrong, &[], &mut Seed(1).stream("slice", 0)).unwrap_err().to_string();
    assert!(error.contains("parameter p is -1"), "{error}");
}

/// Samples without steps are draws from the prior chosen by their likelihoods: of the posterior already.
///
/// A normal prior with mean 0 and variance 1 and a likelihood around 1 with variance 1: mean and variance 1/2. The
/// weights of the draws leave seven in ten of 8,000.
#[test]
fn starts_are_draws_of_the_prior_weighted_by_the_likelihood() {
    let prior = Prior::Normal { mean: 0.0, sd: 1.0 };
    let params = [param(Transform::Identity, 0.0, (-50.0, 50.0), Some(prior))];
    let sampler = SliceSampler { count: 1000, burn_in: 0, steps: 0 };
    for seed in 0..3 {
        let mut known = Known::new(params.to_vec(), |v| Some(-0.5 * (v[0] - 1.0).powi(2)));
        let starts = sampler.sample(&mut known, &[], &mut Seed(seed).stream("slice", 0)).unwrap();
        assert_eq!(starts.len(), 1000);
        let sd = 0.5_f64.sqrt();
        has_quantiles(
            &column(&starts, 0),
            &[(0.5, 0.5), (0.5 + sd, 0.841_345), (0.5 - sd, 0.158_655), (0.5 + 2.0 * sd, 0.977_25)],
        );
    }
}

/// A prior that is cut off at its mean leaves the upper half of its law, and none of the starts at the bound.
#[test]
fn starts_within_bounds_are_of_the_law_that_is_cut_off() {
    let prior = Prior::LogNormal { mu: 0.0, sigma: 1.0 };
    let params = [param(Transform::Log, 2.0, (1.0, 1e9), Some(prior))];
    let sampler = SliceSampler { count: 1000, burn_in: 0, steps: 0 };
    for seed in 0..3 {
        let mut known = Known::new(params.to_vec(), |_| Some(0.0));
        let starts = sampler.sample(&mut known, &[], &mut Seed(seed).stream("slice", 0)).unwrap();
        let logs: Vec<f64> = column(&starts, 0).iter().map(|v| v.ln()).collect();
        assert!(logs.iter().all(|u| *u > 0.0), "a start on the bound");
        // Quartiles of the absolute value of a standard normal number.
        has_quantiles(&logs, &[(0.318_639, 0.25), (0.674_490, 0.5), (1.150_349, 0.75)]);
    }
}

/// A prior far beyond the bounds leaves the nearest bound, and the value that is current.
#[test]
fn a_prior_beyond_the_bounds_leaves_the_nearest_bound() {
    let prior = Prior::Normal { mean: -1e3, sd: 1.0 };
    let params = [param(Transform::Identity, 0.5, (0.0, 1.0), Some(prior))];
    let sampler = SliceSampler { count: 8, burn_in: 0, steps: 0 };
    let mut known = Known::new(params.to_vec(), |_| Some(0.0));
    let starts = sampler.sample(&mut known, &[], &mut Seed(1).stream("slice", 0)).unwrap();
    assert_eq!(starts.len(), 8);
    assert!(starts.iter().all(|v| v[0] == 0.0 || v[0] == 0.5), "{starts:?}");
}

/// A likelihood that can be computed nowhere but next to the current value.
#[test]
fn the_current_value_is_one_of_the_starts() {
    let at = 0.3;
    let params = [param(Transform::Identity, at, (0.0, 1.0), None)];
    let near = |v: &[f64]| ((v[0] - at).abs() < 1e-9).then_some(0.0);
    let mut known = Known::new(params.to_vec(), near);
    let found = SAMPLER.sample(&mut known, &[], &mut Seed(1).stream("slice", 0)).unwrap();
    assert_eq!(found.len(), SAMPLER.count);
    assert!(found.iter().all(|sample| near(sample).is_some()), "{found:?}");
}

/// The slice is a short interval that is all to one side of the wide law's middle: the ellipse closes in on the point itself.
#[test]
fn every_step_moves_within_its_slice() {
    let params = [param(Transform::Identity, 0.8, (0.0, 1.0), None)];
    let inside = |v: &[f64]| ((v[0] - 0.8).abs() < 1e-3).then_some(0.0);
    let sampler = SliceSampler { count: 1, burn_in: 0, steps: 1 };
    for seed in 0..20 {
        let mut known = Known::new(params.to_vec(), inside);
        let found = sampler.sample(&mut known, &[vec![0.8]], &mut Seed(seed).stream("slice", 0)).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0][0] != 0.8 && inside(&found[0]).is_some(), "{found:?}");
    }
}

/// A parameter of which the prior excludes half of the bounds: the likelihood is asked in the other half alone.
#[test]
fn no_likelihood_is_computed_where_the_prior_has_no_density() {
    let prior = Prior::Gamma { shape: 2.0, rate: 3.0 };
    let params = [param(Transform::Identity, 0.5, (-1.0, 1.0), Some(prior))];
    let asked = std::cell::RefCell::new(Vec::new());
    let mut known = Known::new(params.to_vec(), |v| {
        asked.borrow_mut().push(v[0]);
        Some(0.0)
    });
    let found = SAMPLER.sample(&mut known, &[], &mut Seed(1).stream("slice", 0)).unwrap();
    assert_eq!(found.len(), SAMPLER.count);
    let asked = asked.into_inner();
    assert!(asked.len() > SAMPLER.count, "{} likelihoods", asked.len());
    assert!(asked.iter().all(|v| *v > 0.0), "a likelihood was asked where the prior has no density");
}

/// A current value so far from the prior that its density underflows: the samples are of the draws from the prior.
#[test]
fn a_current_value_without_density_leaves_the_other_starts() {
    let prior = Prior::Normal { mean: 0.0, sd: 1.0 };
    let params = [param(Transform::Identity, 1e200, (-1e300, 1e300), Some(prior))];
    let mut known = Known::new(params.to_vec(), |_| Some(0.0));
    let found = SAMPLER.sample(&mut known, &[], &mut Seed(1).stream("slice", 0)).unwrap();
    assert_eq!(found.len(), SAMPLER.count);
    assert!(found.iter().all(|v| v[0].abs() < 10.0), "{found:?}");
}

/// Earlier samples of which one has no likelihood any more: none of them is used, and the starts are those without earlier ones.
#[test]
fn one_earlier_sample_without_a_likelihood_is_enough_to_begin_anew() {
    let params = [param(Transform::Identity, 0.5, (0.0, 1.0), None)];
    let sampler = SliceSampler { count: 4, burn_in: 0, steps: 0 };
    let sample = |earlier: &[Vec<f64>]| {
        let mut known = Known::new(params.to_vec(), |v: &[f64]| (v[0] > 0.25).then_some(0.0));
        sampler.sample(&mut known, earlier, &mut Seed(1).stream("slice", 0)).unwrap()
    };
    let anew = sample(&[]);
    for place in 0..4 {
        let mut earlier = vec![vec![0.3], vec![0.5], vec![0.7], vec![0.9]];
        assert_eq!(sample(&earlier), earlier, "all have a likelihood");
        earlier[place] = vec![0.1];
        assert_eq!(sample(&earlier), anew, "sample {place} has none");
    }
}

/// Starts are chosen from eight draws each: a likelihood that is constant on a quarter of the prior and missing elsewhere leaves
/// twice as many as are needed, all different.
#[test]
fn starts_are_different_where_a_quarter_of_the_prior_counts() {
    let prior = Prior::Normal { mean: 0.0, sd: 1.0 };
    let params = [param(Transform::Identity, 1.0, (-50.0, 50.0), Some(prior))];
    let sampler = SliceSampler { count: 64, burn_in: 0, steps: 0 };
    for seed in 0..3 {
        // The upper quartile of a standard normal number.
        let mut known = Known::new(params.to_vec(), |v: &[f64]| (v[0] > 0.674_490).then_some(0.0));
        let mut starts =
            column(&sampler.sample(&mut known, &[], &mut Seed(seed).stream("slice", 0)).unwrap(), 0);
        starts.sort_by(f64::total_cmp);
        starts.dedup();
        assert_eq!(starts.len(), 64, "different starts of seed {seed}");
    }
}
