//! Evaluations of which some are far off: Student-t noise in the model beside normal noise.

use thrifty_bo::{BoSettings, GpSurrogate};
use thrifty_robust::{RobustGpSurrogate, StudentT};

use super::development::Noise;
use super::problems::Kind;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/outliers",
    paper: "none: how outliers among the evaluations are taken",
    claim: "the surrogate with Student-t noise is not worse than those with normal noise where evaluations have heavy tails or outliers",
    quick_cost: "2 problems, 3 variants, 3 replications, 20 evaluations: half a minute",
    full_cost: "8 problems, 5 variants, 20 replications, 50 evaluations: half an hour",
    run,
};

/// Standard deviation of one evaluation of twenty.
const FAR: f64 = 10.0;

const KINDS: [Kind; 8] = [
    Kind::Disturbed { dim: 1, lengthscale: 0.2, noise: Noise::Outliers { std_dev: 0.05, far: FAR } },
    Kind::Disturbed { dim: 2, lengthscale: 0.3, noise: Noise::HeavyTails(0.1) },
    Kind::Disturbed { dim: 2, lengthscale: 0.3, noise: Noise::Outliers { std_dev: 0.2, far: FAR } },
    Kind::Disturbed { dim: 2, lengthscale: 0.4, noise: Noise::HeavyTails(0.3) },
    Kind::Disturbed { dim: 3, lengthscale: 0.4, noise: Noise::Outliers { std_dev: 0.05, far: FAR } },
    Kind::Disturbed { dim: 3, lengthscale: 0.5, noise: Noise::HeavyTails(0.1) },
    Kind::Disturbed { dim: 4, lengthscale: 0.6, noise: Noise::Outliers { std_dev: 0.2, far: FAR } },
    Kind::Disturbed { dim: 5, lengthscale: 0.8, noise: Noise::HeavyTails(0.2) },
];

/// The robust surrogate first, of which something is claimed; the deterministic one is there to be found worse.
fn variants() -> Vec<Variant> {
    let settings = BoSettings::default;
    let cauchy = RobustGpSurrogate { student_t: StudentT::new(1.0), ..RobustGpSurrogate::default() };
    vec![
        Variant::new("Student-t, ν = 4", RobustGpSurrogate::default(), settings()),
        Variant::new("default", GpSurrogate::default(), settings()),
        Variant::new("deterministic", GpSurrogate::deterministic(), settings()),
        Variant::new("sampled (noisy)", GpSurrogate::noisy(), settings()),
        Variant::new("Student-t, ν = 1", cauchy, settings()),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 20), context.pick(20, 50));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants: Vec<Variant> = context.pick(variants().into_iter().take(3).collect(), variants());
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    studies.compare(context, replications, &[("regret", "of the recommendation, without noise")])
}
