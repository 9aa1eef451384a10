use std::collections::BTreeMap;
use std::path::Path;

use thrifty_sampling::Seed;
use thrifty_study::MaxTrials;
use thrifty_tpe::{TpeOptimizer, TpeSettings};

use super::judged::{NAMES, problem};
use crate::error::ExperimentError;
use crate::harness::replicate::{in_parallel, study};
use crate::harness::stats::{holm, quantile, wilcoxon};
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/quality",
    paper: "none: the default Parzen estimator beside those of Hyperopt and Optuna, rule for rule, and beside Optuna itself (--peers)",
    claim: "after 200 evaluations the default is not worse than Optuna's rules, joint or grouped, on any of ten problems",
    quick_cost: "4 problems, 5 seeds: a second",
    full_cost: "10 problems, 100 seeds: a minute",
    run,
};

type Settings = fn() -> TpeSettings;

/// The first is the one under test.
const METHODS: [(&str, Settings); 5] = [
    ("thrifty", TpeSettings::thrifty),
    ("rules of Optuna 5", TpeSettings::optuna5),
    ("rules of Optuna 5, grouped", || TpeSettings {
        joint: thrifty_tpe::Joint::Grouped,
        ..TpeSettings::optuna5()
    }),
    ("rules of Hyperopt", TpeSettings::hyperopt),
    ("rules of Watanabe 2023", TpeSettings::watanabe2023),
];

/// After so many evaluations.
const AT: [usize; 2] = [100, 200];

/// A run above this regret on the conditional problem is stuck, mostly on a wrong branch.
const STUCK: f64 = 0.05;

/// Regrets after 100 and 200 evaluations, by problem and method.
type Regrets = BTreeMap<(String, String), Vec<[f64; 2]>>;

#[derive(serde::Deserialize)]
struct PeerRun {
    method: String,
    problem: String,
    #[serde(rename = "regret 100")]
    at_100: f64,
    #[serde(rename = "regret 200")]
    at_200: f64,
}

fn read_peers(path: &Path, regrets: &mut Regrets) -> Result<(), ExperimentError> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| ExperimentError::data(path, error))?;
    for row in reader.deserialize() {
        let run: PeerRun = row.map_err(|error| ExperimentError::data(path, error))?;
        regrets.entry((run.problem, run.method)).or_default().push([run.at_100, run.at_200]);
    }
    Ok(())
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let seeds = context.replications(5, 100);
    let names = context.pick(&NAMES[3..], &NAMES[..]);
    let problems: Vec<(&str, bool)> =
        [false, true].into_iter().flat_map(|moved| names.iter().map(move |name| (*name, moved))).collect();
    let jobs: Vec<(usize, usize, usize)> = (0..problems.len())
        .flat_map(|p| (0..METHODS.len()).map(move |m| (p, m)))
        .flat_map(|(p, m)| (0..seeds).map(move |i| (p, m, i)))
        .collect();
    let found: Vec<(String, [f64; 2])> = in_parallel("tpe/quality", &jobs, |&(p, m, i)| {
        let (name, moved) = problems[p];
        let problem = problem(name, moved)?;
        let seed = Seed(context.seed).child("tpe/quality", i as u64);
        let space = thrifty_testbed::Problem::space(&problem).clone();
        let optimizer = TpeOptimizer::with_settings(space, seed, METHODS[m].1())?;
        let run = study(METHODS[m].0, &problem, optimizer, seed, i, MaxTrials(AT[1]))?;
        Ok((problem.name, AT.map(|at| run.regret.get(at - 1).copied().unwrap_or(f64::INFINITY))))
    })?;
    let mut regrets = Regrets::new();
    for (job, (problem, at)) in jobs.iter().zip(found) {
        regrets.entry((problem, METHODS[job.1].0.to_owned())).or_default().push(at);
    }
    if let Some(path) = &context.peers {
        read_peers(path, &mut regrets)?;
    }
    let (versus, verdict, numbers) = versus(&regrets);
    Ok(Report {
        verdict,
        numbers,
        settings: [("seeds".to_owned(), seeds.to_string()), ("evaluations".to_owned(), AT[1].to_string())]
            .into(),
        notes: vec![format!(
            "Verdict: does not hold when a regret after 200 evaluations is higher than that of a rule set of Optuna with p below \
             5 %, without correction. Stuck: share of runs with a regret above {STUCK} after 200 evaluations."
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

/// The first method against all others: our own paired by seed, others in the order of their seeds.
fn versus(regrets: &Regrets) -> (Table, Verdict, BTreeMap<String, f64>) {
    let ours = METHODS[0].0;
    let (mut rows, mut verdict, mut numbers) = (Vec::new(), Verdict::Holds, BTreeMap::new());
    let others: std::collections::BTreeSet<&String> =
        regrets.keys().map(|(_, method)| method).filter(|method| *method != ours).collect();
    for other in others {
        let mut compared = Vec::new();
        for ((problem, _), theirs) in regrets.iter().filter(|((_, method), _)| method == other) {
            let Some(own) = regrets.get(&(problem.clone(), ours.to_owned())) else { continue };
            for (at, evaluations) in AT.into_iter().enumerate() {
                let pairs = own.len().min(theirs.len());
                let list = |runs: &[[f64; 2]]| runs[..pairs].iter().map(|r| r[at]).collect::<Vec<f64>>();
                let (own, theirs) = (list(own), list(theirs));
                let p = wilcoxon(&own, &theirs);
                let lower = quantile(&own, 0.5) < quantile(&theirs, 0.5);
                compared.push((
                    problem.clone(),
                    evaluations,
                    pairs,
                    quantile(&own, 0.5),
                    quantile(&theirs, 0.5),
                    p,
                    lower,
                ));
            }
        }
        let corrected = holm(&compared.iter().map(|c| c.5).collect::<Vec<f64>>());
        let mut better = 0;
        for ((problem, evaluations, pairs, own, theirs, p, lower), corrected) in
            compared.into_iter().zip(corrected)
        {
            let direction = if p < 0.05 { if lower { "lower" } else { "higher" } } else { "no difference" };
            better += usize::from(evaluations == AT[1] && p < 0.05 && lower);
            if other.to_lowercase().contains("optuna") && evaluations == AT[1] && p < 0.05 && !lower {
                verdict = Verdict::DoesNotHold;
            }
            rows.push(vec![
                other.clone(),
                problem,
                evaluations.to_string(),
                pairs.to_string(),
                number(own),
                number(theirs),
                number(p),
                number(corrected),
                direction.into(),
            ]);
        }
        numbers.insert(format!("problems lower than {other} after 200"), better as f64);
    }
    let header =
        ["against", "problem", "evaluations", "pairs", "thrifty", "other", "p", "p (Holm)", "thrifty is"];
    let table = Table {
        name: "versus".into(),
        caption: "Medians, and paired Wilcoxon of the regrets; the direction where p is below 0.05 without correction.".into(),
        header: header.map(String::from).to_vec(),
        rows,
    };
    (table, verdict, numbers)
}
