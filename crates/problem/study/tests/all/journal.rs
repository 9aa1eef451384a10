//! Journals: damage is noticed and named, nothing that was acknowledged is lost, and looking changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use thrifty_sampling::Seed;
use thrifty_study::{
    Ask, Context, Durability, Fingerprint, History, JournalError, MaxCost, MaxTrials, Measurement, Next,
    Observer, Optimizer, OptimizerError, Outcome, Schedule, Study, StudyError, Suggestion, Target, Trial,
    TrialId,
};

/// Suggests numbers that depend on everything that it sees.
struct Sum {
    scale: f64,
    budget: Option<usize>,
}

const SUM: Sum = Sum { scale: 1.0, budget: None };

impl Optimizer for Sum {
    type Query = f64;
    type Recommendation = f64;

    fn ask(&mut self, history: &History<f64>, id: TrialId) -> Result<Ask<f64>, OptimizerError> {
        let told: f64 = history.measured().map(|(trial, loss)| loss * (trial.id.0 + 1) as f64).sum();
        let reported: f64 = history.trials().iter().flat_map(|t| &t.reports).map(|(_, value)| value).sum();
        Ok(Ask::Evaluate(Suggestion::new(self.scale * (id.0 as f64 + told + 0.01 * reported))))
    }

    fn recommend(&mut self, history: &History<f64>) -> Result<Option<f64>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query))
    }

    fn plan(&mut self, trials: usize) {
        self.budget = Some(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let space = serde_json::json!([{ "name": "x", "low": 0.0, "high": 1.0 }]);
        Ok(Fingerprint::new("sum")
            .with("scale", &self.scale)?
            .with("space", &space)?
            .with_budget(self.budget))
    }
}

/// An optimiser that suggests the seed of the study; `own` is a seed in its fingerprint, as optimisers had before.
struct Seeded {
    own: Option<Seed>,
}

impl Optimizer for Seeded {
    type Query = f64;
    type Recommendation = f64;

    fn ask(&mut self, history: &History<f64>, id: TrialId) -> Result<Ask<f64>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(history.seed().stream("x", id.0).uniform())))
    }

    fn recommend(&mut self, _: &History<f64>) -> Result<Option<f64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let fingerprint = Fingerprint::new("seeded");
        self.own.map_or(Ok(fingerprint.clone()), |own| fingerprint.with("seed", &own))
    }
}

/// Journals of optimisers with a seed of their own go on where it is that of the study; else the error names it.
#[test]
fn a_seed_of_the_optimizer_is_compared_with_that_of_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(&folder);
    let study = |own| Study::new(Seeded { own }, Seed(3)).with_stop(MaxTrials(4));
    let mut before = study(Some(Seed(3))).with_stop(MaxTrials(2)).with_journal(&path).unwrap();
    before.run(|x, _| *x).unwrap();
    drop(before);
    let mut after = study(None).with_journal(&path).unwrap();
    after.run(|x, _| *x).unwrap();
    let queries: Vec<f64> = after.history().trials().iter().map(|trial| trial.query).collect();
    assert_eq!(queries, (0..4).map(|id| Seed(3).stream("x", id).uniform()).collect::<Vec<_>>());
    assert_eq!(History::<f64>::read(&path).unwrap().seed(), Seed(3));

    let other = folder.path().join("other.jsonl");
    study(Some(Seed(8))).with_journal(&other).unwrap().run(|x, _| *x).unwrap();
    let error = study(None).with_journal(&other).err().expect("another seed").to_string();
    assert!(error.contains("seed is 8 in the journal"), "{error}");
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the query is an f64
fn evaluate(x: &f64, context: &mut Context<'_>) -> f64 {
    context.report(0, *x).unwrap();
    (0.37 * x + context.noise().uniform()).sin()
}

fn study(trials: usize) -> Study<Sum> {
    Study::new(SUM, Seed(3)).with_stop(MaxTrials(trials))
}

fn journal(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("study.jsonl")
}

fn open(study: Study<Sum>, path: &Path) -> JournalError {
    match study.with_journal(path) {
        Err(StudyError::Journal(error)) => error,
        Err(other) => panic!("{other}"),
        Ok(study) => panic!("accepted with {} trials, {:?}", study.history().len(), study.warnings()),
    }
}

