//! Contract tests of optimisers and stop rules, to be called from the tests of a crate that implements one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use thrifty_sampling::Seed;

use crate::{
    Ask, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, History, HistoryView, MaxTrials, Measurement, Memo, Optimizer,
    OptimizerError, Outcome, Schedule, StopRule, Study, Suggestion, Trial, TrialId,
};

pub use crate::shared::contract::event_log;

/// Runs an optimiser and checks the properties that a study relies on: the contract suite for implementers of [`Optimizer`].
///
/// `make` builds the optimiser, equal each time; `evaluate` is a deterministic evaluation. The laws, over `trials` trials, one by one and
/// with three running at a time:
///
/// * Two runs make bit-identical suggestions, including diagnostics and memo.
/// * A suggestion is a function of the history: if a new optimiser replaces the old one at any trial, it makes the same suggestions. So
///   does an optimiser that was used with other histories.
/// * Outcomes of the last trials may be hidden again, and shown later. The optimiser answers each time as a new one.
/// * A study that is interrupted and resumed from its journal makes the same suggestions as an uninterrupted one.
/// * A query of the optimiser that is enqueued is suggested and kept unchanged, unless the optimiser accepts none. Trials from elsewhere
///   are no error.
/// * Failed trials are no error, and neither is a recommendation for an empty history.
/// * Two optimisers have the same fingerprint.
///
/// # Panics
/// If a law does not hold.
pub fn optimizer<O: Optimizer>(
    make: impl Fn() -> O,
    evaluate: impl Fn(&O::Query, TrialId) -> Outcome,
    trials: usize,
) {
    let whole = |schedule| run(&make, &evaluate, trials, schedule);
    let sequence = whole(Schedule::Window(1));
    assert_same(&sequence, &whole(Schedule::Window(1)), "a second run");
    is_a_function_of_the_history(&make, &sequence);
    forgets_hidden_outcomes(&make, &sequence);
    resumes(&make, &evaluate, &sequence, Schedule::Window(1));
    let batches = whole(Schedule::Window(3));
    resumes(&make, &evaluate, &batches, Schedule::Window(3));

    takes_its_own_queries(&make, &evaluate, &sequence);

    let failing = run(&make, &|_: &O::Query, _| Outcome::failed("on purpose"), trials, Schedule::Window(1));
    is_a_function_of_the_history(&make, &failing);
    let nothing = make().recommend(&History::new(SEED));
    assert!(
        nothing.is_ok(),
        "a recommendation without trials: {}",
        nothing.err().map_or_else(String::new, |e| e.to_string())
    );
    let [one, other] =
        [make().fingerprint(), make().fingerprint()].map(|print| print.expect("a fingerprint"));
    assert_eq!(one, other, "fingerprints of two optimisers");
}

/// Seed of the studies.
const SEED: Seed = Seed(1);

fn run<O: Optimizer>(
    make: &impl Fn() -> O,
    evaluate: &impl Fn(&O::Query, TrialId) -> Outcome,
    trials: usize,
    schedule: Schedule,
) -> Vec<Trial<O::Query>> {
    let mut study = Study::new(make(), SEED).with_stop(MaxTrials(trials)).with_schedule(schedule);
    study
        .run(|query, context| evaluate(query, context.id))
        .unwrap_or_else(|error| panic!("a study: {error}"));
    study.history().trials().to_vec()
}

/// A suggestion in a form that compares bit by bit.
type Said = (Value, Vec<(String, u64)>, Vec<(String, Vec<u64>)>);

/// Query, diagnostics and memo of a trial in a form that compares bit by bit.
fn said<Q: serde::Serialize>(
    query: &Q,
    diagnostics: &BTreeMap<String, f64>,
    memo: &BTreeMap<String, Vec<f64>>,
) -> Said {
    (
        serde_json::to_value(query).expect("a query that can be written"),
        diagnostics.iter().map(|(name, value)| (name.clone(), value.to_bits())).collect(),
        memo.iter()
            .map(|(name, values)| (name.clone(), values.iter().map(|v| v.to_bits()).collect()))
            .collect(),
    )
}

