//! The subcommands.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use thrifty_space::Config;
use thrifty_study::shared::Assignment;
use thrifty_study::{Context, History, Outcome, Schedule, StopReason, TrialId};

use crate::args::Source;
use crate::by_hand::ByHand;
use crate::error::CliError;
use crate::evaluate::Evaluator;
use crate::figures::write_report;
use crate::held::{Held, give_all_back};
use crate::interrupt::on_interrupt;
use crate::leased::{self, Leased};
use crate::message::say;
use crate::outcome::parse;
use crate::progress::Progress;
use crate::recommendation;
use crate::running::Running;
use crate::study::{EndedBefore, failures_in_a_row, open};
use crate::study_file::StudyFile;
use crate::summary;
use crate::target::compare_at_target;

/// A commented study file that runs as it is.
const EXAMPLE: &str = include_str!("example.toml");

/// Exit code of an interrupted process, as shells have it.
pub(crate) const INTERRUPTED: i32 = 130;

/// Prints a line, or JSON.
pub(crate) fn print(json: bool, value: &Value, text: &str) -> Result<(), CliError> {
    let text = if json { serde_json::to_string(value)? } else { text.to_owned() };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}

/// Writes a whole text to the standard output.
pub(crate) fn write_out(text: &[u8]) -> Result<(), CliError> {
    let mut output = std::io::stdout();
    output.write_all(text)?;
    Ok(output.flush()?)
}

