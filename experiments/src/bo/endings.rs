//! Last trials of a planned study at the least posterior mean.

use thrifty_bo::{BoSettings, GpSurrogate};

use super::rules::by_minima;
use super::variant::Variant;
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/endings",
    paper: "none: how a planned study ends",
    claim: "expected improvement to the end is not worse than the last 2, 5, 10 or all trials at the least posterior mean, on general problems, on \
            problems with few minima and on problems with many; all of them only choose defaults",
    quick_cost: "1 problem of each kind, 3 endings, 2 replications, 20 evaluations: some seconds",
    full_cost: "30 problems, 5 endings, 20 replications, 50 evaluations: ten minutes",
    run,
};

/// The default first; the posterior mean in all trials does not explore, and is there to be found worse.
fn variants() -> [Variant; 5] {
    [("default", 0), ("last 2", 2), ("last 5", 5), ("last 10", 10), ("all", usize::MAX)].map(
        |(name, ending)| {
            Variant::new(name, GpSurrogate::default(), BoSettings { ending, ..BoSettings::default() })
        },
    )
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    by_minima(EXPERIMENT.id, context, &variants())
}
