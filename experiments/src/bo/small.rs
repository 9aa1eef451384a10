//! Initial designs as a share of a small budget.

use std::collections::BTreeMap;

use thrifty_bo::{BoSettings, GpSurrogate, InitialDesign};
use thrifty_sampling::Seed;
use thrifty_space::Space;

use super::conditional::{FOUND, KINDS as CONDITIONAL};
use super::problems::{KINDS as FLAT, Kind};
use super::variant::{Design, Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NOTE};
use crate::harness::claims::Judgement;
use crate::harness::{Experiment, Report, RunContext, Table};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/small",
    paper: "none: how much of a small budget goes to the initial design",
    claim: "at 30 evaluations, an initial design of two trials for each parameter and at most half of the budget is not worse than one of at \
            most a quarter and than three quarters of the budget, on spaces of numbers alone and on conditional spaces, over problems that \
            are used for nothing else; on conditional spaces regrets below 0.01 count as 0.01",
    quick_cost: "2 problems of each kind, 3 designs, 2 replications, 20 evaluations: some seconds",
    full_cost: "18 problems, 3 designs, 60 replications, 30 evaluations: twenty minutes",
    run,
};

/// Two points for each parameter, from 4 to 20, at most this share of the evaluations.
fn at_most(share: f64, space: &Space, evaluations: usize) -> InitialDesign {
    let most = (share * evaluations as f64) as usize;
    InitialDesign::Sobol((2 * space.free_parameters()).clamp(4, 20).min(most.max(4)))
}

/// Designs, the expected one first. The last one has more points than parameters ask for, and is there to be found worse.
fn variants() -> [Variant; 3] {
    let designs: [(_, fn(&Space, usize, Seed) -> InitialDesign); 3] = [
        ("at most half", |space, evaluations, _| at_most(0.5, space, evaluations)),
        ("at most a quarter", |space, evaluations, _| at_most(0.25, space, evaluations)),
        ("three quarters", |_, evaluations, _| InitialDesign::Sobol(3 * evaluations / 4)),
    ];
    designs.map(|(name, design)| Variant {
        design: Design::Made(design),
        ..Variant::new(name, GpSurrogate::default(), BoSettings::default())
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 60), context.pick(20, 30));
    let (flat, conditional) =
        (context.pick(&FLAT[..2], &FLAT[..]), context.pick(&CONDITIONAL[..2], &CONDITIONAL[..]));
    let kinds: Vec<Kind> = flat.iter().chain(conditional).copied().collect();
    let studies = Studies { id: EXPERIMENT.id, kinds: &kinds, variants: &variants(), evaluations };
    let mut finals = studies.finals(context, replications)?;
    finals[flat.len()..].iter_mut().flatten().flatten().for_each(|regret| *regret = regret.max(FOUND));
    let (names, labels) = (studies.names(), studies.labels());
    let (mut tables, mut numbers, mut judgements) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (group, own) in [("numbers", 0..flat.len()), ("conditional", flat.len()..kinds.len())] {
        let found = Ablation::judge(&names, &labels[own.clone()], &finals[own], replications.planned)?;
        numbers.extend(found.numbers.into_iter().map(|(name, value)| (format!("{group}: {name}"), value)));
        tables.push(Table { name: group.into(), ..found.table });
        judgements.push(found.judgement);
    }
    Ok(Report {
        judgement: Judgement::all(judgements),
        numbers,
        settings: studies.settings(replications, &[("evaluations", &evaluations.to_string())]),
        notes: vec![NOTE.into()],
        tables,
        figures: Vec::new(),
    })
}
