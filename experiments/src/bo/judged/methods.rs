//! Our methods, and which others there are.

use thrifty_acquisition::AcquisitionKind;
use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign};
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space};
use thrifty_study::OptimizerError;
use thrifty_tpe::TpeOptimizer;

use super::problems::JudgedProblem;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::{Replications, RunContext};

/// The default Bayesian optimiser.
pub const DEFAULT: &str = "default";
/// The same with the surrogate of a user who says that evaluations are noisy.
pub const NOISY: &str = "noisy";
/// Made worse on purpose: no exploration.
pub const GREEDY: &str = "posterior mean alone";
/// Made worse on purpose: no model.
pub const RANDOM: &str = "random";

/// Our methods, the cheapest first.
pub const OURS: [&str; 5] = [RANDOM, "tpe", GREEDY, DEFAULT, NOISY];

/// The method whose claims are judged on a problem: on noisy ones that of `evaluations = "noisy"`.
pub fn judged_on(problem: &JudgedProblem) -> &'static str {
    if problem.is_noisy() { NOISY } else { DEFAULT }
}

/// True if one of our methods is run on a problem.
pub fn applies(method: &str, problem: &JudgedProblem) -> bool {
    method != NOISY || problem.is_noisy()
}

/// One of our methods after a design, planned for a number of evaluations as a study with that end is.
pub fn optimizer(
    method: &str,
    (noisy, evaluations): (bool, usize),
    space: Space,
    design: Vec<Config>,
) -> Result<AnyOptimizer, OptimizerError> {
    let bo = |surrogate: GpSurrogate, rule: AcquisitionKind, design: Vec<Config>, space: Space| {
        let (initial, budget) = (InitialDesign::Only(design), Some(evaluations));
        let settings = BoSettings { initial, budget, rule, ..BoSettings::default() };
        BayesianOptimizer::new(space).with_surrogate(surrogate).with_settings(settings).map(AnyOptimizer::new)
    };
    match method {
        RANDOM => Ok(AnyOptimizer::new(AfterDesign { design, search: RandomSearch::new(space) })),
        "tpe" => Ok(AnyOptimizer::new(AfterDesign { design, search: TpeOptimizer::new(space)? })),
        NOISY => bo(GpSurrogate::noisy(), AcquisitionKind::default(), design, space),
        GREEDY => {
            let surrogate = if noisy { GpSurrogate::noisy() } else { GpSurrogate::default() };
            bo(surrogate, AcquisitionKind::PosteriorMean, design, space)
        }
        _ => bo(GpSurrogate::default(), AcquisitionKind::default(), design, space),
    }
}

/// Another library.
pub struct PeerMethod {
    pub name: &'static str,
    /// Number of replications of the whole study.
    pub seeds: usize,
    pub applies: fn(&JudgedProblem) -> bool,
}

const fn peer(name: &'static str, seeds: usize) -> PeerMethod {
    PeerMethod { name, seeds, applies: |_| true }
}

/// The others, the cheapest first.
pub const PEERS: [PeerMethod; 9] = [
    peer("optuna-tpe", 20),
    peer("cma", 20),
    peer("egobox", 20),
    peer("optuna-gp", 20),
    peer("scikit-optimize", 20),
    peer("botorch", 20),
    peer("smac3", 5),
    peer("hebo", 5),
    PeerMethod { name: "saasbo", seeds: 5, applies: SAASBO_PROBLEMS },
];

/// The problems of the most expensive peer: two functions of ten dimensions.
const SAASBO_PROBLEMS: fn(&JudgedProblem) -> bool =
    |problem| ["logRosenbrock", "logStyblinskiTang"].contains(&problem.label.as_str());

impl PeerMethod {
    /// Numbers of replications.
    pub fn replications(&self, context: &RunContext) -> Replications {
        let Replications { run, planned } = context.replications(2, 20);
        Replications { run: run.min(self.seeds), planned: planned.min(self.seeds) }
    }
}
