//! Look-ahead moments of a Gaussian process.

use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::Kernel;
use thrifty_linalg::{Matrix, subtract_inner_products};
use thrifty_surrogate::{JointGradient, Lookahead, LookaheadCotangent, Posterior};

use super::{GpPosterior, dot, is_finite};

/// Look-ahead of a Gaussian process: joint moments of one more observation and the function at fixed points.
///
/// The solve for the anchors, L⁻¹ K(X, anchors), is done once. Cost per point: n², plus n per anchor.
pub struct GpLookahead<'a, K> {
    posterior: &'a GpPosterior<K>,
    anchors: Points,
    /// Anchors on the scale of the model.
    scaled: Points,
    whitened: Matrix,
    means: Vec<f64>,
    noise_variance: f64,
}

impl<'a, K: Kernel> GpLookahead<'a, K> {
    /// Look-ahead at these anchors, for observations with this noise variance.
    #[must_use]
    pub fn new(posterior: &'a GpPosterior<K>, anchors: PointsRef<'_>, noise_variance: f64) -> Self {
        let (mut means, mut variances) = (vec![0.0; anchors.len()], vec![0.0; anchors.len()]);
        posterior.predict_into(anchors, &mut means, &mut variances);
        let scaled = posterior.scaled(anchors);
        let whitened = posterior.whitened(scaled.as_ref());
        Self { posterior, anchors: anchors.to_owned(), scaled, whitened, means, noise_variance }
    }

    /// [`Lookahead::moments_into`] where the observed point and the target point differ: m points each.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn look_between(
        &self,
        observed: PointsRef<'_>,
        targets: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        covariance: &mut [f64],
    ) {
        let (gp, m, anchors) = (self.posterior, observed.len(), self.anchors.len());
        assert!(targets.len() == m && mean.len() == m && variance.len() == m, "one of each a point");
        assert_eq!(covariance.len(), m * (anchors + 1), "a covariance for every anchor and one more");
        let scale = gp.data.targets.width.powi(2);
        let itself = observed.as_flat() == targets.as_flat();
        let (at, of) = (gp.scaled(observed), gp.scaled(targets));
        let white = gp.whitened(at.as_ref());
        gp.kernel.diagonal_into(at.as_ref(), variance);
        let other = (!itself).then(|| gp.whitened(of.as_ref()));
        let mut cross = Matrix::default();
        gp.kernel.cov_into(self.scaled.as_ref(), at.as_ref(), &mut cross);
        subtract_inner_products(&mut cross, &self.whitened, &white);
        let mut of_mean = Matrix::default();
        gp.kernel.cov_into(gp.data.x.as_ref(), of.as_ref(), &mut of_mean);
        for (i, row) in covariance.chunks_exact_mut(anchors + 1).enumerate() {
            let own = white.column(i);
            let latent = (variance[i] - dot(own, own)).max(0.0) * scale;
            variance[i] = latent + self.noise_variance;
            mean[i] = gp.data.targets.offset
                + gp.data.targets.width * (gp.mean + dot(of_mean.column(i), &gp.alpha));
            for (slot, latent) in row[..anchors].iter_mut().zip(cross.column(i)) {
                *slot = latent * scale;
            }
            row[anchors] = match &other {
                None => latent,
                Some(other) => (gp.kernel.eval(of.row(i), at.row(i)) - dot(other.column(i), own)) * scale,
            };
            // A kernel may treat a distance of NaN as infinity.
            if !(is_finite(observed.row(i)) && is_finite(targets.row(i))) {
                (mean[i], variance[i]) = (f64::NAN, f64::NAN);
                row.fill(f64::NAN);
            }
        }
    }

    /// Adds the gradients of a weighted sum of the moments of [`GpLookahead::look_between`] at one point.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn pull_back_between(
        &self,
        observed: &[f64],
        target: &[f64],
        weights: LookaheadCotangent<'_>,
        of_observed: &mut [f64],
        of_target: &mut [f64],
    ) {
        let (own, of_anchors) = weights.covariance.split_last().expect("a weight for the point itself");
        // Anchors with zero weight (never on the envelope) do not contribute.
        let heard: Vec<usize> = (0..of_anchors.len()).filter(|i| of_anchors[*i] != 0.0).collect();
        let (m, d) = (heard.len() + 2, observed.len());
        let mut points = Points::new(d);
        heard.iter().for_each(|i| points.push(self.anchors.row(*i)));
        points.push(target);
        points.push(observed);
        let (mut means, mut joint, mut slopes) = (vec![0.0; m], vec![0.0; m * m], vec![0.0; m * d]);
        means[m - 2] = weights.mean;
        let last = &mut joint[(m - 1) * m..];
        last.iter_mut().zip(&heard).for_each(|(slot, i)| *slot = of_anchors[*i]);
        last[m - 2] = *own;
        last[m - 1] = weights.variance;
        self.posterior.pull_back_joint(points.as_ref(), &means, &joint, &mut slopes);
        of_target.iter_mut().zip(&slopes[(m - 2) * d..(m - 1) * d]).for_each(|(slot, slope)| *slot += slope);
        of_observed.iter_mut().zip(&slopes[(m - 1) * d..]).for_each(|(slot, slope)| *slot += slope);
    }
}

