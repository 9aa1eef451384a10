//! Measured constraints: published functions, beside other libraries.

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign};
use thrifty_cmaes::CmaEs;
use thrifty_sampling::{Seed, Sobol};
use thrifty_search::RandomSearch;
use thrifty_space::Config;
use thrifty_tpe::TpeOptimizer;
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use super::functions::{ACTIVE, FUNCTIONS, Published};
use super::problem::{Constrained, Told};
use crate::error::ExperimentError;
use crate::harness::ablation::Groups;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::{Beside, Ended, First, Interpreters, PeerMethod};

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

/// The first is the subject of the claims; the last knows nothing of the constraints and is there to be found worse.
const METHODS: [&str; 6] = ["BO", "TPE", "trust region", "CMA-ES", "random", IGNORED];
const IGNORED: &str = "constraints ignored";

/// The others, the cheapest first.
const PEERS: [PeerMethod; 4] = [
    PeerMethod { script: "optuna-tpe", label: "TPE (Optuna)" },
    PeerMethod { script: "egobox", label: "egobox" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
    PeerMethod { script: "botorch", label: "BoTorch" },
];

/// Functions with an active constraint at the minimum, then those without.
const GROUPS: [(&str, usize); 2] = [("active", ACTIVE), ("idle", FUNCTIONS.len() - ACTIVE)];

/// Everything that runs have in common.
struct Plan<'a> {
    context: &'a RunContext,
    problems: &'a [Constrained],
    evaluations: usize,
}

impl Plan<'_> {
    /// Seed of a replication of a problem, which all methods share.
    fn seed(&self, k: usize, i: usize) -> Seed {
        Seed(self.context.seed).child(EXPERIMENT.id, (i * 100 + k) as u64)
    }

    /// The design that methods share: two Sobol points for each parameter, at least six.
    fn design(&self, k: usize, seed: Seed) -> Vec<Config> {
        let space = self.problems[k].space();
        let points =
            Sobol::scrambled(space.dim(), &mut seed.stream("design", 0)).take((2 * space.dim()).max(6));
        points.rows().map(|u| space.at_quantiles(u)).collect()
    }

    fn optimizer(&self, method: &str, k: usize, seed: Seed) -> Result<AnyOptimizer, ExperimentError> {
        let (space, design, budget) =
            (self.problems[k].space().clone(), self.design(k, seed), Some(self.evaluations));
        let initial = InitialDesign::Only(design.clone());
        Ok(match method {
            "TPE" => AnyOptimizer::new(AfterDesign { design, search: TpeOptimizer::new(space)? }),
            "trust region" => {
                let settings = TrustRegionSettings { initial, budget, ..TrustRegionSettings::default() };
                AnyOptimizer::new(TrustRegionOptimizer::new(space).with_settings(settings)?)
            }
            "CMA-ES" => AnyOptimizer::new(AfterDesign { design, search: CmaEs::new(space) }),
            "random" => AnyOptimizer::new(AfterDesign { design, search: RandomSearch::new(space) }),
            _ => {
                let settings = BoSettings { initial, budget, ..BoSettings::default() };
                AnyOptimizer::new(BayesianOptimizer::new(space).with_settings(settings)?)
            }
        })
    }

    /// One run of ours.
    fn ours(&self, k: usize, method: &str, i: usize) -> Result<f64, ExperimentError> {
        let (seed, told) = (self.seed(k, i), if method == IGNORED { Told::Ignored } else { Told::Measured });
        self.problems[k].left(self.optimizer(method, k, seed)?, told, seed, self.evaluations)
    }

    /// One run of another library.
    fn peer(
        &self,
        from: &Interpreters,
        method: &'static str,
        (k, i): (usize, usize),
    ) -> Result<Ended<f64>, ExperimentError> {
        let (problem, seed) = (&self.problems[k], self.seed(k, i));
        let design = self.design(k, seed);
        let first = First {
            method,
            seed: seed.0 & 0x7fff_ffff,
            design: design.len(),
            evaluations: self.evaluations,
            constraints: problem.constraints(),
            ..First::default()
        };
        from.whole(problem.space(), &first, &design, |optimizer| {
            problem.study(optimizer, Told::Measured, seed, self.evaluations)
        })
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 20);
    let evaluations = context.pick(16, 40);
    let (chosen, groups) = context
        .pick((&FUNCTIONS[ACTIVE - 1..=ACTIVE], [("active", 1), ("idle", 1)]), (&FUNCTIONS[..], GROUPS));
    let problems = chosen.iter().map(Published::problem).collect::<Result<Vec<_>, _>>()?;
    let plan = Plan { context, problems: &problems, evaluations };
    let labels: Vec<String> = problems.iter().map(Constrained::name).collect();
    let beside = Beside::new(EXPERIMENT.id, context, &PEERS, &labels, n.run);
    let together = beside.run(
        &METHODS,
        |k, m, i| plan.ours(k, METHODS[m], i),
        |from, method, job| plan.peer(from, method, job),
    )?;
    let groups = Groups::judge(&groups, &together.methods, &labels, &together.finals, n.planned)?;
    let mut notes = vec![
        "Claims: default Bayesian optimisation is not worse than each other method by more than 0.1 in the mean of log₁₀ of the regret. Regret of \
         the best trial that breaks no constraint, in units of the median of the loss less its minimum, from 1e-6 to 1, which is also that of a \
         run without such a trial. Methods share designs and seeds. Constraints ignored is made worse on purpose."
            .into(),
    ];
    notes.extend(together.notes);
    let evaluations = format!("{evaluations}, of them a Sobol design of 2 d, at least 6");
    Ok(groups.report([("replications", n.run.to_string()), ("evaluations", evaluations)], notes))
}
