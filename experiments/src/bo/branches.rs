//! Development problems on conditional spaces: a category chooses a branch, and each branch has parameters of its own.

use rand_distr::{Distribution, StandardNormal};
use thrifty_kernel::SquaredExponential;
use thrifty_sampling::{Seed, Stream};
use thrifty_space::Space;

use super::development::{Development, Noise, searched};
use super::problems::drawn;
use crate::error::ExperimentError;

/// A family of conditional problems.
#[derive(Debug, Clone, Copy)]
pub struct Branches {
    /// Number of branches.
    pub count: usize,
    /// Number of parameters of all branches.
    pub shared: usize,
    /// Number of parameters of each branch.
    pub own: usize,
    pub shape: Shape,
}

/// Shape of the loss of a branch over its parameters.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A smooth draw of variance 1 for each branch, and an offset with a standard deviation of ½.
    Draws { lengthscale: f64 },
    /// One pit for each branch on a plateau at 1: one is 0 deep, the others end 0.1 to 0.4 above it, and the widths differ by up to a
    /// factor of four.
    Pits,
}

/// Loss of one branch at its parameters, in the unit cube.
type Loss = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

impl Branches {
    pub fn label(self) -> String {
        let Self { count, shared, own, .. } = self;
        let shape = match self.shape {
            Shape::Draws { .. } => "draws",
            Shape::Pits => "pits",
        };
        format!("{count} branches, {shape}, {own} own and {shared} shared")
    }

    /// Number of parameters.
    pub fn parameters(self) -> usize {
        1 + self.shared + self.count * self.own
    }

    /// The problem of one replication.
    pub fn problem(self, seed: Seed) -> Result<Development, ExperimentError> {
        let mut rng = seed.stream("branches", 0);
        let (losses, optimum) = match self.shape {
            Shape::Draws { lengthscale } => self.draws(lengthscale, &mut rng)?,
            Shape::Pits => (self.pits(&mut rng), 0.0),
        };
        let space = self.space()?;
        let domain = space.domain().clone();
        let (shared, own) = (self.shared, self.own);
        let function = move |x: &[f64]| {
            let branch = domain.level(0, x).unwrap_or(0) as usize;
            let first = 1 + shared + branch * own;
            let active = (1..=shared).chain(first..first + own);
            losses[branch](&active.map(|index| x[domain.columns(index).start]).collect::<Vec<f64>>())
        };
        Ok(Development {
            name: self.label(),
            space,
            function: Box::new(function),
            optimum,
            noise: Noise::Normal(0.0),
        })
    }

    fn space(self) -> Result<Space, ExperimentError> {
        let branch = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
        let mut builder = Space::builder().categorical("branch", (0..self.count).map(branch));
        for i in 0..self.shared {
            builder = builder.float(&format!("shared{i}"), 0.0, 1.0);
        }
        for at in 0..self.count {
            for i in 0..self.own {
                builder = builder.float(&format!("own{at}_{i}"), 0.0, 1.0).when("branch", [branch(at)]);
            }
        }
        Ok(builder.build()?)
    }

    fn draws(self, lengthscale: f64, rng: &mut Stream) -> Result<(Vec<Loss>, f64), ExperimentError> {
        let dim = self.shared + self.own;
        let (mut losses, mut optimum) = (Vec::<Loss>::new(), f64::INFINITY);
        for _ in 0..self.count {
            let lengthscales = (0..dim).map(|_| lengthscale * (0.5 + rng.uniform())).collect();
            let kernel = SquaredExponential::new(lengthscales).map_err(ExperimentError::failed)?;
            let draw = drawn(&kernel, rng)?;
            let z: f64 = StandardNormal.sample(rng);
            let loss = move |x: &[f64]| 0.5 * z + draw(x);
            optimum = optimum.min(searched(&loss, dim, rng)?);
            losses.push(Box::new(loss));
        }
        Ok((losses, optimum))
    }

    fn pits(self, rng: &mut Stream) -> Vec<Loss> {
        let dim = self.shared + self.own;
        let best = rng.index(self.count);
        (0..self.count)
            .map(|at| -> Loss {
                let bottom = if at == best { 0.0 } else { 0.1 + 0.3 * rng.uniform() };
                let width = 0.15 * 4_f64.powf(rng.uniform()) * (dim as f64).sqrt();
                let center: Vec<f64> = (0..dim).map(|_| rng.uniform()).collect();
                Box::new(move |x| {
                    let squares: f64 = x.iter().zip(&center).map(|(x, c)| ((x - c) / width).powi(2)).sum();
                    bottom - (1.0 - bottom) * (-0.5 * squares).exp_m1()
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use thrifty_space::Config;
    use thrifty_testbed::Problem;

    use super::*;

    /// One pit is as deep as the optimum, which a descent from a point near it reaches. The others end at least 0.1 above.
    #[test]
    fn one_branch_has_the_deepest_pit() {
        for seed in 0..5 {
            let problem =
                Branches { count: 3, shared: 1, own: 2, shape: Shape::Pits }.problem(Seed(seed)).unwrap();
            let least = descents(&problem, 3);
            let found = least.iter().filter(|regret| regret.abs() < 1e-9).count();
            let others = least.iter().filter(|regret| (0.1 - 1e-9..0.4 + 1e-9).contains(*regret)).count();
            assert_eq!((found, others), (1, 2), "seed {seed}: {least:?}");
        }
    }

    /// The optimum is the least of the branches' minima: no descent ends below it, and one ends there.
    #[test]
    fn the_optimum_of_draws_is_reached() {
        let family = Branches { count: 3, shared: 1, own: 2, shape: Shape::Draws { lengthscale: 0.7 } };
        for seed in 0..3 {
            let problem = family.problem(Seed(seed)).unwrap();
            assert_eq!(problem.space().parameters().len(), family.parameters());
            let least = descents(&problem, 3).into_iter().fold(f64::INFINITY, f64::min);
            assert!(least.abs() < 1e-6, "seed {seed}: {least:e}");
        }
    }

    /// Least regret of each branch after descents from its ten best points of 2,000.
    fn descents(problem: &Development, count: usize) -> Vec<f64> {
        let mut rng = Seed(5).stream("points", 0);
        let mut points: Vec<Vec<(f64, Config)>> = vec![Vec::new(); count];
        for _ in 0..2000 {
            let config = problem.space().sample(&mut rng);
            points[config.int("branch").unwrap() as usize].push((problem.regret(&config).unwrap(), config));
        }
        points.iter_mut().for_each(|own| own.sort_by(|a, b| a.0.total_cmp(&b.0)));
        let descended = |(_, config): &(f64, Config)| problem.descended(config).unwrap() - problem.optimum();
        points.iter().map(|own| own.iter().take(10).map(descended).fold(f64::INFINITY, f64::min)).collect()
    }

    #[test]
    fn parameters_of_other_branches_are_none() {
        let problem = Branches { count: 2, shared: 0, own: 1, shape: Shape::Pits }.problem(Seed(1)).unwrap();
        let mut config = Config::new();
        config.insert("branch", 1);
        config.insert("own1_0", 0.25);
        assert!(problem.truth(&config).is_ok());
        config.insert("own0_0", 0.25);
        assert!(problem.truth(&config).is_err());
    }
}
