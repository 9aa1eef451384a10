//! Claim: its kind, its test, and the number of replications.

use super::needed::needed;
use super::rank_sum::RankSum;
use super::rate::Rate;
use super::sign_flip::sign_flip;
use super::signed_rank::SignedRank;
use super::student::Student;
use super::{ClaimError, Finding, LEVEL, Location, Sample};
use crate::harness::number;

/// A statement about one quantity, declared with its test and its number of replications before anything runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub name: String,
    pub kind: Kind,
    pub test: Test,
    /// Replications that were declared; with fewer the verdict is inconclusive.
    pub planned: usize,
}

/// The region in which the claim puts its quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// The gain is above 0.
    Superior,
    /// The gain is above `-margin`.
    NotInferior { margin: f64 },
    /// The quantity is within `tolerance` of `value`.
    EqualTo { value: f64, tolerance: f64 },
    /// The rate is at least this.
    RateAtLeast(f64),
    /// The rate is between these.
    RateBetween(f64, f64),
}

/// Test that finds p-values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// Paired, on the mean of the differences: exact over all signs up to 16 pairs, else seeded Monte Carlo.
    SignFlip,
    /// Paired, on the pseudomedian of the differences, the median of the means of two of them: Wilcoxon's signed ranks.
    SignedRank,
    /// Independent samples, on the shift between them, the median of all differences of one of each: Wilcoxon's rank sum.
    RankSum,
    /// On a mean: Student's t.
    Student,
    /// On a rate: exact, after Clopper and Pearson.
    Binomial,
    /// On a number that no chance enters: it is in the region or not.
    Exact,
}

impl Kind {
    /// Ends of the region; infinite where it has none.
    pub(super) fn region(self) -> (f64, f64) {
        let inner = |end: f64, none: f64, infinite: f64| if end == none { infinite } else { end };
        match self {
            Self::Superior => (0.0, f64::INFINITY),
            Self::NotInferior { margin } => (-margin, f64::INFINITY),
            Self::EqualTo { value, tolerance } => (value - tolerance, value + tolerance),
            Self::RateAtLeast(low) => (inner(low, 0.0, f64::NEG_INFINITY), f64::INFINITY),
            Self::RateBetween(low, high) => {
                (inner(low, 0.0, f64::NEG_INFINITY), inner(high, 1.0, f64::INFINITY))
            }
        }
    }

    /// True if a known number is in the region.
    fn contains(self, value: f64) -> bool {
        let (low, high) = self.region();
        match self {
            Self::Superior | Self::NotInferior { .. } => value > low,
            _ => low <= value && value <= high,
        }
    }

    pub fn text(self) -> String {
        match self {
            Self::Superior => "superior".into(),
            Self::NotInferior { margin } => format!("not inferior by {}", number(margin)),
            Self::EqualTo { value, tolerance } => {
                format!("equal to {} ± {}", number(value), number(tolerance))
            }
            Self::RateAtLeast(low) => format!("rate at least {low}"),
            Self::RateBetween(low, high) => format!("rate from {low} to {high}"),
        }
    }
}

impl Test {
    pub fn name(self) -> &'static str {
        match self {
            Self::SignFlip => "sign-flip",
            Self::SignedRank => "signed-rank",
            Self::RankSum => "rank-sum",
            Self::Student => "Student",
            Self::Binomial => "binomial",
            Self::Exact => "exact",
        }
    }
}

impl Claim {
    pub fn new(name: impl Into<String>, kind: Kind, test: Test, planned: usize) -> Self {
        Self { name: name.into(), kind, test, planned }
    }

    /// A claim on a number that no chance enters.
    pub fn exact(name: impl Into<String>, value: f64, tolerance: f64) -> Self {
        Self::new(name, Kind::EqualTo { value, tolerance }, Test::Exact, 1)
    }

    /// Tests the claim as one of a family of `size`, whose p-values are not corrected yet.
    ///
    /// # Errors
    /// [`ClaimError`] when the sample has a value that is not finite, or is of another kind than the test takes.
    pub(super) fn test(&self, sample: &Sample, size: usize) -> Result<Finding, ClaimError> {
        sample.check(&self.name)?;
        if sample.len() == 0 {
            return Ok(Finding { needed: needed(self.kind, self.test, size), ..Finding::of_nothing(self) });
        }
        let unfit = || ClaimError::Unfit {
            claim: self.name.clone(),
            test: self.test.name(),
            sample: sample.kind_name(),
        };
        let location: Box<dyn Location> = match (self.test, sample) {
            (Test::SignFlip, Sample::Gains(gains)) => Box::new(sign_flip(gains)),
            (Test::SignedRank, Sample::Gains(gains)) => Box::new(SignedRank::new(gains)),
            (Test::RankSum, Sample::Independent { own, other }) => Box::new(RankSum::new(own, other)),
            (Test::Student, Sample::Gains(values) | Sample::Values(values)) => Box::new(Student::new(values)),
            (Test::Binomial, Sample::Count { successes, trials }) => {
                Box::new(Rate { successes: *successes, trials: *trials })
            }
            (Test::Exact, Sample::Values(values)) => return Ok(self.exact_finding(values)),
            _ => return Err(unfit()),
        };
        Ok(self.finding(&*location, sample.len(), size))
    }

    fn finding(&self, location: &dyn Location, n: usize, size: usize) -> Finding {
        let (low, high) = self.kind.region();
        let outside = |p: f64, end: f64| if end.is_finite() { p } else { 0.0 };
        let inside = |p: f64, end: f64| if end.is_finite() { p } else { 1.0 };
        let ends = f64::from(u8::from(low.is_finite())) + f64::from(u8::from(high.is_finite()));
        let p_for = outside(location.above(low), low).max(outside(location.below(high), high));
        let p_against = ends * inside(location.below(low), low).min(inside(location.above(high), high));
        let level = LEVEL / size.max(1) as f64;
        Finding {
            effect: location.estimate(),
            interval: location.interval(LEVEL),
            p_for,
            p_against: p_against.min(1.0),
            detectable: if low.is_finite() {
                location.detectable(low, level)
            } else {
                location.detectable_below(high, level)
            },
            needed: needed(self.kind, self.test, size),
            ..Finding::new(self, n)
        }
    }

    /// Every value must be in the region; the effect is the one that is farthest from its middle.
    fn exact_finding(&self, values: &[f64]) -> Finding {
        let middle = match self.kind {
            Kind::EqualTo { value, .. } => value,
            _ => f64::INFINITY,
        };
        let far = |v: &f64| if middle.is_finite() { (v - middle).abs() } else { -v };
        let effect = values.iter().copied().max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(f64::NAN);
        let holds = values.iter().all(|value| self.kind.contains(*value));
        Finding {
            effect,
            interval: (effect, effect),
            p_for: f64::from(u8::from(!holds)),
            p_against: f64::from(u8::from(holds)),
            detectable: 0.0,
            ..Finding::new(self, values.len())
        }
    }
}
