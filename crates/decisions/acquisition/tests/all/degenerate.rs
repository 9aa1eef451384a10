//! Utilities at zero variance, with inner acquisitions without gradients, and with invalid settings.

use thrifty_acquisition::{
    Acquisition, Analytic, BernoulliEntropy, ConditionalDraws, EntropySearch, ExpectedImprovement,
    ExpectedUtility, Integrated, IntegratedBernoulli, KnowledgeGradient, LogBernoulliEntropy,
    LogBernoulliVariance, LogExpectedImprovement, LogProbabilityOfImprovement, Masked, MinimizerDistribution,
    OneShotKnowledgeGradient, PredictiveEntropySearch, ProbabilityOfImprovement, Schedule, ThresholdField,
    Utility,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::Seed;
use thrifty_surrogate::{
    JointPosterior, Lookahead, LookaheadCotangent, Posterior, PosteriorGradient, Prediction,
};

/// A known function leaves improvements that are certain, without slopes of the standard deviation.
#[test]
fn improvements_on_what_is_known_are_certain() {
    let target = 2.0;
    let (pi, log_pi) = (ProbabilityOfImprovement { target }, LogProbabilityOfImprovement { target });
    let (ei, log_ei) = (ExpectedImprovement { target }, LogExpectedImprovement { target });
    let none = f64::NEG_INFINITY;
    for (mean, of_pi, of_ei) in [(1.5, 1.0, 0.5), (2.0, 0.0, 0.0), (3.0, 0.0, 0.0)] {
        assert_eq!((pi.value(mean, 0.0), ei.value(mean, 0.0)), (of_pi, of_ei));
        assert_eq!(pi.value_and_slopes(mean, 0.0), (of_pi, 0.0, 0.0));
        let log = if of_pi > 0.0 { 0.0 } else { none };
        assert_eq!((log_pi.value(mean, 0.0), log_pi.value_and_slopes(mean, 0.0)), (log, (log, 0.0, 0.0)));
        let log = if of_ei > 0.0 { 0.5_f64.ln() } else { none };
        let slope = if of_ei > 0.0 { -2.0 } else { 0.0 };
        assert_eq!((log_ei.value(mean, 0.0), log_ei.value_and_slopes(mean, 0.0)), (log, (log, slope, 0.0)));
    }
}

/// β = 2 ln(points · t² π² / 6δ), however small.
#[test]
fn a_schedule_of_one_point_is_below_one() {
    let beta = Schedule::SrinivasFinite { points: 1.0, delta: 0.9999 }.beta(1).unwrap();
    let expected = 2.0 * (std::f64::consts::PI.powi(2) / (6.0 * 0.9999)).ln();
    assert!((beta - expected).abs() < 1e-14 && expected < 1.0, "{beta} {expected}");
}

/// Simpson's weights of the outermost nodes are half of the even ones inside.
#[test]
fn the_outermost_nodes_count_once() {
    let outside = |v: f64| if v.abs() > 8.5 { 1.0 } else { 0.0 };
    let share = |count| ExpectedUtility::new(outside).with_nodes(count).unwrap().value(0.0, 1.0);
    let end = (-40.5_f64).exp();
    assert!((share(3) / (2.0 * end / (4.0 + 2.0 * end)) - 1.0).abs() < 1e-12, "{:e}", share(3));
    // Nodes at ±9, ±4.5 and 0 with weights 1, 4, 2, 4, 1.
    let total = 2.0 + 8.0 * (-10.125_f64).exp() + 2.0 * end;
    assert!((share(5) / (2.0 * end / total) - 1.0).abs() < 1e-12, "{:e}", share(5));
}

/// One anchor value each, and at the point no variance.
struct Known {
    means: Vec<f64>,
    own: f64,
}

impl Lookahead for Known {
    fn dim(&self) -> usize {
        1
    }

    fn means(&self) -> &[f64] {
        &self.means
    }

    fn moments_into(&self, _: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64], covariance: &mut [f64]) {
        mean.fill(self.own);
        variance.fill(0.0);
        covariance.fill(0.0);
    }

    fn pull_back(&self, _: &[f64], weights: LookaheadCotangent<'_>, grad: &mut [f64]) -> bool {
        grad[0] += weights.mean;
        true
    }
}

