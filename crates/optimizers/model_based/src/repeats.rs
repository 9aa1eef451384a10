//! Repeated evaluations of an exhausted space.

use thrifty_search::{Asked, measurement};
use thrifty_space::{Config, Space};
use thrifty_study::{History, OptimizerError, Trial};

/// Treatment of a space in which every configuration was evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// The study ends.
    Never,
    /// The configuration that the acquisition function prefers is evaluated again; useful for noisy evaluations. Failed and pruned
    /// configurations are not repeated.
    OnceExhausted,
}

impl Repeats {
    /// The points that a study has asked. Without a setting, a space is repeated if a measurement reported a variance of its noise.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial whose query is not of the space.
    pub fn asked(
        setting: Option<Self>,
        space: &Space,
        history: &History<Config>,
    ) -> Result<Asked, OptimizerError> {
        let has_noise = |trial: &Trial<Config>| {
            measurement(trial).is_some_and(|measured| measured.noise_variance.is_some_and(|v| v > 0.0))
        };
        let repeats = match setting {
            Some(repeats) => repeats == Self::OnceExhausted,
            None => history.trials().iter().any(has_noise),
        };
        let asked = Asked::of(space, history.trials())?;
        if repeats { asked.or_again(space, history.trials()) } else { Ok(asked) }
    }
}
