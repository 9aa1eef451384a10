//! Mixtures whose members are normal laws with known moments, some of which cannot take a further observation.

use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::{Seed, Stream};
use thrifty_surrogate::{
    FittedSurrogate, JointGradient, JointPosterior, Mixture, PathSampler, Posterior, PosteriorGradient,
    Prediction, SamplePath, SurrogateError, contract,
};

/// Constant mean with variance 1; an observation moves the mean half the way, unless the model cannot take any.
#[derive(Clone, Copy)]
struct Constant {
    mean: f64,
    is_rigid: bool,
}

impl Posterior for Constant {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, _: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        mean.fill(self.mean);
        variance.fill(1.0);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        None
    }
}

impl FittedSurrogate for Constant {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        vec![]
    }

    fn fantasize(&self, _: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        if self.is_rigid {
            let source = "the point is known exactly".into();
            return Err(SurrogateError::Failed { surrogate: "constant".into(), source });
        }
        Ok(Box::new(Self { mean: 0.5 * (self.mean + y), ..*self }))
    }
}

fn mixture(members: &[(f64, f64, bool)]) -> Mixture {
    let member = |&(weight, mean, is_rigid)| -> (f64, Box<dyn FittedSurrogate>) {
        (weight, Box::new(Constant { mean, is_rigid }))
    };
    Mixture::new(members.iter().map(member).collect()).unwrap()
}

#[test]
fn a_member_that_cannot_take_an_observation_stays_in_its_place() {
    let before = mixture(&[(0.5, 1.0, false), (0.2, 5.0, true), (0.3, 3.0, false)]);
    let after = before.fantasize(&[0.4], 0.0).unwrap();
    let found: Vec<(f64, f64)> = after
        .members()
        .iter()
        .map(|member| (member.weight, member.fitted.posterior().predict(&[0.4]).mean))
        .collect();
    assert_eq!(found, [(0.5, 0.5), (0.2, 5.0), (0.3, 1.5)]);
}

#[test]
fn an_observation_that_no_member_takes_is_an_error() {
    let rigid = mixture(&[(0.5, 1.0, true), (0.5, 5.0, true)]);
    let error = rigid.fantasize(&[0.4], 0.0).err().unwrap().to_string();
    assert_eq!(error, "constant: the point is known exactly");
}

/// The variance of a mixture is the mean of the variances and the variance of the means.
#[test]
fn moments_are_those_of_total_variance() {
    let found = mixture(&[(1.0, -1.0, false), (3.0, 3.0, false)]).predict(&[0.2]);
    assert_eq!((found.mean, found.variance), (2.0, 1.0 + 0.25 * 9.0 + 0.75 * 1.0));
}

/// One observation that the model predicts by its mean and variance 1, without the others.
struct LeftOut(Constant);

impl FittedSurrogate for LeftOut {
    fn posterior(&self) -> &dyn Posterior {
        &self.0
    }

    fn hyperparameters(&self) -> Vec<f64> {
        vec![]
    }

    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        Some(vec![Prediction { mean: self.0.mean, variance: 1.0 }])
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.0.fantasize(x, y)
    }
}

/// Predictions of left-out observations have the moments of the mixture; a member without them leaves none.
#[test]
fn left_out_observations_have_the_moments_of_the_mixture() {
    let of =
        |mean: f64| -> Box<dyn FittedSurrogate> { Box::new(LeftOut(Constant { mean, is_rigid: false })) };
    let found = Mixture::new(vec![(1.0, of(-1.0)), (3.0, of(3.0))]).unwrap().leave_one_out().unwrap();
    assert_eq!(found, [Prediction { mean: 2.0, variance: 1.0 + 0.25 * 9.0 + 0.75 * 1.0 }]);
    let without = Box::new(Constant { mean: 1.0, is_rigid: false });
    assert!(Mixture::new(vec![(1.0, of(-1.0)), (3.0, without)]).unwrap().leave_one_out().is_none());
}

/// A weighted sum of the functions x₀ and x₁², with independent weights of known means and variances.
struct Sum {
    means: [f64; 2],
    variances: [f64; 2],
}

/// The two functions at a point, and each one's slope, which is with respect to the coordinate of its own.
fn functions(x: &[f64]) -> ([f64; 2], [f64; 2]) {
    ([x[0], x[1] * x[1]], [1.0, 2.0 * x[1]])
}

impl Sum {
    fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let ((of_a, _), (of_b, _)) = (functions(a), functions(b));
        (0..2).map(|k| self.variances[k] * of_a[k] * of_b[k]).sum()
    }
}

