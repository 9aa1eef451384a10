//! Measured constraints: draws that choose defaults.

mod comparison;
pub mod draws;
pub mod failures;
pub mod failures_peers;
mod functions;
pub mod peers;
pub mod problem;

use thrifty_bo::{BayesianOptimizer, BoSettings};

use self::draws::{Drawn, Draws, Tails};
use self::problem::Told;
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Groups, NOTE};
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/constraints",
    paper: "none: how measured constraints are treated",
    claim: "within measured constraints, default Bayesian optimisation is not worse than without trials at the least mean, than if trials that \
            break a constraint failed, and than without knowledge of the constraints, where the minimum is on a border and where it is not; all \
            problems only choose defaults",
    quick_cost: "1 problem of each kind, 2 replications, 16 evaluations: some seconds",
    full_cost: "11 problems, 4 ways, 40 replications, 40 evaluations: eleven minutes on one core",
    run,
};

const fn draws(dim: usize, constraints: usize, share: f64, active: bool, tails: Tails) -> Draws {
    Draws { dim, constraints, share, active, tails }
}

/// First those with an active constraint.
const KINDS: [Draws; 11] = [
    draws(2, 1, 0.3, true, Tails::Light),
    draws(2, 2, 0.1, true, Tails::Light),
    draws(3, 1, 0.2, true, Tails::Upper),
    draws(4, 2, 0.2, true, Tails::Upper),
    draws(5, 1, 0.3, true, Tails::Light),
    draws(3, 1, 0.3, true, Tails::Both),
    draws(4, 2, 0.2, true, Tails::Both),
    draws(2, 1, 0.5, false, Tails::Light),
    draws(3, 2, 0.3, false, Tails::Upper),
    draws(4, 1, 0.3, false, Tails::Light),
    draws(3, 1, 0.3, false, Tails::Both),
];

/// Meaning of the regrets.
const REGRET: &str = "Regret of the best trial that breaks no constraint, in units of the median of the loss less its minimum, from 1e-6 to 1.";

/// A way to treat constraints.
struct Way {
    name: &'static str,
    settings: BoSettings,
    told: Told,
}

/// The default first; the last knows nothing of the constraints and is there to be found worse.
fn ways() -> [Way; 4] {
    let way = |name, settings, told| Way { name, settings, told };
    [
        way("default", BoSettings::default(), Told::Measured),
        way("no trials at the least mean", BoSettings { ending: 0, ..BoSettings::default() }, Told::Measured),
        way("failures", BoSettings::default(), Told::Failed),
        way("ignored", BoSettings::default(), Told::Ignored),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 40);
    let evaluations = context.pick(16, 40);
    let (kinds, groups) = context
        .pick((&KINDS[6..8], [("active", 1), ("idle", 1)]), (&KINDS[..], [("active", 7), ("idle", 4)]));
    let ways = ways();
    let names = ways.each_ref().map(|way| way.name);
    let labels: Vec<String> = kinds.iter().map(|kind| kind.label()).collect();
    let drawn = Drawn::new((EXPERIMENT.id, context.seed), kinds, n.run);
    let one = |k: usize, v: usize, i: usize| {
        let (problem, seed) = drawn.problem(k, i)?;
        let settings = BoSettings { budget: Some(evaluations), ..ways[v].settings.clone() };
        let optimizer = BayesianOptimizer::new(problem.space().clone()).with_settings(settings)?;
        problem.left(optimizer, ways[v].told, seed, evaluations)
    };
    let finals = ablation::finals((EXPERIMENT.id, context), &names, &labels, n.run, one)?;
    let found = Groups::judge(&groups, &names, &labels, &finals, n.planned)?;
    let settings = [
        ("replications", n.run.to_string()),
        ("evaluations", format!("{evaluations}, with the design of a plan")),
    ];
    Ok(found.report(settings, vec![NOTE.into(), REGRET.into()]))
}
