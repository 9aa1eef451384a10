//! Hypervolume improvements of posteriors that are certain, that are certain given a running trial, or that are no number.

use thrifty_acquisition::Acquisition;
use thrifty_bo::{LogExpectedHypervolume, LogNoisyExpectedHypervolume, UncertainFront};
use thrifty_domain::{Points, PointsRef};
use thrifty_pareto::ExpectedHypervolumeImprovement;
use thrifty_prob::pdf;
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointGradient, JointPosterior, Posterior, PosteriorGradient};

/// f(x) = a + s x, known for certain.
struct Line(f64, f64);

impl Posterior for Line {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        x.rows().zip(mean).for_each(|(x, slot)| *slot = self.0 + self.1 * x[0]);
        variance[..x.len()].fill(0.0);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }
}

impl PosteriorGradient for Line {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        self.predict_into(x, mean, variance);
        mean_gradient.fill(self.1);
        variance_gradient.fill(0.0);
    }
}

/// Between (½, ½) and (1, 1) the losses (x, 1 - x) add |x - ½| min(x, 1 - x).
#[test]
fn improvements_of_certain_losses_are_areas() {
    let front = Points::from_flat(vec![0.5, 0.5], 2);
    let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), &[1.0, 1.0]).unwrap();
    let ehvi = LogExpectedHypervolume { objectives: vec![&Line(0.0, 1.0), &Line(1.0, -1.0)], improvement };
    for x in [0.1, 0.25, 0.4, 0.6, 0.9] {
        let area = |x: f64| (x - 0.5).abs() * x.min(1.0 - x);
        let (mut value, mut gradient) = ([0.0], [f64::NAN]);
        assert!(ehvi.values_with_gradients_into(PointsRef::single(&[x]), &mut value, &mut gradient));
        let slope = (area(x + 1e-6).ln() - area(x - 1e-6).ln()) / 2e-6;
        assert!((value[0] - area(x).ln()).abs() < 1e-9, "{x}: {value:?}");
        assert!((gradient[0] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{x}: {gradient:?} {slope}");
    }
    assert_eq!(ehvi.value(&[0.5]), f64::NEG_INFINITY);
}

/// f(x) = b + (x - ½) w for one standard normal w; no number left of a point.
struct Ramp {
    at_half: f64,
    from: f64,
    is_smooth: bool,
}

impl Posterior for Ramp {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        let at = |x: &[f64]| if x[0] < self.from { f64::NAN } else { self.at_half };
        x.rows().zip(mean).for_each(|(x, slot)| *slot = at(x));
        x.rows().zip(variance).for_each(|(x, slot)| *slot = (x[0] - 0.5).powi(2));
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl JointPosterior for Ramp {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.cross_covariance_into(x, x, out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        let all = a.rows().flat_map(|a| b.rows().map(move |b| (a[0] - 0.5) * (b[0] - 0.5)));
        out.iter_mut().zip(all).for_each(|(slot, covariance)| *slot = covariance);
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        self.is_smooth.then_some(self)
    }
}

impl JointGradient for Ramp {
    fn pull_back_joint(&self, x: PointsRef<'_>, _: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let n = x.len();
        for (i, slot) in grad.iter_mut().enumerate() {
            let slope = |(j, other): (usize, &[f64])| {
                (of_covariance[i * n + j] + of_covariance[j * n + i]) * (other[0] - 0.5)
            };
            *slot += x.rows().enumerate().map(slope).sum::<f64>();
        }
    }
}

const REFERENCE: [f64; 1] = [0.3];

/// Improvement of one loss beside a running trial at 0.8 with 4096 draws.
fn beside(ramp: &Ramp) -> LogNoisyExpectedHypervolume<'_> {
    let (fixed, baseline) = (Points::new(1), Points::from_flat(vec![0.8], 1));
    let front = UncertainFront {
        fixed: fixed.as_ref(),
        baseline: baseline.as_ref(),
        constraints: &[],
        reference: &REFERENCE,
    };
    let objectives: [&dyn JointPosterior; 1] = [ramp];
    LogNoisyExpectedHypervolume::new(&objectives, front, 4096, &mut Seed(5).stream("draws", 0)).unwrap()
}

/// `ln ∫ φ(w) (min(τ, f(0.8)) - f(x))⁺ dw`: given the running trial no variance is left, and many draws have no improvement.
#[test]
fn improvements_that_one_draw_decides_are_integrals() {
    let ramp = Ramp { at_half: 0.1, from: 0.0, is_smooth: true };
    let ours = beside(&ramp);
    let expected = |x: f64| {
        let step = 16.0 / 8000.0;
        let at = |i: i32| {
            let w = -8.0 + step * (f64::from(i) + 0.5);
            let (running, here) = (0.1 + 0.3 * w, 0.1 + (x - 0.5) * w);
            step * pdf(w) * (REFERENCE[0].min(running) - here).max(0.0)
        };
        (0..8000).map(at).sum::<f64>().ln()
    };
    for x in [0.1, 0.2, 0.4, 0.65, 0.95] {
        let (mut value, mut gradient) = ([0.0], [f64::NAN]);
        assert!(ours.values_with_gradients_into(PointsRef::single(&[x]), &mut value, &mut gradient));
        assert!((value[0] - expected(x)).abs() < 0.05, "{x}: {value:?} {}", expected(x));
        assert!((value[0] - ours.value(&[x])).abs() < 1e-12);
        let slope = (ours.value(&[x + 1e-6]) - ours.value(&[x - 1e-6])) / 2e-6;
        assert!((gradient[0] - slope).abs() < 1e-2 * (1.0 + slope.abs()), "{x}: {gradient:?} {slope}");
    }
}

/// Points where an objective is no number are the worst; an objective without slopes has none here.
#[test]
fn points_that_are_no_number_are_the_worst() {
    for is_smooth in [true, false] {
        let ramp = Ramp { at_half: 0.1, from: 0.3, is_smooth };
        let whole = Ramp { at_half: 0.1, from: 0.0, is_smooth };
        let x = Points::from_flat(vec![0.1, 0.6, 0.2], 1);
        let (mut values, mut gradients) = ([f64::NAN; 3], [f64::NAN; 3]);
        beside(&ramp).values_into(x.as_ref(), &mut values);
        assert_eq!(values, [f64::NEG_INFINITY, beside(&whole).value(&[0.6]), f64::NEG_INFINITY]);
        let mut again = [f64::NAN; 3];
        let ours = beside(&ramp);
        assert_eq!(ours.values_with_gradients_into(x.as_ref(), &mut again, &mut gradients), is_smooth);
        if is_smooth {
            assert_eq!((again[0], again[2]), (f64::NEG_INFINITY, f64::NEG_INFINITY));
            assert!((again[1] - values[1]).abs() < 1e-12);
            assert_eq!((gradients[0], gradients[2]), (0.0, 0.0));
        }
    }
}
