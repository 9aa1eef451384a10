//! Maximizer of acquisition functions on mixed domains.

use rand_distr::{Distribution, StandardNormal};
use thrifty_acquisition::{Acquisition, AcquisitionFactory};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_optim::{LocalSearch, Objective};
use thrifty_sampling::{MAX_SOBOL_DIM, Sobol, Stream};
use thrifty_study::{OptimizerError, TrialId};

use crate::Candidate;

/// Finds the best point of an acquisition on a mixed domain.
///
/// Candidates are Sobol points over the whole domain and normal steps around the best observed points. Local search starts from the best
/// few candidates.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Maximizer {
    /// Number of points over the whole domain.
    pub raw: usize,
    /// Number of points around each of the five best observed points.
    pub around_best: usize,
    /// Number of local searches, from the best candidates.
    pub climbs: usize,
}

impl Default for Maximizer {
    /// 512 points, 20 around each of the best observed, 6 local searches.
    fn default() -> Self {
        Self { raw: 512, around_best: 20, climbs: 6 }
    }
}

/// Refuses an acquisition function that is NaN somewhere.
///
/// # Errors
/// [`OptimizerError`] names the acquisition function and the point.
pub fn reject_nan(
    acquisition: &dyn AcquisitionFactory,
    candidates: &[Candidate],
    id: TrialId,
) -> Result<(), OptimizerError> {
    let Some(found) = candidates.iter().find(|candidate| candidate.value.is_nan()) else { return Ok(()) };
    let name = acquisition.describe().map_or_else(|_| "acquisition".to_owned(), |described| described.name);
    let error = format!("{name} is NaN at {:?}, expected a number", found.x);
    Err(OptimizerError::failed(format!("maximising the acquisition for trial {}", id.0), error))
}

struct Climbing<'a>(&'a dyn Acquisition);

impl Objective for Climbing<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.0.values_into(x, out);
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        let mut value = [0.0];
        self.0.values_with_gradients_into(PointsRef::single(x), &mut value, gradient).then_some(value[0])
    }
}

impl Maximizer {
    /// The distinct points found, best first: results of the local searches, and the raw candidates. `anchors` are the observed points to
    /// sample around, best first.
    #[must_use]
    pub fn candidates(
        &self,
        domain: &Domain,
        acquisition: &dyn Acquisition,
        anchors: &[&[f64]],
        rng: &mut Stream,
    ) -> Vec<Candidate> {
        let raw = self.raw_points(domain, anchors, rng);
        let mut values = vec![f64::NEG_INFINITY; raw.len()];
        acquisition.values_into(raw.as_ref(), &mut values);
        let mut ranked: Vec<Candidate> =
            raw.rows().zip(&values).map(|(x, &value)| Candidate { x: x.to_vec(), value }).collect();
        sort(&mut ranked);
        // A logarithm has no unit, so its tolerances are absolute.
        let search =
            if acquisition.has_unit() { LocalSearch::of_spread(&values) } else { LocalSearch::default() };
        let climb = |start: &Candidate| {
            let summit = search.maximize(domain, &Climbing(acquisition), &start.x);
            Candidate { x: summit.x, value: summit.value }
        };
        let mut found: Vec<Candidate> = ranked.iter().take(self.climbs).map(climb).collect();
        found.append(&mut ranked);
        sort(&mut found);
        found.dedup_by(|a, b| a.x == b.x);
        found
    }

    fn raw_points(&self, domain: &Domain, anchors: &[&[f64]], rng: &mut Stream) -> Points {
        let dim = domain.dim();
        let mut points = if dim <= MAX_SOBOL_DIM {
            Sobol::scrambled(dim, rng).take(self.raw)
        } else {
            let mut points = Points::zeros(self.raw, dim);
            points.as_flat_mut().iter_mut().for_each(|value| *value = rng.uniform());
            points
        };
        for anchor in anchors.iter().take(5) {
            points.push(anchor);
            for _ in 0..self.around_best {
                let mut near = anchor.to_vec();
                // One scale per point, from a tenth of the domain to a thousandth.
                let scale = 10_f64.powf(-1.0 - 2.0 * rng.uniform());
                for value in &mut near {
                    let step: f64 = StandardNormal.sample(rng);
                    *value += scale * step;
                }
                points.push(&near);
            }
        }
        for row in 0..points.len() {
            domain.snap(points.row_mut(row));
        }
        points
    }
}

