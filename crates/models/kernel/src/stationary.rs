use std::marker::PhantomData;

use thrifty_domain::PointsRef;
use thrifty_linalg::{LANES, Matrix};
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;

use crate::error::require_positive;
use crate::kernel::weight_sets;
use crate::simd::{Pass, dispatch, fma};
use crate::{Kernel, KernelError, KernelWorkspace, Radial};

/// Squared distance beyond which every profile is 0 in double precision; cut there, no profile can make
/// infinity times 0.
const FAR: f64 = 1e6;

/// A kernel that depends on the scaled distance of two points alone, one lengthscale per dimension.
///
/// Unit variance; multiply by a variance with [`Scaled`](crate::Scaled).
/// Parameters: `lengthscale[d] > 0`, log scale, in units of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Stationary<R> {
    lengthscales: Vec<f64>,
    bounds: (f64, f64),
    prior: Option<Prior>,
    profile: PhantomData<R>,
}

impl<R: Radial> Stationary<R> {
    /// A kernel with these lengthscales, to be learnt within `[1e-3, 1e3]` without a prior.
    ///
    /// # Errors
    /// [`KernelError`] names a lengthscale that is not positive and finite.
    pub fn new(lengthscales: Vec<f64>) -> Result<Self, KernelError> {
        if lengthscales.is_empty() {
            return Err(KernelError::NoLengthscales);
        }
        for (d, &value) in lengthscales.iter().enumerate() {
            require_positive(|| format!("lengthscale[{d}]"), value)?;
        }
        Ok(Self { lengthscales, bounds: (1e-3, 1e3), prior: None, profile: PhantomData })
    }

    /// The same kernel with other bounds for learning; the lengthscales move into them.
    ///
    /// # Errors
    /// [`KernelError::NotPositive`] when a bound is not positive and finite, or their ratio is below 1.
    pub fn with_bounds(mut self, low: f64, high: f64) -> Result<Self, KernelError> {
        require_positive(|| "lower bound of lengthscales".into(), low)?;
        require_positive(|| "upper bound of lengthscales".into(), high)?;
        require_positive(|| format!("upper bound {high} minus lower bound {low}"), (high - low).next_up())?;
        self.bounds = (low, high);
        self.lengthscales.iter_mut().for_each(|l| *l = l.clamp(low, high));
        Ok(self)
    }

    /// The same kernel with a prior for every lengthscale.
    #[must_use]
    pub fn with_prior(mut self, prior: Prior) -> Self {
        self.prior = Some(prior);
        self
    }

    /// The lengthscales, one a dimension.
    #[must_use]
    pub fn lengthscales(&self) -> &[f64] {
        &self.lengthscales
    }

    /// Writes `x / ℓ` with a column a dimension, padding set to 0.
    fn scale_into(&self, x: PointsRef<'_>, out: &mut Matrix) {
        assert_eq!(x.dim(), self.lengthscales.len(), "points of another dimension than the kernel's");
        out.resize(x.len(), x.dim());
        for (d, l) in self.lengthscales.iter().enumerate() {
            let column = out.padded_column_mut(d);
            let (values, padding) = column.split_at_mut(x.len());
            for (value, coordinate) in values.iter_mut().zip(x.as_flat().iter().skip(d).step_by(x.dim())) {
                *value = *coordinate;
            }
            // On its own, because division is slow and a contiguous loop does several at once.
            for value in values {
                *value /= l;
            }
            padding.fill(0.0);
        }
    }
}

impl<R: Radial> Parameterized for Stationary<R> {
    fn params(&self) -> Vec<Param> {
        let (low, high) = self.bounds;
        let named = |(d, &value): (usize, &f64)| {
            Param::positive(format!("lengthscale[{d}]"), value, low, high).with_prior(self.prior.clone())
        };
        self.lengthscales.iter().enumerate().map(named).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        self.lengthscales.copy_from_slice(values);
    }
}

impl<R: Radial> Kernel for Stationary<R> {
    fn dim(&self) -> Option<usize> {
        Some(self.lengthscales.len())
    }

    fn num_params(&self) -> usize {
        self.lengthscales.len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let q = x.iter().zip(y).zip(&self.lengthscales).map(|((x, y), l)| ((x - y) / l).powi(2)).sum();
        R::value_and_slope::<false>(f64::min(q, FAR)).0
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let mut inputs = Matrix::default();
        self.scale_into(x, &mut inputs);
        out.resize(x.len(), y.len());
        dispatch(Cross::<R> {
            inputs: &inputs,
            y,
            lengthscales: &self.lengthscales,
            out,
            profile: PhantomData,
        });
    }

