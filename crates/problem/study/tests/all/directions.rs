//! Directions of objectives: what journals and shared logs keep of them, and what they refuse.

use std::path::Path;

use thrifty_sampling::Seed;
use thrifty_study::shared::{MemoryLog, verify_replay};
use thrifty_study::{
    Ask, Direction, Directions, Fingerprint, History, MaxTrials, Measurement, Optimizer, OptimizerError,
    Outcome, Patience, Study, StudyError, Suggestion, TrialId,
};

struct Halves;

impl Optimizer for Halves {
    type Query = f64;
    type Recommendation = f64;

    fn ask(&mut self, history: &History<f64>, _: TrialId) -> Result<Ask<f64>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(0.5_f64.powi(history.len() as i32))))
    }

    fn recommend(&mut self, history: &History<f64>) -> Result<Option<f64>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("halves"))
    }
}

const MAXIMIZE: [Direction; 1] = [Direction::Maximize];

fn study(directions: &[Direction], trials: usize) -> Study<Halves> {
    let directions = Directions::new(directions.to_vec());
    Study::new(Halves, Seed(0)).with_directions(directions).with_stop(MaxTrials(trials))
}

/// Evaluates in the user's units, negated once.
#[allow(clippy::trivially_copy_pass_by_ref)] // the study's signature
fn accuracy(x: &f64, _: &mut thrifty_study::Context<'_>) -> f64 {
    Direction::Maximize.flip(1.0 - x)
}

fn opened(path: &Path, directions: &[Direction]) -> Result<Study<Halves>, StudyError> {
    study(directions, 6).with_journal(path)
}

#[test]
fn a_journal_keeps_the_directions_and_goes_on_with_the_same_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    study(&MAXIMIZE, 4).with_journal(&path).unwrap().run(accuracy).unwrap();
    let history = History::<f64>::read(&path).unwrap();
    assert_eq!(history.directions().as_slice(), MAXIMIZE);
    assert_eq!(history.best().map(|(trial, loss)| (trial.id.0, loss)), Some((3, -0.875)));
    let before = std::fs::read(&path).unwrap();
    for (others, text) in [
        (&[][..], "directions is maximize in the journal and minimize here"),
        (&[Direction::Minimize], "directions is maximize in the journal and minimize here"),
        (&[Direction::Maximize; 2], "directions is maximize in the journal and maximize, maximize here"),
    ] {
        let error = opened(&path, others).map(drop).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let mut resumed = opened(&path, &MAXIMIZE).unwrap();
    resumed.run(accuracy).unwrap();
    assert_eq!(resumed.history().len(), 6);
    assert_eq!(resumed.history().clone().directions().as_slice(), MAXIMIZE);
}

#[test]
fn journals_without_directions_minimise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    study(&[], 4).with_journal(&path).unwrap().run(|x: &f64, _| *x).unwrap();
    assert!(!std::fs::read_to_string(&path).unwrap().contains("directions"));
    assert!(History::<f64>::read(&path).unwrap().directions().all_minimize());
    // The name of what is done anyway is no other study.
    opened(&path, &[Direction::Minimize]).unwrap();
    let error = opened(&path, &MAXIMIZE).map(drop).unwrap_err().to_string();
    assert!(error.contains("directions is minimize in the journal and maximize here"), "{error}");
}

#[test]
fn a_shared_log_keeps_the_directions_too() {
    let log = MemoryLog::new();
    let join = |directions: &[Direction]| study(directions, 5).join(Box::new(log.clone()));
    join(&MAXIMIZE).unwrap().run_worker(accuracy).unwrap();
    let history = History::<f64>::read_log(&mut log.clone()).unwrap();
    assert_eq!(history.directions().as_slice(), MAXIMIZE);
    assert_eq!(join(&MAXIMIZE).unwrap().history().directions().as_slice(), MAXIMIZE);
    let error = join(&[]).map(drop).unwrap_err().to_string();
    assert!(error.contains("directions is maximize"), "{error}");
    assert_eq!(verify_replay(Halves, &mut log.clone()).unwrap(), 5);
}

#[test]
fn a_measurement_has_one_objective_per_direction() {
    let two = || Measurement { objectives: vec![1.0, 2.0], ..Measurement::default() };
    let mut wrong = study(&MAXIMIZE, 1);
    wrong.run(|_: &f64, _| two()).unwrap();
    let Some(Outcome::Failed(failure)) = &wrong.history().trials()[0].outcome else {
        panic!("it was measured")
    };
    assert_eq!(failure.to_string(), "2 objectives, but the study has 1 direction");
    let mut asked = study(&[Direction::Minimize; 3], 1);
    asked.ask().unwrap();
    assert!(matches!(asked.tell(TrialId(0), two()), Err(StudyError::InvalidMeasurement { .. })));
    // Without directions any number will do.
    let mut open = study(&[], 1);
    open.run(|_: &f64, _| two()).unwrap();
    assert_eq!(open.history().measured().count(), 1);
}

#[test]
fn a_rule_that_makes_no_sense_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let study = study(&[], 4).with_stop(Patience { trials: 0, min_gain: 0.0 });
    assert!(matches!(study.with_journal(&path), Err(StudyError::InvalidStopRule { .. })));
    assert!(!path.exists());
}
