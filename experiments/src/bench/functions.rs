//! The default optimiser beside other libraries on test functions.

use std::collections::BTreeMap;

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign};

use thrifty_search::{RandomSearch, SobolSearch};
use thrifty_space::Config;
use thrifty_study::OptimizerError;
use thrifty_testbed::{Problem, TestFunction};

use super::egreedy::{DESIGNS, QUANTILES};
use super::race::{self, Race};
use super::regrets::{published, summary};
use super::sample::{Sample, finals};
use super::{charts, peers, versus};
use crate::data;
use crate::error::ExperimentError;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Judgement, Report, RunContext};

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

fn optimizer(
    method: &str,
    problem: &TestFunction,
    design: Vec<Config>,
) -> Result<AnyOptimizer, OptimizerError> {
    let space = problem.space().clone();
    Ok(match method {
        "thrifty sobol" => AnyOptimizer::new(AfterDesign { design, search: SobolSearch::new(space) }),
        "thrifty random" => AnyOptimizer::new(AfterDesign { design, search: RandomSearch::new(space) }),
        _ => {
            let settings = BoSettings { initial: InitialDesign::Only(design), ..BoSettings::default() };
            AnyOptimizer::new(BayesianOptimizer::new(space).with_settings(settings)?)
        }
    })
}

/// Functions won and lost against the best peers, and median regrets.
fn numbers(
    judgement: &Judgement,
    peers: usize,
    samples: &[Sample],
    names: &[String],
    evaluations: usize,
) -> BTreeMap<String, f64> {
    let (never_worse, better) = judgement.findings().split_at(peers);
    let mut numbers: BTreeMap<String, f64> = [
        ("better than the best peer".into(), better.iter().filter(|f| f.holds()).count() as f64),
        ("worse than the best peer".into(), never_worse.iter().filter(|f| f.fails()).count() as f64),
    ]
    .into();
    for name in names {
        let regrets: Vec<f64> = finals(samples, OURS, name, evaluations).into_values().collect();
        numbers.insert(format!("median regret on {name}"), quantile(&regrets, 0.5));
        numbers.insert("designs".into(), regrets.len() as f64);
    }
    numbers
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (problems, evaluations) = (race::functions(context.pick(3, 8)), context.pick(30, 50));
    let names: Vec<String> = problems.iter().map(TestFunction::name).collect();
    let path = data::file(context.data.as_deref(), DESIGNS);
    let mut theirs = context.peers.as_deref().map(peers::read).transpose()?.unwrap_or_default();
    theirs.retain(|s| names.contains(&s.function));
    let n = context.replications(4, 51);
    let race = Race {
        id: EXPERIMENT.id,
        problems: &problems,
        published: path.as_deref(),
        designs: n.run,
        evaluations,
        methods: &METHODS,
    };
    let samples = race.run(
        context,
        |method| (*method).to_owned(),
        |method, problem, design, _| optimizer(method, problem, design),
    )?;
    let source = race.source();
    let mut notes =
        vec![format!("Designs of two points a variable: {source}. Method under test: {OURS}, all defaults.")];
    if path.is_none() && !theirs.is_empty() {
        notes.push(
            "The peers are left out: they began from the published designs, and those are not here.".into(),
        );
        theirs.clear();
    }
    let pairs = versus::pairs(OURS, &samples, &theirs, evaluations)?;
    let best = versus::against_best(&pairs);
    let functions: Vec<&str> = names.iter().map(String::as_str).collect();
    let judgement = versus::judge(&best, &functions, n.planned)?;
    notes.push(if best.is_empty() {
        "No runs of peers: --peers names a CSV file with them. Only our own methods are compared.".into()
    } else {
        "Claims: on no function is the median log₁₀ regret higher by more than 0.1 than that of the best peer there, the one of \
         least median on the shared designs; on at least three it is lower."
            .into()
    });
    let mut all = samples.clone();
    all.extend(theirs);
    let numbers = numbers(&judgement, best.len(), &samples, &names, evaluations);
    let mut tables = vec![summary(&all, evaluations)];
    if !pairs.is_empty() {
        tables.push(versus::table(OURS, &pairs));
    }
    if let Some(path) = data::file(context.data.as_deref(), QUANTILES) {
        tables.push(published(&path, &names, evaluations)?);
    }
    let mut figures = vec![charts::ecdf(&all, &names, evaluations)?];
    for name in &names {
        figures.push(charts::anytime(name, OURS, &all, evaluations)?);
    }
    let settings =
        [("initial designs", source), ("evaluations", format!("{evaluations}, the design included"))];
    let settings = settings.map(|(name, value)| (name.to_owned(), value)).into();
    Ok(Report { judgement, numbers, settings, notes, tables, figures })
}
