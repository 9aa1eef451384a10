//! Tests of runs that are killed, divided, merged and mixed.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Outcome {
    #[serde(with = "lossless_numbers")]
    regret: Vec<f64>,
    label: String,
    seconds: f64,
}

fn context(out: &Path) -> RunContext {
    RunContext { out: Some(out.into()), ..RunContext::default() }
}

fn jobs() -> Vec<(&'static str, usize)> {
    ["a,b", "c"].into_iter().flat_map(|task| (0..5).map(move |i| (task, i))).collect()
}

fn name(job: &(&'static str, usize)) -> JobName {
    JobName::new(job.0, "m\"x\"", job.1)
}

fn outcome(job: &(&'static str, usize)) -> Outcome {
    let regret = vec![f64::INFINITY, 0.1 + job.1 as f64 / 3.0, 5e-324, f64::NEG_INFINITY];
    Outcome { regret, label: format!("{}\n", job.0), seconds: 0.0 }
}

/// Collects, counting what is done anew; fails at the job of that number.
fn collect(context: &RunContext, until: usize) -> (Result<Vec<Outcome>, ExperimentError>, usize) {
    let done = AtomicUsize::new(0);
    let found = Runs::new("a/b", context).collect(&jobs(), name, |job| {
        if done.fetch_add(1, Ordering::SeqCst) >= until {
            return Err(ExperimentError::failed("killed"));
        }
        Ok(outcome(job))
    });
    (found, done.into_inner())
}

fn expected() -> Vec<Outcome> {
    jobs().iter().map(outcome).collect()
}

#[test]
fn a_killed_run_goes_on_and_repeats_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    let path = folder.path().join("a/b/runs.csv");
    assert!(collect(&context, 4).0.unwrap_err().to_string().contains("killed"));
    let lines = |path: &Path| read_lines(path).len();
    assert_eq!(lines(&path), 4);
    // Killed in the middle of a line.
    let mut text = fs::read(&path).unwrap();
    let whole = text.len();
    text.extend_from_slice(b"deadbeef,0,own,quick,\"a,");
    fs::write(&path, &text).unwrap();
    let (found, done) = collect(&context, usize::MAX);
    assert_eq!((found.unwrap(), done), (expected(), 6));
    assert_eq!(lines(&path), 10);
    assert_eq!(fs::read(&path).unwrap()[..whole], text[..whole]);
    let (again, done) = collect(&context, 0);
    assert_eq!((again.unwrap(), done), (expected(), 0));
}

fn read_lines(path: &Path) -> Vec<log::Line> {
    log::read(path).unwrap().1
}

#[test]
fn shards_are_merged_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for i in 1..=3 {
        let shard = Some(format!("{i}/3").parse().unwrap());
        let part = RunContext { shard, ..context(&at(&i.to_string())) };
        let error = collect(&part, usize::MAX).0.unwrap_err();
        assert!(matches!(error, ExperimentError::Unfinished { missing: 6..=7, of: 10, .. }), "{error}");
    }
    let merged = RunContext { merged: true, ..context(&at("all")) };
    assert_eq!(merge("a/b", &at("all"), &[at("1"), at("2")]).unwrap(), 7);
    let error = collect(&merged, 0).0.unwrap_err().to_string();
    assert!(error.contains("3 of 10 runs are missing") && error.contains("on a,b, replication 2"), "{error}");
    assert_eq!(merge("a/b", &at("all"), &[at("1"), at("3").join("a/b")]).unwrap(), 3);
    let (found, done) = collect(&merged, 0);
    assert_eq!((found.unwrap(), done), (expected(), 0));
    assert!(merge("a/b", &at("all"), &[at("none")]).is_err());
}

