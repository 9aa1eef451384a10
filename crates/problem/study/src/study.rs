use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;

use crate::history::Timed;
use crate::journal::{Event, Journal, Opened};
use crate::{
    Ask, History, JournalError, Observer, Optimizer, Outcome, Schedule, StopReason, StopRule, StudyError,
    Timing, Trial, TrialId,
};

/// What a study says when asked by hand.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<Q> {
    /// Evaluate this trial and tell.
    Evaluate(Trial<Q>),
    /// Tell a pending trial first.
    Wait,
    /// The optimiser has nothing left to evaluate.
    Stop(StopReason),
}

/// An optimiser at work: its history, its journal, when to stop and who watches.
///
/// Run the whole loop with [`Study::run`] or [`Study::run_parallel`], or steer it by hand with [`Study::ask`],
/// [`Study::report`] and [`Study::tell`].
pub struct Study<O: Optimizer> {
    pub(crate) optimizer: O,
    pub(crate) history: History<O::Query>,
    pub(crate) seed: Seed,
    pub(crate) schedule: Schedule,
    /// Outcomes that came but are not yet part of what the optimiser may see.
    pub(crate) arrived: BTreeMap<TrialId, (Outcome, f64)>,
    journal: Option<Journal>,
    stop: Vec<Box<dyn StopRule>>,
    observers: Vec<Box<dyn Observer<O::Query>>>,
    warnings: Vec<String>,
    began: Instant,
    earlier: Duration,
}

impl<O: Optimizer> Study<O> {
    /// A study that has seen nothing, without a rule to stop it.
    pub fn new(optimizer: O, seed: Seed) -> Self {
        Self {
            optimizer,
            history: History::default(),
            seed,
            schedule: Schedule::default(),
            arrived: BTreeMap::new(),
            journal: None,
            stop: Vec::new(),
            observers: Vec::new(),
            warnings: Vec::new(),
            began: Instant::now(),
            earlier: Duration::ZERO,
        }
    }

    /// Adds a rule; the first that applies stops the study.
    #[must_use]
    pub fn with_stop(mut self, rule: impl StopRule + 'static) -> Self {
        self.stop.push(Box::new(rule));
        self
    }

