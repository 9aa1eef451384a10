use std::collections::BTreeMap;
use std::path::Path;

use thrifty_bo::BayesianOptimizer;

use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::Space;
use thrifty_study::{MaxTrials, OptimizerError};
use thrifty_testbed::Problem;
use thrifty_tpe::{Repeats, TpeOptimizer, TpeSettings};

use super::synthetic::synthetic;
use super::table::GridTable;
use super::table_files;
use crate::data;
use crate::error::ExperimentError;
use crate::harness::compare::Comparison;
use crate::harness::method::AnyOptimizer;
use crate::harness::replicate::{Run, in_parallel, study};
use crate::harness::stats::{holm, mean_and_std_dev, quantile, wilcoxon};
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bench/tables",
    paper: "Hyperparameter landscapes measured on whole grids: HPOBench (Eggensperger et al., 2021), FCNet (Klein & Hutter, 2019), \
            NAS-Bench-201 (Dong & Yang, 2020)",
    claim: "on each table the default Bayesian optimiser and the default Parzen estimator end with a lower regret than random search",
    quick_cost: "2 tables, 10 seeds, 50 evaluations: some seconds",
    full_cost: "5 tables, 50 seeds, 100 evaluations: some minutes",
    run,
};

/// Where the tables are described, below the data folder.
const INDEX: &str = "hpo/index.json";

/// Random search on them, exactly, beside the index.
const BASELINE: &str = "random_search_baseline.csv";

/// What is shown as, and called in the index. Other tables of the index are left for development.
const TABLES: [(&str, &str); 5] = [
    ("protein", "hpolib_protein_structure"),
    ("cifar10", "nasbench201_cifar10"),
    ("parkinsons", "hpolib_parkinsons_telemonitoring"),
    ("australian", "hpobench_australian"),
    ("kc1", "hpobench_kc1"),
];

type Make = fn(Space) -> Result<AnyOptimizer, OptimizerError>;

/// Those before random search are under test.
const METHODS: [(&str, Make); 4] = [
    ("bo", |space| Ok(AnyOptimizer::new(BayesianOptimizer::new(space)))),
    ("tpe", |space| TpeOptimizer::new(space).map(AnyOptimizer::new)),
    ("random", |space| Ok(AnyOptimizer::new(RandomSearch::new(space)))),
    ("rules of Optuna 5", |space| {
        // A table has no noise: what was asked is not asked again, here as for the others.
        let settings = TpeSettings { repeats: Repeats::Never, ..TpeSettings::optuna5() };
        TpeOptimizer::new(space).and_then(|tpe| tpe.with_settings(settings)).map(AnyOptimizer::new)
    }),
];
const RANDOM: usize = 2;
const OPTUNA: usize = 3;

#[derive(serde::Deserialize)]
struct Baseline {
    task: String,
    evals: usize,
    #[serde(rename = "NR_mean")]
    mean: f64,
}

fn baseline(path: &Path) -> Result<Vec<Baseline>, ExperimentError> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| ExperimentError::data(path, error))?;
    reader.deserialize().collect::<Result<_, _>>().map_err(|error| ExperimentError::data(path, error))
}

