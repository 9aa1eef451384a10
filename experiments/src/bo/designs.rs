//! Sizes of the initial design among many parameters.

use thrifty_bo::{BoSettings, GpSurrogate};

use super::problems::Kind;
use super::variant::{Design, Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/designs",
    paper: "none: how many trials come before a model where there are many parameters",
    claim: "from 12 to 100 parameters, at 100 evaluations, an initial design of at most 20 trials is not worse than one of at most 10 or 40 and \
            than two trials for each parameter, over problems that are used for nothing else",
    quick_cost: "2 problems, 4 designs, 2 replications, 40 evaluations: some seconds",
    full_cost: "8 problems, 4 designs, 10 replications, 100 evaluations: ten minutes",
    run,
};

const KINDS: [Kind; 8] = [
    Kind::Sparse { dim: 30, active: 3, lengthscale: 0.3 },
    Kind::Additive { dim: 30, lengthscale: 0.4 },
    Kind::Draw { dim: 12, lengthscale: 1.0, smooth: true, noise: 0.0 },
    Kind::Skewed { dim: 15, lengthscale: 1.2 },
    Kind::Sparse { dim: 60, active: 6, lengthscale: 0.5 },
    Kind::Sparse { dim: 100, active: 4, lengthscale: 0.4 },
    Kind::Steep { dim: 40 },
    Kind::Additive { dim: 100, lengthscale: 0.6 },
];

/// Most trials of the design, which has two for each parameter. From 50 parameters on the last one leaves no trial for the model at 100
/// evaluations, and is there to be found worse.
fn variants() -> [Variant; 4] {
    [("at most 20", 20), ("at most 10", 10), ("at most 40", 40), ("two for each parameter", usize::MAX)].map(
        |(name, most)| Variant {
            design: Design::AtMost(most),
            ..Variant::new(name, GpSurrogate::default(), BoSettings::default())
        },
    )
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 10), context.pick(40, 100));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants(), evaluations };
    let designs = format!("{evaluations}, of them a Sobol design of 2 d, at most that of the variant");
    studies.compare(context, replications, &[("evaluations", &designs)])
}
