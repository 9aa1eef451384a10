//! Configurations of a list, and optimisers that keep to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thrifty_cv::FoldQuery;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{Ask, Best, Fingerprint, History, Optimizer, OptimizerError, StopReason, TrialId};

/// Largest distance in the unit cube of what is one configuration.
const ROUNDING: f64 = 1e-9;

/// True for points of the unit cube that are one configuration, up to the rounding of reading it from there.
pub fn coincide(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < ROUNDING)
}

/// Configurations of a space that were measured.
#[derive(Debug)]
pub struct Listed {
    pub space: Space,
    pub configs: Vec<Config>,
    points: Vec<Vec<f64>>,
    places: BTreeMap<String, usize>,
}

impl Listed {
    /// One configuration, and further ones of a scrambled Sobol sequence.
    pub fn sobol(space: Space, first: Config, count: usize, seed: Seed) -> Result<Self, SpaceError> {
        let mut sequence =
            thrifty_sampling::Sobol::scrambled(space.dim(), &mut seed.stream("configurations", 0));
        let mut point = vec![0.0; space.dim()];
        let mut configs = vec![first];
        // Whole numbers may make two points one configuration.
        for _ in 0..100 * count {
            if configs.len() >= count {
                break;
            }
            sequence.next_into(&mut point);
            let config = space.decode(&point);
            if !configs.contains(&config) {
                configs.push(config);
            }
        }
        let points = configs.iter().map(|config| space.encode(config)).collect::<Result<_, _>>()?;
        let places = configs.iter().enumerate().map(|(at, config)| (config.to_string(), at)).collect();
        Ok(Self { space, configs, points, places })
    }

    /// The place of a configuration that is on the list, up to rounding: an optimiser may have read it from the unit cube.
    pub fn place(&self, config: &Config) -> Option<usize> {
        let known = self.places.get(&config.to_string()).copied();
        known.or_else(|| {
            let at = self.space.encode(config).ok()?;
            let place = self.nearest(config, |_| true).ok()??;
            coincide(&self.points[place], &at).then_some(place)
        })
    }

    /// The configuration of a place in the unit cube.
    pub fn point(&self, place: usize) -> &[f64] {
        &self.points[place]
    }

    /// Places and folds that were asked.
    pub fn asked(&self, history: &History<FoldQuery>) -> BTreeSet<(usize, usize)> {
        let pair = |query: &FoldQuery| Some((self.place(&query.config)?, query.fold));
        history.trials().iter().filter_map(|trial| pair(&trial.query)).collect()
    }

    /// The place of the nearest configuration of those that are allowed, in the unit cube.
    pub fn nearest(
        &self,
        config: &Config,
        allowed: impl Fn(usize) -> bool,
    ) -> Result<Option<usize>, SpaceError> {
        let at = self.space.encode(config)?;
        let distance = |place: &usize| -> f64 {
            self.points[*place].iter().zip(&at).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let places = (0..self.configs.len()).filter(|place| allowed(*place));
        Ok(places.min_by(|a, b| distance(a).total_cmp(&distance(b))))
    }
}

/// The nearest configuration whose fold is new, in place of the one that is asked.
pub fn on_list(
    list: &Listed,
    ask: Ask<FoldQuery>,
    history: &History<FoldQuery>,
) -> Result<Ask<FoldQuery>, OptimizerError> {
    let mut suggestion = match ask {
        Ask::Evaluate(suggestion) => suggestion,
        other => return Ok(other),
    };
    let FoldQuery { config, fold, .. } = &suggestion.query;
    let asked = list.asked(history);
    let nearest = list.nearest(config, |place| !asked.contains(&(place, *fold)));
    let nearest = nearest.map_err(|error| OptimizerError::failed("the nearest configuration", error))?;
    let Some(place) = nearest else { return Ok(Ask::Stop(StopReason::Exhausted)) };
    suggestion.query.config = list.configs[place].clone();
    Ok(Ask::Evaluate(suggestion))
}

/// An optimiser of folds that asks the nearest configuration of a list in place of each that it suggests.
///
/// The optimiser learns of the configuration that was asked. A fold of a configuration is asked once.
pub struct OnList<O> {
    pub optimizer: O,
    pub list: Arc<Listed>,
}

impl<O: Optimizer<Query = FoldQuery, Recommendation = Best<Config>>> Optimizer for OnList<O> {
    type Query = FoldQuery;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let ask = self.optimizer.ask(history, id)?;
        on_list(&self.list, ask, history)
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.optimizer.recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let ours = Fingerprint::new("on a list").with("configurations", &self.list.configs.len())?;
        Ok(ours.around(self.optimizer.fingerprint()?))
    }
}