impl<K: Kernel> Lookahead for GpLookahead<'_, K> {
    fn dim(&self) -> usize {
        self.posterior.dim()
    }

    fn means(&self) -> &[f64] {
        &self.means
    }

    fn moments_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64], covariance: &mut [f64]) {
        self.look_between(x, x, mean, variance, covariance);
    }

    /// Gradient of a weighted sum of the look-ahead moments at one point.
    ///
    /// The observed and the target point are the same, so the covariances with all anchors are two sums of kernels: `Σ w_j c_j = Σ_j w_j
    /// k(a_j, x) - k(x)ᵀ L⁻ᵀ Σ_j w_j L⁻¹ k(a_j)`. Cost: n², plus n per anchor.
    fn pull_back(&self, x: &[f64], weights: LookaheadCotangent<'_>, grad: &mut [f64]) -> bool {
        let (gp, d) = (self.posterior, x.len());
        let (own, of_anchors) = weights.covariance.split_last().expect("a weight for the point itself");
        let (train, width) = (gp.data.x.as_ref(), gp.data.targets.width);
        let scale = width * width;
        let at = gp.scaled(PointsRef::single(x));
        let point = at.row(0);
        let mut cross = Matrix::default();
        gp.kernel.cov_into(train, at.as_ref(), &mut cross);
        let solved = cross.column_mut(0);
        gp.factor.solve_in_place(solved);
        let of_variance = scale * (weights.variance + own);
        let (mut heard, mut of_heard) = (Points::new(d), Vec::new());
        let mut told = vec![0.0; gp.len()];
        // Anchors with zero weight (never on the envelope) do not contribute.
        for (j, weight) in of_anchors.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            heard.push(self.scaled.row(j));
            of_heard.push(scale * weight);
            told.iter_mut().zip(self.whitened.column(j)).for_each(|(told, white)| *told += weight * white);
        }
        gp.factor.solve_upper_in_place(&mut told);
        let of_train: Vec<f64> = (0..gp.len())
            .map(|i| width * weights.mean * gp.alpha[i] - scale * told[i] - 2.0 * of_variance * solved[i])
            .collect();
        let mut slopes = vec![0.0; d];
        gp.kernel.pull_back_input(point, train, &of_train, &mut slopes);
        gp.kernel.pull_back_input(point, heard.as_ref(), &of_heard, &mut slopes);
        if !gp.kernel.has_constant_variance() {
            // d k(x, x) is twice the derivative in the first argument, by symmetry.
            gp.kernel.pull_back_input(point, PointsRef::single(point), &[2.0 * of_variance], &mut slopes);
        }
        for (k, (slot, slope)) in grad.iter_mut().zip(slopes).enumerate() {
            *slot += gp.data.input_slope(k) * slope;
        }
        true
    }
}
