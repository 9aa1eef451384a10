//! Completion of configurations of which a part is given.

use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space, SpaceError};
use thrifty_study::{
    Ask, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, EXPECTED_IMPROVEMENT_RANGE, History, Optimizer, OptimizerError,
    Suggestion, TrialId,
};

use crate::random_allowed;

/// Checks a configuration that comes from elsewhere: [`Optimizer::check`] of every optimiser of a space.
///
/// # Errors
/// [`OptimizerError`] names the parameter that is not of the space, has a value that it cannot have, or is missing where `is_whole`.
pub fn check_config(space: &Space, config: &Config, is_whole: bool) -> Result<(), OptimizerError> {
    let checked = if is_whole { space.validate(config) } else { space.given(config).map(drop) };
    checked.map_err(|error| OptimizerError::failed("a configuration from elsewhere", error))
}

/// Values that the query of a trial must have, and the part of the space that has them.
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
    /// [`OptimizerError`] names the parameter that is not of the space, or has a value that it cannot have.
    pub fn new(space: &Space, values: &'a Config, id: TrialId) -> Result<Self, OptimizerError> {
        let part = space.given(values).map_err(completing(id))?;
        Ok(Self { whole: space.clone(), part, values, id })
    }

    /// The configuration that the values are, where none is missing.
    ///
    /// # Errors
    /// [`OptimizerError`], which a space that accepts the values does not give.
    pub fn whole(&self) -> Result<Option<Config>, OptimizerError> {
        let is_whole = self.whole.validate(self.values).is_ok();
        is_whole.then(|| self.keep(Config::new())).transpose()
    }

    /// A suggestion with the given values in place of its own. Where that is no configuration, as when a design has another branch,
    /// the nearest one of the part, in which a parameter that the suggestion lacks has the middle of its range.
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

/// The suggestion for trial `id` that has the given values: [`Optimizer::ask_given`] of every optimiser of a space.
///
/// The optimiser suggests on the part of its space that has these values, with the same encoding, so that its models are what
/// they are. A whole configuration is returned as it is, and others as [`Given::complete`] has them. Where the optimiser has nothing
/// new to suggest there, the rest is random and allowed. `parts` are the places of the optimiser's space and of its known constraint.
///
/// # Errors
/// As [`Optimizer::ask`] and [`check_config`], and where nothing random is allowed.
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
            Ask::Evaluate(Suggestion { query, ..without_gains(suggestion) })
        }
        Ask::Stop(_) => {
            let query = completion.random(parts(optimizer).1, history.seed())?;
            Ask::Evaluate(Suggestion::new(query))
        }
        Ask::Wait => Ask::Wait,
    })
}

/// A suggestion without what is expected to be gained by it: on a part of the space that is no reason to end the study.
#[must_use]
pub fn without_gains<Q>(suggestion: Suggestion<Q>) -> Suggestion<Q> {
    let of_whole = [EXPECTED_IMPROVEMENT.name(), EXPECTED_IMPROVEMENT_RANGE.name(), EXPECTED_GAIN.name()];
    let Suggestion { query, mut diagnostics, memo } = suggestion;
    diagnostics.retain(|name, _| !of_whole.contains(&name.as_str()));
    Suggestion { query, diagnostics, memo: memo.without(&of_whole) }
}

/// Calls an optimiser on the part of its space that has the given values.
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