    /// Adds somebody who watches.
    #[must_use]
    pub fn with_observer(mut self, observer: impl Observer<O::Query> + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Chooses what the optimiser has seen when it is asked while trials are running.
    #[must_use]
    pub fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// Keeps a journal in `path`. If it holds this study already, the study goes on where the journal ends:
    /// trials without an outcome are evaluated again, and suggestions are the same as without the break.
    ///
    /// # Errors
    /// [`StudyError::Journal`]: unreadable, torn in the middle, or of another seed, space or settings.
    pub fn with_journal(mut self, path: impl AsRef<Path>) -> Result<Self, StudyError> {
        let Opened { mut journal, events, warning } =
            Journal::open(path.as_ref(), self.seed, &self.optimizer.fingerprint())?;
        let resumed = !events.is_empty();
        for (at, event) in events.into_iter().enumerate() {
            self.replay(event).map_err(|message| journal.contradiction(at, message))?;
        }
        if resumed {
            self.forget_unfinished_reports();
            journal.write(&Event::<O::Query>::Resumed)?;
        }
        self.warnings.extend(warning);
        self.journal = Some(journal);
        Ok(self)
    }

    fn replay(&mut self, event: Event<O::Query>) -> Result<(), String> {
        match event {
            Event::Asked { id, query, diagnostics, memo, seconds } => {
                if id.0 != self.history.len() as u64 {
                    return Err(format!("trial {} asked out of order", id.0));
                }
                let timing = Timing { ask: seconds, evaluate: 0.0 };
                let trial =
                    Trial { id, query, diagnostics, memo, reports: Vec::new(), outcome: None, timing };
                self.history.trials.push(trial);
                self.earlier += Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
            }
            Event::Reported { id, step, value } => {
                let trial = self.history.get_mut(id).ok_or(format!("trial {} was never asked", id.0))?;
                trial.reports.push((step, value));
            }
            Event::Resumed => self.forget_unfinished_reports(),
            Event::Told { id, outcome, seconds } => {
                if self.history.get(id).is_none() {
                    return Err(format!("trial {} was never asked", id.0));
                }
                if self.arrived.insert(id, (outcome.checked(), seconds)).is_some() {
                    return Err(format!("trial {} was told before", id.0));
                }
                self.earlier += Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
            }
        }
        Ok(())
    }

    fn forget_unfinished_reports(&mut self) {
        for trial in &mut self.history.trials {
            if !self.arrived.contains_key(&trial.id) {
                trial.reports.clear();
            }
        }
    }

    /// All trials so far. While a window holds outcomes back, they are not part of it.
    pub fn history(&self) -> &History<O::Query> {
        &self.history
    }

    /// The optimiser.
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    /// What was dropped from a torn journal, in words.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What the optimiser recommends now.
    ///
    /// # Errors
    /// [`StudyError::Optimizer`].
    pub fn recommend(&mut self) -> Result<Option<O::Recommendation>, StudyError> {
        Ok(self.optimizer.recommend(&self.history)?)
    }

    /// Whether a rule says to stop.
    pub fn check_stop(&self) -> Option<StopReason> {
        let view = Timed { history: &self.history, elapsed: self.earlier + self.began.elapsed() };
        self.stop.iter().find_map(|rule| rule.check(&view))
    }

    /// Asks for the next trial by hand; everything told so far is seen. Nothing but the optimiser stops here:
    /// ask [`Study::check_stop`] for the rules.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser or the journal fails.
    pub fn ask(&mut self) -> Result<Next<O::Query>, StudyError> {
        self.settle_all();
        self.ask_next()
    }

    /// Notes an intermediate value of a running trial.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, or the journal fails.
    pub fn report(&mut self, id: TrialId, step: u64, value: f64) -> Result<(), StudyError> {
        self.require_pending(id)?;
        self.write(&Event::Reported { id, step, value })?;
        if let Some(trial) = self.history.get_mut(id) {
            trial.reports.push((step, value));
        }
        Ok(())
    }

    /// Says how a trial ended. A number that is not finite makes it a failure.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, or the journal fails.
    pub fn tell(&mut self, id: TrialId, outcome: impl Into<Outcome>) -> Result<(), StudyError> {
        self.arrive(id, outcome.into(), 0.0)?;
        self.settle(id);
        Ok(())
    }

    pub(crate) fn ask_next(&mut self) -> Result<Next<O::Query>, StudyError> {
        let id = TrialId(self.history.len() as u64);
        let began = Instant::now();
        let suggestion = match self.optimizer.ask(&self.history, id)? {
            Ask::Evaluate(suggestion) => suggestion,
            Ask::Wait => return Ok(Next::Wait),
            Ask::Stop(reason) => return Ok(Next::Stop(reason)),
        };
        let timing = Timing { ask: began.elapsed().as_secs_f64(), evaluate: 0.0 };
        let trial = Trial {
            id,
            query: suggestion.query,
            diagnostics: suggestion.diagnostics,
            memo: suggestion.memo,
            reports: Vec::new(),
            outcome: None,
            timing,
        };
        self.write(&Event::Asked {
            id,
            query: trial.query.clone(),
            diagnostics: trial.diagnostics.clone(),
            memo: trial.memo.clone(),
            seconds: timing.ask,
        })?;
        self.observers.iter_mut().for_each(|observer| observer.asked(&trial));
        self.history.trials.push(trial.clone());
        Ok(Next::Evaluate(trial))
    }

    /// Writes an outcome down, without showing it to the optimiser.
    pub(crate) fn arrive(&mut self, id: TrialId, outcome: Outcome, seconds: f64) -> Result<(), StudyError> {
        self.require_pending(id)?;
        let outcome = outcome.checked();
        self.write(&Event::Told { id, outcome: outcome.clone(), seconds })?;
        self.arrived.insert(id, (outcome, seconds));
        Ok(())
    }

    /// Shows an outcome that has arrived to the optimiser; false if it has not.
    pub(crate) fn settle(&mut self, id: TrialId) -> bool {
        let Some((outcome, seconds)) = self.arrived.remove(&id) else { return false };
        let Some(trial) = self.history.get_mut(id) else { return false };
        trial.timing.evaluate = seconds;
        trial.outcome = Some(outcome.clone());
        let trial = trial.clone();
        self.observers.iter_mut().for_each(|observer| observer.told(&trial, &outcome));
        true
    }

    pub(crate) fn settle_all(&mut self) {
        let ids: Vec<TrialId> = self.arrived.keys().copied().collect();
        for id in ids {
            self.settle(id);
        }
    }

    pub(crate) fn stopped(&mut self, reason: &StopReason) {
        self.observers.iter_mut().for_each(|observer| observer.stopped(reason));
    }

    fn require_pending(&self, id: TrialId) -> Result<(), StudyError> {
        match self.history.get(id) {
            None => Err(StudyError::UnknownTrial(id)),
            Some(trial) if trial.outcome.is_some() || self.arrived.contains_key(&id) => {
                Err(StudyError::AlreadyTold(id))
            }
            Some(_) => Ok(()),
        }
    }

    fn write(&mut self, event: &Event<O::Query>) -> Result<(), JournalError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.write(event))
    }
}
