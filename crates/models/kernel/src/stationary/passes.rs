//! The vector loops of the stationary kernels.

use thrifty_domain::PointsRef;
use thrifty_linalg::{LANES, Matrix};

use crate::{KernelWorkspace, StationaryProfile, WeightedVector};
use thrifty_simd::{VectorLoop, dispatch, fma};

/// Writes `x / ℓ`.
#[inline(always)]
pub(super) fn scale_point(x: &[f64], lengthscales: &[f64], out: &mut [f64]) {
    for ((out, x), l) in out.iter_mut().zip(x).zip(lengthscales) {
        *out = x / l;
    }
}

/// Squared distances of the inputs from row `from` on to one point, a register at a time, cut at [`StationaryProfile::FAR`].
#[inline(always)]
fn squared_distances<R: StationaryProfile, const FMA: bool>(
    inputs: &Matrix,
    from: usize,
    point: &[f64],
    out: &mut [f64],
) {
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
        out.copy_from_slice(&q.map(|q| q.min(R::FAR)));
    }
}

/// The symmetric covariance, with values and slopes kept.
pub(super) struct Forward<'a> {
    pub(super) workspace: &'a mut KernelWorkspace,
    pub(super) scale: f64,
    pub(super) out: &'a mut Matrix,
}

impl Forward<'_> {
    #[inline(always)]
    pub(super) fn run<R: StationaryProfile, const FMA: bool>(self, profile: R) {
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
            squared_distances::<R, FMA>(inputs, from, &point, &mut column[from..end]);
            let k = &mut values.padded_column_mut(j)[from..end];
            let f = &mut slopes.padded_column_mut(j)[from..end];
            let out = &mut self.out.padded_column_mut(j)[from..end];
            for (((q, k), f), out) in column[from..end].iter().zip(k).zip(f).zip(out) {
                let (value, slope) = profile.value_and_slope::<FMA>(*q);
                (*k, *f, *out) = (value, slope, self.scale * value);
            }
        }
    }
}

/// Covariances of many points with many.
pub(super) struct Cross<'a> {
    pub(super) inputs: &'a Matrix,
    pub(super) y: PointsRef<'a>,
    pub(super) lengthscales: &'a [f64],
    pub(super) out: &'a mut Matrix,
}

impl Cross<'_> {
    #[inline(always)]
    pub(super) fn run<R: StationaryProfile, const FMA: bool>(self, profile: R) {
        let end = self.inputs.rows().next_multiple_of(LANES);
        let mut point = vec![0.0; self.lengthscales.len()];
        let mut column = vec![0.0; end];
        for j in 0..self.y.len() {
            scale_point(self.y.row(j), self.lengthscales, &mut point);
            squared_distances::<R, FMA>(self.inputs, 0, &point, &mut column);
            for (q, out) in column.iter().zip(&mut self.out.padded_column_mut(j)[..end]) {
                *out = profile.value_and_slope::<FMA>(*q).0;
            }
        }
    }
}

/// Gradients of weighted sums of covariances with respect to the points: slopes once per point, then one sum per set of
/// weights and dimension.
pub(super) struct PullBackInputs<'a> {
    pub(super) inputs: &'a Matrix,
    pub(super) x: PointsRef<'a>,
    pub(super) lengthscales: &'a [f64],
    pub(super) weights: &'a Matrix,
    pub(super) sets: usize,
    pub(super) scale: f64,
    pub(super) grad: &'a mut [f64],
}

impl PullBackInputs<'_> {
    #[inline(always)]
    pub(super) fn run<R: StationaryProfile, const FMA: bool>(self, profile: R) {
        let (n, dim) = (self.inputs.rows(), self.lengthscales.len());
        let end = n.next_multiple_of(LANES);
        let (mut point, mut slopes, mut weighted) = (vec![0.0; dim], vec![0.0; end], vec![0.0; end]);
        for (c, grad) in self.grad.chunks_exact_mut(dim).enumerate() {
            if c % self.sets == 0 {
                scale_point(self.x.row(c / self.sets), self.lengthscales, &mut point);
                squared_distances::<R, FMA>(self.inputs, 0, &point, &mut slopes);
                for q in &mut slopes {
                    *q = profile.value_and_slope::<FMA>(*q).1;
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
pub(super) struct PullBack<'a> {
    pub(super) workspace: &'a mut KernelWorkspace,
    pub(super) weights: &'a Matrix,
    pub(super) sums: &'a mut [[f64; LANES]],
}

impl PullBack<'_> {
    /// The weighted sum of covariances. Not generic, so that it is compiled here.
    pub(super) fn total(self) -> f64 {
        dispatch(self)
    }
}

impl VectorLoop for PullBack<'_> {
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

/// Products of a vector with the weighted covariances and their derivatives in the lengthscales, in one pass over the lower half: an entry
/// counts for its row and, as its mirror image, for its column.
pub(super) struct DerivativesTimes<'a> {
    pub(super) workspace: &'a mut KernelWorkspace,
    pub(super) by: WeightedVector<'a>,
    /// Scale over lengthscale, by dimension.
    pub(super) inverse: &'a [f64],
    /// Parameter of a dimension.
    pub(super) slots: &'a [usize],
    pub(super) out: &'a mut [f64],
    pub(super) product: &'a mut [f64],
}

impl DerivativesTimes<'_> {
    /// Adds the products. Not generic, so that it is compiled here.
    pub(super) fn add(self) {
        dispatch(self);
    }
}

