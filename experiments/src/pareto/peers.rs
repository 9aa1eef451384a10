//! Expected hypervolume improvement beside other libraries.

use thrifty_sampling::Seed;
use thrifty_study::{MaxTrials, Study};
use thrifty_testbed::MultiObjectiveFunction;

use super::benchmarks::problems;
use super::comparison::design;
use super::methods::{Job, OURS, gaps};
use crate::error::ExperimentError;
use crate::harness::ablation::Groups;
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::{Beside, Ended, First, Interpreters, PeerMethod};

pub const EXPERIMENT: Experiment = Experiment {
    id: "pareto/peers",
    paper: "Differentiable Expected Hypervolume Improvement (Daulton et al., 2020): its way of comparing, on test problems \
            with published reference points",
    claim: "over seven test problems and after 40 evaluations, the exact expected hypervolume improvement does not miss more of the largest \
            hypervolume than random search, nor than Optuna's samplers and BoTorch's qLogNEHVI where they run beside (--python)",
    quick_cost: "2 problems, 2 methods, 2 designs, 16 evaluations: some seconds",
    full_cost: "7 problems, 2 methods, 20 designs, 40 evaluations: a minute, with --python two hours more",
    run,
};

/// Our methods. The second has no model: it is the one that must be seen to be worse.
const METHODS: [&str; 2] = [OURS, "random"];

const PEERS: [PeerMethod; 3] = [
    PeerMethod { script: "optuna-tpe", label: "TPE (Optuna)" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
    PeerMethod { script: "botorch-nehvi", label: "qLogNEHVI (BoTorch)" },
];

const NOTE: &str = "Claims: log EHVI does not miss more than each other method by 0.1 in the mean of log₁₀ of the missing hypervolume over all runs. \
    Methods share designs and seeds. Reference points and largest hypervolumes are those that BoTorch publishes. Optuna's samplers are not \
    told the reference point.";

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let problems = problems(context);
    let comparison =
        PeerComparison { context, problems: &problems, evaluations: context.evaluations(16, 40) };
    comparison.report()
}

struct PeerComparison<'a> {
    context: &'a RunContext,
    problems: &'a [MultiObjectiveFunction],
    evaluations: usize,
}

impl PeerComparison<'_> {
    fn report(&self) -> Result<Report, ExperimentError> {
        let n = self.context.replications(2, 20);
        let labels: Vec<String> = self.problems.iter().map(|problem| problem.name().into()).collect();
        let beside = Beside::new(EXPERIMENT.id, self.context, &PEERS, &labels, n.run);
        let together = beside.run(
            &METHODS,
            |k, m, i| self.ours(k, METHODS[m], i),
            |from, method, job| self.peer(from, method, job),
        )?;
        let group = [("methods", labels.len())];
        let groups = Groups::judge(&group, &together.methods, &labels, &together.finals, n.planned)?;
        let mut notes = vec![NOTE.to_owned()];
        notes.extend(together.notes);
        let evaluations = format!("{}, of them a Sobol design of 2 d + 2", self.evaluations);
        Ok(groups.report([("replications", n.run.to_string()), ("evaluations", evaluations)], notes))
    }

    /// Seed of a replication of a problem, which all methods share.
    fn seed(&self, k: usize, i: usize) -> Seed {
        self.context.seed_of(EXPERIMENT.id, k, i)
    }

    /// Missing hypervolume of one of our methods.
    fn ours(&self, k: usize, method: &'static str, replication: usize) -> Result<f64, ExperimentError> {
        let (problem, seed) = (&self.problems[k], self.seed(k, replication));
        let design = design(problem, seed);
        let job = Job { problem, method, replication, design, seed, evaluations: self.evaluations };
        Ok(job.run()?.last_regret())
    }

    /// Missing hypervolume of another library.
    fn peer(
        &self,
        from: &Interpreters,
        method: &'static str,
        (k, i): (usize, usize),
    ) -> Result<Ended<f64>, ExperimentError> {
        let (problem, seed) = (&self.problems[k], self.seed(k, i));
        let design = design(problem, seed);
        let first = First {
            method,
            seed: seed.0 & 0x7fff_ffff,
            design: design.len(),
            evaluations: self.evaluations,
            constraints: problem.truth(&design[0])?.constraints.len(),
            reference: problem.reference().to_vec(),
            ..First::default()
        };
        from.whole(problem.space(), &first, &design, |optimizer| {
            let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(self.evaluations));
            let failure = study.run(|config, context| problem.evaluate(config, &mut context.noise())).err();
            let left = gaps(problem, study.history())?.last().copied();
            Ok((left.unwrap_or(problem.max_hypervolume()), failure))
        })
    }
}