fn assert_same<Q: serde::Serialize>(found: &[Trial<Q>], expected: &[Trial<Q>], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: number of trials");
    for (found, expected) in found.iter().zip(expected) {
        let [found, of] =
            [found, expected].map(|trial| said(&trial.query, &trial.diagnostics, &trial.memo.0));
        assert_eq!(found, of, "{what}: trial {}", expected.id.0);
    }
}

/// Asks a new optimiser, and one that has been used for all trials, at every trial of a sequence without running trials.
fn is_a_function_of_the_history<O: Optimizer>(make: &impl Fn() -> O, sequence: &[Trial<O::Query>]) {
    let mut seasoned = make();
    let ask = |optimizer: &mut O, count: usize| {
        let history = History::from_trials(sequence[..count].to_vec(), SEED);
        optimizer.ask(&history, TrialId(count as u64))
    };
    if let Some(last) = sequence.len().checked_sub(1) {
        drop(ask(&mut seasoned, last));
    }
    for (count, trial) in sequence.iter().enumerate() {
        let expected = said(&trial.query, &trial.diagnostics, &trial.memo.0);
        for (what, optimizer) in [("a new optimiser", &mut make()), ("one of another history", &mut seasoned)]
        {
            let answer =
                ask(optimizer, count).unwrap_or_else(|error| panic!("{what}, trial {count}: {error}"));
            let Ask::Evaluate(Suggestion { query, diagnostics, memo }) = answer else {
                panic!("{what} has no suggestion for trial {count}");
            };
            assert_eq!(said(&query, &diagnostics, &memo.0), expected, "{what}, trial {count}");
        }
    }
}

/// Number of the last trials whose outcomes are hidden.
const HIDDEN: usize = 3;

/// Asks one optimiser about a growing history whose last outcomes are hidden and then shown, and a new optimiser each time.
fn forgets_hidden_outcomes<O: Optimizer>(make: &impl Fn() -> O, sequence: &[Trial<O::Query>]) {
    let (mut history, mut seasoned) = (History::new(SEED), make());
    // Fewer at a time than are hidden: some of those were shown before.
    for part in sequence.chunks(HIDDEN - 1) {
        for trial in part {
            history.push(trial.clone());
        }
        let count = history.len();
        for (what, visible) in [("hidden", count.saturating_sub(HIDDEN)), ("shown", count)] {
            let mut ask = |optimizer: &mut O| {
                history.as_of(visible, |history| suggested(optimizer.ask(history, TrialId(count as u64))))
            };
            assert_eq!(ask(&mut seasoned), ask(&mut make()), "trial {count}, the last outcomes {what}");
        }
    }
}

/// The suggestion in an answer; `None` if there is none.
fn suggested<Q: serde::Serialize>(answer: Result<Ask<Q>, OptimizerError>) -> Option<Said> {
    let Ok(Ask::Evaluate(Suggestion { query, diagnostics, memo })) = answer else { return None };
    Some(said(&query, &diagnostics, &memo.0))
}

/// Enqueues the last query of a sequence at its start, and starts a study with the trials of the sequence.
fn takes_its_own_queries<O: Optimizer>(
    make: &impl Fn() -> O,
    evaluate: &impl Fn(&O::Query, TrialId) -> Outcome,
    sequence: &[Trial<O::Query>],
) {
    let Some(last) = sequence.last() else { return };
    if make().check(&last.query, true).is_err() {
        return;
    }
    let json = |query: &O::Query| serde_json::to_value(query).expect("a query that can be written");
    let asked = make().ask_given(&History::new(SEED), TrialId(0), &last.query);
    let asked = asked.unwrap_or_else(|error| panic!("a query of its own: {error}"));
    let Ask::Evaluate(suggestion) = asked else { panic!("a query of its own is not suggested") };
    assert_eq!(json(&suggestion.query), json(&last.query), "a query of its own");

    let known = sequence.iter().filter_map(|trial| Some((trial.query.clone(), trial.outcome.clone()?)));
    let mut study = Study::new(make(), SEED)
        .with_known(known)
        .unwrap_or_else(|error| panic!("trials from elsewhere: {error}"))
        .with_stop(MaxTrials(sequence.len() + 2));
    study
        .run(|query, context| evaluate(query, context.id))
        .unwrap_or_else(|error| panic!("a study after trials from elsewhere: {error}"));
    for (own, trial) in study.history().trials().iter().zip(sequence) {
        assert!(own.outcome == trial.outcome, "trial {} from elsewhere", trial.id.0);
        assert_eq!(json(&own.query), json(&trial.query), "trial {} from elsewhere", trial.id.0);
    }
}

