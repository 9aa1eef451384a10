//! Losses of a learner, measured once on every fold for a list of configurations.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use thrifty_cv::{FoldQuery, Splits};
use thrifty_learners::{Fold, Learner, Rows};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

use super::listed::Listed;
use crate::error::ExperimentError;
use crate::fcvopt::problem::FoldProblem;
use crate::harness::runs::lossless_numbers;
use crate::harness::stats::quantile;
use crate::harness::{JobName, RunContext, Runs};

/// Size of the measurement.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub configs: usize,
    pub folds: usize,
    /// Repeats of the cross-validation, at least 2.
    pub repeats: usize,
}

/// A learner on a data set, whose folds are measured.
pub struct Subject {
    pub name: &'static str,
    pub learner: Box<dyn Learner>,
    pub rows: Rows,
    /// Description of rows and learner for the report.
    pub what: String,
    /// Identification of the files.
    pub data: String,
}

/// Measured losses of a learner.
pub struct Measured {
    pub list: Arc<Listed>,
    pub size: Size,
    /// By configuration, then repeat times folds plus fold; not a number where the loss is not defined.
    losses: Vec<Vec<f64>>,
    /// Seconds of each fit.
    pub seconds: Vec<f64>,
}

/// Losses of one configuration.
#[derive(serde::Serialize, serde::Deserialize)]
struct Line {
    #[serde(with = "lossless_numbers")]
    losses: Vec<f64>,
    seconds: f64,
}

/// Measures a subject; every configuration is a job with its own line. Each shard measures all, since every study needs them.
pub fn measure(
    id: &'static str,
    subject: &Subject,
    size: Size,
    context: &RunContext,
) -> Result<Measured, ExperimentError> {
    let seed = Seed(context.seed).child(id, 0);
    let list = Listed::sobol(subject.learner.space()?, subject.learner.usual(), size.configs, seed)?;
    let folds = Folds::new(subject, size, seed)?;
    let jobs: Vec<usize> = (0..list.configs.len()).collect();
    let runs = Runs::new(id, context).part("folds").in_every_shard().data(subject.data.clone());
    let lines: Vec<Line> = runs.collect(
        &jobs,
        |config| JobName::new(subject.name, "configuration", *config),
        |config| folds.line(&list.configs[*config], *config),
    )?;
    let fits = (size.folds * size.repeats) as f64;
    let seconds = lines.iter().map(|line| line.seconds / fits).collect();
    let losses = lines.into_iter().map(|line| line.losses).collect();
    Ok(Measured { list: Arc::new(list), size, losses, seconds })
}

/// Folds of all repeats, each prepared when the first configuration needs it.
struct Folds<'a> {
    subject: &'a Subject,
    splits: Splits,
    size: Size,
    seed: Seed,
    prepared: Vec<OnceLock<Box<dyn Fold>>>,
}

impl<'a> Folds<'a> {
    fn new(subject: &'a Subject, size: Size, seed: Seed) -> Result<Self, ExperimentError> {
        let strata = subject.rows.targets.strata();
        let splits = Splits::stratified(&strata, size.folds, size.repeats, seed.child(subject.name, 0));
        let splits = splits.map_err(ExperimentError::failed)?;
        let prepared = (0..size.folds * size.repeats).map(|_| OnceLock::new()).collect();
        Ok(Self { subject, splits, size, seed, prepared })
    }

    fn fold(&self, at: usize) -> Result<&dyn Fold, ExperimentError> {
        if let Some(known) = self.prepared[at].get() {
            return Ok(&**known);
        }
        let (repeat, fold) = (at / self.size.folds, at % self.size.folds);
        let missing = || ExperimentError::failed(format!("fold {fold} of repeat {repeat} does not exist"));
        let split = self.splits.get(repeat, fold).ok_or_else(missing)?;
        let Subject { rows, learner, .. } = self.subject;
        let seed = self.seed.child("prepared", at as u64);
        let new = learner.prepare(&rows.picked(&split.train), &rows.picked(&split.test), seed)?;
        Ok(&**self.prepared[at].get_or_init(|| new))
    }

    fn line(&self, config: &Config, id: usize) -> Result<Line, ExperimentError> {
        let count = self.prepared.len();
        (0..count).try_for_each(|at| self.fold(at).map(|_| ()))?;
        let began = Instant::now();
        let one = |at: usize| -> Result<f64, ExperimentError> {
            let seed = self.seed.child(self.subject.name, (id * count + at) as u64);
            Ok(self.fold(at)?.loss(config, seed)?.unwrap_or(f64::NAN))
        };
        let losses = (0..count).map(one).collect::<Result<_, _>>()?;
        Ok(Line { losses, seconds: began.elapsed().as_secs_f64() })
    }
}

impl Measured {
    /// Mean loss over some repeats, by configuration; infinite where a loss is not defined.
    fn means(&self, keep: impl Fn(usize) -> bool) -> Vec<f64> {
        let mean = |losses: &Vec<f64>| {
            let kept = losses.iter().enumerate().filter(|(at, _)| keep(at / self.size.folds));
            let (sum, count) = kept.fold((0.0, 0.0), |(sum, count), (_, loss)| (sum + loss, count + 1.0));
            let mean: f64 = sum / count;
            if mean.is_finite() { mean } else { f64::INFINITY }
        };
        self.losses.iter().map(mean).collect()
    }

