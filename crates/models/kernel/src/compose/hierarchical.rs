//! The hierarchical kernel.

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;

use crate::error::common_dim;
use crate::kernel::weight_sets;
use crate::{Kernel, KernelError, KernelWorkspace};

use super::group_correlation::GroupCorrelation;
use super::member_code::{is_common, is_mean};

/// Kernel of several functions that deviate from a common one: the folds of a cross-validation around the true loss.
///
/// ```text
/// y_j(x) = f(x) + δ_j(x):   k((x, i), (y, j)) = k_f(x, y) + c(i, j) k_δ(x, y)
/// c(i, j) = 1 for i = j, β for two members, 0 where one of them is the common function
/// ```
///
/// With blocks of members, such as the repeats of a cross-validation, the correlation is β within a block and β ρ
/// between blocks. For a mean of members, c is the mean of the members' c.
///
/// The last column of a point encodes the function it belongs to, by [`MemberCode`](crate::MemberCode): a member, f itself,
/// or the mean of the first members. The posterior of f is therefore that of points with the code of f. A deviation is the
/// sum of a shared part, with the share β of the variance, and an independent one; the kernel is positive semi-definite.
///
/// Parameters: those of `k_f` under `common.`, those of `k_δ` under `deviation.`, then `correlation` = β, logit scale
/// within `[1e-4, 1 - 1e-4]`, then `between_blocks` = ρ likewise where there are blocks. It has no random features.
/// Source: `FCVOpt` (Yerramilli & Apley, 2025), the hierarchical model.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(
    try_from = "Unchecked<F, D>",
    bound(deserialize = "F: Kernel + serde::Deserialize<'de>, D: Kernel + serde::Deserialize<'de>")
)]
pub struct Hierarchical<F, D> {
    common: F,
    deviation: D,
    members: GroupCorrelation,
}

/// A kernel as it is in a file.
#[derive(serde::Deserialize)]
struct Unchecked<F, D> {
    common: F,
    deviation: D,
    #[serde(alias = "likeness")]
    members: GroupCorrelation,
}

impl<F: Kernel, D: Kernel> TryFrom<Unchecked<F, D>> for Hierarchical<F, D> {
    type Error = KernelError;

    fn try_from(Unchecked { common, deviation, members }: Unchecked<F, D>) -> Result<Self, KernelError> {
        common_dim(&common, &deviation)?;
        Ok(Self { common, deviation, members })
    }
}

impl<F: Kernel, D: Kernel> Hierarchical<F, D> {
    /// The kernel of a common function and of the deviations from it, which are correlated by β between members.
    ///
    /// # Errors
    /// [`KernelError`] when the parts take points of different dimension, or β is not strictly between 0 and 1.
    pub fn new(common: F, deviation: D, correlation: f64) -> Result<Self, KernelError> {
        common_dim(&common, &deviation)?;
        Ok(Self { common, deviation, members: GroupCorrelation::new(correlation)? })
    }

    /// Groups the members into blocks of `size`: members 0 to `size - 1` are the first block, and so on.
    ///
    /// The correlation of members of different blocks is that within a block times `between`, ρ.
    ///
    /// # Errors
    /// [`KernelError`] for blocks of no members, or ρ that is not strictly between 0 and 1.
    pub fn with_blocks(
        mut self,
        size: usize,
        between: f64,
        prior: Option<Prior>,
    ) -> Result<Self, KernelError> {
        self.members = self.members.with_blocks(size, between, prior)?;
        Ok(self)
    }

    /// Sets a prior for β.
    #[must_use]
    pub fn with_correlation_prior(mut self, prior: Prior) -> Self {
        self.members.correlation = self.members.correlation.with_prior(prior);
        self
    }

    /// Replaces the bounds for learning β, which is clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] for bounds that are not between 0 and 1 or in the wrong order.
    pub fn with_correlation_bounds(mut self, low: f64, high: f64) -> Result<Self, KernelError> {
        self.members.correlation = self.members.correlation.with_bounds("correlation", low, high)?;
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
        self.members.correlation.value()
    }

    /// Number of parameters before β.
    fn inner_params(&self) -> usize {
        self.common.num_params() + self.deviation.num_params()
    }
}

/// A point without its last column, and that column.
fn split(x: &[f64]) -> (&[f64], f64) {
    let (code, inner) = x.split_last().expect("a point with a code");
    (inner, *code)
}

fn codes(x: PointsRef<'_>) -> Vec<f64> {
    x.rows().map(|row| split(row).1).collect()
}

/// The different codes of rows, and which of them each row has: there are few, so that their correlations are worked out once.
struct CodedRows {
    codes: Vec<f64>,
    places: Vec<usize>,
}

impl CodedRows {
    fn of(rows: &[f64]) -> Self {
        let mut codes: Vec<f64> = Vec::new();
        let mut place = |code: &f64| {
            codes.iter().position(|known| known == code).unwrap_or_else(|| {
                codes.push(*code);
                codes.len() - 1
            })
        };
        let places = rows.iter().map(&mut place).collect();
        Self { codes, places }
    }
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
        common.chain(deviation).chain(self.members.params()).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let (common, rest) = values.split_at(self.common.num_params());
        let (deviation, rest) = rest.split_at(self.deviation.num_params());
        self.common.set_params(common);
        self.deviation.set_params(deviation);
        self.members.set_params(rest);
    }
}

