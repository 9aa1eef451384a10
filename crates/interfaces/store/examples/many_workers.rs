//! Measures a store: exactness with many workers, and time per trial with one.
//!
//! ```text
//! many_workers ADDRESS random 16000      16 workers, 16,000 trials of random search
//! many_workers ADDRESS overhead 2000     one worker, against the same study without a store and with a journal
//! many_workers ADDRESS open 100000       time and memory to read that many trials, from the store or `journal:PATH`
//! many_workers ADDRESS ask 10000         asks of a Parzen estimator after that many trials of random search
//! ```

use std::error::Error;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use thrifty_bo::BayesianOptimizer;
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_store::open;
use thrifty_study::shared::{Step, WorkerReport, verify_replay};
use thrifty_study::{
    AnyOptimizer, Context, History, MaxTrials, OptimizerError, Outcome, Study, StudyError, Trial,
};
use thrifty_tpe::{TpeOptimizer, TpeSettings};

const WORKERS: usize = 16;

fn space() -> Result<Space, SpaceError> {
    Space::builder().float("x", -2.0, 2.0).float("y", -1.0, 3.0).build()
}

fn optimizer(method: &str) -> Result<AnyOptimizer<Config>, OptimizerError> {
    let space = space().map_err(|error| OptimizerError::failed("the space", error))?;
    Ok(match method {
        "bo" => AnyOptimizer::new(BayesianOptimizer::new(space)),
        "tpe" => AnyOptimizer::new(TpeOptimizer::new(space)?),
        "tpe-optuna" => AnyOptimizer::new(TpeOptimizer::new(space)?.with_settings(TpeSettings::optuna5())?),
        _ => AnyOptimizer::new(RandomSearch::new(space)),
    })
}

fn study(method: &str, trials: usize) -> Result<Study<AnyOptimizer<Config>>, StudyError> {
    Ok(Study::new(optimizer(method)?, Seed(1)).with_stop(MaxTrials(trials)))
}

/// Rosenbrock's function, after up to 10 ms.
fn slow(config: &Config, context: &mut Context<'_>) -> Result<f64, SpaceError> {
    std::thread::sleep(Duration::from_micros(context.noise().bits() % 10_000));
    fast(config, context)
}

fn fast(config: &Config, _: &mut Context<'_>) -> Result<f64, SpaceError> {
    let (x, y) = (config.float("x")?, config.float("y")?);
    Ok((1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2))
}

