//! Fits of hyperparameters as a study grows: in every ask, when the data ask for them, or never again.

use thrifty_bo::{BoSettings, GpSurrogate};
use thrifty_gp::Refit;

use super::problems::KINDS;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/growth",
    paper: "none: how often hyperparameters must be learnt",
    claim: "neither fits in every ask nor fewer fits make the optimiser better over problems that are used for nothing else",
    quick_cost: "2 problems, 4 variants, 3 replications, 60 evaluations: some seconds",
    full_cost: "10 problems, 4 variants, 100 replications, 120 evaluations: about an hour",
    run,
};

/// Ways to time the fits, the default first. The last keeps what 10 observations taught, unless later ones are improbable.
fn variants() -> [Variant; 4] {
    let never = Refit::WhenNeeded { from: 10, growth: 1e9, restarts_until: 200 };
    [
        ("default", Refit::default()),
        ("in every ask", Refit::Always),
        ("by a fifth of growth", Refit::by_growth(1.2)),
        ("hardly ever", never),
    ]
    .map(|(name, refit)| {
        let model = GpSurrogate { refit, ..GpSurrogate::default() };
        Variant::new(name, model, BoSettings::default())
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 100), context.pick(60, 120));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants();
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    studies.compare(context, replications, &[])
}
