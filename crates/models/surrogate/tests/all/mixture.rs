//! Mixtures whose members are normal laws with known moments, some of which cannot take a further observation.

use thrifty_domain::PointsRef;
use thrifty_surrogate::{FittedSurrogate, Mixture, Posterior, PosteriorGradient, Prediction, SurrogateError};

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
