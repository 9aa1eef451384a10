//! Candidates in the trust region.

use thrifty_domain::{Domain, Points, VariableKind};
use thrifty_sampling::{MAX_SOBOL_DIM, Sobol, Stream};

/// A box around a point of the unit cube.
pub(crate) struct TrustBox<'a> {
    pub(crate) domain: &'a Domain,
    /// The centre: a feasible point.
    pub(crate) center: &'a [f64],
    /// Its sides, one per column.
    pub(crate) sides: &'a [f64],
}

impl TrustBox<'_> {
    /// Random points around the centre. Each variable is redrawn with probability `min(1, perturbed / d)`, and at least one is.
    ///
    /// Continuous and ordered variables take their value from a scrambled Sobol point in the box. If the box holds only one level of an
    /// ordered variable, this level and its neighbours are equally likely. Categories are drawn uniformly. A redrawn discrete variable may
    /// therefore keep its value, which is the best one so far. Source: Eriksson et al. (2019), section 2 and appendix D.
    pub(crate) fn candidates(&self, count: usize, perturbed: f64, rng: &mut Stream) -> Points {
        let dim = self.domain.dim();
        let cube = if dim <= MAX_SOBOL_DIM {
            Sobol::scrambled(dim, rng).take(count)
        } else {
            Points::from_flat((0..count * dim).map(|_| rng.uniform()).collect(), dim)
        };
        let open: Vec<usize> = (0..self.domain.variables().len()).filter(|v| self.is_open(*v)).collect();
        let probability = (perturbed / open.len() as f64).min(1.0);
        let mut points = Points::new(dim);
        for u in cube.rows() {
            let mut x = self.center.to_vec();
            let mut changed = 0;
            for &variable in &open {
                if rng.uniform() < probability {
                    self.perturb(variable, u, &mut x, rng);
                    changed += 1;
                }
            }
            if changed == 0 && !open.is_empty() {
                self.perturb(open[rng.index(open.len())], u, &mut x, rng);
            }
            self.domain.snap(&mut x);
            points.push(&x);
        }
        points
    }

    /// True if a variable can take more than one value.
    fn is_open(&self, variable: usize) -> bool {
        !self.domain.is_pinned(variable) && self.domain.variables()[variable].levels() != Some(1)
    }

    fn perturb(&self, variable: usize, u: &[f64], x: &mut [f64], rng: &mut Stream) {
        let column = self.domain.columns(variable).start;
        // A variable that is inactive at the centre has no value there.
        let is_active = self.domain.is_active(variable, self.center);
        let place = if is_active { self.place(column, u[column]) } else { u[column] };
        match self.domain.variables()[variable].kind {
            VariableKind::Continuous => x[column] = place,
            VariableKind::Stepped { count, spacing } => {
                let level_at = |u: f64| spacing.level(self.place(column, u), count);
                let level = if is_active && level_at(0.0) == level_at(1.0) {
                    let level = level_at(0.0);
                    let (low, high) = (level.saturating_sub(1), (level + 1).min(count - 1));
                    (low + (u[column] * (high - low + 1) as f64) as u64).min(high)
                } else {
                    spacing.level(place, count)
                };
                self.domain.write_level(variable, level, x);
            }
            VariableKind::OneHot { count } | VariableKind::Level { count } => {
                self.domain.write_level(variable, rng.index(count) as u64, x);
            }
        }
    }

    /// Maps a number in `[0, 1)` to the part of the box that is in the cube.
    fn place(&self, column: usize, u: f64) -> f64 {
        let (center, half) = (self.center[column], 0.5 * self.sides[column]);
        let (low, high) = ((center - half).max(0.0), (center + half).min(1.0));
        low + u * (high - low)
    }
}

