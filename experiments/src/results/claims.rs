//! The table of claims: one line per experiment, and the page that prints it.

use super::error::{ResultsError, TableError};
use super::files::{Root, Sheet};
use super::page::table;
use crate::harness::Experiment;

/// Columns of `experiments/runs/claims.csv`.
const COLUMNS: [&str; 8] = ["experiment", "tests", "n", "verdict", "design", "seed", "commit", "command"];

/// Name of the page that is generated whole.
pub const PAGE: &str = "claims.md";

/// Judged run of one experiment. Cells are empty where the book does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub experiment: String,
    /// Tests with their margins.
    pub tests: String,
    /// Replications.
    pub n: String,
    pub verdict: String,
    /// Effort, and the number of evaluations where it was asked for.
    pub design: String,
    pub seed: String,
    pub commit: String,
    pub command: String,
}

impl Line {
    /// The least number of replications of a claim; nothing where there are none.
    pub fn least_n(&self) -> Option<u64> {
        self.n.split(' ').next()?.parse().ok()
    }

    /// The largest number of replications of a claim; nothing where there are none.
    pub fn most_n(&self) -> Option<u64> {
        self.n.split(' ').next_back()?.parse().ok()
    }

    fn cells(&self) -> [&str; 8] {
        let Self { experiment, tests, n, verdict, design, seed, commit, command } = self;
        [experiment, tests, n, verdict, design, seed, commit, command].map(String::as_str)
    }
}

/// Lines of all experiments, by experiment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    lines: Vec<Line>,
}

impl Claims {
    /// Reads `experiments/runs/claims.csv`.
    ///
    /// # Errors
    /// [`ResultsError`] when the file is missing or has other columns, or an experiment twice.
    pub fn read(root: &Root) -> Result<Self, ResultsError> {
        let fault =
            |fault: TableError| ResultsError::Claims { line: 1, message: format!("the file {fault}") };
        let sheet = Sheet::read(&root.claims()).map_err(fault)?;
        if sheet.header != COLUMNS {
            let message = format!("columns are {}, expected {}", sheet.header.join(", "), COLUMNS.join(", "));
            return Err(ResultsError::Claims { line: 1, message });
        }
        let mut lines: Vec<Line> = Vec::new();
        for (at, cells) in sheet.rows.into_iter().enumerate() {
            let mut cells = cells.into_iter();
            let mut next = || cells.next().unwrap_or_default();
            let line = Line {
                experiment: next(),
                tests: next(),
                n: next(),
                verdict: next(),
                design: next(),
                seed: next(),
                commit: next(),
                command: next(),
            };
            if lines.iter().any(|other| other.experiment == line.experiment) {
                let message = format!("{} is there already", line.experiment);
                return Err(ResultsError::Claims { line: at + 2, message });
            }
            lines.push(line);
        }
        Ok(Self { lines })
    }

    pub fn find(&self, id: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.experiment == id)
    }

    /// Puts a line in the place of that of the same experiment.
    pub fn set(&mut self, line: Line) {
        self.lines.retain(|other| other.experiment != line.experiment);
        self.lines.push(line);
        self.lines.sort_by(|a, b| a.experiment.cmp(&b.experiment));
    }

    /// The file.
    pub fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMNS)?;
        self.lines.iter().try_for_each(|line| writer.write_record(line.cells()))?;
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    /// A sentence with commit, seed, design and n of an experiment's run; none without a commit.
    pub fn run(&self, id: &str) -> Option<String> {
        let line = self.find(id).filter(|line| !line.commit.is_empty())?;
        let Line { commit, seed, design, n, .. } = line;
        Some(format!("Run at commit {commit}, seed {seed}, design {design}, n = {n}."))
    }

    /// The page: every experiment of the registry in its order by id, with its claim as the registry has it.
    ///
    /// # Errors
    /// [`ResultsError::Claims`] when the lines are not those of the experiments.
    pub fn page(&self, experiments: &[Experiment]) -> Result<String, ResultsError> {
        if let Some(at) =
            self.lines.iter().position(|line| !experiments.iter().any(|e| e.id == line.experiment))
        {
            let message = format!("no experiment is called {}", self.lines[at].experiment);
            return Err(ResultsError::Claims { line: at + 2, message });
        }
        let mut experiments: Vec<&Experiment> = experiments.iter().collect();
        experiments.sort_by_key(|experiment| experiment.id);
        let mut rows = Vec::new();
        for experiment in experiments {
            let line = self.find(experiment.id).ok_or_else(|| {
                let message = format!("{} has no line", experiment.id);
                ResultsError::Claims { line: self.lines.len() + 1, message }
            })?;
            rows.push(shown(experiment, line));
        }
        let header = ["experiment", "claim", "tests and margins", "n", "verdict", "run", "command"];
        let sheet = Sheet { header: header.map(str::to_owned).to_vec(), rows };
        let lines = table(&sheet, None)
            .map_err(|fault| ResultsError::Claims { line: 1, message: format!("the file {fault}") })?;
        Ok(format!("{HEAD}{}\n", lines.join("\n")))
    }
}

fn shown(experiment: &Experiment, line: &Line) -> Vec<String> {
    let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
    let named = [("", &line.design), ("seed ", &line.seed), ("commit ", &line.commit)];
    let run: Vec<String> = named
        .iter()
        .filter(|(_, cell)| !cell.is_empty())
        .map(|(name, cell)| format!("{name}{cell}"))
        .collect();
    vec![
        code(experiment.id),
        experiment.claim.to_owned(),
        line.tests.clone(),
        line.n.clone(),
        line.verdict.clone(),
        run.join(", "),
        code(&line.command),
    ]
}

const HEAD: &str = "# Claims and verdicts

Every experiment with its claim, in the words of the program. This page is generated from `experiments/runs/claims.csv` ([how](../experiments.md#results-pages)).

## All experiments

```sh
cargo run --release -p thrifty-experiments -- run ID --full     # or the options in the last column
```

The verdict is that of the run in the column *run*. Cells are empty where the book does not say it: of some runs seed and commit were not kept, some experiments have been run in their quick form alone, and
some pages state results without a verdict. The number n is that of replications or pairs per claim. How a verdict is reached is under [what a verdict means](../experiments.md#what-a-verdict-means).

";
