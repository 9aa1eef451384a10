//! The study loop, sequential and parallel.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use thrifty_sampling::Seed;

use crate::curves::Curves;
use crate::{Context, Failure, Next, Optimizer, Outcome, StopReason, Study, StudyError, Trial, TrialId};

/// Schedule of asks: the outcomes visible to an ask while other trials are running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Ask i is made when exactly trials 0 to i - w have been told, in the order of their ids, for a window w. Suggestions do not depend on
    /// the order in which trials finish, or on the number of threads. Every ask sees the trials that were made elsewhere
    /// ([`Study::with_known`]).
    Window(usize),
    /// Ask i is made as soon as a thread is free, with all outcomes up to then. This is faster when evaluations differ in length, but not
    /// reproducible.
    AsCompleted,
}

impl Default for Schedule {
    /// One trial after the other.
    fn default() -> Self {
        Self::Window(1)
    }
}

impl Schedule {
    /// Number of trials at the start of a history that are visible as ended to ask number `asked`.
    pub(crate) fn visible(self, asked: usize) -> usize {
        match self {
            Self::Window(window) => (asked + 1).saturating_sub(window),
            Self::AsCompleted => asked,
        }
    }
}

/// Message from an evaluation to the study.
pub(crate) enum Message {
    Reported(TrialId, u64, f64),
    Retried(TrialId, Failure, f64),
    Finished(TrialId, Outcome, f64),
}

impl<O: Optimizer> Study<O> {
    /// Runs until a stop rule or the optimiser ends the study, evaluating on the calling thread.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser or the journal fails. The history is kept.
    pub fn run<E, R>(&mut self, mut evaluate: E) -> Result<StopReason, StudyError>
    where
        E: FnMut(&O::Query, &mut Context<'_>) -> R,
        R: Into<Outcome>,
    {
        let schedule = self.schedule.unwrap_or_default();
        // Unfinished trials of a resumed study, or of a failed run, report again.
        self.restart_running()?;
        let (attempts, waiting) = (self.attempts(schedule), VecDeque::new());
        self.drive(schedule, 1, &mut Inline { waiting, attempts, evaluate: &mut evaluate })
    }

    /// Runs until a stop rule or the optimiser ends the study, evaluating on `threads` threads.
    ///
    /// Without a schedule of the study or its journal, this uses [`Schedule::Window`] with as many trials as threads, and the study keeps
    /// that schedule. The suggestions equal those of [`Study::run`] with the same window, for any number of threads.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser or the journal fails. The history is kept. Running evaluations end first, and no other begins.
    pub fn run_parallel<E, R>(&mut self, threads: usize, evaluate: E) -> Result<StopReason, StudyError>
    where
        E: Fn(&O::Query, &mut Context<'_>) -> R + Sync,
        R: Into<Outcome>,
    {
        if threads == 0 {
            return Err(StudyError::ZeroLanes { name: "number of threads" });
        }
        let schedule = *self.schedule.get_or_insert(Schedule::Window(threads));
        self.restart_running()?;
        let attempts = self.attempts(schedule);
        let (jobs, queue) = channel::<Job<O::Query>>();
        let (results, inbox) = channel::<Message>();
        let (queue, has_ended) = (Mutex::new(queue), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (results, queue, has_ended) = (results.clone(), &queue, &has_ended);
                let (attempts, evaluate) = (attempts.clone(), &evaluate);
                scope.spawn(move || worker(queue, has_ended, &results, &attempts, evaluate));
            }
            // Dropping the pool ends the workers.
            self.drive(schedule, threads, &mut Pool { jobs, inbox, has_ended: &has_ended })
        })
    }

