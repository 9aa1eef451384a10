//! How alike the deviations of members of a hierarchical process are, by the codes that name them.

use thrifty_params::Param;
use thrifty_prob::Prior;

use crate::KernelError;
use crate::hyper::Hyper;

/// `c(i, j)`: 1 for the same member, β within a block, β ρ between blocks; the mean of that over the members that a code
/// stands for, 0 for the common function.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Likeness {
    /// β.
    pub(crate) correlation: Hyper,
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

impl Likeness {
    pub(crate) fn new(correlation: f64) -> Result<Self, KernelError> {
        Ok(Self { correlation: Hyper::correlation("correlation", correlation)?, blocks: None })
    }

    pub(crate) fn with_blocks(
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

    pub(crate) fn num_params(&self) -> usize {
        1 + usize::from(self.blocks.is_some())
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = Param> {
        let blocks = self.blocks.as_ref().map(|blocks| blocks.likeness.only_param("between_blocks"));
        std::iter::once(self.correlation.only_param("correlation")).chain(blocks)
    }

    pub(crate) fn set_params(&mut self, values: &[f64]) {
        let rest = self.correlation.take(values);
        if let Some(blocks) = &mut self.blocks {
            blocks.likeness.take(rest);
        }
    }

    /// `c(i, j)`.
    pub(crate) fn of(&self, i: f64, j: f64) -> f64 {
        if i >= 0.0 && i == j {
            return 1.0;
        }
        let Parts { same, alike, apart } = self.parts(i, j);
        same + self.correlation.value() * (alike + self.between() * apart)
    }

    /// β when nothing but that is to know of these codes: all are members, and there are no blocks.
    pub(crate) fn of_plain_members(&self, codes: &[f64]) -> Option<f64> {
        (self.blocks.is_none() && codes.iter().all(|code| *code >= 0.0)).then(|| self.correlation.value())
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

    /// Adds what a pair with this weight times covariance of deviations says of β and ρ.
    pub(crate) fn pull_back(&self, i: f64, j: f64, weight: f64, grad: &mut [f64]) {
        let Parts { alike, apart, .. } = self.parts(i, j);
        grad[0] += weight * (alike + self.between() * apart);
        if self.blocks.is_some() {
            grad[1] += weight * self.correlation.value() * apart;
        }
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
pub(crate) fn is_mean(code: f64) -> bool {
    code <= -2.0
}

/// Whether a code is that of the common function.
pub(crate) fn is_common(code: f64) -> bool {
    code < 0.0 && !is_mean(code)
}