/// Sides of the box per column: proportional to the lengthscales, with the same product as a cube with this side.
pub(crate) fn sides(side: f64, lengthscales: &[f64]) -> Vec<f64> {
    let mean = lengthscales.iter().map(|scale| scale.ln()).sum::<f64>() / lengthscales.len().max(1) as f64;
    lengthscales.iter().map(|scale| side * (scale.ln() - mean).exp()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thrifty_domain::Variable;
    use thrifty_sampling::Seed;

    use super::*;

    #[test]
    fn sides_have_the_volume_of_a_cube() {
        let sides = sides(0.5, &[0.1, 1.0, 10.0]);
        let expected = [0.05, 0.5, 5.0];
        assert!(sides.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{sides:?}");
        assert_eq!(super::sides(0.5, &[]), Vec::<f64>::new());
    }

    /// Lengthscales 2 and 8 with the geometric mean 4: sides of half the cube's and of twice it, in any unit of the lengthscales.
    #[test]
    fn sides_do_not_depend_on_the_unit_of_the_lengthscales() {
        for unit in [1e-3, 1.0, 1e3] {
            let sides = sides(0.5, &[2.0 * unit, 8.0 * unit]);
            let error = (sides[0] - 0.25).abs().max((sides[1] - 1.0).abs());
            assert!(error < 1e-12, "{sides:?} for the unit {unit}");
        }
    }

    proptest! {
        /// Candidates are feasible, in the box, and differ from the centre in about 20 columns.
        #[test]
        fn candidates_are_in_the_box(seed in 0..1000_u64, dim in 1..60_usize, side in 0.01..1.6_f64, at in 0.0..1.0_f64) {
            let domain = Domain::unit_cube(dim);
            let (center, sides) = (vec![at; dim], vec![side; dim]);
            let region = TrustBox { domain: &domain, center: &center, sides: &sides };
            let points = region.candidates(200, 20.0, &mut Seed(seed).stream("test", 0));
            let mut changed = 0;
            for x in points.rows() {
                prop_assert!(domain.is_feasible(x) && x != &center[..]);
                prop_assert!(x.iter().all(|x| (x - at).abs() <= side / 2.0 + 1e-12));
                changed += x.iter().filter(|x| **x != at).count();
            }
            let mean = changed as f64 / 200.0;
            // The standard error is below √20 / √200.
            prop_assert!((mean - dim.min(20) as f64).abs() < 2.0, "{mean} of {dim}");
        }
    }

    /// One column is perturbed however few are to be, and each of them in some candidate.
    #[test]
    fn every_candidate_moves_in_some_column() {
        let domain = Domain::unit_cube(6);
        let region = TrustBox { domain: &domain, center: &[0.5; 6], sides: &[0.4; 6] };
        let points = region.candidates(100, 1e-12, &mut Seed(3).stream("test", 0));
        let mut moved = [0; 6];
        for x in points.rows() {
            let columns: Vec<usize> = (0..6).filter(|j| x[*j] != 0.5).collect();
            assert_eq!(columns.len(), 1, "{x:?}");
            moved[columns[0]] += 1;
        }
        assert!(moved.iter().all(|count| *count > 0), "{moved:?}");
    }

    /// Every candidate is the centre where no variable has a choice.
    #[test]
    fn without_a_choice_candidates_stay_at_the_centre() {
        let domain = Domain::new(vec![Variable::stepped(1), Variable::stepped(1)]).unwrap();
        let mut center = vec![0.5; domain.dim()];
        domain.snap(&mut center);
        let sides = vec![0.4; domain.dim()];
        let region = TrustBox { domain: &domain, center: &center, sides: &sides };
        let points = region.candidates(5, 20.0, &mut Seed(3).stream("test", 0));
        assert_eq!(points.len(), 5);
        assert!(points.rows().all(|x| x == center));
    }

    /// In a box with a single level, that and its neighbours take equal parts of `[0, 1)`.
    #[test]
    fn a_level_and_its_neighbors_are_equally_likely() {
        let domain = Domain::new(vec![Variable::stepped(4)]).unwrap();
        let to = |level: u64, u: f64| {
            let mut center = vec![0.5; domain.dim()];
            domain.write_level(0, level, &mut center);
            let region = TrustBox { domain: &domain, center: &center, sides: &[1e-3] };
            let mut x = center.clone();
            region.perturb(0, &[u], &mut x, &mut Seed(0).stream("test", 0));
            domain.level(0, &x).unwrap()
        };
        for (u, expected) in
            [(0.0, [0, 0, 1, 2]), (0.4, [0, 1, 2, 2]), (0.6, [1, 1, 2, 3]), (0.999, [1, 2, 3, 3])]
        {
            assert_eq!([0, 1, 2, 3].map(|level| to(level, u)), expected, "{u}");
        }
    }

    /// A box with several levels leaves none of them out, that of its centre neither.
    #[test]
    fn every_level_of_the_box_is_a_candidate() {
        let domain = Domain::new(vec![Variable::continuous(), Variable::stepped(6)]).unwrap();
        let mut center = vec![0.5; 2];
        domain.write_level(1, 2, &mut center);
        let region = TrustBox { domain: &domain, center: &center, sides: &[0.5, 0.5] };
        let points = region.candidates(300, 20.0, &mut Seed(2).stream("test", 0));
        let mut found = [0; 6];
        points.rows().for_each(|x| found[domain.level(1, x).unwrap() as usize] += 1);
        assert!(found[1..4].iter().all(|count| (80..120).contains(count)), "{found:?}");
    }

    /// Levels change even if the box is narrower than a step, and inactive variables are filled.
    #[test]
    fn discrete_variables_move() {
        let conditional = Variable::continuous().when(1, vec![1]);
        let domain =
            Domain::new(vec![Variable::stepped(5), Variable::one_hot(2), conditional, Variable::stepped(1)])
                .unwrap();
        for level in 0..5 {
            let mut center = vec![0.5; domain.dim()];
            domain.write_level(0, level, &mut center);
            domain.write_level(1, 0, &mut center);
            domain.snap(&mut center);
            let sides = vec![1e-3; domain.dim()];
            let region = TrustBox { domain: &domain, center: &center, sides: &sides };
            let points = region.candidates(100, 20.0, &mut Seed(2).stream("test", 0));
            let levels: Vec<u64> = points.rows().filter_map(|x| domain.level(0, x)).collect();
            assert!(levels.iter().all(|found| found.abs_diff(level) <= 1), "{levels:?}");
            let stay = levels.iter().filter(|found| **found == level).count();
            assert!((20..60).contains(&stay), "{levels:?}");
            assert!(points.rows().all(|x| domain.is_feasible(x)));
            let active: Vec<f64> = points.rows().filter(|x| x[4] == 1.0).map(|x| x[3]).collect();
            assert!(active.len() > 20 && active.iter().any(|x| *x < 0.2) && active.iter().any(|x| *x > 0.8));
        }
    }
}
