//! The contract suites pass what is right and find each fault that a study would stumble over.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

use thrifty_study::{
    Ask, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, Fingerprint, History, HistoryView, Lineage, MaxTrials, MemoKey,
    NoImprovement, Optimizer, OptimizerError, Outcome, StopReason, StopRule, StudyError, Suggestion, TrialId,
    WallTime, WorthItsCost, contract,
};

/// Fault of an optimiser.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Each optimiser makes other suggestions.
    ByInstance,
    /// Depends on how often it was asked.
    ByCalls,
    /// Diagnostics and memo alone depend on it.
    DiagnosticByCalls,
    MemoByCalls,
    /// The first history that was seen counts, not the last.
    ByFirstHistory,
    /// A failed trial is an error.
    ErrorOfFailures,
    /// There is no recommendation without trials, but an error.
    ErrorOfNothing,
    ChangingFingerprint,
    /// Reads what is running, but answers by the number of calls where something is.
    ByCallsBesideRunning,
    /// The first history that was seen counts where something was measured.
    ByFirstHistoryOfMeasured,
    /// The first history that was seen counts where something failed.
    ByFirstHistoryOfFailures,
    /// A query that is given is changed.
    ChangesGiven,
    /// Trials that were not suggested by it are an error.
    ErrorOfForeign,
    /// Outcomes that are hidden again still count.
    KeepsHidden,
    /// Outcomes that are shown after a first ask for a trial do not count for it.
    MissesShown,
    /// Stops after so many trials.
    StopsEarly,
}

static TURN: MemoKey<u64> = MemoKey::new("turn");

struct Faulty {
    fault: Fault,
    instance: u64,
    calls: u64,
    first: Option<usize>,
    /// The last history that was seen: its identity, its length, and the measurements that counted.
    last: Option<(Lineage, usize, u64)>,
}

impl Optimizer for Faulty {
    type Query = Vec<u64>;
    type Recommendation = u64;

    fn ask(&mut self, history: &History<Vec<u64>>, id: TrialId) -> Result<Ask<Vec<u64>>, OptimizerError> {
        self.calls += 1;
        let first = *self.first.get_or_insert(history.len());
        if self.fault == Fault::ErrorOfFailures && history.unsuccessful().next().is_some() {
            return Err(OptimizerError::failed("asking", "a failure"));
        }
        if self.fault == Fault::ErrorOfForeign && history.trials().iter().any(|trial| trial.memo.is_empty()) {
            return Err(OptimizerError::failed("asking", "a trial from elsewhere"));
        }
        if self.fault == Fault::StopsEarly && id.0 == 4 {
            return Ok(Ask::Stop(StopReason::Exhausted));
        }
        let measured = history.measured().count() as u64;
        let counted = match (self.fault, self.last) {
            (Fault::KeepsHidden, Some((lineage, _, before))) if lineage == history.lineage() => {
                measured.max(before)
            }
            (Fault::MissesShown, Some((lineage, length, before)))
                if (lineage, length) == (history.lineage(), history.len()) =>
            {
                before
            }
            _ => measured,
        };
        self.last = Some((history.lineage(), history.len(), counted));
        let is_beside = history.pending().next().is_some();
        let odd = match self.fault {
            Fault::ByInstance => self.instance,
            Fault::ByCalls => self.calls,
            Fault::ByCallsBesideRunning if is_beside => self.calls,
            Fault::ByFirstHistory => first as u64,
            Fault::ByFirstHistoryOfMeasured if history.measured().next().is_some() => first as u64,
            Fault::ByFirstHistoryOfFailures if history.unsuccessful().next().is_some() => first as u64,
            Fault::KeepsHidden | Fault::MissesShown => counted,
            _ => 0,
        };
        let told = history.measured().map(|(_, loss)| loss as u64).sum::<u64>();
        let beside = |fault: Fault| if self.fault == fault { self.calls } else { id.0 };
        let suggestion = Suggestion::new(vec![id.0, told, history.pending().count() as u64, odd])
            .with_diagnostic("number", beside(Fault::DiagnosticByCalls) as f64)
            .with_memo(&TURN, &beside(Fault::MemoByCalls));
        Ok(Ask::Evaluate(suggestion))
    }

    fn ask_given(
        &mut self,
        _: &History<Vec<u64>>,
        _: TrialId,
        given: &Vec<u64>,
    ) -> Result<Ask<Vec<u64>>, OptimizerError> {
        let mut query = given.clone();
        query[0] += u64::from(self.fault == Fault::ChangesGiven);
        Ok(Ask::Evaluate(Suggestion::new(query)))
    }

    fn recommend(&mut self, history: &History<Vec<u64>>) -> Result<Option<u64>, OptimizerError> {
        if self.fault == Fault::ErrorOfNothing && history.is_empty() {
            return Err(OptimizerError::failed("recommending", "nothing"));
        }
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let part = if self.fault == Fault::ChangingFingerprint { self.instance } else { 0 };
        Fingerprint::new("faulty").with("part", &part)
    }
}

fn check(fault: Fault) {
    let instances = Cell::new(0);
    let make = || {
        instances.set(instances.get() + 1);
        Faulty { fault, instance: instances.get(), calls: 0, first: None, last: None }
    };
    contract::optimizer(make, |query, id| Outcome::from((query[0] + id.0) as f64), 7);
}

fn passes(fault: Fault) -> bool {
    catch_unwind(AssertUnwindSafe(|| check(fault))).is_ok()
}

