//! Regret of a model that is conditioned on a subset of the observations.

use thrifty_bo::{BoSettings, GpSurrogate};
use thrifty_gp::Conditioning;

use super::problems::KINDS;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/subset",
    paper: "none: how many observations a model needs",
    claim: "a model of a third of the observations finds no worse points than one of all, over problems that are used for nothing else",
    quick_cost: "2 problems, 3 variants, 3 replications, 90 evaluations: some seconds",
    full_cost: "10 problems, 3 variants, 20 replications, 300 evaluations: about two hours",
    run,
};

/// Observations that a model is conditioned on, a third of the evaluations first. The last is the smallest subset there is, far too few.
fn variants(evaluations: usize) -> [Variant; 3] {
    let third = Conditioning::Subset { size: evaluations / 3 };
    let smallest = Conditioning::Subset { size: 16 };
    [("a third", third), ("all", Conditioning::All), ("sixteen", smallest)].map(|(name, conditioning)| {
        let model = GpSurrogate { conditioning, ..GpSurrogate::default() };
        Variant::new(name, model, BoSettings::default())
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 20), context.pick(90, 300));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants(evaluations);
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    studies.compare(context, replications, &[("default", "the first variant: a third of the evaluations")])
}
