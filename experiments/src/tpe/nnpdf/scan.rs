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
        let models = of_folds(h, closure, seed);
        match self {
            Self::Folds => models.iter().map(|model| model.validation).sum::<f64>() / FOLDS as f64,
            Self::Test => chi2(&models, &[&closure.within[..], &closure.beyond].concat()),
        }
    }

    /// Mean over laws, and for [`Goal::Test`] over both test sets of each, of the logarithm of the loss: a factor counts
    /// the same on every law and set.
    pub fn across(self, h: &Hyperparameters, closures: &[Closure], seed: Seed) -> f64 {
        let logs: Vec<f64> = closures
            .iter()
            .flat_map(|closure| {
                let own = seed.child("law", closure.law as u64);
                let losses = match self {
                    Self::Folds => vec![self.loss(h, closure, own)],
                    Self::Test => {
                        let models = of_folds(h, closure, own);
                        vec![chi2(&models, &closure.within), chi2(&models, &closure.beyond)]
                    }
                };
                losses.into_iter().map(f64::ln)
            })
            .collect();
        logs.iter().sum::<f64>() / logs.len() as f64
    }
}

/// One network per fold, which stops early by it.
fn of_folds(h: &Hyperparameters, closure: &Closure, seed: Seed) -> Vec<Model> {
    let of_fold = |fold: usize| {
        let part = |left_out: bool| -> Vec<Datum> {
            let numbered = closure.training.iter().enumerate();
            numbered.filter(|(i, _)| (i % FOLDS == fold) == left_out).map(|(_, d)| *d).collect()
        };
        Model::train(h, &part(false), &part(true), &mut seed.stream("fold", fold as u64))
    };
    (0..FOLDS).map(of_fold).collect()
}

/// χ² per point of the mean of networks.
fn chi2(models: &[Model], data: &[Datum]) -> f64 {
    let x: Vec<f64> = data.iter().map(|d| d.x).collect();
    let predictions: Vec<Vec<f64>> = models.iter().map(|model| model.predict(&x)).collect();
    let mean = |i: usize| predictions.iter().map(|p| p[i]).sum::<f64>() / models.len() as f64;
    data.iter().enumerate().map(|(i, d)| d.chi2(mean(i))).sum::<f64>() / data.len() as f64
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
    fn settings(self, startup: usize) -> Option<TpeSettings> {
        let settings = match self {
            Self::Described => TpeSettings::nnpdf(),
            Self::Default => TpeSettings::default(),
            Self::Random => return None,
        };
        Some(TpeSettings { startup: Startup::Random(startup), candidates: 24, ..settings })
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

/// Runs one search of one law to a number of trials. The start and each trial's noise depend on the seed alone.
pub fn scan(
    search: Search,
    goal: Goal,
    closure: &Closure,
    trials: usize,
    seed: Seed,
) -> Result<(Scan, Hyperparameters), ExperimentError> {
    let found = scan_of(search, (STARTUP, trials), seed, |h, seed| goal.loss(h, closure, seed))?;
    Ok((found.scan, found.best))
}

/// A scan with its recommendation, and the trial of the start with the largest loss.
pub struct Scanned {
    pub scan: Scan,
    pub best: Hyperparameters,
    pub worst: Hyperparameters,
}

/// Runs one search with any loss, from so many random trials to a number of trials.
pub fn scan_of(
    search: Search,
    (startup, trials): (usize, usize),
    seed: Seed,
    of: impl Fn(&Hyperparameters, Seed) -> f64,
) -> Result<Scanned, ExperimentError> {
    let space = space()?;
    let design: Vec<Config> =
        (0..startup as u64).map(|i| space.sample(&mut seed.stream("design", i))).collect();
    let estimator = |settings| TpeOptimizer::new(space.clone()).and_then(|tpe| tpe.with_settings(settings));
    let inner = match search.settings(startup) {
        Some(settings) => AnyOptimizer::new(estimator(settings)?),
        None => AnyOptimizer::new(RandomSearch::new(space.clone())),
    };
    let mut study = Study::new(AfterDesign { design: design.clone(), search: inner }, seed);
    let loss = |config: &Config, purpose, id| -> Result<f64, ExperimentError> {
        Ok(of(&Hyperparameters::of(config)?, seed.child(purpose, id)))
    };
    let (mut losses, mut densities) = (Vec::with_capacity(trials), Vec::new());
    while losses.len() < trials {
        let Next::Evaluate(trial) = study.ask()? else { break };
        let value = loss(&trial.query, "trial", trial.id.0)?;
        study.tell(trial.id, value)?;
        losses.push(value);
        let count = losses.len();
        let doubled = count % startup == 0 && (count / startup).is_power_of_two();
        if let (true, Some(settings)) = (doubled, search.settings(startup)) {
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
    let first = losses.iter().enumerate().take(startup);
    let worst = first.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
    let worst = Hyperparameters::of(design.get(worst).unwrap_or(&config))?;
    Ok(Scanned { scan: Scan { losses, again, densities }, best: Hyperparameters::of(&config)?, worst })
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
