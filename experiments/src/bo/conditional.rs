//! Initial designs on conditional spaces with a small budget.

use thrifty_bo::InitialDesign;
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::{Config, Space};

use super::branches::{Branches, Shape};
use super::problems::Kind;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/conditional",
    paper: "none: how an initial design covers the branches of a conditional space",
    claim: "on conditional spaces, at 30 evaluations, Sobol points with one coordinate per parameter are not worse than those with one per \
            encoded column, than uniform points, than twice as many and than a design that has one branch alone, over problems that are \
            used for nothing else; regrets below 0.01 count as 0.01",
    quick_cost: "2 problems, 5 designs, 2 replications, 20 evaluations: some seconds",
    full_cost: "8 problems, 5 designs, 100 replications, 30 evaluations: twenty minutes on one core",
    run,
};

const fn kind(count: usize, shared: usize, own: usize, shape: Shape) -> Kind {
    Kind::Branches(Branches { count, shared, own, shape })
}

/// Conditional problems.
pub const KINDS: [Kind; 8] = [
    kind(2, 1, 2, Shape::Pits),
    kind(3, 0, 2, Shape::Draws { lengthscale: 0.5 }),
    kind(3, 1, 2, Shape::Pits),
    kind(2, 0, 3, Shape::Pits),
    kind(5, 2, 1, Shape::Pits),
    kind(2, 2, 2, Shape::Draws { lengthscale: 0.7 }),
    kind(5, 0, 1, Shape::Draws { lengthscale: 0.3 }),
    kind(8, 1, 1, Shape::Pits),
];

/// Designs, the default first. The last one is there to be found worse.
fn variants() -> [Variant; 5] {
    [
        Variant::designed("a coordinate per parameter", |space, evaluations, _| {
            InitialDesign::Sobol(length(space, evaluations, 0.25))
        }),
        Variant::designed("a coordinate per column", |space, evaluations, seed| {
            InitialDesign::Only(by_column(space, length(space, evaluations, 0.25), seed))
        }),
        Variant::designed("uniform points", |space, evaluations, _| {
            InitialDesign::Random(length(space, evaluations, 0.25))
        }),
        Variant::designed("twice as many", |space, evaluations, _| {
            InitialDesign::Sobol(2 * length(space, evaluations, 0.25))
        }),
        Variant::designed("one branch", |space, evaluations, seed| {
            InitialDesign::Only(in_one_branch(space, length(space, evaluations, 0.25), seed))
        }),
    ]
}

/// Length of a design: two points for each parameter, from 4 to 20, at most this share of the evaluations.
pub fn length(space: &Space, evaluations: usize, share: f64) -> usize {
    let most = (share * evaluations as f64) as usize;
    (2 * space.free_parameters()).clamp(4, 20).min(most.max(4))
}

/// Sobol points of the encoded columns: the largest column of a category is its choice.
fn by_column(space: &Space, count: usize, seed: Seed) -> Vec<Config> {
    let points = Sobol::scrambled(space.dim(), &mut seed.stream("columns", 0)).take(count);
    points.rows().map(|x| space.decode(x)).collect()
}

/// Sobol points with the first choice of the first parameter.
fn in_one_branch(space: &Space, count: usize, seed: Seed) -> Vec<Config> {
    let points = Sobol::scrambled(space.parameters().len(), &mut seed.stream("one branch", 0)).take(count);
    let first = |u: &[f64]| -> Vec<f64> { std::iter::once(0.0).chain(u.iter().copied().skip(1)).collect() };
    points.rows().map(|u| space.at_quantiles(&first(u))).collect()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 100), context.pick(20, 30));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants(), evaluations };
    let designs = format!("{evaluations}, of them a design of two for each parameter, at most a quarter");
    studies.compare(context, replications, &[("evaluations", &designs)])
}