/// Observing what is known moves nothing: what is gained is by how much the point itself is better than the best anchor, taken
/// without slopes.
#[test]
fn knowledge_of_what_is_known() {
    for (own, gain) in [(0.5, 0.5), (1.0, 0.0), (3.0, 0.0)] {
        let known = || Box::new(Known { means: vec![2.0, 1.0, 4.0], own });
        let plain = KnowledgeGradient::of(known()).unwrap();
        assert_eq!(plain.value(&[0.3]), gain);
        assert_eq!(KnowledgeGradient::of(known()).unwrap().among_anchors().value(&[0.3]), 0.0);
        assert_eq!(KnowledgeGradient::of(known()).unwrap().logarithm().value(&[0.3]), gain.ln());
        let (mut value, mut gradient) = ([0.0], [7.0]);
        assert!(plain.values_with_gradients_into(PointsRef::single(&[0.3]), &mut value, &mut gradient));
        assert_eq!((value[0], gradient[0]), (gain, 0.0), "{own}");
    }
}

fn process(dim: usize, lengthscale: f64) -> GpPosterior<Scaled<Matern52>> {
    let x = match dim {
        1 => Points::from_flat(vec![0.1, 0.5, 0.9], 1),
        _ => Points::from_flat(vec![0.1, 0.1, 0.9, 0.2, 0.3, 0.95], 2),
    };
    let settings = GpSettings { noise: Noise::Fixed(1e-4), ..GpSettings::default() };
    let kernel = Scaled::new(Matern52::new(vec![lengthscale; dim]).unwrap(), 1.0).unwrap();
    Gp::new(kernel).with_settings(settings).condition(x.as_ref(), &[1.0, -0.5, 0.7]).unwrap()
}

/// A function that is known at every point.
struct Certain;

impl Posterior for Certain {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        mean.copy_from_slice(x.as_flat());
        variance.fill(0.0);
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl JointPosterior for Certain {
    fn covariance_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn cross_covariance_into(&self, _: PointsRef<'_>, _: PointsRef<'_>, out: &mut [f64]) {
        out.fill(0.0);
    }
}

/// The mean x without variance, whose derivative is not 0 by rounding.
struct Rounded;

impl Posterior for Rounded {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        Certain.predict_into(x, mean, variance);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }
}

impl PosteriorGradient for Rounded {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        self.predict_into(x, mean, variance);
        mean_gradient.fill(1.0);
        variance_gradient.fill(1e-9);
    }
}

/// A variance of 0 is at its minimum: utilities have the slope of the mean alone.
#[test]
fn a_variance_of_zero_does_not_move() {
    let slope = |utility: Box<dyn Utility>| {
        let (mut value, mut gradient) = ([0.0], [f64::NAN]);
        let utility = Analytic::new(&Rounded, utility);
        assert!(utility.values_with_gradients_into(PointsRef::single(&[0.25]), &mut value, &mut gradient));
        gradient[0]
    };
    let improvement = slope(Box::new(ExpectedImprovement { target: 0.5 }));
    assert_eq!(improvement, -1.0, "expected improvement of a line below the threshold");
    let none = slope(Box::new(ExpectedImprovement { target: 0.1 }));
    assert_eq!(none, 0.0, "expected improvement of a line above the threshold");
}

#[test]
fn nothing_is_told_by_what_is_known() {
    let points = Points::from_flat(vec![0.2, 0.4, 0.8], 1);
    let law = || {
        MinimizerDistribution::new(&Certain, points.as_ref(), 0.0, 16, &mut Seed(0).stream("law", 0)).unwrap()
    };
    assert_eq!(PredictiveEntropySearch::new(law()).value(&[0.5]), 0.0);
    assert_eq!(EntropySearch::new(law()).value(&[0.5]), 0.0);
    // Draws of what is known are its means.
    let draws = ConditionalDraws::new(&Certain, points.as_ref(), 4, &mut Seed(0).stream("draws", 0)).unwrap();
    for s in 0..4 {
        assert_eq!(draws.values(s), [0.2, 0.4, 0.8]);
    }
}

#[test]
fn one_shot_refuses_noise_that_is_none() {
    let posterior = process(1, 0.3);
    for noise in [-1e-3, f64::NAN, f64::INFINITY] {
        let rng = &mut Seed(0).stream("outcomes", 0);
        let error = OneShotKnowledgeGradient::new(&posterior, 1, 4, noise, 0.0, rng).err().unwrap();
        assert!(error.to_string().contains(&format!("noise variance is {noise}")), "{error}");
    }
}

