//! Slice sampling of hyperparameters.

use std::f64::consts::{FRAC_PI_4, TAU};

use rand_distr::{Distribution, StandardNormal};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::map_objective::check_params;
use crate::{LogLikelihood, Param, ParamsError, Transform};

/// Samples of the posterior of hyperparameters by generalised elliptical slice sampling with a population.
///
/// ```text
/// π(u) ∝ p(y | θ(u)) Π_i p_i(θ_i(u)) |dθ_i/du_i|,   u = transform(θ),   low ≤ θ ≤ high
/// ```
///
/// The density is that of the transformed scale, with the Jacobian: a prior means the same whatever the scale is. A parameter without a prior is
/// uniform on the transformed scale. A step draws v from a normal law N(m, S), and moves on the ellipse `m + (u - m) cos φ + v sin φ` to a point
/// whose `π / N(m, S)` is above a random level: there is no rejection and nothing to tune. In turns N is wide, the normal law that
/// the priors and bounds suggest, and narrow, that of the other half of the population.
/// Cost: about 5 likelihoods, without gradients, a step.
/// Source: Murray, Adams & `MacKay` (2010); Nishihara, Murray & Adams (2014).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SliceSampler {
    /// Number of samples.
    pub count: usize,
    /// Steps of each sample from a start that is not of the posterior.
    pub burn_in: usize,
    /// Steps of each sample from samples of a posterior of nearly the same data.
    pub steps: usize,
}

/// Draws from the wide law per sample, from which the starts are chosen.
const TRIES: usize = 8;

/// Draws of a value of which the first within its bounds is taken.
const DRAWS: usize = 100;

/// Halvings after which a step stays where it is: the slice is then narrower than rounding.
const SHRINKS: usize = 60;

impl SliceSampler {
    /// Samples, in natural values: one after the other from the `earlier` ones, or from draws of the priors when there are none that fit.
    ///
    /// Nothing when the likelihood cannot be computed at any of the starts.
    ///
    /// # Errors
    /// [`ParamsError`] names a parameter whose value, bounds or prior make no sense.
    pub fn sample<L: LogLikelihood>(
        &self,
        likelihood: &mut L,
        earlier: &[Vec<f64>],
        rng: &mut Stream,
    ) -> Result<Vec<Vec<f64>>, ParamsError> {
        let params = likelihood.params();
        check_params(&params)?;
        let wide = Normals::wide(&params);
        let mut density = Density { likelihood, params };
        let (mut population, steps) = match self.warm(&mut density, earlier) {
            Some(population) => (population, self.steps),
            None => (self.cold(&mut density, &wide, rng), self.burn_in),
        };
        for step in 0..steps {
            for k in 0..population.len() {
                let narrow = (step % 2 == 1).then(|| wide.narrowed_to(&population, k % 2)).flatten();
                density.step(&mut population[k], narrow.as_ref().unwrap_or(&wide), rng);
            }
        }
        Ok(population.iter().map(|sample| density.natural(&sample.u)).collect())
    }

    /// The earlier samples, as often as they are needed; nothing when one of them does not fit, or when they are fewer than half.
    fn warm<L: LogLikelihood>(
        &self,
        density: &mut Density<'_, L>,
        earlier: &[Vec<f64>],
    ) -> Option<Vec<Sample>> {
        let fits = |natural: &Vec<f64>| {
            natural.len() == density.params.len() && natural.iter().all(|v| v.is_finite())
        };
        if 2 * earlier.len() < self.count || !earlier.iter().all(fits) {
            return None;
        }
        let population: Vec<Sample> = earlier
            .iter()
            .cycle()
            .take(self.count)
            .map(|natural| density.sample(density.inner(natural)))
            .collect();
        population.iter().all(|sample| sample.log_density > f64::NEG_INFINITY).then_some(population)
    }

    /// Draws from the wide law within the bounds, chosen by their weights under the posterior: systematic resampling.
    fn cold<L: LogLikelihood>(
        &self,
        density: &mut Density<'_, L>,
        wide: &Normals,
        rng: &mut Stream,
    ) -> Vec<Sample> {
        let mut tried: Vec<Sample> = Vec::with_capacity(TRIES * self.count + 1);
        tried.push(density.sample(density.current()));
        for _ in 0..TRIES * self.count {
            let drawn = density.inside(wide, rng);
            tried.push(density.sample(drawn));
        }
        tried.retain(|sample| sample.log_density > f64::NEG_INFINITY);
        let log_weights: Vec<f64> = tried.iter().map(|s| s.log_density - wide.log_density(&s.u)).collect();
        let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = log_weights.iter().map(|w| (w - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        let (mut next, mut passed) = (rng.uniform(), 0.0);
        let mut chosen = Vec::with_capacity(self.count);
        for (sample, weight) in tried.iter().zip(&weights) {
            passed += weight / total * self.count as f64;
            while next < passed && chosen.len() < self.count {
                chosen.push(sample.clone());
                next += 1.0;
            }
        }
        chosen
    }
}

/// A point on the transformed scale with its log density.
#[derive(Debug, Clone)]
struct Sample {
    u: Vec<f64>,
    log_density: f64,
}

/// The log posterior density on the transformed scale.
struct Density<'a, L> {
    likelihood: &'a mut L,
    params: Vec<Param>,
}

impl<L: LogLikelihood> Density<'_, L> {
    fn inner(&self, natural: &[f64]) -> Vec<f64> {
        let clamped = self.params.iter().zip(natural).map(|(p, v)| (p, v.clamp(p.low, p.high)));
        clamped.map(|(p, v)| p.transform.forward(v)).collect()
    }

