use thrifty_acquisition::{AcquisitionFactory, PosteriorMean, ProbabilityOfImprovement, Utility};
use thrifty_bo::{BayesianOptimizer, BoSettings, Candidate, SurrogateState, reject_nan};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, StopReason, Suggestion, TrialId};
use thrifty_surrogate::Surrogate;

use crate::explore::candidates;
use crate::{Exploration, ExplorePoint, HybridSettings, OnConvergence};

/// Bayesian optimisation with exploration by coin flip: Algorithms 1, 2 and 3 and their relatives.
///
/// Each turn: fit the model; let a uniform v decide. Below the exploration rate evaluate the point to explore,
/// else the acquisition's best. The coin of trial i comes from the stream ("coin", i).
///
/// Diagnostics of a suggestion: those of [`BayesianOptimizer`] and `explored` (0 or 1), `forced` (0 or 1),
/// `rate`, `turns` (so far, skipped ones included), `max_expected_improvement`, and
/// `probability_of_improvement` at the point to explore for [`Exploration::PiScaled`].
pub struct HybridOptimizer {
    base: BayesianOptimizer,
    settings: HybridSettings,
}

/// What one turn decided.
enum Turn {
    Explore { forced: bool },
    Exploit,
    Skip,
    Stop,
}

impl HybridOptimizer {
    /// A hybrid with the default Gaussian process.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that makes no sense.
    pub fn new(space: Space, seed: Seed, settings: HybridSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        let base = BayesianOptimizer::new(space, seed).with_settings(settings.base.clone())?;
        Ok(Self { base, settings })
    }

    /// Replaces the surrogate.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: impl Surrogate + 'static) -> Self {
        self.base = self.base.with_surrogate(surrogate);
        self
    }

    /// Sets an acquisition function of one's own to exploit by, where the settings do not explore greedily.
    #[must_use]
    pub fn with_acquisition(mut self, acquisition: impl AcquisitionFactory + 'static) -> Self {
        self.base = self.base.with_acquisition(acquisition);
        self
    }

    /// The acquisition to exploit by: the ε rules are greedy.
    fn acquisition(&self) -> &dyn AcquisitionFactory {
        match self.settings.exploration {
            Exploration::EpsRandom { .. } | Exploration::EpsPareto { .. } => &PosteriorMean,
            _ => self.base.acquisition(),
        }
    }

    /// The probability of exploring, and for the PI-scaled rule what it is scaled by.
    fn rate(
        &self,
        belief: &SurrogateState<'_>,
        threshold: f64,
        explore: &mut Explore<'_>,
    ) -> (f64, Option<f64>) {
        match self.settings.exploration {
            Exploration::Never | Exploration::ForcedOnConvergence => (0.0, None),
            Exploration::FixedRate { rate } => (rate, None),
            Exploration::EpsRandom { epsilon } | Exploration::EpsPareto { epsilon } => (epsilon, None),
            Exploration::PiScaled { basis, floor } => {
                let improvement = explore.first(belief).map_or(0.0, |point| {
                    let (mean, variance) = belief.posterior().predict(&point.x);
                    ProbabilityOfImprovement { threshold }.value(mean, variance.sqrt())
                });
                (floor.max(basis * improvement), Some(improvement))
            }
        }
    }

    fn turn(&self, explores: bool, converged: bool) -> Turn {
        match (explores, converged, self.settings.exploration, self.settings.convergence) {
            (true, ..) => Turn::Explore { forced: false },
            (false, true, Exploration::ForcedOnConvergence, _) | (false, true, _, OnConvergence::Force) => {
                Turn::Explore { forced: true }
            }
            (false, true, _, OnConvergence::Stop) => Turn::Stop,
            (false, true, _, OnConvergence::Skip) => Turn::Skip,
            (false, ..) => Turn::Exploit,
        }
    }
}

/// The points to explore, found when they are first wanted.
struct Explore<'a> {
    point: ExplorePoint,
    rng: &'a mut Stream,
    found: Option<Vec<Candidate>>,
}

impl Explore<'_> {
    fn all(&mut self, belief: &SurrogateState<'_>) -> &[Candidate] {
        let (point, rng) = (self.point, &mut *self.rng);
        self.found.get_or_insert_with(|| candidates(point, belief, rng))
    }

    fn first(&mut self, belief: &SurrogateState<'_>) -> Option<&Candidate> {
        self.all(belief).first()
    }
}

impl Optimizer for HybridOptimizer {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let Some(belief) = self.base.belief(history, id)? else {
            return self.base.initial(history, id);
        };
        let spent =
            history.trials().last().and_then(|t| t.diagnostics.get("turns").copied()).unwrap_or(0.0) as usize;
        let factory = self.acquisition();
        let threshold = belief.target(factory.target());
        let acquisition = belief
            .acquisition(factory)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let exploit = belief.maximise(&*acquisition, "acquisition");
        reject_nan(factory, &exploit, id)?;
        let expects = factory.is_expected_improvement();
        let expected = if expects {
            exploit.first().map(|best| belief.expected_improvement(&best.x, threshold))
        } else {
            belief.max_expected_improvement(threshold).map(|found| found.1)
        };
        let expected = expected.unwrap_or(0.0);
        let converged = expected < self.settings.epsilon * belief.range();

        let mut rng = self.base.seed().stream("explore", id.0);
        let mut explore = Explore { point: self.settings.explore_point(), rng: &mut rng, found: None };
        let (rate, improvement) = self.rate(&belief, threshold, &mut explore);
        let mut coin = self.base.seed().stream("coin", id.0);
        let mut turns = spent;
        let limit = self.settings.max_turns.unwrap_or(spent + 1000);
        let stop = |message: &str| {
            let numbers = [("max_expected_improvement", expected), ("range", belief.range())];
            let numbers = numbers.map(|(name, value)| (name.to_owned(), value)).into();
            Ok(Ask::Stop(StopReason::Decided { message: message.into(), numbers }))
        };
        let (explored, forced) = loop {
            if turns >= limit {
                return stop("every turn is spent");
            }
            turns += 1;
            match self.turn(coin.uniform() < rate, converged) {
                Turn::Explore { forced } => break (true, forced),
                Turn::Exploit => break (false, false),
                Turn::Skip => {}
                Turn::Stop => return stop("no improvement is expected"),
            }
        };
        let candidates = if explored { explore.all(&belief).to_vec() } else { exploit };
        let Some(chosen) = belief.first_new(candidates) else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        let mut suggestion: Suggestion<Config> = self
            .base
            .suggestion(&belief, &chosen.x, history)
            .with_diagnostic("explored", f64::from(u8::from(explored)))
            .with_diagnostic("forced", f64::from(u8::from(forced)))
            .with_diagnostic("rate", rate)
            .with_diagnostic("turns", turns as f64)
            .with_diagnostic("threshold", threshold)
            .with_diagnostic("max_expected_improvement", expected);
        if let Some(improvement) = improvement {
            suggestion = suggestion.with_diagnostic("probability_of_improvement", improvement);
        }
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        self.base.recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        // The settings of the base are in its own fingerprint.
        let hybrid = HybridSettings { base: BoSettings::default(), ..self.settings.clone() };
        Ok(Fingerprint::new("hybrid").with("hybrid", &hybrid)?.around(self.base.fingerprint()?))
    }
}
