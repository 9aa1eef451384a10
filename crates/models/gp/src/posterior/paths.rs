//! Functions drawn from the posterior.

use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::{Features, Kernel};
use thrifty_linalg::Matrix;
use thrifty_sampling::Stream;
use thrifty_surrogate::{PathSampler, SamplePath};

use super::{GpPosterior, dot};
use crate::data::ScaledData;

/// Number of random features of a prior draw. Their error is about a thirtieth of the prior's standard deviation.
const FEATURES: usize = 1024;

/// Sample path by Matheron's rule: a draw from the prior, corrected by the data.
///
/// ```text
/// f(x) = m + φ(x)ᵀ w / √F + k(x, X) v,   v = A⁻¹ (y - m - Φ w / √F - ε),   w, ε normal
/// ```
///
/// Source: Wilson et al. (2020), eq. 12.
struct Path {
    shared: Arc<Shared>,
    /// w / √F.
    weights: Vec<f64>,
    /// v.
    update: Vec<f64>,
}

/// Data that all paths of one draw share.
struct Shared {
    kernel: Box<dyn Kernel>,
    data: ScaledData,
    mean: f64,
    features: Box<dyn Features>,
}

impl<K: Kernel> PathSampler for GpPosterior<K> {
    /// The paths share their random features; given these, they are independent.
    fn sample_paths(&self, count: usize, rng: &mut Stream) -> Option<Vec<Box<dyn SamplePath>>> {
        let features = self.kernel.features(FEATURES, rng)?;
        let shared = Arc::new(Shared {
            kernel: self.kernel.clone_box(),
            data: self.data.clone(),
            mean: self.mean,
            features,
        });
        let per_weight = (shared.features.count() as f64).sqrt().recip();
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let mut paths: Vec<Path> = (0..count)
            .map(|_| Path {
                shared: Arc::clone(&shared),
                weights: (0..shared.features.count()).map(|_| per_weight * normal()).collect(),
                update: self.data.noise.iter().map(|known| (self.noise + known).sqrt() * normal()).collect(),
            })
            .collect();
        let mut phi = vec![0.0; shared.features.count()];
        for (i, x) in self.data.x.as_ref().rows().enumerate() {
            shared.features.eval_into(x, &mut phi);
            for path in &mut paths {
                path.update[i] = self.data.y[i] - self.mean - dot(&phi, &path.weights) - path.update[i];
            }
        }
        for path in &mut paths {
            self.factor.solve_in_place(&mut path.update);
        }
        Some(paths.into_iter().map(|path| Box::new(path) as Box<dyn SamplePath>).collect())
    }
}

impl Path {
    /// Converts a value to the scale of the targets.
    fn unscaled(&self, value: f64) -> f64 {
        self.shared.data.targets.offset + self.shared.data.targets.width * (self.shared.mean + value)
    }

    fn scaled(&self, x: PointsRef<'_>) -> Points {
        assert_eq!(x.dim(), self.dim(), "points of another dimension");
        self.shared.data.scale(x)
    }
}

impl SamplePath for Path {
    fn dim(&self) -> usize {
        self.shared.data.x.dim()
    }

    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), x.len(), "one value a point");
        let x = self.scaled(x);
        let (mut cross, mut phi) = (Matrix::default(), vec![0.0; self.weights.len()]);
        self.shared.kernel.cov_into(self.shared.data.x.as_ref(), x.as_ref(), &mut cross);
        for (j, (value, point)) in out.iter_mut().zip(x.rows()).enumerate() {
            self.shared.features.eval_into(point, &mut phi);
            *value = self.unscaled(dot(&phi, &self.weights) + dot(cross.column(j), &self.update));
        }
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let x = self.scaled(PointsRef::single(x));
        let (kernel, data) = (&self.shared.kernel, &self.shared.data);
        gradient.fill(0.0);
        self.shared.features.pull_back(x.row(0), &self.weights, gradient);
        kernel.pull_back_input(x.row(0), data.x.as_ref(), &self.update, gradient);
        for (k, slope) in gradient.iter_mut().enumerate() {
            *slope *= data.targets.width * data.input_slope(k);
        }
        let (mut cross, mut phi) = (Matrix::default(), vec![0.0; self.weights.len()]);
        kernel.cov_into(data.x.as_ref(), x.as_ref(), &mut cross);
        self.shared.features.eval_into(x.row(0), &mut phi);
        self.unscaled(dot(&phi, &self.weights) + dot(cross.column(0), &self.update))
    }
}
