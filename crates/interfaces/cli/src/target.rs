//! The target of a multi-fidelity study: which trials can be the best.

use thrifty_fidelity::FidelityAxis;
use thrifty_space::{Config, Space};
use thrifty_study::{History, Trial};

/// The target fidelity. Losses at lower fidelities are biased, so trials there are not compared with others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target(pub(crate) FidelityAxis);

impl Target {
    /// The target of a history without its study file, from what its journal says of the optimiser.
    pub(crate) fn of(history: &History<Config>) -> Option<Self> {
        let name = history.recorded_setting("fidelity")?.as_str()?;
        let space: Space = serde_json::from_value(history.recorded_setting("space")?.clone()).ok()?;
        FidelityAxis::new(&space, name).ok().map(Self)
    }

    /// True for a configuration at the target.
    pub(crate) fn has(&self, config: &Config) -> bool {
        self.0.value(config) >= self.0.target()
    }
}

/// The best feasible trial and its first loss; of a multi-fidelity study the best of those at the target.
pub(crate) fn best<'h>(
    history: &'h History<Config>,
    target: Option<&Target>,
) -> Option<(&'h Trial<Config>, f64)> {
    match target {
        None => history.best(),
        Some(target) => history.top(history.len()).into_iter().find(|(trial, _)| target.has(&trial.query)),
    }
}
