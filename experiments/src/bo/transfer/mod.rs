//! Earlier studies of related tasks as sources: helpful, misleading and mixed.

mod families;
mod judge;
mod plain;

use std::collections::BTreeMap;

use thrifty_bo::{BayesianOptimizer, BoSettings, EarlierStudies, GpSurrogate, InitialDesign};
use thrifty_domain::Points;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, MaxTrials, Optimizer, Study};
use thrifty_testbed::Problem;

use self::families::{FAMILIES, Family, Function, SCENARIOS, Scenario, Task};
use self::judge::{Results, judge};
use self::plain::{PlainEnsemble, Weighting};
use crate::error::ExperimentError;
use crate::harness::runs::lossless_numbers;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/transfer",
    paper: "none: earlier studies as prior knowledge, with the weights of Feurer, Letham & Bakshy (2018)",
    claim: "related earlier studies improve the first 10 and 20 evaluations and do no harm at the end, as do misleading ones, beside a study with a short \
            initial design and one with the design of a planned study; with earlier studies that design is worse after 10 evaluations, and not better by 0.1 at the end",
    quick_cost: "1 family, 3 kinds of sources, 7 methods, 2 replications, 20 evaluations: some seconds",
    full_cost: "3 families, 5 kinds of sources, 7 methods, 64 replications, 40 evaluations: a quarter of an hour",
    run,
};

/// Method under comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    /// The default optimiser, without sources and without a planned number of trials.
    Default,
    /// The default optimiser with a planned number of trials, which has a longer design.
    Planned,
    /// Sources, and one trial where they are good.
    Transfer,
    /// Sources alone.
    NoneFirst,
    /// Sources, one trial where they are good, and as long a design as a planned study has without them.
    Long,
    /// Sources that never see the new observations, weighted by rankings; one trial where they are good.
    Plain,
    /// The same with one weight for all, made worse on purpose.
    Equal,
}

const METHODS: [Method; 7] = [
    Method::Default,
    Method::Planned,
    Method::Transfer,
    Method::NoneFirst,
    Method::Long,
    Method::Plain,
    Method::Equal,
];

impl Method {
    fn label(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Planned => "default, planned",
            Self::Transfer => "transfer",
            Self::NoneFirst => "transfer, Sobol design",
            Self::Long => "transfer, design of a planned study",
            Self::Plain => "sources as they are, by rankings",
            Self::Equal => "sources as they are, equal weights",
        }
    }

    /// Number of trials that begin the study where the sources are good.
    fn first(self) -> usize {
        match self {
            Self::Default | Self::Planned | Self::NoneFirst => 0,
            Self::Transfer | Self::Long | Self::Plain | Self::Equal => 1,
        }
    }
}

/// Fewest points of the automatic design of a planned study without sources, or a third of the plan.
const PLANNED_DESIGN: usize = 16;

