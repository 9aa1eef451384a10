//! Mixtures whose members are normal laws with known moments, some of which cannot take a further observation.

use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::{Seed, Stream};
use thrifty_surrogate::{
    FittedSurrogate, JointPosterior, Mixture, PathSampler, Posterior, PosteriorGradient, Prediction,
    SamplePath, SurrogateError, contract,
};

use crate::weights::Weights;

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

/// Models of weight 0: they are no members, and alone no mixture.
#[test]
fn models_of_weight_zero_are_left_out() {
    let found = mixture(&[(0.0, 9.0, false), (1.0, 2.0, false), (-0.0, 8.0, true)]);
    assert_eq!(found.members().len(), 1);
    assert_eq!(found.predict(&[0.4]), Prediction { mean: 2.0, variance: 1.0 });
    let constant = || -> Box<dyn FittedSurrogate> { Box::new(Constant { mean: 0.0, is_rigid: false }) };
    assert!(Mixture::new(vec![(0.0, constant()), (0.0, constant())]).is_err(), "no member is left");
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

/// Observations that the model predicts by its mean and variance 1, without the others: so many.
struct LeftOut(Constant, usize);

impl FittedSurrogate for LeftOut {
    fn posterior(&self) -> &dyn Posterior {
        &self.0
    }

    fn hyperparameters(&self) -> Vec<f64> {
        vec![]
    }

    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        Some(vec![Prediction { mean: self.0.mean, variance: 1.0 }; self.1])
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.0.fantasize(x, y)?;
        Ok(Box::new(Self(self.0, self.1 + 1)))
    }
}

/// Predictions of left-out observations have the moments of the mixture; a member without them leaves none.
#[test]
fn left_out_observations_have_the_moments_of_the_mixture() {
    let of =
        |mean: f64| -> Box<dyn FittedSurrogate> { Box::new(LeftOut(Constant { mean, is_rigid: false }, 1)) };
    let found = Mixture::new(vec![(1.0, of(-1.0)), (3.0, of(3.0))]).unwrap().leave_one_out().unwrap();
    assert_eq!(found, [Prediction { mean: 2.0, variance: 1.0 + 0.25 * 9.0 + 0.75 * 1.0 }]);
    let without = Box::new(Constant { mean: 1.0, is_rigid: false });
    assert!(Mixture::new(vec![(1.0, of(-1.0)), (3.0, without)]).unwrap().leave_one_out().is_none());
}

/// No predictions after a fantasy that one member cannot take, in either order.
#[test]
fn members_with_other_observations_leave_no_predictions() {
    let of = |is_rigid: bool| -> Box<dyn FittedSurrogate> {
        Box::new(LeftOut(Constant { mean: 1.0, is_rigid }, 3))
    };
    let after = |first: bool, second: bool| {
        let before = Mixture::new(vec![(0.5, of(first)), (0.5, of(second))]).unwrap();
        assert_eq!(before.leave_one_out().unwrap().len(), 3);
        before.fantasize(&[0.4], 2.0).unwrap().leave_one_out()
    };
    assert_eq!(after(false, false).unwrap().len(), 4);
    assert!(after(false, true).is_none() && after(true, false).is_none());
}

/// Five weights whose paths are their mean, which tells the member that a path is from.
struct Member(Weights);

impl Posterior for Member {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.0.predict_into(x, mean, variance);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        self.0.gradient()
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        self.0.joint()
    }

    fn paths(&self) -> Option<&dyn PathSampler> {
        Some(self)
    }
}

impl PathSampler for Member {
    fn sample_paths(&self, count: usize, _: &mut Stream) -> Option<Vec<Box<dyn SamplePath>>> {
        let path = || -> Box<dyn SamplePath> { Box::new(Self(self.0.clone())) };
        Some((0..count).map(|_| path()).collect())
    }
}

impl SamplePath for Member {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.0.mean_into(x, out);
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (mut mean, mut variance, mut slopes) = ([0.0], [0.0], [0.0; 2]);
        let x = PointsRef::single(x);
        self.0.predict_with_gradient_into(x, &mut mean, &mut variance, gradient, &mut slopes);
        mean[0]
    }
}

impl FittedSurrogate for Member {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        vec![]
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let mut told = self.0.clone();
        told.update(x, y, 0.1);
        Ok(Box::new(Self(told)))
    }
}

/// Members with the shares 0.2, 0.5 and 0.3 after different observations.
fn three() -> Mixture {
    let after = |share: f64, x: [f64; 2], y: f64| (share, Member(Weights::new()).fantasize(&x, y).unwrap());
    let members =
        vec![after(0.2, [0.3, 0.1], 2.0), after(0.5, [0.9, 0.6], -1.0), after(0.3, [0.2, 0.8], 4.0)];
    Mixture::new(members).unwrap()
}

#[test]
fn mixture_gradients_match_differences() {
    let (mixture, x) = (three(), Points::from_rows(&[[0.3, 0.8], [0.9, 0.2], [0.5, 0.6]]).unwrap());
    contract::batch_is_pointwise(&mixture, x.as_ref(), 1e-12);
    contract::gradients_match(&mixture, x.as_ref(), 1e-5, 1e-7);
    contract::covariance_is_consistent(&mixture, &x, 1e-12);
    let of_covariance = [0.4, -1.0, 0.3, 0.2, 0.7, 1.1, -0.6, 0.5, 0.9];
    contract::joint_gradient_matches(&mixture, &x, (&[0.3, -1.0, 2.0], &of_covariance), 1e-5, 1e-7);
}

/// Shares of 4,000 paths, within 5 standard errors.
#[test]
fn paths_are_from_members_by_their_weights() {
    let (mixture, at, count) = (three(), [1.0, 0.0], 4000);
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

#[test]
fn a_mixture_has_the_dimension_of_its_members() {
    assert_eq!(three().dim(), 2, "members of two columns");
    assert_eq!(mixture(&[(1.0, 0.0, false)]).dim(), 1, "members of one column");
}

/// Member without anything but a noise.
struct Noisy(Constant, f64);

impl FittedSurrogate for Noisy {
    fn posterior(&self) -> &dyn Posterior {
        &self.0
    }

    fn hyperparameters(&self) -> Vec<f64> {
        vec![]
    }

    fn noise_variance(&self) -> f64 {
        self.1
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.0.fantasize(x, y)
    }
}

/// Noise of a mixture of normal noises with mean 0: its variance is the mean of theirs.
#[test]
fn the_noise_of_a_mixture_is_the_mean_of_its_members() {
    let of = |noise: f64| -> Box<dyn FittedSurrogate> {
        Box::new(Noisy(Constant { mean: 0.0, is_rigid: false }, noise))
    };
    let found = Mixture::new(vec![(1.0, of(0.5)), (3.0, of(2.5))]).unwrap().noise_variance();
    assert_eq!(found, 2.0, "a quarter of 0.5 and three quarters of 2.5");
}
