use thrifty_domain::{Domain, Points};
use thrifty_sampling::Seed;
use thrifty_study::TrialId;

use crate::Candidate;

/// The first candidate that was not asked before, else any point that was not; nothing when a finite domain is
/// exhausted.
pub(crate) fn first_new(
    domain: &Domain,
    asked: &Points,
    candidates: Vec<Candidate>,
    seed: Seed,
    id: TrialId,
) -> Option<Candidate> {
    let is_known = |x: &[f64]| asked.rows().any(|known| known == x);
    if let Some(new) = candidates.into_iter().find(|candidate| !is_known(&candidate.x)) {
        return Some(new);
    }
    let as_candidate = |x| Candidate { x, value: f64::NEG_INFINITY };
    if let Some(all) = domain.enumerate(100_000) {
        return all.into_iter().find(|x| !is_known(x)).map(as_candidate);
    }
    let mut rng = seed.stream("new", id.0);
    let draw = |_| {
        let mut x: Vec<f64> = (0..domain.dim()).map(|_| rng.uniform()).collect();
        domain.snap(&mut x);
        x
    };
    (0..1000).map(draw).find(|x| !is_known(x)).map(as_candidate)
}
