use thrifty_domain::Domain;
use thrifty_sampling::Seed;
use thrifty_study::TrialId;

use crate::Candidate;

/// The first candidate that is of use, else any point that is; nothing when a finite domain is exhausted.
pub(crate) fn first_new(
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
    if let Some(all) = domain.enumerate(100_000) {
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
