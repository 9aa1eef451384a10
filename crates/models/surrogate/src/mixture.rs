//! Mixtures of fitted surrogates: several models with weights, as of one process with different hyperparameters.

use std::sync::Arc;

use thrifty_check::InputError;
use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;

use crate::{
    FittedSurrogate, JOINT_LIMIT, JointGradient, JointPosterior, PathSampler, Posterior, PosteriorGradient,
    Prediction, SamplePath, SurrogateError,
};

/// A member of a [`Mixture`].
pub struct Member {
    /// Probability, from 0; those of all members add up to 1.
    pub weight: f64,
    /// The model.
    pub fitted: Arc<dyn FittedSurrogate>,
}

/// Mixture of fitted surrogates with weights that add up to 1.
///
/// ```text
/// mean = Σ w_i m_i,   cov(x, x') = Σ w_i [C_i(x, x') + (m_i(x) - mean(x)) (m_i(x') - mean(x'))]
/// ```
///
/// Moments are exact: the law of total covariance. The mixture itself is not normal, so that what is more than a function of two moments is
/// averaged over [`FittedSurrogate::members`] instead. A path is drawn from a member that is drawn by its weight.
pub struct Mixture {
    members: Vec<Member>,
    dim: usize,
    lost: usize,
}

impl Mixture {
    /// Mixture of models with these weights, which are divided by their sum; a model of weight 0 is left out.
    ///
    /// # Errors
    /// [`InputError`] when no model is left, for a weight that is negative or not finite, or for posteriors of different dimensions.
    pub fn new(models: Vec<(f64, Box<dyn FittedSurrogate>)>) -> Result<Self, InputError> {
        for (weight, _) in &models {
            thrifty_check::number("weight of a member", *weight, *weight >= 0.0, "a finite number from 0")?;
        }
        let counted = models.into_iter().filter(|(weight, _)| *weight > 0.0);
        let member = |(weight, fitted)| Member { weight, fitted: Arc::from(fitted) };
        let mut members: Vec<Member> = counted.map(member).collect();
        let Some(first) = members.first() else {
            return Err(InputError::Empty { name: "members of a mixture" });
        };
        let dim = first.fitted.posterior().dim();
        for member in &members {
            thrifty_check::dimension("posterior of a member", member.fitted.posterior().dim(), dim)?;
        }
        let total: f64 = members.iter().map(|member| member.weight).sum();
        members.iter_mut().for_each(|member| member.weight /= total);
        Ok(Self { members, dim, lost: 0 })
    }

    /// Sets the number of members that are missing because they could not be conditioned on the data.
    #[must_use]
    pub fn with_lost_members(self, lost: usize) -> Self {
        Self { lost, ..self }
    }

    fn joint_of(member: &Member) -> &dyn JointPosterior {
        member.fitted.posterior().joint().expect("joint posteriors of all members")
    }

    /// Differences between the means of the members and the mean of the mixture, a row a member.
    fn deviations(&self, x: PointsRef<'_>) -> Vec<Vec<f64>> {
        let mut mean = vec![0.0; x.len()];
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(self.members.len());
        for Member { weight, fitted } in &self.members {
            let mut own = vec![0.0; x.len()];
            fitted.posterior().mean_into(x, &mut own);
            mean.iter_mut().zip(&own).for_each(|(slot, m)| *slot += weight * m);
            rows.push(own);
        }
        rows.iter_mut().for_each(|row| row.iter_mut().zip(&mean).for_each(|(m, mean)| *m -= mean));
        rows
    }
}

