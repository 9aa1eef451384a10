//! Counts of what was tried and of what went wrong, as a table and as a file to go on from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ReliabilityError;

/// Tally of one kind of damage to one kind of study.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Times the damage was done.
    pub count: u64,
    /// Outcomes that a study had acknowledged before.
    pub acknowledged: u64,
    /// Those that were gone afterwards, or a file that was no longer as it was.
    pub lost: u64,
    /// Studies that went on otherwise than without the damage.
    pub differing: u64,
    /// Damage that was neither repaired with a warning nor refused with an error; values that are not numbers.
    pub silent: u64,
    /// Seconds of the slowest case, where cases are timed.
    pub slowest: f64,
    /// The slowest case.
    pub slowest_case: String,
    /// Remark: what cannot be done here, and why; or the first defect.
    pub remark: String,
}

impl Tally {
    /// Adds another tally; the first remark stays.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.acknowledged += other.acknowledged;
        self.lost += other.lost;
        self.differing += other.differing;
        self.silent += other.silent;
        self.time(other.slowest, || other.slowest_case.clone());
        if self.remark.is_empty() {
            self.remark.clone_from(&other.remark);
        }
    }

    /// Remembers the slowest case.
    pub fn time(&mut self, seconds: f64, case: impl FnOnce() -> String) {
        if seconds > self.slowest {
            (self.slowest, self.slowest_case) = (seconds, case());
        }
    }

    /// True if something was tried, or skipped by name, and nothing went wrong.
    pub fn holds(&self) -> bool {
        (self.count > 0 || self.remark.starts_with("skipped"))
            && self.lost + self.differing + self.silent == 0
    }

    /// Notes the first defect.
    pub fn remark(&mut self, text: impl FnOnce() -> String) {
        if self.remark.is_empty() {
            self.remark = text();
        }
    }
}

/// One line of the file of results.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    row: String,
    unit: String,
    effort: String,
    count: u64,
    acknowledged: u64,
    lost: u64,
    differing: u64,
    silent: u64,
    seconds: f64,
    slowest: f64,
    slowest_case: String,
    remark: String,
}

/// Results by row and unit, kept in a CSV file so that a run that was interrupted goes on.
pub struct Results {
    path: PathBuf,
    effort: String,
    done: BTreeMap<(String, String), (Tally, f64)>,
    rows: Vec<String>,
}

impl Results {
    /// Reads what an earlier run with the same effort has done.
    pub fn open(path: &Path, effort: &str) -> Result<Self, ReliabilityError> {
        let mut results =
            Self { path: path.into(), effort: effort.into(), done: BTreeMap::new(), rows: Vec::new() };
        if path.exists() {
            for record in csv::Reader::from_path(path)?.deserialize() {
                let Record {
                    row,
                    unit,
                    effort,
                    count,
                    acknowledged,
                    lost,
                    differing,
                    silent,
                    seconds,
                    slowest,
                    slowest_case,
                    remark,
                } = record?;
                let tally =
                    Tally { count, acknowledged, lost, differing, silent, slowest, slowest_case, remark };
                if effort == results.effort {
                    results.insert(row, unit, tally, seconds);
                }
            }
        }
        Ok(results)
    }

    fn insert(&mut self, row: String, unit: String, tally: Tally, seconds: f64) {
        if !self.rows.contains(&row) {
            self.rows.push(row.clone());
        }
        self.done.insert((row, unit), (tally, seconds));
    }

    /// Runs a unit of a row, unless it is done.
    pub fn unit(
        &mut self,
        row: &str,
        unit: &str,
        work: impl FnOnce() -> Result<Tally, ReliabilityError>,
    ) -> Result<(), ReliabilityError> {
        let key = (row.to_owned(), unit.to_owned());
        if self.done.contains_key(&key) {
            return Ok(());
        }
        let began = std::time::Instant::now();
        let tally = work()?;
        let seconds = began.elapsed().as_secs_f64();
        eprintln!("{row}, {unit}: {} in {seconds:.1} s {}", tally.count, tally.remark);
        self.append(row, unit, &tally, seconds)?;
        self.insert(key.0, key.1, tally, seconds);
        Ok(())
    }

    fn append(&self, row: &str, unit: &str, tally: &Tally, seconds: f64) -> Result<(), ReliabilityError> {
        let new = !self.path.exists();
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path)?;
        let mut writer = csv::WriterBuilder::new().has_headers(new).from_writer(file);
        let Tally { count, acknowledged, lost, differing, silent, slowest, slowest_case, remark } =
            tally.clone();
        let (row, unit, effort) = (row.to_owned(), unit.to_owned(), self.effort.clone());
        writer.serialize(Record {
            row,
            unit,
            effort,
            count,
            acknowledged,
            lost,
            differing,
            silent,
            seconds,
            slowest,
            slowest_case,
            remark,
        })?;
        writer.flush()?;
        Ok(())
    }

    /// The table, a line that sums it up, and whether every row holds.
    pub fn table(&self) -> (String, bool) {
        let mut text =
            String::from("| damage | count | acknowledged | lost | differing | silent | seconds | |\n");
        text.push_str("|---|---:|---:|---:|---:|---:|---:|---|\n");
        let (mut all, mut holding) = (Tally::default(), 0);
        for row in &self.rows {
            let mut sum = Tally::default();
            let mut seconds = 0.0;
            for ((_, _), (tally, took)) in self.done.iter().filter(|((of, _), _)| of == row) {
                sum.add(tally);
                seconds += took;
            }
            let Tally { count, acknowledged, lost, differing, silent, slowest, slowest_case, remark } = &sum;
            let slowest = if *slowest > 0.0 {
                format!(" slowest {slowest:.2} s: {slowest_case}")
            } else {
                String::new()
            };
            text.push_str(&format!(
                "| {row} | {count} | {acknowledged} | {lost} | {differing} | {silent} | {seconds:.0} | {remark}{slowest} |\n"
            ));
            holding += usize::from(sum.holds());
            all.add(&sum);
        }
        let holds = holding == self.rows.len() && holding > 0;
        text.push_str(&format!(
            "\n{holding} of {} rows hold: {} damages, {} acknowledged outcomes, {} lost, {} differing, {} silent\n",
            self.rows.len(),
            all.count,
            all.acknowledged,
            all.lost,
            all.differing,
            all.silent
        ));
        (text, holds)
    }
}
