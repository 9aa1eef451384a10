//! The judged comparison of the default optimiser with other libraries, on problems that proposed no default.

mod methods;
mod problems;
mod results;
mod run;
mod selection;
mod verdicts;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use thrifty_sampling::Seed;

use self::methods::{OURS, PEERS, PeerMethod};
use self::problems::{JudgedProblem, problems};
use self::results::Results;
use self::run::{Done, Task};
use crate::bench::egreedy::DESIGNS;
use crate::bench::tables::INDEX;
use crate::data;
use crate::error::ExperimentError;
use crate::harness::runs::commit;
use crate::harness::{Experiment, JobName, Judgement, Report, RunContext, Runs, Table};
use crate::peers::Interpreters;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/judged",
    paper: "De Ath et al. (2021), Hansen et al. (2009) and measured hyperparameter landscapes; other libraries run beside with --python",
    claim: "the default Bayesian optimiser is not inferior to each other library on any judged problem, and superior on a third of them",
    quick_cost: "2 problems that are not judged, our 5 methods, 2 seeds, 20 evaluations: some seconds",
    full_cost: "38 problems, our 5 methods with 20 seeds, 9 others with 20 or 5, 60 evaluations: hours; at most 40 CPU hours of the others",
    run,
};

/// No run of another library is begun after so many CPU hours of theirs.
const CAP_HOURS: f64 = 40.0;

/// Number of the rules by which other libraries are run. A change after which their runs differ raises it.
const RULES: u32 = 1;

/// A method, a problem and a replication.
type Job<'a> = (&'static str, &'a JudgedProblem, usize);

/// Everything that runs have in common.
struct Judged<'a> {
    context: &'a RunContext,
    problems: &'a [JudgedProblem],
    data: String,
    evaluations: usize,
    replications: usize,
}

impl Judged<'_> {
    /// Jobs seed by seed and the cheap methods first, so that an interrupted run has whole pairs.
    fn jobs(&self, of: impl Fn(usize) -> Vec<(&'static str, Vec<usize>)>) -> Vec<Job<'_>> {
        let mut jobs = Vec::new();
        for i in 0..self.replications {
            for (method, own) in of(i) {
                jobs.extend(own.into_iter().map(|k| (method, &self.problems[k], i)));
            }
        }
        jobs
    }

    fn indices(&self, test: impl Fn(&JudgedProblem) -> bool) -> Vec<usize> {
        (0..self.problems.len()).filter(|k| test(&self.problems[*k])).collect()
    }

    /// True if a method was asked for.
    fn wants(&self, method: &str) -> bool {
        self.context.methods.as_ref().is_none_or(|methods| methods.iter().any(|m| m == method))
    }

    fn task<'a>(&self, (_, problem, replication): Job<'a>) -> Task<'a> {
        let seed = Seed(self.context.seed).child(EXPERIMENT.id, replication as u64);
        Task { problem, replication, seed, evaluations: self.evaluations }
    }

    fn ours(&self, results: &mut Results) -> Result<(), ExperimentError> {
        let jobs =
            self.jobs(|_| OURS.map(|m| (m, self.indices(|problem| methods::applies(m, problem)))).into());
        let runs = Runs::new(EXPERIMENT.id, self.context).data(&*self.data);
        let done: Vec<Option<Done>> =
            runs.attempt(&jobs, name, |job| self.wants(job.0), || true, |job| self.task(*job).ours(job.0))?;
        keep(results, &jobs, done);
        Ok(())
    }

    /// Runs of the other libraries, which do not depend on this build; returns their CPU hours and why some are missing.
    fn peers(&self, results: &mut Results) -> Result<(f64, Interpreters), ExperimentError> {
        let jobs = self.jobs(|i| {
            let open = PEERS.iter().filter(|peer| i < peer.replications(self.context).run);
            open.map(|peer| (peer.name, self.indices(peer.applies))).collect()
        });
        let runs = Runs::new(EXPERIMENT.id, self.context).part("peers").data(&*self.data);
        let runs = runs.identified(format!("rules {RULES}"));
        let there: Vec<Option<Done>> = runs.attempt(&jobs, name, |_| false, || true, |_| Err(nothing()))?;
        let hours =
            |done: &[Option<Done>]| done.iter().flatten().fold(0.0, |sum, d| sum + d.cpu_seconds) / 3600.0;
        let spent = Mutex::new(hours(&there));
        let spent = || spent.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = PEERS.iter().map(|peer| peer.name).filter(|name| self.wants(name));
        let python = if self.context.merged { &[][..] } else { &self.context.python };
        let found = Interpreters::find(python, wanted);
        let done: Vec<Option<Done>> = runs.attempt(
            &jobs,
            name,
            |job| self.wants(job.0) && found.has(job.0),
            || *spent() < CAP_HOURS,
            |job| {
                let done = self.task(*job).peer(job.0, &found)?;
                *spent() += done.cpu_seconds / 3600.0;
                Ok(done)
            },
        )?;
        let hours = hours(&done);
        keep(results, &jobs, done);
        Ok((hours, found))
    }
}

