//! Reasons for which a sample cannot be tested.

/// A sample that does not fit its claim.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// A value is NaN or infinite.
    #[error("claim \"{claim}\": replication {replication} is {value}, expected a finite number")]
    NonFinite { claim: String, replication: usize, value: f64 },
    /// Two methods that are paired have different numbers of replications.
    #[error("claim \"{claim}\": {own} replications against {other}, expected pairs")]
    Unpaired { claim: String, own: usize, other: usize },
    /// The test does not take such a sample.
    #[error("claim \"{claim}\": the {test} test does not take {sample}")]
    Unfit { claim: String, test: &'static str, sample: &'static str },
    /// More successes than trials.
    #[error("claim \"{claim}\": {successes} successes in {trials} trials")]
    Count { claim: String, successes: usize, trials: usize },
}