/// Runs 16 workers and prints what must be exact.
fn exactness(address: &str, method: &str, trials: usize) -> Result<(), Box<dyn Error>> {
    let name = format!("{method} {trials}");
    let started_at = Instant::now();
    let work = || -> Result<WorkerReport, StudyError> {
        study(method, trials)?.join(open(address, &name)?)?.run_worker(slow)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    let errors = results.iter().filter(|result| !matches!(result, Ok(Ok(_)))).count();
    let reports: Vec<&WorkerReport> = results.iter().flatten().flatten().collect();
    let sum = |number: fn(&WorkerReport) -> usize| reports.iter().map(|report| number(report)).sum::<usize>();
    let mut log = open(address, &name)?;
    let history = History::<Config>::read_log(&mut *log)?;
    let contiguous = history.trials().iter().zip(0..).all(|(trial, id)| trial.id.0 == id);
    println!(
        "{method}, {WORKERS} workers, {:.1} s: {} trials of {trials}",
        started_at.elapsed().as_secs_f64(),
        history.len()
    );
    println!("  ids contiguous {contiguous}, without outcome {}", history.pending().count());
    // Fewer than the trials where an interrupted run goes on.
    println!("  evaluations {}, of which duplicates {}", sum(|r| r.evaluated + r.lost), sum(|r| r.lost));
    println!("  errors of callers {errors}, asks done again {} of {trials}", sum(|r| r.asked_again));
    println!("  replayed to the bit: {}", verify_replay(optimizer(method)?, &mut *log)?);
    Ok(())
}

/// Prints wall and processor time per trial, in milliseconds, of one worker.
fn overhead(address: &str, trials: usize) -> Result<(), Box<dyn Error>> {
    let time = |name: &str, run: &dyn Fn() -> Result<(), StudyError>| {
        let (wall, processor) = (Instant::now(), ProcessTime::now());
        let result = run();
        let each = |time: Duration| 1e3 * time.as_secs_f64() / trials as f64;
        println!(
            "{name}: {:.3} ms wall, {:.3} ms CPU per trial",
            each(wall.elapsed()),
            each(processor.elapsed())
        );
        result
    };
    time("nothing", &|| study("random", trials)?.run(fast).map(drop))?;
    let journal = std::env::temp_dir().join(format!("thrifty-overhead-{}.jsonl", std::process::id()));
    let result = time("journal", &|| study("random", trials)?.with_journal(&journal)?.run(fast).map(drop));
    std::fs::remove_file(&journal)?;
    result?;
    let name = format!("overhead {}", std::process::id());
    time("store", &|| study("random", trials)?.join(open(address, &name)?)?.run_worker(fast).map(drop))?;
    Ok(())
}

/// Prints what reading that many trials takes. They are made by random search first, if the place does not have them: run it twice.
fn open_many(address: &str, trials: usize) -> Result<(), Box<dyn Error>> {
    let name = format!("open {trials}");
    let path = address.strip_prefix("journal:");
    let read = || -> Result<History<Config>, Box<dyn Error>> {
        Ok(match path {
            Some(path) => History::read(path)?,
            None => History::read_log(&mut *open(address, &name)?)?,
        })
    };
    let (wall, processor) = (Instant::now(), ProcessTime::now());
    let found = read().map_or(0, |history| history.len());
    if found == trials {
        let (wall, processor) = (wall.elapsed().as_secs_f64(), processor.elapsed().as_secs_f64());
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM unknown");
        println!("{trials} trials read in {wall:.2} s wall, {processor:.2} s CPU; {peak}");
        return Ok(());
    }
    match path {
        Some(path) => study("random", trials)?.with_journal(path)?.run(fast).map(drop)?,
        None => study("random", trials)?.join(open(address, &name)?)?.run_worker(fast).map(drop)?,
    }
    println!("{trials} trials made; run it again to read them");
    Ok(())
}

/// Trials that are timed by [`asks`].
const TIMED: usize = 50;

/// Prints wall and processor time of an ask with a long history from the store.
fn asks(address: &str, method: &str, trials: usize) -> Result<(), Box<dyn Error>> {
    let name = format!("ask {method} {trials} {}", std::process::id());
    let mut before = study("random", trials)?;
    before.run(fast)?;
    let ended = |trial: &Trial<Config>| Some((trial.query.clone(), trial.outcome.clone()?));
    let known: Vec<_> = before.history().trials().iter().filter_map(ended).collect();
    let mut worker = study(method, trials + TIMED)?.with_known(known)?.join(open(address, &name)?)?;
    let mut times = Vec::new();
    loop {
        let (wall, processor) = (Instant::now(), ProcessTime::now());
        let Step::Evaluate(assignment) = worker.next_step()? else { break };
        times.push([wall.elapsed(), processor.elapsed()].map(|time| 1e3 * time.as_secs_f64()));
        let (x, y) = (assignment.trial.query.float("x")?, assignment.trial.query.float("y")?);
        worker.tell(&assignment.lease, Outcome::from((1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2)))?;
    }
    // The first reads the whole log.
    let later = times.get(1..).unwrap_or_default();
    let mean = |at: usize| later.iter().map(|time| time[at]).sum::<f64>() / later.len() as f64;
    println!(
        "{method}: {} asks after {trials} trials: {:.2} ms wall, {:.2} ms CPU each",
        later.len(),
        mean(0),
        mean(1)
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [address, "overhead", trials] => overhead(address, trials.parse()?),
        [address, "open", trials] => open_many(address, trials.parse()?),
        [address, "ask", trials] => {
            ["tpe", "tpe-optuna"].iter().try_for_each(|method| asks(address, method, trials.parse()?))
        }
        [address, method, trials] => exactness(address, method, trials.parse()?),
        _ => {
            Err("expected an address, a method or `overhead`, `open` or `ask`, and a number of trials".into())
        }
    }
}
