//! Noisy evaluations of published functions: our declared noise beside other libraries.

use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign};
use thrifty_robust::RobustGpSurrogate;
use thrifty_sampling::{Seed, Sobol};
use thrifty_search::RandomSearch;
use thrifty_space::Config;
use thrifty_study::{Best, Optimizer, Study};
use thrifty_testbed::{Problem, TestFunction};

use super::development::{Development, Share};
use crate::error::ExperimentError;
use crate::harness::ablation::Groups;
use crate::harness::method::{AfterDesign, AnyOptimizer};
use crate::harness::{Experiment, Report, RunContext, Table};
use crate::peers::{Beside, Ended, First, Found, Interpreters, PeerMethod};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/noise-peers",
    paper: "none: noisy evaluations, beside other libraries with --python",
    claim: "on published functions under normal noise, heavy tails and outliers, Bayesian optimisation with its noise declared is not worse than \
            the default, a deterministic model and random search, nor than BoTorch's noisy expected improvement, Optuna's Gaussian process and \
            its Parzen estimator where they run beside (--python)",
    quick_cost: "2 problems, 4 methods, 2 replications, 20 evaluations: some seconds",
    full_cost: "12 problems, 4 methods, 20 replications, 50 evaluations: a quarter of an hour, with --python three CPU hours more",
    run,
};

/// Our methods. The first is the subject of the claims, the third is made worse on purpose.
const METHODS: [&str; 4] = [DECLARED, "default", DETERMINISTIC, "random"];
const DECLARED: &str = "declared noise";
const DETERMINISTIC: &str = "deterministic";

/// The others, the cheapest first.
const PEERS: [PeerMethod; 3] = [
    PeerMethod { script: "optuna-tpe", label: "TPE (Optuna)" },
    PeerMethod { script: "optuna-gp", label: "GP (Optuna)" },
    PeerMethod { script: "botorch", label: "noisy EI (BoTorch)" },
];

/// The problems, those with normal noise first. None of the functions is a development problem.
const PROBLEMS: [(fn() -> TestFunction, Share); 12] = [
    (TestFunction::branin, Share::Even(0.01)),
    (TestFunction::branin, Share::Even(0.2)),
    (TestFunction::six_hump_camel, Share::Even(0.05)),
    (TestFunction::cosines, Share::Even(0.1)),
    (TestFunction::hartmann3, Share::Even(0.05)),
    (TestFunction::hartmann3, Share::Even(0.5)),
    (|| TestFunction::styblinski_tang(4), Share::Even(0.1)),
    (TestFunction::hartmann6, Share::Even(0.02)),
    (TestFunction::branin, Share::HeavyTails(0.05)),
    (TestFunction::cosines, Share::Outliers(0.05)),
    (TestFunction::hartmann3, Share::Outliers(0.1)),
    (TestFunction::hartmann6, Share::HeavyTails(0.02)),
];

/// Claims of their own for each kind of noise, and how many of the problems it has.
const GROUPS: [(&str, usize); 2] = [("normal", 8), ("tails", 4)];

/// A function on the unit cube under noise.
struct NoisyFunction {
    problem: Development,
    tails: bool,
}

impl NoisyFunction {
    fn new(function: &TestFunction, noise: Share) -> Result<Self, ExperimentError> {
        let name = format!("{}, d = {}, {}", function.name(), function.bounds().len(), noise.label());
        let mut problem = Development::published(&name, function);
        // The range is a property of the function: every run has the same, whatever its seed.
        let range = problem.range(&mut Seed(0).stream(EXPERIMENT.id, 0))?;
        problem.set_noise(noise.of(range));
        Ok(Self { problem, tails: !matches!(noise, Share::Even(_)) })
    }

    /// The Sobol design of all methods: two points for each parameter.
    fn design(&self, seed: Seed) -> Vec<Config> {
        let space = self.problem.space();
        let points = Sobol::scrambled(space.dim(), &mut seed.stream("design", 0)).take(2 * space.dim());
        points.rows().map(|x| space.decode(x)).collect()
    }

