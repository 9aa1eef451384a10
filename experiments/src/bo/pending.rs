//! Policies for running trials, on development problems.

use std::collections::BTreeMap;

use thrifty_bo::{BoSettings, GpSurrogate, PendingPolicy};

use super::problems::KINDS;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NOTE};
use crate::harness::claims::Judgement;
use crate::harness::{Experiment, Report, RunContext, Table};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/pending",
    paper: "none: how running trials enter the model",
    claim: "with four and with sixteen running trials no other policy makes the optimiser better than joint draws, nor do studies without last \
            trials, over problems that are used for nothing else",
    quick_cost: "2 problems, 5 policies, 3 replications, 30 evaluations: some seconds",
    full_cost: "10 problems, 2 numbers of workers, 5 policies, 30 replications, 60 evaluations: twenty minutes on one core",
    run,
};

/// Policies, the default first, by their names with four and with sixteen workers.
fn policies() -> [([&'static str; 2], BoSettings); 5] {
    let of = |pending| BoSettings { pending, ..BoSettings::default() };
    [
        (["joint draws, 4", "joint draws, 16"], BoSettings::default()),
        (["no last trials, 4", "no last trials, 16"], BoSettings { ending: 0, ..BoSettings::default() }),
        (["kriging believer, 4", "kriging believer, 16"], of(PendingPolicy::KrigingBeliever)),
        (["liar with the best, 4", "liar with the best, 16"], of(PendingPolicy::LiarBest)),
        (["liar with the worst, 4", "liar with the worst, 16"], of(PendingPolicy::LiarWorst)),
    ]
}

/// Numbers of trials that run at a time.
const WORKERS: [usize; 2] = [4, 16];

/// Variants of all numbers of workers: one set of runs, which shards can divide.
fn variants() -> Vec<Variant> {
    let of = |at: usize, workers: usize| {
        policies().map(|(names, settings)| Variant {
            workers,
            ..Variant::new(names[at], GpSurrogate::default(), settings)
        })
    };
    WORKERS.into_iter().enumerate().flat_map(|(at, workers)| of(at, workers)).collect()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 30), context.pick(30, 60));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants();
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    let (names, labels, finals) = (studies.names(), studies.labels(), studies.finals(context, replications)?);
    let (mut tables, mut numbers, mut judgements) = (Vec::new(), BTreeMap::new(), Vec::new());
    let count = variants.len() / WORKERS.len();
    for (workers, own) in WORKERS.into_iter().zip((0..variants.len()).step_by(count)) {
        let own = own..own + count;
        let finals: Vec<Vec<Vec<f64>>> = finals.iter().map(|found| found[own.clone()].to_vec()).collect();
        let found = Ablation::judge(&names[own], &labels, &finals, replications.planned)?;
        tables.push(Table { name: format!("workers-{workers}"), ..found.table });
        numbers.extend(found.numbers);
        judgements.push(found.judgement);
    }
    let workers = WORKERS.map(|workers| workers.to_string()).join(" and ");
    Ok(Report {
        judgement: Judgement::all(judgements),
        numbers,
        settings: studies.settings(replications, &[("trials that run at a time", &workers)]),
        notes: vec![NOTE.into()],
        tables,
        figures: Vec::new(),
    })
}