    /// Runs the loop. `max_in_flight` limits the running trials if the schedule does not.
    fn drive(
        &mut self,
        schedule: Schedule,
        max_in_flight: usize,
        evaluators: &mut dyn Evaluators<O::Query>,
    ) -> Result<StopReason, StudyError> {
        if schedule == Schedule::Window(0) {
            return Err(StudyError::ZeroLanes { name: "window" });
        }
        self.validate()?;
        // Unfinished trials of a resumed study, or of a failed run, come first.
        let unfinished: Vec<Trial<O::Query>> = self.history.pending().cloned().collect();
        for trial in unfinished {
            let attempt = self.history.failed_attempts_at(trial.id).len();
            evaluators.start(Job { trial, attempt });
        }
        let reason = loop {
            let mut visible = schedule.visible(self.history.len());
            match schedule {
                Schedule::Window(_) => self.await_first(visible, evaluators)?,
                Schedule::AsCompleted => {
                    while self.running() >= max_in_flight {
                        self.receive(evaluators)?;
                    }
                }
            }
            if let Some(reason) = self.check_stop_as_of(visible) {
                break reason;
            }
            let next = loop {
                match self.ask_as_of(visible)? {
                    Next::Wait => visible = self.reveal_one(visible, evaluators)?,
                    next => break next,
                }
            };
            match next {
                Next::Evaluate(trial) => evaluators.start(Job { trial, attempt: 0 }),
                Next::Stop(reason) => break reason,
                Next::Wait => {}
            }
        };
        self.await_first(self.history.len(), evaluators)?;
        self.stopped(&reason);
        Ok(reason)
    }

    /// Number of trials without an outcome.
    fn running(&self) -> usize {
        self.history.trials()[self.ended..].iter().filter(|trial| trial.outcome.is_none()).count()
    }

    /// Waits for one more trial than the first `visible`, and returns the new number.
    fn reveal_one(
        &mut self,
        visible: usize,
        evaluators: &mut dyn Evaluators<O::Query>,
    ) -> Result<usize, StudyError> {
        let oldest = self.history.pending().next().map(|trial| trial.id.0 as usize);
        let count =
            if visible < self.history.len() { visible + 1 } else { oldest.ok_or(StudyError::Stalled)? + 1 };
        self.await_first(count, evaluators)?;
        Ok(visible.max(count))
    }

    /// Waits until the first `count` trials have ended.
    fn await_first(
        &mut self,
        count: usize,
        evaluators: &mut dyn Evaluators<O::Query>,
    ) -> Result<(), StudyError> {
        while self.ended < count {
            if self.history.trials()[self.ended].outcome.is_some() {
                self.ended += 1;
            } else {
                self.receive(evaluators)?;
            }
        }
        Ok(())
    }

    /// Waits for messages and records them.
    fn receive(&mut self, evaluators: &mut dyn Evaluators<O::Query>) -> Result<(), StudyError> {
        let messages = evaluators.wait();
        if messages.is_empty() {
            return Err(StudyError::Stalled);
        }
        for message in messages {
            match message {
                Message::Reported(id, step, value) => self.report(id, step, value)?,
                Message::Retried(id, failure, seconds) => self.retry(id, &failure, seconds)?,
                Message::Finished(id, outcome, seconds) => self.finish(id, outcome, seconds)?,
            }
        }
        Ok(())
    }
}

/// A trial to be evaluated.
struct Job<Q> {
    trial: Trial<Q>,
    /// Number of earlier failed attempts; the journal may have some.
    attempt: usize,
}

/// Evaluation of trials for the loop, on this thread or on others.
trait Evaluators<Q> {
    /// Starts a trial.
    fn start(&mut self, job: Job<Q>);
    /// Returns the available results, and waits for the first if there is none. Empty if no evaluation runs.
    fn wait(&mut self) -> Vec<Message>;
}

/// The calling thread; a trial is evaluated when its outcome is needed.
struct Inline<'a, Q, R> {
    waiting: VecDeque<Job<Q>>,
    attempts: Attempts,
    evaluate: &'a mut dyn FnMut(&Q, &mut Context<'_>) -> R,
}

impl<Q, R: Into<Outcome>> Evaluators<Q> for Inline<'_, Q, R> {
    fn start(&mut self, job: Job<Q>) {
        self.waiting.push_back(job);
    }

    /// Makes one attempt; the loop records a failed one before the next begins.
    fn wait(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        if let Some(Job { trial, attempt }) = self.waiting.pop_front() {
            let is_retried = attempt_once(&trial, attempt, &self.attempts, self.evaluate, &mut |message| {
                messages.push(message);
                true
            });
            if is_retried {
                self.waiting.push_front(Job { trial, attempt: attempt + 1 });
            }
        }
        messages
    }
}

