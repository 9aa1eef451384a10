//! Batches of trials on published functions, beside other libraries.

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign, PendingPolicy};
use thrifty_sampling::{Seed, Sobol};
use thrifty_search::RandomSearch;
use thrifty_space::Config;
use thrifty_study::{Next, Optimizer, Study, StudyError};
use thrifty_testbed::{Problem, TestFunction};

use super::super::development::Development;
use crate::error::ExperimentError;
use crate::harness::ablation::Groups;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::{Experiment, Report, RunContext};
use crate::peers::{Beside, First, Found, PeerMethod};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/batches-peers",
    paper: "none: batches of 4, 8 and 16, beside other libraries with --python",
    claim: "on published functions, 48 trials in batches of 4, of 8 and of 16 after a design of 16, default Bayesian optimisation is not worse than the \
            kriging believer and random search, nor than BoTorch's joint expected improvement, egobox, and Optuna's Gaussian process and its Parzen \
            estimator where they run beside (--python)",
    quick_cost: "2 functions, 1 batch size, 3 methods, 2 replications, 32 evaluations: some seconds",
    full_cost: "6 functions, 3 batch sizes, 3 methods, 10 replications, 64 evaluations: five minutes, with --python two CPU hours more",
    run,
};

/// Our methods. The first is the subject of the claims, the last is there to be found worse.
const METHODS: [&str; 3] = ["default", BELIEVER, RANDOM];
const BELIEVER: &str = "kriging believer";
const RANDOM: &str = "random";

/// The others, the cheapest first.
const PEERS: [PeerMethod; 4] = [
    PeerMethod { script: "optuna-tpe", label: "TPE (Optuna)" },
    PeerMethod { script: "egobox", label: "egobox" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
    PeerMethod { script: "botorch", label: "joint EI (BoTorch)" },
];

/// None of them is a development problem, and [`bo/batches`](super::EXPERIMENT) has none of them.
const FUNCTIONS: [fn() -> TestFunction; 6] = [
    TestFunction::six_hump_camel,
    TestFunction::cosines,
    TestFunction::goldstein_price,
    TestFunction::hartmann3,
    || TestFunction::styblinski_tang(3),
    || TestFunction::rosenbrock(4),
];

/// Trials of the Sobol design, which are told before the first batch is asked.
const DESIGN: usize = 16;

/// Regrets below this share of the spread count as this.
const LEAST: f64 = 1e-5;

/// A function whose trials are evaluated so many at a time.
struct Batched {
    function: TestFunction,
    size: usize,
    /// Median of the function less its minimum.
    spread: f64,
}

impl Batched {
    fn new(function: TestFunction, size: usize) -> Self {
        let scaled = Development::published(&function.name(), &function);
        let spread = scaled.spread(&mut Seed(0).stream("spread", 0));
        Self { function, size, spread }
    }

    fn label(&self) -> String {
        let dim = self.function.bounds().len();
        format!("{}, d = {dim}, q = {}", self.function.name(), self.size)
    }

    fn design(&self, seed: Seed) -> Vec<Config> {
        let space = self.function.space();
        let points = Sobol::scrambled(space.dim(), &mut seed.stream("design", 0)).take(DESIGN);
        points.rows().map(|x| space.decode(x)).collect()
    }

    /// One of our methods after the design.
    fn optimizer(&self, method: &str, seed: Seed) -> Result<AnyOptimizer, ExperimentError> {
        let (space, design) = (self.function.space().clone(), self.design(seed));
        if method == RANDOM {
            return Ok(AnyOptimizer::new(AfterDesign { design, search: RandomSearch::new(space) }));
        }
        let pending =
            if method == BELIEVER { PendingPolicy::KrigingBeliever } else { PendingPolicy::default() };
        let settings = BoSettings { initial: InitialDesign::Only(design), pending, ..BoSettings::default() };
        Ok(AnyOptimizer::new(BayesianOptimizer::new(space).with_settings(settings)?))
    }

    /// The least regret in units of the spread, and the error that ended the study early.
    fn regret<O>(&self, optimizer: O, seed: Seed, evaluations: usize) -> Result<Found, ExperimentError>
    where
        O: Optimizer<Query = Config>,
    {
        let mut study = Study::new(optimizer, seed).with_trials(evaluations);
        let failure = self.evaluate_all(&mut study, seed).err();
        let best = study.history().best().map(|(trial, _)| self.function.regret(&trial.query)).transpose()?;
        Ok(((best.unwrap_or(f64::INFINITY) / self.spread).max(LEAST), failure))
    }

    /// Runs a study to its end: each batch is asked in full, then told in full.
    fn evaluate_all<O>(&self, study: &mut Study<O>, seed: Seed) -> Result<(), StudyError>
    where
        O: Optimizer<Query = Config>,
    {
        loop {
            let mut asked = Vec::with_capacity(self.size);
            while asked.len() < self.size
                && study.check_stop().is_none()
                && let Next::Evaluate(trial) = study.ask()?
            {
                asked.push(trial);
            }
            if asked.is_empty() {
                return Ok(());
            }
            for trial in asked {
                let mut noise = seed.stream("evaluation", trial.id.0);
                study.tell(trial.id, self.function.evaluate(&trial.query, &mut noise))?;
            }
        }
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (n, evaluations) = (context.replications(2, 10), context.pick(32, 64));
    let (functions, sizes) =
        (context.pick(&FUNCTIONS[..2], &FUNCTIONS[..]), context.pick(&[8][..], &[4, 8, 16][..]));
    let problems: Vec<Batched> = sizes
        .iter()
        .flat_map(|size| functions.iter().map(move |function| Batched::new(function(), *size)))
        .collect();
    let labels: Vec<String> = problems.iter().map(Batched::label).collect();
    // A function has the same designs with every batch size.
    let seed = |k: usize, i: usize| context.seed_of(EXPERIMENT.id, k % functions.len(), i);
    let beside = Beside::new(EXPERIMENT.id, context, &PEERS, &labels, n.run);
    let together = beside.run(
        &METHODS,
        |k, m, i| {
            let (problem, seed) = (&problems[k], seed(k, i));
            let (regret, failure) =
                problem.regret(problem.optimizer(METHODS[m], seed)?, seed, evaluations)?;
            failure.map_or(Ok(regret), |error| Err(error.into()))
        },
        |from, method, (k, i)| {
            let (problem, seed) = (&problems[k], seed(k, i));
            let (own, batch) = (seed.0 & 0x7fff_ffff, problem.size);
            let first = First { method, seed: own, design: DESIGN, evaluations, batch, ..First::default() };
            from.whole(problem.function.space(), &first, &problem.design(seed), |optimizer| {
                problem.regret(optimizer, seed, evaluations)
            })
        },
    )?;
    let names: Vec<String> = sizes.iter().map(|size| format!("q-{size}")).collect();
    let groups: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), functions.len())).collect();
    let groups = Groups::judge(&groups, &together.methods, &labels, &together.finals, n.planned)?;
    let mut notes = vec![
        "Claims: the default is not worse than each other method by more than 0.1 in the mean of log₁₀ of the regret, in units of the median of the \
         function less its minimum, from 1e-5, with batches of each size. A batch is asked in full, then told in full. Methods share designs and \
         seeds. Random search is there to be found worse."
            .into(),
    ];
    notes.extend(together.notes);
    let evaluations = format!("{evaluations}, of them a Sobol design of {DESIGN}");
    Ok(groups.report([("replications", n.run.to_string()), ("evaluations", evaluations)], notes))
}

