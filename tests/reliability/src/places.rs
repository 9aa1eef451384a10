//! Full disks, read-only and missing places, files that vanish, and two processes at one file.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use thrifty::sampling::Stream;

use crate::kill::{child, reference};
use crate::roster;
use crate::sitting::{Mode, Sitting};
use crate::tally::Tally;
use crate::{ReliabilityError, SEED, TRIALS};

/// Full disks: the file may not grow beyond a random size; then it may again, in the same process.
pub fn full_disk(subject: &str, count: u64, rng: &mut Stream) -> Result<Tally, ReliabilityError> {
    let expected = reference(subject, Mode::Run)?;
    let mut tally = Tally::default();
    let folder = tempfile::tempdir()?;
    let mut which = 0;
    while tally.count < count {
        let path = folder.path().join(format!("{which}.jsonl"));
        // A journal that ends below the limit meets no full disk; then the limit is drawn anew, and lower.
        let limit = 300 + rng.index(6_000 >> (which % 4));
        which += 1;
        // The signal of a file that is too large is ignored by whatever the shell starts, so that writing fails instead.
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(std::env::current_exe()?);
        command.args(["full-disk-child", subject]).arg(&path).arg(limit.to_string());
        let output = command.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            return Err(ReliabilityError::Child(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let Some((before, after)) = text.split_once(FULL) else { continue };
        let seen: Vec<&str> = after.lines().filter(|line| !line.is_empty() && !line.ends_with(';')).collect();
        let journal = std::fs::read_to_string(&path)?;
        let told: Vec<u64> =
            before.lines().filter_map(|line| line.trim_end_matches(';').parse().ok()).collect();
        tally.count += 1;
        tally.acknowledged += told.len() as u64;
        let is_lost = |id: &&u64| !journal.contains(&format!("\"told\":{{\"id\":{id},"));
        tally.lost += told.iter().filter(is_lost).count() as u64;
        if seen != expected {
            tally.differing += 1;
            tally.remark(|| format!("{subject}: differs after a full disk at {limit} bytes"));
        }
        // What it left must open again, and be whole.
        let again = roster::with(subject, Sitting::new(Some(&path), SEED, TRIALS, Mode::Run));
        if again.transpose()?.as_ref() != Some(&expected) {
            tally.differing += 1;
            tally.remark(|| format!("{subject}: the journal does not open as it was"));
        }
    }
    Ok(tally)
}

/// Line of the process of [`full_disk`] where writing has failed.
const FULL: &str = "disk full";

/// The process of [`full_disk`]: runs until writing fails, gets room, and goes on.
pub fn full_disk_child(subject: &str, journal: &Path, limit: u64) -> Result<(), ReliabilityError> {
    let free = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(limit), maximum: free.maximum })
        .map_err(std::io::Error::from)?;
    let job = Resumed { journal, free };
    let seen = roster::with(subject, job).ok_or_else(|| ReliabilityError::Subject(subject.into()))??;
    seen.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// One study in one process, whose disk is full until writing has failed.
struct Resumed<'a> {
    journal: &'a Path,
    free: Rlimit,
}

impl roster::Job for Resumed<'_> {
    type Output = Result<Vec<String>, ReliabilityError>;

    fn run<O>(self, optimizer: O, evaluate: roster::Evaluate<O::Query>) -> Self::Output
    where
        O: thrifty::prelude::Optimizer<Query: std::fmt::Debug + PartialEq> + Send,
    {
        use thrifty::prelude::*;
        use thrifty::study::{Context, Observer, Trial};
        struct Print;
        impl<Q> Observer<Q> for Print {
            fn told(&mut self, trial: &Trial<Q>, _: &Outcome) {
                println!("{};", trial.id.0);
            }
        }
        let seed = Seed(SEED);
        let study = Study::new(optimizer, seed).with_stop(MaxTrials(TRIALS)).with_observer(Print);
        let mut study = study.with_journal(self.journal)?;
        let mut run = || {
            study.run(|query: &O::Query, context: &mut Context<'_>| {
                let id = context.id.0;
                // A report that nobody takes is of a study that failed, which the run returns.
                let report = &mut |step, value| {
                    let _ = context.report(step, value);
                };
                evaluate(query, &mut roster::Place { seed, id, report })
            })
        };
        if run().is_err() {
            setrlimit(Resource::Fsize, self.free).map_err(std::io::Error::from)?;
            println!("{FULL}");
            run()?;
        }
        Ok(crate::trace::trace(study.history()))
    }
}