fn queries(study: &Study<Sum>) -> Vec<u64> {
    study.history().trials().iter().map(|trial| trial.query.to_bits()).collect()
}

fn written(trials: usize) -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let mut study = study(trials).with_journal(journal(&folder)).unwrap();
    study.run(evaluate).unwrap();
    let bytes = fs::read(journal(&folder)).unwrap();
    (folder, bytes)
}

#[test]
fn a_file_of_the_user_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(&folder);
    for text in [
        "my only notes",
        "my only notes\n",
        "{\"seq\":0,\"notes\":1",
        "{\"a\":1}\nmore",
        "[]\n",
        "\n",
        "\0\0\0",
    ] {
        fs::write(&path, text).unwrap();
        assert!(matches!(
            open(study(1), &path),
            JournalError::NotAJournal { .. } | JournalError::Corrupt { .. }
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(History::<f64>::read(&path).is_err(), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_journal_cut_at_any_byte_keeps_every_whole_line() {
    let (folder, bytes) = written(4);
    let path = journal(&folder);
    let mut whole = study(4);
    whole.run(evaluate).unwrap();
    for end in 0..bytes.len() {
        fs::write(&path, &bytes[..end]).unwrap();
        let whole_lines =
            bytes[..=end].split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let told = whole_lines.filter(|line| String::from_utf8_lossy(line).contains("\"told\"")).count();
        let mut again = study(4).with_journal(&path).unwrap();
        assert_eq!(again.history().measured().count(), told, "cut at {end}");
        let torn = end > 0 && bytes[end] != b'\n' && bytes[end - 1] != b'\n';
        assert_eq!(again.warnings().len(), usize::from(torn), "cut at {end}: {:?}", again.warnings());
        again.run(evaluate).unwrap();
        assert_eq!(queries(&again), queries(&whole), "cut at {end}");
        assert_eq!(History::<f64>::read(&path).unwrap().len(), 4, "cut at {end}");
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let (folder, bytes) = written(2);
    let path = journal(&folder);
    for at in 0..bytes.len() {
        for flip in [1, 0x20, 0x80, bytes[at] ^ b'\n'] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            if flip == 0 {
                continue;
            }
            fs::write(&path, &changed).unwrap();
            let error = open(study(3), &path);
            assert_eq!(fs::read(&path).unwrap(), changed, "byte {at} xor {flip}: {error}");
        }
    }
}

#[test]
fn dropped_doubled_and_swapped_lines_are_noticed() {
    let (folder, bytes) = written(4);
    let path = journal(&folder);
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let refused = |lines: &[&str], what: String| {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let error = open(study(4), &path);
        let named = error.to_string();
        assert!(named.contains("line ") || named.contains("not a journal"), "{what}: {named}");
    };
    for at in 0..lines.len() {
        if at + 1 < lines.len() {
            let mut dropped = lines.clone();
            dropped.remove(at);
            refused(&dropped, format!("line {at} dropped"));
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            refused(&swapped, format!("line {at} swapped"));
        }
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        refused(&doubled, format!("line {at} doubled"));
    }
}

#[test]
fn a_run_that_failed_evaluates_what_was_running_again_and_counts_its_reports_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(&folder);
    let mut first = study(4).with_journal(&path).unwrap();
    // The journal vanishes after the report of trial 2 and before its outcome.
    let moved = path.with_extension("moved");
    let failed = first.run(|x, context| {
        context.report(0, *x).unwrap();
        if context.id.0 == 2 && path.exists() {
            fs::rename(&path, &moved).unwrap();
        }
        (0.37 * x + context.noise().uniform()).sin()
    });
    assert!(matches!(failed, Err(StudyError::Journal(JournalError::Changed { .. }))), "{failed:?}");
    fs::rename(&moved, &path).unwrap();
    first.run(evaluate).unwrap();
    let mut whole = study(4);
    whole.run(evaluate).unwrap();
    assert_eq!(queries(&first), queries(&whole));
    let reports =
        |history: &History<f64>| history.trials().iter().map(|t| t.reports.clone()).collect::<Vec<_>>();
    assert_eq!(reports(first.history()), reports(whole.history()));
    assert_eq!(reports(&History::read(&path).unwrap()), reports(whole.history()));
}

/// Counts the outcomes it receives.
#[derive(Clone, Default)]
struct Count(Arc<Mutex<Vec<u64>>>);

impl Observer<f64> for Count {
    fn told(&mut self, trial: &Trial<f64>, _: &Outcome) {
        self.0.lock().unwrap().push(trial.id.0);
    }
}

#[test]
fn looking_at_a_finished_study_shows_it_whole_and_writes_nothing() {
    for window in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let path = journal(&folder);
        let mut first = study(5).with_schedule(Schedule::Window(window)).with_journal(&path).unwrap();
        first.run(evaluate).unwrap();
        let best = first.history().best().map(|(trial, loss)| (trial.id, loss));
        let trials = first.history().clone();
        drop(first);
        let bytes = fs::read(&path).unwrap();
        for _ in 0..3 {
            let count = Count::default();
            let mut again = study(5).with_observer(count.clone()).with_journal(&path).unwrap();
            assert_eq!(again.history().pending().count(), 0);
            assert_eq!(again.history().best().map(|(trial, loss)| (trial.id, loss)), best);
            assert_eq!(again.run(|_, _| 0.0).unwrap(), thrifty_study::StopReason::Trials(5));
            assert_eq!(*count.0.lock().unwrap(), Vec::<u64>::new(), "nothing new was told");
            assert_eq!(History::<f64>::read(&path).unwrap(), trials);
            assert_eq!(fs::read(&path).unwrap(), bytes, "a look writes nothing");
        }
    }
}

#[test]
fn a_new_journal_begins_with_the_trials_that_the_study_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(&folder);
    let mut early = study(3);
    early.run(evaluate).unwrap();
    let Next::Evaluate(running) = early.ask().unwrap() else { panic!("a trial") };
    early.report(running.id, 7, 0.5).unwrap();
    let early = early.with_journal(&path).unwrap();
    let kept = early.history().clone();
    drop(early);
    assert_eq!(History::read(&path).unwrap(), kept);
    let mut other = study(4);
    other.run(|x, context| evaluate(x, context) + 1.0).unwrap();
    assert!(matches!(open(other, &path), JournalError::TwoHistories { trials: 4, .. }));
    let mut again = study(6).with_journal(&path).unwrap();
    again.run(evaluate).unwrap();
    let mut whole = study(6);
    whole.run(evaluate).unwrap();
    assert_eq!(queries(&again), queries(&whole));
}

#[test]
fn a_journal_that_is_deleted_cut_replaced_or_written_to_is_noticed_at_once() {
    let damage: [(&str, fn(&Path)); 5] = [
        ("deleted", |path| fs::remove_file(path).unwrap()),
        ("emptied", |path| drop(fs::File::create(path).unwrap())),
        ("cut", |path| fs::OpenOptions::new().write(true).open(path).unwrap().set_len(100).unwrap()),
        ("replaced", |path| {
            let copy = path.with_extension("copy");
            fs::copy(path, &copy).unwrap();
            fs::rename(copy, path).unwrap();
        }),
        ("appended", |path| {
            use std::io::Write;
            fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"hello\n").unwrap();
        }),
    ];
    for (name, damage) in damage {
        let folder = tempfile::tempdir().unwrap();
        let path = journal(&folder);
        let mut study = study(9).with_journal(&path).unwrap();
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
        damage(&path);
        let left = fs::read(&path).ok();
        let error = study.tell(trial.id, 1.0).unwrap_err();
        assert!(matches!(error, StudyError::Journal(JournalError::Changed { .. })), "{name}: {error}");
        assert_eq!(fs::read(&path).ok(), left, "{name}: nothing more is written");
        assert_eq!(study.history().pending().count(), 1, "{name}: what was not recorded is not believed");
    }
}

