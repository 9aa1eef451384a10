use thrifty_domain::{Domain, Points};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Trial, TrialId};

use crate::{Allowed, Candidate, InitialDesign};

/// Finite domains of at most so many points are searched point by point.
const ENUMERABLE: u64 = 100_000;

/// Random configurations among which one that is allowed is looked for.
const TRIES: u64 = 10_000;

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

/// The points of trials.
///
/// # Errors
/// [`OptimizerError`] names a trial whose query is not of the space.
pub(crate) fn points_of<'t>(
    space: &Space,
    trials: impl IntoIterator<Item = &'t Trial<Config>>,
) -> Result<Points, OptimizerError> {
    let mut points = Points::new(space.dim());
    for trial in trials {
        let point = space
            .encode(&trial.query)
            .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
        points.push(&point);
    }
    Ok(points)
}

/// An initial design at work: with known constraints and without repetition.
pub struct Designer<'a> {
    /// The design.
    pub design: &'a InitialDesign,
    /// The space.
    pub space: &'a Space,
    /// Seed of its random numbers.
    pub seed: Seed,
    /// Number of the run, from 0.
    pub run: u64,
    /// Known constraint.
    pub allowed: Option<&'a Allowed>,
}

impl Designer<'_> {
    /// The configuration of a trial: that of its number, unless it was asked before or is not allowed; then another by
    /// chance. Nothing when every configuration of a finite space that is allowed was asked.
    ///
    /// # Errors
    /// [`OptimizerError`] for a given configuration that is not of the space, or when nothing is found that is allowed.
    pub fn config(&self, asked: &Points, id: TrialId) -> Result<Option<Config>, OptimizerError> {
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        let what = || format!("initial design, configuration {index}");
        let designed = self.design.config(self.space, self.seed, self.run, index);
        let designed = designed.map_err(|error| OptimizerError::failed(what(), error))?;
        if self.run == 0 && index < self.design.given().len() {
            return Ok(Some(designed));
        }
        let is_new = |config: &Config| {
            self.space.encode(config).is_ok_and(|x| asked.rows().all(|known| known != &x[..]))
        };
        if self.is_allowed(&designed) && is_new(&designed) {
            return Ok(Some(designed));
        }
        let seed = self.seed.child("allowed", self.run).child("design", id.0);
        if let Some(all) = self.space.domain().enumerate(ENUMERABLE) {
            let allowed: Vec<Config> =
                all.iter().map(|x| self.space.decode(x)).filter(|config| self.is_allowed(config)).collect();
            if allowed.is_empty() {
                let error = format!("none of the {} configurations is allowed", all.len());
                return Err(OptimizerError::failed(what(), error));
            }
            let mut left: Vec<Config> = allowed.into_iter().filter(is_new).collect();
            if left.is_empty() {
                return Ok(None);
            }
            return Ok(Some(left.swap_remove(seed.stream("left", 0).index(left.len()))));
        }
        let mut any_allowed = false;
        for attempt in 0..TRIES {
            let config = self.space.sample(&mut seed.stream("uniform", attempt));
            if self.is_allowed(&config) {
                any_allowed = true;
                if is_new(&config) {
                    return Ok(Some(config));
                }
            }
        }
        if any_allowed {
            return Ok(None);
        }
        let error = format!("none of {TRIES} random configurations is allowed");
        Err(OptimizerError::failed(what(), error))
    }

    fn is_allowed(&self, config: &Config) -> bool {
        self.allowed.is_none_or(|allowed| allowed(config))
    }
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
            first_new(&domain, |x| x[0] > limit, candidates, Seed(1), TrialId(4))
        };
        assert_eq!(first(0.3, vec![candidate(0.2), candidate(0.5), candidate(0.9)]), Some(candidate(0.5)));
        // None is of use: the first random point that is, without a value.
        let random = first(0.6, vec![candidate(0.2), candidate(0.5)]).unwrap();
        let mut rng = Seed(1).stream("new", 4);
        let expected = (0..1000).map(|_| rng.uniform()).find(|x| *x > 0.6).unwrap();
        assert_eq!((random.x[0], random.value), (expected, f64::NEG_INFINITY));
        assert_eq!(first(2.0, vec![candidate(0.2)]), None);
    }

    /// A finite domain is searched point by point in its order.
    #[test]
    fn finite_domains_are_searched_to_the_last_point() {
        let domain = Domain::new(vec![Variable::stepped(4), Variable::stepped(3)]).unwrap();
        let all = domain.enumerate(100).unwrap();
        assert_eq!(all.len(), 12);
        for (at, last) in all.iter().enumerate() {
            let usable = |x: &[f64]| all[at..].iter().any(|point| point == x);
            let found = first_new(&domain, usable, vec![], Seed(1), TrialId(0)).unwrap();
            assert_eq!((&found.x, found.value), (last, f64::NEG_INFINITY));
        }
        assert_eq!(first_new(&domain, |_| false, vec![], Seed(1), TrialId(0)), None);
    }

    fn levels() -> Space {
        Space::builder().int("i", 0, 5).build().unwrap()
    }

    fn ask(asked: &[f64], id: u64, allowed: Option<&Allowed>) -> Result<Option<i64>, OptimizerError> {
        let (design, space) = (InitialDesign::Sobol(4), levels());
        let designer = Designer { design: &design, space: &space, seed: Seed(2), run: 0, allowed };
        let mut points = Points::new(1);
        asked.iter().for_each(|x| {
            let mut config = Config::new();
            config.insert("i", *x as i64);
            points.push(&space.encode(&config).unwrap());
        });
        designer.config(&points, TrialId(id)).map(|found| found.map(|config| config.int("i").unwrap()))
    }

    /// A configuration that was asked or is not allowed gives way to one that is neither; all of them come in turn.
    #[test]
    fn designs_give_way_to_what_is_new_and_allowed() {
        let designed = ask(&[], 0, None).unwrap().unwrap();
        assert_eq!(ask(&[f64::from((designed as i32 + 1) % 6)], 0, None).unwrap(), Some(designed));
        let mut seen = std::collections::BTreeSet::new();
        for id in 0..60 {
            let found = ask(&[0.0, 2.0, 3.0], id, None).unwrap().unwrap();
            assert!([1, 4, 5].contains(&found), "{found}");
            seen.insert(found);
        }
        assert_eq!(seen.len(), 3);
        let even = |config: &Config| config.int("i").unwrap() % 2 == 0;
        for id in 0..60 {
            let found = ask(&[2.0], id, Some(&even)).unwrap().unwrap();
            assert!([0, 4].contains(&found), "{found}");
        }
        assert_eq!(ask(&[0.0, 2.0, 4.0], 3, Some(&even)).unwrap(), None);
        assert_eq!(ask(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3, None).unwrap(), None);
        let error = ask(&[], 3, Some(&|_: &Config| false)).unwrap_err();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(text.contains("none of the 6 configurations") && text.contains("configuration 3"), "{text}");
    }

    /// In an infinite space random configurations are tried until one is allowed.
    #[test]
    fn rare_configurations_are_found_by_chance() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let design = InitialDesign::Sobol(4);
        let config = |limit: f64| {
            let allowed = move |config: &Config| config.float("x").unwrap() < limit;
            let designer =
                Designer { design: &design, space: &space, seed: Seed(2), run: 1, allowed: Some(&allowed) };
            designer.config(&Points::new(1), TrialId(2)).map(|found| found.unwrap().float("x").unwrap())
        };
        assert!(config(0.002).unwrap() < 0.002);
        let error = config(0.0).unwrap_err();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(text.contains("none of 10000 random configurations"), "{text}");
    }
}
