//! Gaussian-process classification as a surrogate.

use thrifty_domain::{Domain, PointsRef};
use thrifty_gp::{Conditioning, GpSettings, GpSurrogate, Mean, Noise, Training};
use thrifty_kernel::Kernel;
use thrifty_sampling::Stream;
use thrifty_surrogate::{
    Description, EarlierFit, FittedSurrogate, JointGradient, JointPosterior, Observations, Posterior,
    PosteriorGradient, Surrogate, SurrogateError,
};

use crate::surrogate::{failed, learn};
use crate::{CensoredError, CensoredGp, CensoredPosterior, Propagation, Response};

/// Gaussian-process classification by expectation propagation; only the signs of the targets count.
///
/// ```text
/// P(y > 0 at x) = Φ(μ / √(σ² + s²))
/// ```
///
/// The latent function has mean μ and variance σ². s² is the variance of the noise that mixes the classes. It is at its floor where the
/// border is sharp, and large where classes are a matter of chance.
///
/// Two models are fitted: one with s² at its floor and one with a learnt s². The one with the larger posterior density is kept. The
/// posterior includes the noise, so its probability of being positive is the probability of the class.
///
/// Hyperparameters are learnt again after a growth by a tenth. Beyond 128 targets a [subset](Conditioning::Subset) is kept. A quarter of it
/// is where targets of both signs are nearest to each other.
/// Cost: about 10 passes of O(n³) per evaluation of the likelihood, for n kept targets.
/// Source: Rasmussen & Williams (2006), sections 3.6 and 5.5.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct GpClassifier {
    /// Kernel, settings and conditioning of the process.
    pub process: GpSurrogate,
    /// Settings of expectation propagation.
    pub propagation: Propagation,
}

impl Default for GpClassifier {
    /// The default kernel with a learnt variance, and learnt noise of at least 1e-6. The tolerance of propagation is 1e-4, because densely
    /// labelled borders converge slowly. The mean is 0: far from all data both classes are equally likely.
    fn default() -> Self {
        let settings = GpSettings {
            noise: Noise::Learned { start: 1e-2, floor: 1e-6, ceiling: 10.0, prior: None },
            mean: Mean::Zero,
            standardize_targets: false,
            restarts: 0,
            max_evaluations: 60,
            ..GpSettings::default()
        };
        let conditioning = Conditioning::Subset { size: 128 };
        Self {
            process: GpSurrogate { settings, conditioning, near: Some(0.0), ..GpSurrogate::default() },
            propagation: Propagation { max_sweeps: 20, tolerance: 1e-4, ..Propagation::default() },
        }
    }
}

/// Name of the surrogate in errors and journals.
const NAME: &str = "gaussian-process classification";

/// Growth factor after which hyperparameters are learnt again.
const GROWTH: f64 = 1.1;

/// Hyperparameters with a noise variance of at least `least`. The noise is the last of them, or the last but one if the mean is learnt.
fn with_noise(hyperparameters: &[f64], mean: Mean, least: f64) -> Vec<f64> {
    let mut all = hyperparameters.to_vec();
    let after = usize::from(matches!(mean, Mean::Learned | Mean::Normal { .. }));
    all.iter_mut().rev().skip(after).take(1).for_each(|noise| *noise = noise.max(least));
    all
}

/// The largest log posterior density of the hyperparameters among the restarts. If they were learnt from half of a subset, it is that of the
/// half.
fn log_posterior<K: Kernel>(fitted: &CensoredPosterior<K>) -> f64 {
    fitted.restarts().iter().filter_map(|start| start.log_posterior).fold(f64::NEG_INFINITY, f64::max)
}

fn signs(y: &[f64]) -> Vec<Response> {
    y.iter().map(|y| Response::sign(*y > 0.0)).collect()
}

