//! Batches of trials beside one trial at a time.

use std::collections::BTreeMap;

use thrifty_bo::{BayesianOptimizer, BoSettings, PendingPolicy};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Next, Outcome, Study};
use thrifty_testbed::{Problem, TestFunction};

use crate::error::ExperimentError;
use crate::harness::ablation::NO_REGRET;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/batches",
    paper: "none: what is lost when trials are asked while others run",
    claim: "points of a batch do not coincide before the minimum is found, and at equal numbers of evaluations batches come close to one \
            trial at a time",
    quick_cost: "3 problems, 2 policies, 3 batch sizes, 3 replications, 24 evaluations: some seconds",
    full_cost: "3 problems, 2 policies, 4 batch sizes, 20 replications, 40 or 64 evaluations: about three minutes",
    run,
};

/// Trials asked before the first of them is told.
const SIZES: [usize; 4] = [1, 4, 8, 16];

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
    let (few, many) = (context.evaluations(24, 40), context.evaluations(24, 64));
    let space = Space::builder().float("x", -5.0, 10.0).float("y", 0.0, 15.0).build()?;
    let at = |config: &Config, name: &str| config.float(name).unwrap_or(f64::NAN);
    let bowl = move |config: &Config| (at(config, "x") - 2.3).powi(2) + (at(config, "y") - 7.7).powi(2);
    Ok(vec![
        of_testbed("Branin", TestFunction::branin(), few),
        of_testbed("Hartmann-6", TestFunction::hartmann6(), many),
        Task { name: "bowl", space, loss: Box::new(bowl), optimum: 0.0, evaluations: few },
    ])
}

/// Result of one study.
#[derive(serde::Serialize, serde::Deserialize)]
struct Done {
    regret: f64,
    near: usize,
    pairs: usize,
    seconds: f64,
}

fn batches(task: &Task, pending: PendingPolicy, size: usize, seed: Seed) -> Result<Done, ExperimentError> {
    let settings = BoSettings { pending, ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(task.space.clone()).with_settings(settings)?;
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(task.evaluations));
    let (mut near, mut pairs) = (0, 0);
    while study.check_stop().is_none() {
        let mut batch = Vec::with_capacity(size);
        while batch.len() < size && study.check_stop().is_none() {
            let Next::Evaluate(trial) = study.ask()? else { break };
            batch.push(trial);
        }
        if batch.is_empty() {
            break;
        }
        let best = study.history().best().map_or(f64::INFINITY, |(_, best)| best - task.optimum);
        let points: Vec<Vec<f64>> =
            batch.iter().map(|trial| task.space.encode(&trial.query)).collect::<Result<_, _>>()?;
        for (i, a) in points.iter().enumerate().filter(|_| best > FOUND) {
            let distance = |b: &Vec<f64>| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            near += points[..i].iter().filter(|b| distance(b) < NEAR).count();
            pairs += i;
        }
        for trial in &batch {
            study.tell(trial.id, Outcome::from((task.loss)(&trial.query)))?;
        }
    }
    let regret = study.history().best().map_or(f64::INFINITY, |(_, best)| (best - task.optimum).max(0.0));
    let seconds = study.history().trials().iter().map(|trial| trial.timing.ask).sum();
    Ok(Done { regret, near, pairs, seconds })
}

/// Largest share of the pairs in a batch that may coincide.
const COINCIDE: f64 = 1.0 / 60.0;
/// A pseudomedian of paired differences in log₁₀ of the regret of at most this comes close.
const MARGIN: f64 = 0.5;

