//! Losses that jump: stairs, few levels, cliffs, fine steps and cones.

mod functions;
pub mod peers;
mod published;

use thrifty_bo::{BoSettings, GpSurrogate, InitialDesign, KernelFamily, LossTransform, TiePolicy};
use thrifty_trees::ForestSurrogate;

use self::functions::By;
pub use self::functions::Jumps;
use super::problems::Kind;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/jumps",
    paper: "none: functions that jump",
    claim: "where a smooth draw is made to jump, default Bayesian optimisation is not worse than without regard to ties, with losses as they are, and \
            those with sampled hyperparameters, nor than with a random forest, a squared exponential, Matérn 3/2 and no model, on stairs, on \
            losses of few values and on cliffs, nor on fine steps and on cones whose steps tie on all sides; all problems only choose defaults; regrets \
            below 0.01 count as 0.01, on fine steps and cones 1e-4",
    quick_cost: "1 problem of each kind, 3 variants, 2 replications, 20 evaluations: some seconds",
    full_cost: "22 problems, 8 variants, 20 replications, 50 evaluations: half an hour on one core",
    run,
};

const fn jumps(dim: usize, lengthscale: f64, by: By) -> Kind {
    Kind::Jumps(Jumps { dim, lengthscale, by })
}

/// Constant in pieces that are small.
const STAIRS: [Kind; 6] = [
    jumps(2, 0.25, By::Steps(10)),
    jumps(3, 0.6, By::Steps(8)),
    jumps(5, 0.8, By::Steps(6)),
    jumps(2, 0.4, By::TurnedSteps(10)),
    jumps(4, 1.0, By::TurnedSteps(6)),
    jumps(5, 0.9, By::TurnedSteps(5)),
];
/// Constant between level lines of a smooth function.
const LEVELS: [Kind; 3] =
    [jumps(2, 0.25, By::Levels(30)), jumps(3, 0.5, By::Levels(40)), jumps(5, 0.8, By::Levels(20))];
/// Smooth between jumps.
const CLIFFS: [Kind; 3] =
    [jumps(2, 0.4, By::Cliffs(2)), jumps(3, 0.6, By::Cliffs(3)), jumps(5, 1.0, By::Cliffs(2))];

/// Constant in pieces that are small beside what 50 evaluations resolve until they are near the minimum.
const FINE: [Kind; 5] = [
    jumps(2, 0.25, By::Levels(200)),
    jumps(3, 0.5, By::Levels(300)),
    jumps(5, 0.8, By::Levels(100)),
    jumps(2, 0.3, By::Steps(100)),
    jumps(3, 0.6, By::Steps(60)),
];
const fn cone(dim: usize, steps: u32) -> Kind {
    jumps(dim, 1.0, By::Cone(steps))
}

/// Losses that are equal far from each other.
const CONES: [Kind; 5] = [cone(3, 100), cone(3, 200), cone(4, 50), cone(4, 200), cone(5, 20)];

/// The default first; the last has no model, and is there to be found worse.
fn variants() -> [Variant; 8] {
    let (gp, plain) = (GpSurrogate::default, BoSettings::default());
    let ignored = BoSettings { ties: TiePolicy::Ignore, ..plain.clone() };
    let straight = BoSettings { losses: LossTransform::None, ..ignored.clone() };
    let family = |family| GpSurrogate { family, ..gp() };
    [
        Variant::new("default", gp(), plain.clone()),
        Variant::new("ties ignored", gp(), ignored),
        Variant::new("and losses as they are", gp(), straight.clone()),
        Variant::new("and sampled hyperparameters", GpSurrogate::noisy(), straight),
        Variant::new("random forest", ForestSurrogate::default(), plain.clone()),
        Variant::new("squared exponential", family(KernelFamily::SquaredExponential), plain.clone()),
        Variant::new("Matérn 3/2", family(KernelFamily::Matern32), plain),
        Variant::designed("no model", |_, evaluations, _| InitialDesign::Sobol(evaluations)),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 20), context.pick(20, 50));
    let groups = [
        ("stairs", &STAIRS[..]),
        ("levels", &LEVELS[..]),
        ("cliffs", &CLIFFS[..]),
        ("fine", &FINE[..]),
        ("cones", &CONES[..]),
    ]
    .map(|(name, kinds)| (name, context.pick(&kinds[..1], kinds)));
    let kinds: Vec<Kind> = groups.iter().flat_map(|(_, kinds)| kinds.iter().copied()).collect();
    let variants = variants();
    let variants = context.pick(&variants[..3], &variants[..]);
    let studies = Studies { id: EXPERIMENT.id, kinds: &kinds, variants, evaluations };
    studies.compare_groups(context, replications, &groups.map(|(name, kinds)| (name, kinds.len())), &[])
}
