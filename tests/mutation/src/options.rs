//! Options of the command line.

use std::path::PathBuf;

use crate::error::MutationError;
use crate::library::Shard;
use crate::sample;

/// Mutation testing of the library crates: a random sample of small changes, and whether a test notices each.
#[derive(Debug, clap::Parser)]
#[command(name = "thrifty-mutation")]
pub struct Options {
    /// Number of mutants, divided among the crates in proportion to their size.
    #[arg(long, default_value_t = 400)]
    pub sample: usize,
    /// Fewest mutants per crate.
    #[arg(long, value_name = "N", default_value_t = sample::LEAST)]
    pub least: usize,
    /// Seed of the sample.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Run only the mutants of these crates in the sample, such as `gp,thrifty-kernel`; may be repeated.
    #[arg(long, alias = "crate", value_name = "NAMES", value_delimiter = ',')]
    pub crates: Vec<String>,
    /// Folder of the results.
    #[arg(long, default_value = "out/mutation")]
    pub out: PathBuf,
    /// Folder of the mutated copy and its compiled files; by default `scratch` in the folder of the results.
    #[arg(long)]
    pub scratch: Option<PathBuf>,
    /// Run only part I (from 0) of N parts of the sample.
    #[arg(long, value_name = "I/N", default_value = "0/1")]
    pub shard: String,
    /// Number of tests that run at the same time; by default the number of processors.
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Run the survivors of earlier runs again, for instance after tests were added.
    #[arg(long)]
    pub retry: bool,
    /// Seconds of the tests in `tests/` per mutant that its own crate does not kill; they are long and kill few.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    pub shared_seconds: f64,
    /// Features of crates to compile and test with, such as `thrifty-store/postgres`; code behind others is reached by no test.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub features: Vec<String>,
    /// Leave out the documentation tests.
    #[arg(long)]
    pub no_doctests: bool,
    /// Print the sample and stop.
    #[arg(long)]
    pub list: bool,
    /// Root of the workspace.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))]
    pub workspace: PathBuf,
}

impl Options {
    /// The part of the sample to run.
    pub fn shard(&self) -> Result<Shard, MutationError> {
        let parts = self.shard.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if index < count => Ok(Shard { index, count }),
            _ => Err(MutationError::Option {
                option: "shard",
                value: self.shard.clone(),
                reason: "expected I/N with I from 0 to N - 1",
            }),
        }
    }

    /// True for packages whose mutants are to be run.
    pub fn includes(&self, package: &str) -> bool {
        let short = package.strip_prefix("thrifty-").unwrap_or(package);
        self.crates.is_empty() || self.crates.iter().any(|name| name == package || name == short)
    }

    /// Number of threads.
    pub fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}
