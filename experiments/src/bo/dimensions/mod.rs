//! Many dimensions: default Bayesian optimisation, trust regions and evolution strategies from 60 to 200 parameters.

mod problems;

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign};
use thrifty_cmaes::{CmaEs, CmaEsSettings};
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_study::MaxTrials;
use thrifty_testbed::{Problem, TestFunction};
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use self::problems::Wide;
use crate::error::ExperimentError;
use crate::harness::ablation::Ablation;
use crate::harness::replicate::{Run, study};
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/dimensions",
    paper: "Eriksson et al. (2019), Hvarfner et al. (2024): problems of many dimensions",
    claim: "from 60 to 200 parameters, at 100 evaluations, default Bayesian optimisation is not worse than a trust region, random search, \
            CMA-ES, and a region that never leaves its start",
    quick_cost: "2 problems, 5 methods, 1 replication, 40 evaluations: some seconds",
    full_cost: "4 problems, 5 methods, 10 replications, 100 evaluations: half an hour; --evaluations for more",
    run,
};

/// The first is the subject of the claims, the last is made worse on purpose.
const METHODS: [&str; 5] = ["BO", "trust region", "random", "CMA-ES", "stuck region"];

fn problems(context: &RunContext) -> Result<Vec<Wide>, ExperimentError> {
    if context.pick(true, false) {
        return Ok(vec![Wide::embedded(TestFunction::branin(), 20)?, Wide::ackley(5, 30)?]);
    }
    Ok(vec![
        Wide::embedded(TestFunction::branin(), 100)?,
        Wide::embedded(TestFunction::hartmann6(), 100)?,
        Wide::ackley(20, 200)?,
        Wide::rover(30)?,
    ])
}

/// One study. All model-based methods begin with the same design of a tenth of the evaluations.
fn one(
    problem: &Wide,
    method: usize,
    seed: Seed,
    i: usize,
    evaluations: usize,
) -> Result<Run, ExperimentError> {
    let space = problem.space().clone();
    let (name, stop) = (METHODS[method], MaxTrials(evaluations));
    let initial = InitialDesign::Sobol((evaluations / 10).max(4));
    let region =
        |settings: TrustRegionSettings| TrustRegionOptimizer::new(space.clone()).with_settings(settings);
    match name {
        "trust region" => {
            let optimizer = region(TrustRegionSettings { initial, ..TrustRegionSettings::default() })?;
            study(name, problem, optimizer, seed, i, stop)
        }
        "stuck region" => {
            let (side, largest, smallest) = (1e-4, 1e-4, 1e-9);
            let settings =
                TrustRegionSettings { initial, side, largest, smallest, ..TrustRegionSettings::default() };
            study(name, problem, region(settings)?, seed, i, stop)
        }
        "CMA-ES" => {
            let optimizer = CmaEs::new(space).with_settings(CmaEsSettings::default())?;
            study(name, problem, optimizer, seed, i, stop)
        }
        "BO" => {
            let settings = BoSettings { initial, ..BoSettings::default() };
            study(name, problem, BayesianOptimizer::new(space).with_settings(settings)?, seed, i, stop)
        }
        _ => study(name, problem, RandomSearch::new(space), seed, i, stop),
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(1, 10), context.evaluations(40, 100));
    let problems = problems(context)?;
    let labels: Vec<String> = problems.iter().map(Problem::name).collect();
    let work = |k: usize, m: usize, i: usize| {
        let seed = Seed(context.seed).child("bo/dimensions", (i * 100 + k) as u64);
        one(&problems[k], m, seed, i, evaluations)
    };
    let Ablation { table, numbers, judgement } =
        Ablation::run((EXPERIMENT.id, context), &METHODS, &labels, replications, work)?;
    let settings = [
        ("replications", replications.to_string()),
        ("evaluations", format!("{evaluations}, a tenth of them a Sobol design for model-based methods")),
    ];
    Ok(Report {
        judgement,
        numbers,
        settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
        notes: vec![
            "Claims: default Bayesian optimisation is not worse than each method by more than 0.1 in the mean of log₁₀ of the final regret. \
             The stuck region, with a side of 1e-4, is made worse on purpose. Seeds are shared by the methods. Regret of the path is its loss above that \
             of a straight line without obstacles."
                .into(),
        ],
        tables: vec![table],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All methods run on a small problem, and the region that never leaves its start stays near its design.
    #[test]
    fn methods_run_and_the_stuck_region_is_worse() {
        let problem = Wide::ackley(4, 8).unwrap();
        let last = |method: usize| {
            let run = one(&problem, method, Seed(1), 0, 40).unwrap();
            assert_eq!(run.regret.len(), 40);
            run.regret[39]
        };
        let regrets: Vec<f64> = (0..METHODS.len()).map(last).collect();
        assert!(regrets.iter().all(|regret| regret.is_finite()), "{regrets:?}");
        assert!(regrets[0] < regrets[4] && regrets[1] < regrets[4], "{regrets:?}");
    }
}
