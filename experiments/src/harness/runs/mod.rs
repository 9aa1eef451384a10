//! Replications of an experiment: named jobs, one CSV line for each that is finished, and reports from these lines alone.
//!
//! A line names the commit of the build, the root seed, the data and the effort beside task, method and replication.
//! Lines are appended as jobs finish, so that a killed run goes on where it was and repeats nothing. A shard does its part
//! of the jobs; `merge` joins the lines of several folders.

mod commit;
mod job;
mod log;
mod lossless;
mod merge;
mod record;
mod shard;

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::commit::{MergedCommit, commit};
pub use self::job::JobName;
use self::log::{Identity, RunLog};
pub use self::lossless::{maps as lossless_maps, number as lossless_number, numbers as lossless_numbers};
pub use self::merge::merge;
pub use self::shard::Shard;
use super::RunContext;
use super::replicate::{in_order, in_turn};
use crate::error::ExperimentError;

/// The jobs of one experiment.
pub struct Runs<'a> {
    id: &'static str,
    part: Option<&'static str>,
    context: &'a RunContext,
    data: String,
    serial: bool,
    in_every_shard: bool,
    identity: Option<String>,
}

impl<'a> Runs<'a> {
    pub fn new(id: &'static str, context: &'a RunContext) -> Self {
        Self {
            id,
            part: None,
            context,
            data: "own".into(),
            serial: false,
            in_every_shard: false,
            identity: None,
        }
    }

    /// Jobs with another kind of result, kept in a file of their own.
    pub fn part(self, part: &'static str) -> Self {
        Self { part: Some(part), ..self }
    }

    /// Jobs one after the other: for those that measure time, which others beside them would change.
    pub fn serial(self) -> Self {
        Self { serial: true, ..self }
    }

    /// Jobs that every shard does: those whose results the other jobs of the experiment need.
    pub fn in_every_shard(self) -> Self {
        Self { in_every_shard: true, ..self }
    }

    /// Identification of the data; the experiment's own without it.
    pub fn data(self, data: impl Into<String>) -> Self {
        Self { data: data.into(), ..self }
    }

    /// Another identification than the commit of the build, for runs that do not depend on it: those of other libraries.
    pub fn identified(self, identity: impl Into<String>) -> Self {
        Self { identity: Some(identity.into()), ..self }
    }

    /// `OUT/ID/runs.csv`, where there is a folder for results.
    fn path(&self) -> Option<PathBuf> {
        let folder = self.context.out.as_ref()?.join(self.id);
        Some(folder.join(self.part.map_or("runs.csv".into(), |part| format!("runs-{part}.csv"))))
    }

    fn identity(&self) -> Identity {
        Identity {
            commit: self.identity.clone().unwrap_or_else(|| commit().into()),
            seed: self.context.seed,
            data: self.data.clone(),
            design: self.context.design(),
        }
    }

    /// The lines that are there. Of merged runs they may be of one other commit than the build's.
    fn log(&self) -> Result<RunLog, ExperimentError> {
        let any_commit = self.context.merged && self.identity.is_none();
        RunLog::open(self.path(), self.identity(), any_commit.then_some(&self.context.merged_commit))
    }

    /// Runs the jobs that have no line yet, and returns the results of the lines, in the order of the jobs.
    ///
    /// # Errors
    /// What `work` fails with; [`ExperimentError::Unfinished`] when jobs of other shards are missing or the budget of time is spent; data errors where
    /// lines cannot be read.
    pub fn collect<J: Sync, T: Serialize + DeserializeOwned + Send>(
        &self,
        jobs: &[J],
        name: impl Fn(&J) -> JobName,
        work: impl Fn(&J) -> Result<T, ExperimentError> + Sync,
    ) -> Result<Vec<T>, ExperimentError> {
        let names = distinct(jobs.iter().map(name).collect())?;
        let log = self.log()?;
        let open = self.open(&names, &log);
        let title = self.title();
        let one = |at: &usize| log.append(&names[*at], &work(&jobs[*at])?);
        let go_on = || self.context.has_time();
        if self.serial {
            in_turn(&title, &open, go_on, one)?;
        } else {
            in_order(&title, &open, go_on, one)?;
        }
        self.check_done(names.iter(), &log)?;
        names.iter().map(|name| log.read(name)).collect()
    }

    /// Runs the jobs that have no line yet in their order, for as long as `go_on` is true, and returns the results of the jobs that
    /// have a line then. Jobs that are not `wanted` are read and never done.
    ///
    /// # Errors
    /// What `work` fails with; [`ExperimentError::Unfinished`] when wanted jobs are left to other shards or the budget of time is spent; data errors
    /// where lines cannot be read.
    pub fn attempt<J: Sync, T: Serialize + DeserializeOwned + Send>(
        &self,
        jobs: &[J],
        name: impl Fn(&J) -> JobName,
        wanted: impl Fn(&J) -> bool,
        go_on: impl Fn() -> bool + Sync,
        work: impl Fn(&J) -> Result<T, ExperimentError> + Sync,
    ) -> Result<Vec<Option<T>>, ExperimentError> {
        let names = distinct(jobs.iter().map(name).collect())?;
        let log = self.log()?;
        let mut open = self.open(&names, &log);
        open.retain(|at| wanted(&jobs[*at]));
        let go_on = || self.context.has_time() && go_on();
        in_order(&self.title(), &open, go_on, |at| log.append(&names[*at], &work(&jobs[*at])?))?;
        if self.context.shard.is_some() || self.context.merged || !self.context.has_time() {
            self.check_done(
                names.iter().zip(jobs).filter(|(_, job)| wanted(job)).map(|(name, _)| name),
                &log,
            )?;
        }
        names.iter().map(|name| log.has(name).then(|| log.read(name)).transpose()).collect()
    }

    /// # Errors
    /// [`ExperimentError::Unfinished`] when a job has no line.
    fn check_done<'n>(
        &self,
        names: impl Iterator<Item = &'n JobName>,
        log: &RunLog,
    ) -> Result<(), ExperimentError> {
        let (mut of, mut missing) = (0, Vec::new());
        for name in names {
            of += 1;
            if !log.has(name) {
                missing.push(name);
            }
        }
        let Some(first) = missing.first() else { return Ok(()) };
        Err(ExperimentError::Unfinished { id: self.id, missing: missing.len(), of, first: first.to_string() })
    }

    /// Positions of the jobs of this shard that have no line.
    fn open(&self, names: &[JobName], log: &RunLog) -> Vec<usize> {
        let shard = self.context.shard.filter(|_| !self.in_every_shard);
        let mine = |at: usize| !self.context.merged && shard.is_none_or(|s| s.has(at));
        (0..names.len()).filter(|at| mine(*at) && !log.has(&names[*at])).collect()
    }

    fn title(&self) -> String {
        self.part.map_or(self.id.into(), |part| format!("{}, {part}", self.id))
    }
}

/// The names, which must differ.
fn distinct(names: Vec<JobName>) -> Result<Vec<JobName>, ExperimentError> {
    let mut sorted: Vec<&JobName> = names.iter().collect();
    sorted.sort();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some([twice, ..]) => Err(ExperimentError::failed(format!("two jobs are called {twice}"))),
        _ => Ok(names),
    }
}

#[cfg(test)]
mod tests;
