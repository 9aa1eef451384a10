//! Transforms of the losses before a model sees them, where losses have very different sizes and where they do not.

use thrifty_bo::{BoSettings, GpSurrogate, LossTransform};

use super::problems::{KINDS, Kind};
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/losses",
    paper: "none: how losses are scaled",
    claim: "losses scaled by their median are not worse than other scales, over problems that are used for nothing else",
    quick_cost: "3 problems, 3 variants, 3 replications, 25 evaluations: some seconds",
    full_cost: "18 problems, 5 variants, 40 replications, 50 evaluations: half an hour",
    run,
};

/// Problems whose losses reach from 1 to 10⁴.
const STEEP: [Kind; 4] = [
    Kind::Steep { dim: 2 },
    Kind::Steep { dim: 5 },
    Kind::Penalized { dim: 2, lengthscale: 0.4 },
    Kind::Penalized { dim: 4, lengthscale: 0.7 },
];

/// Smooth functions whose losses have a long tail: a transform bends what a process would follow.
const VALLEYS: [Kind; 4] = [
    Kind::Valley { dim: 2 },
    Kind::Valley { dim: 4 },
    Kind::LeastSquares { dim: 3 },
    Kind::LeastSquares { dim: 6 },
];

/// The default first, of which something is claimed; losses as they are serve to be found worse on steep problems.
fn variants() -> [Variant; 5] {
    [
        ("upper half", LossTransform::UpperHalf),
        ("chosen", LossTransform::Chosen),
        ("as they are", LossTransform::None),
        ("upper tail", LossTransform::UpperTail),
        ("both tails", LossTransform::BothTails),
    ]
    .map(|(name, losses)| {
        Variant::new(name, GpSurrogate::default(), BoSettings { losses, ..BoSettings::default() })
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 40), context.pick(25, 50));
    let general = context.pick(&KINDS[4..5], &KINDS[..]);
    let steep = context.pick(&STEEP[2..3], &STEEP[..]);
    let valleys = context.pick(&VALLEYS[..1], &VALLEYS[..]);
    let kinds: Vec<Kind> = steep.iter().chain(general).chain(valleys).copied().collect();
    let variants = variants();
    let variants = context.pick(&variants[..3], &variants[..]);
    let studies = Studies { id: EXPERIMENT.id, kinds: &kinds, variants, evaluations };
    let groups = [("steep", steep.len()), ("general", general.len()), ("valleys", valleys.len())];
    studies.compare_groups(context, replications, &groups, &[("claims", "of the first variant")])
}
