//! Many dimensions: default Bayesian optimisation, trust regions and evolution strategies from 60 to 200 parameters.

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign};
use thrifty_cmaes::{CmaEs, CmaEsSettings};
use thrifty_gp::Learning;
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_study::MaxTrials;
use thrifty_testbed::{Problem, TestFunction};
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use super::many_parameters::Wide;
use super::sparse;
use crate::error::ExperimentError;
use crate::harness::ablation::Ablation;
use crate::harness::replicate::{Run, study};
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::{Beside, PeerMethod};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/dimensions",
    paper: "Eriksson et al. (2019), Eriksson & Jankowiak (2021), Hvarfner et al. (2024): problems of many dimensions",
    claim: "from 60 to 200 parameters, at 100 evaluations, default Bayesian optimisation is not worse than with sparse axes, a trust region, \
            random search, CMA-ES, and a region that never leaves its start, nor than TuRBO and sparse axes of BoTorch where they run beside (--python)",
    quick_cost: "2 problems, 6 methods, 1 replication, 40 evaluations: some seconds",
    full_cost: "4 problems, 6 methods, 10 replications, 100 evaluations: half an hour, with --python two hours more for TuRBO alone; --evaluations for more",
    run,
};

/// The first is the subject of the claims, the last is made worse on purpose.
const METHODS: [&str; 6] = ["BO", "sparse axes", "trust region", "random", "CMA-ES", "stuck region"];

/// The others, the cheapest first.
const PEERS: [PeerMethod; 2] = [
    PeerMethod { script: "turbo", label: "TuRBO (BoTorch)" },
    PeerMethod { script: "map-saas", label: "sparse axes (BoTorch)" },
];

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

/// Everything that runs have in common.
struct Plan<'a> {
    context: &'a RunContext,
    problems: &'a [Wide],
    evaluations: usize,
}

impl Plan<'_> {
    /// Seed of a replication of a problem, which all methods share.
    fn seed(&self, k: usize, i: usize) -> Seed {
        self.context.seed_of(EXPERIMENT.id, k, i)
    }

    /// One study of ours.
    fn ours(&self, k: usize, method: usize, i: usize) -> Result<Run, ExperimentError> {
        let (problem, seed) = (&self.problems[k], self.seed(k, i));
        let (name, stop, space) = (METHODS[method], MaxTrials(self.evaluations), problem.space().clone());
        let initial = InitialDesign::Only(problem.design(self.evaluations, seed));
        let region =
            |settings: TrustRegionSettings| TrustRegionOptimizer::new(space.clone()).with_settings(settings);
        match name {
            "trust region" => {
                let optimizer = region(TrustRegionSettings { initial, ..TrustRegionSettings::default() })?;
                study(name, problem, optimizer, seed, i, stop)
            }
            "stuck region" => {
                let (side, largest, smallest) = (1e-4, 1e-4, 1e-9);
                let settings = TrustRegionSettings {
                    initial,
                    side,
                    largest,
                    smallest,
                    ..TrustRegionSettings::default()
                };
                study(name, problem, region(settings)?, seed, i, stop)
            }
            "CMA-ES" => {
                let optimizer = CmaEs::new(space).with_settings(CmaEsSettings::default())?;
                study(name, problem, optimizer, seed, i, stop)
            }
            "BO" | "sparse axes" => {
                let settings = BoSettings { initial, ..BoSettings::default() };
                let mut optimizer = BayesianOptimizer::new(space).with_settings(settings)?;
                if name == "sparse axes" {
                    optimizer = optimizer.with_surrogate(sparse::surrogate(Learning::MostProbable));
                }
                study(name, problem, optimizer, seed, i, stop)
            }
            _ => study(name, problem, RandomSearch::new(space), seed, i, stop),
        }
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(1, 10);
    let (replications, evaluations) = (n.run, context.evaluations(40, 100));
    let problems = problems(context)?;
    let plan = Plan { context, problems: &problems, evaluations };
    let labels: Vec<String> = problems.iter().map(Problem::name).collect();
    let beside = Beside::new(EXPERIMENT.id, context, &PEERS, &labels, replications);
    let together = beside.run(
        &METHODS,
        |k, m, i| Ok(plan.ours(k, m, i)?.last_regret()),
        |from, method, (k, i)| problems[k].beside(from, method, plan.seed(k, i), evaluations),
    )?;
    let mut notes = vec![
        "Claims: default Bayesian optimisation is not worse than each method by more than 0.1 in the mean of log₁₀ of the final regret. \
         The stuck region, with a side of 1e-4, is made worse on purpose. Methods share seeds, and those with a model the design. Regret of the path \
         is its loss above that of a straight line without obstacles."
            .into(),
    ];
    notes.extend(together.notes);
    let ablation = Ablation::judge(&together.methods, &labels, &together.finals, n.planned)?;
    Ok(ablation.report(
        n,
        format!("{evaluations}, a tenth of them a Sobol design for model-based methods"),
        notes,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All methods run on a small problem, and the region that never leaves its start stays near its design.
    #[test]
    fn methods_run_and_the_stuck_region_is_worse() {
        let context = RunContext { seed: 1, ..RunContext::default() };
        let problems = [Wide::ackley(4, 8).unwrap()];
        let plan = Plan { context: &context, problems: &problems, evaluations: 40 };
        let last = |method: usize| {
            let run = plan.ours(0, method, 0).unwrap();
            assert_eq!(run.regret.len(), 40);
            (run.regret[3], run.regret[39])
        };
        let regrets: Vec<(f64, f64)> = (0..METHODS.len()).map(last).collect();
        assert!(regrets.iter().all(|(_, last)| last.is_finite()), "{regrets:?}");
        assert!(regrets[..3].iter().all(|(_, last)| *last < regrets[5].1), "{regrets:?}");
        // The design of four points is that of all methods with a model.
        assert!([1, 2, 5].iter().all(|method| regrets[*method].0 == regrets[0].0), "{regrets:?}");
    }
}