/// Interrupts a study half way and resumes it from its journal.
fn resumes<O: Optimizer>(
    make: &impl Fn() -> O,
    evaluate: &impl Fn(&O::Query, TrialId) -> Outcome,
    expected: &[Trial<O::Query>],
    schedule: Schedule,
) {
    let journal = Journal::new();
    for trials in [expected.len() / 2, expected.len()] {
        let mut study = Study::new(make(), SEED)
            .with_stop(MaxTrials(trials))
            .with_schedule(schedule)
            .with_journal(&journal.0)
            .unwrap_or_else(|error| panic!("a journal: {error}"));
        study
            .run(|query, context| evaluate(query, context.id))
            .unwrap_or_else(|error| panic!("a study with a journal: {error}"));
        if trials == expected.len() {
            assert_same(study.history().trials(), expected, "a resumed study");
        }
    }
}

/// A temporary file that is removed at the end.
struct Journal(PathBuf);

impl Journal {
    fn new() -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name =
            format!("thrifty-contract-{}-{}.jsonl", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // A file that remains in the temporary folder breaks no law.
        drop(std::fs::remove_file(&self.0));
    }
}

/// Checks a stop rule: the contract suite for implementers of [`StopRule`].
///
/// The settings of the rule are valid. Its answer is a function of the history: equal histories give equal answers. No history makes it
/// panic: an empty one, one of failures, one of running trials, one of values from 1e-300 to 1e300, one without diagnostics.
///
/// # Panics
/// If a law does not hold.
pub fn stop_rule(rule: &dyn StopRule) {
    if let Err(error) = rule.validate() {
        panic!("a rule with settings that make no sense: {error}");
    }
    let measured =
        |value: f64| Outcome::Measured(Measurement { cost: Some(1.0), ..Measurement::from(value) });
    let failed = || Outcome::failed("on purpose");
    let memo = |value: f64| {
        let mut memo = Memo::default();
        memo.set(&EXPECTED_IMPROVEMENT, &value);
        memo.set(&EXPECTED_GAIN, &value);
        memo
    };
    let views = [
        View::default(),
        View { outcomes: vec![failed(); 5], memos: vec![Memo::default(); 5], ..View::default() },
        View { memos: vec![memo(1.0); 4], ..View::default() },
        View {
            outcomes: [1e300, -1e300, 1e-300, 0.0].map(measured).to_vec(),
            memos: [1e300, 1e-300, 0.0, 1.0].map(memo).to_vec(),
            diagnostics: vec![BTreeMap::new(); 4],
            elapsed: Duration::from_secs(1 << 40),
        },
        View { outcomes: vec![measured(1.0); 3], memos: vec![Memo::default(); 3], ..View::default() },
    ];
    for (case, mut view) in views.into_iter().enumerate() {
        view.diagnostics.resize(view.memos.len(), BTreeMap::new());
        let view = &view;
        assert_eq!(rule.check(view), rule.check(view), "the same answer twice, history {case}");
    }
}

/// A history in the form that stop rules use.
#[derive(Default)]
struct View {
    outcomes: Vec<Outcome>,
    memos: Vec<Memo>,
    diagnostics: Vec<BTreeMap<String, f64>>,
    elapsed: Duration,
}

impl HistoryView for View {
    fn asked(&self) -> usize {
        self.memos.len()
    }

    fn outcomes(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_> {
        Box::new(self.outcomes.iter())
    }

    fn memos(&self) -> Box<dyn DoubleEndedIterator<Item = &Memo> + '_> {
        Box::new(self.memos.iter())
    }

    fn diagnostics(&self) -> Box<dyn DoubleEndedIterator<Item = &BTreeMap<String, f64>> + '_> {
        Box::new(self.diagnostics.iter())
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }
}
