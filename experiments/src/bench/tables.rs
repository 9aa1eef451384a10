//! Optimisers on hyperparameter landscapes that were measured on whole grids.

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
use crate::harness::claims::{
    Claim, ClaimError, Family, Finding, Judgement, Kind, Rule, Sample as Evidence, Test,
};
use crate::harness::compare::Comparison;
use crate::harness::method::AnyOptimizer;
use crate::harness::replicate::{Run, studies, study};
use crate::harness::stats::{mean_and_std_dev, quantile};
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bench/tables",
    paper: "Hyperparameter landscapes measured on whole grids: HPOBench (Eggensperger et al., 2021), FCNet (Klein & Hutter, 2019), \
            NAS-Bench-201 (Dong & Yang, 2020)",
    claim: "on each table the default Bayesian optimiser and the default Parzen estimator end with a lower regret than random search",
    quick_cost: "2 tables, 10 seeds, 50 evaluations: some seconds",
    full_cost: "5 tables, 50 seeds, 100 evaluations: some minutes",
    run,
};

/// Path of the description of the tables, below the data folder.
pub const INDEX: &str = "hpo/index.json";

/// Random search on them, exactly, beside the index.
const BASELINE: &str = "random_search_baseline.csv";

/// Shown name and name in the index. Other tables of the index are left for development.
pub const TABLES: [(&str, &str); 5] = [
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

/// Final regrets on one table, by method.
type Finals = (String, Vec<Vec<f64>>);

/// Both methods under test are lower than random search on every table.
fn judge(finals: &[Finals], planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (table, own) in finals {
        for (tested, (label, _)) in own.iter().zip(&METHODS[..RANDOM]) {
            let name = format!("{label} lower than random search on {table}");
            let claim = Claim::new(name, Kind::Superior, Test::SignedRank, planned);
            let sample = Evidence::losses(&claim.name, tested, &own[RANDOM])?;
            family.push(claim, sample);
        }
    }
    family.judge()
}

/// The default estimator against the rules of Optuna, for the notes.
fn estimators(finals: &[Finals]) -> Result<Vec<Finding>, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (table, own) in finals {
        let claim = Claim::new(table, Kind::Superior, Test::SignedRank, own[1].len());
        let sample = Evidence::losses(&claim.name, &own[1], &own[OPTUNA])?;
        family.push(claim, sample);
    }
    Ok(family.judge()?.findings().to_vec())
}

fn runs(
    context: &RunContext,
    tables: &[GridTable],
    data: String,
    evaluations: usize,
    seeds: usize,
) -> Result<Vec<Run>, ExperimentError> {
    let mut jobs = Vec::new();
    for table in tables {
        for method in METHODS {
            jobs.extend((0..seeds).map(|i| (table, method, i)));
        }
    }
    let lines = Runs::new(EXPERIMENT.id, context).data(data);
    let name =
        |&(table, (label, _), i): &(&GridTable, (&str, Make), usize)| JobName::new(table.name(), label, i);
    studies(&lines, &jobs, name, |&(table, (label, make), i)| {
        let seed = Seed(context.seed).child(EXPERIMENT.id, i as u64);
        study(label, table, make(table.space().clone())?, seed, i, MaxTrials(evaluations))
    })
}

/// The measured grids, or one of our own.
fn tables(context: &RunContext, index: Option<&Path>) -> Result<Vec<GridTable>, ExperimentError> {
    match index {
        Some(index) => measured(index, context.pick(2, TABLES.len())),
        None => Ok(vec![synthetic()?]),
    }
}

/// The first measured grids.
pub fn measured(index: &Path, count: usize) -> Result<Vec<GridTable>, ExperimentError> {
    TABLES.iter().take(count).map(|(title, name)| table_files::read(index, name, title)).collect()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(10, 50);
    let (evaluations, seeds) = (context.pick(50, 100), n.run);
    let index = data::file(context.data.as_deref(), INDEX);
    let tables = tables(context, index.as_deref())?;
    let runs = runs(context, &tables, data::identity(index.as_deref())?, evaluations, seeds)?;
    let (mut figures, mut details) = (Vec::new(), Vec::new());
    let (mut numbers, mut finals) = (BTreeMap::new(), Vec::new());
    for table in &tables {
        let name = table.name();
        let own: Vec<Run> = runs.iter().filter(|run| run.problem == name).cloned().collect();
        let comparison = Comparison::new(&own, evaluations);
        let own: Vec<Vec<f64>> = (0..METHODS.len()).map(|m| comparison.finals(m)).collect();
        for ((label, _), regrets) in METHODS.iter().zip(&own) {
            numbers.insert(format!("median regret on {name} of {label}"), quantile(regrets, 0.5));
        }
        finals.push((name.clone(), own));
        figures.push(comparison.anytime(&format!("anytime-{name}"))?);
        details.push(comparison.table(&format!("regret-{name}"))?);
    }
    let judgement = judge(&finals, n.planned)?;
    let estimators = estimators(&finals)?;
    let published = match &index {
        Some(index) if index.with_file_name(BASELINE).is_file() => baseline(&index.with_file_name(BASELINE))?,
        _ => Vec::new(),
    };
    let mut all = vec![random_search(&tables, &runs, &published, evaluations)];
    all.extend(details);
    let source = match &index {
        Some(_) => "measured grids".to_owned(),
        None => "a synthetic grid; measured ones are those of the set hpo".into(),
    };
    let of_estimators = |direction: &str| estimators.iter().filter(|f| f.direction() == direction).count();
    Ok(Report {
        judgement,
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
            "Claims: on every table the final regrets of bo and of tpe are lower than those of random search.".into(),
            format!(
                "tpe is lower than the rules of Optuna 5 on {} of {} tables (p below 5 % after Holm's correction), higher on {}.",
                of_estimators("lower"),
                tables.len(),
                of_estimators("higher")
            ),
        ],
        tables: all,
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Methods under test made better and worse than random search on purpose.
    #[test]
    fn random_search_must_be_beaten_everywhere() {
        let regrets = |factor: f64| (0..15).map(|i| factor * (0.1 + 0.01 * f64::from(i * 4 % 15))).collect();
        let judged = |bo: f64, tpe: f64| {
            let finals = [bo, tpe, 1.0, 1.0].map(regrets).to_vec();
            judge(&[("a".into(), finals.clone()), ("b".into(), finals)], 15).unwrap().verdict()
        };
        assert_eq!(judged(0.5, 0.5), Verdict::Holds);
        assert_eq!(judged(0.5, 2.0), Verdict::DoesNotHold);
        assert_eq!(judged(0.5, 1.0), Verdict::Inconclusive);
    }
}
