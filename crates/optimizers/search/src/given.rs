//! Completion of partly given configurations.

use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space, SpaceError};
use thrifty_study::{
    Ask, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, EXPECTED_IMPROVEMENT_RANGE, History, Optimizer, OptimizerError,
    Suggestion, TrialId,
};

use crate::random_allowed;

/// Checks an external configuration: the [`Optimizer::check`] of every optimiser of a space.
///
/// # Errors
/// [`OptimizerError`] names the parameter that is not of the space, has an invalid value, or is missing although `is_whole`.
pub fn check_config(space: &Space, config: &Config, is_whole: bool) -> Result<(), OptimizerError> {
    let checked = if is_whole { space.validate(config) } else { space.given(config).map(drop) };
    checked.map_err(|error| OptimizerError::failed("a configuration from elsewhere", error))
}

/// Values that the query of a trial must have, and the part of the space with these values.
#[derive(Debug)]
pub struct Given<'a> {
    whole: Space,
    part: Space,
    values: &'a Config,
    id: TrialId,
}

impl<'a> Given<'a> {
    /// Given values of a space, for trial `id`.
    ///
    /// # Errors
    /// [`OptimizerError`] names the parameter that is not of the space, or has an invalid value.
    pub fn new(space: &Space, values: &'a Config, id: TrialId) -> Result<Self, OptimizerError> {
        let part = space.given(values).map_err(completing(id))?;
        Ok(Self { whole: space.clone(), part, values, id })
    }

    /// The configuration that the values form; `None` if one is missing.
    ///
    /// # Errors
    /// [`OptimizerError`]; not possible if the space accepted the values.
    pub fn whole(&self) -> Result<Option<Config>, OptimizerError> {
        let is_whole = self.whole.validate(self.values).is_ok();
        is_whole.then(|| self.keep(Config::new())).transpose()
    }

    /// A suggestion with the given values in place of its own.
    ///
    /// If this is no configuration, for example because the given values select another branch, the nearest one of the part is returned. A
    /// parameter that the suggestion lacks then has the middle of its range.
    ///
    /// # Errors
    /// [`OptimizerError`] for a suggestion that is not of the space.
    pub fn complete(&self, suggested: &Config) -> Result<Config, OptimizerError> {
        let query = self.keep(suggested.clone())?;
        if self.whole.validate(&query).is_ok() {
            return Ok(query);
        }
        let point = self.whole.encode(suggested).map_err(completing(self.id))?;
        self.keep(self.part.decode(&point))
    }

    /// A random configuration with the given values that the known constraint allows.
    ///
    /// # Errors
    /// As [`random_allowed`].
    pub fn random(&self, known_constraint: &KnownConstraint, seed: Seed) -> Result<Config, OptimizerError> {
        let mut rng = seed.stream("given", self.id.0);
        let allowed = |config: &Config| known_constraint.allows(config);
        self.keep(random_allowed(|_| self.part.sample(&mut rng), allowed, || context(self.id))?)
    }

    fn keep(&self, config: Config) -> Result<Config, OptimizerError> {
        self.whole.with_values(config, self.values).map_err(completing(self.id))
    }
}

fn context(id: TrialId) -> String {
    format!("completing trial {}", id.0)
}

fn completing(id: TrialId) -> impl Fn(SpaceError) -> OptimizerError {
    move |error| OptimizerError::failed(context(id), error)
}

/// The suggestion for trial `id` with the given values: the [`Optimizer::ask_given`] of every optimiser of a space.
///
/// The optimiser suggests on the part of its space with these values. The encoding is the same, so its models do not change. A whole
/// configuration is returned unchanged, others are completed by [`Given::complete`]. Their memo is that of a [moved](Optimizer::moved)
/// suggestion. If the optimiser has no new suggestion there, the remaining values are random and allowed. `parts` returns references to the optimiser's space and known constraint.
///
/// # Errors
/// As [`Optimizer::ask`] and [`check_config`], and if no random configuration is allowed.
pub fn ask_given<O: Optimizer<Query = Config>>(
    optimizer: &mut O,
    parts: impl Fn(&mut O) -> (&mut Space, &KnownConstraint),
    history: &History<Config>,
    id: TrialId,
    given: &Config,
) -> Result<Ask<Config>, OptimizerError> {
    let completion = Given::new(parts(optimizer).0, given, id)?;
    if let Some(whole) = completion.whole()? {
        return Ok(Ask::Evaluate(Suggestion::new(whole)));
    }
    let asked = within(optimizer, |optimizer| parts(optimizer).0, given, |part| part.ask(history, id))?;
    Ok(match asked {
        Ask::Evaluate(suggestion) => {
            let query = completion.complete(&suggestion.query)?;
            let Suggestion { diagnostics, memo, .. } = without_gains(suggestion);
            Ask::Evaluate(Suggestion { query, diagnostics, memo: optimizer.moved(memo) })
        }
        Ask::Stop(_) => {
            let query = completion.random(parts(optimizer).1, history.seed())?;
            Ask::Evaluate(Suggestion::new(query))
        }
        Ask::Wait => Ask::Wait,
    })
}

/// Removes the expected gains from a suggestion: convergence on a part of the space does not end the study.
#[must_use]
pub fn without_gains<Q>(suggestion: Suggestion<Q>) -> Suggestion<Q> {
    let of_whole = [EXPECTED_IMPROVEMENT.name(), EXPECTED_IMPROVEMENT_RANGE.name(), EXPECTED_GAIN.name()];
    let Suggestion { query, mut diagnostics, memo } = suggestion;
    diagnostics.retain(|name, _| !of_whole.contains(&name.as_str()));
    Suggestion { query, diagnostics, memo: memo.without(&of_whole) }
}

/// Calls an optimiser on the part of its space with the given values.
///
/// # Errors
/// As [`check_config`], and those of the call.
pub fn within<O, T>(
    optimizer: &mut O,
    space: impl Fn(&mut O) -> &mut Space,
    given: &Config,
    call: impl FnOnce(&mut O) -> Result<T, OptimizerError>,
) -> Result<T, OptimizerError> {
    let part = space(optimizer).given(given);
    let part = part.map_err(|error| OptimizerError::failed("a configuration from elsewhere", error))?;
    let whole = std::mem::replace(space(optimizer), part);
    let called = call(optimizer);
    *space(optimizer) = whole;
    called
}