    /// One of our methods after a design. Declared noise has sampled hyperparameters, and Student-t noise where there are heavy tails.
    fn optimizer(&self, method: &str, design: Vec<Config>) -> Result<AnyOptimizer, ExperimentError> {
        let space = self.problem.space().clone();
        if method == "random" {
            return Ok(AnyOptimizer::new(AfterDesign { design, search: RandomSearch::new(space) }));
        }
        let settings = BoSettings { initial: InitialDesign::Only(design), ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(space).with_settings(settings)?;
        Ok(AnyOptimizer::new(match method {
            DECLARED if self.tails => optimizer.with_surrogate(RobustGpSurrogate::default()),
            DECLARED => optimizer.with_surrogate(GpSurrogate::noisy()),
            DETERMINISTIC => optimizer.with_surrogate(GpSurrogate::deterministic()),
            _ => optimizer,
        }))
    }

    /// True regret of the recommendation at the end, and the error that ended the study early.
    fn regret<O>(&self, optimizer: O, seed: Seed, evaluations: usize) -> Result<Found, ExperimentError>
    where
        O: Optimizer<Query = Config, Recommendation = Best<Config>>,
    {
        let mut study = Study::new(optimizer, seed).with_trials(evaluations);
        let problem = &self.problem;
        let ended = study.run(|config, context| problem.evaluate(config, &mut context.noise()));
        let (found, failure) = match ended.map(|_| ()).and_then(|()| study.recommend()) {
            Ok(found) => (found.map(|best| best.config), None),
            // A study that failed has what it observed.
            Err(error) => (study.history().best().map(|(trial, _)| trial.query.clone()), Some(error)),
        };
        let regret = found.map(|config| problem.regret(&config)).transpose()?;
        Ok((regret.unwrap_or(f64::INFINITY), failure))
    }
}

/// Everything that runs have in common.
struct Plan<'a> {
    context: &'a RunContext,
    problems: &'a [NoisyFunction],
    evaluations: usize,
}

impl Plan<'_> {
    /// Seed of a replication of a problem, which all methods share.
    fn seed(&self, k: usize, i: usize) -> Seed {
        self.context.seed_of(EXPERIMENT.id, k, i)
    }

    /// One run of ours.
    fn ours(&self, k: usize, method: usize, i: usize) -> Result<f64, ExperimentError> {
        let (problem, seed) = (&self.problems[k], self.seed(k, i));
        let optimizer = problem.optimizer(METHODS[method], problem.design(seed))?;
        match problem.regret(optimizer, seed, self.evaluations)? {
            (regret, None) => Ok(regret),
            (_, Some(error)) => Err(error.into()),
        }
    }

    /// One run of another library.
    fn peer(
        &self,
        from: &Interpreters,
        method: &'static str,
        (k, i): (usize, usize),
    ) -> Result<Ended<f64>, ExperimentError> {
        let (problem, seed, evaluations) = (&self.problems[k], self.seed(k, i), self.evaluations);
        let design = problem.design(seed);
        let first = First {
            method,
            seed: seed.0 & 0x7fff_ffff,
            noisy: true,
            design: design.len(),
            evaluations,
            ..First::default()
        };
        from.whole(problem.problem.space(), &first, &design, |optimizer| {
            problem.regret(optimizer, seed, evaluations)
        })
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 20);
    let (replications, evaluations) = (n.run, context.pick(20, 50));
    // One problem of each kind in the quick form.
    let (chosen, groups) =
        context.pick((&PROBLEMS[7..9], [("normal", 1), ("tails", 1)]), (&PROBLEMS[..], GROUPS));
    let problems = chosen
        .iter()
        .map(|(function, noise)| NoisyFunction::new(&function(), *noise))
        .collect::<Result<Vec<_>, _>>()?;
    let plan = Plan { context, problems: &problems, evaluations };
    let labels: Vec<String> = problems.iter().map(|noisy| noisy.problem.name()).collect();
    let beside = Beside::new(EXPERIMENT.id, context, &PEERS, &labels, replications);
    let together = beside.run(
        &METHODS,
        |k, m, i| plan.ours(k, m, i),
        |from, method, job| plan.peer(from, method, job),
    )?;
    let mut groups = Groups::judge(&groups, &together.methods, &labels, &together.finals, n.planned)?;
    groups.tables = groups.tables.into_iter().map(named).collect();
    let settings = [
        ("replications", replications.to_string()),
        ("evaluations", format!("{evaluations}, of them a Sobol design of 2 d")),
        ("range", "largest value of a long search less the minimum".to_owned()),
    ];
    let mut notes = vec![
        "Claims: declared noise is not worse than each other method by more than 0.1 in the mean of log₁₀ of the regret of the recommendation, \
         without noise. Declared noise has sampled hyperparameters under normal noise, and Student-t noise in the model under heavy tails and \
         outliers. The deterministic model is made worse on purpose. Ours and BoTorch's recommendation is the best posterior mean, Optuna's the \
         best observed. Methods share designs and seeds."
            .into(),
    ];
    notes.extend(together.notes);
    Ok(groups.report(settings, notes))
}

