//! Failed trials: published functions, beside other libraries.

use thrifty_bo::FailurePolicy;

use super::comparison::{Comparison, Posed, Worse};
use super::functions::{ACTIVE, FREE, FUNCTIONS, Published};
use super::problem::Told;
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::PeerMethod;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/failures-peers",
    paper: "functions of Gardner et al. (2014), Gramacy et al. (2016), Letham et al. (2019), Coello Coello (2000) and others; trials fail",
    claim: "on published functions whose trials fail where a constraint is broken, which is not measured, with the minimum on the border and apart \
            from it, and on others whose trials fail by chance, default Bayesian optimisation is after 40 evaluations not worse than \
            tree-structured Parzen estimators, a trust region, CMA-ES and random search, nor than with failures left out, nor than Optuna's \
            samplers, egobox and BoTorch where they run beside (--python)",
    quick_cost: "1 function of each kind, 6 methods, 2 replications, 16 evaluations: some seconds",
    full_cost: "14 functions, 6 methods, 20 replications, 40 evaluations: five minutes, with --python two hours more",
    run,
};

const PEERS: [PeerMethod; 4] = [
    PeerMethod { script: "optuna-tpe", label: "TPE (Optuna)" },
    PeerMethod { script: "egobox-viability", label: "egobox" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
    PeerMethod { script: "botorch", label: "BoTorch" },
];

/// Functions with the minimum on the border of failures, those with it apart from them, and those whose trials fail by chance.
const GROUPS: [(&str, usize); 3] =
    [("active", ACTIVE), ("idle", FUNCTIONS.len() - ACTIVE), ("chance", FREE.len())];

/// Share of the trials that fails by chance.
const SHARE: f64 = 0.2;

const NOTE: &str = "Regret of the best trial that did not fail, in units of the median of the loss less its minimum, from 1e-6 to 1, which is \
    also that of a run without such a trial. Egobox has its model of viability; Optuna and BoTorch leave failed trials out. Failures left out \
    is made worse on purpose.";

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let one_of_each = GROUPS.map(|(group, _)| (group, 1));
    let (within, free, groups) = context.pick(
        (&FUNCTIONS[ACTIVE - 1..=ACTIVE], &FREE[..1], one_of_each),
        (&FUNCTIONS[..], &FREE[..], GROUPS),
    );
    let within = within.iter().map(|function| (function, Told::Failed));
    let posed = |(function, told): (&Published, Told)| Ok((function.problem()?, told));
    let problems = within
        .chain(free.iter().map(|function| (function, Told::FailedAtRandom(SHARE))))
        .map(posed)
        .collect::<Result<Vec<Posed>, ExperimentError>>()?;
    let worse = Worse { name: "failures left out", failures: FailurePolicy::Ignore, told: None };
    let comparison =
        Comparison { id: EXPERIMENT.id, context, problems: &problems, groups: &groups, worse, peers: &PEERS };
    comparison.report(NOTE)
}
