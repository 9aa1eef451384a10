//! Hundreds of parameters of which few are active: default Bayesian optimisation beside nested random embeddings.

mod embedding;
mod nested;

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign};
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_study::MaxTrials;
use thrifty_testbed::{Problem, TestFunction};
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use self::nested::NestedEmbeddings;
use super::many_parameters::Wide;
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Ablation};
use crate::harness::replicate::study;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/embeddings",
    paper: "Papenmeier, Nardi & Poloczek (2022): nested random embeddings; Letham et al. (2020): functions embedded in many parameters",
    claim: "with 200 to 1000 parameters and 100 evaluations, default Bayesian optimisation is not worse than a trust region in nested random \
            embeddings (BAxUS), in one random embedding, or in all parameters, nor than random search",
    quick_cost: "2 problems, 5 methods, 1 replication, 40 evaluations: some seconds",
    full_cost: "4 problems, 5 methods, 10 replications, 100 evaluations: three quarters of an hour",
    run,
};

/// The first is the subject of the claims, the third is made worse on purpose.
const METHODS: [&str; 5] = ["BO", NESTED, ONE, REGION, "random"];
const NESTED: &str = "nested embeddings";
/// The first of the nested embeddings, never split.
const ONE: &str = "one embedding";
const REGION: &str = "trust region";

fn problems(context: &RunContext) -> Result<Vec<Wide>, ExperimentError> {
    if context.pick(true, false) {
        return Ok(vec![Wide::embedded(TestFunction::branin(), 30)?, Wide::ackley(5, 40)?]);
    }
    Ok(vec![
        Wide::embedded(TestFunction::branin(), 300)?,
        Wide::embedded(TestFunction::hartmann6(), 300)?,
        Wide::embedded(TestFunction::hartmann6(), 1000)?,
        Wide::ackley(10, 200)?,
    ])
}

/// The final regret of a method on a problem.
fn regret(
    problem: &Wide,
    method: &str,
    evaluations: usize,
    seed: Seed,
    i: usize,
) -> Result<f64, ExperimentError> {
    let (space, stop) = (problem.space().clone(), MaxTrials(evaluations));
    let run = match method {
        NESTED | ONE => {
            let optimizer = NestedEmbeddings::new(
                space,
                evaluations,
                Wide::designed(evaluations),
                method == NESTED,
                seed,
            )?;
            study(method, problem, optimizer, seed, i, stop)
        }
        REGION => {
            let initial = InitialDesign::Only(problem.design(evaluations, seed));
            let optimizer = TrustRegionOptimizer::new(space)
                .with_settings(TrustRegionSettings { initial, ..TrustRegionSettings::default() })?;
            study(method, problem, optimizer, seed, i, stop)
        }
        "random" => study(method, problem, RandomSearch::new(space), seed, i, stop),
        _ => {
            let initial = InitialDesign::Only(problem.design(evaluations, seed));
            let optimizer = BayesianOptimizer::new(space)
                .with_settings(BoSettings { initial, ..BoSettings::default() })?;
            study(method, problem, optimizer, seed, i, stop)
        }
    };
    Ok(run?.last_regret())
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(1, 10);
    let evaluations = context.evaluations(40, 100);
    let problems = problems(context)?;
    let labels: Vec<String> = problems.iter().map(Problem::name).collect();
    let one = |k: usize, m: usize, i: usize| {
        let seed = context.seed_of(EXPERIMENT.id, k, i);
        regret(&problems[k], METHODS[m], evaluations, seed, i)
    };
    let finals = ablation::finals((EXPERIMENT.id, context), &METHODS, &labels, n.run, one)?;
    let notes = vec![
        "Claims: default Bayesian optimisation is not worse than each method by more than 0.1 in the mean of log₁₀ of the final regret. Nested \
         embeddings have their design in their first embedding of one to three parameters, and split each bin into four when the trust region \
         has shrunk to nothing. One embedding, the first of them, is never split: it is made worse on purpose."
            .into(),
    ];
    let ablation = Ablation::judge(&METHODS, &labels, &finals, n.planned)?;
    Ok(ablation.report(n, format!("{evaluations}, a tenth of them a Sobol design"), notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_run_in_bounds_and_the_model_is_ahead_of_chance() {
        let problem = Wide::embedded(TestFunction::hartmann6(), 20).unwrap();
        let last = |method: &str| regret(&problem, method, 40, Seed(3), 0).unwrap();
        let regrets = METHODS.map(last);
        assert!(regrets.iter().all(|regret| regret.is_finite() && *regret >= 0.0), "{regrets:?}");
        assert!(regrets[0] < regrets[4], "{regrets:?}");
    }
}