/// The table with the name of the subject in its header, which is not the default.
fn named(mut table: Table) -> Table {
    for title in &mut table.header {
        if title == "default not worse" {
            *title = format!("{DECLARED} not worse");
        }
    }
    table.caption = table.caption.replace("the default", DECLARED);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_problems() {
        let of = |tails: bool| {
            let own = PROBLEMS.iter().filter(|(_, kind)| !matches!(kind, Share::Even(_)) == tails);
            own.count()
        };
        assert_eq!(GROUPS.map(|(_, count)| count), [of(false), of(true)]);
        let first_tail = PROBLEMS.iter().position(|(_, kind)| !matches!(kind, Share::Even(_)));
        assert_eq!(first_tail, Some(GROUPS[0].1));
    }

    /// Evaluations scatter by the share of the range that is in the name; the truth is that of the function.
    #[test]
    fn noise_is_a_share_of_the_range() {
        let noisy = NoisyFunction::new(&TestFunction::hartmann3(), Share::Even(0.1)).unwrap();
        assert_eq!(noisy.problem.name(), "Hartmann3, d = 3, noise 10 %");
        let config = noisy.problem.space().decode(&[0.1, 0.5, 0.8]);
        let truth = noisy.problem.truth(&config).unwrap();
        assert!((truth - TestFunction::hartmann3().value(&[0.1, 0.5, 0.8])).abs() < 1e-12);
        let mut rng = Seed(1).stream("noise", 0);
        let squares: f64 = (0..4000)
            .map(|_| noisy.problem.evaluate(&config, &mut rng).objective().unwrap() - truth)
            .map(|error| error * error)
            .sum();
        // The values of Hartmann's function are from -3.86 to almost 0.
        assert!(((squares / 4000.0).sqrt() / 0.386 - 1.0).abs() < 0.05, "{squares}");
    }

    /// All methods run and share the design; recommendations are judged without noise.
    #[test]
    fn methods_run_after_the_shared_design() {
        let context = RunContext { seed: 1, ..RunContext::default() };
        for noise in [Share::Even(0.02), Share::Outliers(0.02)] {
            let problems = [NoisyFunction::new(&TestFunction::hartmann3(), noise).unwrap()];
            let plan = Plan { context: &context, problems: &problems, evaluations: 25 };
            let regrets: Vec<f64> = (0..METHODS.len()).map(|m| plan.ours(0, m, 0).unwrap()).collect();
            assert!(regrets.iter().all(|regret| (0.0..3.9).contains(regret)), "{regrets:?}");
            // The model finds more than chance, which evaluates the rest at random.
            assert!(regrets[0] < regrets[3], "{regrets:?}");
        }
    }
}