/// Threads with a common queue.
struct Pool<'a, Q> {
    jobs: Sender<Job<Q>>,
    inbox: Receiver<Message>,
    /// True after the end of the loop: jobs that are still in the queue are not evaluated.
    has_ended: &'a AtomicBool,
}

impl<Q> Drop for Pool<'_, Q> {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

impl<Q> Evaluators<Q> for Pool<'_, Q> {
    fn start(&mut self, job: Job<Q>) {
        // The queue lives as long as the scope of the threads, which outlives the pool.
        let _ = self.jobs.send(job);
    }

    fn wait(&mut self) -> Vec<Message> {
        self.inbox.recv().into_iter().collect()
    }
}

/// Attempts at a trial.
#[derive(Clone)]
pub(crate) struct Attempts {
    seed: Seed,
    /// Number of further attempts after a failed one.
    retries: usize,
    /// Curves of all trials, if there is a pruner.
    curves: Option<Arc<Curves>>,
}

impl<O: Optimizer> Study<O> {
    /// Common settings of the evaluations of a run.
    pub(crate) fn attempts(&mut self, schedule: Schedule) -> Attempts {
        let curves = |pruner: &Arc<_>| Arc::new(Curves::new(Arc::clone(pruner), schedule, &self.history));
        self.curves = self.pruner.as_ref().map(curves);
        Attempts { seed: self.history.seed(), retries: self.retries, curves: self.curves.clone() }
    }
}

/// Outcome of an evaluation. A panic of the evaluator ends its trial, not the study.
pub(crate) fn caught<R: Into<Outcome>>(evaluate: impl FnOnce() -> R) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| evaluate().into())).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Outcome::failed(format!("the evaluator panicked: {text}"))
    })
}

/// Evaluates a trial, after `attempt` failed attempts, until it ends.
pub(crate) fn evaluate_one<Q, R: Into<Outcome>>(
    trial: &Trial<Q>,
    mut attempt: usize,
    attempts: &Attempts,
    evaluate: &mut dyn FnMut(&Q, &mut Context<'_>) -> R,
    send: &mut dyn FnMut(Message) -> bool,
) {
    while attempt_once(trial, attempt, attempts, evaluate, send) {
        attempt += 1;
    }
}

/// Makes one attempt at a trial; true if it failed and must be repeated.
fn attempt_once<Q, R: Into<Outcome>>(
    trial: &Trial<Q>,
    attempt: usize,
    attempts: &Attempts,
    evaluate: &mut dyn FnMut(&Q, &mut Context<'_>) -> R,
    send: &mut dyn FnMut(Message) -> bool,
) -> bool {
    let started_at = Instant::now();
    let mut send_report = |step, value| send(Message::Reported(trial.id, step, value));
    let curves = attempts.curves.as_deref();
    let mut context = Context::new(trial.id, attempt, attempts.seed, curves, &mut send_report);
    let outcome = caught(|| evaluate(&trial.query, &mut context));
    let seconds = started_at.elapsed().as_secs_f64();
    match outcome {
        Outcome::Failed(failure) if attempt < attempts.retries => {
            // Without a receiver the outcome of another attempt would be lost too.
            send(Message::Retried(trial.id, failure.with_valid_cost(), seconds))
        }
        outcome => {
            send(Message::Finished(trial.id, outcome, seconds));
            false
        }
    }
}

fn worker<Q, R: Into<Outcome>>(
    queue: &Mutex<Receiver<Job<Q>>>,
    has_ended: &AtomicBool,
    results: &Sender<Message>,
    attempts: &Attempts,
    evaluate: &(dyn Fn(&Q, &mut Context<'_>) -> R + Sync),
) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { trial, attempt }) = job else { return };
        // After an error the queue may still have jobs, whose outcomes would be lost.
        if has_ended.load(Ordering::Relaxed) {
            return;
        }
        let evaluate = &mut |query: &Q, context: &mut Context<'_>| evaluate(query, context);
        evaluate_one(&trial, attempt, attempts, evaluate, &mut |message| results.send(message).is_ok());
    }
}
