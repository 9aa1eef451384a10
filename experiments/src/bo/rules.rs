//! Acquisition functions on the problems that choose defaults.

use thrifty_acquisition::{AcquisitionKind, Schedule};
use thrifty_bo::{BoSettings, GpSurrogate};

use super::few::{FEW_MINIMA, MANY_MINIMA};
use super::problems::{KINDS, Kind};
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/rules",
    paper: "none: where the default acquisition function comes from",
    claim: "log expected improvement is not worse than confidence bounds, Thompson sampling, noisy expected improvement, the knowledge gradient \
            and the posterior mean alone, on general problems, on problems with few minima and on problems with many; all of them only choose \
            defaults",
    quick_cost: "1 problem of each kind, 3 rules, 2 replications, 20 evaluations: some seconds",
    full_cost: "30 problems, 7 rules, 20 replications, 50 evaluations: half an hour",
    run,
};

/// The default first; the posterior mean alone does not explore, and is there to be found worse.
fn variants() -> [Variant; 7] {
    let bound = |beta: f64| AcquisitionKind::ConfidenceBound(Schedule::Constant { beta });
    [
        ("default", AcquisitionKind::default()),
        ("posterior mean alone", AcquisitionKind::PosteriorMean),
        ("confidence bound, β = 4", bound(4.0)),
        ("confidence bound, β = 1", bound(1.0)),
        ("Thompson sampling", AcquisitionKind::Thompson),
        ("noisy expected improvement", AcquisitionKind::LogNoisyExpectedImprovement { draws: 64 }),
        ("knowledge gradient", AcquisitionKind::LogKnowledgeGradient { anchors: 50 }),
    ]
    .map(|(name, rule)| {
        Variant::new(name, GpSurrogate::default(), BoSettings { rule, ..BoSettings::default() })
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    by_minima(EXPERIMENT.id, context, &variants())
}

/// Report of the first variant against the others on general problems, on those with few minima and on those with many.
pub fn by_minima(
    id: &'static str,
    context: &RunContext,
    variants: &[Variant],
) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 20), context.pick(20, 50));
    // The first with few minima is among the general ones.
    let groups = [("general", &KINDS[..]), ("few", &FEW_MINIMA[1..]), ("many", &MANY_MINIMA[..])]
        .map(|(name, kinds)| (name, context.pick(&kinds[..1], kinds)));
    let kinds: Vec<Kind> = groups.iter().flat_map(|(_, kinds)| kinds.iter().copied()).collect();
    let variants = context.pick(&variants[..3], variants);
    let studies = Studies { id, kinds: &kinds, variants, evaluations };
    studies.compare_groups(context, replications, &groups.map(|(name, kinds)| (name, kinds.len())), &[])
}
