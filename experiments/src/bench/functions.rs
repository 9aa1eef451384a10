use std::collections::BTreeMap;
use std::path::Path;

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign, RandomSearch, SobolSearch};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{MaxTrials, OptimizerError};
use thrifty_testbed::{Problem, TestFunction};

use super::egreedy::{self, DESIGNS, QUANTILES};
use super::sample::{Sample, distinct, finals};
use super::{charts, peers, versus};
use crate::data;
use crate::error::ExperimentError;
use crate::harness::clock::Clock;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::replicate::{in_parallel, study};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bench/functions",
    paper: "Greed Is Good: Exploration and Exploitation Trade-offs in Bayesian Optimisation (De Ath et al., 2021): its functions and \
            initial designs; the runs of other libraries come with --peers",
    claim: "the default Bayesian optimiser is not worse than the best peer on any of eight functions at the 5 % level, and better \
            on at least three",
    quick_cost: "3 functions, 4 designs, 30 evaluations, 3 methods: some seconds",
    full_cost: "8 functions, 51 designs, 50 evaluations, 3 methods: some minutes",
    run,
};

/// The method whose claim it is.
const OURS: &str = "thrifty bo";
const METHODS: [&str; 3] = [OURS, "thrifty sobol", "thrifty random"];

fn functions(context: &RunContext) -> Vec<TestFunction> {
    let quick = [TestFunction::wang_freitas(), TestFunction::branin(), TestFunction::log_hartmann6()];
    let others = [
        TestFunction::cosines(),
        TestFunction::log_goldstein_price(),
        TestFunction::log_six_hump_camel(),
        TestFunction::log_rosenbrock(10),
        TestFunction::log_styblinski_tang(10),
    ];
    quick.into_iter().chain(context.pick(None, Some(others)).into_iter().flatten()).collect()
}

fn optimizer(
    method: &str,
    problem: &TestFunction,
    design: Vec<Config>,
    seed: Seed,
) -> Result<AnyOptimizer, OptimizerError> {
    let space = problem.space().clone();
    Ok(match method {
        "thrifty sobol" => AnyOptimizer::new(AfterDesign { design, search: SobolSearch { space, seed } }),
        "thrifty random" => AnyOptimizer::new(AfterDesign { design, search: RandomSearch { space, seed } }),
        _ => {
            let settings = BoSettings { initial: InitialDesign::Given(design), ..BoSettings::default() };
            AnyOptimizer::new(BayesianOptimizer::new(space, seed).with_settings(settings)?)
        }
    })
}

/// Latin hypercubes of two points a variable, where there are no published designs.
fn own_designs(problem: &TestFunction, count: usize, seed: u64) -> Vec<Vec<Config>> {
    let dim = problem.bounds().len();
    let design = |i: u64| {
        let mut rng = Seed(seed).child(EXPERIMENT.id, i).stream(&problem.name(), 0);
        let points = thrifty_sampling::latin_hypercube(2 * dim, dim, &mut rng);
        points.rows().map(|x| problem.space().decode(x)).collect()
    };
    (0..count as u64).map(design).collect()
}

struct Job<'a> {
    problem: &'a TestFunction,
    design: Vec<Config>,
    index: usize,
    method: &'static str,
}

fn ours(
    context: &RunContext,
    problems: &[TestFunction],
    path: Option<&Path>,
    evaluations: usize,
) -> Result<Vec<Sample>, ExperimentError> {
    let count = context.replications(4, 51);
    let mut jobs = Vec::new();
    for problem in problems {
        let designs = match path {
            Some(path) => egreedy::designs(path, &problem.name(), problem.bounds().len())?,
            None => own_designs(problem, count, context.seed),
        };
        for (index, design) in designs.into_iter().take(count).enumerate() {
            jobs.extend(METHODS.map(|method| Job { problem, design: design.clone(), index, method }));
        }
    }
    in_parallel(EXPERIMENT.id, &jobs, |job| {
        let clock = Clock::start();
        let seed = Seed(context.seed).child(EXPERIMENT.id, job.index as u64);
        let optimizer = optimizer(job.method, job.problem, job.design.clone(), seed)?;
        let run = study(job.method, job.problem, optimizer, seed, job.index, MaxTrials(evaluations))?;
        Ok(Sample::of(&run, clock.seconds()))
    })
}

