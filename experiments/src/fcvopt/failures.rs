//! Failed folds: draws that choose defaults.

use rand_distr::{Distribution, StandardNormal};
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{FoldFailures, FractionalCv, FractionalSettings};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{Next, Outcome, Study};

use super::any::Any;
use super::drawn::{Deviations, FOLDS, Function, function, mean};
use super::methods::{FOLD_RANDOM, FULL_BO, Setup};
use super::problem::{FoldProblem, point};
use crate::bo::constraints::draws::{Drawn, Draws, Tails};
use crate::bo::constraints::failures::failing;
use crate::bo::constraints::problem::{Constrained, Told};
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Groups, NOTE};
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/failures",
    paper: "none: what fractional cross-validation learns from folds that fail",
    claim: "where folds fail in a part of the space, with the minimum on its border or apart from it, and where they fail by chance, \
            fractional cross-validation, which learns where they fail, is not worse than without failed folds, than whole \
            cross-validations, and than random search; all problems only choose defaults",
    quick_cost: "1 problem of each kind, 2 replications, 30 fits: some seconds",
    full_cost: "9 problems, 4 ways, 40 replications, 80 fits: thirteen minutes on one core",
    run,
};

const fn draws(dim: usize, constraints: usize, share: f64, active: bool) -> Draws {
    Draws { dim, constraints, share, active, tails: Tails::Light }
}

/// Draws on which folds fail where a constraint is broken; first those with the minimum on the border.
const WITHIN: [Draws; 6] = [
    draws(2, 1, 0.5, true),
    draws(3, 1, 0.3, true),
    draws(4, 2, 0.2, true),
    draws(2, 1, 0.5, false),
    draws(3, 1, 0.3, false),
    draws(4, 2, 0.2, false),
];

/// Draws on which folds fail by chance, with the share of them that does.
const BY_CHANCE: [(Draws, f64); 3] =
    [(draws(2, 0, 1.0, false), 0.2), (draws(3, 0, 1.0, false), 0.4), (draws(4, 0, 1.0, false), 0.1)];

/// Deviations of the folds from a loss of standard deviation 1.
const DEVIATIONS: Deviations = Deviations { std_dev: 0.3, lengthscale: 0.6, noise: 0.02 };

/// Ways to spend fits, the default first; the last is there to be found worse.
const WAYS: [&str; 4] = ["learnt", "left out", FULL_BO.name, FOLD_RANDOM.name];

/// Meaning of the regrets.
const REGRET: &str = "Regret of the recommendation, in units of the median of the loss less its minimum, from 1e-6 to 1; 1 where its folds fail.";

/// Folds around the loss of a function with constraints; the mean over the folds is that loss.
struct Folds<'a> {
    around: &'a Constrained,
    deviations: Vec<Function>,
    told: Told,
}

impl<'a> Folds<'a> {
    fn new(around: &'a Constrained, told: Told, seed: Seed) -> Result<Self, ExperimentError> {
        let Deviations { std_dev, lengthscale, .. } = DEVIATIONS;
        let (dim, mut rng) = (around.space().dim(), seed.stream("folds", 0));
        let deviations: Result<_, _> =
            (0..FOLDS).map(|_| function(dim, std_dev * std_dev, lengthscale, &mut rng)).collect();
        Ok(Self { around, deviations: deviations?, told })
    }
}

impl FoldProblem for Folds<'_> {
    fn space(&self) -> &Space {
        self.around.space()
    }

    fn folds(&self) -> usize {
        FOLDS
    }

    fn loss(&self, query: &FoldQuery, rng: &mut Stream) -> Result<Outcome, SpaceError> {
        let outcome = self.around.told(&query.config, self.told, rng);
        let Some(loss) = outcome.objective() else { return Ok(outcome) };
        let x = point(self.space(), &query.config)?;
        let deviation = self.deviations[query.fold](&x) - mean(&self.deviations, &x);
        let noise: f64 = StandardNormal.sample(rng);
        Ok(Outcome::from(loss + deviation + DEVIATIONS.noise * noise))
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        self.around.regret(config)
    }
}