/// Regrets of every method after every evaluation, in standard deviations of the task.
#[derive(serde::Serialize, serde::Deserialize)]
struct Curve(#[serde(with = "lossless_numbers")] Vec<f64>);

/// Earlier study by the default optimiser: 30, 40 or 50 trials.
fn earlier(
    space: &Space,
    function: &Function,
    seed: Seed,
    index: usize,
) -> Result<History<Config>, ExperimentError> {
    let trials = 30 + 10 * (index % 3);
    let optimizer = BayesianOptimizer::new(space.clone());
    let mut study = Study::new(optimizer, seed.child("earlier", index as u64)).with_stop(MaxTrials(trials));
    study.run(|config, _| space.encode(config).map(|x| function(&x)))?;
    Ok(study.history().clone())
}

fn encoded(space: &Space, history: &History<Config>) -> Result<(Points, Vec<f64>), ExperimentError> {
    let (mut x, mut y) = (Points::new(space.dim()), Vec::new());
    for (trial, loss) in history.measured() {
        x.push(&space.encode(&trial.query)?);
        y.push(loss);
    }
    Ok((x, y))
}

/// One replication of all methods: they share the task, the sources and the seed of the study.
fn replicate(
    (family, scenario): (Family, Scenario),
    seed: Seed,
    evaluations: usize,
) -> Result<Vec<Curve>, ExperimentError> {
    let target = family.target(seed)?;
    let space = target.space().clone();
    let (mut studies, mut plain) = (EarlierStudies::new(&space), Vec::new());
    for (index, function) in family.sources(scenario, seed)?.iter().enumerate() {
        let history = earlier(&space, function, seed, index)?;
        studies =
            studies.with_history(format!("source {index}"), &history).map_err(ExperimentError::failed)?;
        plain.push(encoded(&space, &history)?);
    }
    let transfer = || studies.surrogate(GpSurrogate::default()).map_err(ExperimentError::failed);
    let first = studies.first_trials(&transfer()?, 1);
    METHODS
        .iter()
        .map(|method| {
            let mut optimizer = BayesianOptimizer::new(space.clone());
            if *method == Method::Planned {
                optimizer.plan(evaluations);
            }
            let optimizer = match method {
                Method::Default | Method::Planned => optimizer,
                Method::Transfer | Method::NoneFirst => optimizer.with_surrogate(transfer()?),
                Method::Long => {
                    let initial = InitialDesign::Sobol(PLANNED_DESIGN.min(evaluations / 3));
                    let settings = BoSettings { initial, ..BoSettings::default() };
                    optimizer.with_settings(settings)?.with_surrogate(transfer()?)
                }
                Method::Plain => optimizer.with_surrogate(
                    PlainEnsemble::new(&plain, Weighting::Ranking).map_err(ExperimentError::failed)?,
                ),
                Method::Equal => optimizer.with_surrogate(
                    PlainEnsemble::new(&plain, Weighting::Equal).map_err(ExperimentError::failed)?,
                ),
            };
            let queue = first.iter().take(method.first()).cloned();
            let mut study =
                Study::new(optimizer, seed).with_stop(MaxTrials(evaluations)).with_queue(queue)?;
            study.run(|config, context| target.evaluate(config, &mut context.noise()))?;
            curve(&target, study.history())
        })
        .collect()
}

fn curve(target: &Task, history: &History<Config>) -> Result<Curve, ExperimentError> {
    let (mut best, mut curve) = (f64::INFINITY, Vec::with_capacity(history.len()));
    for trial in history.trials() {
        best = best.min(target.regret(&trial.query)? / target.spread);
        curve.push(best);
    }
    Ok(Curve(curve))
}

/// Evaluations after which the last of the early claims is judged.
const LAST_CLAIM: usize = 20;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 64);
    let (replications, evaluations) = (n.run, context.evaluations(20, 40));
    if evaluations < LAST_CLAIM {
        return Err(ExperimentError::Setting {
            name: "--evaluations",
            value: evaluations.to_string(),
            expected: "at least 20, after which a claim is judged",
        });
    }
    let families = context.pick(&FAMILIES[..1], &FAMILIES[..]);
    let quick = [Scenario::Helpful, Scenario::Negated, Scenario::Unrelated];
    let scenarios = context.pick(&quick[..], &SCENARIOS[..]);
    let kinds: Vec<(Family, Scenario)> =
        scenarios.iter().flat_map(|scenario| families.iter().map(|family| (*family, *scenario))).collect();
    let jobs: Vec<((Family, Scenario), usize)> =
        kinds.iter().flat_map(|kind| (0..replications).map(|i| (*kind, i))).collect();
    let name = |((family, scenario), i): &((Family, Scenario), usize)| {
        JobName::new(format!("{}: {}", family.label(), scenario.label()), "all", *i)
    };
    let done: Vec<Vec<Curve>> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&(kind, i)| {
        // One seed for all kinds of sources: the new task of a family is the same.
        let seed = Seed(context.seed).child(EXPERIMENT.id, i as u64).child(kind.0.label(), 0);
        replicate(kind, seed, evaluations)
    })?;
    let results = Results { jobs, done, evaluations, planned: families.len() * n.planned };
    let judgement = judge(&results)?;
    let (table, numbers) = table(&results, scenarios);
    let settings = [
        ("replications", replications.to_string()),
        ("evaluations", evaluations.to_string()),
        ("sources", "studies of 30, 40 and 50 trials by the default optimiser".to_owned()),
    ];
    Ok(Report {
        judgement,
        numbers,
        settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
        notes: vec![judge::NOTE.into()],
        tables: vec![table],
        figures: Vec::new(),
    })
}

/// Mean log₁₀ regret by kind of sources and method.
fn table(results: &Results, scenarios: &[Scenario]) -> (Table, BTreeMap<String, f64>) {
    let (mut rows, mut numbers) = (Vec::new(), BTreeMap::new());
    let times = [5, 10, 20, results.evaluations];
    for scenario in scenarios {
        for (m, method) in METHODS.iter().enumerate() {
            let mut row = vec![scenario.label().to_owned(), method.label().to_owned()];
            for time in times {
                let logs = results.logs(m, time, |of| of == *scenario);
                let mean = logs.iter().sum::<f64>() / logs.len() as f64;
                row.push(format!("{mean:.2}"));
                numbers.insert(format!("{}, {} after {time}", scenario.label(), method.label()), mean);
            }
            rows.push(row);
        }
    }
    let header = ["sources".to_owned(), "method".to_owned()].into_iter();
    let table = Table {
        name: "regrets".into(),
        caption: "Mean log₁₀ of the best regret so far, in standard deviations of the task over the cube, after so many evaluations.".into(),
        header: header.chain(times.map(|time| time.to_string())).collect(),
        rows,
    };
    (table, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_evaluations_than_a_claim_needs_are_refused() {
        let few = RunContext { evaluations: Some(LAST_CLAIM - 1), ..RunContext::default() };
        let error = run(&few).unwrap_err().to_string();
        assert!(error.contains("--evaluations is 19, expected at least 20"), "{error}");
    }
}
