use std::collections::{BTreeMap, BTreeSet};

use thrifty_tpe::{Joint, TpeSettings};

use super::judged::{NAMES, both};
use super::runs::{AT, Method, Regrets, collect, read_peers};
use crate::error::ExperimentError;
use crate::harness::stats::{holm, mann_whitney, quantile, wilcoxon};
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/quality",
    paper: "none: the default Parzen estimator beside those of Hyperopt and Optuna, rule for rule, and beside Optuna itself (--peers)",
    claim: "after 200 evaluations the default is not worse than Optuna's rules, joint or grouped, on any of ten problems",
    quick_cost: "4 problems, 5 seeds: a second",
    full_cost: "10 problems, 100 seeds, 500 where branches matter: two minutes",
    run,
};

/// The first is the one under test.
const METHODS: [Method; 5] = [
    ("thrifty", TpeSettings::recommended),
    ("rules of Optuna 5", TpeSettings::optuna5),
    ("rules of Optuna 5, grouped", || TpeSettings { joint: Joint::Grouped, ..TpeSettings::optuna5() }),
    ("rules of Hyperopt", TpeSettings::hyperopt),
    ("rules of Watanabe 2023", TpeSettings::watanabe2023),
];

/// A run above this regret on the conditional problem is stuck, mostly on a wrong branch.
const STUCK: f64 = 0.05;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let seeds = context.replications(5, 100);
    let names = context.pick(&NAMES[3..], &NAMES[..]);
    let problems = both(names);
    let mut regrets = collect("tpe/quality", &METHODS, &problems, seeds, context.seed)?;
    if let Some(path) = &context.peers {
        regrets.extend(read_peers(path, &problems)?);
    }
    let (versus, verdict, numbers) = versus(&regrets);
    Ok(Report {
        verdict,
        numbers,
        settings: [("seeds".to_owned(), seeds.to_string()), ("evaluations".to_owned(), AT[1].to_string())]
            .into(),
        notes: vec![format!(
            "Verdict: does not hold when a regret after 200 evaluations is higher than that of Optuna, or of its rules, with p \
             below 5 %, without correction. Stuck: share of runs with a regret above {STUCK} after 200 evaluations."
        )],
        tables: vec![regret_table(&regrets), versus],
        figures: Vec::new(),
    })
}

fn regret_table(regrets: &Regrets) -> Table {
    let rows = regrets.iter().map(|((problem, method), runs)| {
        let of = |at: usize, p: f64| number(quantile(&runs.iter().map(|r| r[at]).collect::<Vec<f64>>(), p));
        let stuck = runs.iter().filter(|r| r[1] > STUCK).count() as f64 / runs.len() as f64;
        vec![
            problem.clone(),
            method.clone(),
            runs.len().to_string(),
            of(0, 0.5),
            of(0, 0.9),
            of(1, 0.5),
            of(1, 0.9),
            format!("{:.1} %", 100.0 * stuck),
        ]
    });
    let header = ["problem", "method", "runs", "median 100", "90 % 100", "median 200", "90 % 200", "stuck"];
    Table {
        name: "regret".into(),
        caption: "Simple regret after 100 and 200 evaluations.".into(),
        header: header.map(String::from).to_vec(),
        rows: rows.collect(),
    }
}

/// The first method against all others: our own paired by seed, others by ranks.
fn versus(regrets: &Regrets) -> (Table, Verdict, BTreeMap<String, f64>) {
    let ours = METHODS[0].0;
    let (mut rows, mut verdict, mut numbers) = (Vec::new(), Verdict::Holds, BTreeMap::new());
    let others: BTreeSet<&String> =
        regrets.keys().map(|(_, method)| method).filter(|method| *method != ours).collect();
    for other in others {
        let is_paired = METHODS.iter().any(|(name, _)| name == other);
        let mut compared = Vec::new();
        for ((problem, _), theirs) in regrets.iter().filter(|((_, method), _)| method == other) {
            let Some(own) = regrets.get(&(problem.clone(), ours.to_owned())) else { continue };
            for (at, evaluations) in AT.into_iter().enumerate() {
                let list = |runs: &[[f64; 2]]| runs.iter().map(|r| r[at]).collect::<Vec<f64>>();
                let (own, theirs) = (list(own), list(theirs));
                let p = if is_paired { wilcoxon(&own, &theirs) } else { mann_whitney(&own, &theirs) };
                compared.push((problem, evaluations, quantile(&own, 0.5), quantile(&theirs, 0.5), p));
            }
        }
        let corrected = holm(&compared.iter().map(|c| c.4).collect::<Vec<f64>>());
        let mut better = 0;
        for ((problem, evaluations, own, theirs, p), corrected) in compared.into_iter().zip(corrected) {
            let direction = match (p < 0.05, own < theirs) {
                (true, true) => "lower",
                (true, false) => "higher",
                _ => "no difference",
            };
            better += usize::from(evaluations == AT[1] && direction == "lower");
            if other.to_lowercase().contains("optuna") && evaluations == AT[1] && direction == "higher" {
                verdict = Verdict::DoesNotHold;
            }
            rows.push(vec![
                other.clone(),
                problem.clone(),
                evaluations.to_string(),
                number(own),
                number(theirs),
                number(p),
                number(corrected),
                direction.into(),
            ]);
        }
        numbers.insert(format!("problems lower than {other} after 200"), f64::from(better as u32));
    }
    let header = ["against", "problem", "evaluations", "thrifty", "other", "p", "p (Holm)", "thrifty is"];
    let table = Table {
        name: "versus".into(),
        caption: "Medians; paired Wilcoxon against our own, rank-sum against runs of other libraries; the direction where p is \
                  below 0.05 without correction."
            .into(),
        header: header.map(String::from).to_vec(),
        rows,
    };
    (table, verdict, numbers)
}
