//! Workers on threads and in processes over a store.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space};
use thrifty_store::open;
use thrifty_study::shared::{EventLog, SharedStudy, Step, WorkerReport, give_back, verify_replay};
use thrifty_study::{AnyOptimizer, Context, History, MaxTrials, Outcome, Study, TrialId};
use thrifty_tpe::TpeOptimizer;

/// Environment variable with the method, the number of trials and the address of the store, for worker processes.
const WORKER: &str = "THRIFTY_TEST_WORKER";

/// A time after which workers that are gone are replaced.
const LEASE: Duration = Duration::from_millis(300);

fn space() -> Space {
    Space::builder().float("x", -2.0, 2.0).float("y", -1.0, 3.0).build().unwrap()
}

fn optimizer(method: &str) -> AnyOptimizer<Config> {
    match method {
        "tpe" => AnyOptimizer::new(TpeOptimizer::new(space()).unwrap()),
        _ => AnyOptimizer::new(RandomSearch::new(space())),
    }
}

/// Opens a store, even one whose server starts in this moment.
fn connect(address: &str, study: &str) -> Box<dyn EventLog> {
    for _ in 0..300 {
        match open(address, study) {
            Err(error) if error.is_temporary() => std::thread::sleep(Duration::from_millis(100)),
            result => return result.unwrap(),
        }
    }
    panic!("{address} does not answer")
}

fn join(method: &str, trials: usize, address: &str) -> SharedStudy<AnyOptimizer<Config>> {
    let study = Study::new(optimizer(method), Seed(5)).with_stop(MaxTrials(trials));
    study.join(connect(address, method)).unwrap().with_lease(LEASE)
}

/// Rosenbrock's function, which takes a time below `limit`.
fn evaluate(config: &Config, context: &mut Context<'_>, limit: Duration) -> f64 {
    std::thread::sleep(limit.mul_f64(context.noise().uniform()));
    // A worker whose trial was handed out again learns it here.
    let _ = context.report(1, 0.5);
    let [x, y] = ["x", "y"].map(|name| config.float(name).unwrap());
    (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2)
}

/// Checks that a study has exactly these trials, all with an outcome, and that every suggestion is made again to the bit.
pub(crate) fn check(method: &str, trials: usize, address: &str) {
    let mut log = connect(address, method);
    let history = History::<Config>::read_log(&mut *log).unwrap();
    assert_eq!(history.len(), trials, "number of trials");
    for (trial, id) in history.trials().iter().zip(0..) {
        assert_eq!(trial.id.0, id, "trial ids without gaps");
        assert!(trial.outcome.is_some() && trial.reports.len() == 1, "trial {id} has one outcome and report");
    }
    assert_eq!(verify_replay(optimizer(method), &mut *log).unwrap(), trials, "asks that replay");
}

/// Runs 16 workers on threads; an evaluation takes a time below `limit`.
pub(crate) fn sixteen_threads(method: &str, trials: usize, address: &str, limit: Duration) {
    let evaluate = |config: &Config, context: &mut Context<'_>| evaluate(config, context, limit);
    let work = || join(method, trials, address).run_worker(evaluate).unwrap();
    let reports: Vec<WorkerReport> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..16).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let sum = |number: fn(&WorkerReport) -> usize| reports.iter().map(number).sum::<usize>();
    assert_eq!(sum(|report| report.evaluated), trials);
    assert!(sum(|report| report.asked_again) * 20 <= trials, "{reports:?}");
    check(method, trials, address);
}

/// Method and name of a study whose first trial takes its worker down.
const LETHAL: &str = "lethal";

/// The line that a worker process writes when its first evaluation begins.
const EVALUATING: &str = "evaluating";

/// The body of a worker process; nothing in other processes.
pub(crate) fn be_a_worker() {
    let Ok(text) = std::env::var(WORKER) else { return };
    let [method, trials, address] = text.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
    let first = Once::new();
    let evaluate = |config: &Config, context: &mut Context<'_>| {
        if method == LETHAL && context.id == TrialId(0) {
            std::process::abort();
        }
        first.call_once(|| println!("{EVALUATING}"));
        evaluate(config, context, Duration::from_millis(10))
    };
    join(method, trials.parse().unwrap(), address).run_worker(evaluate).unwrap();
}

