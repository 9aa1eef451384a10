//! A closure test of a scan over a network's hyperparameters, as NNPDF does it.

mod figures;
mod judge;
mod law;
pub mod laws;
mod scan;
mod space;
mod tables;
mod training;

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use self::judge::{Judgement, judge};
use self::law::{Closure, Law};
use self::scan::{Goal, STARTUP, Scan, Search, scan};
use crate::error::ExperimentError;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs};

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/nnpdf",
    paper: "Hyper-optimization (TPE in Hyperopt for n3fit), the closing question",
    claim: "choosing a network's hyperparameters by its bias on test sets does not harm its variance",
    quick_cost: "1 law, 1 replication, 6 scans of 25 trials: some seconds",
    full_cost: "3 laws, 10 replications, 6 scans of 160 trials each: some minutes",
    run,
};

/// One scan and the ensemble of what it chose.
pub struct Outcome {
    pub law: Law,
    pub replication: usize,
    pub search: Search,
    pub goal: Goal,
    pub closure: Closure,
    pub scan: Scan,
    pub judgement: Judgement,
}

/// Line of a scan.
#[derive(serde::Serialize, serde::Deserialize)]
struct Found {
    scan: Scan,
    judgement: Judgement,
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(1, 10);
    let (replications, trials) = (n.run, context.pick(STARTUP + STARTUP / 4, 8 * STARTUP));
    let laws = context.pick(&Law::ALL[..1], &Law::ALL[..]);
    let replicas = context.pick(4, 40);
    let jobs: Vec<(usize, Law, Goal, Search)> = (0..replications)
        .flat_map(|i| laws.iter().map(move |law| (i, *law)))
        .flat_map(|(i, law)| Goal::ALL.map(|goal| (i, law, goal)))
        .flat_map(|(i, law, goal)| Search::ALL.map(|search| (i, law, goal, search)))
        .collect();
    let name = |&(i, law, goal, search): &(usize, Law, Goal, Search)| {
        JobName::new(law.name(), format!("{}, {}", goal.name(), search.name()), i)
    };
    let seed = |i: usize| Seed(context.seed).child("tpe/nnpdf", i as u64);
    let found = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&(i, law, goal, search)| {
        let closure = Closure::new(law, seed(i));
        let (scan, chosen) = scan(search, goal, &closure, trials, seed(i).child("scan", law as u64))?;
        let judgement = judge(&chosen, &closure, replicas, seed(i).child("replicas", law as u64));
        Ok(Found { scan, judgement })
    })?;
    let outcomes: Vec<Outcome> = jobs
        .iter()
        .zip(found)
        .map(|(&(replication, law, goal, search), Found { scan, judgement })| {
            let closure = Closure::new(law, seed(replication));
            Outcome { law, replication, search, goal, closure, scan, judgement }
        })
        .collect();
    let answer = tables::answer(&outcomes, laws.len() * n.planned)?;
    let mut numbers: BTreeMap<String, f64> = BTreeMap::new();
    tables::numbers(&outcomes, &mut numbers);
    Ok(Report {
        judgement: answer.judgement,
        numbers,
        settings: [
            (
                "laws",
                format!(
                    "{}; 40 training data in [0.05, 0.75]",
                    laws.iter().map(|law| law.name()).collect::<Vec<_>>().join(", ")
                ),
            ),
            ("test sets", "20 data within [0.05, 0.75], 20 beyond in [0.75, 0.95]".to_owned()),
            ("replications", replications.to_string()),
            ("trials a scan", format!("{trials}, the first {STARTUP} random and shared by all searches")),
            ("candidates", "24".to_owned()),
            ("folds", "4".to_owned()),
            ("replicas of an ensemble", replicas.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![
            "The loss of a scan is the validation χ² per point with early stopping, averaged over 4 folds, or the χ² per \
             point on both test sets of the mean of the 4 networks, which is the bias plus the test data's noise and \
             leaves the spread out. The chosen model is trained again on replicas of the data and held against the law \
             itself at other points: bias and variance are per point, in units of the data's variance."
                .into(),
            "Claims: for each search and test set the variance of what the test χ² chose is, as a geometric mean over laws and \
             replications, not larger than 1.25 times that of what the K-fold χ² chose."
                .into(),
        ],
        tables: vec![answer.table, tables::ensembles(&outcomes), tables::scans(&outcomes, laws.len() * n.planned)?],
        figures: figures::all(&outcomes)?,
    })
}