#[test]
fn what_differs_is_named() {
    let (folder, _) = written(2);
    let path = journal(&folder);
    let other = Sum { scale: 2.5, budget: None };
    let error = open(Study::new(other, Seed(3)), &path).to_string();
    assert!(error.contains("scale is 1.0 in the journal and 2.5 here"), "{error}");
    let error = open(Study::new(SUM, Seed(4)), &path).to_string();
    assert!(error.contains("seed 3") && error.contains('4'), "{error}");
}

#[test]
fn fingerprints_name_the_parameter_that_differs() {
    let space = |high: f64, second: &str| {
        serde_json::json!([
            { "name": "rate", "kind": { "low": 0.0, "high": high } },
            { "name": second, "kind": { "choices": ["a", "b"] } },
        ])
    };
    let print = |space: &serde_json::Value| Fingerprint::new("m").with("space", space).unwrap();
    let found = print(&space(1.0, "solver"));
    let texts =
        |here: &Fingerprint| found.differences(here).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&print(&space(1.0, "solver"))), Vec::<String>::new());
    assert_eq!(
        texts(&print(&space(2.0, "solver"))),
        ["space.rate.kind.high is 1.0 in the journal and 2.0 here"]
    );
    let renamed = texts(&print(&space(1.0, "method")));
    assert_eq!(renamed.len(), 2, "{renamed:?}");
    assert!(
        renamed[0].starts_with("space.solver is {") && renamed[0].ends_with("and nothing here"),
        "{renamed:?}"
    );
    assert!(renamed[1].starts_with("space.method is nothing"), "{renamed:?}");
    let mut turned = space(1.0, "solver");
    turned.as_array_mut().unwrap().reverse();
    let order = texts(&print(&turned));
    assert_eq!(order, ["the order of space is rate, solver in the journal and solver, rate here"]);
    let method = Fingerprint::new("n").with("space", &space(1.0, "solver")).unwrap();
    assert_eq!(texts(&method), ["method is \"m\" in the journal and \"n\" here"]);
    let unwritable = std::collections::BTreeMap::from([(vec![1_u8], 2)]);
    let error = Fingerprint::new("m").with("table", &unwritable).unwrap_err().to_string();
    assert!(error.contains("fingerprint of table"), "{error}");
}