    fn diagonal_into(&self, _x: PointsRef<'_>, out: &mut [f64]) {
        out.fill(1.0);
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let n = x.len();
        self.scale_into(x, &mut workspace.inputs);
        workspace.values.resize(n, n);
        workspace.slopes.resize(n, n);
        out.resize(n, n);
        dispatch(Forward::<R> { workspace, scale, out, profile: PhantomData });
    }

    fn pull_back_params(
        &self,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let mut sums = vec![[0.0; LANES]; self.lengthscales.len()];
        let total = dispatch(PullBack { workspace, weights, sums: &mut sums });
        for ((slot, lanes), l) in grad.iter_mut().zip(&sums).zip(&self.lengthscales) {
            *slot += scale * lanes.iter().sum::<f64>() / l;
        }
        total
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let column = Matrix::from_fn(weights.len(), 1, |j, _| weights[j]);
        self.pull_back_inputs(PointsRef::single(x), y, &column, 1.0, grad);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let sets = weight_sets(x, y, weights, grad);
        let mut inputs = Matrix::default();
        self.scale_into(y, &mut inputs);
        dispatch(PullBackInputs::<R> {
            inputs: &inputs,
            x,
            lengthscales: &self.lengthscales,
            weights,
            sets,
            scale,
            grad,
            profile: PhantomData,
        });
    }

    fn boxed(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

/// Writes `x / ℓ`.
#[inline(always)]
fn scale_point(x: &[f64], lengthscales: &[f64], out: &mut [f64]) {
    for ((out, x), l) in out.iter_mut().zip(x).zip(lengthscales) {
        *out = x / l;
    }
}

/// Squared distances of the inputs from row `from` on to one point, a register at a time.
#[inline(always)]
fn squared_distances<const FMA: bool>(inputs: &Matrix, from: usize, point: &[f64], out: &mut [f64]) {
    let stride = inputs.stride();
    for (chunk, out) in out.chunks_exact_mut(LANES).enumerate() {
        let start = from + chunk * LANES;
        let mut q = [0.0; LANES];
        for (d, &p) in point.iter().enumerate() {
            debug_assert!(start + LANES <= stride);
            let z: &[f64; LANES] =
                inputs.padded_column(d)[start..start + LANES].try_into().expect("one register");
            for lane in 0..LANES {
                let difference = z[lane] - p;
                q[lane] = fma::<FMA>(difference, difference, q[lane]);
            }
        }
        out.copy_from_slice(&q.map(|q| q.min(FAR)));
    }
}

/// The symmetric covariance, with values and slopes kept.
struct Forward<'a, R> {
    workspace: &'a mut KernelWorkspace,
    scale: f64,
    out: &'a mut Matrix,
    profile: PhantomData<R>,
}

impl<R: Radial> Pass for Forward<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let KernelWorkspace { values, slopes, inputs, column, .. } = self.workspace;
        let (n, stride) = (inputs.rows(), inputs.stride());
        // The last register of a column may lie past the padding that only avoids cache conflicts.
        let end = n.next_multiple_of(LANES).min(stride);
        column.resize(stride, 0.0);
        let mut point = vec![0.0; inputs.cols()];
        for j in 0..n {
            let from = j - j % LANES;
            for (d, p) in point.iter_mut().enumerate() {
                *p = inputs.padded_column(d)[j];
            }
            squared_distances::<FMA>(inputs, from, &point, &mut column[from..end]);
            let k = &mut values.padded_column_mut(j)[from..end];
            let f = &mut slopes.padded_column_mut(j)[from..end];
            let out = &mut self.out.padded_column_mut(j)[from..end];
            for (((q, k), f), out) in column[from..end].iter().zip(k).zip(f).zip(out) {
                let (value, slope) = R::value_and_slope::<FMA>(*q);
                (*k, *f, *out) = (value, slope, self.scale * value);
            }
        }
    }
}

/// Covariances of many points with many.
struct Cross<'a, R> {
    inputs: &'a Matrix,
    y: PointsRef<'a>,
    lengthscales: &'a [f64],
    out: &'a mut Matrix,
    profile: PhantomData<R>,
}

