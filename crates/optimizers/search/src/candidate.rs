//! Candidates and the choice of one that is new.

use thrifty_domain::Domain;
use thrifty_sampling::Seed;
use thrifty_study::TrialId;

/// A point of the unit cube and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The point.
    pub x: Vec<f64>,
    /// Its value: the larger, the better.
    pub value: f64,
}

/// Largest number of points of a finite domain that is searched point by point.
pub(crate) const ENUMERABLE: u64 = 100_000;

/// The first usable candidate, else any usable point of the domain; nothing when a finite domain is exhausted.
pub fn first_new(
    domain: &Domain,
    usable: impl Fn(&[f64]) -> bool,
    candidates: Vec<Candidate>,
    seed: Seed,
    id: TrialId,
) -> Option<Candidate> {
    if let Some(new) = candidates.into_iter().find(|candidate| usable(&candidate.x)) {
        return Some(new);
    }
    let as_candidate = |x| Candidate { x, value: f64::NEG_INFINITY };
    if let Some(all) = domain.enumerate(ENUMERABLE) {
        return all.into_iter().find(|x| usable(x)).map(as_candidate);
    }
    let mut rng = seed.stream("new", id.0);
    let draw = |_| {
        let mut x: Vec<f64> = (0..domain.dim()).map(|_| rng.uniform()).collect();
        domain.snap(&mut x);
        x
    };
    (0..1000).map(draw).find(|x| usable(x)).map(as_candidate)
}
