use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;

use crate::hyper::Hyper;
use crate::kernel::weight_sets;
use crate::{Kernel, KernelError, KernelWorkspace};

/// Several functions around a common one, each a deviation from it: folds of a cross-validation around the true loss.
///
/// ```text
/// y_j(x) = f(x) + δ_j(x):   k((x, i), (y, j)) = k_f(x, y) + c(i, j) k_δ(x, y)
/// c(i, j) = 1 for i = j, β for two members, 0 where one of them is the common function
/// ```
///
/// With blocks of members, such as the repeats of a cross-validation, β holds within a block and β ρ between blocks.
///
/// The last column of a point says which function it is of: a number from 0 for a member, [`Hierarchical::COMMON`] for
/// f itself, [`Hierarchical::mean_of`] for the mean of the first so many members; so the posterior of f is that of points with
/// its code. Of means c is the mean of the members' c. Deviations of members share a part, and it is of
/// the sum's variance β: the covariance of a shared and of independent deviations, hence positive semi-definite.
///
/// Parameters: those of `k_f` under `common.`, those of `k_δ` under `deviation.`, then `correlation` = β, logit scale
/// within `[1e-4, 1 - 1e-4]`, then `between_blocks` = ρ likewise where there are blocks. Source: `FCVOpt` (Yerramilli & Apley, 2025), eq. of the hierarchical model. It has no
/// random features.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Hierarchical<F, D> {
    common: F,
    deviation: D,
    correlation: Hyper,
    #[serde(default)]
    blocks: Option<Blocks>,
}

/// Members in blocks of one size: those of a block are more alike.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Blocks {
    size: usize,
    /// ρ.
    likeness: Hyper,
}

impl<F: Kernel, D: Kernel> Hierarchical<F, D> {
    /// What the last column holds for the common function.
    pub const COMMON: f64 = -1.0;

    /// The kernel of a common function and of the deviations from it, which are correlated by β between members.
    ///
    /// # Errors
    /// [`KernelError`] when the parts take points of different dimension, or β is not strictly between 0 and 1.
    pub fn new(common: F, deviation: D, correlation: f64) -> Result<Self, KernelError> {
        crate::error::common_dim(common.dim(), deviation.dim())?;
        Ok(Self {
            common,
            deviation,
            correlation: Hyper::correlation("correlation", correlation)?,
            blocks: None,
        })
    }

    /// The same with members in blocks of `size`: numbers from 0 to `size - 1` are the first, and so on. Members of two
    /// blocks are as alike as those of one times `likeness`, ρ.
    ///
    /// # Errors
    /// [`KernelError`] for blocks of no members, or ρ that is not strictly between 0 and 1.
    pub fn with_blocks(
        mut self,
        size: usize,
        likeness: f64,
        prior: Option<Prior>,
    ) -> Result<Self, KernelError> {
        if size == 0 {
            return Err(KernelError::NotPositive { name: "block size".into(), value: 0.0 });
        }
        let likeness = Hyper::correlation("between_blocks", likeness)?;
        let likeness = match prior {
            Some(prior) => likeness.with_prior(prior),
            None => likeness,
        };
        self.blocks = Some(Blocks { size, likeness });
        Ok(self)
    }

    /// The same with a prior on β.
    #[must_use]
    pub fn with_correlation_prior(mut self, prior: Prior) -> Self {
        self.correlation = self.correlation.with_prior(prior);
        self
    }

    /// The same with other bounds for learning β, which moves into them.
    ///
    /// # Errors
    /// [`KernelError`] for bounds that are not between 0 and 1 or in the wrong order.
    pub fn with_correlation_bounds(mut self, low: f64, high: f64) -> Result<Self, KernelError> {
        self.correlation = self.correlation.with_bounds("correlation", low, high)?;
        Ok(self)
    }

    /// The kernel of the common function.
    pub fn common(&self) -> &F {
        &self.common
    }

    /// The kernel of the deviations.
    pub fn deviation(&self) -> &D {
        &self.deviation
    }

    /// β.
    #[must_use]
    pub fn correlation(&self) -> f64 {
        self.correlation.value()
    }

    /// What the last column holds for the mean of the members 0 to `count - 1`: as good as f where they are many.
    ///
    /// # Panics
    /// For fewer than two members: one is itself.
    #[must_use]
    pub fn mean_of(count: usize) -> f64 {
        assert!(count >= 2, "the mean of {count} members");
        -(count as f64)
    }

    /// `c(i, j)`.
    fn likeness(&self, i: f64, j: f64) -> f64 {
        let Parts { same, alike, apart } = self.parts(i, j);
        same + self.correlation.value() * (alike + self.between() * apart)
    }

    /// ρ.
    fn between(&self) -> f64 {
        self.blocks.as_ref().map_or(1.0, |blocks| blocks.likeness.value())
    }