    fn current(&self) -> Vec<f64> {
        self.params.iter().map(|p| p.transform.forward(p.value)).collect()
    }

    /// A draw from a law cut off at the bounds: each value is drawn until it is within them. A law with next to nothing within them
    /// gives the point within them that is nearest to its mean.
    fn inside(&self, law: &Normals, rng: &mut Stream) -> Vec<f64> {
        let one = |(p, (mean, std_dev)): (&Param, (&f64, &f64))| {
            let (low, high) = (p.transform.forward(p.low), p.transform.forward(p.high));
            let mut draws = std::iter::repeat_with(|| normal(*mean, *std_dev, rng)).take(DRAWS);
            draws.find(|value| (low..=high).contains(value)).unwrap_or_else(|| mean.clamp(low, high))
        };
        self.params.iter().zip(law.mean.iter().zip(&law.std_dev)).map(one).collect()
    }

    fn natural(&self, u: &[f64]) -> Vec<f64> {
        self.params.iter().zip(u).map(|(p, &u)| p.transform.inverse(u).clamp(p.low, p.high)).collect()
    }

    /// Minus infinity beyond the bounds, and where the likelihood cannot be computed.
    fn log_density(&mut self, u: &[f64]) -> f64 {
        let beyond =
            |(p, u): (&Param, &f64)| !(p.transform.forward(p.low)..=p.transform.forward(p.high)).contains(u);
        if self.params.iter().zip(u).any(beyond) {
            return f64::NEG_INFINITY;
        }
        let natural = self.natural(u);
        let mut density = 0.0;
        for (p, &value) in self.params.iter().zip(&natural) {
            if let Some(prior) = &p.prior {
                density += prior.log_density(value) + p.transform.slope(value).ln();
            }
        }
        if density.is_nan() || density == f64::NEG_INFINITY {
            return f64::NEG_INFINITY;
        }
        self.likelihood.set_params(&natural);
        let log_likelihood = self.likelihood.log_likelihood_value().ok().filter(|value| !value.is_nan());
        log_likelihood.map_or(f64::NEG_INFINITY, |value| density + value)
    }

    fn sample(&mut self, u: Vec<f64>) -> Sample {
        let log_density = self.log_density(&u);
        Sample { u, log_density }
    }

    /// One step of elliptical slice sampling with a normal law in the place of the prior.
    fn step(&mut self, sample: &mut Sample, law: &Normals, rng: &mut Stream) {
        let direction = law.draw(rng);
        let level = sample.log_density - law.log_density(&sample.u) + (1.0 - rng.uniform()).ln();
        let mut angle = TAU * rng.uniform();
        let (mut low, mut high) = (angle - TAU, angle);
        for _ in 0..SHRINKS {
            let (sin, cos) = angle.sin_cos();
            let moved = law.mean.iter().zip(&sample.u).zip(&direction);
            let u: Vec<f64> = moved.map(|((m, u), v)| m + (u - m) * cos + (v - m) * sin).collect();
            let log_density = self.log_density(&u);
            if log_density - law.log_density(&u) > level {
                *sample = Sample { u, log_density };
                return;
            }
            if angle < 0.0 {
                low = angle;
            } else {
                high = angle;
            }
            angle = low + (high - low) * rng.uniform();
        }
    }
}

fn normal(mean: f64, std_dev: f64, rng: &mut Stream) -> f64 {
    let z: f64 = StandardNormal.sample(rng);
    mean + std_dev * z
}

/// Independent normal laws, one a parameter.
struct Normals {
    mean: Vec<f64>,
    std_dev: Vec<f64>,
}

impl Normals {
    /// Mean and standard deviation of the prior where they are known on the transformed scale, else the middle and a quarter of the range.
    fn wide(params: &[Param]) -> Self {
        let of = |p: &Param| match (&p.prior, p.transform) {
            _ if p.low == p.high => (p.transform.forward(p.low), 0.0),
            (Some(Prior::LogNormal { mu, sigma }), Transform::Log) => (*mu, *sigma),
            (Some(Prior::Normal { mean, sd }), Transform::Identity) => (*mean, *sd),
            // The logarithm of a half-Cauchy number has a hyperbolic secant law of standard deviation π/2, and this is that of -½ of it.
            (Some(Prior::SparseAxis { scale }), Transform::Log) => (-0.5 * scale.ln(), FRAC_PI_4),
            _ => {
                let (low, high) = (p.transform.forward(p.low), p.transform.forward(p.high));
                (0.5 * (low + high), 0.25 * (high - low))
            }
        };
        let (mean, std_dev) = params.iter().map(of).unzip();
        Self { mean, std_dev }
    }

