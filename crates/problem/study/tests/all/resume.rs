//! A study stopped after any event, or cut at any byte, continues with identical suggestions; and what the
//! journal refuses.

use std::fs;
use std::path::Path;

use thrifty_sampling::Seed;
use thrifty_study::{
    Ask, FailureReason, Fingerprint, History, JournalError, MaxTrials, MemoKey, Next, Optimizer,
    OptimizerError, Outcome, Schedule, Study, StudyError, Suggestion, TrialId,
};

/// Name of the step in the memo.
static STEP: MemoKey<Vec<f64>> = MemoKey::new("step");

/// Draws near the best so far; needs the history, the seed, the id and its own memo.
struct Wanderer(Seed);

impl Optimizer for Wanderer {
    type Query = Vec<f64>;
    type Recommendation = Vec<f64>;

    fn ask(&mut self, history: &History<Vec<f64>>, id: TrialId) -> Result<Ask<Vec<f64>>, OptimizerError> {
        let mut rng = self.0.stream("wander", id.0);
        let step = history.trials().last().map_or(1.0, |trial| trial.memo.get(&STEP).expect("a step")[0]);
        let center = history.best().map_or(0.5, |(trial, _)| trial.query[0]);
        let pending = history.pending().count() as f64;
        let mut suggestion = Suggestion::new(vec![center + step * (rng.uniform() - 0.5) + 1e-3 * pending]);
        suggestion.memo.set(&STEP, &vec![step * 0.97, f64::NEG_INFINITY]);
        Ok(Ask::Evaluate(suggestion.with_diagnostic("step", step).with_diagnostic("log", f64::NEG_INFINITY)))
    }

    fn recommend(&mut self, history: &History<Vec<f64>>) -> Result<Option<Vec<f64>>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query.clone()))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("wanderer").with("seed", &self.0)
    }
}

#[allow(clippy::ptr_arg)] // the query is a Vec
fn evaluate(x: &Vec<f64>, context: &mut thrifty_study::Context<'_>) -> Outcome {
    context.report(1, f64::NAN).unwrap();
    context.report(2, x[0]).unwrap();
    match context.id.0 % 7 {
        3 => Outcome::from(f64::NAN),
        5 => Outcome::failed("no luck"),
        _ => Outcome::from((x[0] - 0.3).powi(2) + 0.01 * context.noise().uniform()),
    }
}

fn study(seed: u64, trials: usize, window: usize) -> Study<Wanderer> {
    Study::new(Wanderer(Seed(seed)), Seed(seed))
        .with_stop(MaxTrials(trials))
        .with_schedule(Schedule::Window(window))
}

/// Queries, diagnostics, memos, reports and outcomes to the bit (NaN equal to itself), without times.
fn trace(study: &Study<Wanderer>) -> Vec<String> {
    let one = |t: &thrifty_study::Trial<Vec<f64>>| {
        format!(
            "{:?} {:x} {:?} {:?} {:?} {:?}",
            t.id,
            t.query[0].to_bits(),
            t.diagnostics,
            t.memo,
            t.reports,
            t.outcome
        )
    };
    study.history().trials().iter().map(one).collect()
}

fn whole(path: &Path, seed: u64, window: usize) -> (Vec<String>, Vec<u8>) {
    let _ = fs::remove_file(path);
    let mut study = study(seed, 12, window).with_journal(path).unwrap();
    study.run(evaluate).unwrap();
    (trace(&study), fs::read(path).unwrap())
}

#[test]
fn a_study_killed_after_any_event_resumes_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for seed in 0..10 {
        for window in [1, 3] {
            let (expected, bytes) = whole(&path, seed, window);
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
            for end in ends {
                fs::write(&path, &bytes[..end]).unwrap();
                let mut again = study(seed, 12, window).with_journal(&path).unwrap();
                assert!(again.warnings().is_empty());
                again.run(evaluate).unwrap();
                assert_eq!(trace(&again), expected, "seed {seed}, window {window}, cut at {end}");
            }
        }
    }
}

#[test]
fn a_journal_cut_at_any_byte_of_its_last_lines_opens_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (expected, bytes) = whole(&path, 1, 1);
    let queries =
        |trace: &[String]| trace.iter().map(|t| t.split(" {").next().unwrap().to_owned()).collect::<Vec<_>>();
    let lines: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    for end in lines[lines.len() - 3]..bytes.len() {
        fs::write(&path, &bytes[..end]).unwrap();
        let mut again = study(1, 12, 1).with_journal(&path).unwrap();
        let whole_line = lines.contains(&end) || lines.contains(&(end + 1));
        assert_eq!(again.warnings().is_empty(), whole_line, "cut at {end}: {:?}", again.warnings());
        again.run(evaluate).unwrap();
        assert_eq!(queries(&trace(&again)), queries(&expected), "cut at {end}");
        drop(again);
        // What was written after the cut is a whole journal again.
        assert!(study(1, 12, 1).with_journal(&path).unwrap().warnings().is_empty());
    }
}