    /// Of how many pairs of members two codes speak.
    fn parts(&self, i: f64, j: f64) -> Parts {
        if is_common(i) || is_common(j) {
            Parts::default()
        } else if i >= 0.0 && j >= 0.0 {
            Parts::of_members(self.blocks.as_ref(), i, j)
        } else {
            // The mean over the members that a code stands for.
            let members = |code: f64| if code < 0.0 { (0, -code as usize) } else { (code as usize, 1) };
            let ((from_i, count_i), (from_j, count_j)) = (members(i), members(j));
            let mut sum = Parts::default();
            for i in from_i..from_i + count_i {
                for j in from_j..from_j + count_j {
                    sum.add(Parts::of_members(self.blocks.as_ref(), i as f64, j as f64));
                }
            }
            sum.over((count_i * count_j) as f64)
        }
    }

    /// Adds what a pair with this weight times covariance of deviations says of β and ρ.
    fn pull_back_likeness(&self, i: f64, j: f64, weight: f64, grad: &mut [f64]) {
        let Parts { alike, apart, .. } = self.parts(i, j);
        grad[0] += weight * (alike + self.between() * apart);
        if self.blocks.is_some() {
            grad[1] += weight * self.correlation.value() * apart;
        }
    }

    /// Number of parameters before β.
    fn inner_params(&self) -> usize {
        self.common.num_params() + self.deviation.num_params()
    }
}

/// Shares of pairs of members that are one and the same, two of a block, two of different blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    same: f64,
    alike: f64,
    apart: f64,
}

impl Parts {
    #[inline]
    fn of_members(blocks: Option<&Blocks>, i: f64, j: f64) -> Self {
        if i == j {
            Self { same: 1.0, ..Self::default() }
        } else if blocks.is_some_and(|blocks| blocks.part(i, j)) {
            Self { apart: 1.0, ..Self::default() }
        } else {
            Self { alike: 1.0, ..Self::default() }
        }
    }

    fn add(&mut self, other: Self) {
        self.same += other.same;
        self.alike += other.alike;
        self.apart += other.apart;
    }

    fn over(self, count: f64) -> Self {
        Self { same: self.same / count, alike: self.alike / count, apart: self.apart / count }
    }
}

impl Blocks {
    /// Whether two members are of different blocks.
    fn part(&self, i: f64, j: f64) -> bool {
        let block = |code: f64| (code / self.size as f64).floor();
        block(i) != block(j)
    }
}

/// Whether a code is that of a mean of members: -2 and below.
fn is_mean(code: f64) -> bool {
    code <= -2.0
}

/// Whether a code is that of the common function.
fn is_common(code: f64) -> bool {
    code < 0.0 && !is_mean(code)
}

/// A point without its last column, and that column.
fn split(x: &[f64]) -> (&[f64], f64) {
    let (code, inner) = x.split_last().expect("a point with a code");
    (inner, *code)
}

fn codes(x: PointsRef<'_>) -> Vec<f64> {
    x.rows().map(|row| split(row).1).collect()
}

fn without_codes(x: PointsRef<'_>) -> Points {
    let mut inner = Points::zeros(x.len(), x.dim() - 1);
    for (i, row) in x.rows().enumerate() {
        inner.row_mut(i).copy_from_slice(split(row).0);
    }
    inner
}

impl<F: Kernel, D: Kernel> Parameterized for Hierarchical<F, D> {
    fn params(&self) -> Vec<Param> {
        let common = self.common.params().into_iter().map(|p| p.under("common"));
        let deviation = self.deviation.params().into_iter().map(|p| p.under("deviation"));
        let blocks = self.blocks.iter().map(|blocks| blocks.likeness.only_param("between_blocks"));
        common.chain(deviation).chain([self.correlation.only_param("correlation")]).chain(blocks).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let (common, rest) = values.split_at(self.common.num_params());
        let (deviation, rest) = rest.split_at(self.deviation.num_params());
        self.common.set_params(common);
        self.deviation.set_params(deviation);
        let rest = self.correlation.take(rest);
        if let Some(blocks) = &mut self.blocks {
            blocks.likeness.take(rest);
        }
    }
}

impl<F: Kernel + Clone + 'static, D: Kernel + Clone + 'static> Kernel for Hierarchical<F, D> {
    fn dim(&self) -> Option<usize> {
        self.common.dim().or(self.deviation.dim()).map(|dim| dim + 1)
    }

