//! Optimisers with a model on configurations whose curves are known.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use thrifty_domain::Points;
use thrifty_fidelity::{FidelityCost, MultiFidelityOptimizer, MultiFidelitySettings};
use thrifty_model_based::{InitialDesign, Maximizer};
use thrifty_pruning::HyperbandPruner;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Kind, Parameter, Space};
use thrifty_study::{
    Ask, Context, Fingerprint, History, HistoryView, Optimizer, OptimizerError, Outcome, ReportError,
    StopReason, StopRule, Study, TrialId,
};
use thrifty_tpe::TpeOptimizer;

use super::curves::CurveSet;
use super::meter::{Done, Meter};
use crate::error::ExperimentError;

pub const TPE_HYPERBAND: &str = "TPE, Hyperband";
pub const FIDELITY: &str = "multi-fidelity";

/// Name of the fidelity.
const EPOCHS: &str = "epochs";

/// Trials of the multi-fidelity optimiser, whose model has some observations of each.
const TRIALS: usize = 60;

/// Conditions of the two optimisers.
pub fn note() -> String {
    format!(
        "Parzen estimators and the multi-fidelity optimiser suggest in the space of the hyperparameters, and the nearest configuration that was trained is taken. The multi-fidelity \
         optimiser has {TRIALS} trials, a training continues where the configuration was left, and an evaluation is taken to cost half a training more than its epochs. Then the recommended \
         configuration is trained to the end until it is one that was. Epochs that it leaves are not spent."
    )
}

/// Configurations whose curves are known.
struct Pool {
    space: Space,
    configs: Vec<Config>,
    points: Points,
}

impl Pool {
    fn new(set: &CurveSet) -> Result<Self, OptimizerError> {
        let mut points = Points::new(set.space.dim());
        for config in &set.configs {
            points.push(&encoded(&set.space, config)?);
        }
        Ok(Self { space: set.space.clone(), configs: set.configs.clone(), points })
    }

    /// Indices of the configurations, nearest in the unit cube first.
    fn nearest(&self, config: &Config) -> Result<Vec<usize>, OptimizerError> {
        let x = encoded(&self.space, config)?;
        let distance =
            |i: &usize| -> f64 { self.points.row(*i).iter().zip(&x).map(|(a, b)| (a - b) * (a - b)).sum() };
        let mut order: Vec<usize> = (0..self.configs.len()).collect();
        order.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        Ok(order)
    }
}

fn nearest<O>(optimizer: O, set: &CurveSet) -> Result<Nearest<O>, OptimizerError> {
    Ok(Nearest { optimizer, pool: Pool::new(set)?, steps: set.curves[0].len() as i64 })
}

fn encoded(space: &Space, config: &Config) -> Result<Vec<f64>, OptimizerError> {
    space.encode(config).map_err(|error| OptimizerError::failed("reading a configuration of the pool", error))
}

/// An optimiser of a space whose suggestions are moved to the nearest configuration of the pool.
///
/// A configuration is not asked for epochs that it has: where all have them, the suggestion is for more epochs.
struct Nearest<O> {
    optimizer: O,
    pool: Pool,
    /// Epochs of a whole trial.
    steps: i64,
}

impl<O> Nearest<O> {
    /// The nearest configuration with fewer epochs, and the epochs to train it to.
    fn continued(
        &self,
        history: &History<Config>,
        query: &Config,
        epochs: i64,
    ) -> Result<Option<Config>, OptimizerError> {
        let order = self.pool.nearest(query)?;
        let mut trained = vec![0; self.pool.configs.len()];
        for trial in history.trials() {
            let mut config = trial.query.clone();
            config.remove(EPOCHS);
            if let Some(at) = self.pool.configs.iter().position(|known| *known == config) {
                trained[at] = trial.query.int(EPOCHS).unwrap_or(0).max(trained[at]);
            }
        }
        let found = (epochs..=self.steps).find_map(|epochs| {
            let at = order.iter().find(|at| trained[**at] < epochs)?;
            let mut config = self.pool.configs[*at].clone();
            config.insert(EPOCHS, epochs);
            Some(config)
        });
        Ok(found)
    }
}

impl<O: Optimizer<Query = Config>> Optimizer for Nearest<O> {
    type Query = Config;
    type Recommendation = O::Recommendation;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let mut suggestion = match self.optimizer.ask(history, id)? {
            Ask::Evaluate(suggestion) => suggestion,
            other => return Ok(other),
        };
        let mut query = suggestion.query.clone();
        let found = if query.remove(EPOCHS).is_some() {
            self.continued(history, &query, suggestion.query.int(EPOCHS).unwrap_or(self.steps))?
        } else {
            self.pool.nearest(&query)?.first().map(|at| self.pool.configs[*at].clone())
        };
        let Some(found) = found else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        suggestion.query = found;
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(
        &mut self,
        history: &History<Config>,
    ) -> Result<Option<Self::Recommendation>, OptimizerError> {
        self.optimizer.recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("nearest").around(self.optimizer.fingerprint()?))
    }
}

/// Index of a configuration of the set, and its epochs if it has them.
fn read(set: &CurveSet, query: &Config) -> (Option<usize>, usize) {
    let mut config = query.clone();
    let epochs = config.remove(EPOCHS).map_or(0, |_| query.int(EPOCHS).unwrap_or(0));
    (set.configs.iter().position(|known| *known == config), usize::try_from(epochs).unwrap_or(0))
}

