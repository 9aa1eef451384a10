//! Published functions with steps: ties beside other libraries.

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign, TiePolicy};
use thrifty_sampling::{Seed, Sobol};
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space};
use thrifty_study::MaxTrials;
use thrifty_testbed::Problem;

use super::published::FUNCTIONS;
use crate::error::ExperimentError;
use crate::harness::ablation::Ablation;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::replicate::study;
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::{Beside, PeerMethod};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/jumps-peers",
    paper: "De Jong (1975), Yao, Liu & Lin (1999), Liang et al. (2006), Jamil & Yang (2013): functions with steps",
    claim: "on published functions with steps and 50 evaluations, default Bayesian optimisation is not worse than without regard to ties and than \
            random search, nor than egobox and Optuna's Gaussian process where they run beside (--python)",
    quick_cost: "2 functions, 3 methods, 2 replications, 20 evaluations: some seconds",
    full_cost: "7 functions, 3 methods, 20 replications, 50 evaluations: three minutes, with --python half a CPU hour more",
    run,
};

/// The first is the subject of the claims; the last is there to be found worse.
const METHODS: [&str; 3] = ["default", "ties ignored", "random"];

/// The others, the cheapest first.
const PEERS: [PeerMethod; 2] = [
    PeerMethod { script: "egobox", label: "egobox" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
];

/// Regrets below this share of the spread count as this.
const LEAST: f64 = 1e-5;

/// The design of all methods: two Sobol points for each parameter.
fn design(space: &Space, seed: Seed) -> Vec<Config> {
    let points = Sobol::scrambled(space.dim(), &mut seed.stream("design", 0)).take(2 * space.dim());
    points.rows().map(|x| space.decode(x)).collect()
}

/// An optimiser of ours.
fn optimizer(
    method: &str,
    space: &Space,
    design: Vec<Config>,
    evaluations: usize,
) -> Result<AnyOptimizer, ExperimentError> {
    if method == "random" {
        return Ok(AnyOptimizer::new(AfterDesign { design, search: RandomSearch::new(space.clone()) }));
    }
    let ties = if method == "ties ignored" { TiePolicy::Ignore } else { TiePolicy::default() };
    let (initial, budget) = (InitialDesign::Only(design), Some(evaluations));
    let settings = BoSettings { initial, budget, ties, ..BoSettings::default() };
    Ok(AnyOptimizer::new(BayesianOptimizer::new(space.clone()).with_settings(settings)?))
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (n, evaluations) = (context.replications(2, 20), context.pick(20, 50));
    let functions = context.pick(&FUNCTIONS[4..6], &FUNCTIONS[..]);
    let labels: Vec<String> = functions.iter().map(|function| function.label()).collect();
    let seed = |k: usize, i: usize| context.seed_of(EXPERIMENT.id, k, i);
    let beside = Beside::new(EXPERIMENT.id, context, &PEERS, &labels, n.run);
    let together = beside.run(
        &METHODS,
        |k, m, i| {
            let (problem, seed) = (functions[k].problem(seed(k, i)), seed(k, i));
            let optimizer =
                optimizer(METHODS[m], problem.space(), design(problem.space(), seed), evaluations)?;
            let regret =
                study(METHODS[m], &problem, optimizer, seed, i, MaxTrials(evaluations))?.last_regret();
            Ok((regret / problem.spread(&mut Seed(0).stream("spread", 0))).max(LEAST))
        },
        |from, method, (k, i)| {
            let (problem, seed) = (functions[k].problem(seed(k, i)), seed(k, i));
            let design = design(problem.space(), seed);
            let spread = problem.spread(&mut Seed(0).stream("spread", 0));
            let ended = from.best_found(method, &problem, (seed, &design), evaluations)?;
            Ok(ended.map(|regret| (regret / spread).max(LEAST)))
        },
    )?;
    let mut notes = vec![
        "Claims: default Bayesian optimisation is not worse than each other method by more than 0.1 in the mean of log₁₀ of the regret, in units of \
         the median of the loss less its minimum, from 1e-5. Methods share designs and seeds, and each replication has the minimum at another place, \
         but for De Jong's function. Random search is there to be found worse."
            .into(),
    ];
    notes.extend(together.notes);
    let ablation = Ablation::judge(&together.methods, &labels, &together.finals, n.planned)?;
    Ok(ablation.report(n, format!("{evaluations}, of them a Sobol design of 2 d"), notes))
}
