//! Other libraries beside an experiment of ours: their runs, which of them are complete, and notes on all.

use thrifty_study::StudyError;

use super::{Ended, Interpreters, PeerRun, versions};
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Grid, NO_REGRET};
use crate::harness::runs::lossless_number;
use crate::harness::{JobName, RunContext, Runs};

/// Another library's method: its name in the script, and in tables.
pub struct PeerMethod {
    pub script: &'static str,
    pub label: &'static str,
}

/// Runs of other libraries on the problems of an experiment.
pub struct Beside<'a> {
    pub id: &'static str,
    pub context: &'a RunContext,
    pub peers: &'a [PeerMethod],
    /// Names of the problems.
    pub problems: &'a [String],
    pub replications: usize,
    /// Number of the rules by which they are run. A change after which their runs differ raises it.
    pub rules: u32,
}

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
struct Complete {
    label: &'static str,
    finals: Vec<Vec<f64>>,
}

/// Our methods, then the methods of other libraries that are complete.
pub struct Together {
    pub methods: Vec<&'static str>,
    /// Final regrets by problem, by method, by replication.
    pub finals: Grid<f64>,
    /// Notes on the other libraries.
    pub notes: Vec<String>,
}

impl Together {
    fn add(&mut self, own: Complete) {
        self.methods.push(own.label);
        self.finals.iter_mut().zip(own.finals).for_each(|(of_problem, own)| of_problem.push(own));
    }
}

/// Final regret of a run, and the error that ended it early.
pub type Found = (f64, Option<StudyError>);

/// A method, a problem and a replication.
type Job<'a> = (&'a PeerMethod, usize, usize);

impl<'a> Beside<'a> {
    /// So many replications of the problems, by the first rules.
    pub fn new(
        id: &'static str,
        context: &'a RunContext,
        peers: &'a [PeerMethod],
        problems: &'a [String],
        replications: usize,
    ) -> Self {
        Self { id, context, peers, problems, replications, rules: 1 }
    }
}

