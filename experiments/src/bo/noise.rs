//! Noisy evaluations: the default, improvement on the best mean, and sampled hyperparameters.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_bo::{BoSettings, GpSurrogate};

use super::problems::Kind;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/noise",
    paper: "none: how noisy evaluations are taken",
    claim: "no other treatment of noise makes the optimiser better over noisy problems that are used for nothing else",
    quick_cost: "2 problems, 5 variants, 3 replications, 25 evaluations: some seconds",
    full_cost: "8 problems, 5 variants, 20 replications, 50 evaluations: a quarter of an hour",
    run,
};

/// Draws of standard deviation 1 under noise from a twentieth to a half of their spread.
const KINDS: [Kind; 8] = [
    Kind::Draw { dim: 2, lengthscale: 0.3, smooth: true, noise: 0.5 },
    Kind::Draw { dim: 3, lengthscale: 0.4, smooth: false, noise: 0.1 },
    Kind::Draw { dim: 1, lengthscale: 0.15, smooth: true, noise: 0.3 },
    Kind::Draw { dim: 2, lengthscale: 0.2, smooth: false, noise: 0.05 },
    Kind::Draw { dim: 2, lengthscale: 0.5, smooth: true, noise: 1.0 },
    Kind::Draw { dim: 4, lengthscale: 0.6, smooth: true, noise: 0.5 },
    Kind::Draw { dim: 5, lengthscale: 0.8, smooth: false, noise: 0.2 },
    Kind::Draw { dim: 3, lengthscale: 0.5, smooth: true, noise: 0.05 },
];

fn variants() -> [Variant; 5] {
    let on_mean = AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean);
    let best = AcquisitionKind::default();
    [
        ("default", GpSurrogate::default(), best),
        ("EI on the best mean", GpSurrogate::default(), on_mean),
        ("sampled (noisy)", GpSurrogate::noisy(), best),
        ("sampled, EI on the best mean", GpSurrogate::noisy(), on_mean),
        ("deterministic", GpSurrogate::deterministic(), best),
    ]
    .map(|(name, model, rule)| Variant::new(name, model, BoSettings { rule, ..BoSettings::default() }))
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 20), context.pick(25, 50));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants();
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    studies.compare(context, replications, &[("regret", "of the recommendation, without noise")])
}
