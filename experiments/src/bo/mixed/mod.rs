//! Many parameters that are not all continuous: default Bayesian optimisation beside other methods on binary, categorical, mixed and
//! conditional spaces.

mod problems;

use thrifty_bo::{BayesianOptimizer, BoSettings, Maximizer};
use thrifty_cmaes::CmaEs;
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_study::MaxTrials;
use thrifty_testbed::Problem;
use thrifty_tpe::TpeOptimizer;
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use self::problems::Kind;
use super::many_parameters::Wide;
use crate::error::ExperimentError;
use crate::harness::ablation::Ablation;
use crate::harness::replicate::study;
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::{Beside, PeerMethod};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/mixed",
    paper: "Wan et al. (2021): Ackley's function of binary parameters; Packebusch & Mertens (2016): autocorrelations; Kauffman & Weinberger (1989): \
            chains",
    claim: "with 30 to 100 binary, categorical, mixed or conditional parameters and 100 evaluations, default Bayesian optimisation is not worse \
            than tree-structured Parzen estimators, a trust region, CMA-ES and random search, nor than itself with the best of eight random \
            points, nor than Optuna's Parzen estimators, Optuna's Gaussian process and SMAC3 where they run beside (--python)",
    quick_cost: "2 problems, 6 methods, 1 replication, 30 evaluations: some seconds",
    full_cost: "5 problems, 6 methods, 10 replications, 100 evaluations: half an hour, with --python some hours more",
    run,
};

/// The first is the subject of the claims, the last is made worse on purpose.
const METHODS: [&str; 6] = ["BO", "TPE", "trust region", "CMA-ES", "random", "8 random points"];

/// The others, the cheapest first.
const PEERS: [PeerMethod; 3] = [
    PeerMethod { script: "optuna-tpe", label: "TPE (Optuna)" },
    PeerMethod { script: "smac3", label: "forest (SMAC3)" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
];

const KINDS: [Kind; 5] = [
    Kind::Ackley { binary: 50, continuous: 3 },
    Kind::Autocorrelation { length: 50, least: 153 },
    Kind::Chain { length: 30, choices: 4 },
    Kind::Hartmann { idle: [40, 30, 24] },
    Kind::Branches { count: 6, shared: 10, own: 10 },
];

const QUICK: [Kind; 2] =
    [Kind::Ackley { binary: 8, continuous: 2 }, Kind::Branches { count: 3, shared: 2, own: 3 }];

/// The final regret of a method on a problem. Every method has its own initial design for so many planned evaluations.
fn regret(
    problem: &Wide,
    method: &str,
    evaluations: usize,
    seed: Seed,
    i: usize,
) -> Result<f64, ExperimentError> {
    let (space, stop, budget) = (problem.space().clone(), MaxTrials(evaluations), Some(evaluations));
    let bo = |maximizer| {
        BayesianOptimizer::new(space.clone()).with_settings(BoSettings {
            maximizer,
            budget,
            ..BoSettings::default()
        })
    };
    let run = match method {
        "BO" => study(method, problem, bo(Maximizer::default())?, seed, i, stop),
        "8 random points" => {
            let worse = Maximizer { raw: 8, climbs: 0, around_best: 0 };
            study(method, problem, bo(worse)?, seed, i, stop)
        }
        "TPE" => study(method, problem, TpeOptimizer::new(space)?, seed, i, stop),
        "trust region" => {
            let settings = TrustRegionSettings { budget, ..TrustRegionSettings::default() };
            let optimizer = TrustRegionOptimizer::new(space).with_settings(settings)?;
            study(method, problem, optimizer, seed, i, stop)
        }
        "CMA-ES" => study(method, problem, CmaEs::new(space), seed, i, stop),
        _ => study(method, problem, RandomSearch::new(space), seed, i, stop),
    };
    Ok(run?.last_regret())
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(1, 10);
    let evaluations = context.evaluations(30, 100);
    let kinds = context.pick(&QUICK[..], &KINDS[..]);
    let labels: Vec<String> = kinds.iter().map(|kind| kind.label()).collect();
    // All methods of a replication have the same problem and seed.
    let seed = |k: usize, i: usize| context.seed_of(EXPERIMENT.id, k, i);
    let one = |k: usize, m: usize, i: usize| {
        regret(&kinds[k].problem(seed(k, i))?, METHODS[m], evaluations, seed(k, i), i)
    };
    let beside = Beside::new(EXPERIMENT.id, context, &PEERS, &labels, n.run);
    let together = beside.run(&METHODS, one, |from, method, (k, i)| {
        kinds[k].problem(seed(k, i))?.beside(from, method, seed(k, i), evaluations)
    })?;
    let mut notes = vec![format!(
        "Claims: default Bayesian optimisation is not worse than each method by more than 0.1 in the mean of log₁₀ of the final regret. The \
         same with the best of eight random points for a maximizer is made worse on purpose. Other libraries begin with {} Sobol points.",
        Wide::designed(evaluations)
    )];
    notes.extend(together.notes);
    let ablation = Ablation::judge(&together.methods, &labels, &together.finals, n.planned)?;
    Ok(ablation.report(
        n,
        format!("{evaluations}, of them the automatic design of each of our methods"),
        notes,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All methods run on all kinds of spaces, of which these are small ones.
    #[test]
    fn methods_run_on_every_kind_and_the_model_is_ahead_of_chance() {
        let kinds = [
            QUICK[0],
            Kind::Autocorrelation { length: 10, least: 13 },
            Kind::Chain { length: 6, choices: 3 },
            Kind::Hartmann { idle: [2, 1, 1] },
            QUICK[1],
        ];
        for kind in kinds {
            let problem = kind.problem(Seed(5)).unwrap();
            let last = |method: &str| regret(&problem, method, 25, Seed(5), 0).unwrap();
            let regrets = METHODS.map(last);
            assert!(regrets.iter().all(|regret| regret.is_finite() && *regret > -1e-12), "{regrets:?}");
        }
        let problem = QUICK[0].problem(Seed(5)).unwrap();
        let last = |method: &str| regret(&problem, method, 40, Seed(5), 0).unwrap();
        assert!(last("BO") < last("random"));
    }
}
