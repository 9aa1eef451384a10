//! Functions with measured constraints, and their minima by a long search.

use thrifty_sampling::{Seed, Sobol, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{History, MaxTrials, Measurement, Optimizer, Outcome, Study};

use super::super::development::descended;
use crate::error::ExperimentError;
use crate::harness::stats::quantile;
use crate::peers::Found;

/// A loss and constraints of numbers, the parameters `x0, x1, …`. A constraint holds where it is not positive.
pub struct Constrained {
    name: String,
    space: Space,
    function: Function,
    constraints: usize,
    optimum: f64,
    spread: f64,
}

/// Loss and constraints at a point.
pub type Function = Box<dyn Fn(&[f64]) -> (f64, Vec<f64>) + Send + Sync>;

/// Form in which an optimiser is told of constraints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Told {
    /// Their values.
    Measured,
    /// A trial that breaks one fails.
    Failed,
    /// Nothing, and this share of the trials fails, whatever their configurations are.
    FailedAtRandom(f64),
    /// Nothing.
    Ignored,
}

impl Told {
    /// True if trials fail by it.
    pub fn fails(self) -> bool {
        matches!(self, Self::Failed | Self::FailedAtRandom(_))
    }
}

/// Regrets in spreads below this are as good as none.
const NO_REGRET: f64 = 1e-6;

impl Constrained {
    /// A function with its least loss where all constraints hold.
    pub fn new(name: String, space: Space, function: Function, optimum: f64) -> Self {
        let points = Sobol::scrambled(space.dim(), &mut Seed(0).stream("spread", 0)).take(1024);
        let measured: Vec<(f64, Vec<f64>)> = points.rows().map(|u| function(&numbers(&space, u))).collect();
        let losses: Vec<f64> = measured.iter().map(|one| one.0).collect();
        let (constraints, spread) = (measured[0].1.len(), quantile(&losses, 0.5) - optimum);
        Self { name, space, function, constraints, optimum, spread }
    }

    pub fn name(&self) -> String {
        self.name.clone()
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Number of constraints.
    pub fn constraints(&self) -> usize {
        self.constraints
    }

    /// Regret of the best trial that breaks no constraint, as [`Constrained::regret`]. A failed trial is none; without any trial, 1.
    fn share_left(&self, history: &History<Config>) -> Result<f64, SpaceError> {
        history.measured().try_fold(1.0, |least: f64, (trial, _)| Ok(least.min(self.regret(&trial.query)?)))
    }

    /// Regret of a configuration in units of the spread: the median loss of 1,024 Sobol points less the optimum.
    ///
    /// At least 1e-6. If the configuration breaks a constraint, or is worse than that median, 1.
    pub fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        let (loss, constraints) = self.measured(config)?;
        let is_feasible = constraints.iter().all(|constraint| *constraint <= 0.0);
        let regret = if is_feasible { (loss - self.optimum) / self.spread } else { 1.0 };
        Ok(regret.clamp(NO_REGRET, 1.0))
    }

    /// The part of the regret that a study of so many evaluations [leaves](Self::share_left), and the error that ended it early.
    pub fn study<O: Optimizer<Query = Config>>(
        &self,
        optimizer: O,
        told: Told,
        seed: Seed,
        evaluations: usize,
    ) -> Result<Found, ExperimentError> {
        let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
        let failure = study.run(|config, context| self.told(config, told, &mut context.noise())).err();
        Ok((self.share_left(study.history())?, failure))
    }

    /// [`Constrained::study`] of an optimiser of ours, which does not end early.
    pub fn left<O: Optimizer<Query = Config>>(
        &self,
        optimizer: O,
        told: Told,
        seed: Seed,
        evaluations: usize,
    ) -> Result<f64, ExperimentError> {
        match self.study(optimizer, told, seed, evaluations)? {
            (left, None) => Ok(left),
            (_, Some(error)) => Err(error.into()),
        }
    }

    /// Outcome of a configuration in the form that an optimiser is told.
    pub fn told(&self, config: &Config, told: Told, rng: &mut Stream) -> Outcome {
        let (loss, constraints) = match self.measured(config) {
            Ok(measured) => measured,
            Err(error) => return Outcome::failed(error.to_string()),
        };
        match told {
            Told::Measured => Outcome::from(Measurement { constraints, ..Measurement::from(loss) }),
            Told::Failed if constraints.iter().any(|constraint| *constraint > 0.0) => {
                Outcome::failed("a constraint is broken")
            }
            Told::FailedAtRandom(share) if rng.uniform() < share => Outcome::failed("by chance"),
            Told::Failed | Told::FailedAtRandom(_) | Told::Ignored => Outcome::from(loss),
        }
    }

    /// Loss and constraints of a configuration.
    fn measured(&self, config: &Config) -> Result<(f64, Vec<f64>), SpaceError> {
        Ok((self.function)(&self.numbers(config)?))
    }

    fn numbers(&self, config: &Config) -> Result<Vec<f64>, SpaceError> {
        self.space.parameters().iter().map(|parameter| config.float(&parameter.name)).collect()
    }
}

/// Numbers of a point of the unit cube.
fn numbers(space: &Space, u: &[f64]) -> Vec<f64> {
    let config = space.at_quantiles(u);
    space.parameters().iter().map(|parameter| config.float(&parameter.name).unwrap_or(f64::NAN)).collect()
}

/// Least loss where all constraints hold.
#[derive(Debug, Clone, Copy)]
pub struct Minimum {
    pub loss: f64,
    /// The largest constraint there, each on the scale of its values.
    pub constraint: f64,
}

