//! The rows of the table.

use std::path::Path;
use std::time::Duration;

use thrifty::prelude::Seed;

use crate::earlier::Fate;
use crate::roster::{self, NAMES};
use crate::sitting::{MODES, Mode, Sitting};
use crate::tally::{Results, Tally};
use crate::{ReliabilityError, SEED, TRIALS, conditioned, damage, earlier, kill, places};

/// Number of repetitions of each damage.
struct Effort {
    /// Kills per optimiser and mode.
    kills: u64,
    /// Bytes between two cuts.
    stride: usize,
    /// Cuts per study that is run to its end.
    resume: usize,
    /// Changed bytes per optimiser.
    flips: u64,
    /// Full disks per optimiser.
    disks: u64,
    /// Second processes.
    writers: u64,
    /// Blocks of 1,000 ill-conditioned problems.
    blocks: u64,
}

const QUICK: Effort =
    Effort { kills: 2, stride: 101, resume: 12, flips: 200, disks: 1, writers: 1, blocks: 2 };

const WHOLE: Effort =
    Effort { kills: 100, stride: 1, resume: 400, flips: 6_300, disks: 12, writers: 10, blocks: 100 };

/// Fills the table; true if every row holds.
pub fn all(quick: bool, only: Option<&str>, out: &Path) -> Result<bool, ReliabilityError> {
    std::fs::create_dir_all(out)?;
    let (effort, name) = if quick { (QUICK, "quick") } else { (WHOLE, "whole") };
    let mut results = Results::open(&out.join("units.csv"), name)?;
    let wanted = |row: &str| only.is_none_or(|part| row.contains(part));
    let random = |row: &str, unit: u64| Seed(SEED).child(row, unit).stream("damage", 0);
    for mode in MODES {
        let row = format!("kill -9, {}", mode.name());
        for (at, name) in NAMES.iter().enumerate().filter(|_| wanted(&row)) {
            results
                .unit(&row, name, || kill::kills(name, mode, effort.kills, &mut random(&row, at as u64)))?;
        }
    }
    for (at, name) in NAMES.iter().enumerate() {
        let mut unit = |row: &str, work: &dyn Fn() -> Result<Tally, ReliabilityError>| {
            if wanted(row) { results.unit(row, name, work) } else { Ok(()) }
        };
        unit("cut at a byte", &|| damage::truncation(name, effort.stride, effort.resume))?;
        unit("a byte changed", &|| damage::flips(name, effort.flips, &mut random("flips", at as u64)))?;
        unit("lines dropped, doubled, swapped", &|| damage::lines(name))?;
        unit("full disk, then room again", &|| {
            places::full_disk(name, effort.disks, &mut random("disks", at as u64))
        })?;
    }
    let mut unit = |row: &str, unit: &str, work: &dyn Fn() -> Result<Tally, ReliabilityError>| {
        if wanted(row) { results.unit(row, unit, work) } else { Ok(()) }
    };
    unit("read-only file, folder, missing folder", "random", &places::impossible)?;
    for name in ["random", "bo", "tpe"] {
        unit("two processes at one journal", name, &|| places::two_writers(name, false, effort.writers))?;
        unit("the first process stopped (SIGSTOP)", name, &|| {
            places::two_writers(name, true, effort.writers)
        })?;
        unit("journal deleted, cut, replaced in use", name, &|| places::vanished(name))?;
    }
    let format_one = Path::new(env!("CARGO_MANIFEST_DIR")).join("../journals/v1");
    for name in NAMES {
        unit("journals of format 1", name, &|| format_of(&format_one, name))?;
    }
    for block in 0..effort.blocks {
        let name = format!("problems from {}", block * 1000);
        unit("ill-conditioned data, targets to 1e150", &name, &|| {
            Ok(conditioned::problems(block * 1000, 1000, false))
        })?;
    }
    for block in 0..effort.blocks.div_ceil(10) {
        let name = format!("problems from {}", block * 1000);
        unit("targets from 1e150 to 1e308", &name, &|| Ok(conditioned::problems(block * 1000, 1000, true)))?;
    }
    let (table, holds) = results.table();
    std::fs::write(out.join("table.md"), &table)?;
    print!("{table}");
    Ok(holds)
}

/// Journals of a format, of every schedule; the remark lists their outcomes.
fn format_of(folder: &Path, name: &str) -> Result<Tally, ReliabilityError> {
    let mut tally = Tally::default();
    for window in earlier::WINDOWS {
        let (seen, fate) = earlier::journals(folder, name, window)?;
        tally.add(&seen);
        match fate {
            Some(Fate::Resumed) => println!("{name}, window {window}: resumes"),
            Some(Fate::Refused(what)) => println!("{name}, window {window}: refused: {what}"),
            None => {}
        }
    }
    Ok(tally)
}

/// A study of the roster that prints the number of each trial as it is acknowledged.
pub fn child(subject: &str, mode: Mode, journal: &Path) -> Result<(), ReliabilityError> {
    let slow = std::env::var_os("THRIFTY_RELIABILITY_SLOW").is_some();
    let acknowledged = Box::new(move |id: u64| {
        println!("{id};");
        if slow {
            std::thread::sleep(Duration::from_millis(40));
        }
    });
    let sitting = Sitting { acknowledged, ..Sitting::new(Some(journal), SEED, TRIALS, mode) };
    roster::with(subject, sitting).ok_or_else(|| ReliabilityError::Subject(subject.into()))??;
    Ok(())
}