/// Regret of the recommendation after so many fits; 1 without one.
fn left(problem: &Folds<'_>, optimizer: Any, seed: Seed, fits: usize) -> Result<f64, ExperimentError> {
    let mut study = Study::new(optimizer, seed);
    while study.history().len() < fits {
        let Next::Evaluate(trial) = study.ask()? else { break };
        study.tell(trial.id, problem.loss(&trial.query, &mut seed.stream("noise", trial.id.0))?)?;
    }
    let regret = study.recommend()?.map(|best| problem.regret(&best.config)).transpose()?;
    Ok(regret.unwrap_or(1.0))
}

/// The optimiser of a way.
fn optimizer(way: usize, space: &Space, fits: usize, seed: Seed) -> Result<Any, ExperimentError> {
    let fractional = |failures| {
        let settings = FractionalSettings { failures, ..FractionalSettings::new(FOLDS) };
        FractionalCv::new(space.clone(), FOLDS)?.with_settings(settings).map(Any::fractional)
    };
    let setup = || Setup { space: space.clone(), folds: FOLDS, fits, seed, python: &[] };
    Ok(match way {
        0 => fractional(FoldFailures::default()),
        1 => fractional(FoldFailures::Ignore),
        2 => (FULL_BO.make)(setup()),
        _ => (FOLD_RANDOM.make)(setup()),
    }?)
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (n, fits) = (context.replications(2, 40), context.pick(30, 80));
    let (within, by_chance, counts) =
        context.pick((&WITHIN[2..4], &BY_CHANCE[..1], [1, 1, 1]), (&WITHIN[..], &BY_CHANCE[..], [3, 3, 3]));
    let groups: Vec<_> = ["active", "idle", "chance"].into_iter().zip(counts).collect();
    let problems = failing(within, by_chance);
    let kinds: Vec<Draws> = problems.iter().map(|problem| problem.0).collect();
    let labels: Vec<String> = problems.iter().map(|problem| problem.2.clone()).collect();
    let drawn = Drawn::new((EXPERIMENT.id, context.seed), &kinds, n.run);
    let one = |k: usize, way: usize, i: usize| {
        let (around, seed) = drawn.problem(k, i)?;
        let problem = Folds::new(around, problems[k].1, seed)?;
        left(&problem, optimizer(way, problem.space(), fits, seed)?, seed, fits)
    };
    let finals = ablation::finals((EXPERIMENT.id, context), &WAYS, &labels, n.run, one)?;
    let found = Groups::judge(&groups, &WAYS, &labels, &finals, n.planned)?;
    let settings =
        [("replications", n.run.to_string()), ("model fits", fits.to_string()), ("folds", FOLDS.to_string())];
    Ok(found.report(settings, vec![NOTE.into(), REGRET.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over the folds is the loss, and folds fail where a constraint is broken.
    #[test]
    fn folds_are_around_the_loss() {
        let function = Box::new(|x: &[f64]| (x[0], vec![0.25 - x[0]]));
        let around = Constrained::new("half line".into(), Space::unit_cube(1), function, 0.25);
        let problem = Folds::new(&around, Told::Failed, Seed(3)).unwrap();
        let mut config = Config::new();
        let mut losses = |x: f64| -> Vec<Option<f64>> {
            config.insert("x0", x);
            let query = |fold| FoldQuery { config: config.clone(), repeat: 0, fold };
            let mut rng = Seed(4).stream("noise", 0);
            (0..FOLDS).map(|fold| problem.loss(&query(fold), &mut rng).unwrap().objective()).collect()
        };
        assert!(losses(0.2).iter().all(Option::is_none));
        let losses: Vec<f64> = losses(0.7).into_iter().map(Option::unwrap).collect();
        let spread = losses.iter().map(|loss| (loss - 0.7).powi(2)).sum::<f64>() / FOLDS as f64;
        assert!((losses.iter().sum::<f64>() / FOLDS as f64 - 0.7).abs() < 0.05, "{losses:?}");
        assert!((0.01..0.3).contains(&spread), "{spread}");
    }
}
