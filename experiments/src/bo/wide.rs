//! Many parameters: the default, the same with other searches for the next point, and with sparse axes.

use thrifty_bo::{BoSettings, GpSurrogate, Maximizer};
use thrifty_gp::{Learning, Sampling};

use super::problems::Kind;
use super::sparse;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/wide",
    paper: "none: how acquisition functions of many parameters are maximized; Eriksson & Jankowiak (2021): sparse axes",
    claim: "neither another search for the next point nor sparse axes make the optimiser better from 30 to 100 parameters, over problems that \
            are used for nothing else",
    quick_cost: "2 problems, 4 variants, 2 replications, 30 evaluations: some seconds",
    full_cost: "6 problems, 8 variants, 20 replications, 100 evaluations: half an hour",
    run,
};

const KINDS: [Kind; 6] = [
    Kind::Sparse { dim: 30, active: 3, lengthscale: 0.3 },
    Kind::Additive { dim: 30, lengthscale: 0.4 },
    Kind::Sparse { dim: 60, active: 6, lengthscale: 0.5 },
    Kind::Sparse { dim: 100, active: 4, lengthscale: 0.4 },
    Kind::Steep { dim: 40 },
    Kind::Additive { dim: 100, lengthscale: 0.6 },
];

/// The second one is made worse on purpose: the best of eight random points.
fn variants() -> [Variant; 8] {
    let searched = |name, maximizer| {
        Variant::new(name, GpSurrogate::default(), BoSettings { maximizer, ..BoSettings::default() })
    };
    let sparse = |name, learning| Variant::new(name, sparse::surrogate(learning), BoSettings::default());
    let default = Maximizer::default();
    [
        searched("default", default.clone()),
        searched("8 random points", Maximizer { raw: 8, climbs: 0, around_best: 0 }),
        searched("none around the best", Maximizer { around_best: 0, ..default.clone() }),
        searched("no climbs", Maximizer { climbs: 0, ..default.clone() }),
        searched("100 around the best", Maximizer { around_best: 100, ..default.clone() }),
        searched("4096 raw", Maximizer { raw: 4096, ..default }),
        sparse("sparse axes", Learning::MostProbable),
        sparse("sparse axes, sampled", Learning::Sampled(Sampling::default())),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 20), context.evaluations(30, 100));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants();
    let variants = context.pick(&variants[..4], &variants[..]);
    let studies = Studies { id: EXPERIMENT.id, kinds, variants, evaluations };
    studies.compare(context, replications, &[])
}
