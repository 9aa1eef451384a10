//! Coordinates of the search distribution and their relation to the unit cube.

use thrifty_domain::{Domain, FILLER, Spacing, VariableKind};
use thrifty_sampling::Stream;

/// Kind of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A column of a continuous variable, periodically reflected into `[0, 1]`.
    Continuous,
    /// Ordered levels; two categories count as ordered.
    Levels {
        /// Number of levels.
        count: u64,
        /// Spacing of the levels.
        spacing: Spacing,
    },
    /// Score of one of several categories, reflected into `[0, 1]`; the largest score wins.
    Score,
}

/// One coordinate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coordinate {
    variable: usize,
    column: usize,
    pub(crate) kind: Kind,
    /// True if a configuration does not determine the coordinate.
    is_hidden: bool,
}

/// Coordinates of a domain: one per continuous or ordered variable, one per category where there are more than two, none for a
/// variable with one level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coordinates {
    pub(crate) all: Vec<Coordinate>,
    /// Variables with more than two categories, and the number of categories.
    choices: Vec<(usize, u64)>,
}

impl Coordinates {
    pub(crate) fn new(domain: &Domain) -> Self {
        let (mut all, mut choices) = (Vec::new(), Vec::new());
        for (variable, of) in domain.variables().iter().enumerate() {
            let start = domain.columns(variable).start;
            let is_conditional = !of.conditions.is_empty();
            let mut add = |column, kind| {
                let is_hidden = is_conditional || kind != Kind::Continuous;
                all.push(Coordinate { variable, column, kind, is_hidden });
            };
            match of.kind {
                VariableKind::Continuous => add(start, Kind::Continuous),
                _ if of.levels() == Some(1) => {}
                VariableKind::Stepped { count, spacing } => add(start, Kind::Levels { count, spacing }),
                VariableKind::OneHot { count: count @ 2 } | VariableKind::Level { count } => {
                    add(start, Kind::Levels { count: count as u64, spacing: Spacing::Linear });
                }
                VariableKind::OneHot { count } => {
                    (start..start + count).for_each(|column| add(column, Kind::Score));
                    choices.push((variable, count as u64));
                }
            }
        }
        Self { all, choices }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The point of the unit cube at coordinates, which are reflected where they have bounds. A category is replaced by any of its variable with probability
    /// `margin`.
    pub(crate) fn cube_point(
        &self,
        domain: &Domain,
        latent: &[f64],
        margin: f64,
        rng: &mut Stream,
    ) -> Vec<f64> {
        let mut x = vec![FILLER; domain.dim()];
        for (value, coordinate) in latent.iter().zip(&self.all) {
            match coordinate.kind {
                Kind::Levels { count, spacing } => {
                    domain.write_level(coordinate.variable, spacing.level(*value, count), &mut x);
                }
                _ => x[coordinate.column] = reflected(*value),
            }
        }
        for &(variable, count) in &self.choices {
            // Both numbers are drawn always, so that other coordinates do not depend on the outcome.
            let (chance, level) = (rng.uniform(), rng.index(count as usize));
            if chance < margin {
                domain.write_level(variable, level as u64, &mut x);
            }
        }
        domain.snap(&mut x);
        x
    }

    /// Coordinates that a configuration does not determine: all of them where one lies beyond a bound, else the hidden ones.
    pub(crate) fn record(&self, latent: &[f64]) -> Vec<f64> {
        let is_beyond =
            |(value, coordinate): (&f64, &Coordinate)| !coordinate.is_hidden && !(0.0..=1.0).contains(value);
        if latent.iter().zip(&self.all).any(is_beyond) {
            return latent.to_vec();
        }
        latent.iter().zip(&self.all).filter(|(_, c)| c.is_hidden).map(|(value, _)| *value).collect()
    }

    /// The coordinates of an encoded configuration: those of its record, or in the middle of the level where nothing was recorded.
    pub(crate) fn latent(&self, domain: &Domain, x: &[f64], record: Option<&[f64]>) -> Vec<f64> {
        let hidden = self.all.iter().filter(|c| c.is_hidden).count();
        let record = record.filter(|values| values.iter().all(|value| value.is_finite()));
        if let Some(all) = record.filter(|values| values.len() == self.len()) {
            return all.to_vec();
        }
        let mut recorded = record.filter(|values| values.len() == hidden).into_iter().flatten();
        let mut of = |coordinate: &Coordinate| {
            if coordinate.is_hidden
                && let Some(value) = recorded.next()
            {
                return *value;
            }
            match coordinate.kind {
                Kind::Levels { count, spacing } if domain.is_active(coordinate.variable, x) => {
                    spacing.position(domain.level(coordinate.variable, x).unwrap_or(0), count)
                }
                Kind::Levels { .. } => FILLER,
                _ => x.get(coordinate.column).copied().unwrap_or(FILLER),
            }
        };
        self.all.iter().map(&mut of).collect()
    }
}

/// Boundary between level `k - 1` and level `k`, for `k` from 1.
pub(crate) fn threshold(spacing: Spacing, k: u64, count: u64) -> f64 {
    match spacing {
        Spacing::Linear => k as f64 / count as f64,
        Spacing::Log { first } => {
            let low = first - 0.5;
            ((first + k as f64 - 0.5) / low).ln() / ((first + count as f64 - 0.5) / low).ln()
        }
    }
}

/// A number reflected at 0 and 1 as often as needed.
fn reflected(value: f64) -> f64 {
    let around = value.rem_euclid(2.0);
    if around > 1.0 { 2.0 - around } else { around }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Variable;
    use thrifty_sampling::Seed;

    use super::*;

    fn domain() -> Domain {
        let one = Variable::stepped(1);
        Domain::new(vec![
            Variable::continuous(),
            Variable::stepped(4),
            Variable::one_hot(2),
            Variable::one_hot(3),
            one,
            Variable::continuous().when(2, vec![1]),
        ])
        .unwrap()
    }

    #[test]
    fn reflection_is_a_fold() {
        let cases =
            [(0.25, 0.25), (-0.25, 0.25), (1.25, 0.75), (2.25, 0.25), (-1.25, 0.75), (1.0, 1.0), (0.0, 0.0)];
        cases.into_iter().for_each(|(from, to)| assert_eq!(reflected(from), to, "{from}"));
    }

    #[test]
    fn points_come_back_with_what_was_recorded() {
        let (domain, mut rng) = (domain(), Seed(1).stream("test", 0));
        let coordinates = Coordinates::new(&domain);
        assert_eq!(coordinates.len(), 7);
        let latent = [0.3, 1.4, 0.1, 0.2, 0.9, 0.4, 0.75];
        let x = coordinates.cube_point(&domain, &latent, 0.0, &mut rng);
        assert!(domain.is_feasible(&x));
        assert_eq!((x[0], x[1], domain.level(2, &x), domain.level(3, &x)), (0.3, 0.875, Some(0), Some(1)));
        let hidden = coordinates.record(&latent);
        assert_eq!(hidden, latent[1..]);
        let beyond = [-0.3, 1.4, 0.1, 0.2, 0.9, 0.4, 0.75];
        assert_eq!(coordinates.record(&beyond), beyond);
        assert_eq!(coordinates.latent(&domain, &x, Some(&beyond)), beyond);
        assert_eq!(coordinates.latent(&domain, &x, Some(&hidden)), latent);
        // Without a record: middles of levels, and the filler where nothing is active.
        assert_eq!(coordinates.latent(&domain, &x, None), [0.3, 0.875, 0.25, 0.0, 1.0, 0.0, 0.5]);
        assert_eq!(coordinates.latent(&domain, &x, Some(&[1.0])), coordinates.latent(&domain, &x, None));
    }

    /// Records of coordinates beyond a bound, which the configuration does not determine: all are recorded, and come back. On the bounds
    /// the hidden ones alone are.
    #[test]
    fn coordinates_beyond_either_bound_are_recorded() {
        let domain = domain();
        let coordinates = Coordinates::new(&domain);
        for (first, count) in [(-0.2, 7), (0.0, 6), (1.0, 6), (1.2, 7)] {
            let latent = [first, 0.1, 0.1, 0.2, 0.9, 0.4, 0.75];
            let x = coordinates.cube_point(&domain, &latent, 0.0, &mut Seed(1).stream("test", 0));
            let record = coordinates.record(&latent);
            assert_eq!(record.len(), count, "{first}");
            assert_eq!(coordinates.latent(&domain, &x, Some(&record)), latent, "{first}");
            // A record that is no record counts as none.
            let bad: Vec<f64> = record.iter().map(|_| f64::NAN).collect();
            assert_eq!(
                coordinates.latent(&domain, &x, Some(&bad)),
                coordinates.latent(&domain, &x, None),
                "{first}"
            );
        }
    }

    /// Margin of a variable with three categories: with probability 0.3 the category is drawn evenly, so that one point in ten has each of
    /// the two whose scores are smaller. Other coordinates do not depend on it.
    #[test]
    fn categories_are_drawn_evenly_within_their_margin() {
        let domain = domain();
        let coordinates = Coordinates::new(&domain);
        let latent = [0.3, 0.4, 0.1, 0.2, 0.9, 0.4, 0.75];
        let (mut counts, points) = ([0_u32; 3], 10_000);
        for point in 0..points {
            let draw = |margin: f64| {
                coordinates.cube_point(&domain, &latent, margin, &mut Seed(1).stream("test", point))
            };
            let x = draw(0.3);
            counts[domain.level(3, &x).unwrap() as usize] += 1;
            assert_eq!((x[0], x[1], domain.level(2, &x)), (0.3, 0.375, Some(0)), "other coordinates");
            assert_eq!(domain.level(3, &draw(0.0)), Some(1), "the largest score without a margin");
        }
        for (count, share) in counts.into_iter().zip([0.1, 0.8, 0.1]) {
            // Four standard errors.
            let error = 4.0 * (share * (1.0 - share) / points as f64).sqrt();
            let found = f64::from(count) / points as f64;
            assert!((found - share).abs() < error, "{found} of the points, expected {share}");
        }
    }

    #[test]
    fn thresholds_part_levels() {
        for spacing in [Spacing::Linear, Spacing::Log { first: 1.0 }, Spacing::Log { first: 20.0 }] {
            for k in 1..6 {
                let at = threshold(spacing, k, 6);
                assert_eq!(
                    (spacing.level(at - 1e-9, 6), spacing.level(at + 1e-9, 6)),
                    (k - 1, k),
                    "{spacing:?}"
                );
            }
        }
    }
}