/// Under the default policy: pairs that coincide are rare, and the regret comes close to that of one trial at a time.
fn judge(rows: &[(usize, usize, usize)], all: &[&[Done]], planned: usize) -> Result<Judgement, ClaimError> {
    let logs = |done: &[Done]| done.iter().map(|d| d.regret.max(NO_REGRET).log10()).collect::<Vec<f64>>();
    let mut family = Family::new(Rule::All);
    for size in SIZES[1..].iter().filter(|size| rows.iter().any(|(_, _, q)| q == *size)) {
        let (mut rare, mut close, mut tasks) = (Vec::new(), Vec::new(), 0);
        for ((t, p, q), done) in rows.iter().zip(all) {
            if *p != 0 || q != size {
                continue;
            }
            tasks += 1;
            rare.extend(done.iter().map(|d| COINCIDE - d.near as f64 / d.pairs.max(1) as f64));
            let alone = rows.iter().position(|row| *row == (*t, 0, 1));
            let alone = alone.map_or_else(Vec::new, |at| logs(all[at]));
            close.extend(alone.iter().zip(logs(done)).map(|(alone, own)| alone - own));
        }
        let claim = |name: &str, kind, test, n| Claim::new(format!("q = {size}: {name}"), kind, test, n);
        let n = tasks * planned;
        family.push(
            claim("fewer than one pair of 60 coincides", Kind::Superior, Test::SignFlip, n),
            Sample::Gains(rare),
        );
        let kind = Kind::NotInferior { margin: MARGIN };
        family.push(
            claim("log₁₀ regret close to that of one by one", kind, Test::SignedRank, n),
            Sample::Gains(close),
        );
    }
    family.judge()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(3, 20);
    let (tasks, replications) = (tasks(context)?, n.run);
    let sizes = context.pick(&SIZES[..3], &SIZES[..]);
    let policies =
        [("joint draws", PendingPolicy::default()), ("kriging believer", PendingPolicy::KrigingBeliever)];
    let rows: Vec<(usize, usize, usize)> = (0..tasks.len())
        .flat_map(|t| sizes.iter().map(move |size| (t, *size)))
        .flat_map(|(t, size)| (0..if size == 1 { 1 } else { policies.len() }).map(move |p| (t, p, size)))
        .collect();
    let jobs: Vec<(usize, usize, usize, usize)> =
        rows.iter().flat_map(|(t, p, size)| (0..replications).map(|i| (*t, *p, *size, i))).collect();
    let label = |p: usize, size: usize| {
        if size == 1 { "one by one".to_owned() } else { format!("{}, q = {size}", policies[p].0) }
    };
    let name =
        |&(t, p, size, i): &(usize, usize, usize, usize)| JobName::new(tasks[t].name, label(p, size), i);
    let done: Vec<Done> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&(t, p, size, i)| {
        let seed = Seed(context.seed).child("bo/batches", i as u64);
        batches(&tasks[t], policies[p].1, size, seed)
    })?;
    let (mut numbers, mut table) = (BTreeMap::new(), Vec::new());
    for ((t, p, size), done) in rows.iter().zip(done.chunks(replications)) {
        let regrets: Vec<f64> = done.iter().map(|done| done.regret).collect();
        let sum = |of: fn(&Done) -> usize| done.iter().map(of).sum::<usize>();
        let (near, pairs) = (sum(|d| d.near), sum(|d| d.pairs));
        let (task, label) = (&tasks[*t], label(*p, *size));
        numbers.insert(format!("median regret on {}: {label}", task.name), quantile(&regrets, 0.5));
        numbers.insert(format!("pairs that coincide on {}: {label}", task.name), near as f64);
        let seconds = done.iter().map(|done| done.seconds).sum::<f64>() / done.len() as f64;
        let mut row = vec![task.name.to_owned(), task.evaluations.to_string(), label];
        row.extend([0.25, 0.5, 0.75, 1.0].map(|q| number(quantile(&regrets, q))));
        row.push(format!("{near} of {pairs}"));
        row.push(number(seconds));
        table.push(row);
    }
    let judgement = judge(&rows, &done.chunks(replications).collect::<Vec<_>>(), n.planned)?;
    let header =
        ["problem", "evaluations", "asked", "q25", "median", "q75", "worst", "pairs nearer than 1e-4", "s"];
    let tables = vec![Table {
        name: "batches".into(),
        caption: format!(
            "Simple regret at equal numbers of evaluations, the design included, over {replications} seeds; pairs of points of one \
             batch that are nearer than {NEAR} in the unit cube, of batches asked before a regret of {FOUND}; seconds of the optimiser per study."
        ),
        header: header.map(String::from).to_vec(),
        rows: table,
    }];
    let settings = [("replications".to_owned(), replications.to_string())].into();
    let notes = vec!["A batch is asked in full, then told in full. Claims, under the default policy: at most one pair of 60 coincides on \
                      average over the studies, and the regret is not worse than one by one by more than half a decade."
        .into()];
    Ok(Report { judgement, numbers, settings, notes, tables, figures: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Batches that coincide, or that end a decade higher, on purpose.
    #[test]
    fn coinciding_and_lagging_batches_break_the_claim() {
        let rows: Vec<(usize, usize, usize)> = SIZES.map(|size| (0, 0, size)).to_vec();
        let of = |near: usize, factor: f64, planned: usize| {
            let done = |size: usize, i: usize| Done {
                regret: (if size == 1 { 1.0 } else { factor }) * (1.0 + 0.1 * (i % 4) as f64),
                near: if size == 1 { 0 } else { near },
                pairs: 60,
                seconds: 0.0,
            };
            let all: Vec<Vec<Done>> =
                SIZES.map(|size| (0..12).map(|i| done(size, i)).collect()).into_iter().collect();
            judge(&rows, &all.iter().map(Vec::as_slice).collect::<Vec<_>>(), planned).unwrap().verdict()
        };
        let judged = |near: usize, factor: f64| of(near, factor, 12);
        assert_eq!((judged(0, 1.5), of(0, 1.5, 13)), (Verdict::Holds, Verdict::Inconclusive));
        assert_eq!(judged(6, 1.5), Verdict::DoesNotHold);
        assert_eq!(judged(0, 10.0), Verdict::DoesNotHold);
        assert_eq!(judged(1, 1.5), Verdict::Inconclusive);
    }
}
