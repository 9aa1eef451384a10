//! Priors of parameters.

use thrifty_space::{Kind, Parameter};

use crate::{Axis, Choices, Dimension, GridEnds, TpeError};

/// Prior of a parameter, where it is not uniform.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ParameterPrior {
    /// A number: normal, cut at the parameter's bounds; on a logarithmic parameter the logarithm is normal.
    Normal {
        /// Its mean.
        mean: f64,
        /// Standard deviation.
        #[serde(rename = "deviation", alias = "std_dev")]
        std_dev: f64,
    },
    /// A choice: the probability of each.
    Probabilities(Vec<f64>),
    /// A choice: how far apart each two are. What is near to a good choice is then likely good.
    Distances(Vec<Vec<f64>>),
}

/// A parameter as estimators see it.
pub(crate) fn dimension(
    parameter: &Parameter,
    prior: Option<&ParameterPrior>,
    ends: GridEnds,
) -> Result<Dimension, TpeError> {
    let axis = match &parameter.kind {
        Kind::Categorical { choices } => {
            let count = choices.len();
            let built = match prior {
                None => Choices::uniform(count)?,
                Some(ParameterPrior::Probabilities(given)) if given.len() != count => {
                    let problem = format!("{} probabilities for {count} choices", given.len());
                    return Err(invalid(parameter, problem));
                }
                Some(ParameterPrior::Probabilities(given)) => Choices::with_probabilities(given.clone())?,
                Some(ParameterPrior::Distances(given)) => {
                    Choices::uniform(count)?.with_distances(given.clone())?
                }
                Some(ParameterPrior::Normal { .. }) => {
                    return Err(invalid(parameter, "a normal prior for choices".into()));
                }
            };
            return Ok(Dimension::Categorical(built));
        }
        Kind::Float { low, high, log } => Axis::float(*low, *high, *log)?,
        Kind::StepFloat { low, high, step } => Axis::grid(*low, *high, *step, false, ends)?,
        Kind::Int { low, high, step, log } => {
            // A single value is a cell of its own.
            let ends = if low == high { GridEnds::Whole } else { ends };
            let [low, high] = [low, high].map(|end| from_origin(*end, &parameter.kind));
            Axis::grid(low, high, *step as f64, *log, ends)?
        }
    };
    let axis = match prior {
        None => axis,
        Some(ParameterPrior::Normal { mean, std_dev }) => {
            let axis = axis.with_prior(*mean - origin(&parameter.kind) as f64, *std_dev)?;
            if axis.mass(axis.prior_mean, axis.prior_sd) * std_dev.min(1.0) < LEAST_MASS {
                let (low, high) = axis.bounds;
                let problem = format!(
                    "a normal prior of mean {mean} and standard deviation {std_dev} has no mass between the bounds {low} and {high}"
                );
                return Err(invalid(parameter, problem));
            }
            axis
        }
        Some(_) => return Err(invalid(parameter, "probabilities or distances for a number".into())),
    };
    Ok(Dimension::Numeric(axis))
}

/// Distance of a whole number from the origin of its axis. Distances that are larger than 2⁵³ are rounded.
pub(crate) fn from_origin(whole: i64, kind: &Kind) -> f64 {
    (i128::from(whole) - i128::from(origin(kind))) as f64
}

/// Origin of the axis of a parameter: 0, or the low end of whole numbers that are not all f64, so that near ones differ.
pub(crate) fn origin(kind: &Kind) -> i64 {
    const EXACT: u64 = 1 << 53;
    match kind {
        Kind::Int { low, high, log: false, .. } if low.unsigned_abs().max(high.unsigned_abs()) > EXACT => {
            *low
        }
        _ => 0,
    }
}

/// Mass between the bounds, and mass by width, below which densities of the prior leave the range of numbers: some 37 standard deviations away.
const LEAST_MASS: f64 = 1e-300;

fn invalid(parameter: &Parameter, problem: String) -> TpeError {
    TpeError::InvalidPrior { name: parameter.name.clone(), problem }
}
