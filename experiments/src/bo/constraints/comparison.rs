//! Default Bayesian optimisation beside other methods and libraries on functions that share designs and seeds.

use thrifty_bo::{BayesianOptimizer, BoSettings, FailurePolicy, InitialDesign};
use thrifty_cmaes::CmaEs;
use thrifty_sampling::{Seed, Sobol};
use thrifty_search::RandomSearch;
use thrifty_space::Config;
use thrifty_tpe::TpeOptimizer;
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use super::problem::{Constrained, Told};
use crate::error::ExperimentError;
use crate::harness::ablation::Groups;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::{Report, RunContext};
use crate::peers::{Beside, Ended, First, Interpreters, PeerMethod};

/// Our methods. The first is the subject of the claims; after them comes the one that is made worse.
const METHODS: [&str; 5] = ["BO", "TPE", "trust region", "CMA-ES", "random"];

/// Default Bayesian optimisation that is made worse on purpose.
pub struct Worse {
    pub name: &'static str,
    pub failures: FailurePolicy,
    /// Form in which it is told the constraints, where that is another.
    pub told: Option<Told>,
}

/// A function, and the form in which its constraints are told.
pub type Posed = (Constrained, Told);

/// Comparison of default Bayesian optimisation with other methods and libraries on the same functions.
pub struct Comparison<'a> {
    pub id: &'static str,
    pub context: &'a RunContext,
    pub problems: &'a [Posed],
    /// Groups: the name of each, and the number of its problems, in their order.
    pub groups: &'a [(&'static str, usize)],
    pub worse: Worse,
    /// The others, the cheapest first.
    pub peers: &'a [PeerMethod],
}

impl Comparison<'_> {
    /// Makes the runs and judges them: 20 replications of 40 evaluations in the full form.
    pub fn report(&self, note: &str) -> Result<Report, ExperimentError> {
        let n = self.context.replications(2, 20);
        let labels: Vec<String> = self.problems.iter().map(|(problem, _)| problem.name()).collect();
        let methods: Vec<&'static str> = METHODS.into_iter().chain([self.worse.name]).collect();
        let beside = Beside::new(self.id, self.context, self.peers, &labels, n.run);
        let together = beside.run(
            &methods,
            |k, m, i| self.ours(k, methods[m], i),
            |from, method, job| self.peer(from, method, job),
        )?;
        let groups = Groups::judge(self.groups, &together.methods, &labels, &together.finals, n.planned)?;
        let mut notes = vec![format!(
            "Claims: default Bayesian optimisation is not worse than each other method by more than 0.1 in the mean of log₁₀ of the regret. Methods \
             share designs and seeds. {note}"
        )];
        notes.extend(together.notes);
        let evaluations = format!("{}, of them a Sobol design of 2 d, at least 6", self.evaluations());
        Ok(groups.report([("replications", n.run.to_string()), ("evaluations", evaluations)], notes))
    }

    fn evaluations(&self) -> usize {
        self.context.pick(16, 40)
    }

    /// Seed of a replication of a problem, which all methods share.
    fn seed(&self, k: usize, i: usize) -> Seed {
        self.context.seed_of(self.id, k, i)
    }

    /// The design that methods share: two Sobol points for each parameter, at least six.
    fn design(&self, k: usize, seed: Seed) -> Vec<Config> {
        let space = self.problems[k].0.space();
        let points =
            Sobol::scrambled(space.dim(), &mut seed.stream("design", 0)).take((2 * space.dim()).max(6));
        points.rows().map(|u| space.at_quantiles(u)).collect()
    }

    fn optimizer(&self, method: &str, k: usize, seed: Seed) -> Result<AnyOptimizer, ExperimentError> {
        let space = self.problems[k].0.space().clone();
        let (design, budget) = (self.design(k, seed), Some(self.evaluations()));
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
                let default = BoSettings::default();
                let failures = if method == self.worse.name { self.worse.failures } else { default.failures };
                let settings = BoSettings { initial, budget, failures, ..default };
                AnyOptimizer::new(BayesianOptimizer::new(space).with_settings(settings)?)
            }
        })
    }

    /// One run of ours.
    fn ours(&self, k: usize, method: &str, i: usize) -> Result<f64, ExperimentError> {
        let (seed, (problem, told)) = (self.seed(k, i), &self.problems[k]);
        let told = self.worse.told.filter(|_| method == self.worse.name).unwrap_or(*told);
        problem.left(self.optimizer(method, k, seed)?, told, seed, self.evaluations())
    }

    /// One run of another library.
    fn peer(
        &self,
        from: &Interpreters,
        method: &'static str,
        (k, i): (usize, usize),
    ) -> Result<Ended<f64>, ExperimentError> {
        let (seed, (problem, told)) = (self.seed(k, i), &self.problems[k]);
        let design = self.design(k, seed);
        let first = First {
            method,
            seed: seed.0 & 0x7fff_ffff,
            design: design.len(),
            evaluations: self.evaluations(),
            constraints: if *told == Told::Measured { problem.constraints() } else { 0 },
            failing: told.fails(),
            ..First::default()
        };
        from.whole(problem.space(), &first, &design, |optimizer| {
            problem.study(optimizer, *told, seed, self.evaluations())
        })
    }
}