/// Signs times the distance to the nearest target of the other sign: small numbers are near a border. Without another sign it is 1.
fn signed_margins(data: Observations<'_>) -> Vec<f64> {
    let is_positive = |i: usize| data.y[i] > 0.0;
    let margin = |i: usize| {
        let squared =
            |j: usize| -> f64 { data.x.row(i).iter().zip(data.x.row(j)).map(|(a, b)| (a - b).powi(2)).sum() };
        let others = (0..data.len()).filter(|j| is_positive(*j) != is_positive(i));
        let nearest = others.map(squared).min_by(f64::total_cmp).map_or(1.0, f64::sqrt);
        // A point with both signs keeps its own.
        let margin = nearest.max(f64::MIN_POSITIVE);
        if is_positive(i) { margin } else { -margin }
    };
    (0..data.len()).map(margin).collect()
}

impl GpClassifier {
    /// Targets with the signs of the data. Where a subset is chosen, their sizes say how near to a border they are.
    fn targets(&self, data: Observations<'_>) -> Vec<f64> {
        match self.process.conditioning {
            Conditioning::Subset { size } if data.len() > size => signed_margins(data),
            _ => data.y.to_vec(),
        }
    }
}

impl Surrogate for GpClassifier {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let targets = self.targets(data);
        let data = Observations { y: &targets, ..data };
        let mut latent_of = |process: &GpSurrogate, warm_start: Option<&[f64]>| {
            learn((process, self.propagation), &signs, (domain, data), warm_start, rng)
        };
        let latent = match self.process.settings.noise {
            Noise::Learned { start, floor, .. } => {
                let (mut sharp, mean) = (self.process.clone(), self.process.settings.mean);
                // With equal bounds the noise stays among the hyperparameters.
                sharp.settings.noise = Noise::Learned { start: floor, floor, ceiling: floor, prior: None };
                let sharp = latent_of(&sharp, warm_start)?;
                // A search that starts from a sharp border does not find noise.
                let warm_start = warm_start.map(|hyperparameters| with_noise(hyperparameters, mean, start));
                let noisy = latent_of(&self.process, warm_start.as_deref())?;
                if log_posterior(&noisy) > log_posterior(&sharp) { noisy } else { sharp }
            }
            Noise::Fixed(_) => latent_of(&self.process, warm_start)?,
        };
        Ok(Box::new(Classified { latent, learnt_from: data.len() }))
    }

    fn update(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        earlier: EarlierFit<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        // A fit to more observations than there are now was a fit to other data.
        let is_kept = |n: &usize| (*n as f64..GROWTH * *n as f64).contains(&(data.len() as f64));
        let Some(learnt_from) = earlier.learnt_from.filter(is_kept) else {
            return self.fit(domain, data, Some(earlier.hyperparameters), rng);
        };
        let process = self.process.process_for_maximum(domain, data.x)?;
        let process = process.warm_started(earlier.hyperparameters.to_vec());
        let targets = self.targets(data);
        let data = Observations { y: &targets, ..data };
        let training = Training::choose(self.process.conditioning, &process, data, self.process.near)
            .map_err(|error| failed(CensoredError::Process(error)))?;
        let kept = training.data();
        let model = CensoredGp::new(process)
            .with_propagation(self.propagation)
            .warm_started(earlier.hyperparameters.to_vec());
        match model.condition_with_noise(kept.x, &signs(kept.y), &kept.noise_variances()) {
            Ok(latent) if latent.params().len() == earlier.hyperparameters.len() => {
                Ok(Box::new(Classified { latent, learnt_from }))
            }
            // Hyperparameters of another model, or of fewer targets, need not suit these.
            _ => self.fit(domain, data, None, rng),
        }
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new(NAME, self).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

/// A fitted classifier: the latent function and the noise of the classes.
struct Classified<K> {
    latent: CensoredPosterior<K>,
    learnt_from: usize,
}

impl<K: Kernel> Classified<K> {
    fn noise(&self) -> f64 {
        self.latent.noise_variance()
    }

    fn latent_joint(&self) -> &dyn JointPosterior {
        self.latent.process()
    }

    /// Adds the noise variance where points are identical: each point has one class.
    fn add_noise(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        for (row, covariances) in a.rows().zip(out.chunks_exact_mut(b.len().max(1))) {
            let same = b.rows().zip(covariances).filter(|(other, _)| *other == row);
            same.for_each(|(_, covariance)| *covariance += self.noise());
        }
    }
}

impl<K: Kernel> Posterior for Classified<K> {
    fn dim(&self) -> usize {
        self.latent.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.latent.predict_into(x, mean, variance);
        variance.iter_mut().for_each(|v| *v += self.noise());
    }

    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        self.latent.mean_into(x, mean);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl<K: Kernel> PosteriorGradient for Classified<K> {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        let process = self.latent.process();
        process.predict_with_gradient_into(x, mean, variance, mean_gradient, variance_gradient);
        variance.iter_mut().for_each(|v| *v += self.noise());
    }
}

impl<K: Kernel> JointPosterior for Classified<K> {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.latent_joint().covariance_into(x, out);
        self.add_noise(x, x, out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        self.latent_joint().cross_covariance_into(a, b, out);
        self.add_noise(a, b, out);
    }

    fn prior_scale(&self) -> f64 {
        self.latent_joint().prior_scale()
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }
}

impl<K: Kernel> JointGradient for Classified<K> {
    /// Pulls back through the latent function; the noise is constant.
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        if let Some(gradient) = self.latent_joint().joint_gradient() {
            gradient.pull_back_joint(x, of_mean, of_covariance, grad);
        }
    }
}

