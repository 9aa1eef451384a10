//! Studies killed at random moments, until they are through.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use thrifty::sampling::Stream;

use crate::roster;
use crate::sitting::{Mode, Sitting};
use crate::tally::Tally;
use crate::{ReliabilityError, SEED, TRIALS};

/// A study of the roster in a process of its own, which prints the number of each trial as it is acknowledged.
pub fn child(subject: &str, mode: Mode, journal: &Path) -> Result<Command, ReliabilityError> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("child").arg(subject).arg(mode_argument(mode)).arg(journal);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

fn mode_argument(mode: Mode) -> String {
    clap::ValueEnum::to_possible_value(&mode).map_or(String::new(), |value| value.get_name().to_owned())
}

/// The uninterrupted study.
pub fn reference(subject: &str, mode: Mode) -> Result<Vec<String>, ReliabilityError> {
    let sitting = Sitting::new(None, SEED, TRIALS, mode);
    let run = roster::with(subject, sitting).ok_or_else(|| ReliabilityError::Subject(subject.into()))?;
    Ok(run?)
}

/// Kills studies of a subject until `kills` have hit; each is resumed until it is finished and held against the
/// uninterrupted one. Outcomes count as acknowledged where a kill came after them.
pub fn kills(subject: &str, mode: Mode, kills: u64, rng: &mut Stream) -> Result<Tally, ReliabilityError> {
    let expected = reference(subject, mode)?;
    let folder = tempfile::tempdir()?;
    let mut tally = Tally::default();
    let mut studies = 0;
    while tally.count < kills {
        let journal = folder.path().join(format!("study-{studies}.jsonl"));
        studies += 1;
        let mut acknowledged = Vec::new();
        let seen = loop {
            let before = acknowledged.len();
            if !sitting(subject, mode, &journal, &mut acknowledged, rng)? {
                break finished(subject, mode, &journal)?;
            }
            tally.count += 1;
            tally.acknowledged += (acknowledged.len() - before) as u64;
            if tally.count >= kills {
                // The last study is finished too.
                break finished(subject, mode, &journal)?;
            }
        };
        judge(&mut tally, subject, &journal, &acknowledged, &seen, &expected)?;
    }
    Ok(tally)
}

/// Lets a child run and kills it after a random number of outcomes, and at most two more; false if it was through before.
fn sitting(
    subject: &str,
    mode: Mode,
    journal: &Path,
    acknowledged: &mut Vec<u64>,
    rng: &mut Stream,
) -> Result<bool, ReliabilityError> {
    let mut child = child(subject, mode, journal)?.spawn()?;
    let after = rng.index(TRIALS);
    let Some(stdout) = child.stdout.take() else { return Err(ReliabilityError::Pipe) };
    let mut lines = BufReader::new(stdout).lines();
    let mut first = None;
    for _ in 0..after {
        match lines.next() {
            Some(line) => acknowledged.extend(parse(&line?)),
            None => return through(child).map(|()| false),
        }
        first.get_or_insert_with(Instant::now);
    }
    // Two outcomes take as long as those that were seen, so that the kill comes while the child is at work.
    let each = first.map_or(0, |first| first.elapsed().as_micros() as usize / after);
    std::thread::sleep(Duration::from_micros(rng.index(2 * each + 1) as u64));
    child.kill()?;
    let ended = child.wait()?;
    // What it had printed before it was killed was acknowledged as well; the last number may be cut off.
    let rest: Vec<String> = lines.collect::<Result<_, _>>()?;
    acknowledged.extend(rest.iter().filter_map(|line| parse(line)));
    Ok(!ended.success())
}

/// The number of an acknowledged trial; a line that was cut off lacks its semicolon.
fn parse(line: &str) -> Option<u64> {
    line.strip_suffix(';')?.parse().ok()
}

/// A child that ended by itself must have ended well.
fn through(child: Child) -> Result<(), ReliabilityError> {
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(ReliabilityError::Child(String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn finished(subject: &str, mode: Mode, journal: &Path) -> Result<Vec<String>, ReliabilityError> {
    let sitting = Sitting::new(Some(journal), SEED, TRIALS, mode);
    let run = roster::with(subject, sitting).ok_or_else(|| ReliabilityError::Subject(subject.into()))?;
    Ok(run?)
}

/// Counts acknowledged outcomes that are not in the journal, and a study that went on otherwise.
fn judge(
    tally: &mut Tally,
    subject: &str,
    journal: &Path,
    acknowledged: &[u64],
    seen: &[String],
    expected: &[String],
) -> Result<(), ReliabilityError> {
    let text = std::fs::read_to_string(journal)?;
    let told = |id: &u64| text.contains(&format!("\"told\":{{\"id\":{id},"));
    let lost = acknowledged.iter().filter(|id| !told(id)).count() as u64;
    tally.lost += lost;
    if lost > 0 {
        tally.remark(|| format!("{subject}: an acknowledged outcome is not in the journal"));
    }
    if seen != expected {
        tally.differing += 1;
        let at =
            seen.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(seen.len().min(expected.len()));
        tally.remark(|| format!("{subject}: trial {at} differs"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The child of a test is the test's own program, so only what needs none is tested here.
    #[test]
    fn a_line_that_was_cut_off_is_not_acknowledged() {
        assert_eq!([parse("12;"), parse("12"), parse("1")], [Some(12), None, None]);
    }
}
