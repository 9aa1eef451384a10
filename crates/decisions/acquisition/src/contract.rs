//! Contract tests of acquisition functions, to be called from the tests of a crate that implements one.

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::{Seed, Sobol};
use thrifty_surrogate::{JOINT_LIMIT, Posterior, Prediction};

use crate::{Acquisition, AcquisitionFactory, Context, UtilityScale};

/// Seed of the points and of the random numbers of acquisition functions.
const SEED: Seed = Seed(3);

/// Number of Sobol points, and number of those that are compared with finite differences.
const POINTS: usize = 32;
const DIFFERENCES: usize = 8;

/// Share of the largest variance below which a point counts as known.
const CERTAIN: f64 = 1e-6;

/// Tolerance of values that are computed in two ways.
const EQUAL: f64 = 1e-6;

/// Step of finite differences, tolerance of gradients against them, and rounding error of a value.
const STEP: f64 = 1e-5;
const SLOPE: f64 = 1e-4;
const ROUNDING: f64 = 1e-10;

/// Noise variance of the context.
const NOISE: f64 = 1e-6;

/// Builds an acquisition function on a posterior and checks the properties that optimisers rely on. It is the contract suite for
/// implementers of [`AcquisitionFactory`].
///
/// `observed` are the points of the unit cube that the posterior was fitted to, at least 1. The laws, at 32 Sobol points and the observed ones:
/// - values are never NaN nor plus infinity, and at least 0 for a non-negative scale;
/// - a batch equals its points one by one, except where the variance is close to 0 or the value is a logarithm of 0;
/// - the same random numbers build the same function;
/// - gradients, if any, match finite differences where values are finite;
/// - an improvement for a target equals the function for that target;
/// - a factory made for a mixture builds the same function on the posterior of that mixture;
/// - the description is not empty, and equal in two calls.
///
/// # Panics
/// If a law does not hold.
pub fn factory(factory: &dyn AcquisitionFactory, posterior: &dyn Posterior, observed: PointsRef<'_>) {
    let described = factory.describe().unwrap_or_else(|error| panic!("a description: {error}"));
    let name = &described.name;
    assert!(!name.is_empty(), "a name");
    assert_eq!(
        described,
        factory.describe().unwrap_or_else(|error| panic!("{error}")),
        "{name}: described twice"
    );
    let (domain, mut means, mut variances) =
        (Domain::unit_cube(posterior.dim()), vec![0.0; observed.len()], vec![0.0; observed.len()]);
    posterior.predict_into(observed, &mut means, &mut variances);
    let target = factory.target().value(&means, &means);
    let mut points = Sobol::scrambled(posterior.dim(), &mut SEED.stream("contract", 0)).take(POINTS);
    observed.rows().for_each(|row| points.push(row));
    // Where the variance is close to 0, it consists of rounding, and so does its logarithm.
    let largest = points.rows().map(|x| posterior.predict(x).variance).fold(0.0, f64::max);
    let is_certain = |x: &[f64]| posterior.predict(x).variance <= CERTAIN * largest;
    let values = |rng: u64| -> Vec<f64> {
        with(factory, posterior, (&domain, observed, target), rng, |acquisition| {
            let mut values = vec![f64::NAN; points.len()];
            acquisition.values_into(points.as_ref(), &mut values);
            let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (point, together) in points.rows().zip(&values) {
                let alone = acquisition.value(point);
                let close = is_close(factory.scale(), alone, *together, largest) || is_certain(point);
                assert!(close, "{name}: {alone} alone and {together} in a batch at {point:?}");
            }
            let mut uncertain = Points::new(points.dim());
            points.rows().filter(|x| !is_certain(x)).for_each(|x| uncertain.push(x));
            let least =
                if factory.scale() == UtilityScale::Log { largest - VISIBLE } else { f64::NEG_INFINITY };
            gradients(acquisition, &uncertain, least, name);
            let signed = factory.scale() == UtilityScale::Signed;
            assert!(!signed || acquisition.has_unit(), "{name}: signed, but `has_unit` is false");
            values
        })
    };
    let built = values(0);
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(&built), bits(&values(0)), "{name}: built twice");
    for (point, value) in points.rows().zip(&built) {
        assert!(!value.is_nan() && *value < f64::INFINITY, "{name}: {value} at {point:?}");
        assert!(
            factory.scale() != UtilityScale::NonNegative || *value >= 0.0,
            "{name}: {value} < 0 at {point:?}"
        );
    }
    for_mixture(factory, posterior, (&domain, observed, target), (&points, &built), name);
    if let Some(utility) = factory.improvement(target) {
        for (point, value) in points.rows().zip(&built) {
            let Prediction { mean, variance } = posterior.predict(point);
            let own = utility.value(mean, variance.sqrt());
            let close = is_close(factory.scale(), own, *value, 0.0) || is_certain(point);
            assert!(close, "{name}: improvement {own}, acquisition {value} at {point:?}");
        }
    }
}

