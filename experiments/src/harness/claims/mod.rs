//! Claims declared before an experiment runs, and the verdicts that its replications give.
//!
//! A [`Claim`] names its [`Kind`] (superior, not inferior by more than a margin, equal to a number within a tolerance, a
//! rate), its [`Test`] and the number of replications. It stands for a region of one quantity: a mean gain, a rate, a
//! number. Two one-sided p-values decide:
//!
//! * **holds**: the hypothesis that the quantity is outside the region is rejected;
//! * **does not hold**: the hypothesis that it is inside is rejected;
//! * **inconclusive**: neither, or fewer replications than were declared.
//!
//! Each rejection is at [`LEVEL`], 2.5 %, so that the two together err in at most 5 % of experiments and agree with a 95 %
//! interval. Claims of a [`Family`] are corrected for their number after Holm. No verdict exists without a family: a
//! [`Judgement`] cannot be made in any other way. Where several families must all hold, *does not hold* is corrected for their
//! number too ([`Judgement::all`]); *holds* needs no correction, because it asks for every family.

mod claim;
mod error;
mod family;
mod finding;
mod needed;
mod rank_sum;
mod rate;
mod resampled;
mod sample;
mod sign_flip;
mod signed_rank;
mod student;
mod verdict;

pub use claim::{Claim, Kind, Test};
pub use error::ClaimError;
pub use family::{Family, Judgement, Rule};
pub use finding::Finding;
pub use sample::Sample;
pub use verdict::Verdict;

/// Level of each one-sided test.
pub const LEVEL: f64 = 0.025;

/// Chance of showing an effect of the size that is given as detectable.
pub const POWER: f64 = 0.8;

/// An estimated quantity with one-sided tests at every boundary.
trait Location {
    /// Estimate of the quantity.
    fn estimate(&self) -> f64;
    /// p-value of the hypothesis that the quantity is at most `bound`.
    fn above(&self, bound: f64) -> f64;
    /// p-value of the hypothesis that the quantity is at least `bound`.
    fn below(&self, bound: f64) -> f64;
    /// Interval outside of which every bound is rejected at `level` by one of the tests.
    fn interval(&self, level: f64) -> (f64, f64);
    /// Distance from `bound` at which [`above`](Self::above) rejects with probability [`POWER`]; infinite where no
    /// outcome would.
    fn detectable(&self, bound: f64, level: f64) -> f64;
    /// The same for [`below`](Self::below), where the tests are not symmetric.
    fn detectable_below(&self, bound: f64, level: f64) -> f64 {
        self.detectable(bound, level)
    }
}

/// `(z_{1-level} + z_{POWER}) · standard_error`, the usual approximation for a mean.
fn normal_detectable(standard_error: f64, level: f64) -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    let normal = Normal::standard();
    (normal.inverse_cdf(1.0 - level) + normal.inverse_cdf(POWER)) * standard_error
}

#[cfg(test)]
mod properties;
