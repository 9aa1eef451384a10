//! Observed points for joint draws: all up to a limit, and no covariance of more.

use std::sync::atomic::{AtomicUsize, Ordering};

use thrifty_acquisition::{
    Acquisition, AcquisitionFactory, AcquisitionKind, Context, most_promising, optimistic_bounds,
};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointGradient, JointPosterior, Posterior, PosteriorGradient};

const OBSERVED: usize = 60;
const RUNNING: usize = 3;

/// A process that remembers of how many points a covariance was asked at most, and draws no paths.
struct Counting {
    process: GpPosterior<Scaled<Matern52>>,
    largest: AtomicUsize,
}

impl Posterior for Counting {
    fn dim(&self) -> usize {
        self.process.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.process.predict_into(x, mean, variance);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        self.process.gradient()
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl JointPosterior for Counting {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.largest.fetch_max(x.len(), Ordering::Relaxed);
        self.process.covariance_into(x, out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        self.process.cross_covariance_into(a, b, out);
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        self.process.joint_gradient()
    }
}

/// Observed points, of which the last are running.
fn observed() -> (Points, Counting) {
    let mut x = Points::new(1);
    (0..OBSERVED).for_each(|i| x.push(&[(0.37 + 0.618_034 * i as f64).fract()]));
    let measured = x.as_ref().slice(0, OBSERVED - RUNNING);
    let y: Vec<f64> = measured.rows().map(|x| (9.0 * x[0]).sin()).collect();
    let kernel = Scaled::new(Matern52::new(vec![0.2]).unwrap(), 1.0).unwrap();
    let noise = vec![0.1; y.len()];
    let process = Gp::new(kernel).condition_with_noise(measured, &y, &noise).unwrap();
    (x, Counting { process, largest: AtomicUsize::new(0) })
}

fn with<R>(
    (x, posterior): &(Points, Counting),
    joint_limit: usize,
    then: impl FnOnce(Context<'_, '_>) -> R,
) -> R {
    then(Context {
        posterior,
        target: -1.0,
        t: OBSERVED,
        domain: &Domain::unit_cube(1),
        observed: x.as_ref(),
        running: RUNNING,
        joint_limit,
        is_promising: None,
        noise_variance: 0.1,
        rng: &mut Seed(4).stream("draws", 0),
    })
}

/// Rules that draw jointly at observed points, and at how many points beside them.
const RULES: [(AcquisitionKind, usize); 6] = [
    (AcquisitionKind::LogNoisyExpectedImprovement { draws: 16 }, 0),
    (AcquisitionKind::LogKnowledgeGradient { anchors: 8 }, 256),
    (AcquisitionKind::EntropySearch { representers: 8, draws: 16 }, 256),
    (AcquisitionKind::PredictiveEntropySearch { representers: 8, draws: 16 }, 256),
    (AcquisitionKind::Thompson, 256),
    (AcquisitionKind::JointEntropySearch { minimizers: 4 }, 512),
];

/// Up to the limit the baseline is all that was observed. Beyond it running points stay, and of the others the least optimistic ones go.
#[test]
fn running_and_promising_points_are_kept() {
    let all = observed();
    for limit in [OBSERVED, OBSERVED + 1, usize::MAX] {
        assert_eq!(with(&all, limit, |context| context.baseline()), all.0);
    }
    let measured = all.0.as_ref().slice(0, OBSERVED - RUNNING);
    let bounds = optimistic_bounds(&all.1, measured);
    for (i, x) in measured.rows().enumerate() {
        let found = all.1.predict(x);
        assert!((bounds[i] - (found.mean - 2.0 * found.std_dev())).abs() < 1e-9);
    }
    for limit in [OBSERVED - 1, 20, RUNNING, 1] {
        let baseline = with(&all, limit, |context| context.baseline());
        assert_eq!(baseline.len(), limit.max(RUNNING));
        let others = baseline.len() - RUNNING;
        assert_eq!(
            baseline.as_ref().slice(others, baseline.len()),
            all.0.as_ref().slice(OBSERVED - RUNNING, OBSERVED)
        );
        let kept = most_promising(&all.1, measured, others);
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(kept.iter().zip(baseline.rows()).all(|(i, x)| measured.row(*i) == x));
        let worst = kept.iter().map(|i| bounds[*i]).fold(f64::NEG_INFINITY, f64::max);
        let left_out = (0..measured.len()).filter(|i| !kept.contains(i));
        assert!(left_out.into_iter().all(|i| bounds[i] >= worst));
    }
}

/// No covariance is of more observed points than the limit, from the choice of points to the last value.
#[test]
fn no_covariance_is_of_more_points_than_the_limit() {
    let all = observed();
    for (rule, beside) in RULES {
        for limit in [12, OBSERVED] {
            all.1.largest.store(0, Ordering::Relaxed);
            with(&all, limit, |context| {
                let value = rule.build(context).unwrap().value(&[0.43]);
                assert!(!value.is_nan(), "{rule:?}");
            });
            let largest = all.1.largest.load(Ordering::Relaxed);
            assert_eq!(largest, limit + beside, "{rule:?}");
        }
    }
}

/// Points that cannot be the best hardly change an improvement: with a third of them it is within a fifth wherever it counts.
#[test]
fn improvement_over_the_promising_points_is_nearly_that_over_all() {
    let all = observed();
    let rule = AcquisitionKind::LogNoisyExpectedImprovement { draws: 2048 };
    let at = Points::from_flat((0..40).map(|i| (f64::from(i) + 0.5) / 40.0).collect(), 1);
    let values = |limit| {
        let mut values = vec![0.0; at.len()];
        with(&all, limit, |context| rule.build(context).unwrap().values_into(at.as_ref(), &mut values));
        values
    };
    let (exact, bounded) = (values(OBSERVED), values(20));
    let best = exact.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (exact, bounded) in exact.into_iter().zip(bounded).filter(|(exact, _)| *exact > best - 3.0) {
        assert!((exact - bounded).abs() < 0.2, "{exact} {bounded}");
    }
}
