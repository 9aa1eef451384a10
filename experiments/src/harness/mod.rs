//! Parts that every experiment shares: replications in parallel, statistics of comparisons, figures, tables, files.

pub mod ablation;
pub mod budget;
pub mod claims;
pub mod clock;
pub mod compare;
mod experiment;
pub mod index;
pub mod method;
pub mod output;
pub mod pairwise;
pub mod replicate;
pub mod runs;
pub mod stats;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

pub use claims::{Judgement, Verdict};
pub use experiment::Experiment;
pub use runs::{JobName, MergedCommit, Runs, Shard};
use thrifty_figures::FigureError;
use thrifty_sampling::Seed;

use crate::error::ExperimentError;

/// Effort of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// At most half a minute on two cores.
    #[default]
    Quick,
    /// The whole study.
    Full,
}

/// Numbers of replications of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replications {
    /// Number that is run: the declared one, or the one that was asked for.
    pub run: usize,
    /// Number that a verdict needs: the declared one, or the one that was asked for if that is larger. A smaller one gives no verdict, so
    /// that nobody can stop at the number that suits.
    pub planned: usize,
}

impl Replications {
    /// Replications of each of `factor` problems.
    pub fn times(self, factor: usize) -> Self {
        Self { run: self.run * factor, planned: self.planned * factor }
    }
}

/// Request of a run.
#[derive(Debug, Clone, Default)]
pub struct RunContext {
    pub effort: Effort,
    pub seeds: Option<usize>,
    /// Evaluations a run, for the experiments whose tables can go on.
    pub evaluations: Option<usize>,
    /// Only these methods, for the experiments that compare many.
    pub methods: Option<Vec<String>>,
    pub seed: u64,
    /// Folder with the data sets.
    pub data: Option<PathBuf>,
    /// True if nobody named that folder: it is the one of the platform, and may lack what an experiment could read.
    pub data_found: bool,
    /// Runs of other libraries, to compare with.
    pub peers: Option<PathBuf>,
    /// Interpreters that have other libraries, to run beside; they are tried in order for each library.
    pub python: Vec<PathBuf>,
    /// Folder of the results; runs are kept in memory without it.
    pub out: Option<PathBuf>,
    /// The part of the runs to do.
    pub shard: Option<Shard>,
    /// True if runs were merged and only the report is wanted.
    pub merged: bool,
    /// Commit of the lines that were merged, known once they are read.
    pub merged_commit: MergedCommit,
    /// No job begins after this time.
    pub deadline: Option<Instant>,
}

impl RunContext {
    /// True until the budget is spent.
    pub fn has_time(&self) -> bool {
        self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    /// Checks that every method that was asked for is one of an experiment's own; `none` alone asks for no run.
    ///
    /// # Errors
    /// [`ExperimentError::UnknownMethod`] names the first that is not, and those that are.
    pub fn check_methods(&self, id: &str, known: &[&str]) -> Result<(), ExperimentError> {
        let asked = self.methods.as_deref().unwrap_or_default();
        let runs_nothing = !known.is_empty() && matches!(asked, [one] if one == "none");
        let unknown = asked.iter().find(|method| !known.contains(&method.as_str()));
        let Some(method) = unknown.filter(|_| !runs_nothing) else { return Ok(()) };
        let known = match known {
            [] => "it has no choice of methods".to_owned(),
            // As the option divides them: names have commas.
            known => format!("expected none, or some of {}", known.join("; ")),
        };
        Err(ExperimentError::UnknownMethod { id: id.to_owned(), method: method.clone(), known })
    }

    /// Seed of a replication of a problem, which all methods of the experiment share. An experiment has at most 100 problems.
    pub fn seed_of(&self, id: &str, problem: usize, replication: usize) -> Seed {
        Seed(self.seed).child(id, (replication * 100 + problem) as u64)
    }

    /// The numbers of replications, where the experiment declares so many.
    pub fn replications(&self, quick: usize, full: usize) -> Replications {
        let declared = self.pick(quick, full);
        let run = self.seeds.unwrap_or(declared);
        Replications { run, planned: run.max(declared) }
    }

    /// The number of evaluations: what was asked for, else the experiment's own.
    pub fn evaluations(&self, quick: usize, full: usize) -> usize {
        self.evaluations.unwrap_or(self.pick(quick, full))
    }

    /// Identification of what else decides a run: the effort, and the number of evaluations that was asked for.
    fn design(&self) -> String {
        let effort = self.pick("quick", "full");
        self.evaluations.map_or(effort.into(), |evaluations| format!("{effort}, {evaluations} evaluations"))
    }

    /// Options of the run on the command line. Files and folders are named by capitals, because they differ from machine to machine.
    fn command(&self, id: &str) -> String {
        let mut command = format!("run {id} --{}", self.pick("quick", "full"));
        let counts = [("--seeds", self.seeds), ("--evaluations", self.evaluations)];
        for (name, count) in counts.iter().filter_map(|(name, count)| Some((name, (*count)?))) {
            command += &format!(" {name} {count}");
        }
        if self.seed != 0 {
            command += &format!(" --seed {}", self.seed);
        }
        if let Some(methods) = &self.methods {
            command += &format!(" --methods \"{}\"", methods.join(";"));
        }
        for (name, is_there) in [
            ("--data DIR", self.data.is_some()),
            ("--peers FILE", self.peers.is_some()),
            ("--python PYTHON", !self.python.is_empty()),
        ] {
            if is_there {
                command += &format!(" {name}");
            }
        }
        command
    }

    /// One of two values, by effort.
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        match self.effort {
            Effort::Quick => quick,
            Effort::Full => full,
        }
    }
}

