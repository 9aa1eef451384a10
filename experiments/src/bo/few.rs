//! Sizes of the initial design among few parameters.

use thrifty_bo::InitialDesign;

use super::problems::Kind;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/few",
    paper: "none: how many trials come before a model where there are few parameters",
    claim: "from one to five parameters, at 50 evaluations, the automatic design of a planned study, at least 16 points within a third of the \
            evaluations, is not worse than two points for each parameter, than ten, than 12 and than four fifths of the evaluations, on \
            problems with few minima and on problems with many; all of them only choose defaults; on rings, needles and combs regrets \
            below 0.01 count as 0.01",
    quick_cost: "2 problems of each kind, 5 designs, 2 replications, 20 evaluations: some seconds",
    full_cost: "21 problems, 5 designs, 60 replications, 50 evaluations: fifteen minutes",
    run,
};

/// Problems with one minimum or few.
pub const FEW_MINIMA: [Kind; 10] = [
    Kind::Draw { dim: 2, lengthscale: 0.25, smooth: false, noise: 0.0 },
    Kind::Draw { dim: 2, lengthscale: 0.4, smooth: true, noise: 0.0 },
    Kind::Draw { dim: 3, lengthscale: 0.5, smooth: true, noise: 0.0 },
    Kind::Skewed { dim: 2, lengthscale: 0.4 },
    Kind::Sharp { dim: 2, lengthscale: 0.4 },
    Kind::Steep { dim: 2 },
    Kind::Valley { dim: 2 },
    Kind::LeastSquares { dim: 3 },
    Kind::Draw { dim: 5, lengthscale: 0.7, smooth: false, noise: 0.0 },
    Kind::Skewed { dim: 4, lengthscale: 0.6 },
];

/// Problems with many minima, or with one that is hard to find.
pub const MANY_MINIMA: [Kind; 11] = [
    Kind::Rings { dim: 2 },
    Kind::Needle { dim: 2 },
    Kind::Combs { dim: 2 },
    Kind::Rings { dim: 3 },
    Kind::Needle { dim: 1 },
    Kind::Combs { dim: 1 },
    Kind::Pits { dim: 2 },
    Kind::Draw { dim: 1, lengthscale: 0.05, smooth: true, noise: 0.0 },
    Kind::WangFreitas,
    Kind::Pits { dim: 4 },
    Kind::Needle { dim: 3 },
];

/// Designs of Sobol points, the default first. The last one leaves the model few trials, and is there to be found worse.
fn variants() -> [Variant; 5] {
    [
        Variant::designed("automatic", |_, _, _| InitialDesign::Automatic),
        Variant::designed("two for each parameter", |space, _, _| {
            InitialDesign::Sobol((2 * space.free_parameters()).max(4))
        }),
        Variant::designed("ten", |_, _, _| InitialDesign::Sobol(10)),
        Variant::designed("12", |_, _, _| InitialDesign::Sobol(12)),
        Variant::designed("four fifths", |_, evaluations, _| InitialDesign::Sobol(4 * evaluations / 5)),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 60), context.evaluations(20, 50));
    let (few, many) =
        (context.pick(&FEW_MINIMA[..2], &FEW_MINIMA[..]), context.pick(&MANY_MINIMA[..2], &MANY_MINIMA[..]));
    let kinds: Vec<Kind> = few.iter().chain(many).copied().collect();
    let groups = [("few", few.len()), ("many", many.len())];
    let studies = Studies { id: EXPERIMENT.id, kinds: &kinds, variants: &variants(), evaluations };
    studies.compare_groups(context, replications, &groups, &[("evaluations", &evaluations.to_string())])
}
