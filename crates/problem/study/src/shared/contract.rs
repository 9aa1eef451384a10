//! Contract suite of shared logs.

use std::time::Duration;

use super::{AppendError, EventLog, Lease};
use crate::TrialId;

/// A time longer than every test.
const LONG: Duration = Duration::from_secs(600);

/// Checks a shared log: the contract suite for implementers of [`EventLog`].
///
/// `connect` opens a new connection to the log with a given number, which is initially empty. The laws:
///
/// * Entries are read as they were appended, unchanged and in order, from any position on, on every connection.
/// * An append at a position other than the end is a conflict and changes nothing. Of several simultaneous ones exactly one succeeds.
/// * Either all entries of an append are added or none.
/// * A trial has one owner at a time, who may claim it again. Each new owner has a greater fencing number than the previous one. With a
///   lease that another owner has claimed since, appends fail, and it cannot be extended or ended.
/// * A lease may last forever: [`Duration::MAX`] is a valid time.
/// * A wait ends with news, or after its time.
/// * All connections have one clock, which does not run backwards.
/// * Two logs of one store are independent.
///
/// # Panics
/// If a law does not hold.
pub fn event_log(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    entries_come_back(connect);
    one_of_many_appends(connect);
    leases_are_exclusive(connect);
    a_lost_lease_changes_nothing(connect);
    leases_may_be_endless(connect);
    waits_end(connect);
    waits_end_beside_another_study(connect);
    there_is_one_clock(connect);
}

fn there_is_one_clock(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    let (mut one, mut other) = (connect(0), connect(0));
    let mut now = |of: usize| {
        let log = if of == 0 { &mut one } else { &mut other };
        log.now().unwrap_or_else(|error| panic!("the time: {error}"))
    };
    let times: Vec<f64> = (0..8).map(|call| now(call % 2)).collect();
    // The year 2001: the clock counts seconds since 1970, not milliseconds.
    assert!(times.iter().all(|time| (1e9..1e11).contains(time)), "{times:?}");
    assert!(times.is_sorted(), "{times:?}");
}

fn read(log: &mut dyn EventLog, seq: u64) -> Vec<String> {
    let entries = log.read_from(seq).unwrap_or_else(|error| panic!("reading from {seq}: {error}"));
    for (entry, expected) in entries.iter().zip(seq..) {
        assert_eq!(entry.seq, expected, "the place of an entry");
    }
    entries.into_iter().map(|entry| entry.body).collect()
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

fn entries_come_back(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    let (mut one, mut other, mut elsewhere) = (connect(0), connect(0), connect(1));
    assert!(read(&mut *one, 0).is_empty() && read(&mut *one, 7).is_empty(), "an empty log");
    one.append(0, &[], None).unwrap_or_else(|error| panic!("an append of nothing: {error}"));
    let long = format!("{{\"text\":\"{}\"}}", "é'\\\"\\u0000; drop table events --".repeat(10_000));
    let bodies = texts(["{}", &long, "{\"x\":1e-300}"]);
    one.append(0, &bodies, None).unwrap_or_else(|error| panic!("the first append: {error}"));
    for place in [0, 1, 2, 4, 1 << 40] {
        let result = other.append(place, &texts(["{\"wrong\":1}", "{}"]), None);
        assert!(matches!(result, Err(AppendError::Conflict)), "an append at {place} of 3: {result:?}");
    }
    other
        .append(3, &texts(["{\"last\":1}"]), None)
        .unwrap_or_else(|error| panic!("a second append: {error}"));
    let all = [bodies, texts(["{\"last\":1}"])].concat();
    for seq in 0..=5 {
        let expected = all.get(seq..).unwrap_or_default();
        assert!(read(&mut *one, seq as u64) == expected, "entries from {seq} on");
    }
    assert!(read(&mut *connect(0), 0) == all, "entries on a new connection");
    assert!(read(&mut *elsewhere, 0).is_empty(), "entries of another log");
    assert!(!one.name().is_empty(), "a name");
}

fn one_of_many_appends(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    const WRITERS: u64 = 4;
    const EACH: u64 = 25;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                let (mut log, mut seq, mut made) = (connect(2), 0, 0);
                while made < EACH {
                    let body = format!("{{\"writer\":{writer},\"number\":{made}}}");
                    match log.append(seq, &[body.clone(), body], None) {
                        Ok(()) => made += 1,
                        Err(AppendError::Conflict) => {}
                        Err(error) => panic!("an append among others: {error}"),
                    }
                    seq += read(&mut *log, seq).len() as u64;
                }
            });
        }
    });
    let all = read(&mut *connect(2), 0);
    assert_eq!(all.len() as u64, 2 * WRITERS * EACH, "number of entries by several writers");
    assert!(all.chunks(2).all(|pair| pair[0] == pair[1]), "entries of one append stay together");
    for writer in 0..WRITERS {
        let own = all.iter().filter(|body| body.contains(&format!("\"writer\":{writer},")));
        for (body, number) in own.step_by(2).zip(0..) {
            assert!(body.contains(&format!("\"number\":{number}}}")), "order of the entries of a writer");
        }
    }
}

