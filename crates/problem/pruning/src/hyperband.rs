//! Hyperband.

use rand::RngExt;
use thrifty_sampling::Seed;
use thrifty_study::{Curve, Pruner, StudyError, TrialId};

use crate::SuccessiveHalvingPruner;
use crate::check::require;

/// Hyperband (Li, Jamieson, De Salvo, Rostamizadeh and Talwalkar, 2018) with asynchronous successive halving in each bracket.
///
/// Bracket s = 0, …, S with S = `⌊log_η(R/r)⌋` begins at rung r η^s: bracket 0 stops most trials early, bracket S the fewest. No trial stops at
/// step R or later: what is paid for is measured. A trial belongs to bracket s with probability proportional to
/// ⌈(S + 1) η^(S−s)/(S − s + 1)⌉, the number of configurations that Hyperband gives it, drawn from the seed of the study and the trial's number. Trials
/// compete within their bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HyperbandPruner {
    /// Step r of the first rung of bracket 0.
    #[serde(default = "HyperbandPruner::default_min_steps")]
    pub min_steps: u64,
    /// Steps R of a trial that is not stopped.
    pub max_steps: u64,
    /// Factor η between rungs.
    #[serde(default = "HyperbandPruner::default_factor")]
    pub factor: u64,
}

impl HyperbandPruner {
    /// Rungs from the first step, by a factor of three, for trials of `max_steps` steps.
    #[must_use]
    pub fn new(max_steps: u64) -> Self {
        Self { min_steps: Self::default_min_steps(), max_steps, factor: Self::default_factor() }
    }

    fn default_min_steps() -> u64 {
        1
    }

    fn default_factor() -> u64 {
        3
    }

    /// Number of the last bracket: S = `⌊log_η(R/r)⌋`.
    #[must_use]
    pub fn last_bracket(&self) -> u32 {
        let most = self.max_steps / self.min_steps.max(1);
        most.max(1).ilog(self.factor.max(2))
    }

    /// The bracket of a trial.
    #[must_use]
    pub fn bracket(&self, seed: Seed, id: TrialId) -> u32 {
        let last = self.last_bracket();
        let weights: Vec<f64> = (0..=last).map(|s| self.configurations(last - s)).collect();
        let drawn: f64 = seed.stream("hyperband bracket", id.0).random();
        let mut left = drawn * weights.iter().sum::<f64>();
        let found = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        found.map_or(last, |at| at as u32)
    }

    /// Configurations of the bracket with a number of halvings.
    fn configurations(&self, halvings: u32) -> f64 {
        let brackets = f64::from(self.last_bracket() + 1);
        (brackets * (self.factor.max(2) as f64).powi(halvings as i32) / f64::from(halvings + 1)).ceil()
    }
}

impl Pruner for HyperbandPruner {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], seed: Seed) -> bool {
        // Where R is a rung, nothing is saved by stopping there.
        if running.last_step().is_some_and(|step| step >= self.max_steps) {
            return false;
        }
        let skipped = self.bracket(seed, running.id);
        let halving = SuccessiveHalvingPruner { min_steps: self.min_steps, factor: self.factor, skipped };
        halving.stops(running, || others.iter().filter(|other| self.bracket(seed, other.id) == skipped))
    }

    fn validate(&self) -> Result<(), StudyError> {
        let Self { min_steps, max_steps, factor } = *self;
        SuccessiveHalvingPruner { min_steps, factor, skipped: 0 }.validate_as("hyperband")?;
        require(max_steps >= min_steps, "hyperband", "max_steps", max_steps as f64, "at least `min_steps`")
    }
}
