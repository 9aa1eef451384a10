//! Completion of configurations of which a part is given.

use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{Ask, History, Optimizer, OptimizerError, Suggestion, TrialId};

use crate::random_allowed;

/// Checks a configuration that comes from elsewhere: [`Optimizer::check`] of every optimiser of a space.
///
/// # Errors
/// [`OptimizerError`] names the parameter that is not of the space, has a value that it cannot have, or is missing where `is_whole`.
pub fn check_config(space: &Space, config: &Config, is_whole: bool) -> Result<(), OptimizerError> {
    let checked = if is_whole { space.validate(config) } else { space.given(config).map(drop) };
    checked.map_err(|error| OptimizerError::failed("a configuration from elsewhere", error))
}

/// The suggestion for trial `id` that has the given values: [`Optimizer::ask_given`] of every optimiser of a space.
///
/// The optimiser suggests on the part of its space that has these values, with the same encoding, so that its models are what
/// they are. A whole configuration is returned as it is. A configuration of a design or a queue that has other values gives way to
/// the nearest one of the part, in which a parameter that it lacks has the middle of its range. Where the optimiser has nothing new to
/// suggest there, the rest is random and allowed. `parts` are the places of the optimiser's space and of its known constraint.
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
    let whole = parts(optimizer).0.clone();
    let what = || format!("completing trial {}", id.0);
    let failed = |error| OptimizerError::failed(what(), error);
    let keep = |config: Config| whole.with_values(config, given).map_err(failed);
    if whole.validate(given).is_ok() {
        return Ok(Ask::Evaluate(Suggestion::new(keep(Config::new())?)));
    }
    let part = whole.given(given).map_err(failed)?;
    let asked = within(optimizer, |optimizer| parts(optimizer).0, given, |part| part.ask(history, id))?;
    Ok(match asked {
        Ask::Evaluate(suggestion) => {
            let mut query = keep(suggestion.query.clone())?;
            if whole.validate(&query).is_err() {
                query = keep(part.decode(&whole.encode(&suggestion.query).map_err(failed)?))?;
            }
            Ask::Evaluate(Suggestion { query, ..suggestion })
        }
        Ask::Stop(_) => {
            let mut rng = history.seed().stream("given", id.0);
            let allowed = |config: &Config| parts(optimizer).1.allows(config);
            let any = random_allowed(|_| part.sample(&mut rng), allowed, what)?;
            Ask::Evaluate(Suggestion::new(keep(any)?))
        }
        Ask::Wait => Ask::Wait,
    })
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