fn claim(log: &mut dyn EventLog, trial: u64, owner: &str, duration: Duration) -> Option<Lease> {
    log.claim(TrialId(trial), owner, duration).unwrap_or_else(|error| panic!("a claim: {error}"))
}

fn leases_are_exclusive(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    let (mut one, mut other, mut elsewhere) = (connect(3), connect(3), connect(4));
    let first = claim(&mut *one, 5, "one", LONG).expect("a first claim");
    assert_eq!((first.trial, first.owner.as_str(), first.fence), (TrialId(5), "one", 1), "a first lease");
    assert_eq!(claim(&mut *other, 5, "other", LONG), None, "a claim of a trial that is held");
    assert_eq!(claim(&mut *one, 5, "one", LONG), Some(first.clone()), "a second claim by its owner");
    assert!(claim(&mut *elsewhere, 5, "other", LONG).is_some(), "the same trial of another log");
    let trials = [7, 5, 6].map(TrialId);
    let free = other.unclaimed(&trials).unwrap_or_else(|error| panic!("free trials: {error}"));
    assert_eq!(free, [TrialId(7), TrialId(6)], "trials without a lease");
    assert_eq!(other.unclaimed(&[]).ok(), Some(vec![]), "of no trials");

    one.release(&first).unwrap_or_else(|error| panic!("a release: {error}"));
    assert_eq!(other.unclaimed(&trials).ok(), Some(trials.to_vec()), "trials after a release");
    let short = Duration::from_millis(50);
    let second = claim(&mut *other, 5, "other", short).expect("a claim after a release");
    assert_eq!(second.fence, 2, "the second lease");
    std::thread::sleep(Duration::from_millis(80));
    assert_eq!(one.unclaimed(&trials).ok(), Some(trials.to_vec()), "trials after a lease ran out");
    assert_eq!(other.heartbeat(&second, LONG).ok(), Some(true), "a late heartbeat before another claim");
    assert_eq!(claim(&mut *one, 5, "one", LONG), None, "a claim after a heartbeat");
}

