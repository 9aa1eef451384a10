//! Kernels on categorical parameters.

mod coregionalization;
mod correlation;
mod levels;

use std::marker::PhantomData;
use std::ops::Range;

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::error::require_blocks;
use crate::features::{Features, LevelSigns};
use crate::hyperparameters::Hyperparameters;
use crate::{Kernel, KernelError, KernelWorkspace};
pub use coregionalization::Coregionalization;
pub use correlation::{ByCorrelation, ByLengthscale, CategoricalCorrelation};
use levels::{PullBack, covariances_into, levels_into};

/// A kernel on unordered levels: every two different levels of a parameter have the same correlation.
///
/// ```text
/// k(x, y) = Π_p (1 if x_p = y_p, else ρ_p)
/// ```
///
/// A parameter is a block of columns, one-hot or a single level column; it has any number of levels. Columns
/// outside the blocks are ignored. Unit variance.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(bound = "", try_from = "Unchecked")]
pub struct Categorical<L: CategoricalCorrelation> {
    blocks: Vec<Range<usize>>,
    values: Hyperparameters,
    #[serde(skip)]
    correlation: PhantomData<L>,
}

/// A kernel as it is in a file.
#[derive(serde::Deserialize)]
struct Unchecked {
    blocks: Vec<Range<usize>>,
    values: Hyperparameters,
}

impl<L: CategoricalCorrelation> TryFrom<Unchecked> for Categorical<L> {
    type Error = KernelError;

    fn try_from(Unchecked { blocks, values }: Unchecked) -> Result<Self, KernelError> {
        require_blocks(&blocks, values.values().len())?;
        values.require_own(L::LEARNT.2, "expected one learnt value per block")?;
        Ok(Self { blocks, values, correlation: PhantomData })
    }
}

/// Kernel on exchangeable levels, the correlation of each parameter learnt on the logit scale within `[1e-4, 1 - 1e-4]`.
pub type Exchangeable = Categorical<ByCorrelation>;

/// Kernel of the weighted Hamming distance: `k(x, y) = exp(-Σ_p [x_p ≠ y_p] / ℓ_p)`, each `ℓ_p` learnt within `[0.1, 100]`.
pub type Hamming = Categorical<ByLengthscale>;

impl<L: CategoricalCorrelation> Categorical<L> {
    /// The kernel with one value of its parameter for each block of columns.
    ///
    /// # Errors
    /// [`KernelError`] names a value that is out of range, or blocks that are empty, overlap or differ in number.
    pub fn new(blocks: Vec<Range<usize>>, values: Vec<f64>) -> Result<Self, KernelError> {
        require_blocks(&blocks, values.len())?;
        Ok(Self {
            blocks,
            values: Hyperparameters::new(L::NAME, values, L::LEARNT)?,
            correlation: PhantomData,
        })
    }

    /// Replaces the bounds for learning; the values are clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is out of the range of the parameter, or they are in the wrong order.
    pub fn with_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { values: self.values.with_bounds(L::NAME, low, high)?, ..self })
    }

    /// Sets a prior for every parameter.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { values: self.values.with_prior(prior), ..self }
    }

    fn correlations(&self) -> Vec<f64> {
        self.values.values.iter().map(|&theta| L::correlation(theta)).collect()
    }

    /// The parameters in whose levels two points differ, with their values.
    fn differing<'a>(&'a self, x: &'a [f64], y: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
        let differs = move |(p, block): (usize, &Range<usize>)| {
            (x[block.clone()] != y[block.clone()]).then(|| (p, self.values.values[p]))
        };
        self.blocks.iter().enumerate().filter_map(differs)
    }
}

impl<L: CategoricalCorrelation> Parameterized for Categorical<L> {
    fn params(&self) -> Vec<Param> {
        self.values.params(L::NAME).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let rest = self.values.take(values);
        assert!(rest.is_empty(), "more values than parameters");
    }
}

impl<L: CategoricalCorrelation> Kernel for Categorical<L> {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn least_dim(&self) -> usize {
        self.blocks.iter().map(|block| block.end).max().unwrap_or(0)
    }

    fn num_params(&self) -> usize {
        self.blocks.len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.differing(x, y).map(|(_, theta)| L::correlation(theta)).product()
    }

    /// Correlations are computed once, not pair by pair. Numbers for the levels would take longer than comparing them with one point.
    fn eval_each(&self, x: PointsRef<'_>, y: &[f64], out: &mut [f64]) {
        let correlations = self.correlations();
        for (slot, x) in out.iter_mut().zip(x.rows()) {
            let differs = |block: &Range<usize>| x[block.clone()] != y[block.clone()];
            let differing = self.blocks.iter().zip(&correlations).filter(|(block, _)| differs(block));
            *slot = differing.map(|(_, correlation)| correlation).product();
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        out.resize(x.len(), y.len());
        if y.len() == 1 {
            return self.eval_each(x, y.row(0), out.column_mut(0));
        }
        let (correlations, mut levels) = (self.correlations(), Matrix::default());
        levels_into(&self.blocks, &[x, y], &mut levels);
        for j in 0..y.len() {
            covariances_into(&levels, &correlations, (0, x.len() + j), out.column_mut(j));
        }
    }

    fn diagonal_into(&self, _x: PointsRef<'_>, out: &mut [f64]) {
        out.fill(1.0);
    }

    /// Keeps the levels as the inputs of the workspace, and the covariances as its values.
    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let n = x.len();
        out.resize(n, n);
        let KernelWorkspace { values, inputs, .. } = workspace;
        values.resize(n, n);
        levels_into(&self.blocks, &[x], inputs);
        let correlations = self.correlations();
        for j in 0..n {
            let values = &mut values.column_mut(j)[j..];
            covariances_into(inputs, &correlations, (j, j), values);
            out.column_mut(j)[j..].iter_mut().zip(values).for_each(|(out, k)| *out = scale * *k);
        }
    }

    fn pull_back_params(
        &self,
        _x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let slopes: Vec<f64> = self.values.values.iter().map(|&theta| L::log_slope(theta)).collect();
        let (levels, values) = (&workspace.inputs, &workspace.values);
        PullBack { levels, values, weights, slopes: &slopes, scale, grad }.total()
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let k = weight * self.eval(x, y);
        for (p, theta) in self.differing(x, y) {
            grad[p] += k * L::log_slope(theta);
        }
    }

    /// Levels are discrete: the derivative is 0.
    fn pull_back_input(&self, _x: &[f64], _y: PointsRef<'_>, _weights: &[f64], _grad: &mut [f64]) {}

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let correlations = self.values.values.iter().map(|&theta| L::correlation(theta)).collect();
        Some(Box::new(LevelSigns::of(&self.blocks, correlations, count, rng)))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
