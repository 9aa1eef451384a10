//! Failed trials: draws that choose defaults.

use thrifty_bo::{BayesianOptimizer, BoSettings, FailurePolicy};
use thrifty_search::RandomSearch;

use super::draws::{Drawn, Draws, Tails};
use super::problem::Told;
use super::{KINDS, REGRET, draws};
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Groups, NOTE};
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/failures",
    paper: "none: what is learnt from trials that fail",
    claim: "where trials fail in a part of the space, with the minimum on its border or apart from it, and where they fail by chance, default \
            Bayesian optimisation, which learns where they fail, is not worse than with a bad loss for each of them, without them, and than \
            random search; all problems only choose defaults",
    quick_cost: "1 problem of each kind, 2 replications, 16 evaluations: some seconds",
    full_cost: "14 problems, 4 ways, 40 replications, 40 evaluations: ten minutes on one core",
    run,
};

/// Draws on which trials fail by chance, with the share of them that does.
const BY_CHANCE: [(Draws, f64); 3] = [
    (draws(2, 0, 1.0, false, Tails::Light), 0.2),
    (draws(3, 0, 1.0, false, Tails::Light), 0.4),
    (draws(4, 0, 1.0, false, Tails::Light), 0.1),
];

/// Ways to treat failures, the default first; nothing is random search, which is there to be found worse.
const WAYS: [(&str, Option<FailurePolicy>); 4] = [
    ("learnt", Some(FailurePolicy::AsConstraint)),
    ("worst loss", Some(FailurePolicy::AsWorst)),
    ("left out", Some(FailurePolicy::Ignore)),
    ("random", None),
];

/// Draws on which evaluations fail where a constraint is broken, then those on which a share of them fails by chance, with their labels.
pub fn failing(within: &[Draws], by_chance: &[(Draws, f64)]) -> Vec<(Draws, Told, String)> {
    let within = within.iter().map(|kind| (*kind, Told::Failed, kind.label()));
    let by_chance = by_chance.iter().map(|(kind, share)| {
        let label = format!("d = {}, {:.0} % by chance", kind.dim, 100.0 * share);
        (*kind, Told::FailedAtRandom(*share), label)
    });
    within.chain(by_chance).collect()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 40);
    let evaluations = context.pick(16, 40);
    let (within, by_chance, counts) =
        context.pick((&KINDS[6..8], &BY_CHANCE[..1], [1, 1, 1]), (&KINDS[..], &BY_CHANCE[..], [7, 4, 3]));
    let groups: Vec<_> = ["active", "idle", "chance"].into_iter().zip(counts).collect();
    let problems = failing(within, by_chance);
    let kinds: Vec<Draws> = problems.iter().map(|problem| problem.0).collect();
    let labels: Vec<String> = problems.iter().map(|problem| problem.2.clone()).collect();
    let drawn = Drawn::new((EXPERIMENT.id, context.seed), &kinds, n.run);
    let one = |k: usize, v: usize, i: usize| {
        let ((problem, seed), told) = (drawn.problem(k, i)?, problems[k].1);
        let Some(failures) = WAYS[v].1 else {
            return problem.left(RandomSearch::new(problem.space().clone()), told, seed, evaluations);
        };
        let settings = BoSettings { failures, budget: Some(evaluations), ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(problem.space().clone()).with_settings(settings)?;
        problem.left(optimizer, told, seed, evaluations)
    };
    let names = WAYS.map(|(name, _)| name);
    let finals = ablation::finals((EXPERIMENT.id, context), &names, &labels, n.run, one)?;
    let found = Groups::judge(&groups, &names, &labels, &finals, n.planned)?;
    let settings = [
        ("replications", n.run.to_string()),
        ("evaluations", format!("{evaluations}, with the design of a plan")),
    ];
    Ok(found.report(settings, vec![NOTE.into(), REGRET.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_first_way() {
        assert_eq!(WAYS[0].1, Some(BoSettings::default().failures));
        let others: Vec<_> = WAYS[1..].iter().filter(|way| way.1 == WAYS[0].1).collect();
        assert!(others.is_empty(), "{others:?}");
    }
}