#[test]
fn parallel_runs_suggest_the_same_with_any_number_of_threads() {
    for window in [1, 2, 5] {
        let mut one = study(4, 30, window);
        one.run(evaluate).unwrap();
        for threads in [1, 2, 8] {
            let mut many = study(4, 30, window);
            many.run_parallel(threads, |x, context| {
                // Later trials finish first now and then.
                std::thread::sleep(std::time::Duration::from_micros(300 * (7 - context.id.0 % 7)));
                evaluate(x, context)
            })
            .unwrap();
            assert_eq!(trace(&many), trace(&one), "window {window}, {threads} threads");
        }
    }
    let mut free = study(4, 30, 1).with_schedule(Schedule::AsCompleted);
    free.run_parallel(3, evaluate).unwrap();
    assert_eq!(free.history().len(), 30);
    assert_eq!(free.history().pending().count(), 0);
    let mut alone = study(4, 30, 1).with_schedule(Schedule::AsCompleted);
    alone.run(evaluate).unwrap();
    let mut one = study(4, 30, 1);
    one.run(evaluate).unwrap();
    assert_eq!(trace(&alone), trace(&one), "on one thread both schedules are the same");
}

#[test]
fn journals_of_other_studies_and_corrupt_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (_, bytes) = whole(&path, 1, 1);
    let open = |study: Study<Wanderer>| match study.with_journal(&path) {
        Err(StudyError::Journal(error)) => error,
        _ => panic!("the journal was accepted"),
    };
    let other_seed = open(Study::new(Wanderer(Seed(1)), Seed(2)));
    assert!(matches!(other_seed, JournalError::Mismatch { what: "seed", .. }), "{other_seed}");
    let other_settings = open(Study::new(Wanderer(Seed(2)), Seed(1)));
    assert!(other_settings.to_string().contains("seed is 1 in the journal and 2 here"), "{other_settings}");
    fs::write(&path, "{\"thrifty_journal\":9}\n").unwrap();
    assert!(matches!(open(study(1, 12, 1)), JournalError::Mismatch { what: "format", .. }));
    let text = String::from_utf8(bytes).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[4] = &lines[4][..10];
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    assert!(matches!(open(study(1, 12, 1)), JournalError::Corrupt { line: 5, .. }));
    fs::remove_file(&path).unwrap();
    let open_here = study(1, 12, 1).with_journal(&path).unwrap();
    assert!(matches!(open(study(1, 12, 1)), JournalError::InUse { .. }));
    drop(open_here);
    assert!(study(1, 12, 1).with_journal(&path).is_ok());
    match study(1, 12, 1).with_journal(folder.path().join("missing/journal")) {
        Err(StudyError::Journal(error @ JournalError::Io { .. })) => {
            assert!(error.to_string().contains("missing"));
        }
        _ => panic!("a folder that does not exist"),
    }
}

/// A journal of format 1 of another optimiser, which has a text for its settings: it is refused with both texts.
#[test]
fn journals_of_format_one_of_other_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    fs::write(&path, "{\"thrifty_journal\":1,\"seed\":1,\"fingerprint\":\"walker\"}\n").unwrap();
    match study(1, 12, 1).with_journal(&path) {
        Err(StudyError::Journal(error @ JournalError::Settings { .. })) => {
            let text = error.to_string();
            assert!(text.contains("fingerprint is walker in the journal and wanderer here"), "{text}");
        }
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("the journal was accepted"),
    }
}

#[test]
fn asking_and_telling_by_hand() {
    let mut study = study(1, 5, 1);
    let Next::Evaluate(first) = study.ask().unwrap() else { panic!("a trial") };
    let Next::Evaluate(second) = study.ask().unwrap() else { panic!("a trial") };
    study.tell(second.id, 0.5).unwrap();
    study.report(first.id, 3, 0.7).unwrap();
    assert!(matches!(study.tell(second.id, 0.5), Err(StudyError::AlreadyTold(TrialId(1)))));
    assert!(matches!(study.tell(TrialId(9), 0.5), Err(StudyError::UnknownTrial(TrialId(9)))));
    assert!(matches!(study.report(TrialId(9), 0, 0.5), Err(StudyError::UnknownTrial(_))));
    study.tell(first.id, f64::INFINITY).unwrap();
    let failure = study.history().trials()[0].outcome.clone();
    assert_eq!(
        failure,
        Some(Outcome::Failed(
            FailureReason::NonFinite { what: "objective 0".into(), value: "inf".into() }.into()
        ))
    );
    assert_eq!(study.recommend().unwrap(), Some(second.query));
}

#[test]
fn a_panic_of_the_evaluator_is_a_failed_trial() {
    let mut study = study(1, 3, 1);
    study.run_parallel(2, |_, context| if context.id.0 == 1 { panic!("bang") } else { 1.0 }).unwrap();
    let outcome = study.history().trials()[1].outcome.clone().unwrap();
    assert_eq!(outcome, Outcome::failed("the evaluator panicked: bang"));
    assert!(matches!(study.run_parallel(0, |_, _| 1.0), Err(StudyError::ZeroLanes { .. })));
}
