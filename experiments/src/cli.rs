use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::error::ExperimentError;
use crate::harness::{Effort, RunContext, index, output};
use crate::registry::{all, find};
use crate::{speed, verify};

/// Reproduces the papers behind Thrifty, and checks a build against reference numbers.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Name every experiment: id, paper, claim, cost.
    List,
    /// Run one experiment, or all.
    Run {
        /// Its id, or "all".
        id: String,
        /// A reduced study of at most half a minute on two cores (the default).
        #[arg(long, conflicts_with = "full")]
        quick: bool,
        /// The whole study.
        #[arg(long)]
        full: bool,
        /// Replications instead of the experiment's own number.
        #[arg(long)]
        seeds: Option<usize>,
        /// Evaluations a run instead of the experiment's own number: acquisition/functions, pareto/benchmarks.
        #[arg(long)]
        evaluations: Option<usize>,
        /// Only these methods, divided by semicolons: acquisition/functions, which keeps its default.
        #[arg(long, value_delimiter = ';')]
        methods: Option<Vec<String>>,
        /// The root of all randomness.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Folder with the data sets; without it, experiments use what they can make or ship.
        #[arg(long, env = "THRIFTY_DATA")]
        data: Option<PathBuf>,
        /// CSV file with the runs of other libraries, for the experiments that compare with them.
        #[arg(long, env = "THRIFTY_PEERS")]
        peers: Option<PathBuf>,
        /// A Python interpreter, for the experiments that run another library beside ours; without it they do not.
        #[arg(long)]
        python: Option<PathBuf>,
        /// Where the results go.
        #[arg(long, default_value = "out")]
        out: PathBuf,
    },
    /// Measure this build against other packages and against what the machine can do.
    Speed {
        /// The Python interpreter with the peers; those it does not have are skipped.
        #[arg(long, env = "THRIFTY_PYTHON", default_value = "python3")]
        python: PathBuf,
        /// Fewer sizes and repeats: seconds without peers, a few minutes with them.
        #[arg(long)]
        quick: bool,
        /// Whole runs a tool; 20 without it, but 3 of the peers when quick.
        #[arg(long)]
        seeds: Option<usize>,
        /// The root of all randomness.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where the table and the figure go.
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
            for experiment in all() {
                println!(
                    "{}\n    paper  {}\n    claim  {}",
                    experiment.id, experiment.paper, experiment.claim
                );
                println!("    quick  {}\n    full   {}\n", experiment.quick_cost, experiment.full_cost);
            }
            Ok(true)
        }
        Command::Run { id, quick: _, full, seeds, evaluations, methods, seed, data, peers, python, out } => {
            let chosen = if id == "all" { all() } else { vec![find(&id)?] };
            require("--seeds", seeds)?;
            require("--evaluations", evaluations)?;
            if let Some(folder) = &data
                && !folder.is_dir()
            {
                return Err(ExperimentError::data(
                    folder,
                    "is not a folder; --data names one with the data sets",
                ));
            }
            let effort = if full { Effort::Full } else { Effort::Quick };
            let mut reports = Vec::new();
            for experiment in &chosen {
                let context = RunContext {
                    effort,
                    seeds,
                    evaluations,
                    methods: methods.clone(),
                    seed,
                    data: data.clone(),
                    peers: peers.clone(),
                    python: python.clone(),
                };
                let began = std::time::Instant::now();
                let report = (experiment.run)(&context)?;
                output::write(&out, experiment, &context, &report)?;
                let folder = out.join(experiment.id);
                println!(
                    "{}: {} in {:.1} s, see {}",
                    experiment.id,
                    report.verdict,
                    began.elapsed().as_secs_f64(),
                    folder.join("report.md").display()
                );
                reports.push((experiment.clone(), report));
            }
            if id == "all" {
                let path = index::write(&out, &reports)?;
                println!("all figures and tables: {}", path.display());
            }
            Ok(true)
        }
        Command::Speed { python, quick, seeds, seed, out } => {
            require("--seeds", seeds)?;
            let effort = if quick { Effort::Quick } else { Effort::Full };
            print!("{}", speed::run(&speed::Options { python, effort, seeds, seed, out })?);
            Ok(true)
        }
        Command::Verify { golden, json } => verify::run(golden.as_deref(), json),
    }
}

fn require(name: &'static str, count: Option<usize>) -> Result<(), ExperimentError> {
    if count == Some(0) {
        return Err(ExperimentError::Setting { name, value: "0".into(), expected: "at least 1" });
    }
    Ok(())
}
