//! Kernels on categorical parameters.

mod correlation;

use std::marker::PhantomData;
use std::ops::Range;

use thrifty_domain::PointsRef;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::error::require_blocks;
use crate::features::{Features, LevelSigns};
use crate::hyperparameters::Hyperparameters;
use crate::{Kernel, KernelError};
pub use correlation::{ByCorrelation, ByLengthscale, CategoricalCorrelation};

/// A kernel on unordered levels: every two different levels of a parameter have the same correlation.
///
/// ```text
/// k(x, y) = Π_p (1 if x_p = y_p, else ρ_p)
/// ```
///
/// A parameter is a block of columns, one-hot or a single level column; it has any number of levels. Columns
/// outside the blocks are ignored. Unit variance.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(bound = "")]
pub struct Categorical<L: CategoricalCorrelation> {
    blocks: Vec<Range<usize>>,
    values: Hyperparameters,
    #[serde(skip)]
    correlation: PhantomData<L>,
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

    /// Sets a prior for every parameter.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { values: self.values.with_prior(prior), ..self }
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

    fn num_params(&self) -> usize {
        self.blocks.len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.differing(x, y).map(|(_, theta)| L::correlation(theta)).product()
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
