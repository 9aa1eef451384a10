//! The contract rejects posteriors that are wrong in one respect, by a little more than its tolerance.

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Seed;
use thrifty_surrogate::{
    JointGradient, JointLookahead, JointPosterior, LookaheadCotangent, Posterior, PosteriorGradient,
    contract, sample_jointly,
};

const TOLERANCE: f64 = 1e-6;

/// The place of an error.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    MeanOfBatches,
    VarianceOfBatches,
    NegativeVariance,
    InfiniteMean,
    NotANumber,
    MeanGradient,
    VarianceGradient,
    Covariance,
    Asymmetry,
    Cross,
    CrossInTheFirstColumn,
    OfMean,
    OfCovariance,
}

/// `f(x) = sin(x₀ + 2x₁) + w₀ (1 + 0.3 x₀) + w₁ x₀ x₁` with standard normal weights, right but for one number.
struct Faulty {
    fault: Fault,
    /// Size of the error.
    by: f64,
}

fn features(x: &[f64]) -> [f64; 2] {
    [1.0 + 0.3 * x[0], x[0] * x[1]]
}

fn slopes(x: &[f64]) -> [[f64; 2]; 2] {
    [[0.3, x[1]], [0.0, x[0]]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl Faulty {
    fn error(&self, fault: Fault) -> f64 {
        if self.fault == fault { self.by } else { 0.0 }
    }

    /// An error of an entry that is not the first.
    fn error_at(&self, fault: Fault, index: usize) -> f64 {
        if index == 1 { self.error(fault) } else { 0.0 }
    }
}

impl Posterior for Faulty {
    fn dim(&self) -> usize {
        2
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        for (i, point) in x.rows().enumerate() {
            mean[i] = (point[0] + 2.0 * point[1]).sin() + self.error_at(Fault::MeanOfBatches, i);
            variance[i] = dot(features(point), features(point)) + self.error_at(Fault::VarianceOfBatches, i);
            match self.fault {
                Fault::NegativeVariance => variance[i] = -self.by,
                Fault::InfiniteMean => mean[i] = f64::INFINITY,
                Fault::NotANumber => variance[i] = f64::NAN,
                _ => {}
            }
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl PosteriorGradient for Faulty {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        self.predict_into(x, mean, variance);
        for (i, point) in x.rows().enumerate() {
            let cosine = (point[0] + 2.0 * point[1]).cos();
            for k in 0..2 {
                let (of_mean, of_variance) =
                    ([1.0, 2.0][k] * cosine, 2.0 * dot(slopes(point)[k], features(point)));
                mean_gradient[2 * i + k] = of_mean + self.error_at(Fault::MeanGradient, 2 * i + k);
                variance_gradient[2 * i + k] =
                    of_variance + self.error_at(Fault::VarianceGradient, 2 * i + k);
            }
        }
    }
}

impl JointPosterior for Faulty {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let m = x.len();
        for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
            out[i * m + j] = dot(features(x.row(i)), features(x.row(j)));
        }
        if m > 1 {
            out[1] += self.error(Fault::Covariance) + self.error(Fault::Asymmetry);
            out[m] += self.error(Fault::Covariance);
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        for (i, j) in (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))) {
            out[i * b.len() + j] =
                dot(features(a.row(i)), features(b.row(j))) + self.error_at(Fault::Cross, i * b.len() + j);
            if (i, j) == (1, 0) {
                out[i * b.len()] += self.error(Fault::CrossInTheFirstColumn);
            }
        }
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }
}

impl JointGradient for Faulty {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let m = x.len();
        for i in 0..m {
            for (k, slope) in slopes(x.row(i)).into_iter().enumerate() {
                let cosine = [1.0, 2.0][k] * (x.row(i)[0] + 2.0 * x.row(i)[1]).cos();
                grad[2 * i + k] += of_mean[i] * (cosine + self.error(Fault::OfMean));
                for j in 0..m {
                    let both = of_covariance[i * m + j] + of_covariance[j * m + i];
                    grad[2 * i + k] +=
                        both * (dot(slope, features(x.row(j))) + self.error(Fault::OfCovariance));
                }
            }
        }
    }
}

fn points() -> Points {
    Points::from_rows(&[[0.1, 0.9], [0.4, 0.2], [0.8, 0.7]]).expect("rows of one length")
}

fn passes(fault: Fault, by: f64, law: &(dyn Fn(&Faulty) + std::panic::RefUnwindSafe)) -> bool {
    std::panic::catch_unwind(|| law(&Faulty { fault, by })).is_ok()
}