#[test]
fn a_larger_budget_is_not_another_study() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(&folder);
    let planned = |budget| Study::new(Sum { budget, ..SUM }, Seed(3));
    let mut first = planned(Some(3)).with_stop(MaxTrials(3)).with_journal(&path).unwrap();
    first.run(evaluate).unwrap();
    drop(first);
    let mut more = planned(Some(6)).with_stop(MaxTrials(6)).with_journal(&path).unwrap();
    more.run(evaluate).unwrap();
    drop(more);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("\"resumed\":{\"budget\":6,").count(), 1, "{text}");
    assert_eq!(planned(Some(6)).with_journal(&path).unwrap().history().len(), 6);
    // A later run with the same budget does not report it again.
    let mut last = planned(Some(6)).with_stop(MaxTrials(8)).with_journal(&path).unwrap();
    last.run(evaluate).unwrap();
    drop(last);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        (text.matches("\"budget\":6").count(), text.matches("\"resumed\":").count()),
        (1, 2),
        "{text}"
    );
}

/// A journal keeps the number of planned trials whenever it comes, and a study without one goes on with the last.
#[test]
fn a_journal_keeps_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(&folder);
    let study = || Study::new(SUM, Seed(3));
    let budget = |study: &Study<Sum>| study.optimizer().budget;
    let lines = || -> Vec<String> {
        let text = fs::read_to_string(&path).unwrap();
        text.lines().filter(|line| line.contains("budget")).map(ToOwned::to_owned).collect()
    };
    let mut first = study().with_trials(2).with_journal(&path).unwrap();
    first.run(evaluate).unwrap();
    assert_eq!((first.history().len(), lines().len()), (2, 1));
    assert!(
        lines()[0].contains("\"thrifty_journal\"") && lines()[0].contains("\"budget\":2"),
        "{:?}",
        lines()
    );
    first.plan(4);
    first.enqueue(0.5).unwrap();
    drop(first);
    assert!(
        lines()[1..].iter().all(|line| line.contains("\"budget\":4")) && lines().len() == 2,
        "{:?}",
        lines()
    );
    assert_eq!(budget(&study().with_journal(&path).unwrap()), Some(4));
    assert_eq!(budget(&study().with_trials(9).with_journal(&path).unwrap()), Some(9));
    // A plan that comes after the journal was opened, and before its first line, is in the header.
    fs::remove_file(&path).unwrap();
    let mut late = study().with_journal(&path).unwrap().with_trials(3);
    late.run(evaluate).unwrap();
    drop(late);
    assert_eq!(lines().len(), 1, "{:?}", lines());
    assert_eq!(budget(&study().with_journal(&path).unwrap()), Some(3));
}