impl VectorLoop for DerivativesTimes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let KernelWorkspace { values, slopes, inputs, column, .. } = self.workspace;
        let WeightedVector { weights, vector, .. } = self.by;
        let (n, end) = (inputs.rows(), vector.len());
        self.product.fill(0.0);
        for j in 0..n {
            let from = j - j % LANES;
            let by = vector[j];
            let g = &mut column[from..end];
            match weights {
                Some(weights) => g.copy_from_slice(&weights.padded_column(j)[from..end]),
                None => g.fill(1.0),
            }
            // What lies above the diagonal and in the padding may be anything.
            g[..=j - from].fill(0.0);
            g[n - from..].fill(0.0);
            let mut own = [0.0; LANES];
            let rows = g.as_chunks_mut::<LANES>().0.iter_mut();
            let rows = rows.zip(values.padded_column(j)[from..end].as_chunks::<LANES>().0);
            let rows = rows.zip(slopes.padded_column(j)[from..end].as_chunks::<LANES>().0);
            let rows = rows.zip(vector[from..end].as_chunks::<LANES>().0);
            for ((((g, k), f), v), product) in rows.zip(self.product[from..].as_chunks_mut::<LANES>().0) {
                for lane in 0..LANES {
                    let weighted = g[lane] * k[lane];
                    product[lane] = fma::<FMA>(weighted, by, product[lane]);
                    own[lane] = fma::<FMA>(weighted, v[lane], own[lane]);
                    g[lane] *= f[lane];
                }
            }
            let on_diagonal = weights.map_or(1.0, |weights| weights[(j, j)]) * values[(j, j)];
            self.product[j] += own.iter().sum::<f64>() + on_diagonal * by;
            for (d, (inverse, slot)) in self.inverse.iter().zip(self.slots).enumerate() {
                let (inputs, first) = (inputs.padded_column(d), slot * end);
                let (p, by) = (inputs[j], by * inverse);
                let mut sums = [0.0; LANES];
                let rows = inputs[from..end].as_chunks::<LANES>().0.iter();
                let rows = rows.zip(column[from..end].as_chunks::<LANES>().0);
                let rows = rows.zip(vector[from..end].as_chunks::<LANES>().0);
                let out = &mut self.out[first..first + end];
                for (((z, g), v), out) in rows.zip(out[from..].as_chunks_mut::<LANES>().0) {
                    // Whole registers at a time, which the compiler does not see in one loop that writes to both.
                    let mut terms = [0.0; LANES];
                    for lane in 0..LANES {
                        let difference = z[lane] - p;
                        terms[lane] = g[lane] * difference * difference;
                    }
                    let mut own = *out;
                    for lane in 0..LANES {
                        own[lane] = fma::<FMA>(terms[lane], by, own[lane]);
                    }
                    *out = own;
                    for lane in 0..LANES {
                        sums[lane] = fma::<FMA>(terms[lane], v[lane], sums[lane]);
                    }
                }
                out[j] += inverse * sums.iter().sum::<f64>();
            }
        }
    }
}

/// Gradients with respect to the parameters of the profile. Distances are computed again: the forward pass does not keep
/// them.
pub(super) struct PullBackProfile<'a> {
    pub(super) workspace: &'a mut KernelWorkspace,
    pub(super) weights: &'a Matrix,
    pub(super) scale: f64,
    pub(super) grad: &'a mut [f64],
}

impl PullBackProfile<'_> {
    #[inline(always)]
    pub(super) fn run<R: StationaryProfile, const FMA: bool>(self, profile: R) {
        let KernelWorkspace { inputs, column, .. } = self.workspace;
        let n = inputs.rows();
        let end = n.next_multiple_of(LANES);
        let mut point = vec![0.0; inputs.cols()];
        for j in 0..n {
            let from = j - j % LANES;
            for (d, p) in point.iter_mut().enumerate() {
                *p = inputs.padded_column(d)[j];
            }
            squared_distances::<R, FMA>(inputs, from, &point, &mut column[from..end]);
            let weights = self.weights.padded_column(j)[from..end].as_chunks::<LANES>().0;
            for (p, slot) in self.grad.iter_mut().enumerate() {
                let mut sums = [0.0; LANES];
                for (q, w) in column[from..end].as_chunks::<LANES>().0.iter().zip(weights) {
                    for lane in 0..LANES {
                        let slope = profile.param_slope::<FMA>(p, q[lane]);
                        sums[lane] = fma::<FMA>(w[lane], slope, sums[lane]);
                    }
                }
                *slot += self.scale * sums.iter().sum::<f64>();
            }
        }
    }
}