/// The law holds without an error and finds each of twelve tolerances.
fn finds(faults: &[Fault], law: &(dyn Fn(&Faulty) + std::panic::RefUnwindSafe)) {
    assert!(passes(Fault::None, 0.0, law));
    for fault in faults {
        assert!(!passes(*fault, 12.0 * TOLERANCE, law), "{fault:?}");
    }
}

#[test]
fn faults_of_batches_are_found() {
    let law = |posterior: &Faulty| contract::batch_is_pointwise(posterior, points().as_ref(), TOLERANCE);
    finds(
        &[
            Fault::MeanOfBatches,
            Fault::VarianceOfBatches,
            Fault::NegativeVariance,
            Fault::InfiniteMean,
            Fault::NotANumber,
        ],
        &law,
    );
    for fault in [Fault::MeanOfBatches, Fault::VarianceOfBatches] {
        assert!(passes(fault, 0.1 * TOLERANCE, &law), "{fault:?}");
    }
}

#[test]
fn faults_of_gradients_are_found() {
    let law = |posterior: &Faulty| contract::gradients_match(posterior, points().as_ref(), 1e-5, TOLERANCE);
    finds(&[Fault::MeanGradient, Fault::VarianceGradient], &law);
    for fault in [Fault::MeanGradient, Fault::VarianceGradient] {
        assert!(passes(fault, 0.1 * TOLERANCE, &law), "{fault:?}");
    }
}

#[test]
fn faults_of_covariances_are_found() {
    let law = |posterior: &Faulty| contract::covariance_is_consistent(posterior, &points(), TOLERANCE);
    finds(&[Fault::Covariance, Fault::Asymmetry, Fault::Cross, Fault::CrossInTheFirstColumn], &law);
    for fault in [Fault::Covariance, Fault::Cross] {
        assert!(passes(fault, 0.1 * TOLERANCE, &law), "{fault:?}");
    }
    // Symmetry is exact.
    assert!(!passes(Fault::Asymmetry, 1e-15, &law));
}

#[test]
fn faults_of_joint_gradients_are_found() {
    let of_covariance = [0.4, -1.0, 0.3, 0.2, 0.7, 1.1, -0.6, 0.5, 0.9];
    let law = |posterior: &Faulty| {
        let weights = (&[0.3, -1.0, 2.0][..], &of_covariance[..]);
        contract::joint_gradient_matches(posterior, &points(), weights, 1e-5, TOLERANCE);
    };
    finds(&[Fault::OfMean, Fault::OfCovariance], &law);
    for fault in [Fault::OfMean, Fault::OfCovariance] {
        assert!(passes(fault, 0.02 * TOLERANCE, &law), "{fault:?}");
    }
}

#[test]
fn faults_of_looks_ahead_are_found() {
    for weights in [(1.0, 0.0, [0.0; 4]), (0.0, 1.0, [0.0; 4]), (0.0, 0.0, [0.5, 0.0, -2.0, 0.7])] {
        let law = |posterior: &Faulty| {
            let anchors = points();
            let ahead = JointLookahead::new(posterior, anchors.as_ref(), 0.1);
            let (mean, variance, covariance) = weights;
            let weights = LookaheadCotangent { mean, variance, covariance: &covariance };
            contract::lookahead_gradient_matches(&ahead, &[0.3, 0.8], weights, 1e-5, TOLERANCE);
        };
        assert!(passes(Fault::None, 0.0, &law), "{weights:?}");
        let fault = if weights.0 > 0.0 { Fault::OfMean } else { Fault::OfCovariance };
        assert!(!passes(fault, 20.0 * TOLERANCE, &law), "{weights:?}");
    }
}

/// A sample is the mean and the factor of the covariance times standard normal numbers, written down for two points.
#[test]
fn joint_samples_are_the_mean_and_the_factor_times_the_normals() {
    let posterior = Faulty { fault: Fault::None, by: 0.0 };
    let x = Points::from_rows(&[[0.1, 0.9], [0.8, 0.7]]).expect("rows of one length");
    let [a, b] = [features(x.row(0)), features(x.row(1))];
    let l00 = dot(a, a).sqrt();
    let l10 = dot(a, b) / l00;
    let l11 = (dot(b, b) - l10 * l10).sqrt();
    let stream = || Seed(4).stream("samples", 0);
    let found = sample_jointly(&posterior, x.as_ref(), 3, &mut stream()).expect("positive definite");
    let mut rng = stream();
    assert_eq!(found.len(), 3);
    for sample in &found {
        let [z, w]: [f64; 2] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
        let expected = [
            posterior.predict(x.row(0)).mean + l00 * z,
            posterior.predict(x.row(1)).mean + l10 * z + l11 * w,
        ];
        assert!(sample.iter().zip(expected).all(|(s, e)| (s - e).abs() < 1e-7), "{sample:?} {expected:?}");
    }
}
