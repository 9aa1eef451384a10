//! Points that a level-set study classifies.

use std::collections::BTreeSet;

use thrifty_domain::Points;
use thrifty_sampling::{MAX_SOBOL_DIM, Seed, Sobol};
use thrifty_space::{Config, Space};
use thrifty_study::OptimizerError;

/// Largest number of points of a grid.
const MOST: usize = 1_000_000;

/// Points that a level-set study classifies.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassificationSet {
    /// Only these configurations; they are also the only ones that are evaluated.
    Candidates(Vec<Config>),
    /// A grid over the columns of the unit cube, ends included, snapped to the space. Each point occurs once, and the last column is the
    /// fastest. Only these points are evaluated.
    Grid {
        /// Number of points along each column, at least 2.
        per_axis: usize,
    },
    /// The whole space, represented by scrambled Sobol points. Any point of the space may be evaluated.
    Domain {
        /// Number of points.
        points: usize,
    },
}

impl Default for ClassificationSet {
    /// The whole space, represented by 1,024 points.
    fn default() -> Self {
        Self::Domain { points: 1024 }
    }
}

impl ClassificationSet {
    /// True if only classified points may be evaluated.
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
                let dim = space.parameters().len();
                let quantiles = if dim <= MAX_SOBOL_DIM {
                    Sobol::scrambled(dim, &mut rng).take(*count)
                } else {
                    let mut points = Points::zeros(*count, dim);
                    points.as_flat_mut().iter_mut().for_each(|u| *u = rng.uniform());
                    points
                };
                let mut points = Points::new(space.dim());
                quantiles.rows().for_each(|u| points.push(&space.domain().at_quantiles(u)));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(points: &Points) -> Vec<Vec<f64>> {
        points.rows().map(<[f64]>::to_vec).collect()
    }

    fn error(set: &ClassificationSet, space: &Space) -> String {
        let error = set.points(space, Seed(1)).unwrap_err();
        format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string))
    }

    /// The last column runs fastest, from 0 to 1; points that snap to one level are one.
    #[test]
    fn grids_are_evenly_spaced_and_without_twins() {
        let plane = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
        let found = ClassificationSet::Grid { per_axis: 3 }.points(&plane, Seed(1)).unwrap();
        let expected: Vec<Vec<f64>> =
            [0.0, 0.5, 1.0].iter().flat_map(|x| [0.0, 0.5, 1.0].map(|y| vec![*x, y])).collect();
        assert_eq!(rows(&found), expected);
        let corners = ClassificationSet::Grid { per_axis: 2 }.points(&plane, Seed(1)).unwrap();
        assert_eq!(rows(&corners), [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
        let two = Space::builder().int("i", 0, 1).build().unwrap();
        let found = ClassificationSet::Grid { per_axis: 9 }.points(&two, Seed(1)).unwrap();
        assert_eq!(rows(&found), [[0.25], [0.75]]);
        for per_axis in [0, 1] {
            let text = error(&ClassificationSet::Grid { per_axis }, &plane);
            assert!(text.contains(&format!("per_axis is {per_axis}, expected at least 2 points")), "{text}");
        }
        for per_axis in [1001, usize::MAX] {
            let text = error(&ClassificationSet::Grid { per_axis }, &plane);
            assert!(text.contains("a grid of at most a million points"), "{text}");
        }
    }

    #[test]
    fn candidates_are_encoded_and_foreign_ones_are_named() {
        let line = Space::from_bounds(&[(0.0, 2.0)]).unwrap();
        let configs = [[0.25], [0.75]].map(|x| line.decode(&x));
        let set = ClassificationSet::Candidates(configs.to_vec());
        assert_eq!(rows(&set.points(&line, Seed(1)).unwrap()), [[0.25], [0.75]]);
        let foreign = ClassificationSet::Candidates([configs.to_vec(), vec![Config::new()]].concat());
        assert!(error(&foreign, &line).contains("encoding candidate 2"));
        assert!(error(&ClassificationSet::Candidates(vec![]), &line).contains("candidates is 0"));
    }

    /// A domain is covered by a Sobol sequence of the seed: an eighth of the points in every eighth.
    #[test]
    fn domains_are_covered_by_a_sequence() {
        let line = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let of = |seed| ClassificationSet::Domain { points: 16 }.points(&line, Seed(seed)).unwrap();
        let mut eighths = [0; 8];
        of(1).rows().for_each(|x| eighths[(8.0 * x[0]) as usize] += 1);
        assert_eq!(eighths, [2; 8]);
        assert!(of(1) == of(1) && of(1) != of(2));
        assert!(error(&ClassificationSet::Domain { points: 0 }, &line).contains("points is 0"));
        let default = ClassificationSet::default();
        assert!(matches!(default, ClassificationSet::Domain { points: 1024 }) && !default.is_finite());
        assert!(ClassificationSet::Grid { per_axis: 2 }.is_finite());
        assert!(ClassificationSet::Candidates(vec![]).is_finite());
    }
}