/// True if values are equal up to rounding. Logarithms also count as equal if both utilities are negligible beside the largest one.
fn is_close(scale: UtilityScale, a: f64, b: f64, largest: f64) -> bool {
    let beside = || ((a - largest).exp() - (b - largest).exp()).abs() <= EQUAL;
    a == b || (a - b).abs() <= EQUAL * (1.0 + b.abs()) || (scale == UtilityScale::Log && beside())
}

/// Checks that factories made for a mixture build the same function on the posterior of a mixture with one member.
fn for_mixture(
    factory: &dyn AcquisitionFactory,
    posterior: &dyn Posterior,
    given: (&Domain, PointsRef<'_>, f64),
    (points, built): (&Points, &[f64]),
    name: &str,
) {
    let shared = in_context(posterior, given, 0, |context| factory.for_mixture(context));
    let shared = shared.unwrap_or_else(|error| panic!("{name} for a mixture: {error}"));
    let Some(shared) = shared else { return };
    assert_eq!(shared.scale(), factory.scale(), "{name}: the scale of what is made for a mixture");
    with(&*shared, posterior, given, 0, |acquisition| {
        for (point, value) in points.rows().zip(built) {
            let own = acquisition.value(point);
            let close = is_close(factory.scale(), own, *value, *value);
            assert!(close, "{name}: {value}, and {own} as made for a mixture, at {point:?}");
        }
    });
}

/// Largest distance of a compared logarithm below the largest one; differences further below have lost their digits.
const VISIBLE: f64 = 10.0;

fn with<R>(
    factory: &dyn AcquisitionFactory,
    posterior: &dyn Posterior,
    given: (&Domain, PointsRef<'_>, f64),
    rng: u64,
    then: impl FnOnce(&dyn Acquisition) -> R,
) -> R {
    let built = in_context(posterior, given, rng, |context| factory.build(context));
    then(&*built.unwrap_or_else(|error| panic!("an acquisition function: {error}")))
}

/// Calls with a context on a posterior, with the given domain, observations and target.
fn in_context<'a, R>(
    posterior: &'a dyn Posterior,
    (domain, observed, target): (&Domain, PointsRef<'_>, f64),
    rng: u64,
    call: impl FnOnce(Context<'a, '_>) -> R,
) -> R {
    let mut rng = SEED.stream("contract context", rng);
    call(Context {
        posterior,
        target,
        t: observed.len() + 1,
        domain,
        observed,
        running: 0,
        joint_limit: JOINT_LIMIT,
        is_promising: None,
        noise_variance: NOISE,
        rng: &mut rng,
    })
}

/// Checks gradients against central differences, where values are not below `least`.
fn gradients(acquisition: &dyn Acquisition, points: &Points, least: f64, name: &str) {
    let d = points.dim();
    let (mut value, mut gradient) = ([0.0], vec![0.0; d]);
    for point in points.rows().take(DIFFERENCES) {
        if !acquisition.values_with_gradients_into(PointsRef::single(point), &mut value, &mut gradient) {
            return;
        }
        if !value[0].is_finite() || value[0] < least {
            continue;
        }
        for k in 0..d {
            let at = |offset: f64| {
                let mut moved = point.to_vec();
                moved[k] += offset;
                acquisition.value(&moved)
            };
            let step = STEP;
            let slope = (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
            if !slope.is_finite() {
                continue;
            }
            let error = (gradient[k] - slope).abs();
            let rounding = ROUNDING / step * (1.0 + value[0].abs());
            assert!(
                error <= SLOPE * (1.0 + slope.abs()) + rounding,
                "{name}: slope {} of coordinate {k} at {point:?}, differences say {slope}",
                gradient[k]
            );
        }
    }
}