impl Posterior for Mixture {
    fn dim(&self) -> usize {
        self.dim
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        let (mut means, mut own) = (Vec::with_capacity(self.members.len()), vec![0.0; x.len()]);
        mean.fill(0.0);
        variance.fill(0.0);
        for Member { weight, fitted } in &self.members {
            let mut m = vec![0.0; x.len()];
            fitted.posterior().predict_into(x, &mut m, &mut own);
            mean.iter_mut().zip(&m).for_each(|(slot, m)| *slot += weight * m);
            variance.iter_mut().zip(&own).for_each(|(slot, v)| *slot += weight * v);
            means.push(m);
        }
        for (Member { weight, .. }, m) in self.members.iter().zip(means) {
            for ((slot, m), mean) in variance.iter_mut().zip(m).zip(&*mean) {
                *slot += weight * (m - mean).powi(2);
            }
        }
    }

    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        let mut own = vec![0.0; x.len()];
        mean.fill(0.0);
        for Member { weight, fitted } in &self.members {
            fitted.posterior().mean_into(x, &mut own);
            mean.iter_mut().zip(&own).for_each(|(slot, m)| *slot += weight * m);
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        let all = self.members.iter().all(|member| member.fitted.posterior().gradient().is_some());
        all.then_some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        let all = self.members.iter().all(|member| member.fitted.posterior().joint().is_some());
        all.then_some(self)
    }

    fn paths(&self) -> Option<&dyn PathSampler> {
        let all = self.members.iter().all(|member| member.fitted.posterior().paths().is_some());
        all.then_some(self)
    }
}

impl PosteriorGradient for Mixture {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        let (n, d) = (x.len(), x.dim());
        self.predict_into(x, mean, variance);
        mean_gradient.fill(0.0);
        variance_gradient.fill(0.0);
        let (mut m, mut v) = (vec![0.0; n], vec![0.0; n]);
        let (mut of_mean, mut of_variance) = (vec![0.0; n * d], vec![0.0; n * d]);
        for Member { weight, fitted } in &self.members {
            let posterior = fitted.posterior().gradient().expect("gradients of all members");
            posterior.predict_with_gradient_into(x, &mut m, &mut v, &mut of_mean, &mut of_variance);
            for i in 0..n * d {
                mean_gradient[i] += weight * of_mean[i];
                // The terms of the common mean cancel: the weighted deviations add up to 0.
                variance_gradient[i] +=
                    weight * (of_variance[i] + 2.0 * (m[i / d] - mean[i / d]) * of_mean[i]);
            }
        }
    }
}

impl JointPosterior for Mixture {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let n = x.len();
        let (mut own, deviations) = (vec![0.0; n * n], self.deviations(x));
        out.fill(0.0);
        for (member, deviation) in self.members.iter().zip(&deviations) {
            Self::joint_of(member).covariance_into(x, &mut own);
            for (i, slot) in out.iter_mut().enumerate() {
                *slot += member.weight * (own[i] + deviation[i / n] * deviation[i % n]);
            }
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        let columns = b.len();
        let mut own = vec![0.0; a.len() * columns];
        let (of_a, of_b) = (self.deviations(a), self.deviations(b));
        out.fill(0.0);
        for (k, member) in self.members.iter().enumerate() {
            Self::joint_of(member).cross_covariance_into(a, b, &mut own);
            for (i, slot) in out.iter_mut().enumerate() {
                *slot += member.weight * (own[i] + of_a[k][i / columns] * of_b[k][i % columns]);
            }
        }
    }

    fn prior_scale(&self) -> f64 {
        self.members.iter().map(|member| Self::joint_of(member).prior_scale()).fold(0.0, f64::max)
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        let all = self.members.iter().all(|member| Self::joint_of(member).joint_gradient().is_some());
        all.then_some(self)
    }
}

impl JointGradient for Mixture {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let n = x.len();
        for (member, deviation) in self.members.iter().zip(self.deviations(x)) {
            let gradient = Self::joint_of(member).joint_gradient().expect("joint gradients of all members");
            let own_mean: Vec<f64> = (0..n)
                .map(|j| {
                    let both = |k: usize| of_covariance[j * n + k] + of_covariance[k * n + j];
                    let between: f64 = (0..n).map(|k| both(k) * deviation[k]).sum();
                    member.weight * (of_mean[j] + between)
                })
                .collect();
            let own_covariance: Vec<f64> = of_covariance.iter().map(|w| member.weight * w).collect();
            gradient.pull_back_joint(x, &own_mean, &own_covariance, grad);
        }
    }
}

