//! The command line.

mod options;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};

use crate::data::command::DataCommand;
use crate::data::{self, Folder};
use crate::error::ExperimentError;
use crate::harness::{Effort, Experiment, MergedCommit, RunContext, Shard, budget, index, output, runs};
use crate::registry::{all, find};
use crate::results::ResultsCommand;
use crate::{cite, speed, verify};

/// Reproduces the papers behind Thrifty, and checks a build against reference numbers.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Effort, data and output of an experiment.
#[derive(Args)]
struct Study {
    /// A reduced study of at most half a minute on two cores (the default).
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// The whole study.
    #[arg(long)]
    full: bool,
    /// Replications instead of the experiment's own number.
    #[arg(long)]
    seeds: Option<usize>,
    #[arg(long, help = options::evaluations_help())]
    evaluations: Option<usize>,
    /// Only these methods, divided by semicolons: acquisition/functions, which keeps its default, and bo/judged, which reports the runs
    /// of the others that are there.
    #[arg(long, value_delimiter = ';')]
    methods: Option<Vec<String>>,
    /// The root of all randomness.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder with the data sets; the data folder of the platform without it, "none" for none. Experiments make or ship what is not there.
    #[arg(long, env = "THRIFTY_DATA")]
    data: Option<PathBuf>,
    /// CSV file with the runs of other libraries, for the experiments that compare with them.
    #[arg(long, env = "THRIFTY_PEERS")]
    peers: Option<PathBuf>,
    /// A Python interpreter, for the experiments that run other libraries beside ours; without it they do not. Several, divided by
    /// commas or each with the option, are tried in order for each library.
    #[arg(long, value_delimiter = ',')]
    python: Vec<PathBuf>,
    /// Folder of the results.
    #[arg(long, default_value = "out")]
    out: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    /// Name every experiment: id, paper, claim, cost.
    List,
    /// Run one experiment, or all. Runs that are in OUT already are not repeated.
    Run {
        /// Its id, or "all".
        id: String,
        /// Only every n-th run from the i-th on, as i/n; `merge` reports once all are there.
        #[arg(long)]
        shard: Option<Shard>,
        /// Begin no run after this time, such as 30m or 2h, and say what is missing; the same command goes on.
        #[arg(long, value_parser = budget::parse)]
        budget: Option<Duration>,
        #[command(flatten)]
        study: Study,
    },
    /// Join the runs of shards and report; the other options are those that the shards were run with.
    Merge {
        /// The experiment's id.
        id: String,
        /// Folders that --out of the shards named.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        #[command(flatten)]
        study: Study,
    },
    /// List, download and check data sets.
    Data {
        #[command(subcommand)]
        action: DataCommand,
    },
    /// Write the tables of the results pages from CSV files, and take those of a run.
    Results {
        #[command(subcommand)]
        action: ResultsCommand,
    },
    /// Print BibTeX of a source and of Thrifty.
    Cite {
        /// An experiment, a group of experiments such as fcvopt, or a key of docs/src/references.md.
        id: String,
    },
    /// Measure this build against other packages and against what the machine can do.
    Speed {
        /// The Python interpreter with the peers; those it does not have are skipped.
        #[arg(long, env = "THRIFTY_PYTHON", default_value = "python3")]
        python: PathBuf,
        /// Fewer sizes and repeats: seconds without peers, a few minutes with them.
        #[arg(long)]
        quick: bool,
        /// Time this operation alone; several may be named.
        #[arg(long, value_name = "OPERATION")]
        only: Vec<speed::Operation>,
        /// Whole runs a tool; 20 without it, but 3 of the peers when quick.
        #[arg(long)]
        seeds: Option<usize>,
        /// The root of all randomness.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Folder of the table and the figure.
        #[arg(long, default_value = "out/speed")]
        out: PathBuf,
    },
    /// Check this build against reference numbers.
    Verify {
        /// Folder with the reference files; the project's own without it.
        #[arg(long)]
        golden: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command line; false when it did its work and the answer is no.
pub fn main() -> Result<bool, ExperimentError> {
    match Cli::parse().command {
        Command::List => {
            list();
            Ok(true)
        }
        Command::Run { id, shard, budget, study } => {
            let deadline = budget.and_then(|budget| Instant::now().checked_add(budget));
            let context = RunContext { shard, deadline, ..study.context()? };
            let chosen = if id == "all" { all() } else { vec![find(&id)?] };
            options::check(&id, &context)?;
            run(&chosen, &context, &study.out, id == "all")
        }
        Command::Merge { id, folders, study } => {
            let context = RunContext { merged: true, ..study.context()? };
            let experiment = find(&id)?;
            options::check(&id, &context)?;
            let new = runs::merge(experiment.id, &study.out, &folders)?;
            println!("{}: {new} runs from {} folders", experiment.id, folders.len());
            run(&[experiment], &context, &study.out, false)
        }
        Command::Data { action } => Ok(action.run()?),
        Command::Results { action } => action.run(),
        Command::Cite { id } => {
            print!("{}", cite::bibtex(&id)?);
            Ok(true)
        }
        Command::Speed { python, quick, only, seeds, seed, out } => {
            require("--seeds", seeds)?;
            let effort = if quick { Effort::Quick } else { Effort::Full };
            print!("{}", speed::run(&speed::Options { python, effort, only, seeds, seed, out })?);
            Ok(true)
        }
        Command::Verify { golden, json } => verify::run(golden.as_deref(), json),
    }
}

impl Study {
    fn context(&self) -> Result<RunContext, ExperimentError> {
        require("--seeds", self.seeds)?;
        require("--evaluations", self.evaluations)?;
        let folder = Folder::find(self.data.as_deref());
        if let Some(folder) = folder.as_ref().filter(|folder| folder.named && !folder.path.is_dir()) {
            return Err(ExperimentError::data(
                &folder.path,
                "is not a folder; --data names one with the data sets",
            ));
        }
        let folder = folder.filter(|folder| folder.path.is_dir());
        Ok(RunContext {
            effort: if self.full { Effort::Full } else { Effort::Quick },
            seeds: self.seeds,
            evaluations: self.evaluations,
            methods: self.methods.clone(),
            seed: self.seed,
            data_found: folder.as_ref().is_some_and(|folder| !folder.named),
            data: folder.map(|folder| folder.path),
            peers: self.peers.clone(),
            python: self.python.clone(),
            out: Some(self.out.clone()),
            shard: None,
            merged: false,
            merged_commit: MergedCommit::default(),
            deadline: None,
        })
    }
}

fn list() {
    for experiment in all() {
        println!("{}\n    paper  {}\n    claim  {}", experiment.id, experiment.paper, experiment.claim);
        let sets: Vec<&str> = data::of_experiment(experiment.id).map(|set| set.name).collect();
        if !sets.is_empty() {
            println!("    data   {}", sets.join(", "));
        }
        println!("    quick  {}\n    full   {}\n", experiment.quick_cost, experiment.full_cost);
    }
}

/// Runs experiments one after the other; `together` writes a page of all of them, anew after each.
fn run(
    chosen: &[Experiment],
    context: &RunContext,
    out: &Path,
    together: bool,
) -> Result<bool, ExperimentError> {
    let mut page = index::Page::new(context.effort, chosen);
    if let Some(folder) = context.data.as_ref().filter(|_| context.data_found) {
        println!("data: {} (--data none to go without)", folder.display());
    }
    for (at, experiment) in chosen.iter().enumerate() {
        if let Some(folder) = &context.data {
            data::warnings(folder, experiment.id)?.iter().for_each(|warning| eprintln!("warning: {warning}"));
        }
        let began = Instant::now();
        match (experiment.run)(context) {
            Err(ExperimentError::Unfinished { missing, of, first, .. }) if !context.has_time() => {
                println!(
                    "{}: the budget is spent; {missing} of {of} runs are missing, the first of them {first}",
                    experiment.id
                );
                page.leave(at, format!("{missing} of {of} runs are missing"));
            }
            Err(ExperimentError::Unfinished { missing, of, .. }) if context.shard.is_some() => {
                println!("{}: the shard is done; {missing} of {of} runs are for others", experiment.id);
            }
            report => {
                let (report, seconds) = (report?, began.elapsed().as_secs_f64());
                output::write(out, experiment, context, &report)?;
                println!(
                    "{}: {} in {seconds:.1} s, see {}",
                    experiment.id,
                    report.judgement.verdict(),
                    out.join(experiment.id).join("report.md").display()
                );
                page.add(at, report, seconds);
            }
        }
        if together {
            page.write(out)?;
        }
    }
    if together {
        println!("all figures and tables: {}", page.finish(out)?.display());
    }
    Ok(true)
}

fn require(name: &'static str, count: Option<usize>) -> Result<(), ExperimentError> {
    if count == Some(0) {
        return Err(ExperimentError::Setting { name, value: "0".into(), expected: "at least 1" });
    }
    Ok(())
}