impl<R: Radial> Pass for Cross<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let end = self.inputs.rows().next_multiple_of(LANES);
        let mut point = vec![0.0; self.lengthscales.len()];
        let mut column = vec![0.0; end];
        for j in 0..self.y.len() {
            scale_point(self.y.row(j), self.lengthscales, &mut point);
            squared_distances::<FMA>(self.inputs, 0, &point, &mut column);
            for (q, out) in column.iter().zip(&mut self.out.padded_column_mut(j)[..end]) {
                *out = R::value_and_slope::<FMA>(*q).0;
            }
        }
    }
}

/// Gradients in the points of weighted sums of covariances: slopes once a point, then a sum for each set of
/// weights and each dimension.
struct PullBackInputs<'a, R> {
    inputs: &'a Matrix,
    x: PointsRef<'a>,
    lengthscales: &'a [f64],
    weights: &'a Matrix,
    sets: usize,
    scale: f64,
    grad: &'a mut [f64],
    profile: PhantomData<R>,
}

impl<R: Radial> Pass for PullBackInputs<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let (n, dim) = (self.inputs.rows(), self.lengthscales.len());
        let end = n.next_multiple_of(LANES);
        let (mut point, mut slopes, mut weighted) = (vec![0.0; dim], vec![0.0; end], vec![0.0; end]);
        for (c, grad) in self.grad.chunks_exact_mut(dim).enumerate() {
            if c % self.sets == 0 {
                scale_point(self.x.row(c / self.sets), self.lengthscales, &mut point);
                squared_distances::<FMA>(self.inputs, 0, &point, &mut slopes);
                for q in &mut slopes {
                    *q = R::value_and_slope::<FMA>(*q).1;
                }
            }
            // Beyond the data the weights may be anything and the sum must not see them: `weighted` stays 0.
            for ((g, f), w) in weighted.iter_mut().zip(&slopes).zip(self.weights.column(c)) {
                *g = f * w;
            }
            for (d, (slot, p)) in grad.iter_mut().zip(&point).enumerate() {
                let mut sums = [0.0; LANES];
                let z = self.inputs.padded_column(d)[..end].as_chunks::<LANES>().0;
                for (z, g) in z.iter().zip(weighted.as_chunks::<LANES>().0) {
                    for lane in 0..LANES {
                        sums[lane] = fma::<FMA>(g[lane], z[lane] - p, sums[lane]);
                    }
                }
                *slot += self.scale * sums.iter().sum::<f64>() / self.lengthscales[d];
            }
        }
    }
}

/// All lengthscale gradients and the weighted sum of covariances in one pass over the lower half.
struct PullBack<'a> {
    workspace: &'a mut KernelWorkspace,
    weights: &'a Matrix,
    sums: &'a mut [[f64; LANES]],
}

impl Pass for PullBack<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let KernelWorkspace { values, slopes, inputs, column, .. } = self.workspace;
        let n = inputs.rows();
        let end = n.next_multiple_of(LANES);
        let mut total = [0.0; LANES];
        for j in 0..n {
            let from = j - j % LANES;
            let w = &self.weights.padded_column(j)[from..end];
            let k = &values.padded_column(j)[from..end];
            let f = &slopes.padded_column(j)[from..end];
            let g = &mut column[from..end];
            for (((w, k), f), g) in w
                .as_chunks::<LANES>()
                .0
                .iter()
                .zip(k.as_chunks::<LANES>().0)
                .zip(f.as_chunks::<LANES>().0)
                .zip(g.as_chunks_mut::<LANES>().0)
            {
                for lane in 0..LANES {
                    total[lane] = fma::<FMA>(w[lane], k[lane], total[lane]);
                    g[lane] = w[lane] * f[lane];
                }
            }
            for (d, sum) in self.sums.iter_mut().enumerate() {
                let inputs = inputs.padded_column(d);
                let p = inputs[j];
                let mut lanes = *sum;
                for (z, g) in inputs[from..end]
                    .as_chunks::<LANES>()
                    .0
                    .iter()
                    .zip(column[from..end].as_chunks::<LANES>().0)
                {
                    for lane in 0..LANES {
                        let difference = z[lane] - p;
                        lanes[lane] = fma::<FMA>(g[lane] * difference, difference, lanes[lane]);
                    }
                }
                *sum = lanes;
            }
        }
        total.iter().sum()
    }
}
