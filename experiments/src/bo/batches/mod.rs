//! Batches of trials beside one trial at a time.

pub mod peers;

use std::collections::BTreeMap;

use rand_distr::{Distribution, Exp1};
use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign, PendingPolicy};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Next, Outcome, Study, Trial};
use thrifty_testbed::{Problem, TestFunction};

use crate::error::ExperimentError;
use crate::harness::ablation::NO_REGRET;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/batches",
    paper: "none: what is lost when trials are asked while others run",
    claim: "points that run at the same time do not coincide before the minimum is found, and at equal numbers of evaluations batches and \
            workers of unequal times gain nine tenths of the decades of regret that one trial at a time gains",
    quick_cost: "3 problems, 3 ways, 3 batch sizes, 3 replications, 24 evaluations: some seconds",
    full_cost: "3 problems, 3 ways, 4 batch sizes, 20 replications, 64 evaluations: about five minutes; --evaluations for more",
    run,
};

/// Trials asked before the first of them is told.
const SIZES: [usize; 4] = [1, 4, 8, 16];

/// Trials of the Sobol design.
const DESIGN: usize = 16;

/// Points of a batch are near each other below this distance in the unit cube.
const NEAR: f64 = 1e-4;

/// Batches count until a regret this small: then the minimum is found, and nothing is left to look for elsewhere.
const FOUND: f64 = 1e-6;

/// A function to minimise, with its least value.
struct Task {
    name: &'static str,
    space: Space,
    loss: Box<dyn Fn(&Config) -> f64 + Sync>,
    optimum: f64,
    evaluations: usize,
}

fn of_testbed(name: &'static str, problem: TestFunction, evaluations: usize) -> Task {
    let (space, optimum) = (problem.space().clone(), problem.optimum());
    Task { name, space, optimum, evaluations, loss: Box::new(move |c| problem.truth(c).unwrap_or(f64::NAN)) }
}

fn tasks(context: &RunContext) -> Result<Vec<Task>, ExperimentError> {
    let evaluations = context.evaluations(24, 64);
    let space = Space::builder().float("x", -5.0, 10.0).float("y", 0.0, 15.0).build()?;
    let at = |config: &Config, name: &str| config.float(name).unwrap_or(f64::NAN);
    let bowl = move |config: &Config| (at(config, "x") - 2.3).powi(2) + (at(config, "y") - 7.7).powi(2);
    Ok(vec![
        of_testbed("Branin", TestFunction::branin(), evaluations),
        of_testbed("Hartmann-6", TestFunction::hartmann6(), evaluations),
        Task { name: "bowl", space, loss: Box::new(bowl), optimum: 0.0, evaluations },
    ])
}

/// When running trials are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Workers {
    /// All of a batch are told before the next batch is asked.
    Together,
    /// Each takes an exponential time, and asks for its next trial at the end of the last.
    Unequal,
}

/// Way of asking for trials.
struct Way {
    name: &'static str,
    pending: PendingPolicy,
    workers: Workers,
}

/// Positions in [`ways`] of those that the claims are about: with the default policy.
const BATCHES: usize = 0;
const UNEQUAL: usize = 2;

/// All ways. One trial at a time is the same in each.
fn ways() -> [Way; 3] {
    let joint = PendingPolicy::default();
    [
        Way { name: "joint draws", pending: joint, workers: Workers::Together },
        Way { name: "kriging believer", pending: PendingPolicy::KrigingBeliever, workers: Workers::Together },
        Way { name: "unequal times", pending: joint, workers: Workers::Unequal },
    ]
}

/// Result of one study.
#[derive(serde::Serialize, serde::Deserialize)]
struct Done {
    /// Regret after the design.
    first: f64,
    regret: f64,
    near: usize,
    pairs: usize,
    seconds: f64,
}

/// A trial that was asked and is not told.
struct Running {
    trial: Trial<Config>,
    point: Vec<f64>,
    /// Time at which its worker is done.
    until: f64,
}

