use std::collections::BTreeSet;

use thrifty_domain::Points;
use thrifty_sampling::{MAX_SOBOL_DIM, Seed, Sobol};
use thrifty_space::{Config, Space};
use thrifty_study::OptimizerError;

/// Most points that a grid may have.
const MOST: usize = 1_000_000;

/// Points that are classified.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassificationSet {
    /// These configurations and no others; they are also all that is evaluated.
    Candidates(Vec<Config>),
    /// A grid over the columns of the unit cube, ends included, snapped to what the space has, each point once, the
    /// last column fastest; also all that is evaluated.
    Grid {
        /// Points along each column, at least 2.
        per_axis: usize,
    },
    /// The whole space, measured by so many scrambled Sobol points. Any point of it may be evaluated.
    Domain {
        /// Number of points.
        points: usize,
    },
}

impl Default for ClassificationSet {
    /// The whole space by 1,024 points.
    fn default() -> Self {
        Self::Domain { points: 1024 }
    }
}

impl ClassificationSet {
    /// True if only what is classified may be evaluated.
    pub(crate) fn is_finite(&self) -> bool {
        !matches!(self, Self::Domain { .. })
    }

    /// The points that are classified.
    pub(crate) fn points(&self, space: &Space, seed: Seed) -> Result<Points, OptimizerError> {
        match self {
            Self::Candidates(configs) => {
                let mut points = Points::new(space.dim());
                for (i, config) in configs.iter().enumerate() {
                    let point = space
                        .encode(config)
                        .map_err(|error| OptimizerError::failed(format!("encoding candidate {i}"), error))?;
                    points.push(&point);
                }
                if points.is_empty() {
                    return Err(invalid("candidates", 0, "at least one configuration"));
                }
                Ok(points)
            }
            Self::Grid { per_axis } => grid(space, *per_axis),
            Self::Domain { points: 0 } => Err(invalid("points", 0, "at least one")),
            Self::Domain { points: count } => {
                let mut rng = seed.stream("level set points", 0);
                let mut points = if space.dim() <= MAX_SOBOL_DIM {
                    Sobol::scrambled(space.dim(), &mut rng).take(*count)
                } else {
                    let mut points = Points::zeros(*count, space.dim());
                    points.as_flat_mut().iter_mut().for_each(|u| *u = rng.uniform());
                    points
                };
                (0..points.len()).for_each(|i| space.domain().snap(points.row_mut(i)));
                Ok(points)
            }
        }
    }
}

fn invalid(name: &str, value: usize, expected: &str) -> OptimizerError {
    OptimizerError::InvalidSetting { name: name.into(), value: value.to_string(), expected: expected.into() }
}

fn grid(space: &Space, per_axis: usize) -> Result<Points, OptimizerError> {
    let dim = space.dim();
    if per_axis < 2 {
        return Err(invalid("per_axis", per_axis, "at least 2 points along each column"));
    }
    let total = u32::try_from(dim).ok().and_then(|dim| per_axis.checked_pow(dim));
    let Some(total) = total.filter(|total| *total <= MOST) else {
        return Err(invalid("per_axis", per_axis, "a grid of at most a million points"));
    };
    let (mut points, mut known, mut x) = (Points::new(dim), BTreeSet::new(), vec![0.0; dim]);
    for index in 0..total {
        let mut rest = index;
        for slot in x.iter_mut().rev() {
            *slot = (rest % per_axis) as f64 / (per_axis - 1) as f64;
            rest /= per_axis;
        }
        let mut snapped = x.clone();
        space.domain().snap(&mut snapped);
        if known.insert(snapped.iter().map(|u| u.to_bits()).collect::<Vec<u64>>()) {
            points.push(&snapped);
        }
    }
    Ok(points)
}