impl PathSampler for Mixture {
    fn sample_paths(&self, count: usize, rng: &mut Stream) -> Option<Vec<Box<dyn SamplePath>>> {
        let mut paths = Vec::with_capacity(count);
        for _ in 0..count {
            let mut rest = rng.uniform();
            let chosen = self.members.iter().find(|member| {
                rest -= member.weight;
                rest < 0.0
            });
            // Weights add up to 1 but for rounding.
            let chosen = chosen.or(self.members.last())?;
            paths.extend(chosen.fitted.posterior().paths()?.sample_paths(1, rng)?);
        }
        Some(paths)
    }
}

impl FittedSurrogate for Mixture {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    /// Those of all members, one after the other.
    fn hyperparameters(&self) -> Vec<f64> {
        self.members.iter().flat_map(|member| member.fitted.hyperparameters()).collect()
    }

    fn learnt_from(&self) -> Option<usize> {
        self.members.first().and_then(|member| member.fitted.learnt_from())
    }

    fn joint_limit(&self) -> usize {
        self.members.iter().map(|member| member.fitted.joint_limit()).min().unwrap_or(JOINT_LIMIT)
    }

    fn noise_variance(&self) -> f64 {
        self.members.iter().map(|member| member.weight * member.fitted.noise_variance()).sum()
    }

    /// Each member after the observation, with the weights as they are.
    ///
    /// The weights are part of the hyperparameters: an outcome that is imagined at the mean is no evidence for the members that are sure of it.
    /// A member that cannot take the observation, as at a point that it knows exactly, stays as it is; an error when none can.
    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let (mut members, mut failure, mut is_new) = (Vec::with_capacity(self.members.len()), None, false);
        for Member { weight, fitted } in &self.members {
            let next = fitted.fantasize(x, y);
            is_new |= next.is_ok();
            let fitted = next.map_or_else(
                |error| {
                    failure = Some(error);
                    Arc::clone(fitted)
                },
                Arc::from,
            );
            members.push(Member { weight: *weight, fitted });
        }
        match failure {
            Some(error) if !is_new => Err(error),
            _ => Ok(Box::new(Self { members, dim: self.dim, lost: self.lost })),
        }
    }

    fn members(&self) -> &[Member] {
        &self.members
    }

    fn lost_members(&self) -> usize {
        self.lost
    }

    /// Moments of the members' predictions with the weights as they are; nothing unless all members have them, of equally many observations:
    /// one that could not take a fantasy has fewer.
    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        let of = |member: &Member| Some((member.weight, member.fitted.leave_one_out()?));
        let all: Vec<(f64, Vec<Prediction>)> = self.members.iter().map(of).collect::<Option<_>>()?;
        let count = all.first()?.1.len();
        if all.iter().any(|(_, own)| own.len() != count) {
            return None;
        }
        let one = |i: usize| {
            let mean = all.iter().map(|(weight, own)| weight * own[i].mean).sum::<f64>();
            let total = |(weight, own): &(f64, Vec<Prediction>)| {
                weight * (own[i].variance + (own[i].mean - mean).powi(2))
            };
            Prediction { mean, variance: all.iter().map(total).sum() }
        };
        Some((0..count).map(one).collect())
    }

    /// Means of the members' changes with the weights as they are; nothing unless all members have them.
    fn leave_one_out_change(&self, change: &[f64]) -> Option<Vec<f64>> {
        let mut mean = vec![0.0; change.len()];
        for member in &self.members {
            let own = member.fitted.leave_one_out_change(change)?;
            mean.iter_mut().zip(own).for_each(|(slot, own)| *slot += member.weight * own);
        }
        Some(mean)
    }
}