fn nothing() -> ExperimentError {
    ExperimentError::failed("a job that is only read was done")
}

fn name((method, problem, replication): &Job<'_>) -> JobName {
    JobName::new(&*problem.label, *method, *replication)
}

fn keep(results: &mut Results, jobs: &[Job<'_>], done: Vec<Option<Done>>) {
    for ((method, problem, replication), done) in jobs.iter().zip(done) {
        if let Some(done) = done {
            results.insert(method, &problem.label, *replication, done);
        }
    }
}

/// Identification of the problems: the data, and a checksum of the losses of the first design of each.
fn identity(context: &RunContext, problems: &[JudgedProblem]) -> Result<String, ExperimentError> {
    let files = [DESIGNS, INDEX].map(String::from);
    let mut probe = String::new();
    for problem in problems {
        let posed = problem.pose(0)?;
        let seed = Seed(context.seed).child(EXPERIMENT.id, 0);
        for config in problem.design(&*posed, seed, 0) {
            let _ = write!(probe, "{} {:.9e};", problem.label, posed.truth(&config)?);
        }
    }
    let files = data::identity_of(context.data.as_deref(), &files)?;
    Ok(format!("{files}; problems {:08x}", crc32fast::hash(probe.as_bytes())))
}

/// The problems in their groups.
fn listed(problems: &[JudgedProblem]) -> Table {
    let row = |problem: &JudgedProblem| {
        let title = problem.title();
        let noise = if problem.is_noisy() { "noisy" } else { "" };
        vec![problem.label.clone(), title, problem.dim().to_string(), noise.to_owned()]
    };
    Table {
        name: "problems".into(),
        caption: format!("The judged problems. BBOB functions were chosen by the seed {}.", selection::SEED),
        header: ["problem", "function", "parameters", "evaluations"].map(String::from).to_vec(),
        rows: problems.iter().map(row).collect(),
    }
}

fn notes(context: &RunContext, hours: f64, found: &Interpreters, results: &Results) -> Vec<String> {
    let mut notes = vec![
        format!("Commit of our runs: {}; of the build that reports: {}.", context.merged_commit.or_build(), commit()),
        format!(
            "Other libraries: {hours:.2} CPU hours of {CAP_HOURS}{}.",
            if hours >= CAP_HOURS { "; the cap was reached, and no further run was begun" } else { "" }
        ),
        "On noisy problems the claims are those of the default as a user gets it who declares evaluations noisy (method `noisy`), and \
         the regret is that of the recommendation: ours and BoTorch's is the best posterior mean, scikit-optimize's the minimum of its \
         last model, pycma's the mean of its distribution, SMAC3's its incumbent, and otherwise the best observed point."
            .to_owned(),
    ];
    for (method, why) in &found.missing {
        let there = results.of_method(method).count();
        notes.push(format!("{method} was not run ({there} runs were there before): {why}."));
    }
    for peer in &PEERS {
        if let Some(first) = results.failures(peer.name).first() {
            notes.push(format!("First failure of {}: {first}.", peer.name));
        }
    }
    notes
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let known: Vec<&str> = OURS.into_iter().chain(PEERS.iter().map(|peer| peer.name)).collect();
    context.check_methods(EXPERIMENT.id, &known)?;
    let (problems, evaluations) = (problems(context)?, context.evaluations(20, 60));
    let n = context.replications(2, 20);
    let replications = n.run;
    let data = identity(context, &problems)?;
    let judged = Judged { context, problems: &problems, data: data.clone(), evaluations, replications };
    let mut results = Results::default();
    // Both are run before either is missed, so that a shard does its part of each.
    let (ours, peers) = (judged.ours(&mut results), judged.peers(&mut results));
    ours?;
    let (hours, found) = peers?;
    let (peers, worse) = verdicts::judge(context, &results, &problems, n.planned)?;
    let planned = |method: &str| {
        let peer = PEERS.iter().find(|peer: &&PeerMethod| peer.name == method);
        peer.map_or(n, |peer| peer.replications(context)).planned
    };
    let tables = vec![
        listed(&problems),
        verdicts::table(&results, &peers, &worse),
        verdicts::medians(&results, &problems, planned),
        verdicts::progress(&results, &problems, evaluations),
    ];
    let mut numbers = BTreeMap::from([("CPU hours of other libraries".to_owned(), hours)]);
    for method in OURS.into_iter().chain(PEERS.iter().map(|peer| peer.name)) {
        if results.of_method(method).next().is_some() {
            numbers.insert(format!("CPU seconds per run of {method}"), results.cpu_seconds(method));
        }
    }
    let parts = peers.into_iter().flat_map(|found| [found.not_inferior, found.superior]).collect();
    let settings = [
        ("evaluations", format!("{evaluations}, 2 per parameter of them a design that all methods share")),
        ("replications", format!("{replications}; at most 5 of smac3, hebo and saasbo")),
        ("data", data),
        ("rules", RULES.to_string()),
    ];
    Ok(Report {
        judgement: Judgement::all(parts),
        numbers,
        settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
        notes: notes(context, hours, &found, &results),
        tables,
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
