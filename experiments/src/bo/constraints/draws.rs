//! Development problems with measured constraints: draws whose minimum is on the border of a constraint, or apart from all.

use std::sync::OnceLock;

use thrifty_kernel::SquaredExponential;
use thrifty_sampling::{Seed, Sobol, Stream};
use thrifty_space::Space;

use super::super::problems::drawn;
use super::problem::{Constrained, Function, Minimum, within};
use crate::error::ExperimentError;
use crate::harness::stats::quantile;

/// A family of draws.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    pub dim: usize,
    pub constraints: usize,
    /// Share of the cube that is feasible.
    pub share: f64,
    /// True if a constraint is active at the minimum; false if none is near 0 there.
    pub active: bool,
    pub tails: Tails,
}

/// Tails of the values of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tails {
    /// Those of a draw.
    Light,
    /// Large values where it is broken, as of an exponential.
    Upper,
    /// Large values on both sides of 0, as of a hyperbolic sine.
    Both,
}

/// Constraints are this far from 0 where none is active, on the scale of their values.
const APART: f64 = 0.05;

impl Draws {
    pub fn label(self) -> String {
        let Self { dim, constraints, share, active, tails } = self;
        if constraints == 0 {
            return format!("d = {dim}, no constraint");
        }
        let kind = if active { "active" } else { "idle" };
        let tails = match tails {
            Tails::Light => "",
            Tails::Upper => ", upper tail",
            Tails::Both => ", two tails",
        };
        format!("d = {dim}, {constraints} {kind}{tails}, {:.0} % feasible", 100.0 * share)
    }

    /// The problem of one replication: the first of its draws that is of this kind.
    pub fn problem(self, seed: Seed) -> Result<Constrained, ExperimentError> {
        for attempt in 0..300 {
            let mut rng = seed.stream("draws", attempt);
            let function = self.function(&mut rng)?;
            let Ok(Minimum { loss, constraint, .. }) = within(&function, self.dim, &mut rng) else {
                continue;
            };
            if if self.active { constraint > -1e-5 } else { constraint < -APART } {
                return Ok(Constrained::new(self.label(), Space::unit_cube(self.dim), function, loss));
            }
        }
        Err(ExperimentError::failed("no draw of this kind"))
    }

    fn function(self, rng: &mut Stream) -> Result<Function, ExperimentError> {
        let mut draw = || {
            let scale = 0.25 * (self.dim as f64).sqrt();
            let lengthscales = (0..self.dim).map(|_| scale * (0.7 + 0.6 * rng.uniform())).collect();
            drawn(&SquaredExponential::new(lengthscales).map_err(ExperimentError::failed)?, rng)
        };
        let loss = draw()?;
        let broken = (0..self.constraints).map(|_| draw()).collect::<Result<Vec<_>, _>>()?;
        let largest = |x: &[f64]| broken.iter().map(|draw| draw(x)).fold(f64::NEG_INFINITY, f64::max);
        let points = Sobol::scrambled(self.dim, rng).take(1024);
        let bound = quantile(&points.rows().map(largest).collect::<Vec<f64>>(), self.share);
        Ok(Box::new(move |x| {
            let constraint = |draw: &dyn Fn(&[f64]) -> f64| {
                let from_bound = draw(x) - bound;
                match self.tails {
                    Tails::Light => from_bound,
                    Tails::Upper => (2.0 * from_bound).exp_m1(),
                    Tails::Both => (4.0 * from_bound).sinh(),
                }
            };
            let constraints = broken.iter().map(|draw| constraint(draw)).collect();
            (loss(x), constraints)
        }))
    }
}

/// Problems of some families in all replications, each drawn once: the search for it takes longer than a study of it.
pub struct Drawn<'a> {
    id: &'static str,
    seed: u64,
    kinds: &'a [Draws],
    problems: Vec<OnceLock<Constrained>>,
}

impl<'a> Drawn<'a> {
    pub fn new((id, seed): (&'static str, u64), kinds: &'a [Draws], replications: usize) -> Self {
        let problems = (0..kinds.len() * replications).map(|_| OnceLock::new()).collect();
        Self { id, seed, kinds, problems }
    }

    /// The problem of a family in a replication, and its seed.
    pub fn problem(&self, k: usize, replication: usize) -> Result<(&Constrained, Seed), ExperimentError> {
        let seed = Seed(self.seed).child(self.id, (replication * 100 + k) as u64);
        let slot = &self.problems[replication * self.kinds.len() + k];
        if let Some(problem) = slot.get() {
            return Ok((problem, seed));
        }
        let problem = self.kinds[k].problem(seed)?;
        Ok((slot.get_or_init(|| problem), seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constraints hold in the share of the cube that is named, and the minimum is on a border or apart from all.
    #[test]
    fn draws_are_of_their_kind() {
        for (share, active, tails) in [(0.3, true, Tails::Both), (0.3, false, Tails::Upper)] {
            let kind = Draws { dim: 2, constraints: 2, share, active, tails };
            let function = kind.function(&mut Seed(2).stream("draws", 0)).unwrap();
            let points = Sobol::scrambled(2, &mut Seed(3).stream("points", 0)).take(2048);
            let feasible = points.rows().filter(|x| function(x).1.iter().all(|c| *c <= 0.0)).count();
            assert!((feasible as f64 / 2048.0 - share).abs() < 0.03, "{feasible}");
            assert!(kind.problem(Seed(4)).is_ok());
        }
    }
}