#[cfg(test)]
mod tests {
    use thrifty_study::{Ask, Fingerprint, History, OptimizerError, Suggestion, TrialId};

    use super::*;

    /// Asks at the minimum, and notes how many trials run at each ask.
    struct Counting {
        minimum: Config,
        running: Vec<usize>,
    }

    impl Optimizer for Counting {
        type Query = Config;
        type Recommendation = ();

        fn ask(&mut self, history: &History<Config>, _: TrialId) -> Result<Ask<Config>, OptimizerError> {
            self.running.push(history.pending().count());
            Ok(Ask::Evaluate(Suggestion::new(self.minimum.clone())))
        }

        fn recommend(&mut self, _: &History<Config>) -> Result<Option<()>, OptimizerError> {
            Ok(None)
        }

        fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
            Ok(Fingerprint::new("counting"))
        }
    }

    /// A batch is told when all of it were asked; the last one is what is left.
    #[test]
    fn batches_are_asked_in_full() {
        let problem = Batched::new(TestFunction::branin(), 4);
        let minimum = TestFunction::config(&problem.function.optimizers()[0]);
        let optimizer = Counting { minimum, running: Vec::new() };
        let mut study = Study::new(optimizer, Seed(1)).with_trials(10);
        problem.evaluate_all(&mut study, Seed(1)).unwrap();
        assert_eq!(study.optimizer().running, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
        assert!(study.history().measured().all(|(_, loss)| loss < 0.398));
        let best = Counting {
            minimum: TestFunction::config(&problem.function.optimizers()[1]),
            running: Vec::new(),
        };
        let (regret, failure) = problem.regret(best, Seed(1), 10).unwrap();
        assert!(regret == LEAST && failure.is_none());
    }

    /// The median of Branin's function is some tens above its minimum.
    #[test]
    fn regrets_are_in_units_of_the_spread() {
        let problem = Batched::new(TestFunction::branin(), 4);
        assert!((20.0..60.0).contains(&problem.spread), "{}", problem.spread);
        let worst = Counting { minimum: TestFunction::config(&[-5.0, 0.0]), running: Vec::new() };
        let value = problem.function.value(&[-5.0, 0.0]) - problem.function.optimum();
        let (regret, _) = problem.regret(worst, Seed(1), 5).unwrap();
        assert!((regret - value / problem.spread).abs() < 1e-12);
    }

    /// The design is first, whatever the method, and the model finds more than chance.
    #[test]
    fn methods_begin_with_the_design() {
        let problem = Batched::new(TestFunction::cosines(), 8);
        let design = problem.design(Seed(3));
        let mut regrets = Vec::new();
        for method in METHODS {
            let optimizer = problem.optimizer(method, Seed(3)).unwrap();
            let mut study = Study::new(optimizer, Seed(3)).with_trials(48);
            problem.evaluate_all(&mut study, Seed(3)).unwrap();
            let trials = study.history().trials();
            assert_eq!(trials.len(), 48);
            assert!(trials.iter().zip(&design).all(|(trial, config)| trial.query == *config), "{method}");
            regrets.push(problem.regret(problem.optimizer(method, Seed(3)).unwrap(), Seed(3), 48).unwrap().0);
        }
        assert!(regrets[0] < regrets[2] && regrets[1] < regrets[2], "{regrets:?}");
    }
}