/// Places where no journal can be: each must be refused with an error that names the place.
pub fn impossible() -> Result<Tally, ReliabilityError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("read-only.jsonl");
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))?;
    let mut tally = Tally::default();
    let missing = folder.path().join("missing").join("study.jsonl");
    for path in [missing.as_path(), folder.path()] {
        refused(&mut tally, child("random", Mode::Run, path)?, path)?;
    }
    let finished = child("random", Mode::Run, &file)?.output()?;
    let before = std::fs::read(&file)?;
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o444))?;
    let mut command = child("random", Mode::Run, &file)?;
    if rustix::process::geteuid().is_root() {
        // Nobody keeps root from writing.
        command.uid(65_534);
    }
    if finished.status.success() {
        match refused(&mut tally, command, &file) {
            Err(ReliabilityError::Io(error)) => tally.remark(|| format!("read-only skipped: {error}")),
            other => other?,
        }
    }
    tally.lost += u64::from(std::fs::read(&file)? != before);
    Ok(tally)
}

fn refused(tally: &mut Tally, mut command: Command, path: &Path) -> Result<(), ReliabilityError> {
    let output = command.output()?;
    tally.count += 1;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || !said.contains(&*path.to_string_lossy()) {
        tally.silent += 1;
        tally.remark(|| format!("{}: {}", path.display(), said.trim()));
    }
    Ok(())
}

/// A second process at the journal of one that runs, or of one that is stopped by SIGSTOP: it is refused, and the first
/// goes on as if nothing had been.
pub fn two_writers(subject: &str, stop: bool, count: u64) -> Result<Tally, ReliabilityError> {
    let expected = reference(subject, Mode::Run)?;
    let folder = tempfile::tempdir()?;
    let mut tally = Tally::default();
    for which in 0..count {
        let path = folder.path().join(format!("{which}.jsonl"));
        let mut first = child(subject, Mode::Run, &path)?;
        first.env("THRIFTY_RELIABILITY_SLOW", "1");
        let mut first = first.spawn()?;
        let Some(stdout) = first.stdout.take() else { return Err(ReliabilityError::Pipe) };
        let mut lines = BufReader::new(stdout).lines();
        let told = lines.next().transpose()?;
        let pid = i32::try_from(first.id()).ok().and_then(Pid::from_raw).ok_or(ReliabilityError::Pipe)?;
        if stop {
            kill_process(pid, Signal::STOP).map_err(std::io::Error::from)?;
        }
        tally.count += 1;
        tally.acknowledged += u64::from(told.is_some());
        let second = child(subject, Mode::Run, &path)?.output()?;
        let said = String::from_utf8_lossy(&second.stderr);
        if second.status.success() || !said.contains("in use") {
            tally.silent += 1;
            tally.remark(|| format!("{subject}: a second process was let in: {}", said.trim()));
        }
        if stop {
            kill_process(pid, Signal::CONT).map_err(std::io::Error::from)?;
        }
        let rest = lines.count();
        let ended = first.wait()?;
        let again = roster::with(subject, Sitting::new(Some(&path), SEED, TRIALS, Mode::Run));
        if !ended.success() || rest == 0 || again.transpose()?.as_ref() != Some(&expected) {
            tally.differing += 1;
            tally.remark(|| format!("{subject}: the first process did not go on as before"));
        }
    }
    Ok(tally)
}

/// Journals that are deleted, emptied, cut, replaced or written to while a study has them open: the next write is
/// refused, and the file is left as it is.
pub fn vanished(subject: &str) -> Result<Tally, ReliabilityError> {
    let damages: [(&str, fn(&Path) -> std::io::Result<()>); 5] = [
        ("deleted", |path| std::fs::remove_file(path)),
        ("emptied", |path| std::fs::File::create(path).map(drop)),
        ("cut", |path| std::fs::OpenOptions::new().write(true).open(path)?.set_len(64)),
        ("replaced", |path| {
            let copy = path.with_extension("copy");
            std::fs::copy(path, &copy)?;
            std::fs::rename(copy, path)
        }),
        ("written to", |path| {
            use std::io::Write;
            std::fs::OpenOptions::new().append(true).open(path)?.write_all(b"a line\n")
        }),
    ];
    let mut tally = Tally::default();
    let folder = tempfile::tempdir()?;
    for (name, damage) in damages {
        let path = folder.path().join(format!("{name}.jsonl"));
        let mut running = child(subject, Mode::Run, &path)?;
        running.env("THRIFTY_RELIABILITY_SLOW", "1");
        let mut running = running.spawn()?;
        let Some(stdout) = running.stdout.take() else { return Err(ReliabilityError::Pipe) };
        let mut lines = BufReader::new(stdout).lines();
        lines.next().transpose()?;
        damage(&path)?;
        let left = std::fs::read(&path).ok();
        let _ = lines.count();
        let output = running.wait_with_output()?;
        tally.count += 1;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !said.contains("cannot be continued") {
            tally.silent += 1;
            tally.remark(|| format!("{subject}, {name}: {}", said.trim()));
        }
        tally.lost += u64::from(std::fs::read(&path).ok() != left);
    }
    Ok(tally)
}
