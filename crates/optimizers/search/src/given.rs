//! Completion of configurations of which a part is given.

use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, Optimizer, OptimizerError, Suggestion, TrialId};

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
/// they are. A whole configuration is returned as it is. Where the optimiser has nothing new to suggest there, the rest is
/// random. `space` is the place of the optimiser's space.
///
/// # Errors
/// As [`Optimizer::ask`] and [`check_config`].
pub fn ask_given<O: Optimizer<Query = Config>>(
    optimizer: &mut O,
    space: impl Fn(&mut O) -> &mut Space,
    history: &History<Config>,
    id: TrialId,
    given: &Config,
) -> Result<Ask<Config>, OptimizerError> {
    let whole = space(optimizer).clone();
    let failed = |error| OptimizerError::failed(format!("completing trial {}", id.0), error);
    let keep = |config: Config| whole.with_values(config, given).map_err(failed);
    if whole.validate(given).is_ok() {
        return Ok(Ask::Evaluate(Suggestion::new(keep(Config::new())?)));
    }
    let asked = within(optimizer, &space, given, |optimizer| optimizer.ask(history, id))?;
    Ok(match asked {
        Ask::Evaluate(suggestion) => {
            Ask::Evaluate(Suggestion { query: keep(suggestion.query)?, ..suggestion })
        }
        Ask::Stop(_) => {
            let part = whole.given(given).map_err(failed)?;
            let any = part.sample(&mut history.seed().stream("given", id.0));
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
