//! Many workers on one SQLite file.

use crate::common;

use std::time::Duration;

/// A time that evaluations stay below.
const LIMIT: Duration = Duration::from_millis(2);

fn address(folder: &tempfile::TempDir) -> String {
    format!("sqlite://{}", folder.path().join("studies.db").display())
}

#[test]
fn worker_process() {
    common::be_a_worker();
}

#[test]
fn sixteen_workers_make_exactly_the_trials_and_every_ask_replays() {
    let folder = tempfile::tempdir().unwrap();
    common::sixteen_threads("random", 1000, &address(&folder), LIMIT);
    common::sixteen_threads("tpe", 200, &address(&folder), LIMIT);
}

#[test]
fn killed_workers_lose_no_trial() {
    let folder = tempfile::tempdir().unwrap();
    common::killed_processes(20, &address(&folder));
}

#[test]
fn a_trial_that_takes_its_workers_down_fails() {
    let folder = tempfile::tempdir().unwrap();
    common::a_lethal_trial(&address(&folder));
}

#[test]
fn trials_that_are_given_back_are_handed_out_at_once() {
    let folder = tempfile::tempdir().unwrap();
    common::released_trials(&address(&folder));
}

#[test]
#[ignore = "takes a minute"]
fn two_hundred_killed_workers_lose_no_trial() {
    let folder = tempfile::tempdir().unwrap();
    common::killed_processes(200, &address(&folder));
}