/// One row a function and method: runs, quartiles, seconds.
fn summary(all: &[Sample], evaluations: usize) -> Table {
    let mut rows = Vec::new();
    for function in distinct(all.iter().map(|s| &s.function)) {
        for method in distinct(all.iter().filter(|s| s.function == function).map(|s| &s.method)) {
            let regrets: Vec<f64> = finals(all, &method, &function, evaluations).into_values().collect();
            let own = all.iter().filter(|s| s.function == function && s.method == method);
            let seconds: Vec<f64> = own.map(|s| s.seconds).collect();
            let quartiles = [0.25, 0.5, 0.75].map(|p| number(quantile(&regrets, p)));
            let mut row = vec![function.clone(), method, regrets.len().to_string()];
            row.extend(quartiles);
            row.push(number(quantile(&seconds, 0.5)));
            rows.push(row);
        }
    }
    let header = ["function", "method", "runs", "q25", "median", "q75", "seconds a run"];
    Table {
        name: "regret".into(),
        caption: format!(
            "Simple regret after {evaluations} evaluations, design included. Seconds: median of a whole run of one thread, ours \
             in {}, peers as their file says.",
            Clock::unit()
        ),
        header: header.map(String::from).to_vec(),
        rows,
    }
}

/// The published medians on these functions, by method.
fn context_table(path: &Path, names: &[String], evaluations: usize) -> Result<Table, ExperimentError> {
    let published = egreedy::published(path, evaluations)?;
    let methods = distinct(published.iter().map(|row| &row.method));
    let median = |function: &String, method: &String| {
        let row = published.iter().find(|row| &row.problem == function && &row.method == method);
        row.map_or(String::new(), |row| number(row.median))
    };
    let row = |function: &String| {
        std::iter::once(function.clone()).chain(methods.iter().map(|m| median(function, m))).collect()
    };
    Ok(Table {
        name: "published".into(),
        caption: format!(
            "Context: medians of simple regret after {evaluations} evaluations as De Ath et al. (2021) published them, from the \
             same designs. Their optimum of logSixHumpCamel is rounded, which shifts its regrets by 0.0004."
        ),
        header: std::iter::once("function".to_owned()).chain(methods.clone()).collect(),
        rows: names.iter().map(row).collect(),
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (problems, evaluations) = (functions(context), context.pick(30, 50));
    let names: Vec<String> = problems.iter().map(TestFunction::name).collect();
    let path = data::file(context.data.as_deref(), DESIGNS);
    let mut theirs = context.peers.as_deref().map(peers::read).transpose()?.unwrap_or_default();
    theirs.retain(|s| names.contains(&s.function));
    let samples = ours(context, &problems, path.as_deref(), evaluations)?;
    let source = match &path {
        Some(_) => "the published designs of De Ath et al. (2021)".to_owned(),
        None => {
            format!("seeded Latin hypercubes; the published designs are used when --data holds {DESIGNS}")
        }
    };
    let mut notes =
        vec![format!("Designs of two points a variable: {source}. Method under test: {OURS}, all defaults.")];
    if path.is_none() && !theirs.is_empty() {
        notes.push(
            "The peers are left out: they began from the published designs, and those are not here.".into(),
        );
        theirs.clear();
    }
    let duels = versus::duels(OURS, &samples, &theirs, evaluations);
    let best = versus::against_best(&duels);
    let (verdict, wins, losses) = versus::verdict(&best);
    let (verdict, text) = if best.is_empty() {
        (
            Verdict::Inconclusive,
            "No runs of peers: --peers names a CSV file with them. Only our own methods are compared.".into(),
        )
    } else {
        let list = |lower: bool| {
            let named = best.iter().filter(|d| d.p < 0.05 && d.lower == lower);
            named
                .map(|d| format!("{} ({}, p {})", d.function, d.peer, number(d.p)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let text = format!(
            "Against the best peer of each function, by its least median on the shared designs: {wins} functions better \
             (p Holm-corrected over functions below 0.05), {losses} worse (p below 0.05 without correction, the harder rule for \
             us). Before correction lower on: {}; higher on: {}.",
            list(true),
            list(false)
        );
        (verdict, text)
    };
    notes.push(text);
    let mut all = samples.clone();
    all.extend(theirs);
    let mut numbers: BTreeMap<String, f64> = [
        ("better than the best peer".into(), wins as f64),
        ("worse than the best peer".into(), losses as f64),
    ]
    .into();
    for name in &names {
        let regrets: Vec<f64> = finals(&samples, OURS, name, evaluations).into_values().collect();
        numbers.insert(format!("median regret on {name}"), quantile(&regrets, 0.5));
        numbers.insert("designs".into(), regrets.len() as f64);
    }
    let mut tables = vec![summary(&all, evaluations)];
    if !duels.is_empty() {
        tables.push(versus::table(OURS, &duels));
    }
    if let Some(path) = data::file(context.data.as_deref(), QUANTILES) {
        tables.push(context_table(&path, &names, evaluations)?);
    }
    let mut figures = vec![charts::ecdf(&all, &names, evaluations)?];
    for name in &names {
        figures.push(charts::anytime(name, OURS, &all, evaluations)?);
    }
    let settings =
        [("initial designs", source), ("evaluations", format!("{evaluations}, the design included"))];
    let settings = settings.map(|(name, value)| (name.to_owned(), value)).into();
    Ok(Report { verdict, numbers, settings, notes, tables, figures })
}