/// Random search as drawn by us, as expected, and as others have computed it.
fn random_search(tables: &[GridTable], runs: &[Run], published: &[Baseline], evaluations: usize) -> Table {
    let mut rows = Vec::new();
    for table in tables {
        let own: Vec<&Run> =
            runs.iter().filter(|r| r.problem == table.name() && r.method == "random").collect();
        for count in [10, 20, 50, 100].into_iter().filter(|count| *count <= evaluations) {
            let regrets: Vec<f64> = own.iter().filter_map(|run| run.regret.get(count - 1).copied()).collect();
            let (mean, std_dev) = mean_and_std_dev(&regrets);
            let task = TABLES.iter().find(|(title, _)| *title == table.name()).map_or("", |(_, task)| task);
            let other = published.iter().find(|b| b.task == task && b.evals == count);
            rows.push(vec![
                table.name(),
                count.to_string(),
                number(mean),
                number(std_dev / (regrets.len() as f64).sqrt()),
                number(table.expected_random(count)),
                other.map_or(String::new(), |b| number(b.mean)),
            ]);
        }
    }
    let header = ["table", "evaluations", "mean", "standard error", "expected", "reference file"];
    Table {
        name: "random-search".into(),
        caption: "Normalised regret of random search: our runs, the expectation over the table (draws with replacement), \
                  and the reference file's."
            .into(),
        header: header.map(String::from).to_vec(),
        rows,
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let evaluations = context.pick(50, 100);
    let seeds = context.replications(10, 50);
    let index = data::file(context.data.as_deref(), INDEX);
    let tables: Vec<GridTable> = match &index {
        Some(index) => TABLES[..context.pick(2, TABLES.len())]
            .iter()
            .map(|(title, name)| table_files::read(index, name, title))
            .collect::<Result<_, _>>()?,
        None => vec![synthetic()?],
    };
    let mut jobs = Vec::new();
    for table in &tables {
        for method in METHODS {
            jobs.extend((0..seeds).map(|i| (table, method, i)));
        }
    }
    let runs = in_parallel(EXPERIMENT.id, &jobs, |&(table, (label, make), i)| {
        let seed = Seed(context.seed).child(EXPERIMENT.id, i as u64);
        study(label, table, make(table.space().clone())?, seed, i, MaxTrials(evaluations))
    })?;
    let (mut figures, mut details) = (Vec::new(), Vec::new());
    let (mut numbers, mut medians, mut p_values) = (BTreeMap::new(), Vec::new(), Vec::new());
    let (mut estimators, mut estimator_p) = (Vec::new(), Vec::new());
    for table in &tables {
        let name = table.name();
        let own: Vec<Run> = runs.iter().filter(|run| run.problem == name).cloned().collect();
        let comparison = Comparison::new(&own, evaluations);
        let finals: Vec<Vec<f64>> = (0..METHODS.len()).map(|m| comparison.finals(m)).collect();
        for ((label, _), regrets) in METHODS.iter().zip(&finals) {
            numbers.insert(format!("median regret on {name} of {label}"), quantile(regrets, 0.5));
        }
        for tested in &finals[..RANDOM] {
            medians.push((quantile(tested, 0.5), quantile(&finals[RANDOM], 0.5)));
            p_values.push(wilcoxon(tested, &finals[RANDOM]));
        }
        estimators.push((quantile(&finals[1], 0.5), quantile(&finals[OPTUNA], 0.5)));
        estimator_p.push(wilcoxon(&finals[1], &finals[OPTUNA]));
        figures.push(comparison.anytime(&format!("anytime-{name}"))?);
        details.push(comparison.table(&format!("regret-{name}")));
    }
    let corrected = holm(&p_values);
    let wins = medians.iter().zip(&corrected).filter(|(m, p)| m.0 < m.1 && **p < 0.05).count();
    let losses = medians.iter().zip(&p_values).filter(|(m, p)| m.0 > m.1 && **p < 0.05).count();
    let of_estimators = |lower: bool| {
        let pairs = estimators.iter().zip(&estimator_p);
        pairs.filter(|(m, p): &(&(f64, f64), &f64)| (m.0 < m.1) == lower && m.0 != m.1 && **p < 0.05).count()
    };
    let verdict = match (wins == medians.len(), losses) {
        (_, 1..) => Verdict::DoesNotHold,
        (true, 0) => Verdict::Holds,
        _ => Verdict::Inconclusive,
    };
    let published = match &index {
        Some(index) if index.with_file_name(BASELINE).is_file() => baseline(&index.with_file_name(BASELINE))?,
        _ => Vec::new(),
    };
    let mut all = vec![random_search(&tables, &runs, &published, evaluations)];
    all.extend(details);
    let source = match &index {
        Some(_) => "measured grids".to_owned(),
        None => format!("a synthetic grid; measured ones are used when --data holds {INDEX}"),
    };
    Ok(Report {
        verdict,
        numbers,
        settings: [
            ("tables", source.clone()),
            ("evaluations", evaluations.to_string()),
            ("seeds", seeds.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![
            format!(
                "Tables: {source}. An evaluation is the mean over training seeds, so without noise. Lists of numbers are \
                 levels in order, evenly spaced; lists of texts are categories. Regret is normalised: (loss - least) / \
                 (median - least), so that the median configuration has 1."
            ),
            format!(
                "bo and tpe are lower than random search in {wins} of {} comparisons (paired Wilcoxon, Holm-corrected p below \
                 0.05), higher in {losses} (p below 0.05).",
                medians.len()
            ),
            format!(
                "tpe is lower than the rules of Optuna 5 on {} of {} tables (p below 0.05 without correction), higher on {}.",
                of_estimators(true),
                tables.len(),
                of_estimators(false)
            ),
        ],
        tables: all,
        figures,
    })
}