/// Minimum on the unit cube within constraints by a long search: 4,096 Sobol points, the best 20 of which descend twice by the method of multipliers.
///
/// Constraints may be broken by 1e-7 of their scale.
pub fn within(
    f: &dyn Fn(&[f64]) -> (f64, Vec<f64>),
    dim: usize,
    rng: &mut Stream,
) -> Result<Minimum, ExperimentError> {
    let points = Sobol::scrambled(dim, rng).take(4096);
    let measured: Vec<(f64, Vec<f64>)> = points.rows().map(f).collect();
    // The scales of loss and constraints differ by many orders.
    let median = |of: &dyn Fn(&(f64, Vec<f64>)) -> f64| {
        quantile(&measured.iter().map(|one| of(one).abs()).collect::<Vec<f64>>(), 0.5).max(1e-12)
    };
    let loss_scale = median(&|one| one.0);
    let scales: Vec<f64> = (0..measured[0].1.len()).map(|j| median(&|one| one.1[j])).collect();
    let scaled = |x: &[f64]| -> (f64, Vec<f64>) {
        let (loss, constraints) = f(x);
        (loss / loss_scale, constraints.iter().zip(&scales).map(|(c, scale)| c / scale).collect())
    };
    let violation = |constraints: &[f64]| -> f64 {
        constraints.iter().zip(&scales).map(|(c, scale)| (c / scale).max(0.0)).sum()
    };
    let mut starts: Vec<(f64, f64, &[f64])> = points
        .rows()
        .zip(&measured)
        .map(|(x, (loss, constraints))| (violation(constraints), *loss, x))
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut best: Option<Minimum> = None;
    let descents = starts.iter().take(20).flat_map(|(_, _, start)| [10.0, 1e3].map(|rho| (start, rho)));
    for (start, rho) in descents {
        let (loss, constraints) = scaled(&multipliers(&scaled, (start, rho), scales.len())?);
        let constraint = constraints.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let loss = loss * loss_scale;
        if constraint <= 1e-7 && best.is_none_or(|best| loss < best.loss) {
            best = Some(Minimum { loss, constraint });
        }
    }
    best.ok_or_else(|| ExperimentError::failed("no point meets the constraints"))
}

/// A minimum where constraints hold, by the method of multipliers: each round minimizes
///
/// ```text
/// f(x) + 1/(2ρ) Σ_j max(0, λ_j + ρ c_j(x))²
/// ```
///
/// and sets each λ to its bracket, so that the constraints hold in the end without a ρ that goes to infinity.
fn multipliers(
    f: &dyn Fn(&[f64]) -> (f64, Vec<f64>),
    (start, mut rho): (&[f64], f64),
    constraints: usize,
) -> Result<Vec<f64>, ExperimentError> {
    let (mut x, mut lambda) = (start.to_vec(), vec![0.0; constraints]);
    for _ in 0..30 {
        let augmented = |x: &[f64]| {
            let (loss, constraints) = f(x);
            let pushed = constraints.iter().zip(&lambda).map(|(c, l)| (l + rho * c).max(0.0).powi(2));
            loss + pushed.sum::<f64>() / (2.0 * rho)
        };
        x = descended(&augmented, &x)?.x;
        let (_, constraints) = f(&x);
        lambda.iter_mut().zip(&constraints).for_each(|(l, c)| *l = (*l + rho * c).max(0.0));
        rho = (2.0 * rho).min(1e5);
    }
    Ok(x)
}

#[cfg(test)]
mod tests {
    use thrifty_search::RandomSearch;

    use super::*;

    /// A line within a disk: the minimum is where the gradient meets the border.
    #[test]
    fn a_border_is_met() {
        let line = |x: &[f64]| (x[0] + x[1], vec![(x[0] - 0.5).powi(2) + (x[1] - 0.5).powi(2) - 0.09]);
        let found = within(&line, 2, &mut Seed(1).stream("search", 0)).unwrap();
        assert!((found.loss - (1.0 - 0.3 * 2_f64.sqrt())).abs() < 1e-7, "{found:?}");
        assert!(found.constraint.abs() < 1e-7, "{found:?}");
        let none = |x: &[f64]| (x[0], vec![x[0] + 1.0]);
        assert!(within(&none, 1, &mut Seed(1).stream("search", 0)).is_err());
    }

    /// Regret counts trials that break no constraint, whatever the optimiser was told of them.
    #[test]
    fn regret_is_that_of_feasible_trials() {
        let function: Function = Box::new(|x| (x[0], vec![0.25 - x[0]]));
        let problem = Constrained::new("half line".into(), Space::unit_cube(1), function, 0.25);
        let left = |values: &[f64]| {
            let known = values.iter().map(|value| {
                let mut config = Config::new();
                config.insert("x0", *value);
                let outcome = problem.told(&config, Told::Ignored, &mut Seed(1).stream("noise", 0));
                (config, outcome)
            });
            let study = Study::new(RandomSearch::new(Space::unit_cube(1)), Seed(1));
            let study = study.with_known(known).unwrap();
            problem.share_left(study.history()).unwrap()
        };
        assert_eq!(left(&[]), 1.0);
        assert_eq!(left(&[0.1, 0.2]), 1.0);
        assert_eq!(left(&[0.9]), 1.0);
        assert!((left(&[0.1, 0.3]) - 0.05 / 0.25).abs() < 0.01);
        assert_eq!(left(&[0.25, 0.3]), NO_REGRET);
    }
}