/// A table of text, for CSV, Markdown and HTML alike.
#[derive(Debug, Clone)]
pub struct Table {
    pub name: String,
    pub caption: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// A drawn figure.
#[derive(Debug, Clone)]
pub struct Figure {
    pub name: String,
    pub caption: String,
    pub svg: String,
}

impl Figure {
    /// Names what was drawn.
    pub fn of(
        name: &str,
        caption: &str,
        drawn: Result<String, FigureError>,
    ) -> Result<Self, ExperimentError> {
        Ok(Self { name: name.into(), caption: caption.into(), svg: drawn? })
    }
}

/// Report of an experiment.
#[derive(Debug, Clone)]
pub struct Report {
    /// The claims and their verdicts.
    pub judgement: Judgement,
    /// Named figures, flat.
    pub numbers: BTreeMap<String, f64>,
    /// Settings of the run.
    pub settings: BTreeMap<String, String>,
    /// Paragraphs of Markdown.
    pub notes: Vec<String>,
    pub tables: Vec<Table>,
    pub figures: Vec<Figure>,
}

/// A number as tables show it: four significant digits.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        format!("{value}")
    } else if (1e-3..1e5).contains(&value.abs()) {
        let digits = (3 - value.abs().log10().floor() as i32).max(0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_the_options_of_the_run() {
        let mut context = RunContext::default();
        assert_eq!(context.command("gp/posterior"), "run gp/posterior --quick");
        context.effort = Effort::Full;
        (context.seeds, context.evaluations, context.seed) = (Some(10), Some(32), 5);
        context.methods = Some(vec!["EI".into(), "LCB, β = 4".into()]);
        (context.data, context.python) = (Some("d".into()), vec!["python3".into()]);
        assert_eq!(
            context.command("bo/wide"),
            "run bo/wide --full --seeds 10 --evaluations 32 --seed 5 --methods \"EI;LCB, β = 4\" --data DIR --python PYTHON"
        );
        assert_eq!(context.design(), "full, 32 evaluations");
    }

    /// A smaller number of replications runs fewer; the number that a verdict needs stays the declared one.
    #[test]
    fn the_declared_number_of_replications_does_not_shrink() {
        let of =
            |seeds| RunContext { seeds, effort: Effort::Full, ..RunContext::default() }.replications(2, 30);
        assert_eq!(of(None), Replications { run: 30, planned: 30 });
        assert_eq!(of(Some(20)), Replications { run: 20, planned: 30 });
        assert_eq!(of(Some(40)).times(2), Replications { run: 80, planned: 80 });
    }

    #[test]
    fn a_method_that_an_experiment_lacks_is_named() {
        let asked = |methods: &[&str]| RunContext {
            methods: Some(methods.iter().map(|&name| name.into()).collect()),
            ..RunContext::default()
        };
        assert!(RunContext::default().check_methods("a/b", &[]).is_ok());
        assert!(asked(&["EI"]).check_methods("a/b", &["PI", "EI"]).is_ok());
        assert!(asked(&["none"]).check_methods("a/b", &["PI", "EI"]).is_ok());
        assert!(asked(&["none"]).check_methods("a/b", &[]).is_err());
        assert!(asked(&["none", "EI"]).check_methods("a/b", &["PI", "EI"]).is_err());
        let error =
            |methods: &[&str], known: &[&str]| asked(methods).check_methods("a/b", known).unwrap_err();
        assert_eq!(
            error(&["EI", "KG"], &["LCB, β = 4", "EI"]).to_string(),
            "--methods: a/b has no method \"KG\"; expected none, or some of LCB, β = 4; EI"
        );
        assert_eq!(
            error(&["EI"], &[]).to_string(),
            "--methods: a/b has no method \"EI\"; it has no choice of methods"
        );
    }
}