/// Starts this test program again, as a worker.
fn spawn(method: &str, trials: usize, address: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["worker_process", "--nocapture"]) // the only test with this in its name
        .env(WORKER, format!("{method} {trials} {address}"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills a worker process (SIGKILL) after this part of a second in which it works.
fn kill_at_work(mut worker: Child, delay: Duration) {
    let mut lines = BufReader::new(worker.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == EVALUATING), "a worker ended without an evaluation");
    std::thread::sleep(delay);
    worker.kill().unwrap();
    assert!(!worker.wait().unwrap().success(), "a worker ended before it was killed");
}

/// Runs four worker processes, kills and replaces one after the other, and lets four new ones end the study.
///
/// No time is assumed: a worker is killed after its first evaluation has begun, and the number of trials at which the
/// study ends is chosen after the last kill.
pub(crate) fn killed_processes(kills: usize, address: &str) {
    let mut workers: VecDeque<Child> = (0..4).map(|_| spawn("random", usize::MAX, address)).collect();
    for kill in 0..kills {
        let delay = Duration::from_millis(7 * (kill as u64 % 7));
        kill_at_work(workers.pop_front().unwrap(), delay);
        workers.push_back(spawn("random", usize::MAX, address));
    }
    for worker in workers {
        kill_at_work(worker, Duration::ZERO);
    }
    let trials = History::<Config>::read_log(&mut *connect(address, "random")).unwrap().len() + 100;
    let started_at = Instant::now();
    let last: Vec<Child> = (0..4).map(|_| spawn("random", trials, address)).collect();
    for worker in last {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success(), "a worker that nobody killed");
    }
    assert!(started_at.elapsed() < Duration::from_secs(120));
    check("random", trials, address);
    let entries = connect(address, "random").read_from(0).unwrap();
    let restarted = entries.iter().filter(|entry| entry.body.starts_with("{\"restarted\"")).count();
    // A busy machine may also delay a heartbeat, so there is no upper bound.
    assert!(restarted > 0, "no trial was handed out again after {kills} kills");
}

/// Starts worker processes, one after the other ends at the first trial, until one ends the study.
pub(crate) fn a_lethal_trial(address: &str) {
    const LIMIT: usize = 5;
    let ends = || spawn(LETHAL, 3, address).wait_with_output().unwrap().status.success();
    let lost = std::iter::repeat_with(ends).take_while(|is_ended| !is_ended).take(LIMIT + 5).count();
    assert_eq!(lost, LIMIT + 1, "workers that ended at the first trial");
    let mut log = connect(address, LETHAL);
    let history = History::<Config>::read_log(&mut *log).unwrap();
    let message = format!("its worker was lost {lost} times; the limit is {LIMIT} restarts");
    assert_eq!(history.trials()[0].outcome, Some(Outcome::failed(message)));
    assert_eq!(history.measured().count(), 2);
    assert_eq!(verify_replay(optimizer(LETHAL), &mut *log).unwrap(), 3);
}

/// Lets one worker after the other give back its trial, which no restart may follow the loss of: by hand and as a process that is told to end.
pub(crate) fn released_trials(address: &str) {
    let join = || join("random", 2, address).with_lease(Duration::from_secs(600)).with_max_restarts(0);
    for round in 1..=4 {
        let mut worker = join();
        let Step::Evaluate(own) = worker.next_step().unwrap() else { panic!("a trial") };
        assert_eq!((own.trial.id, own.lease.fence), (TrialId(0), round));
        if round % 2 == 0 {
            worker.release(&own.lease).unwrap();
        } else {
            give_back(&mut *connect(address, "random"), &[own.lease]).unwrap();
        }
    }
    let report = join().run_worker(|_: &Config, _: &mut Context<'_>| 1.0).unwrap();
    assert_eq!((report.evaluated, report.taken_over), (2, 1));
    let history = History::<Config>::read_log(&mut *connect(address, "random")).unwrap();
    assert_eq!(history.measured().count(), 2);
}
