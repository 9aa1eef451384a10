//! Thrifty's Gaussian process, Bayesian optimisation and fronts, timed against other packages on the same inputs and
//! against what the machine's own factorisation would take.

mod clock;
mod data;
mod floor;
mod fronts;
mod hyperparameters;
mod inputs;
mod judge;
mod line;
mod machine;
mod model;
mod ours;
mod ours_on_fronts;
mod peers;
mod plot;
mod summary;
mod table;
mod tasks;
mod threads;

use std::fs;
use std::path::PathBuf;

use crate::error::ExperimentError;
use crate::harness::{Effort, output};
use clock::Budget;
use inputs::Inputs;
pub use tasks::Operation;
use tasks::Task;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The interpreter that has the peers.
    pub python: PathBuf,
    pub effort: Effort,
    /// The operations to time; all of them where it is empty.
    pub only: Vec<Operation>,
    /// Whole runs a tool.
    pub seeds: Option<usize>,
    pub seed: u64,
    pub out: PathBuf,
}

/// Whole runs of Thrifty, and of a peer in a quick study.
const RUNS: usize = 20;
const QUICK_PEER_RUNS: usize = 3;

/// Times everything, writes `speed.md`, `speed.svg` and the tables as CSV, and returns the Markdown.
///
/// # Errors
/// [`ExperimentError`] when Thrifty cannot do a task or a file cannot be written; never because of a peer.
pub fn run(options: &Options) -> Result<String, ExperimentError> {
    let budget = match options.effort {
        Effort::Quick => Budget { seconds: 0.1, repeats: 20 },
        Effort::Full => Budget { seconds: 1.0, repeats: 200 },
    };
    let runs = options.seeds.unwrap_or(RUNS);
    let all = options.only.is_empty();
    let mut tasks = Task::all(options.effort, runs);
    tasks.retain(|task| all || options.only.contains(&task.operation));
    let inputs = Inputs::new(budget, tasks, options.seed)?;
    eprintln!("{} ...", ours::NAME);
    let mut tools = vec![ours::measure(&inputs)?];
    let stages = floor::measure(&inputs, &tools[0])?;
    let comparisons = if all { threads::measure(&inputs)? } else { Vec::new() };
    let peer_runs = match (options.seeds, options.effort) {
        (None, Effort::Quick) => QUICK_PEER_RUNS,
        _ => runs,
    };
    tools.extend(peers::run_all(&options.python, &inputs.with_fewer_runs(peer_runs))?);

    let rows = judge::judge(&inputs, &tools)?;
    let names: Vec<&str> = tools.iter().filter(|t| !t.lines.is_empty()).map(|t| t.name.as_str()).collect();
    let (floor, threads) = (machine::floor(&stages), machine::threads(&comparisons));
    let figure = plot::draw(&tools, &rows, &stages)?;
    let mut text = format!("# Speed\n\n{}", summary::summary(&tools, &rows));
    for table in [&table::times(&names, &rows), &table::reached(&names, &rows), &floor, &threads] {
        // A part of the operations leaves some of them empty.
        if !table.rows.is_empty() {
            text += &output::section(table);
        }
    }
    text += &summary::remarks(&rows);
    if let Some(figure) = &figure {
        text += &format!("\n![{}]({}.svg)\n\n{}\n", figure.name, figure.name, figure.caption);
    }

    fs::create_dir_all(&options.out).map_err(ExperimentError::io(&options.out))?;
    let save = |name: String, bytes: &[u8]| {
        let path = options.out.join(name);
        fs::write(&path, bytes).map_err(ExperimentError::io(path))
    };
    for table in [table::long(&rows), floor, threads] {
        let bytes = output::csv(&table).map_err(ExperimentError::measure("a table"))?;
        save(format!("{}.csv", table.name), &bytes)?;
    }
    if let Some(figure) = &figure {
        save("speed.svg".into(), figure.svg.as_bytes())?;
    }
    save("speed.md".into(), text.as_bytes())?;
    Ok(text)
}