impl<K: Kernel + Clone + 'static> FittedSurrogate for Classified<K> {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.latent.hyperparameters()
    }

    fn learnt_from(&self) -> Option<usize> {
        Some(self.learnt_from)
    }

    /// Conditions on a value of the latent function plus noise, not on a class.
    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let latent = self.latent.with_observation(x, y).map_err(failed)?;
        Ok(Box::new(Self { latent, learnt_from: self.learnt_from }))
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;

    use super::*;

    /// Two signs on a line: each margin is the distance to the other side, and a point with both has next to none.
    #[test]
    fn margins_are_distances_to_the_other_sign() {
        let x = Points::from_flat(vec![0.0, 0.25, 0.5, 1.0, 0.5], 1);
        let margins = |y: &[f64]| signed_margins(Observations::new(x.as_ref(), y));
        assert_eq!(margins(&[-1.0, -1.0, 1.0, 1.0, 3.0]), [-0.5, -0.25, 0.25, 0.75, 0.25]);
        assert_eq!(margins(&[1.0; 5]), [1.0; 5]);
        let both = margins(&[-1.0, -1.0, 1.0, 1.0, -1.0]);
        assert!(both[2] > 0.0 && both[4] < 0.0 && both[2] < 1e-300 && both[4] > -1e-300, "{both:?}");
    }

    /// A subset of many targets has those around a border, whenever they were told.
    #[test]
    fn targets_near_a_border_are_kept() {
        // Far from the border at 0.5, then near it, then far again.
        let far = |n: usize| (0..n).map(move |i| 0.4 * (i as f64 + 0.5) / n as f64);
        let near = (0..10).map(|i| 0.491 + 0.002 * f64::from(i));
        let all: Vec<f64> = far(200).chain(near).chain(far(200).map(|x| 1.0 - x)).collect();
        let y: Vec<f64> = all.iter().map(|x| if *x > 0.5 { 1.0 } else { -1.0 }).collect();
        let x = Points::from_flat(all.clone(), 1);
        let classifier = GpClassifier::default();
        let data = Observations::new(x.as_ref(), &y);
        let targets = classifier.targets(data);
        let process = classifier.process.process_for_maximum(&Domain::unit_cube(1), data.x).unwrap();
        let data = Observations { y: &targets, ..data };
        let conditioning = Conditioning::Subset { size: 16 };
        let training = Training::choose(conditioning, &process, data, classifier.process.near).unwrap();
        let kept = training.data().x.as_flat().to_vec();
        let around = kept.iter().filter(|x| (*x - 0.5).abs() < 0.01).count();
        assert!(around >= 4, "{kept:?}");
        assert_eq!(signs(&targets), signs(&y));
    }
}