fn a_lost_lease_changes_nothing(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    let (mut one, mut other) = (connect(5), connect(5));
    let lost = claim(&mut *one, 0, "one", Duration::from_millis(1)).expect("a first claim");
    std::thread::sleep(Duration::from_millis(30));
    one.append(0, &texts(["{}"]), Some(&lost)).unwrap_or_else(|error| panic!("late, but not lost: {error}"));
    let kept = claim(&mut *other, 0, "other", LONG).expect("a claim of a trial whose lease ran out");
    assert!(kept.fence > lost.fence, "fencing numbers grow: {} after {}", kept.fence, lost.fence);
    for place in [0, 1, 2] {
        let late = one.append(place, &texts(["{\"late\":1}"]), Some(&lost));
        assert!(matches!(late, Err(AppendError::Fenced)), "an append with a lost lease at {place}: {late:?}");
    }
    assert_eq!(one.heartbeat(&lost, LONG).ok(), Some(false), "a heartbeat of a lost lease");
    one.release(&lost).unwrap_or_else(|error| panic!("the release of a lost lease: {error}"));
    assert_eq!(claim(&mut *one, 0, "one", LONG), None, "a lost lease ends no other");
    let never = Lease { trial: TrialId(9), ..kept.clone() };
    let result = one.append(1, &texts(["{}"]), Some(&never));
    assert!(matches!(result, Err(AppendError::Fenced)), "a lease that was never granted: {result:?}");
    let early = other.append(0, &texts(["{}"]), Some(&kept));
    assert!(matches!(early, Err(AppendError::Conflict)), "a lease does not replace the place: {early:?}");
    other.append(1, &texts(["{\"kept\":1}"]), Some(&kept)).unwrap_or_else(|error| panic!("a lease: {error}"));
    assert_eq!(read(&mut *one, 0), ["{}", "{\"kept\":1}"], "what leases have appended");
}

fn leases_may_be_endless(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    let (mut one, mut other) = (connect(7), connect(7));
    let endless = claim(&mut *one, 0, "one", Duration::MAX).expect("a claim without an end");
    let extended = claim(&mut *one, 1, "one", LONG).expect("a claim with an end");
    assert_eq!(one.heartbeat(&extended, Duration::MAX).ok(), Some(true), "a heartbeat without an end");
    let trials = [0, 1].map(TrialId);
    assert_eq!(other.unclaimed(&trials).ok(), Some(vec![]), "trials whose leases have no end");
    assert_eq!(claim(&mut *other, 0, "other", LONG), None, "a claim of a trial whose lease has no end");
    one.release(&endless).unwrap_or_else(|error| panic!("the release of a lease without an end: {error}"));
    assert_eq!(other.unclaimed(&trials).ok(), Some(vec![TrialId(0)]), "trials after the release");
}

fn waits_end(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    let (mut one, mut other) = (connect(6), connect(6));
    let started_at = std::time::Instant::now();
    one.wait(0, Duration::from_millis(30)).unwrap_or_else(|error| panic!("a wait for nothing: {error}"));
    assert!(started_at.elapsed() >= Duration::from_millis(30), "a wait without news takes its time");
    one.append(0, &texts(["{}"]), None).unwrap_or_else(|error| panic!("an append: {error}"));
    // News from before the wait counts.
    other.wait(0, LONG).unwrap_or_else(|error| panic!("a wait for old news: {error}"));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            one.append(1, &texts(["{}"]), None).unwrap_or_else(|error| panic!("an append: {error}"));
        });
        other.wait(1, LONG).unwrap_or_else(|error| panic!("a wait for news: {error}"));
        assert_eq!(read(&mut *other, 1).len(), 1, "news after a wait");
    });
    assert!(started_at.elapsed() < LONG, "waits end with news");
}

/// News of another study does not extend a wait.
fn waits_end_beside_another_study(connect: &(dyn Fn(u32) -> Box<dyn EventLog> + Sync)) {
    let (mut waiting, mut busy) = (connect(6), connect(7));
    let (seen, written) = (read(&mut *waiting, 0).len() as u64, read(&mut *busy, 0).len() as u64);
    let is_waiting = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for seq in written..written + 100 {
                if !is_waiting.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                let appended = busy.append(seq, &texts(["{}"]), None);
                appended.unwrap_or_else(|error| panic!("an append: {error}"));
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let begun_at = std::time::Instant::now();
        let waited = waiting.wait(seen, Duration::from_millis(200));
        is_waiting.store(false, std::sync::atomic::Ordering::Relaxed);
        waited.unwrap_or_else(|error| panic!("a wait beside another study: {error}"));
        assert!(begun_at.elapsed() < Duration::from_millis(1500), "a wait ends in time");
    });
}
