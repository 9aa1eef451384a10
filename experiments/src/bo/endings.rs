//! Last trials of a planned study at the least posterior mean.

use thrifty_acquisition::AcquisitionKind;
use thrifty_bo::{BoSettings, GpSurrogate};

use super::rules::by_minima;
use super::variant::Variant;
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/endings",
    paper: "none: how a planned study ends",
    claim: "five last trials that may be at the least posterior mean, the default, are not worse than none, two, ten, and the posterior mean in \
            all trials, on general problems, on problems with few minima and on problems with many; all of them only choose defaults",
    quick_cost: "1 problem of each kind, 3 endings, 2 replications, 20 evaluations: some seconds",
    full_cost: "30 problems, 5 endings, 20 replications, 50 evaluations: ten minutes",
    run,
};

/// The default first; the posterior mean in all trials does not explore, and is there to be found worse.
fn variants() -> [Variant; 5] {
    let ending = |ending| BoSettings { ending, ..BoSettings::default() };
    [
        ("default", BoSettings::default()),
        ("none", ending(0)),
        ("last 2", ending(2)),
        ("last 10", ending(10)),
        ("all", BoSettings { rule: AcquisitionKind::PosteriorMean, ..BoSettings::default() }),
    ]
    .map(|(name, settings)| Variant::new(name, GpSurrogate::default(), settings))
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    by_minima(EXPERIMENT.id, context, &variants())
}
