//! Hybrid optimisation: exploration by coin flip around a model-based optimiser.

use thrifty_acquisition::{ProbabilityOfImprovement, Utility};
use thrifty_model_based::{Candidate, ModelBased, Modelled, Outlook, Turn};
use thrifty_sampling::Stream;
use thrifty_study::{
    Ask, EXPECTED_IMPROVEMENT, EXPECTED_IMPROVEMENT_RANGE, Fingerprint, History, Measurement,
    MeasurementProblem, Memo, MemoKey, Optimizer, OptimizerError, Query, StopReason, Suggestion, Trial,
    TrialId,
};
use thrifty_surrogate::Prediction;

use crate::explore::candidates;
use crate::{ConvergenceMeasure, Exploration, ExplorePoint, HybridSettings, OnConvergence};

/// Hybrid optimisation: a model-based optimiser with exploration by coin flip. It covers Algorithms 1, 2 and 3 and variants.
///
/// Each turn fits the surrogates and draws a uniform v. If v is below the exploration rate, it evaluates the point to explore, else the
/// optimiser's own choice. The coin of trial i comes from the stream ("coin", i).
///
/// It works around every [`ModelBased`] optimiser. With several objectives, the point to explore has the largest sum of log standard
/// deviations. Level sets have no improvement and never converge. Rules that need one objective are an error at the first turn.
///
/// Diagnostics of a suggestion: those of the optimiser, and
/// - `explored`: 1 for an explored point, also if the optimiser explored by itself; otherwise 0;
/// - `forced` (0 or 1) and `rate`;
/// - `turns`: the number so far, including skipped ones;
/// - `threshold` and `max_expected_improvement` where they are defined;
/// - `probability_of_improvement` at the point to explore, for [`Exploration::PiScaled`].
///
/// ```
/// use thrifty_bo::MultiObjectiveOptimizer;
/// use thrifty_hybrid::Hybrid;
/// use thrifty_sampling::Seed;
/// use thrifty_space::{Config, Space};
/// use thrifty_study::{Measurement, Study};
/// let space = Space::builder().float("x", -1.0, 2.0).build()?;
/// let optimizer = Hybrid::new(MultiObjectiveOptimizer::new(space));
/// let mut study = Study::new(optimizer, Seed(1)).with_trials(10);
/// study.run(|config: &Config, _| {
///     let x = config.float("x").unwrap_or(f64::NAN);
///     Measurement { objectives: vec![x * x, (x - 1.0).powi(2)], ..Measurement::default() }
/// })?;
/// assert!(study.recommend()?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Hybrid<O> {
    optimizer: O,
    settings: HybridSettings,
}

/// Number of turns so far, including skipped ones.
static TURNS: MemoKey<u64> = MemoKey::new("turns");

/// Decision of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Explore { forced: bool },
    Exploit,
    Skip,
    Stop,
}

impl<O: ModelBased> Hybrid<O> {
    /// A hybrid around an optimiser, with default settings.
    #[must_use]
    pub fn new(optimizer: O) -> Self {
        Self::of(optimizer, HybridSettings::default())
    }

    /// Creates a hybrid with validated settings.
    pub(crate) fn of(optimizer: O, settings: HybridSettings) -> Self {
        Self { optimizer, settings }
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: HybridSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        self.settings = settings;
        Ok(self)
    }

    /// The wrapped optimiser.
    #[must_use]
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &HybridSettings {
        &self.settings
    }
}

impl HybridSettings {
    /// The probability of exploring, and for the PI-scaled rule also the probability of improvement.
    fn rate<Q>(
        &self,
        turn: &dyn Modelled<Q>,
        outlook: Option<Outlook>,
        explore: &mut Explore<'_>,
    ) -> Result<(f64, Option<f64>), OptimizerError> {
        Ok(match self.exploration {
            Exploration::Never | Exploration::ForcedOnConvergence => (0.0, None),
            Exploration::FixedRate { rate } => (rate, None),
            Exploration::EpsRandom { epsilon } | Exploration::EpsPareto { epsilon } => (epsilon, None),
            Exploration::PiScaled { basis, floor } => {
                let posteriors = turn.posteriors();
                let (Some(target), [posterior]) =
                    (outlook.and_then(|outlook| outlook.target), &posteriors[..])
                else {
                    let error = "the probability of improvement needs an optimiser with one objective";
                    return Err(OptimizerError::failed("finding the rate of exploration", error));
                };
                // Until a feasible point was measured, every loss is an improvement: the optimiser searches for feasible points.
                if target == f64::INFINITY {
                    return Ok((floor, None));
                }
                let improvement = explore.all(turn)?.first().map_or(0.0, |point| {
                    let Prediction { mean, variance } = posterior.predict(&point.x);
                    ProbabilityOfImprovement { target }.value(mean, variance.sqrt())
                });
                (floor.max(basis * improvement), Some(improvement))
            }
        })
    }

