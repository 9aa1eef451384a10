//! Criteria under the names that tables give them.

use thrifty_levelset::{Criterion, Integration};

/// A criterion under the name that tables give it.
pub type Method = (&'static str, Criterion);

pub const RANDOM: &str = "random";
pub const STRADDLE: &str = "straddle";
pub const SUR: &str = "SUR";
/// Known to come back to where it was.
pub const ENTROPY: &str = "pointwise entropy";

/// Every criterion. Points of equal variance of the indicator have equal entropy: one of the two stands for both.
pub const ALL: [Method; 15] = [
    (RANDOM, Criterion::Random),
    ("maximum deviation", Criterion::MaxStdDev),
    (STRADDLE, Criterion::Straddle { kappa: 1.96 }),
    ("randomised straddle", Criterion::RandomizedStraddle),
    ("LSE", Criterion::Ambiguity),
    ("EGRA", Criterion::ExpectedFeasibility { alpha: 2.0 }),
    ("Ranjan", Criterion::Ranjan { alpha: 2.0 }),
    ("tMSE", Criterion::TargetedError { bandwidth: 0.0 }),
    (ENTROPY, Criterion::BernoulliEntropy),
    (SUR, Criterion::IntegratedBernoulli),
    ("misclassified volume", Criterion::MisclassifiedVolume),
    ("tIMSE", Criterion::TargetedVariance { bandwidth: 0.0 }),
    ("TruVaR", Criterion::TruncatedVariance { shrink: 0.1, slack: 0.0 }),
    ("RMILE", Criterion::SuperlevelVolume { kappa: 1.96, gamma: 1e-8 }),
    ("boundary information", Criterion::BoundaryInformation),
];

/// Those that are compared where every step fits a model anew.
pub const FEW: [&str; 7] =
    [RANDOM, STRADDLE, "randomised straddle", "LSE", ENTROPY, SUR, "boundary information"];
/// Those that figures show.
pub const SHOWN: [&str; 7] =
    [RANDOM, "maximum deviation", STRADDLE, "LSE", ENTROPY, SUR, "boundary information"];

/// Integration points of a criterion: criteria without a fast sum over a field look at fewer points of it.
pub fn integration(criterion: Criterion) -> Integration {
    let points = match criterion {
        Criterion::BoundaryInformation => 150,
        Criterion::MisclassifiedVolume | Criterion::SuperlevelVolume { .. } => 300,
        _ => 1000,
    };
    Integration { points, ..Integration::default() }
}