/// A pending point that explains a part of the field and nothing of the rest counts where it does.
#[test]
fn pending_points_count_where_they_reach() {
    let now = process(1, 0.02);
    let field = Points::from_flat(vec![0.2, 0.22, 0.7, 0.72], 1);
    let field = ThresholdField::new(&now, field.as_ref(), None, 0.3).unwrap();
    let Prediction { mean, .. } = now.predict(&[0.21]);
    let after = now.with_noisy_observations(PointsRef::single(&[0.21]), &[mean], &[0.0]).unwrap();
    let of = |posterior: &dyn JointPosterior, x: f64| {
        Integrated::over(&field, IntegratedBernoulli::default(), posterior, 1e-4).unwrap().value(&[x])
    };
    // Beside the pending point less is left to gain; elsewhere as much as before.
    assert!(of(&after, 0.215) < 0.5 * of(&now, 0.215), "{} {}", of(&after, 0.215), of(&now, 0.215));
    assert!((of(&after, 0.71) - of(&now, 0.71)).abs() < 1e-9);
}

/// Without slopes.
struct Flat;

impl Acquisition for Flat {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.copy_from_slice(x.as_flat());
    }
}

#[test]
fn a_mask_is_minus_infinity_without_slopes() {
    let points = Points::from_flat(vec![0.25, 0.75], 1);
    let (mut values, mut gradients) = ([0.0; 2], [9.0; 2]);
    let flat = Masked::new(Flat, |x: &[f64]| x[0] < 0.5);
    flat.values_into(points.as_ref(), &mut values);
    assert_eq!(values, [0.25, f64::NEG_INFINITY]);
    assert!(!flat.values_with_gradients_into(points.as_ref(), &mut values, &mut gradients));
    let model = process(1, 0.3);
    let improvement = || Analytic::new(&model, ExpectedImprovement { target: 0.5 });
    let masked = Masked::new(improvement(), |x: &[f64]| x[0] < 0.5);
    assert!(masked.values_with_gradients_into(points.as_ref(), &mut values, &mut gradients));
    let (mut own, mut slopes) = ([0.0; 2], [0.0; 2]);
    assert!(improvement().values_with_gradients_into(points.as_ref(), &mut own, &mut slopes));
    assert_eq!((values, gradients), ([own[0], f64::NEG_INFINITY], [slopes[0], 0.0]));
    assert!(slopes[0] != 0.0);
}

/// The logarithm of the entropy stays finite where the smaller probability underflows: `ln q + ln(1 - ln q)`.
#[test]
fn entropies_far_from_the_threshold() {
    let (plain, log) = (BernoulliEntropy { threshold: 0.0 }, LogBernoulliEntropy { threshold: 0.0 });
    for z in [1.0, 5.0, 20.0, 36.0, -36.0] {
        assert!((log.value(z, 1.0) - plain.value(z, 1.0).ln()).abs() < 1e-9 * log.value(z, 1.0).abs(), "{z}");
    }
    for z in [38.0, 40.0, -45.0, 100.0] {
        let log_q = thrifty_prob::log_cdf(-f64::abs(z));
        let expected = log_q + (1.0 - log_q).ln();
        assert!((log.value(z, 1.0) / expected - 1.0).abs() < 1e-14, "{z}: {} {expected}", log.value(z, 1.0));
    }
}

/// Gradients at zero variance are differences over two millionths, or over that share of a large mean.
#[test]
fn slopes_of_known_utilities_are_short_differences() {
    let hinge = ExpectedUtility::new(|v: f64| v.max(0.0));
    // Half of the kink is within reach of the difference, or a quarter.
    for (mean, slope) in [(0.0, 0.5), (0.5e-6, 0.75), (1.1e-6, 1.0), (-1.1e-6, 0.0)] {
        let found = hinge.value_and_slopes(mean, 0.0).1;
        assert!((found - slope).abs() < 1e-6, "{mean}: {found} {slope}");
    }
}

/// Logarithms of a classification without doubt: minus infinity, without slopes, also where it is the quotient of margin and standard deviation that
/// is infinite.
#[test]
fn what_is_certain_to_be_on_one_side_has_no_slopes() {
    let threshold = 0.0;
    let utilities: [&dyn Utility; 2] =
        [&LogBernoulliVariance { threshold }, &LogBernoulliEntropy { threshold }];
    for utility in utilities {
        for (mean, std_dev) in [(1e300, 1e-300), (-1e300, 1e-300), (1.0, 0.0), (-1.0, 0.0)] {
            let found = utility.value_and_slopes(mean, std_dev);
            assert_eq!(found, (f64::NEG_INFINITY, 0.0, 0.0), "{mean} ± {std_dev}");
        }
    }
}
