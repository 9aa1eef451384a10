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
/// Sobol points over the whole domain and normal steps around the best points observed are ranked; the best
/// few climb by local search.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Maximizer {
    /// Points over the whole domain.
    pub raw: usize,
    /// Points around each of the best five observed.
    pub around_best: usize,
    /// Number of the best points that climb.
    pub climbs: usize,
}

impl Default for Maximizer {
    /// 512 points, 20 around each of the best, 6 climbs.
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
    /// The best points found, best first and distinct: all that climbed, then the raw ones. `anchors` are points
    /// to look around, best first.
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
        let search = LocalSearch::default();
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
                // One scale a point, from a tenth of the domain to a thousandth.
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

/// Best first, NaN last, ties in the order they were in.
fn sort(candidates: &mut [Candidate]) {
    let key = |c: &Candidate| if c.value.is_nan() { f64::NEG_INFINITY } else { c.value };
    candidates.sort_by(|a, b| key(b).total_cmp(&key(a)));
}
