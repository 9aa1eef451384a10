//! Arguments of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Finds good parameters of any command with few runs.
#[derive(Parser)]
#[command(name = "thrifty", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Write a commented study file that runs as it is.
    New {
        /// The file.
        #[arg(default_value = "study.toml")]
        path: PathBuf,
    },
    /// Run the command of a study file until the study ends. Run again, a study goes on where it stopped.
    Run {
        /// The study file.
        study: PathBuf,
        /// Trials at the same time, instead of the study file's number.
        #[arg(long)]
        workers: Option<usize>,
        /// Address of a store, instead of a journal or the study file's store.
        #[arg(long, env = "THRIFTY_STORE", hide_env_values = true)]
        store: Option<String>,
        /// Write the page of `thrifty report` when the study has ended, by failures too.
        #[arg(long)]
        report: bool,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the best trial, or the Pareto set of several objectives.
    Best {
        #[command(flatten)]
        source: Source,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print counts, the best and all trials.
    Show {
        #[command(flatten)]
        source: Source,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write all trials as a table.
    Export {
        #[command(flatten)]
        source: Source,
        /// Format of the table.
        #[arg(long, value_enum, default_value_t = Format::Csv)]
        format: Format,
        /// The file; the standard output by default.
        #[arg(long, short)]
        output: Option<PathBuf>,
        /// Intermediate values instead of trials.
        #[arg(long)]
        reports: bool,
    },
    /// Write one HTML page with the summary, all figures and the trials. It needs no network.
    Report {
        #[command(flatten)]
        source: Source,
        /// The page; the name of the study file or journal with `.html` by default. A page that exists is replaced.
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
    /// Draw one figure of the report as SVG.
    Plot {
        #[command(flatten)]
        source: Source,
        /// Name of the figure, such as `history` or `importance`; a name that does not exist lists all.
        figure: String,
        /// The file; the standard output by default.
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
    /// Write what can be read of a damaged journal to another file. The journal is left as it is.
    Repair {
        /// The journal.
        journal: PathBuf,
        /// The file; the name of the journal with `.repaired.jsonl` by default. It must not exist.
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
    /// Print the next trial as JSON, to be evaluated by hand; in a store with a lease, which `tell` needs.
    Ask {
        /// The study file.
        study: PathBuf,
        /// Address of a store, instead of a journal or the study file's store.
        #[arg(long, env = "THRIFTY_STORE", hide_env_values = true)]
        store: Option<String>,
        /// In a store: seconds after which the trial is handed out again if its outcome is not told; a day by default.
        #[arg(long)]
        lease_seconds: Option<f64>,
    },
    /// Record the outcome of a trial.
    Tell {
        /// The study file.
        study: PathBuf,
        /// Number of the trial.
        trial: u64,
        /// A number, or JSON such as {"objectives": [1, 2], "cost": 3}; with --failed the reason.
        #[arg(allow_hyphen_values = true)]
        outcome: String,
        /// The trial failed.
        #[arg(long)]
        failed: bool,
        /// Address of a store, instead of a journal or the study file's store.
        #[arg(long, env = "THRIFTY_STORE", hide_env_values = true)]
        store: Option<String>,
        /// In a store: the lease that `thrifty ask` printed with the trial.
        #[arg(long)]
        lease: Option<String>,
    },
    /// Ask and tell as lines of JSON on the standard input and output.
    Serve {
        /// The study file.
        study: PathBuf,
        /// Address of a store, instead of a journal or the study file's store.
        #[arg(long, env = "THRIFTY_STORE", hide_env_values = true)]
        store: Option<String>,
    },
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or that of a subcommand.
    Man {
        /// The subcommand, such as `run` for the page thrifty-run(1).
        command: Option<String>,
    },
}

/// Place of the trials of a study.
#[derive(Args)]
pub(crate) struct Source {
    /// The study file or its journal. Of a journal the ranges of parameters are those that it has; of a journal of the first format
    /// they are derived from the trials.
    pub(crate) study: PathBuf,
    /// Address of a store, instead of a journal or the study file's store.
    #[arg(long, env = "THRIFTY_STORE", hide_env_values = true)]
    pub(crate) store: Option<String>,
}

/// Format of a table.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values.
    Csv,
    /// An array of objects.
    Json,
}
