//! `BoTorch`'s methods for many parameters, beside ours.

use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{Best, MaxTrials, Optimizer, Study};
use thrifty_testbed::Problem;

use super::super::many_parameters::Wide;
use super::{EXPERIMENT, Plan};
use crate::error::ExperimentError;
use crate::peers::{Beside, Complete, Ended, First, Found, Interpreters, PeerMethod};

/// The others, the cheapest first.
pub const PEERS: [PeerMethod; 2] = [
    PeerMethod { script: "turbo", label: "TuRBO (BoTorch)" },
    PeerMethod { script: "map-saas", label: "sparse axes (BoTorch)" },
];

/// Runs what an interpreter of `--python` has; returns the methods that are complete, and notes on all.
pub fn beside(plan: &Plan<'_>) -> Result<(Vec<Complete>, Vec<String>), ExperimentError> {
    let problems: Vec<String> = plan.problems.iter().map(Problem::name).collect();
    let (id, context, replications) = (EXPERIMENT.id, plan.context, plan.replications);
    let beside = Beside { id, context, peers: &PEERS, problems: &problems, replications, rules: 1 };
    beside.run(|from, method, (k, i)| one(plan, from, method, (k, i)))
}

fn one(
    plan: &Plan<'_>,
    from: &Interpreters,
    method: &'static str,
    (k, i): (usize, usize),
) -> Result<Ended<f64>, ExperimentError> {
    let (problem, seed) = (&plan.problems[k], plan.seed(k, i));
    let design = problem.design(plan.evaluations, seed);
    let (count, evaluations) = (design.len(), plan.evaluations);
    let first = First { method, seed: seed.0 & 0x7fff_ffff, noisy: false, design: count, evaluations };
    from.whole(problem.space(), &first, &design, |optimizer| regret(problem, optimizer, seed, evaluations))
}

/// The regret of the best that was evaluated, and the error that ended the study.
fn regret<O>(problem: &Wide, optimizer: O, seed: Seed, evaluations: usize) -> Result<Found, ExperimentError>
where
    O: Optimizer<Query = Config, Recommendation = Best<Config>>,
{
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
    let failure = study.run(|config, context| problem.evaluate(config, &mut context.noise())).err();
    let best = study.history().best().map(|(trial, _)| problem.regret(&trial.query)).transpose()?;
    Ok((best.unwrap_or(f64::INFINITY), failure))
}