/// A shard that was killed while it wrote: the torn line is a run that is missing, whether it is read or appended to.
#[test]
fn torn_lines_are_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tear = |name: &str, bytes: usize| {
        let path = at(name).join("a/b/runs.csv");
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() - bytes]).unwrap();
    };
    for name in ["torn", "whole"] {
        collect(&context(&at(name)), usize::MAX).0.unwrap();
    }
    // Without its line end, the last line could be a number that was cut.
    tear("torn", 1);
    assert_eq!(merge("a/b", &at("all"), &[at("torn")]).unwrap(), 9);
    tear("all", 1);
    assert_eq!(
        merge("a/b", &at("all"), &[at("whole")]).unwrap(),
        2,
        "the one that was torn here, and the one there"
    );
    let (found, done) = collect(&RunContext { merged: true, ..context(&at("all")) }, 0);
    assert_eq!((found.unwrap(), done), (expected(), 0));
}

/// Jobs that others of the experiment need are run by each shard; jobs that are only attempted are divided, and missed in the end.
#[test]
fn a_shard_has_what_all_need() {
    let shard =
        |i: usize| RunContext { shard: Some(format!("{i}/2").parse().unwrap()), ..RunContext::default() };
    let name = |i: &usize| JobName::new("t", "m", *i);
    let jobs: Vec<usize> = (0..5).collect();
    let whole = shard(2);
    let found = Runs::new("a/b", &whole).in_every_shard().collect(&jobs, name, |i| Ok(*i)).unwrap();
    assert_eq!(found, jobs);
    let attempt = |context: &RunContext, wanted: usize| {
        Runs::new("a/b", context).attempt(&jobs, name, |i| *i < wanted, || true, |i| Ok(*i))
    };
    let error = attempt(&shard(2), 4).unwrap_err();
    assert!(matches!(error, ExperimentError::Unfinished { missing: 2, of: 4, .. }), "{error}");
    assert_eq!(attempt(&shard(1), 1).unwrap(), [Some(0), None, None, None, None]);
    let spent = RunContext { deadline: Some(std::time::Instant::now()), ..RunContext::default() };
    let error = attempt(&spent, 4).unwrap_err();
    assert!(matches!(error, ExperimentError::Unfinished { missing: 4, of: 4, .. }), "{error}");
    // Of merged parts nothing may be missing either.
    let folder = tempfile::tempdir().unwrap();
    let merged = RunContext { merged: true, ..context(folder.path()) };
    let error = attempt(&merged, 4).unwrap_err();
    assert!(matches!(error, ExperimentError::Unfinished { of: 4, .. }), "{error}");
}

#[test]
fn other_results_of_one_job_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |out: &str, value: f64, seconds: f64| {
        let result = Outcome { regret: vec![value], label: String::new(), seconds };
        Runs::new("a/b", &context(&at(out))).collect(
            &[()],
            |()| JobName::new("t", "m", 0),
            |()| Ok(result.clone()),
        )
    };
    run("one", 1.0, 0.0).unwrap();
    run("slow", 1.0, 9.0).unwrap();
    run("two", 2.0, 0.0).unwrap();
    assert_eq!(merge("a/b", &at("all"), &[at("one"), at("slow")]).unwrap(), 1);
    let error = merge("a/b", &at("all"), &[at("two")]).unwrap_err().to_string();
    assert!(error.contains("m on t, replication 0 has another result"), "{error}");
}

#[test]
fn lines_of_other_seeds_data_and_commits_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let own = context(folder.path());
    collect(&own, usize::MAX).0.unwrap();
    assert_eq!(collect(&RunContext { seed: 1, ..own.clone() }, usize::MAX).1, 10);
    assert_eq!(collect(&RunContext { evaluations: Some(7), ..own.clone() }, usize::MAX).1, 10);
    assert_eq!(collect(&own, usize::MAX).1, 0);
    of_commit(&folder.path().join("a/b/runs.csv"), "other");
    assert_eq!(collect(&own, usize::MAX).1, 10);
    // Lines of two commits cannot be reported together.
    let error = collect(&RunContext { merged: true, ..own }, 0).0.unwrap_err().to_string();
    assert!(error.contains("several commits"), "{error}");
}

