//! `BoTorch`'s methods for many parameters, beside ours.

use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{Best, MaxTrials, Optimizer, Study, StudyError};
use thrifty_testbed::Problem;

use super::problems::Wide;
use super::{EXPERIMENT, Plan};
use crate::error::ExperimentError;
use crate::harness::ablation::NO_REGRET;
use crate::harness::runs::lossless_number;
use crate::harness::{JobName, Runs};
use crate::peers::{Ended, First, Interpreters, PeerRun, versions};

/// Another library's method: its name in the script, and in tables.
pub struct PeerMethod {
    script: &'static str,
    pub label: &'static str,
}

/// The others, the cheapest first.
pub const PEERS: [PeerMethod; 2] = [
    PeerMethod { script: "turbo", label: "TuRBO (BoTorch)" },
    PeerMethod { script: "map-saas", label: "sparse axes (BoTorch)" },
];

/// Number of the rules by which they are run. A change after which their runs differ raises it.
const RULES: u32 = 1;

/// Result of a run, its line in the file.
#[derive(serde::Serialize, serde::Deserialize)]
struct Done {
    /// The final regret.
    #[serde(with = "lossless_number")]
    regret: f64,
    cpu_seconds: f64,
    version: String,
    /// Reason why the run ended early; empty if it did not.
    failure: String,
}

/// Final regrets of a method of which all runs are there, by problem and replication.
pub struct Complete {
    pub label: &'static str,
    pub finals: Vec<Vec<f64>>,
}

type Job<'a> = (&'a PeerMethod, usize, usize);

/// Runs what an interpreter of `--python` has; returns the methods that are complete, and notes on all.
pub fn beside(plan: &Plan<'_>) -> Result<(Vec<Complete>, Vec<String>), ExperimentError> {
    let python = if plan.context.merged { &[][..] } else { &plan.context.python };
    let found = Interpreters::find(python, PEERS.iter().map(|peer| peer.script));
    // One method after the other, so that a run that is stopped early has one whole.
    let jobs: Vec<Job<'_>> = PEERS
        .iter()
        .flat_map(|peer| (0..plan.replications).map(move |i| (peer, i)))
        .flat_map(|(peer, i)| (0..plan.problems.len()).map(move |k| (peer, k, i)))
        .collect();
    let name = |(peer, k, i): &Job<'_>| JobName::new(plan.problems[*k].name(), peer.label, *i);
    let runs = Runs::new(EXPERIMENT.id, plan.context).part("peers").identified(format!("rules {RULES}"));
    let wanted = |job: &Job<'_>| found.has(job.0.script);
    let done: Vec<Option<Done>> =
        runs.attempt(&jobs, name, wanted, || true, |&(peer, k, i)| one(plan, &found, (peer, k, i)))?;
    let (mut complete, mut notes) = (Vec::new(), Vec::new());
    for peer in &PEERS {
        let own: Vec<(usize, &Done)> = jobs
            .iter()
            .zip(&done)
            .filter(|(job, _)| job.0.label == peer.label)
            .filter_map(|(job, done)| Some((job.1, done.as_ref()?)))
            .collect();
        notes.push(note(peer, &own, plan, found.missing.get(peer.script)));
        if own.len() == plan.replications * plan.problems.len() {
            let of = |k: usize| {
                let own = own.iter().filter(|(problem, _)| *problem == k);
                own.map(|(_, done)| done.regret.max(NO_REGRET)).collect()
            };
            complete.push(Complete { label: peer.label, finals: (0..plan.problems.len()).map(of).collect() });
        }
    }
    Ok((complete, notes))
}