/// Sorts best first and NaN last; ties keep their order.
fn sort(candidates: &mut [Candidate]) {
    let key = |c: &Candidate| if c.value.is_nan() { f64::NEG_INFINITY } else { c.value };
    candidates.sort_by(|a, b| key(b).total_cmp(&key(a)));
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Variable;
    use thrifty_sampling::Seed;

    use super::*;

    /// Minus the squared distance to a point, NaN beyond a line.
    struct Bump([f64; 2], f64);

    impl Acquisition for Bump {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            for (row, value) in x.rows().zip(out) {
                let distance: f64 = row.iter().zip(self.0).map(|(a, b)| (a - b).powi(2)).sum();
                *value = if row[0] > self.1 { f64::NAN } else { -distance };
            }
        }
    }

    fn candidates(maximizer: &Maximizer, bump: &Bump, anchors: &[&[f64]]) -> Vec<Candidate> {
        let domain = Domain::new(vec![Variable::continuous(), Variable::continuous()]).unwrap();
        maximizer.candidates(&domain, bump, anchors, &mut Seed(2).stream("maximiser", 0))
    }

    #[test]
    fn candidates_are_all_points_best_first() {
        let maximizer = Maximizer { raw: 64, around_best: 3, climbs: 2 };
        let bump = Bump([0.3, 0.6], f64::INFINITY);
        let found = candidates(&maximizer, &bump, &[]);
        assert_eq!(found.len(), 64 + 2);
        assert!(found.windows(2).all(|pair| pair[0].value >= pair[1].value));
        assert!(found.iter().all(|candidate| candidate.value == bump.value(&candidate.x)));
        // Those that climbed are at the top, to the last step of a search without slopes.
        for candidate in &found[..2] {
            assert!(candidate.value > -1e-9, "{candidate:?}");
        }
        assert!(found[2].value < -1e-6);
        // Anchors come in with three points around each, of the first five alone.
        let anchors = [[0.1, 0.1], [0.2, 0.1], [0.3, 0.1], [0.4, 0.1], [0.5, 0.1], [0.6, 0.1]];
        let anchors: Vec<&[f64]> = anchors.iter().map(|anchor| &anchor[..]).collect();
        let found = candidates(&maximizer, &bump, &anchors);
        assert_eq!(found.len(), 64 + 5 * 4 + 2);
        let has = |anchor: &[f64]| found.iter().any(|candidate| candidate.x == anchor);
        assert!(anchors[..5].iter().all(|anchor| has(anchor)) && !has(anchors[5]));
        // The same point is a candidate once.
        let once =
            candidates(&Maximizer { raw: 0, around_best: 0, climbs: 0 }, &bump, &[&[0.5, 0.5], &[0.5, 0.5]]);
        assert_eq!(once, [Candidate { x: vec![0.5, 0.5], value: bump.value(&[0.5, 0.5]) }]);
    }

    #[test]
    fn values_that_are_not_numbers_come_last_and_can_be_refused() {
        let maximizer = Maximizer { raw: 64, around_best: 0, climbs: 0 };
        let found = candidates(&maximizer, &Bump([0.3, 0.6], 0.5), &[]);
        let first = found.iter().position(|candidate| candidate.value.is_nan()).unwrap();
        assert_eq!((first, found.len()), (32, 64));
        assert!(found[first..].iter().all(|candidate| candidate.value.is_nan() && candidate.x[0] > 0.5));
        let factory = thrifty_acquisition::AcquisitionKind::default();
        assert!(reject_nan(&factory, &found[..first], TrialId(7)).is_ok());
        let error = reject_nan(&factory, &found, TrialId(7)).unwrap_err();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        let place = format!("NaN at {:?}", found[first].x);
        assert!(text.contains("trial 7") && text.contains(&place), "{text}");
    }

    /// Half the sum of squares from a point, times a unit.
    struct Bowl {
        unit: f64,
        has_unit: bool,
    }

    impl Acquisition for Bowl {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            let half = |row: &[f64]| row.iter().map(|a| 0.5 * (a - 0.3).powi(2)).sum::<f64>();
            x.rows().zip(out).for_each(|(row, value)| *value = -self.unit * half(row));
        }

        fn values_with_gradients_into(
            &self,
            x: PointsRef<'_>,
            out: &mut [f64],
            gradients: &mut [f64],
        ) -> bool {
            self.values_into(x, out);
            let slopes = x.rows().flatten().map(|a| -self.unit * (a - 0.3));
            gradients.iter_mut().zip(slopes).for_each(|(slot, slope)| *slot = slope);
            true
        }

        fn has_unit(&self) -> bool {
            self.has_unit
        }
    }

    /// Values in another unit are climbed in the same steps; those without a unit have absolute tolerances.
    #[test]
    fn a_search_does_not_depend_on_the_unit() {
        let maximizer = Maximizer { raw: 16, around_best: 0, climbs: 2 };
        let first = |unit: f64, has_unit: bool| {
            let rng = &mut Seed(2).stream("maximiser", 0);
            let found = maximizer.candidates(&Domain::unit_cube(2), &Bowl { unit, has_unit }, &[], rng);
            found[0].x.clone()
        };
        let is_top = |x: &[f64]| x.iter().all(|x| (x - 0.3).abs() < 1e-4);
        let whole = first(1.0, true);
        assert!(is_top(&whole), "{whole:?}");
        for power in [-40, -20, 20, 40] {
            assert_eq!(first(2.0_f64.powi(power), true), whole, "2^{power}");
        }
        assert!(is_top(&first(1.0, false)) && !is_top(&first(2.0_f64.powi(-40), false)));
    }

    /// A wide hill and a narrow one that is higher.
    struct TwoHills;

    impl Acquisition for TwoHills {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            let squared = |row: &[f64], at: f64| row.iter().map(|a| (a - at).powi(2)).sum::<f64>();
            x.rows()
                .zip(out)
                .for_each(|(x, out)| *out = (-squared(x, 0.7)).max(1.0 - 100.0 * squared(x, 0.2)));
        }
    }

    /// The search climbs from the best of the raw points, not from any.
    #[test]
    fn the_best_raw_points_climb() {
        let maximizer = Maximizer { raw: 256, around_best: 0, climbs: 1 };
        let domain = Domain::unit_cube(2);
        for seed in 0..4 {
            let found = maximizer.candidates(&domain, &TwoHills, &[], &mut Seed(seed).stream("maximiser", 0));
            let best = &found[0];
            assert!(best.value > 1.0 - 1e-6 && best.x.iter().all(|x| (x - 0.2).abs() < 1e-3), "{best:?}");
        }
    }

    /// Candidates after a climb from the top of the wide hill and from the lower part of the narrow one: the higher summit is first, though
    /// its start was second.
    #[test]
    fn the_highest_summit_is_first_whatever_its_start() {
        let maximizer = Maximizer { raw: 0, around_best: 0, climbs: 2 };
        let (wide, narrow) = ([0.7, 0.7], [0.31, 0.2]);
        assert!(TwoHills.value(&wide) > TwoHills.value(&narrow), "the wide hill has the better start");
        let rng = &mut Seed(2).stream("maximiser", 0);
        let found = maximizer.candidates(&Domain::unit_cube(2), &TwoHills, &[&wide, &narrow], rng);
        assert!(found[0].x.iter().all(|x| (x - 0.2).abs() < 1e-3), "the narrow hill is higher: {found:?}");
        assert!(found.is_sorted_by(|a, b| a.value >= b.value), "best first: {found:?}");
    }

    /// Beyond the tables of the Sobol sequence points are uniform.
    #[test]
    fn points_of_many_dimensions_fill_the_cube() {
        let dim = MAX_SOBOL_DIM + 1;
        let maximizer = Maximizer { raw: 20, around_best: 0, climbs: 0 };
        let points = maximizer.raw_points(&Domain::unit_cube(dim), &[], &mut Seed(2).stream("maximiser", 0));
        assert_eq!((points.len(), points.dim()), (20, dim));
        let all = points.as_flat();
        assert!(all.iter().all(|value| (0.0..1.0).contains(value)));
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / all.len() as f64;
        // Twenty thousand values: standard errors of 0.002 and 0.0005.
        assert!((mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.0025, "{mean} {variance}");
    }

    /// Steps around an anchor have one scale each, of which the logarithm is uniform from a tenth to a thousandth.
    #[test]
    fn steps_around_an_anchor_have_their_scale() {
        let maximizer = Maximizer { raw: 0, around_best: 4000, climbs: 0 };
        let found = candidates(&maximizer, &Bump([0.5, 0.5], f64::INFINITY), &[&[0.5, 0.5]]);
        assert_eq!(found.len(), 4001);
        // The squared length of a step is 10^(-2 - 4u) times that of two normal steps: the logarithm has mean -4 and
        // (ln 2 - γ)/ln 10, and variance 4/3 and (π/6^½/ln 10)².
        let logs: Vec<f64> = found.iter().filter(|c| c.value < 0.0).map(|c| (-c.value).log10()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let variance = logs.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / logs.len() as f64;
        let expected = -4.0 + (2.0_f64.ln() - 0.577_215_664_9) / 10.0_f64.ln();
        let spread = 4.0 / 3.0 + std::f64::consts::PI.powi(2) / 6.0 / 10.0_f64.ln().powi(2);
        // Four standard errors.
        assert!((mean - expected).abs() < 4.0 * (spread / 4000.0).sqrt(), "{mean} {expected}");
        assert!((variance / spread - 1.0).abs() < 0.1, "{variance} {spread}");
    }
}