fn study(task: &Task, way: &Way, size: usize, seed: Seed) -> Result<Done, ExperimentError> {
    let initial = InitialDesign::Sobol(DESIGN);
    let settings = BoSettings { pending: way.pending, initial, ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(task.space.clone()).with_settings(settings)?;
    let mut study = Study::new(optimizer, seed).with_trials(task.evaluations);
    let mut times = seed.stream("evaluation times", 0);
    let (mut running, mut now) = (Vec::<Running>::with_capacity(size), 0.0);
    let (mut near, mut pairs) = (0, 0);
    loop {
        while running.len() < size && study.check_stop().is_none() {
            let Next::Evaluate(trial) = study.ask()? else { break };
            let point = task.space.encode(&trial.query)?;
            let best = study.history().best().map_or(f64::INFINITY, |(_, best)| best - task.optimum);
            if best > FOUND {
                let distance =
                    |b: &[f64]| point.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                near += running.iter().filter(|other| distance(&other.point) < NEAR).count();
                pairs += running.len();
            }
            let time: f64 = Exp1.sample(&mut times);
            running.push(Running { trial, point, until: now + time });
        }
        let told = match way.workers {
            Workers::Together => std::mem::take(&mut running),
            Workers::Unequal => {
                let first = (0..running.len()).min_by(|a, b| running[*a].until.total_cmp(&running[*b].until));
                first.map(|first| running.remove(first)).into_iter().collect()
            }
        };
        if told.is_empty() {
            break;
        }
        for Running { trial, until, .. } in told {
            now = f64::max(now, until);
            study.tell(trial.id, Outcome::from((task.loss)(&trial.query)))?;
        }
    }
    let losses: Vec<f64> = study.history().measured().map(|(_, loss)| loss).collect();
    let regret =
        |losses: &[f64]| (losses.iter().copied().fold(f64::INFINITY, f64::min) - task.optimum).max(0.0);
    let seconds = study.history().trials().iter().map(|trial| trial.timing.ask).sum();
    Ok(Done {
        first: regret(&losses[..DESIGN.min(losses.len())]),
        regret: regret(&losses),
        near,
        pairs,
        seconds,
    })
}

/// Largest share of the pairs in a batch that may coincide.
const COINCIDE: f64 = 1.0 / 60.0;
/// Share of the decades that one trial at a time gains which a batch must gain.
const KEPT: f64 = 0.9;

/// Decades of regret gained since the design.
fn decades(done: &Done) -> f64 {
    done.first.max(NO_REGRET).log10() - done.regret.max(NO_REGRET).log10()
}

/// Judges the default: pairs that coincide are rare, and a batch gains most of the decades that one trial at a time gains, as do
/// workers of unequal times.
fn judge(rows: &[Row], all: &[&[Done]], planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (way, label) in [(BATCHES, "batches"), (UNEQUAL, "unequal times")] {
        for size in SIZES[1..].iter().filter(|size| rows.iter().any(|row| row.size == **size)) {
            let (mut rare, mut kept, mut tasks) = (Vec::new(), Vec::new(), 0);
            for (row, done) in rows.iter().zip(all).filter(|(row, _)| row.way == way && row.size == *size) {
                tasks += 1;
                rare.extend(done.iter().map(|d| COINCIDE - d.near as f64 / d.pairs.max(1) as f64));
                let alone = rows.iter().position(|other| other.task == row.task && other.size == 1);
                let alone = alone.map_or(&[][..], |at| all[at]);
                kept.extend(alone.iter().zip(*done).map(|(alone, own)| decades(own) - KEPT * decades(alone)));
            }
            let n = tasks * planned;
            let claim = |name: &str, test| {
                Claim::new(format!("{label}, q = {size}: {name}"), Kind::Superior, test, n)
            };
            family.push(claim("fewer than one pair of 60 coincides", Test::SignFlip), Sample::Gains(rare));
            family.push(
                claim("nine tenths of the decades of one by one", Test::SignedRank),
                Sample::Gains(kept),
            );
        }
    }
    family.judge()
}

/// Runs of one task by one way.
#[derive(Debug, Clone, Copy)]
struct Row {
    task: usize,
    way: usize,
    size: usize,
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(3, 20);
    let (tasks, ways, replications) = (tasks(context)?, ways(), n.run);
    let sizes = context.pick(&SIZES[..3], &SIZES[..]);
    let rows: Vec<Row> = (0..tasks.len())
        .flat_map(|task| sizes.iter().map(move |size| (task, *size)))
        .flat_map(|(task, size)| {
            (0..if size == 1 { 1 } else { ways.len() }).map(move |way| Row { task, way, size })
        })
        .collect();
    let jobs: Vec<(Row, usize)> = rows.iter().flat_map(|row| (0..replications).map(|i| (*row, i))).collect();
    let label = |row: &Row| match row.size {
        1 => "one by one".to_owned(),
        size => format!("{}, q = {size}", ways[row.way].name),
    };
    let name = |(row, i): &(Row, usize)| JobName::new(tasks[row.task].name, label(row), *i);
    let done: Vec<Done> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |(row, i)| {
        let seed = Seed(context.seed).child("bo/batches", *i as u64);
        study(&tasks[row.task], &ways[row.way], row.size, seed)
    })?;
    let (mut numbers, mut table) = (BTreeMap::new(), Vec::new());
    for (row, done) in rows.iter().zip(done.chunks(replications)) {
        let regrets: Vec<f64> = done.iter().map(|done| done.regret).collect();
        let gained: Vec<f64> = done.iter().map(decades).collect();
        let sum = |of: fn(&Done) -> usize| done.iter().map(of).sum::<usize>();
        let (near, pairs) = (sum(|d| d.near), sum(|d| d.pairs));
        let (task, label) = (&tasks[row.task], label(row));
        numbers.insert(format!("median regret on {}: {label}", task.name), quantile(&regrets, 0.5));
        numbers.insert(format!("pairs that coincide on {}: {label}", task.name), near as f64);
        let seconds = done.iter().map(|done| done.seconds).sum::<f64>() / done.len() as f64;
        let mut cells = vec![task.name.to_owned(), task.evaluations.to_string(), label];
        cells.extend([0.25, 0.5, 0.75, 1.0].map(|q| number(quantile(&regrets, q))));
        cells.push(format!("{:.2}", quantile(&gained, 0.5)));
        cells.push(if row.size == 1 { String::new() } else { format!("{near} of {pairs}") });
        cells.push(number(seconds));
        table.push(cells);
    }
    let judgement = judge(&rows, &done.chunks(replications).collect::<Vec<_>>(), n.planned)?;
    let header = ["problem", "evaluations", "asked", "q25", "median", "q75", "worst", "decades", "near", "s"];
    let caption = format!(
        "Simple regret at equal numbers of evaluations, a Sobol design of {DESIGN} included, over {replications} seeds; median of the decades \
         gained since the design; pairs of running trials that are nearer than {NEAR} in the unit cube, where the later was asked before a \
         regret of {FOUND}; seconds of the optimiser per study."
    );
    let header = header.map(String::from).to_vec();
    let tables = vec![Table { name: "batches".into(), caption, header, rows: table }];
    let settings = [("replications".to_owned(), replications.to_string())].into();
    let notes = vec!["A batch is asked in full, then told in full. Workers of unequal times take an exponential time each, and ask when \
                      they are done. Claims, with joint draws: at most one pair of 60 coincides on average over the studies, and the \
                      decades of regret gained since the design are more than nine tenths of those of one by one."
        .into()];
    Ok(Report { judgement, numbers, settings, notes, tables, figures: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Batches that coincide, or that gain half of the decades, on purpose.
    #[test]
    fn coinciding_and_lagging_batches_break_the_claim() {
        let rows: Vec<Row> = [BATCHES, UNEQUAL]
            .iter()
            .flat_map(|way| SIZES.map(|size| Row { task: 0, way: *way, size }))
            .collect();
        let of = |near: usize, decades: f64, planned: usize| {
            let done = |size: usize, i: usize| {
                let decades = if size == 1 { 4.0 } else { decades + 0.01 * (i % 4) as f64 };
                let near = if size == 1 { 0 } else { near };
                Done { first: 1.0, regret: 10f64.powf(-decades), near, pairs: 60, seconds: 0.0 }
            };
            let all: Vec<Vec<Done>> =
                rows.iter().map(|row| (0..12).map(|i| done(row.size, i)).collect()).collect();
            judge(&rows, &all.iter().map(Vec::as_slice).collect::<Vec<_>>(), planned).unwrap().verdict()
        };
        let judged = |near: usize, decades: f64| of(near, decades, 12);
        assert_eq!((judged(0, 3.8), of(0, 3.8, 13)), (Verdict::Holds, Verdict::Inconclusive));
        assert_eq!(judged(6, 3.8), Verdict::DoesNotHold);
        assert_eq!(judged(0, 2.0), Verdict::DoesNotHold);
        assert_eq!(judged(1, 3.8), Verdict::Inconclusive);
    }

    /// At most as many trials run as there are workers, all are told, and pairs are counted among those that run.
    #[test]
    fn workers_evaluate_all_trials_and_never_more_at_once() {
        let task = of_testbed("Branin", TestFunction::branin(), 10);
        for (way, size, pairs) in
            [(BATCHES, 4, 6 + 6 + 1), (UNEQUAL, 4, 6 + 6 * 3), (BATCHES, 1, 0), (UNEQUAL, 1, 0)]
        {
            let done = study(&task, &ways()[way], size, Seed(1)).unwrap();
            assert_eq!(done.pairs, pairs, "{way} {size}");
            assert!(done.regret <= done.first && done.first.is_finite());
        }
        // One trial at a time is the same whatever the way.
        let alone = |way: usize| study(&task, &ways()[way], 1, Seed(2)).unwrap().regret;
        assert_eq!(alone(BATCHES).to_bits(), alone(UNEQUAL).to_bits());
    }
}
