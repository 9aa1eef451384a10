//! Exploration by coin flip around any optimiser.

use thrifty_model_based::random_allowed;
use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Memo, Optimizer, OptimizerError, Suggestion,
    TrialId,
};

/// Exploration by coin flip around an optimiser: with probability `rate`, a uniform point of the space replaces the optimiser's suggestion.
///
/// It works around every optimiser over configurations: Parzen estimators, several objectives, level sets. The optimiser is always asked,
/// so its stops still apply. Its memo is kept, except entries about the [suggested point](Optimizer::moved). Its history includes the
/// explored trials. The coin of trial i comes from the stream ("coin", i), so a suggestion is a function of the history. Around an optimiser
/// that flips a coin itself, a [`Hybrid`](crate::Hybrid) or another `CoinFlip`, the stream is ("coin 2", i), and so on: the coins are
/// independent.
///
/// If the optimiser does not [accept](Optimizer::check) an explored point, or the point was asked before, its own suggestion is used.
///
/// Diagnostics of a suggestion: `explored` is 1 for an explored point, also if the optimiser explored by itself, and otherwise 0. If the
/// suggestion is the optimiser's own, its diagnostics are added.
/// Source: Algorithm 2 of `brofos2014`, with uniform points (ε-greedy).
///
/// ```
/// use thrifty_hybrid::CoinFlip;
/// use thrifty_sampling::Seed;
/// use thrifty_search::RandomSearch;
/// use thrifty_space::Space;
/// use thrifty_study::Study;
/// let space = Space::builder().float("x", 0.0, 1.0).build()?;
/// let search = RandomSearch::new(space.clone());
/// let mut study = Study::new(CoinFlip::new(search, space, 0.25)?, Seed(1)).with_trials(40);
/// study.run(|config, _| config.float("x").map_or(f64::NAN, |x| x * x))?;
/// let explored: f64 = study.history().trials().iter().map(|trial| trial.diagnostics["explored"]).sum();
/// assert!((4.0..=17.0).contains(&explored));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CoinFlip<O> {
    optimizer: O,
    space: Space,
    rate: f64,
    start: usize,
    known_constraint: KnownConstraint,
    /// Name of the stream of the coins.
    coin: String,
}

impl<O: Optimizer<Query = Config>> CoinFlip<O> {
    /// Wraps an optimiser over a space, with a probability of exploring. A resumed study needs the same space, which is not part of the
    /// journal.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for a rate outside of [0, 1], and those of [`Optimizer::fingerprint`].
    pub fn new(optimizer: O, space: Space, rate: f64) -> Result<Self, OptimizerError> {
        if !(0.0..=1.0).contains(&rate) {
            return Err(OptimizerError::InvalidSetting {
                name: "rate".into(),
                value: rate.to_string(),
                expected: "a number in [0, 1]".into(),
            });
        }
        let coin = free_coin(&optimizer)?;
        Ok(Self { optimizer, space, rate, start: 0, known_constraint: KnownConstraint::default(), coin })
    }

    /// Sets the number of trials before the first coin, such as those of the optimiser's initial design.
    #[must_use]
    pub fn after(mut self, trials: usize) -> Self {
        self.start = trials;
        self
    }

    /// Adds a known constraint for the explored points. The optimiser needs its own.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }

    /// The wrapped optimiser.
    #[must_use]
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    fn explored(&self, seed: Seed, id: TrialId) -> Result<Config, OptimizerError> {
        let seed = seed.child("explore", id.0);
        let sample = |attempt| self.space.sample(&mut seed.stream("uniform", attempt));
        let what = || format!("exploring in trial {}", id.0);
        random_allowed(sample, |config| self.known_constraint.allows(config), what)
    }
}

/// Name of a stream of coins that the optimiser does not flip itself.
fn free_coin(optimizer: &impl Optimizer) -> Result<String, OptimizerError> {
    let fingerprint = optimizer.fingerprint()?;
    let methods = fingerprint.method().split(" over ");
    let flips = methods.filter(|method| ["coin flip", "hybrid"].contains(method)).count();
    Ok(if flips == 0 { "coin".into() } else { format!("coin {}", flips + 1) })
}

/// The optimiser's own suggestion. The optimiser may have marked it as explored.
fn unexplored(suggestion: Suggestion<Config>) -> Suggestion<Config> {
    let explores = suggestion.diagnostics.get("explored") == Some(&1.0);
    if explores { suggestion } else { suggestion.with_diagnostic("explored", 0.0) }
}

impl<O: Optimizer<Query = Config>> Optimizer for CoinFlip<O> {
    type Query = Config;
    type Recommendation = O::Recommendation;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let suggestion = match self.optimizer.ask(history, id)? {
            Ask::Evaluate(suggestion) => suggestion,
            other => return Ok(other),
        };
        let coin = || history.seed().stream(&self.coin, id.0).uniform();
        let explores = id.0 >= self.start as u64 && coin() < self.rate;
        if !explores {
            return Ok(Ask::Evaluate(unexplored(suggestion)));
        }
        let asked = |config: &Config| history.trials().iter().any(|trial| trial.query == *config);
        let config = self.explored(history.seed(), id)?;
        // On a finite space the point may have been asked before. The optimiser avoids repetition itself, so its suggestion is used.
        // A journal with a point that the optimiser does not accept could not be continued.
        if asked(&config) || self.optimizer.check(&config, true).is_err() {
            return Ok(Ask::Evaluate(unexplored(suggestion)));
        }
        let memo = self.optimizer.moved(suggestion.memo);
        Ok(Ask::Evaluate(Suggestion { memo, ..Suggestion::new(config).with_diagnostic("explored", 1.0) }))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<O::Recommendation>, OptimizerError> {
        self.optimizer.recommend(history)
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        self.optimizer.check(query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.optimizer.check_measurement(measurement)
    }

    fn canonical(&self, query: Config) -> Config {
        self.optimizer.canonical(query)
    }

    fn ask_given(
        &mut self,
        history: &History<Config>,
        id: TrialId,
        given: &Config,
    ) -> Result<Ask<Config>, OptimizerError> {
        self.optimizer.ask_given(history, id, given)
    }

    fn moved(&self, memo: Memo) -> Memo {
        self.optimizer.moved(memo)
    }

    fn plan(&mut self, trials: usize) {
        self.optimizer.plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("coin flip")
            .with(&self.coin, &(self.rate, self.start))?
            .around(self.optimizer.fingerprint()?))
    }
}
