//! Measured constraints: published functions, beside other libraries.

use thrifty_bo::FailurePolicy;

use super::comparison::{Comparison, Posed, Worse};
use super::functions::{ACTIVE, FUNCTIONS, Published};
use super::problem::Told;
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::PeerMethod;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/constraints-peers",
    paper: "Gardner et al. (2014), Gramacy et al. (2016), Letham et al. (2019), Coello Coello (2000): functions with constraints",
    claim: "on published functions with measured constraints and 40 evaluations, default Bayesian optimisation is not worse than tree-structured \
            Parzen estimators, a trust region, CMA-ES and random search, nor than without knowledge of the constraints, nor than Optuna's \
            samplers, egobox and BoTorch where they run beside (--python), where the minimum is on a border and where it is not",
    quick_cost: "1 function of each kind, 6 methods, 2 replications, 16 evaluations: some seconds",
    full_cost: "11 functions, 6 methods, 20 replications, 40 evaluations: five minutes, with --python four hours more",
    run,
};

const PEERS: [PeerMethod; 4] = [
    PeerMethod { script: "optuna-tpe", label: "TPE (Optuna)" },
    PeerMethod { script: "egobox", label: "egobox" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
    PeerMethod { script: "botorch", label: "BoTorch" },
];

/// Functions with an active constraint at the minimum, then those without.
const GROUPS: [(&str, usize); 2] = [("active", ACTIVE), ("idle", FUNCTIONS.len() - ACTIVE)];

const NOTE: &str = "Regret of the best trial that breaks no constraint, in units of the median of the loss less its minimum, from 1e-6 to 1, \
    which is also that of a run without such a trial. Constraints ignored is made worse on purpose.";

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (chosen, groups) = context
        .pick((&FUNCTIONS[ACTIVE - 1..=ACTIVE], [("active", 1), ("idle", 1)]), (&FUNCTIONS[..], GROUPS));
    let posed = |function: &Published| Ok((function.problem()?, Told::Measured));
    let problems = chosen.iter().map(posed).collect::<Result<Vec<Posed>, ExperimentError>>()?;
    let worse =
        Worse { name: "constraints ignored", failures: FailurePolicy::default(), told: Some(Told::Ignored) };
    let comparison =
        Comparison { id: EXPERIMENT.id, context, problems: &problems, groups: &groups, worse, peers: &PEERS };
    comparison.report(NOTE)
}