#[test]
fn running_in_parallel_without_a_schedule_is_parallel_and_reproducible() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(&folder);
    let running = Mutex::new((0, 0));
    let busy = |x: &f64, context: &mut Context<'_>| {
        let mut now = running.lock().unwrap();
        now.0 += 1;
        now.1 = now.1.max(now.0);
        drop(now);
        std::thread::sleep(std::time::Duration::from_millis(5 + context.id.0 % 3));
        running.lock().unwrap().0 -= 1;
        evaluate(x, context)
    };
    let mut two = study(12).with_journal(&path).unwrap();
    two.run_parallel(2, busy).unwrap();
    assert_eq!(running.lock().unwrap().1, 2, "two trials ran at once");
    let expected = queries(&two);
    drop(two);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.lines().next().unwrap().contains("\"schedule\":{\"window\":2}"), "{text}");
    let mut explicit = study(12).with_schedule(Schedule::Window(2));
    explicit.run(evaluate).unwrap();
    assert_eq!(queries(&explicit), expected);
    // A resumed study keeps the window whatever the number of threads.
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for (which, end) in ends.iter().enumerate() {
        fs::write(&path, &text[..*end]).unwrap();
        let mut again = study(12).with_journal(&path).unwrap();
        let threads = [1, 2, 8][which % 3];
        if which % 4 == 3 {
            again.run(evaluate).unwrap()
        } else {
            again.run_parallel(threads, evaluate).unwrap()
        };
        assert_eq!(queries(&again), expected, "{threads} threads, cut after line {which}");
        assert_eq!(again.schedule(), Some(Schedule::Window(2)));
    }
}

#[test]
fn another_schedule_on_resume_is_recorded_and_said() {
    let (folder, _) = written(4);
    let path = journal(&folder);
    let mut wider = study(8).with_journal(&path).unwrap();
    wider.run_parallel(3, evaluate).unwrap();
    drop(wider);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("\"resumed\":{\"schedule\":{\"window\":3},").count(), 1, "{text}");
    let again = study(8).with_schedule(Schedule::Window(2)).with_journal(&path).unwrap();
    assert!(
        again.warnings().iter().any(|w| w.contains("Window(3)") && w.contains("Window(2)")),
        "{:?}",
        again.warnings()
    );
}

#[test]
fn measurements_that_contradict_earlier_ones_are_refused_and_the_trial_stays_pending() {
    let folder = tempfile::tempdir().unwrap();
    let mut study = study(9).with_journal(journal(&folder)).unwrap();
    let mut ask = || match study.ask().unwrap() {
        Next::Evaluate(trial) => trial.id,
        _ => panic!("a trial"),
    };
    let (first, second) = (ask(), ask());
    let of = |objectives: &[f64], constraints: &[f64], cost, noise| Measurement {
        objectives: objectives.to_vec(),
        constraints: constraints.to_vec(),
        cost,
        noise_variance: noise,
    };
    study.tell(first, of(&[1.0, 2.0], &[0.5], Some(1.0), None)).unwrap();
    let before = fs::read(journal(&folder)).unwrap();
    let refused = [
        (of(&[1.0], &[0.5], None, None), "trial 1: 1 objective, but trial 0 has 2"),
        (of(&[1.0, 2.0], &[], None, None), "trial 1: 0 constraints, but trial 0 has 1"),
        (
            of(&[1.0, 2.0], &[0.5], Some(-1.0), None),
            "trial 1: the cost is -1, expected a finite number from 0",
        ),
        (
            of(&[1.0, 2.0], &[0.5], Some(f64::NAN), None),
            "trial 1: the cost is NaN, expected a finite number from 0",
        ),
        (
            of(&[1.0, 2.0], &[0.5], None, Some(-0.1)),
            "trial 1: the noise variance is -0.1, expected a finite number from 0",
        ),
        (
            of(&[1.0, 2.0], &[0.5], None, Some(f64::INFINITY)),
            "trial 1: the noise variance is inf, expected a finite number from 0",
        ),
    ];
    for (measurement, message) in refused {
        assert_eq!(study.tell(second, measurement).unwrap_err().to_string(), message);
        assert_eq!(study.history().pending().count(), 1);
    }
    assert_eq!(fs::read(journal(&folder)).unwrap(), before, "nothing was recorded");
    // A NaN means that the evaluation failed, whatever the number of objectives.
    study.tell(second, f64::NAN).unwrap();
    assert!(matches!(study.history().trials()[1].outcome, Some(Outcome::Failed(_))));
}