/// Parzen estimators with trials that Hyperband stops.
///
/// # Errors
/// [`ExperimentError`] when the study fails.
pub fn tpe_hyperband(set: &CurveSet, seed: Seed, mut meter: Meter) -> Result<Done, ExperimentError> {
    let steps = set.curves[0].len() as u64;
    let optimizer = nearest(TpeOptimizer::new(set.space.clone())?, set)?;
    let mut study =
        Study::new(optimizer, seed).with_stop(meter.stop()).with_pruner(HyperbandPruner::new(steps));
    study.run(|query, context| -> Result<Outcome, ReportError> {
        match read(set, query).0 {
            Some(at) => meter.train(&set.curves[at], context),
            None => Ok(Outcome::failed("not of the pool")),
        }
    })?;
    Ok(meter.done(study.history()))
}

/// Stops after so many trials, a number that grows.
struct Trials(Arc<AtomicUsize>);

impl StopRule for Trials {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let most = self.0.load(Ordering::Relaxed);
        (view.asked() >= most).then_some(StopReason::Trials(most))
    }
}

/// Bayesian optimisation with epochs as a fidelity: a configuration continues where it was left. After its trials the recommended configuration
/// is trained to the end, again and again until the recommendation is one that was.
///
/// # Errors
/// [`ExperimentError`] when the study fails.
pub fn fidelity(set: &CurveSet, seed: Seed, mut meter: Meter) -> Result<Done, ExperimentError> {
    let most = Arc::new(AtomicUsize::new(TRIALS));
    let mut study =
        Study::new(multi_fidelity(set)?, seed).with_stop(meter.stop()).with_stop(Trials(Arc::clone(&most)));
    let mut trained = vec![0; set.curves.len()];
    let mut evaluate = |query: &Config, context: &mut Context<'_>| -> Result<Outcome, ReportError> {
        let (Some(at), epochs) = read(set, query) else { return Ok(Outcome::failed("not of the pool")) };
        let curve = &set.curves[at];
        while trained[at] < epochs {
            let loss = curve[trained[at]];
            if !meter.spend(loss, trained[at] + 1 == curve.len()) {
                return Ok(context.pruned());
            }
            trained[at] += 1;
            context.report(trained[at] as u64, loss)?;
        }
        Ok(curve.get(epochs.saturating_sub(1)).copied().unwrap_or(f64::NAN).into())
    };
    loop {
        let asked = study.history().len();
        study.run(&mut evaluate)?;
        let best = study.recommend()?.filter(|best| !best.is_verified && study.history().len() > asked);
        let Some(best) = best else { break };
        study.enqueue(best.config)?;
        most.fetch_add(1, Ordering::Relaxed);
    }
    Ok(meter.done(study.history()))
}

fn multi_fidelity(set: &CurveSet) -> Result<Nearest<MultiFidelityOptimizer>, ExperimentError> {
    let mut parameters = set.space.parameters().to_vec();
    let kind = Kind::Int { low: 1, high: set.curves[0].len() as i64, step: 1, log: true };
    parameters.push(Parameter { name: EPOCHS.into(), kind, conditions: Vec::new() });
    let space = Space::new(parameters)?;
    let settings = MultiFidelitySettings {
        initial: InitialDesign::Sobol(8),
        // Trials are limited too: one is worth half a training. Chosen on the curves of seed 101.
        cost: FidelityCost::Proportional { fixed: 0.5 },
        continues: true,
        reports: 2,
        anchors: 16,
        maximizer: Maximizer { raw: 128, around_best: 6, climbs: 2 },
        ..MultiFidelitySettings::default()
    };
    let optimizer = MultiFidelityOptimizer::new(space, EPOCHS)?.with_settings(settings)?;
    Ok(nearest(optimizer, set)?)
}

#[cfg(test)]
mod tests {
    use thrifty_space::Value;

    use super::*;

    /// Hyperbolas of one parameter: the loss at the end is |x - 0.3| + 0.02, larger before.
    fn hyperbolas() -> CurveSet {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let x = |i: i32| f64::from(i) / 40.0;
        let config = |i: i32| {
            let mut config = Config::new();
            config.insert("x", Value::Float(x(i)));
            config
        };
        let curve = |i: i32| (1..=9).map(|step| (x(i) - 0.3).abs() + 0.18 / f64::from(step)).collect();
        CurveSet {
            name: "hyperbolas",
            curves: (0..=40).map(curve).collect(),
            configs: (0..=40).map(config).collect(),
            space,
        }
    }

    /// Both find the best of 41 configurations by fewer epochs than all of them have, and spend no more than they may.
    #[test]
    fn models_find_the_best_configuration() {
        let set = hyperbolas();
        for method in [tpe_hyperband, fidelity] {
            let done = method(&set, Seed(3), Meter::new(270, (0.05, set.least()))).unwrap();
            assert!(done.needed < 270 && done.regret[59] <= 0.03, "{done:?}");
            assert_eq!(done.regret.len(), 67);
        }
    }

    #[test]
    fn suggestions_are_moved_to_the_pool() {
        let pool = Pool::new(&hyperbolas()).unwrap();
        let mut config = Config::new();
        config.insert("x", 0.512);
        assert_eq!(pool.nearest(&config).unwrap()[..3], [20, 21, 19]);
    }
}