/// Lines of an earlier commit, as a merged report reads them.
fn of_commit(file: &Path, found: &str) {
    let text = fs::read_to_string(file).unwrap().replace(commit(), found);
    fs::write(file, text).unwrap();
}

/// A report of merged lines names their commit, and its parts are of one.
#[test]
fn merged_reports_name_the_commit_of_the_lines() {
    let folder = tempfile::tempdir().unwrap();
    let own = context(folder.path());
    let name = |i: &usize| JobName::new("t", "m", *i);
    let part =
        |context: &RunContext, part| Runs::new("a/b", context).part(part).collect(&[0, 1], name, |i| Ok(*i));
    let peers = |context: &RunContext| {
        let runs = Runs::new("a/b", context).part("peers").identified("rules 1");
        runs.attempt(&[0], name, |_| true, || true, |i| Ok(*i))
    };
    for file in ["one", "two"] {
        part(&own, file).unwrap();
        of_commit(&folder.path().join(format!("a/b/runs-{file}.csv")), file);
    }
    peers(&own).unwrap();
    assert_eq!(own.merged_commit.or_build(), commit());
    let merged = RunContext { merged: true, merged_commit: MergedCommit::default(), ..own };
    assert_eq!(part(&merged, "one").unwrap(), [0, 1]);
    peers(&merged).unwrap();
    assert_eq!(merged.merged_commit.or_build(), "one");
    let error = part(&merged, "two").unwrap_err().to_string();
    assert!(
        error.contains("runs-two.csv: has runs of commit two, the other files of the report have one"),
        "{error}"
    );
}

#[test]
fn a_file_with_other_columns_is_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    let name = |i: &usize| JobName::new("t", "m", *i);
    let numbers = Runs::new("a/b", &context).collect(&[0, 1], name, |i| Ok(*i as f64)).unwrap();
    assert_eq!(numbers, [0.0, 1.0]);
    let pairs = Runs::new("a/b", &context).collect(&[2], name, |_| Ok(outcome(&("t", 1)))).unwrap();
    assert_eq!(pairs, [outcome(&("t", 1))]);
    assert_eq!(read_lines(&folder.path().join("a/b/runs.1.csv")).len(), 2);
    assert_eq!(read_lines(&folder.path().join("a/b/runs.csv")).len(), 1);
}

#[test]
fn serial_jobs_never_overlap() {
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let context = RunContext::default();
    let name = |i: &usize| JobName::new("t", "m", *i);
    let jobs: Vec<usize> = (0..20).collect();
    let found = Runs::new("a/b", &context).serial().collect(&jobs, name, |i| {
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(std::time::Duration::from_millis(1));
        running.fetch_sub(1, Ordering::SeqCst);
        Ok(*i)
    });
    assert_eq!((found.unwrap(), most.into_inner()), (jobs, 1));
}

#[test]
fn without_a_folder_nothing_is_written() {
    let (found, done) = collect(&RunContext::default(), usize::MAX);
    assert_eq!((found.unwrap(), done), (expected(), 10));
}

/// After the deadline no job begins, jobs that are done stay, and a run without one goes on.
#[test]
fn a_spent_budget_leaves_jobs_for_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let open = context(folder.path());
    let spent = RunContext { deadline: Some(std::time::Instant::now()), ..open.clone() };
    for done in [0, 4] {
        // Four jobs are done before the second time.
        _ = collect(&open, done);
        let (found, begun) = collect(&spent, usize::MAX);
        let Err(ExperimentError::Unfinished { missing, of, .. }) = found else { panic!("{found:?}") };
        assert_eq!((missing, of, begun), (10 - done, 10, 0));
    }
    let (found, begun) = collect(&open, usize::MAX);
    assert_eq!((found.unwrap(), begun), (expected(), 6));
}