/// Writes a file of results, which must not take the place of the study file or the journal that they are from.
pub(crate) fn write_file(
    source: &Source,
    file: Option<&StudyFile>,
    output: &Path,
    text: &[u8],
) -> Result<(), CliError> {
    let is_same =
        |other: &Path| matches!((output.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if is_same(&source.study) || file.is_some_and(|file| is_same(&file.journal)) {
        return Err(CliError::Exists(output.into()));
    }
    std::fs::write(output, text).map_err(|source| CliError::File { path: output.into(), source })
}

/// `thrifty new`: writes a commented study file.
pub(crate) fn new(path: &Path) -> Result<(), CliError> {
    let file = |source| CliError::File { path: path.into(), source };
    match File::create_new(path) {
        Ok(mut created) => created.write_all(EXAMPLE.as_bytes()).map_err(file),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(CliError::Exists(path.into())),
        Err(error) => Err(file(error)),
    }
}

/// `thrifty run`: evaluates until a stop rule or the optimiser ends the study, and writes its page where `report` is true.
pub(crate) fn run(
    path: &Path,
    workers: Option<usize>,
    store: Option<&str>,
    report: bool,
    json: bool,
) -> Result<(), CliError> {
    if workers == Some(0) {
        let (name, expected) = ("--workers".into(), "a whole number from 1".into());
        return Err(CliError::Setting { name, value: "0".into(), expected });
    }
    let file = StudyFile::read(path, store)?;
    let running = Running::default();
    let evaluator = Evaluator::new(&file, running.clone())?;
    let held = Held::default();
    let (store_of_file, at_work) = (file.store.clone(), held.clone());
    let again = format!("start again when {} is run again", path.display());
    on_interrupt(move || {
        running.interrupt();
        let again = store_of_file.map_or(again, |store| give_all_back(&store, at_work.leases()).to_owned());
        say(format_args!("interrupted; running trials {again}"));
        std::process::exit(INTERRUPTED);
    })?;
    let workers = workers.unwrap_or(file.workers);
    let (reason, history) = match &file.store {
        Some(store) => {
            let evaluate = |config: &Config, context: &mut Context<'_>| evaluator.evaluate(config, context);
            let reason = store.run(&file, workers, &held, &evaluate)?;
            (reason, compare_at_target(store.history()?, file.fidelity.as_ref()))
        }
        None => run_with_journal(&file, workers, &evaluator)?,
    };
    let ended = show_end(path, &file, &reason, &history, json);
    if !report {
        return ended;
    }
    // The page of a study that ended by its failures is wanted most.
    let page = write_report(&Source { study: path.into(), store: store.map(str::to_owned) }, None);
    ended.and(page.map(drop))
}

/// Prints the end of a study: the reason, the best and the recommendation.
///
/// # Errors
/// [`CliError`] without a measured trial, or for a study that ended by its failures.
fn show_end(
    path: &Path,
    file: &StudyFile,
    reason: &StopReason,
    history: &History<Config>,
    json: bool,
) -> Result<(), CliError> {
    let best = summary::best(history)?;
    let words = summary::reason(reason, history.directions());
    let recommended = recommendation::recommended(file, history);
    let mut value = json!({
        "reason": words, "counts": summary::counts(history), "best": best, "recommended": recommended
    });
    if file.store.is_none() {
        value["journal"] = json!(file.journal.to_string_lossy());
    }
    summary::add_directions(&mut value, history.directions());
    let text = summary::best_as_text(&best, history);
    let lines = recommendation::lines(Some(file), &text, &best, &recommended);
    print(json, &value, &format!("stopped: {words}\n{lines}"))?;
    // Trials that ended after the rule applied may have succeeded.
    match failures_in_a_row(reason) {
        Some(words) => Err(CliError::Command(format!(
            "{words}; see `thrifty show {}`; run again, it goes on",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Runs a study of this process alone.
fn run_with_journal(
    file: &StudyFile,
    workers: usize,
    evaluator: &Evaluator,
) -> Result<(StopReason, History<Config>), CliError> {
    let before = EndedBefore::default();
    let study = open(file, &before)?;
    before.set(study.history());
    let progress = Progress::new(study.history(), file);
    let mut study = study.with_observer(progress);
    match study.schedule() {
        Some(Schedule::Window(window)) if window < workers => {
            say(format_args!(
                "warning: at most {window} trials run at the same time, as when the study began"
            ));
        }
        _ => {}
    }
    let reason =
        study.run_parallel(workers, |config: &Config, context| evaluator.evaluate(config, context))?;
    Ok((reason, study.history().clone()))
}

/// The history of a study file, from its store or its journal, or of a journal; and the study file if there is one.
/// Of a multi-fidelity study trials at the target are compared.
pub(crate) fn load(source: &Source) -> Result<(History<Config>, Option<StudyFile>), CliError> {
    let path = source.study.as_path();
    if is_journal(path) {
        // The variable is for all studies, the argument for this one.
        let variable = std::env::var("THRIFTY_STORE").ok();
        if source.store.is_some() && source.store != variable {
            return Err(CliError::Setting {
                name: "--store".into(),
                value: "given".into(),
                expected: format!("none, because {} is a journal", path.display()),
            });
        }
        return Ok((compare_at_target(in_journal(path)?, None), None));
    }
    let file = StudyFile::read(path, source.store.as_deref())?;
    let history = match &file.store {
        Some(store) => store.history()?,
        None => in_journal(&file.journal)?,
    };
    Ok((compare_at_target(history, file.fidelity.as_ref()), Some(file)))
}

/// True for a journal, by its name or by its lines: each is an object of JSON, with which no study file begins.
///
/// What is read from a pipe is gone, so a path that is no file is a journal unless its name is that of a study file.
fn is_journal(path: &Path) -> bool {
    let is_named = |name: &str| path.extension().is_some_and(|extension| extension == name);
    let begins_with_object = || {
        let mut first = [0];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == *b"{"
    };
    match path.metadata() {
        _ if is_named("jsonl") => true,
        Ok(found) if found.is_file() => begins_with_object(),
        Ok(_) => !is_named("toml"),
        Err(_) => false,
    }
}

fn in_journal(path: &Path) -> Result<History<Config>, CliError> {
    if !path.exists() {
        return Err(CliError::NoTrials(path.into()));
    }
    Ok(History::read(path)?)
}

/// `thrifty best`.
pub(crate) fn best(source: &Source, json: bool) -> Result<(), CliError> {
    let (history, file) = load(source)?;
    let mut best = summary::best(&history)?;
    let text = summary::best_as_text(&best, &history);
    let Some(file) = file else { return print(json, &best, &text) };
    let recommended = recommendation::recommended(&file, &history);
    let text = recommendation::lines(Some(&file), &text, &best, &recommended);
    if !recommended.is_null() {
        best["recommended"] = recommended;
    }
    print(json, &best, text.strip_prefix("best: ").unwrap_or(&text))
}

/// Time for which a trial in a store is held for whoever asked it by hand, in seconds: a day. Nobody extends it, because the process has ended.
const HELD_BY_HAND: f64 = 86_400.0;

/// `thrifty ask`: prints the next trial, in a store with its lease.
pub(crate) fn ask(path: &Path, store: Option<&str>, seconds: Option<f64>) -> Result<(), CliError> {
    let file = StudyFile::read(path, store)?;
    let lease = seconds.unwrap_or(HELD_BY_HAND);
    let lease =
        Duration::try_from_secs_f64(lease).ok().filter(|lease| !lease.is_zero()).ok_or_else(|| {
            CliError::Setting {
                name: "--lease-seconds".into(),
                value: lease.to_string(),
                expected: "a positive number of seconds".into(),
            }
        })?;
    let Some(store) = &file.store else {
        if let Some(seconds) = seconds {
            return Err(no_store("--lease-seconds", seconds.to_string()));
        }
        return print(true, &ByHand::open(&file, &EndedBefore::default())?.ask()?, "");
    };
    let mut study = Leased::new(&file, store, lease, &EndedBefore::default())?;
    let value = match study.ask()? {
        Ok(Assignment { trial, lease }) => {
            json!({ "trial": trial.id, "config": trial.query, "lease": leased::text(&lease) })
        }
        Err(reason) => json!({ "stopped": summary::reason(&reason, &file.directions) }),
    };
    print(true, &value, "")
}

/// The error of an argument that needs a store.
fn no_store(name: &str, value: String) -> CliError {
    CliError::Setting { name: name.into(), value, expected: "none, because the study has a journal".into() }
}

/// `thrifty tell`: records the outcome of a trial.
pub(crate) fn tell(
    path: &Path,
    store: Option<&str>,
    lease: Option<&str>,
    trial: u64,
    outcome: &str,
    failed: bool,
) -> Result<(), CliError> {
    let file = StudyFile::read(path, store)?;
    let trial = TrialId(trial);
    let printed = if failed { None } else { Some(parse(outcome).map_err(CliError::Outcome)?) };
    let mut study = match &file.store {
        None if lease.is_some() => {
            return Err(no_store("--lease", "given".into()));
        }
        None => ByHand::open(&file, &EndedBefore::default())?,
        Some(store) => {
            let lease = leased::parse(trial, lease.ok_or(CliError::NeedsLease)?)?;
            // A store without the study is not begun by a tell.
            store.history()?;
            let mut study = Leased::new(&file, store, store.lease(), &EndedBefore::default())?;
            study.hold(lease);
            ByHand::Store(Box::new(study))
        }
    };
    match printed {
        Some(printed) => study.tell_printed(trial, printed),
        None => study.tell(trial, Outcome::failed(outcome)),
    }
}
