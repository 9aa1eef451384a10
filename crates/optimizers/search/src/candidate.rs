//! Candidates and the choice of a new one.

use thrifty_domain::Domain;
use thrifty_sampling::Seed;
use thrifty_study::{OptimizerError, TrialId};

use crate::random_new;

/// A point of the unit cube and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The point.
    pub x: Vec<f64>,
    /// Its value; larger is better.
    pub value: f64,
}

/// Largest number of points of a finite domain that is enumerated.
pub(crate) const ENUMERABLE: u64 = 100_000;

/// The first candidate that is allowed and new, else any other such point of the domain; `None` if every allowed point was asked.
///
/// # Errors
/// [`OptimizerError`] names the trial if the domain is too large to enumerate and no random point is allowed.
pub fn first_allowed(
    domain: &Domain,
    is_allowed: impl Fn(&[f64]) -> bool,
    is_new: impl Fn(&[f64]) -> bool,
    candidates: Vec<Candidate>,
    seed: Seed,
    id: TrialId,
) -> Result<Option<Candidate>, OptimizerError> {
    let usable = |x: &[f64]| is_new(x) && is_allowed(x);
    if let Some(new) = candidates.into_iter().find(|candidate| usable(&candidate.x)) {
        return Ok(Some(new));
    }
    let as_candidate = |x| Candidate { x, value: f64::NEG_INFINITY };
    if let Some(all) = domain.enumerate(ENUMERABLE) {
        return Ok(all.into_iter().find(|x| usable(x)).map(as_candidate));
    }
    let mut rng = seed.stream("new", id.0);
    let draw = |_| {
        let mut x: Vec<f64> = (0..domain.dim()).map(|_| rng.uniform()).collect();
        domain.snap(&mut x);
        x
    };
    let what = || format!("suggesting trial {}", id.0);
    Ok(random_new(draw, |x| is_allowed(x), |x| is_new(x), what)?.map(as_candidate))
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Variable;

    use super::*;

    fn candidate(x: f64) -> Candidate {
        Candidate { x: vec![x], value: x }
    }

    #[test]
    fn the_first_candidate_of_use_is_taken() {
        let domain = Domain::new(vec![Variable::continuous()]).unwrap();
        let first = |limit: f64, candidates: Vec<Candidate>| {
            let any = |_: &[f64]| true;
            first_allowed(&domain, any, |x| x[0] > limit, candidates, Seed(1), TrialId(4)).unwrap()
        };
        assert_eq!(first(0.3, vec![candidate(0.2), candidate(0.5), candidate(0.9)]), Some(candidate(0.5)));
        // None is of use: the first random point that is, without a value.
        let random = first(0.6, vec![candidate(0.2), candidate(0.5)]).unwrap();
        let mut rng = Seed(1).stream("new", 4);
        let expected = (0..1000).map(|_| rng.uniform()).find(|x| *x > 0.6).unwrap();
        assert_eq!((random.x[0], random.value), (expected, f64::NEG_INFINITY));
        assert_eq!(first(2.0, vec![candidate(0.2)]), None);
    }

    /// Nothing allowed is an error, nothing new is none. A thousandth of a continuous domain is found.
    #[test]
    fn an_infinite_domain_is_exhausted_by_repetition_alone() {
        let domain = Domain::new(vec![Variable::continuous()]).unwrap();
        let first = |width: f64, any_new: bool| {
            first_allowed(&domain, |x| x[0] < width, |_| any_new, vec![candidate(0.9)], Seed(1), TrialId(4))
        };
        assert!(first(1e-3, true).unwrap().expect("one of 10,000").x[0] < 1e-3);
        assert!(matches!(first(1e-3, false), Ok(None)));
        let error = first(0.0, true).unwrap_err();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(
            text.contains("trial 4") && text.contains("none of 10000 random configurations is allowed"),
            "{text}"
        );
    }

    /// A finite domain is searched point by point in its order.
    #[test]
    fn finite_domains_are_searched_to_the_last_point() {
        let domain = Domain::new(vec![Variable::stepped(4), Variable::stepped(3)]).unwrap();
        let all = domain.enumerate(100).unwrap();
        assert_eq!(all.len(), 12);
        let first = |is_new: &dyn Fn(&[f64]) -> bool| {
            first_allowed(&domain, |_| true, is_new, vec![], Seed(1), TrialId(0)).unwrap()
        };
        for (at, last) in all.iter().enumerate() {
            let found = first(&|x| all[at..].iter().any(|point| point == x)).unwrap();
            assert_eq!((&found.x, found.value), (last, f64::NEG_INFINITY));
        }
        assert_eq!(first(&|_| false), None);
    }
}