    fn num_params(&self) -> usize {
        self.inner_params() + 1 + usize::from(self.blocks.is_some())
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let ((x, i), (y, j)) = (split(x), split(y));
        self.common.eval(x, y) + self.likeness(i, j) * self.deviation.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let ((x, i), (y, j)) = (split(x), split(y));
        let (for_common, rest) = grad.split_at_mut(self.common.num_params());
        let (for_deviation, for_correlation) = rest.split_at_mut(self.deviation.num_params());
        self.common.pull_back_pair(x, y, weight, for_common);
        self.deviation.pull_back_pair(x, y, weight * self.likeness(i, j), for_deviation);
        if i != j || is_mean(i) {
            self.pull_back_likeness(i, j, weight * self.deviation.eval(x, y), for_correlation);
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let (left, right, i, j) = (without_codes(x), without_codes(y), codes(x), codes(y));
        self.common.cov_into(left.as_ref(), right.as_ref(), out);
        let common = |codes: &[f64]| codes.iter().all(|code| is_common(*code));
        if common(&i) || common(&j) {
            return;
        }
        let mut deviation = Matrix::default();
        self.deviation.cov_into(left.as_ref(), right.as_ref(), &mut deviation);
        for (c, j) in j.iter().enumerate() {
            for ((slot, d), i) in out.column_mut(c).iter_mut().zip(deviation.column(c)).zip(&i) {
                *slot += self.likeness(*i, *j) * d;
            }
        }
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let inner = without_codes(x);
        let mut deviation = vec![0.0; out.len()];
        self.common.diagonal_into(inner.as_ref(), out);
        self.deviation.diagonal_into(inner.as_ref(), &mut deviation);
        for ((slot, d), code) in out.iter_mut().zip(deviation).zip(codes(x)) {
            *slot += self.likeness(code, code) * d;
        }
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let inner = without_codes(x);
        workspace.column = codes(x);
        let column = std::mem::take(&mut workspace.column);
        let (common, deviation, values, _) = workspace.pair();
        self.common.forward(inner.as_ref(), scale, common, out);
        self.deviation.forward(inner.as_ref(), 1.0, deviation, values);
        for (j, code) in column.iter().enumerate() {
            let below = out.column_mut(j)[j..].iter_mut().zip(&values.column(j)[j..]).zip(&column[j..]);
            for ((slot, d), other) in below {
                *slot += scale * self.likeness(*other, *code) * d;
            }
        }
        workspace.column = column;
    }

    fn pull_back_params(
        &self,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let (for_common, rest) = grad.split_at_mut(self.common.num_params());
        let (for_deviation, for_correlation) = rest.split_at_mut(self.deviation.num_params());
        let column = std::mem::take(&mut workspace.column);
        let (common, deviation, values, seen) = workspace.pair();
        let total = self.common.pull_back_params(common, weights, scale, for_common);
        // Deviations see the weights by how alike the members are; different members alone know β.
        seen.resize(weights.rows(), weights.cols());
        for (j, code) in column.iter().enumerate() {
            seen.padded_column_mut(j).fill(0.0);
            let below = seen.column_mut(j)[j..].iter_mut().zip(&weights.column(j)[j..]);
            for ((slot, w), (other, d)) in below.zip(column[j..].iter().zip(&values.column(j)[j..])) {
                let likeness = self.likeness(*other, *code);
                *slot = likeness * w;
                if likeness > 0.0 && (other != code || is_mean(*code)) {
                    self.pull_back_likeness(*other, *code, scale * w * d, for_correlation);
                }
            }
        }
        let total = total + self.deviation.pull_back_params(deviation, seen, scale, for_deviation);
        workspace.column = column;
        total
    }

    /// Which function a point is of does not move.
    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let (own, code) = split(x);
        let others = without_codes(y);
        let inner = grad.len() - 1;
        self.common.pull_back_input(own, others.as_ref(), weights, &mut grad[..inner]);
        if !is_common(code) {
            let seen: Vec<f64> =
                weights.iter().zip(codes(y)).map(|(w, other)| w * self.likeness(code, other)).collect();
            self.deviation.pull_back_input(own, others.as_ref(), &seen, &mut grad[..inner]);
        }
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
        let (own, others, i, j) = (without_codes(x), without_codes(y), codes(x), codes(y));
        let dim = x.dim();
        let mut inner = vec![0.0; weights.cols() * (dim - 1)];
        self.common.pull_back_inputs(own.as_ref(), others.as_ref(), weights, scale, &mut inner);
        if !i.iter().all(|code| is_common(*code)) {
            let mut seen = Matrix::zeros(weights.rows(), weights.cols());
            for c in 0..weights.cols() {
                let from = weights.column(c).iter().zip(&j);
                for (slot, (w, other)) in seen.column_mut(c).iter_mut().zip(from) {
                    *slot = w * self.likeness(i[c / sets], *other);
                }
            }
            self.deviation.pull_back_inputs(own.as_ref(), others.as_ref(), &seen, scale, &mut inner);
        }
        for (grad, inner) in grad.chunks_exact_mut(dim).zip(inner.chunks_exact(dim - 1)) {
            grad.iter_mut().zip(inner).for_each(|(slot, g)| *slot += g);
        }
    }

    fn boxed(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
