//! A scan over hyperparameters.

use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::Config;
use thrifty_study::{Next, Study};
use thrifty_tpe::{Startup, TpeOptimizer, TpeSettings};

use super::law::{Closure, Datum};
use super::space::space;
use super::training::{Hyperparameters, Model};
use crate::error::ExperimentError;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::runs::lossless_numbers;

/// Random trials that every search begins with, the same for all.
pub const STARTUP: usize = 20;
/// Folds of the training data.
const FOLDS: usize = 4;

/// Findings of a scan.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Scan {
    /// Loss of each trial.
    #[serde(with = "lossless_numbers")]
    pub losses: Vec<f64>,
    /// Mean loss of the chosen model over fresh initialisations: what the smallest of noisy losses promised.
    pub again: f64,
    /// At [`STARTUP`] trials and each doubling of it; empty for random search.
    pub densities: Vec<Densities>,
}

/// Goal of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Validation χ² per point, averaged over folds.
    Folds,
    /// χ² per point of the folds' mean network on both test sets: the bias and the noise of the test data.
    Test,
}

impl Goal {
    pub const ALL: [Self; 2] = [Self::Folds, Self::Test];

    pub fn name(self) -> &'static str {
        match self {
            Self::Folds => "K-fold χ²",
            Self::Test => "test χ²",
        }
    }

    /// The loss of one trial; seed and initialisation make it noisy.
    pub fn loss(self, h: &Hyperparameters, closure: &Closure, seed: Seed) -> f64 {
        let models: Vec<Model> = (0..FOLDS)
            .map(|fold| {
                let part = |left_out: bool| -> Vec<Datum> {
                    let numbered = closure.training.iter().enumerate();
                    numbered.filter(|(i, _)| (i % FOLDS == fold) == left_out).map(|(_, d)| *d).collect()
                };
                Model::train(h, &part(false), &part(true), &mut seed.stream("fold", fold as u64))
            })
            .collect();
        match self {
            Self::Folds => models.iter().map(|model| model.validation).sum::<f64>() / FOLDS as f64,
            Self::Test => {
                let data = [&closure.within[..], &closure.beyond].concat();
                let x: Vec<f64> = data.iter().map(|d| d.x).collect();
                let predictions: Vec<Vec<f64>> = models.iter().map(|model| model.predict(&x)).collect();
                let mean = |i: usize| predictions.iter().map(|p| p[i]).sum::<f64>() / FOLDS as f64;
                let chi2 = data.iter().enumerate().map(|(i, d)| d.chi2(mean(i)));
                chi2.sum::<f64>() / data.len() as f64
            }
        }
    }
}

/// Search of the trials after the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    Described,
    Default,
    Random,
}

impl Search {
    pub const ALL: [Self; 3] = [Self::Described, Self::Default, Self::Random];

    pub fn name(self) -> &'static str {
        match self {
            Self::Described => "TPE, nnpdf",
            Self::Default => "TPE, default",
            Self::Random => "random",
        }
    }

    /// The estimator's rules; none for random search.
    fn settings(self) -> Option<TpeSettings> {
        let settings = match self {
            Self::Described => TpeSettings::nnpdf(),
            Self::Default => TpeSettings::default(),
            Self::Random => return None,
        };
        Some(TpeSettings { startup: Startup::Random(STARTUP), candidates: 24, ..settings })
    }
}

/// Densities of good and bad trials over one parameter, per unit of its logarithm, or of itself.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Densities {
    pub trials: usize,
    pub parameter: String,
    /// Value, ln l, ln g.
    pub curve: Vec<(f64, f64, f64)>,
}

/// Parameters whose densities are followed, from, to.
pub const FOLLOWED: [(&str, f64, f64); 2] = [("learning rate", 1e-3, 0.5), ("weight decay", 1e-8, 1e-2)];
/// Fresh initialisations of a chosen model.
const AGAIN: u64 = 4;

/// Runs one search to a number of trials. The start and each trial's noise depend on the seed alone.
pub fn scan(
    search: Search,
    goal: Goal,
    closure: &Closure,
    trials: usize,
    seed: Seed,
) -> Result<(Scan, Hyperparameters), ExperimentError> {
    let space = space()?;
    let design = (0..STARTUP as u64).map(|i| space.sample(&mut seed.stream("design", i))).collect();
    let estimator = |settings| TpeOptimizer::new(space.clone()).and_then(|tpe| tpe.with_settings(settings));
    let inner = match search.settings() {
        Some(settings) => AnyOptimizer::new(estimator(settings)?),
        None => AnyOptimizer::new(RandomSearch::new(space.clone())),
    };
    let mut study = Study::new(AfterDesign { design, search: inner }, seed);
    let loss = |config: &Config, purpose, id| -> Result<f64, ExperimentError> {
        Ok(goal.loss(&Hyperparameters::of(config)?, closure, seed.child(purpose, id)))
    };
    let (mut losses, mut densities) = (Vec::with_capacity(trials), Vec::new());
    while losses.len() < trials {
        let Next::Evaluate(trial) = study.ask()? else { break };
        let value = loss(&trial.query, "trial", trial.id.0)?;
        study.tell(trial.id, value)?;
        losses.push(value);
        let count = losses.len();
        let doubled = count % STARTUP == 0 && (count / STARTUP).is_power_of_two();
        if let (true, Some(settings)) = (doubled, search.settings()) {
            let mut estimator = estimator(settings)?;
            for (parameter, low, high) in FOLLOWED {
                let values: Vec<f64> =
                    (0..=200).map(|i| low * (high / low).powf(f64::from(i) / 200.0)).collect();
                let pairs = estimator.marginals(study.history(), parameter, &values)?;
                let curve = values.into_iter().zip(pairs).map(|(x, (l, g))| (x, l, g)).collect();
                densities.push(Densities { trials: count, parameter: parameter.to_owned(), curve });
            }
        }
    }
    let nothing = || ExperimentError::Failed { message: "no trial of the scan was measured".into() };
    let config = study.recommend()?.ok_or_else(nothing)?.config;
    let mut again = 0.0;
    for i in 0..AGAIN {
        again += loss(&config, "again", i)? / AGAIN as f64;
    }
    Ok((Scan { losses, again, densities }, Hyperparameters::of(&config)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpe::nnpdf::law::Law;

    #[test]
    fn searches_share_their_start_and_repeat() {
        let closure = Closure::new(Law::Step, Seed(1));
        let run = |search, goal| scan(search, goal, &closure, 24, Seed(2)).expect("a scan").0;
        let [a, b, c] = Search::ALL.map(|search| run(search, Goal::Folds));
        assert_eq!(a.losses[..STARTUP], b.losses[..STARTUP]);
        assert_eq!(a.losses[..STARTUP], c.losses[..STARTUP]);
        assert_ne!(a.losses, c.losses);
        assert_eq!(run(Search::Described, Goal::Folds).losses, a.losses);
        assert!(a.densities.len() == 2 && c.densities.is_empty());
        assert_ne!(run(Search::Random, Goal::Test).losses, c.losses);
    }
}