impl<F: Kernel + Clone + 'static, D: Kernel + Clone + 'static> Kernel for Hierarchical<F, D> {
    fn dim(&self) -> Option<usize> {
        self.common.dim().or(self.deviation.dim()).map(|dim| dim + 1)
    }

    fn least_dim(&self) -> usize {
        self.common.least_dim().max(self.deviation.least_dim()) + 1
    }

    fn num_params(&self) -> usize {
        self.inner_params() + self.members.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let ((x, i), (y, j)) = (split(x), split(y));
        self.common.eval(x, y) + self.members.of(i, j) * self.deviation.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let ((x, i), (y, j)) = (split(x), split(y));
        let (for_common, rest) = grad.split_at_mut(self.common.num_params());
        let (for_deviation, for_correlation) = rest.split_at_mut(self.deviation.num_params());
        self.common.pull_back_pair(x, y, weight, for_common);
        self.deviation.pull_back_pair(x, y, weight * self.members.of(i, j), for_deviation);
        if i != j || is_mean(i) {
            self.members.pull_back(i, j, weight * self.deviation.eval(x, y), for_correlation);
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
        let rows = CodedRows::of(&i);
        let mut with = Vec::new();
        for (c, code) in j.iter().enumerate() {
            if c == 0 || j[c - 1] != *code {
                with = self.members.of_each(&rows.codes, *code);
            }
            for ((slot, d), at) in out.column_mut(c).iter_mut().zip(deviation.column(c)).zip(&rows.places) {
                *slot += with[*at] * d;
            }
        }
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let inner = without_codes(x);
        let mut deviation = vec![0.0; out.len()];
        self.common.diagonal_into(inner.as_ref(), out);
        self.deviation.diagonal_into(inner.as_ref(), &mut deviation);
        for ((slot, d), code) in out.iter_mut().zip(deviation).zip(codes(x)) {
            *slot += self.members.of(code, code) * d;
        }
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let inner = without_codes(x);
        let column = codes(x);
        let (common, deviation, values, _) = workspace.pair();
        self.common.forward(inner.as_ref(), scale, common, out);
        self.deviation.forward(inner.as_ref(), 1.0, deviation, values);
        let plain = self.members.of_plain_members(&column);
        for (j, code) in column.iter().enumerate() {
            let below = out.column_mut(j)[j..].iter_mut().zip(&values.column(j)[j..]).zip(&column[j..]);
            match plain {
                // The inner loop of every fit: one choice an entry, for vector instructions.
                Some(beta) => below.for_each(|((slot, d), other)| {
                    *slot += scale * if other == code { 1.0 } else { beta } * d;
                }),
                None => below.for_each(|((slot, d), other)| {
                    *slot += scale * self.members.of(*other, *code) * d;
                }),
            }
        }
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let (for_common, rest) = grad.split_at_mut(self.common.num_params());
        let (for_deviation, for_correlation) = rest.split_at_mut(self.deviation.num_params());
        let column = codes(x);
        let (common, deviation, values, seen) = workspace.pair();
        let inner = without_codes(x);
        let total = self.common.pull_back_params(inner.as_ref(), common, weights, scale, for_common);
        // The weights of the deviations are those of the kernel times c; only pairs of different members depend on β.
        seen.resize(weights.rows(), weights.cols());
        let plain = self.members.of_plain_members(&column);
        for (j, code) in column.iter().enumerate() {
            seen.padded_column_mut(j).fill(0.0);
            let below = seen.column_mut(j)[j..].iter_mut().zip(&weights.column(j)[j..]);
            let below = below.zip(column[j..].iter().zip(&values.column(j)[j..]));
            match plain {
                Some(beta) => {
                    let mut between = 0.0;
                    for ((slot, w), (other, d)) in below {
                        let (c, other) = if other == code { (1.0, 0.0) } else { (beta, 1.0) };
                        *slot = c * w;
                        between += other * w * d;
                    }
                    for_correlation[0] += scale * between;
                }
                None => {
                    for ((slot, w), (other, d)) in below {
                        let c = self.members.of(*other, *code);
                        *slot = c * w;
                        if c > 0.0 && (other != code || is_mean(*code)) {
                            self.members.pull_back(*other, *code, scale * w * d, for_correlation);
                        }
                    }
                }
            }
        }
        total + self.deviation.pull_back_params(inner.as_ref(), deviation, seen, scale, for_deviation)
    }

    /// The code of a point is constant: its derivative is 0.
    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let (own, code) = split(x);
        let others = without_codes(y);
        let inner = grad.len() - 1;
        self.common.pull_back_input(own, others.as_ref(), weights, &mut grad[..inner]);
        if !is_common(code) {
            let seen: Vec<f64> =
                weights.iter().zip(codes(y)).map(|(w, other)| w * self.members.of(code, other)).collect();
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
            let rows = CodedRows::of(&j);
            for c in 0..weights.cols() {
                let with = self.members.of_each(&rows.codes, i[c / sets]);
                let from = weights.column(c).iter().zip(&rows.places);
                for (slot, (w, at)) in seen.column_mut(c).iter_mut().zip(from) {
                    *slot = w * with[*at];
                }
            }
            self.deviation.pull_back_inputs(own.as_ref(), others.as_ref(), &seen, scale, &mut inner);
        }
        for (grad, inner) in grad.chunks_exact_mut(dim).zip(inner.chunks_exact(dim - 1)) {
            grad.iter_mut().zip(inner).for_each(|(slot, g)| *slot += g);
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
