//! Features of the stationary and periodic kernels.

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::Points;
use thrifty_sampling::Stream;
use thrifty_simd::{cosines, sines};

use super::Features;

/// `√2 cos(ω_f · x + b_f)`.
#[derive(Debug, Clone)]
pub(crate) struct Cosines {
    frequencies: Points,
    phases: Vec<f64>,
}

impl Cosines {
    /// Frequencies of a kernel that is a mixture of Gaussians: `ω = z √τ / ℓ` with standard normal z.
    pub(crate) fn of(
        lengthscales: &[f64],
        count: usize,
        rng: &mut Stream,
        mixture: impl Fn(&mut Stream) -> f64,
    ) -> Self {
        let mut precision = 1.0;
        Self::from_frequencies(lengthscales.len(), count, rng, |d, rng| {
            if d == 0 {
                // One draw of the mixture a feature: all its dimensions share it.
                precision = mixture(rng).sqrt();
            }
            let z: f64 = StandardNormal.sample(rng);
            z * precision / lengthscales[d]
        })
    }

    /// Frequencies drawn one at a time.
    pub(crate) fn from_frequencies(
        dim: usize,
        count: usize,
        rng: &mut Stream,
        mut draw: impl FnMut(usize, &mut Stream) -> f64,
    ) -> Self {
        let mut frequencies = Points::zeros(count, dim);
        let mut phases = Vec::with_capacity(count);
        for f in 0..count {
            frequencies.row_mut(f).iter_mut().enumerate().for_each(|(d, slot)| *slot = draw(d, rng));
            phases.push(std::f64::consts::TAU * rng.uniform());
        }
        Self { frequencies, phases }
    }

    fn angles<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.frequencies
            .rows()
            .zip(&self.phases)
            .map(move |(frequency, phase)| frequency.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + phase)
    }
}

impl Features for Cosines {
    fn count(&self) -> usize {
        self.phases.len()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(self.angles(x)).for_each(|(slot, angle)| *slot = angle);
        cosines(out);
        out.iter_mut().for_each(|slot| *slot *= std::f64::consts::SQRT_2);
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        let mut waves: Vec<f64> = self.angles(x).collect();
        sines(&mut waves);
        for ((wave, weight), frequency) in waves.iter().zip(weights).zip(self.frequencies.rows()) {
            let slope = -std::f64::consts::SQRT_2 * weight * wave;
            grad.iter_mut().zip(frequency).for_each(|(slot, w)| *slot += slope * w);
        }
    }

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
