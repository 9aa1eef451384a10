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

/// How the loss of a branch depends on its parameters.
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

    /// The loss is that of the branch and its own parameters: all points are at or above the optimum, which a search within the best
    /// branch reaches.
    #[test]
    fn the_best_branch_has_the_optimum() {
        for shape in [Shape::Draws { lengthscale: 0.4 }, Shape::Pits] {
            let family = Branches { count: 3, shared: 1, own: 2, shape };
            let problem = family.problem(Seed(4)).unwrap();
            let space = problem.space();
            assert_eq!(space.parameters().len(), family.parameters());
            let mut rng = Seed(5).stream("points", 0);
            let mut least = [f64::INFINITY; 3];
            for _ in 0..300 {
                let config = space.sample(&mut rng);
                assert!(problem.regret(&config).unwrap() >= -1e-9);
                let branch = config.int("branch").unwrap() as usize;
                least[branch] = least[branch].min(problem.regret(&config).unwrap());
            }
            assert!(least.iter().copied().fold(f64::INFINITY, f64::min) < 0.5, "{least:?}");
        }
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