#[cfg(test)]
mod tests {
    use thrifty_study::Study;

    use super::*;
    use crate::fcvopt::methods::{LEARNERS, Setup};

    fn list(count: usize) -> Arc<Listed> {
        let space = Space::builder()
            .float("x", 0.0, 1.0)
            .int("n", 1, 3)
            .log_float("rate", 1e-5, 0.95)
            .log_int("leaves", 2, 1024)
            .categorical("order", ["depth", "gain"]);
        let mut first = Config::new();
        first.insert("x", 0.5);
        first.insert("n", 2_i64);
        first.insert("rate", 0.1);
        first.insert("leaves", 64_i64);
        first.insert("order", "gain");
        let space = space.build().unwrap();
        Arc::new(Listed::sobol(space, first, count, Seed(3)).unwrap())
    }

    #[test]
    fn lists_have_no_configuration_twice_and_know_their_places() {
        let list = list(20);
        assert_eq!(list.configs.len(), 20);
        for (place, config) in list.configs.iter().enumerate() {
            assert_eq!(list.place(config), Some(place));
            assert_eq!(list.nearest(config, |_| true).unwrap(), Some(place));
            assert_ne!(list.nearest(config, |other| other != place).unwrap(), Some(place));
        }
        assert_eq!(list.nearest(&list.configs[0], |_| false).unwrap(), None);
        // Logarithms round; another number is another configuration.
        let mut other = list.configs[7].clone();
        let rate = other.float("rate").unwrap();
        other.insert("rate", rate * (1.0 + 1e-14));
        assert_eq!(list.place(&other), Some(7));
        other.insert("rate", rate * 1.001);
        assert_eq!(list.place(&other), None);
        // A space with three configurations gives no more.
        let space = Space::builder().int("n", 1, 3).build().unwrap();
        let mut first = Config::new();
        first.insert("n", 2_i64);
        assert_eq!(Listed::sobol(space, first, 50, Seed(0)).unwrap().configs.len(), 3);
    }

    /// Every method asks what is listed, no fold twice, and whole cross-validations stay whole; it recommends what it asked.
    #[test]
    fn all_methods_keep_to_the_list() {
        let (list, folds) = (list(7), 3);
        for method in LEARNERS {
            let space = list.space.clone();
            let setup = Setup { space, folds, fits: 15, seed: Seed(1), python: &[] };
            let optimizer = (method.make)(setup).unwrap();
            let mut study =
                Study::new(optimizer.on_list(list.clone()), Seed(1)).with_stop(thrifty_study::MaxTrials(15));
            study
                .run(|query: &FoldQuery, _: &mut _| {
                    query.config.float("x").unwrap_or(f64::NAN) + 0.1 * query.fold as f64
                })
                .unwrap();
            let mut seen = BTreeSet::new();
            let trials = study.history().trials();
            for trial in trials {
                let place = list.place(&trial.query.config).expect("on the list");
                assert!(seen.insert((place, trial.query.fold)), "{}: {place} twice", method.name);
            }
            assert!(trials.len() >= 7, "{}", method.name);
            if method.name.starts_with("full") {
                assert!(
                    trials
                        .chunks(folds)
                        .all(|whole| whole.iter().all(|t| t.query.config == whole[0].query.config))
                );
            }
            let best = study.recommend().unwrap().unwrap();
            assert!(list.place(&best.config).is_some(), "{}: {}", method.name, best.config);
        }
    }
}
