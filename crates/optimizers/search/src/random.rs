//! Random search.

use thrifty_domain::{Domain, Points};
use thrifty_sampling::Stream;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{Ask, Best, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};

use crate::fingerprint::format_one;
use crate::{ask_given, check_config, fingerprint};

/// Random search: uniform points of the unit cube, one random stream per trial.
///
/// ```
/// use thrifty_sampling::Seed;
/// use thrifty_search::RandomSearch;
/// use thrifty_space::Space;
/// use thrifty_study::Study;
/// let space = Space::builder().float("x", 0.0, 1.0).build()?;
/// let mut study = Study::new(RandomSearch::new(space), Seed(1)).with_trials(30);
/// study.run(|config, _| config.float("x").map_or(f64::NAN, |x| (x - 0.3).powi(2)))?;
/// assert!((study.recommend()?.expect("30 trials").config.float("x")? - 0.3).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RandomSearch {
    space: Space,
    known_constraint: KnownConstraint,
}

/// Largest number of random draws in the search for an allowed one.
const TRIES: u64 = 10_000;

/// The first of at most 10,000 random draws that is allowed; draws are numbered from 0.
///
/// # Errors
/// [`OptimizerError`] when none is allowed; `what` names the trial.
pub fn random_allowed<T>(
    draw: impl FnMut(u64) -> T,
    is_allowed: impl FnMut(&T) -> bool,
    what: impl FnOnce() -> String,
) -> Result<T, OptimizerError> {
    (0..TRIES).map(draw).find(is_allowed).ok_or_else(|| {
        OptimizerError::failed(what(), format!("none of {TRIES} random configurations is allowed"))
    })
}

/// The first of at most 10,000 random draws that is allowed and new; `None` if every allowed draw was asked before.
///
/// # Errors
/// As [`random_allowed`].
pub fn random_new<T>(
    draw: impl FnMut(u64) -> T,
    is_allowed: impl Fn(&T) -> bool,
    is_new: impl Fn(&T) -> bool,
    what: impl FnOnce() -> String,
) -> Result<Option<T>, OptimizerError> {
    let mut any_allowed = false;
    let is_usable = |drawn: &T| {
        let allowed = is_allowed(drawn);
        any_allowed |= allowed;
        allowed && is_new(drawn)
    };
    match random_allowed(draw, is_usable, what) {
        Err(_) if any_allowed => Ok(None),
        found => found.map(Some),
    }
}

/// Allowed random points of a domain: `count` of them, or fewer if at most 10,000 draws contain fewer.
pub fn random_points(
    domain: &Domain,
    is_allowed: impl Fn(&[f64]) -> bool,
    count: usize,
    rng: &mut Stream,
) -> Points {
    let mut points = Points::new(domain.dim());
    let mut x = vec![0.0; domain.dim()];
    for _ in 0..TRIES.max(count as u64) {
        if points.len() == count {
            break;
        }
        x.iter_mut().for_each(|value| *value = rng.uniform());
        domain.snap(&mut x);
        if is_allowed(&x) {
            points.push(&x);
        }
    }
    points
}

impl RandomSearch {
    /// Random search of a space.
    #[must_use]
    pub fn new(space: Space) -> Self {
        Self { space, known_constraint: KnownConstraint::default() }
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. A resumed study needs the
    /// same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }
}

impl Optimizer for RandomSearch {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let mut rng = history.seed().stream("random search", id.0);
        let what = || format!("random search, trial {}", id.0);
        let sample = |_| self.space.sample(&mut rng);
        let config = random_allowed(sample, |config| self.known_constraint.allows(config), what)?;
        Ok(Ask::Evaluate(Suggestion::new(config)))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        Ok(history.best().map(|(trial, value)| Best::observed(trial.query.clone(), value)))
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
    }

    fn canonical(&self, query: Config) -> Config {
        self.space.canonical(&query)
    }

    fn ask_given(
        &mut self,
        history: &History<Config>,
        id: TrialId,
        given: &Config,
    ) -> Result<Ask<Config>, OptimizerError> {
        ask_given(self, |search| (&mut search.space, &search.known_constraint), history, id, given)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let text = format_one("random search", &self.space)?;
        Ok(fingerprint("random search", &(), &self.space)?.resuming_format_one(text))
    }
}
