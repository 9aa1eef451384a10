//! Correlation between the members of a hierarchical process.

use std::num::NonZeroUsize;

use thrifty_params::Param;
use thrifty_prob::Prior;

use crate::KernelError;
use crate::hyperparameters::{Hyperparameters, read_correlation};

use super::member_code::is_common;

/// Correlation of the deviations of two members, by the columns that encode them.
///
/// ```text
/// c(i, j) = 1 for i = j,   β within a block,   β ρ between blocks,   0 for the common function
/// ```
///
/// For means of members it is the mean of their correlations.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct GroupCorrelation {
    /// β.
    #[serde(deserialize_with = "read_correlation")]
    pub(super) correlation: Hyperparameters,
    #[serde(default)]
    blocks: Option<Blocks>,
}

/// Members in blocks of one size; those of a block are more correlated.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Blocks {
    size: NonZeroUsize,
    /// ρ.
    #[serde(alias = "likeness")]
    #[serde(deserialize_with = "read_correlation")]
    between: Hyperparameters,
}

impl GroupCorrelation {
    pub(super) fn new(correlation: f64) -> Result<Self, KernelError> {
        Ok(Self { correlation: Hyperparameters::correlation("correlation", correlation)?, blocks: None })
    }

    pub(super) fn with_blocks(
        mut self,
        size: usize,
        between: f64,
        prior: Option<Prior>,
    ) -> Result<Self, KernelError> {
        let size = NonZeroUsize::new(size)
            .ok_or_else(|| KernelError::NotPositive { name: "block size".into(), value: 0.0 })?;
        let between = Hyperparameters::correlation("between_blocks", between)?;
        let between = match prior {
            Some(prior) => between.with_prior(prior),
            None => between,
        };
        self.blocks = Some(Blocks { size, between });
        Ok(self)
    }

    pub(super) fn num_params(&self) -> usize {
        1 + usize::from(self.blocks.is_some())
    }

    pub(super) fn params(&self) -> impl Iterator<Item = Param> {
        let blocks = self.blocks.as_ref().map(|blocks| blocks.between.only_param("between_blocks"));
        std::iter::once(self.correlation.only_param("correlation")).chain(blocks)
    }

    pub(super) fn set_params(&mut self, values: &[f64]) {
        let rest = self.correlation.take(values);
        if let Some(blocks) = &mut self.blocks {
            blocks.between.take(rest);
        }
    }

    /// `c(i, j)`.
    pub(super) fn of(&self, i: f64, j: f64) -> f64 {
        let Parts { same, alike, apart } = self.parts(i, j);
        same + self.correlation.value() * (alike + self.between() * apart)
    }

    /// `c(i, j)` for each of some i.
    pub(super) fn of_each(&self, codes: &[f64], j: f64) -> Vec<f64> {
        codes.iter().map(|i| self.of(*i, j)).collect()
    }

    /// β if every column is that of a member and there are no blocks, so that c is 1 or β.
    pub(super) fn of_plain_members(&self, codes: &[f64]) -> Option<f64> {
        (self.blocks.is_none() && codes.iter().all(|code| *code >= 0.0)).then(|| self.correlation.value())
    }

    /// ρ.
    fn between(&self) -> f64 {
        self.blocks.as_ref().map_or(1.0, |blocks| blocks.between.value())
    }

    /// Shares of the pairs of members that two columns stand for.
    fn parts(&self, i: f64, j: f64) -> Parts {
        if is_common(i) || is_common(j) {
            Parts::default()
        } else if i >= 0.0 && j >= 0.0 {
            Parts::of_members(self.blocks.as_ref(), i, j)
        } else {
            // The mean over the members that a column stands for.
            let members = |code: f64| if code < 0.0 { (0, -code as usize) } else { (code as usize, 1) };
            let ((from_i, count_i), (from_j, count_j)) = (members(i), members(j));
            let pairs = (count_i * count_j) as f64;
            if self.blocks.is_none() {
                let end = (from_i + count_i).min(from_j + count_j);
                let same = end.saturating_sub(from_i.max(from_j)) as f64;
                return Parts { same, alike: pairs - same, apart: 0.0 }.over(pairs);
            }
            let mut sum = Parts::default();
            for i in from_i..from_i + count_i {
                for j in from_j..from_j + count_j {
                    sum.add(Parts::of_members(self.blocks.as_ref(), i as f64, j as f64));
                }
            }
            sum.over(pairs)
        }
    }

    /// Adds the derivatives in β and ρ of a pair with this weight times covariance of deviations.
    pub(super) fn pull_back(&self, i: f64, j: f64, weight: f64, grad: &mut [f64]) {
        let Parts { alike, apart, .. } = self.parts(i, j);
        grad[0] += weight * (alike + self.between() * apart);
        if self.blocks.is_some() {
            grad[1] += weight * self.correlation.value() * apart;
        }
    }
}

/// Shares of pairs of members: one and the same, two of a block, two of different blocks.
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
    /// True for two members of different blocks.
    fn part(&self, i: f64, j: f64) -> bool {
        let block = |code: f64| (code / self.size.get() as f64).floor();
        block(i) != block(j)
    }
}