    /// Numbers of the whole measurement.
    pub fn summary(&self) -> Summary {
        let all = self.means(|_| true);
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let regret = |asked: usize| {
            let own = OneRepeat::of(self, asked);
            let seen = self.means(|repeat| repeat == asked);
            let best = (0..seen.len()).fold(0, |best, at| if seen[at] < seen[best] { at } else { best });
            own.losses[best] - own.least
        };
        let deviation = |losses: &Vec<f64>| crate::harness::stats::mean_and_std_dev(losses).1;
        let deviations: Vec<f64> = self.losses.iter().map(deviation).filter(|d| d.is_finite()).collect();
        let repeats = self.size.repeats;
        Summary {
            least,
            usual: all[0],
            median: quantile(&all, 0.5),
            within_margin: all.iter().filter(|loss| **loss <= least + super::MARGIN).count(),
            between_folds: quantile(&deviations, 0.5),
            whole: (0..repeats).map(regret).sum::<f64>() / repeats as f64,
            seconds: self.seconds.iter().sum::<f64>() / self.seconds.len() as f64,
        }
    }
}

/// Numbers of a measurement, means over all repeats.
pub struct Summary {
    pub least: f64,
    /// Loss of the usual values.
    pub usual: f64,
    pub median: f64,
    /// Configurations that are no worse than the best by the margin.
    pub within_margin: usize,
    /// Median standard deviation between folds of a configuration.
    pub between_folds: f64,
    /// Regret of the best of one whole cross-validation of all configurations, the mean over the repeats.
    pub whole: f64,
    /// Mean of a fit.
    pub seconds: f64,
}

/// Measured folds of which one repeat may be asked; the truth is the mean over the others.
pub struct OneRepeat {
    measured: Arc<Measured>,
    of: Truth,
}

struct Truth {
    asked: usize,
    losses: Vec<f64>,
    least: f64,
}

impl OneRepeat {
    pub fn new(measured: Arc<Measured>, asked: usize) -> Self {
        let of = Self::of(&measured, asked);
        Self { measured, of }
    }

    fn of(measured: &Measured, asked: usize) -> Truth {
        let losses = measured.means(|repeat| repeat != asked);
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        Truth { asked, losses, least }
    }
}

impl FoldProblem for OneRepeat {
    fn space(&self) -> &Space {
        &self.measured.list.space
    }

    fn folds(&self) -> usize {
        self.measured.size.folds
    }

    fn loss(&self, query: &FoldQuery, _: &mut Stream) -> Result<Outcome, SpaceError> {
        let place = self.measured.list.place(&query.config);
        let at = self.of.asked * self.measured.size.folds + query.fold;
        Ok(match place {
            Some(place) => Outcome::from(self.measured.losses[place][at]).checked(),
            None => Outcome::failed(format!("{} was not measured", query.config)),
        })
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        let place = self.measured.list.place(config);
        Ok(place.map_or(f64::INFINITY, |place| self.of.losses[place] - self.of.least))
    }

    fn listed(&self) -> Option<Arc<Listed>> {
        Some(self.measured.list.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_learners::{BoostedTrees, Targets, recipe};

    const SIZE: Size = Size { configs: 3, folds: 2, repeats: 3 };

    fn subject(rows: Rows) -> Subject {
        let learner = Box::new(BoostedTrees { rounds: 5, patience: 5, leaves: false });
        Subject { name: "test", learner, rows, what: String::new(), data: "own".into() }
    }

    fn measured(rows: Rows) -> Measured {
        let context = RunContext::default();
        measure("test", &subject(rows), SIZE, &context).unwrap()
    }

    #[test]
    fn the_truth_is_the_mean_over_the_other_repeats() {
        let measured = measured(recipe::hastie::rows(120, Seed(0)));
        assert_eq!((measured.losses.len(), measured.losses[0].len()), (3, 6));
        let (config, losses) = (measured.list.configs[1].clone(), measured.losses[1].clone());
        let least = (0..3)
            .map(|at| measured.losses[at][..2].iter().chain(&measured.losses[at][4..]).sum::<f64>() / 4.0);
        let least = least.fold(f64::INFINITY, f64::min);
        let problem = OneRepeat::new(Arc::new(measured), 1);
        let rng = &mut Seed(0).stream("test", 0);
        let asked = problem.loss(&FoldQuery { config: config.clone(), repeat: 0, fold: 1 }, rng).unwrap();
        assert_eq!(asked.objective(), Some(losses[3]));
        let expected = (losses[0] + losses[1] + losses[4] + losses[5]) / 4.0 - least;
        assert!((problem.regret(&config).unwrap() - expected).abs() < 1e-12);
        // Nothing is known of a configuration that is not on the list.
        let mut other = config;
        other.insert("max_depth", 9_i64);
        assert_eq!(problem.regret(&other).unwrap(), f64::INFINITY);
        assert!(
            problem
                .loss(&FoldQuery { config: other, repeat: 0, fold: 0 }, rng)
                .unwrap()
                .objective()
                .is_none()
        );
    }

    /// Rows of a single class have no loss on any fold: the measurement fails.
    #[test]
    fn undefined_losses_are_failures() {
        let mut rows = recipe::hastie::rows(40, Seed(0));
        rows.targets = Targets::Classes(vec![true; 40]);
        let measured = Arc::new(measured(rows));
        let config = measured.list.configs[0].clone();
        let problem = OneRepeat::new(measured, 0);
        let outcome = problem.loss(&FoldQuery { config, repeat: 0, fold: 0 }, &mut Seed(0).stream("test", 0));
        assert!(outcome.unwrap().objective().is_none());
    }

    /// The measurement does not depend on what ran before it, and another seed splits and samples anew.
    #[test]
    fn measurements_repeat() {
        let rows = recipe::hastie::rows(60, Seed(0));
        assert_eq!(measured(rows.clone()).losses, measured(rows.clone()).losses);
        let context = RunContext { seed: 1, ..RunContext::default() };
        let other = measure("test", &subject(rows.clone()), SIZE, &context).unwrap();
        assert_ne!(other.losses[0], measured(rows).losses[0]);
    }
}