#[test]
fn in_the_loop_a_contradicting_measurement_is_a_failed_trial() {
    let mut study = study(6);
    study
        .run(|_, context| {
            let cost = if context.id.0 == 3 { Some(-2.0) } else { Some(2.0) };
            let objectives = if context.id.0 == 2 { vec![1.0, 2.0] } else { vec![1.0] };
            Measurement { objectives, cost, ..Measurement::default() }
        })
        .unwrap();
    assert_eq!(study.history().measured().count(), 4);
    let failed: Vec<u64> = study.history().unsuccessful().map(|trial| trial.id.0).collect();
    assert_eq!(failed, [2, 3]);
}

#[test]
fn stop_rules_that_could_never_stop_are_refused() {
    let run = |rule: Box<dyn thrifty_study::StopRule>| {
        let mut study = Study::new(SUM, Seed(3)).with_stop(MaxTrials(2));
        study = study.with_stop(thrifty_study::Any(vec![rule]));
        let by_hand = study.ask().map(|_| ()).unwrap_err().to_string();
        assert_eq!(study.run(evaluate).unwrap_err().to_string(), by_hand);
        by_hand
    };
    assert_eq!(run(Box::new(MaxCost(f64::NAN))), "stop rule MaxCost: NaN, expected a number from 0");
    assert_eq!(run(Box::new(MaxCost(-1.0))), "stop rule MaxCost: -1, expected a number from 0");
    assert_eq!(run(Box::new(Target(f64::NAN))), "stop rule Target: NaN, expected a number");
    let rule = thrifty_study::NoImprovement { epsilon: f64::NAN, times: 2 };
    assert!(run(Box::new(rule)).contains("epsilon"));
    let rule = thrifty_study::NoImprovement { epsilon: 0.1, times: 0 };
    assert!(run(Box::new(rule)).contains("times"));
}

#[test]
fn durable_journals_hold_the_same_lines() {
    let (_, expected) = written(3);
    let objects = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        // Up to the times.
        let timeless = |line: &str| {
            let end = ["\"seconds\"", "\"elapsed\""].iter().filter_map(|time| line.find(time)).min();
            line[..end.unwrap_or(line.len())].to_owned()
        };
        text.lines().map(timeless).collect::<Vec<_>>()
    };
    for durability in [Durability::Outcomes, Durability::Everything] {
        let folder = tempfile::tempdir().unwrap();
        let mut study = study(3).with_durability(durability).with_journal(journal(&folder)).unwrap();
        study.run(evaluate).unwrap();
        assert_eq!(objects(&fs::read(journal(&folder)).unwrap()), objects(&expected));
    }
}

#[test]
fn a_study_can_move_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}
    let study = study(2).with_observer(Count::default());
    is_send(&study);
    let moved = std::thread::spawn(move || {
        let mut study = study;
        study.run(evaluate).unwrap();
        study.history().len()
    });
    assert_eq!(moved.join().unwrap(), 2);
}

/// The directory of a process is that of all its threads, so this test runs in a process of its own.
#[test]
fn an_objective_may_change_the_directory() {
    const FOLDER: &str = "THRIFTY_TEST_FOLDER";
    let Some(folder) = std::env::var_os(FOLDER) else {
        let folder = tempfile::tempdir().unwrap();
        let name = "journal::an_objective_may_change_the_directory";
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let output = alone.args(["--exact", name]).env(FOLDER, folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(History::<f64>::read(journal(&folder)).unwrap().measured().count(), 3);
        return;
    };
    std::env::set_current_dir(folder).unwrap();
    fs::create_dir("elsewhere").unwrap();
    let study = study(3).with_durability(Durability::Everything).with_journal("study.jsonl");
    let mut study = study.unwrap();
    let evaluated = study.run(|x, context| {
        if context.id.0 == 0 {
            std::env::set_current_dir("elsewhere").unwrap();
        }
        evaluate(x, context)
    });
    evaluated.unwrap();
}