    /// True if the chosen measure of an exploit turn is below ε.
    fn has_converged<Q>(
        &self,
        turn: &dyn Modelled<Q>,
        outlook: Option<Outlook>,
    ) -> Result<bool, OptimizerError> {
        let Some(outlook) = outlook else { return Ok(false) };
        Ok(match self.measure {
            ConvergenceMeasure::ExpectedImprovement => outlook.expected < self.epsilon * outlook.range,
            ConvergenceMeasure::Anticipated => {
                self.exploited().largest(turn, outlook)?.is_some_and(|largest| largest < self.epsilon)
            }
        })
    }

    fn decision(&self, explores: bool, converged: bool) -> Decision {
        match (explores, converged, self.exploration, self.convergence) {
            (true, ..) => Decision::Explore { forced: false },
            (false, true, Exploration::ForcedOnConvergence, _) | (false, true, _, OnConvergence::Force) => {
                Decision::Explore { forced: true }
            }
            (false, true, _, OnConvergence::Stop) => Decision::Stop,
            (false, true, _, OnConvergence::Skip) => Decision::Skip,
            (false, ..) => Decision::Exploit,
        }
    }

    /// Flips the coin until a turn is not skipped. Returns the decision and the number of turns so far.
    fn flip(&self, coin: &mut Stream, spent: u64, rate: f64, converged: bool) -> (Decision, u64) {
        let limit = self.max_turns.map_or(spent + MOST_SKIPS, |turns| turns as u64);
        for turns in spent..limit {
            match self.decision(coin.uniform() < rate, converged) {
                Decision::Skip => {}
                decision => return (decision, turns + 1),
            }
        }
        (Decision::Skip, limit)
    }
}

/// Largest number of skipped turns before one evaluation, if the number of turns is not limited.
const MOST_SKIPS: u64 = 1000;

/// The points to explore, computed on first use.
struct Explore<'a> {
    point: ExplorePoint,
    rng: &'a mut Stream,
    found: Option<Vec<Candidate>>,
}

impl Explore<'_> {
    fn all<Q>(&mut self, turn: &dyn Modelled<Q>) -> Result<&[Candidate], OptimizerError> {
        let found = self.found.take().map_or_else(|| candidates(self.point, turn, self.rng), Ok)?;
        Ok(self.found.insert(found))
    }
}

/// Values of a turn that are added to each of its suggestions.
struct Numbers {
    outlook: Option<Outlook>,
    rate: f64,
    improvement: Option<f64>,
    turns: u64,
}

impl Numbers {
    fn add_to<Q: Query>(&self, suggestion: Suggestion<Q>, decision: Decision) -> Suggestion<Q> {
        let flag = |holds: bool| f64::from(u8::from(holds));
        // The optimiser may explore by itself in a turn that exploits.
        let explores = suggestion.diagnostics.get("explored") == Some(&1.0);
        let mut suggestion = suggestion
            .with_diagnostic("explored", flag(explores || decision != Decision::Exploit))
            .with_diagnostic("forced", flag(decision == Decision::Explore { forced: true }))
            .with_diagnostic("rate", self.rate)
            .with_diagnostic("turns", self.turns as f64)
            .with_memo(&TURNS, &self.turns);
        if let Some(outlook) = self.outlook {
            suggestion = suggestion
                .with_outlook(&EXPECTED_IMPROVEMENT, outlook.expected)
                .with_memo(&EXPECTED_IMPROVEMENT_RANGE, &outlook.range);
            if let Some(target) = outlook.target {
                suggestion = suggestion.with_diagnostic("threshold", target);
            }
        }
        match self.improvement {
            Some(improvement) => suggestion.with_diagnostic("probability_of_improvement", improvement),
            None => suggestion,
        }
    }
}