impl Posterior for Sum {
    fn dim(&self) -> usize {
        2
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        for (i, row) in x.rows().enumerate() {
            let (values, _) = functions(row);
            mean[i] = self.means[0] * values[0] + self.means[1] * values[1];
            variance[i] = self.covariance(row, row);
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn PathSampler> {
        Some(self)
    }
}

impl PosteriorGradient for Sum {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        self.predict_into(x, mean, variance);
        for (i, row) in x.rows().enumerate() {
            let (values, slopes) = functions(row);
            for k in 0..2 {
                mean_gradient[2 * i + k] = self.means[k] * slopes[k];
                variance_gradient[2 * i + k] = 2.0 * self.variances[k] * values[k] * slopes[k];
            }
        }
    }
}

impl JointPosterior for Sum {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.cross_covariance_into(x, x, out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = self.covariance(a.row(i / b.len()), b.row(i % b.len()));
        }
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }
}

impl JointGradient for Sum {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let n = x.len();
        for i in 0..n {
            let (_, slopes) = functions(x.row(i));
            for k in 0..2 {
                let others = (0..n).map(|j| {
                    (of_covariance[i * n + j] + of_covariance[j * n + i]) * functions(x.row(j)).0[k]
                });
                let between = self.variances[k] * others.sum::<f64>();
                grad[2 * i + k] += (of_mean[i] * self.means[k] + between) * slopes[k];
            }
        }
    }
}

/// The mean itself as a path: it tells which member it is from.
impl SamplePath for Sum {
    fn dim(&self) -> usize {
        2
    }

    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.mean_into(x, out);
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (values, slopes) = functions(x);
        (0..2).for_each(|k| gradient[k] = self.means[k] * slopes[k]);
        self.means[0] * values[0] + self.means[1] * values[1]
    }
}

impl PathSampler for Sum {
    fn sample_paths(&self, count: usize, _: &mut Stream) -> Option<Vec<Box<dyn SamplePath>>> {
        let path = || -> Box<dyn SamplePath> { Box::new(Self { ..*self }) };
        Some((0..count).map(|_| path()).collect())
    }
}

impl FittedSurrogate for Sum {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        vec![]
    }

    fn fantasize(&self, _: &[f64], _: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(Self { ..*self }))
    }
}

/// Three members with weights 0.2, 0.5 and 0.3.
fn sums() -> Mixture {
    let of = |means, variances| -> Box<dyn FittedSurrogate> { Box::new(Sum { means, variances }) };
    let members = vec![
        (0.2, of([1.0, -2.0], [0.5, 0.1])),
        (0.5, of([-0.4, 3.0], [0.2, 0.7])),
        (0.3, of([2.5, 0.6], [1.1, 0.3])),
    ];
    Mixture::new(members).unwrap()
}

#[test]
fn mixture_gradients_match_differences() {
    let (mixture, x) = (sums(), Points::from_rows(&[[0.3, 0.8], [0.9, 0.2], [0.5, 0.6]]).unwrap());
    contract::batch_is_pointwise(&mixture, x.as_ref(), 1e-12);
    contract::gradients_match(&mixture, x.as_ref(), 1e-5, 1e-7);
    contract::covariance_is_consistent(&mixture, &x, 1e-12);
    let of_covariance = [0.4, -1.0, 0.3, 0.2, 0.7, 1.1, -0.6, 0.5, 0.9];
    contract::joint_gradient_matches(&mixture, &x, (&[0.3, -1.0, 2.0], &of_covariance), 1e-5, 1e-7);
}

/// Shares of 4,000 paths, within 5 standard errors.
#[test]
fn paths_are_from_members_by_their_weights() {
    let (mixture, at, count) = (sums(), [1.0, 0.0], 4000);
    let paths = mixture.sample_paths(count, &mut Seed(1).stream("paths", 0)).unwrap();
    assert_eq!(paths.len(), count);
    let values: Vec<f64> = paths.iter().map(|path| path.value_with_gradient(&at, &mut [0.0; 2])).collect();
    for member in mixture.members() {
        let mean = member.fitted.posterior().predict(&at).mean;
        let share = values.iter().filter(|value| **value == mean).count() as f64 / count as f64;
        let error = (member.weight * (1.0 - member.weight) / count as f64).sqrt();
        assert!((share - member.weight).abs() < 5.0 * error, "{share} of the paths, not {}", member.weight);
    }
}