/// Note on the runs of a method that are there: its version, its time, and its first failure.
fn note(peer: &PeerMethod, own: &[(usize, &Done)], plan: &Plan<'_>, missing: Option<&String>) -> String {
    let planned = plan.replications * plan.problems.len();
    let mut text = format!("{}: {} of {planned} runs", peer.label, own.len());
    if !own.is_empty() {
        let seconds = own.iter().map(|(_, done)| done.cpu_seconds).sum::<f64>() / own.len() as f64;
        let version = versions(own.iter().map(|(_, done)| done.version.as_str()));
        text += &format!(", version {version}, {seconds:.0} CPU s a run");
    }
    if own.len() < planned {
        let why = missing.map_or(String::new(), |why| format!(": {why}"));
        text += &format!(", so no claim beside it{why}");
    }
    let failures: Vec<&str> =
        own.iter().map(|(_, done)| done.failure.as_str()).filter(|why| !why.is_empty()).collect();
    if let Some(first) = failures.first() {
        text += &format!("; {} ended early, the first with: {first}", failures.len());
    }
    text + "."
}

fn one(plan: &Plan<'_>, from: &Interpreters, (peer, k, i): Job<'_>) -> Result<Done, ExperimentError> {
    let (problem, seed) = (&plan.problems[k], plan.seed(k, i));
    let design = plan.design(problem, seed);
    let first = First {
        method: peer.script,
        seed: seed.0 & 0x7fff_ffff,
        noisy: false,
        design: design.len(),
        evaluations: plan.evaluations,
    };
    let ended = from.whole(problem.space(), &first, &design, |optimizer| {
        regret(problem, optimizer, seed, plan.evaluations)
    })?;
    match ended {
        Ended::Run(PeerRun { found: regret, failure, cpu_seconds, version }) => {
            Ok(Done { regret, cpu_seconds, version, failure })
        }
        Ended::Unsupported(why) => Err(ExperimentError::failed(format!("{}: {why}", peer.label))),
    }
}

/// The regret of the best that was evaluated, and the error that ended the study.
fn regret<O>(
    problem: &Wide,
    optimizer: O,
    seed: Seed,
    evaluations: usize,
) -> Result<(f64, Option<StudyError>), ExperimentError>
where
    O: Optimizer<Query = Config, Recommendation = Best<Config>>,
{
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
    let failure = study.run(|config, context| problem.evaluate(config, &mut context.noise())).err();
    let best = study.history().best().map(|(trial, _)| problem.regret(&trial.query)).transpose()?;
    Ok((best.unwrap_or(f64::INFINITY), failure))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::harness::RunContext;

    fn found(python: Vec<PathBuf>) -> (Vec<Complete>, Vec<String>) {
        let context = RunContext { python, ..RunContext::default() };
        let problems = [Wide::ackley(2, 2).unwrap()];
        beside(&Plan { context: &context, problems: &problems, replications: 2, evaluations: 6 }).unwrap()
    }

    #[test]
    fn without_an_interpreter_there_is_no_claim() {
        let (complete, notes) = found(Vec::new());
        assert!(complete.is_empty());
        assert_eq!(notes.len(), PEERS.len());
        assert!(notes.iter().all(|note| note.contains("0 of 2 runs, so no claim beside it")), "{notes:?}");
    }

    /// An interpreter whose methods all know the minimum at a third of the range.
    #[test]
    #[cfg(unix)]
    fn methods_of_an_interpreter_run_after_the_design() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let interpreter = folder.path().join("interpreter");
        let third = 1.0 / 3.0;
        let script = format!(
            "#!/bin/sh\nwhile read line; do case $line in\n*method*) echo '{{\"version\": \"1\"}}';;\n\
             *tell*) echo '{{\"x\": [{third}, {third}], \"cpu\": 2}}';;\nesac; done\n"
        );
        std::fs::write(&interpreter, script).unwrap();
        std::fs::set_permissions(&interpreter, std::fs::Permissions::from_mode(0o700)).unwrap();
        let (complete, notes) = found(vec![interpreter]);
        assert_eq!(complete.len(), PEERS.len(), "{notes:?}");
        assert!(complete.iter().all(|own| own.finals == [[NO_REGRET; 2]]), "{notes:?}");
        assert!(
            notes.iter().all(|note| note.ends_with("2 of 2 runs, version 1, 2 CPU s a run.")),
            "{notes:?}"
        );
    }
}
