//! Initial designs as a share of a small budget.

use thrifty_bo::InitialDesign;

use super::conditional::{KINDS as CONDITIONAL, length};
use super::problems::{KINDS as NUMBERS, Kind};
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/small",
    paper: "none: how much of a small budget goes to the initial design",
    claim: "at 30 evaluations, an initial design of two trials for each parameter and at most half of the budget is not worse than one of at \
            most a quarter and than three quarters of the budget, on spaces of numbers alone and on conditional spaces, over problems that \
            are used for nothing else; on conditional spaces regrets below 0.01 count as 0.01",
    quick_cost: "2 problems of each kind, 3 designs, 2 replications, 20 evaluations: some seconds",
    full_cost: "18 problems, 3 designs, 60 replications, 30 evaluations: six minutes",
    run,
};

/// Designs, the expected one first. The last one has more points than parameters ask for, and is there to be found worse.
fn variants() -> [Variant; 3] {
    [
        Variant::designed("at most half", |space, evaluations, _| {
            InitialDesign::Sobol(length(space, evaluations, 0.5))
        }),
        Variant::designed("at most a quarter", |space, evaluations, _| {
            InitialDesign::Sobol(length(space, evaluations, 0.25))
        }),
        Variant::designed("three quarters", |_, evaluations, _| InitialDesign::Sobol(3 * evaluations / 4)),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 60), context.pick(20, 30));
    let (numbers, conditional) =
        (context.pick(&NUMBERS[..2], &NUMBERS[..]), context.pick(&CONDITIONAL[..2], &CONDITIONAL[..]));
    let kinds: Vec<Kind> = numbers.iter().chain(conditional).copied().collect();
    let groups = [("numbers", numbers.len()), ("conditional", conditional.len())];
    let studies = Studies { id: EXPERIMENT.id, kinds: &kinds, variants: &variants(), evaluations };
    studies.compare_groups(context, replications, &groups, &[("evaluations", &evaluations.to_string())])
}