#[test]
fn an_optimizer_that_is_a_function_of_the_history_passes() {
    check(Fault::None);
}

#[test]
fn faults_of_optimizers_are_found() {
    for fault in [
        Fault::ByInstance,
        Fault::ByCalls,
        Fault::DiagnosticByCalls,
        Fault::MemoByCalls,
        Fault::ByFirstHistory,
        Fault::ErrorOfFailures,
        Fault::ErrorOfNothing,
        Fault::ChangingFingerprint,
        Fault::ByCallsBesideRunning,
        Fault::ByFirstHistoryOfMeasured,
        Fault::ByFirstHistoryOfFailures,
        Fault::ChangesGiven,
        Fault::ErrorOfForeign,
        Fault::KeepsHidden,
        Fault::MissesShown,
    ] {
        assert!(!passes(fault), "{fault:?}");
    }
    // To end before the study does is no fault.
    assert!(passes(Fault::StopsEarly));
}

/// The journals of the suite are removed.
#[test]
fn nothing_is_left_in_the_temporary_folder() {
    check(Fault::None);
    let name = format!("thrifty-contract-{}-", std::process::id());
    let left = || {
        let entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
        let ours = entries.filter_map(Result::ok).filter(|entry| {
            let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
            // Other tests of this process may be at it.
            let is_old = matches!(age, Ok(Ok(age)) if age > Duration::from_secs(5));
            is_old && entry.file_name().to_string_lossy().starts_with(&name)
        });
        ours.count()
    };
    assert_eq!(left(), 0);
}

/// Fault of a stop rule.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    Nothing,
    Settings,
    Unsteady,
    /// Panics where there are no trials, no outcomes, no measurements, large values, no memos, much time.
    NoTrials,
    NoOutcomes,
    OnlyFailures,
    LargeValues,
    NoMemos,
    MuchTime,
}

struct Rule(Wrong, std::sync::atomic::AtomicU64);

impl StopRule for Rule {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let outcomes = view.outcomes().count();
        let values: Vec<f64> = view.outcomes().filter_map(Outcome::objective).collect();
        let fails = match self.0 {
            Wrong::Nothing | Wrong::Settings => false,
            Wrong::Unsteady => {
                let calls = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                return Some(StopReason::Trials(calls as usize));
            }
            Wrong::NoTrials => view.asked() == 0,
            Wrong::NoOutcomes => view.asked() > 0 && outcomes == 0,
            Wrong::OnlyFailures => outcomes > 0 && values.is_empty(),
            Wrong::LargeValues => values.iter().any(|v| *v >= 1e300) && values.iter().any(|v| *v <= -1e300),
            Wrong::NoMemos => !values.is_empty() && view.memos().all(thrifty_study::Memo::is_empty),
            Wrong::MuchTime => view.elapsed() > Duration::from_secs(1 << 39),
        };
        assert!(!fails, "{:?}", self.0);
        // The view is of one length.
        assert_eq!(view.memos().count(), view.diagnostics().count());
        assert_eq!(view.memos().count(), view.asked());
        None
    }

    fn validate(&self) -> Result<(), StudyError> {
        match self.0 {
            Wrong::Settings => NoImprovement { epsilon: -1.0, times: 1 }.validate(),
            _ => Ok(()),
        }
    }
}

#[test]
fn faults_of_stop_rules_are_found() {
    let check = |wrong: Wrong| contract::stop_rule(&Rule(wrong, 0.into()));
    check(Wrong::Nothing);
    for wrong in [
        Wrong::Settings,
        Wrong::Unsteady,
        Wrong::NoTrials,
        Wrong::NoOutcomes,
        Wrong::OnlyFailures,
        Wrong::LargeValues,
        Wrong::NoMemos,
        Wrong::MuchTime,
    ] {
        assert!(catch_unwind(AssertUnwindSafe(|| check(wrong))).is_err(), "{wrong:?}");
    }
}

#[test]
fn the_rules_of_this_crate_obey_the_contract() {
    contract::stop_rule(&MaxTrials(3));
    contract::stop_rule(&WallTime(Duration::from_secs(1)));
    contract::stop_rule(&NoImprovement { epsilon: 0.1, times: 2 });
    contract::stop_rule(&WorthItsCost::new(0.5));
}

/// A rule that notes the values that it is shown: of measurements, and those that memos promise.
#[derive(Default)]
struct Notes {
    measured: Mutex<Vec<f64>>,
    promised: Mutex<Vec<f64>>,
}

impl StopRule for Notes {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        self.measured.lock().unwrap().extend(view.outcomes().filter_map(Outcome::objective));
        for key in [&EXPECTED_IMPROVEMENT, &EXPECTED_GAIN] {
            self.promised.lock().unwrap().extend(view.memos().filter_map(|memo| memo.get(key)));
        }
        None
    }
}

/// Sizes of the values that a rule is shown: from 1e-300 to 1e300, and 0.
#[test]
fn rules_are_shown_values_from_1e_minus_300_to_1e300() {
    let notes = Notes::default();
    contract::stop_rule(&notes);
    for (what, values) in [("measured", notes.measured), ("promised", notes.promised)] {
        let mut sizes: Vec<f64> = values.into_inner().unwrap().iter().map(|value| value.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        assert_eq!((sizes[0], sizes[sizes.len() - 1]), (0.0, 1e300), "{what}");
        assert_eq!(sizes.iter().find(|size| **size > 0.0), Some(&1e-300), "{what}");
    }
}
