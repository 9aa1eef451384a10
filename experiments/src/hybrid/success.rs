//! When a run on a known function has succeeded.

use thrifty_gp::Noise;
use thrifty_testbed::{Problem, TestFunction};

use crate::harness::replicate::Run;

/// No noise: these functions have none. What is left keeps the covariance regular.
pub fn noise() -> Noise {
    Noise::Fixed(1e-8)
}

/// Largest less smallest value, on a fine grid.
pub fn range(problem: &TestFunction) -> f64 {
    let (low, high) = problem.bounds()[0];
    let values = (0..=100_000).map(|i| problem.value(&[low + (high - low) * f64::from(i) / 1e5]));
    values.fold(f64::NEG_INFINITY, f64::max) - problem.optimum()
}

/// The turn, from 1 after the triplet, at which a run first was close; skipped turns count.
pub fn hit(run: &Run, initial: usize, limit: f64) -> Option<usize> {
    let at = run.regret.iter().position(|regret| *regret <= limit)?;
    if at < initial {
        return Some(0);
    }
    let turns = run.history.trials()[at].diagnostics.get("turns");
    Some(turns.map_or(at + 1 - initial, |turns| *turns as usize))
}