    /// The law of the other half of a population, no narrower than a tenth of the wide one; nothing of a half of fewer than three.
    fn narrowed_to(&self, population: &[Sample], half: usize) -> Option<Self> {
        let others: Vec<&Sample> = population.iter().skip(1 - half).step_by(2).collect();
        if others.len() < 3 {
            return None;
        }
        let count = others.len() as f64;
        let moments = |k: usize| {
            // Without any range every sample is at the one value, of which the mean of many is an ulp off.
            if self.std_dev[k] == 0.0 {
                return (self.mean[k], 0.0);
            }
            let mean = others.iter().map(|sample| sample.u[k]).sum::<f64>() / count;
            let squares = others.iter().map(|sample| (sample.u[k] - mean).powi(2)).sum::<f64>();
            (mean, (squares / (count - 1.0)).sqrt().max(0.1 * self.std_dev[k]))
        };
        let (mean, std_dev) = (0..self.mean.len()).map(moments).unzip();
        Some(Self { mean, std_dev })
    }

    fn draw(&self, rng: &mut Stream) -> Vec<f64> {
        self.mean.iter().zip(&self.std_dev).map(|(mean, std_dev)| normal(*mean, *std_dev, rng)).collect()
    }

    /// Log density up to a constant; a parameter without any range does not count.
    fn log_density(&self, u: &[f64]) -> f64 {
        let each = u.iter().zip(&self.mean).zip(&self.std_dev).filter(|(_, s)| **s > 0.0);
        each.map(|((u, m), s)| -0.5 * ((u - m) / s).powi(2)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn population(u: &[f64]) -> Vec<Sample> {
        u.iter().map(|&u| Sample { u: vec![u], log_density: 0.0 }).collect()
    }

    /// Samples 1, 2 and 6 of the other half: their mean is 3, and their variance `(4 + 1 + 9) / 2` is 7. Equal ones have a tenth of the
    /// wide standard deviation, and two are too few.
    #[test]
    fn a_narrow_law_has_mean_and_variance_of_the_other_half() {
        let wide = Normals { mean: vec![0.0], std_dev: vec![5.0] };
        let narrow = |u: &[f64], half: usize| wide.narrowed_to(&population(u), half);
        let found = narrow(&[100.0, 1.0, 100.0, 2.0, -100.0, 6.0], 0).expect("a law of three");
        assert!((found.mean[0] - 3.0).abs() < 1e-12, "mean {}", found.mean[0]);
        assert!((found.std_dev[0] - 7_f64.sqrt()).abs() < 1e-12, "standard deviation {}", found.std_dev[0]);
        let equal = narrow(&[2.0, 1.0, 2.0, 7.0, 2.0, 0.0], 1).expect("a law of three");
        assert_eq!((equal.mean[0], equal.std_dev[0]), (2.0, 0.5), "no narrower than a tenth");
        assert!(narrow(&[1.0, 2.0, 3.0, 4.0, 5.0], 0).is_none(), "two are too few");
        // The mean of eight times ln 0.2 is not ln 0.2.
        let fixed = 0.2_f64.ln();
        let only = Normals { mean: vec![fixed], std_dev: vec![0.0] };
        let found = only.narrowed_to(&population(&[fixed; 16]), 0).expect("a law of eight");
        assert_eq!((found.mean[0], found.std_dev[0]), (fixed, 0.0), "a parameter without a range");
    }

    /// The wide law of a parameter without a normal prior: mean and standard deviation are the middle and a quarter of its range on the
    /// transformed scale, and those of the prior where they are known.
    #[test]
    fn a_wide_law_without_a_normal_prior_covers_the_range() {
        let law = |transform, (low, high), prior| {
            let param = Param { name: "p".into(), value: low, low, high, transform, prior };
            let law = Normals::wide(&[param]);
            (law.mean[0], law.std_dev[0])
        };
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-12 && (b - d).abs() < 1e-12;
        let gamma = Prior::Gamma { shape: 2.0, rate: 1.0 };
        let half = 10_f64.ln();
        for (found, expected) in [
            (law(Transform::Identity, (-1.0, 5.0), None), (2.0, 1.5)),
            (law(Transform::Log, (1.0, 100.0), None), (half, 0.5 * half)),
            (law(Transform::Log, (1.0, 100.0), Some(gamma)), (half, 0.5 * half)),
            (law(Transform::Identity, (3.0, 3.0), None), (3.0, 0.0)),
            (law(Transform::Log, (1.0, 100.0), Some(Prior::SparseAxis { scale: 0.01 })), (half, FRAC_PI_4)),
        ] {
            assert!(close(found, expected), "mean and standard deviation {found:?}, expected {expected:?}");
        }
    }
}