fn stop<Q>(message: &str, outlook: Option<Outlook>) -> Ask<Q> {
    let numbers = outlook.iter().flat_map(|outlook| {
        [("max_expected_improvement", outlook.expected), ("range", outlook.range)]
            .map(|(name, value)| (name.to_owned(), value))
    });
    Ask::Stop(StopReason::Decided { message: message.into(), numbers: numbers.collect() })
}

impl<O: ModelBased> Optimizer for Hybrid<O> {
    type Query = O::Query;
    type Recommendation = O::Recommendation;

    fn ask(&mut self, history: &History<O::Query>, id: TrialId) -> Result<Ask<O::Query>, OptimizerError> {
        let settings = &self.settings;
        let mut turn = match self.optimizer.turn(history, id)? {
            Turn::Decided(ask) => return Ok(ask),
            Turn::Modelled(turn) => turn,
        };
        settings.check_turn(&*turn, id)?;
        let acquisition = settings.acquisition();
        let outlook = turn.outlook(acquisition.as_deref())?;
        let converged = settings.has_converged(&*turn, outlook)?;
        let mut rng = history.seed().stream("explore", id.0);
        let mut explore = Explore { point: settings.explore_point(), rng: &mut rng, found: None };
        let (rate, improvement) = settings.rate(&*turn, outlook, &mut explore)?;
        let spent = spent_turns(history);
        let (decision, turns) =
            settings.flip(&mut history.seed().stream("coin", id.0), spent, rate, converged);
        let numbers = Numbers { outlook, rate, improvement, turns };
        match decision {
            Decision::Skip => Ok(stop("every turn is spent", outlook)),
            Decision::Stop => Ok(stop("no improvement is expected", outlook)),
            Decision::Exploit => Ok(match turn.exploit(acquisition.as_deref())? {
                Ask::Evaluate(suggestion) => Ask::Evaluate(numbers.add_to(suggestion, decision)),
                other => other,
            }),
            Decision::Explore { .. } => {
                let points = explore.all(&*turn)?.to_vec();
                Ok(match turn.suggest(points)? {
                    Some(suggestion) => Ask::Evaluate(numbers.add_to(suggestion, decision)),
                    None => Ask::Stop(StopReason::Exhausted),
                })
            }
        }
    }

    fn recommend(
        &mut self,
        history: &History<O::Query>,
    ) -> Result<Option<O::Recommendation>, OptimizerError> {
        self.optimizer.recommend(history)
    }

    fn check(&self, query: &O::Query, is_whole: bool) -> Result<(), OptimizerError> {
        self.optimizer.check(query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.optimizer.check_measurement(measurement)
    }

    fn canonical(&self, query: O::Query) -> O::Query {
        self.optimizer.canonical(query)
    }

    fn ask_given(
        &mut self,
        history: &History<O::Query>,
        id: TrialId,
        given: &O::Query,
    ) -> Result<Ask<O::Query>, OptimizerError> {
        self.optimizer.ask_given(history, id, given)
    }

    fn moved(&self, memo: Memo) -> Memo {
        self.optimizer.moved(memo)
    }

    fn plan(&mut self, trials: usize) {
        self.optimizer.plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("hybrid").with("hybrid", &self.settings)?.around(self.optimizer.fingerprint()?))
    }
}

/// Number of turns of a history: that of the latest trial that records it. Trials from elsewhere have none, and older journals keep it
/// among the diagnostics.
fn spent_turns<Q>(history: &History<Q>) -> u64 {
    let of = |trial: &Trial<Q>| {
        let noted = || trial.diagnostics.get("turns").map(|turns| *turns as u64);
        trial.memo.get(&TURNS).or_else(noted)
    };
    history.trials().iter().rev().find_map(of).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_space::Config;

    use super::*;

    #[test]
    fn no_turn_is_spent_before_the_first_trial() {
        assert_eq!(spent_turns(&History::<Config>::new(Seed(0))), 0);
    }
}