impl Beside<'_> {
    /// Makes the runs of our methods, then those for which an interpreter of `--python` has the library.
    ///
    /// `ours` makes the run of problem, method and replication; `one` that of a method of the script on a problem in a replication.
    pub fn run(
        &self,
        methods: &[&'static str],
        ours: impl Fn(usize, usize, usize) -> Result<f64, ExperimentError> + Sync,
        one: impl Fn(&Interpreters, &'static str, (usize, usize)) -> Result<Ended<f64>, ExperimentError> + Sync,
    ) -> Result<Together, ExperimentError> {
        let finals =
            ablation::finals((self.id, self.context), methods, self.problems, self.replications, ours)?;
        let (complete, notes) = self.others(one)?;
        let mut together = Together { methods: methods.to_vec(), finals, notes };
        complete.into_iter().for_each(|own| together.add(own));
        Ok(together)
    }

    /// The runs of other libraries: the methods that are complete, and notes on all.
    fn others(
        &self,
        one: impl Fn(&Interpreters, &'static str, (usize, usize)) -> Result<Ended<f64>, ExperimentError> + Sync,
    ) -> Result<(Vec<Complete>, Vec<String>), ExperimentError> {
        let python = if self.context.merged { &[][..] } else { &self.context.python };
        let found = Interpreters::find(python, self.peers.iter().map(|peer| peer.script));
        // One method after the other, so that a run that is stopped early has one whole.
        let jobs: Vec<Job<'_>> = self
            .peers
            .iter()
            .flat_map(|peer| (0..self.replications).map(move |i| (peer, i)))
            .flat_map(|(peer, i)| (0..self.problems.len()).map(move |k| (peer, k, i)))
            .collect();
        let name = |(peer, k, i): &Job<'_>| JobName::new(&*self.problems[*k], peer.label, *i);
        let rules = format!("rules {}", self.rules);
        let runs = Runs::new(self.id, self.context).part("peers").identified(rules);
        let wanted = |job: &Job<'_>| found.has(job.0.script);
        let done: Vec<Option<Done>> = runs.attempt(
            &jobs,
            name,
            wanted,
            || true,
            |&(peer, k, i)| match one(&found, peer.script, (k, i))? {
                Ended::Run(PeerRun { found: regret, failure, cpu_seconds, version }) => {
                    Ok(Done { regret, cpu_seconds, version, failure })
                }
                Ended::Unsupported(why) => Err(ExperimentError::failed(format!("{}: {why}", peer.label))),
            },
        )?;
        let (mut complete, mut notes) = (Vec::new(), Vec::new());
        for peer in self.peers {
            let own: Vec<(usize, &Done)> = jobs
                .iter()
                .zip(&done)
                .filter(|(job, _)| job.0.label == peer.label)
                .filter_map(|(job, done)| Some((job.1, done.as_ref()?)))
                .collect();
            notes.push(self.note(peer, &own, found.missing.get(peer.script)));
            if own.len() == self.planned() {
                let of = |k: usize| {
                    let own = own.iter().filter(|(problem, _)| *problem == k);
                    own.map(|(_, done)| done.regret.max(NO_REGRET)).collect()
                };
                let finals = (0..self.problems.len()).map(of).collect();
                complete.push(Complete { label: peer.label, finals });
            }
        }
        Ok((complete, notes))
    }

    /// Number of runs of a method.
    fn planned(&self) -> usize {
        self.replications * self.problems.len()
    }

    /// Note on the runs of a method that are there: its version, its time, and its first failure.
    fn note(&self, peer: &PeerMethod, own: &[(usize, &Done)], missing: Option<&String>) -> String {
        let planned = self.planned();
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
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use thrifty_sampling::{Seed, Sobol};
    use thrifty_space::Config;
    use thrifty_study::{MaxTrials, Study};
    use thrifty_testbed::{Problem, TestFunction};

    use super::super::First;
    use super::*;

    const PEERS: [PeerMethod; 2] =
        [PeerMethod { script: "one", label: "One" }, PeerMethod { script: "two", label: "Two" }];

    /// Two replications of six evaluations of Branin's function, of which two are a design.
    fn found(python: Vec<PathBuf>) -> (Vec<Complete>, Vec<String>) {
        let context = RunContext { python, ..RunContext::default() };
        let problem = TestFunction::branin();
        let design: Vec<Config> = Sobol::scrambled(2, &mut Seed(1).stream("design", 0))
            .take(2)
            .rows()
            .map(|x| problem.space().decode(x))
            .collect();
        let problems = ["branin".into()];
        let beside = Beside::new("test", &context, &PEERS, &problems, 2);
        let one = |from: &Interpreters, method: &'static str, (_, i): (usize, usize)| {
            let first = First { method, seed: i as u64, design: 2, evaluations: 6, ..First::default() };
            from.whole(problem.space(), &first, &design, |optimizer| {
                let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(6));
                let failure =
                    study.run(|config, context| problem.evaluate(config, &mut context.noise())).err();
                Ok((problem.regret(&study.history().trials()[5].query)?, failure))
            })
        };
        beside.others(one).unwrap()
    }

    #[test]
    fn without_an_interpreter_there_is_no_claim() {
        let (complete, notes) = found(Vec::new());
        assert!(complete.is_empty());
        assert_eq!(notes.len(), PEERS.len());
        assert!(notes.iter().all(|note| note.contains("0 of 2 runs, so no claim beside it")), "{notes:?}");
    }

    /// An interpreter whose methods all know the minimum.
    #[test]
    #[cfg(unix)]
    fn methods_of_an_interpreter_run_after_the_design() {
        let folder = tempfile::tempdir().unwrap();
        let pi = std::f64::consts::PI;
        let known = format!("{{\"x\": [{pi}, 2.275], \"cpu\": 2}}");
        let answers = [("*method*", "{\"version\": \"1\"}"), ("*tell*", known.as_str())];
        let interpreter = super::super::fake::interpreter(folder.path(), &answers);
        let (complete, notes) = found(vec![interpreter]);
        assert_eq!(complete.len(), PEERS.len(), "{notes:?}");
        assert!(complete.iter().all(|own| own.finals == [[NO_REGRET; 2]]), "{notes:?}");
        let (methods, finals) = (vec!["ours"], vec![vec![vec![1.0, 2.0]]]);
        let mut together = Together { methods, finals, notes: Vec::new() };
        complete.into_iter().for_each(|own| together.add(own));
        assert_eq!(together.methods, ["ours", "One", "Two"]);
        assert_eq!(together.finals, [[vec![1.0, 2.0], vec![NO_REGRET; 2], vec![NO_REGRET; 2]]]);
        assert!(
            notes.iter().all(|note| note.ends_with("2 of 2 runs, version 1, 2 CPU s a run.")),
            "{notes:?}"
        );
    }
}
