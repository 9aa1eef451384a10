//! Development problems that jump: stairs, losses of few values, and cliffs.

use rand_distr::{Distribution, StandardNormal};
use thrifty_kernel::SquaredExponential;
use thrifty_sampling::{Seed, Sobol, Stream};

use super::super::development::Development;
use super::super::problems::drawn;
use crate::error::ExperimentError;

/// A smooth draw that is made to jump, or a cone.
#[derive(Debug, Clone, Copy)]
pub struct Jumps {
    pub dim: usize,
    /// Lengthscale of the draw on the unit cube; a cone has none.
    pub lengthscale: f64,
    pub by: By,
}

/// Way in which a function jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Each parameter is rounded to the middle of one of so many steps, as a whole number behind a continuous one.
    Steps(u32),
    /// So are the coordinates along random directions.
    TurnedSteps(u32),
    /// The loss is rounded to so many levels from the least to the largest value, as an error rate on few examples.
    Levels(u32),
    /// No draw: so many steps of the distance from a random point, along each axis, in the sum of which losses of points on all sides are equal.
    Cone(u32),
    /// The loss rises by half a standard deviation of the draw beyond each of so many random planes.
    Cliffs(usize),
}

/// Steps and levels from which pieces are fine.
const FINE: u32 = 50;

/// Height of a cliff in standard deviations of the draw.
const CLIFF: f64 = 0.5;

impl Jumps {
    pub fn label(self) -> String {
        let Self { dim, by, .. } = self;
        let by = match by {
            By::Steps(count) => format!("{count} steps"),
            By::TurnedSteps(count) => format!("{count} turned steps"),
            By::Levels(count) => format!("{count} levels"),
            By::Cone(count) => format!("cone of {count} steps"),
            By::Cliffs(count) => format!("{count} cliffs"),
        };
        format!("{by}, d = {dim}")
    }

    /// Regrets below this count as this: less than the step to the best piece, if pieces are not fine, and a hundredth of the standard deviation of a
    /// draw.
    pub fn least_regret(self) -> f64 {
        match self.by {
            By::Steps(count) | By::TurnedSteps(count) | By::Levels(count) if count >= FINE => 1e-4,
            By::Cone(_) => 1e-4,
            _ => 0.01,
        }
    }

    /// The problem of one replication.
    pub fn problem(self, seed: Seed) -> Result<Development, ExperimentError> {
        let mut rng = seed.stream("problem", 0);
        let Self { dim, lengthscale, by } = self;
        let lengthscales = (0..dim).map(|_| lengthscale * (0.5 + rng.uniform())).collect();
        let draw = drawn(&SquaredExponential::new(lengthscales).map_err(ExperimentError::failed)?, &mut rng)?;
        let function: Box<dyn Fn(&[f64]) -> f64 + Send + Sync> = match by {
            By::Steps(count) => {
                Box::new(move |x| draw(&x.iter().map(|x| stepped(*x, count)).collect::<Vec<f64>>()))
            }
            By::TurnedSteps(count) => {
                let axes = rotation(dim, &mut rng);
                Box::new(move |x| draw(&turned(x, &axes, count)))
            }
            By::Levels(count) => {
                let (least, largest) = (lowest(&draw, dim, &mut rng), -lowest(&|x| -draw(x), dim, &mut rng));
                let level = (largest - least) / f64::from(count);
                Box::new(move |x| least + level * ((draw(x) - least) / level).floor().max(0.0))
            }
            By::Cone(count) => {
                let centre: Vec<f64> = (0..dim).map(|_| 0.2 + 0.6 * rng.uniform()).collect();
                let steps = f64::from(count);
                let distance = move |(x, centre): (&f64, &f64)| ((x - centre).abs() * steps).floor();
                Box::new(move |x| x.iter().zip(&centre).map(distance).sum::<f64>() / steps)
            }
            By::Cliffs(count) => {
                let planes: Vec<(Vec<f64>, f64)> = (0..count)
                    .map(|_| {
                        let normal = direction(dim, &mut rng);
                        let at = normal.iter().map(|n| n * (0.2 + 0.6 * rng.uniform())).sum();
                        (normal, at)
                    })
                    .collect();
                Box::new(move |x| {
                    let beyond = planes.iter().filter(|(normal, at)| dot(normal, x) > *at).count();
                    draw(x) + CLIFF * beyond as f64
                })
            }
        };
        let optimum = lowest(&function, dim, &mut rng);
        Ok(Development { name: self.label(), function, ..Development::new("", dim, |_| 0.0, optimum) })
    }
}

/// Middle of the step that a number of the unit interval is on.
fn stepped(x: f64, count: u32) -> f64 {
    let steps = f64::from(count);
    ((x * steps).floor().clamp(0.0, steps - 1.0) + 0.5) / steps
}

/// A point whose coordinates along the axes, from the centre of the cube, are rounded to multiples of 1/`count`.
fn turned(x: &[f64], axes: &[Vec<f64>], count: u32) -> Vec<f64> {
    let steps = f64::from(count);
    let centred: Vec<f64> = x.iter().map(|x| x - 0.5).collect();
    let mut rounded = vec![0.5; x.len()];
    for axis in axes {
        let along = (dot(axis, &centred) * steps).round() / steps;
        rounded.iter_mut().zip(axis).for_each(|(x, a)| *x += along * a);
    }
    rounded
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A random unit vector.
fn direction(dim: usize, rng: &mut Stream) -> Vec<f64> {
    let normal: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(rng)).collect();
    let length = dot(&normal, &normal).sqrt();
    normal.iter().map(|n| n / length).collect()
}

/// Random orthonormal axes.
fn rotation(dim: usize, rng: &mut Stream) -> Vec<Vec<f64>> {
    let mut axes: Vec<Vec<f64>> = Vec::with_capacity(dim);
    while axes.len() < dim {
        let mut axis = direction(dim, rng);
        for earlier in &axes {
            let along = dot(&axis, earlier);
            axis.iter_mut().zip(earlier).for_each(|(x, e)| *x -= along * e);
        }
        let length = dot(&axis, &axis).sqrt();
        // A direction almost within the others would lose digits.
        if length > 1e-2 {
            axes.push(axis.iter().map(|x| x / length).collect());
        }
    }
    axes
}

/// The least value of a long search that needs no slope: 4,096 Sobol points, then 20 rounds of normal steps around the best 20, each round with
/// steps that are a quarter shorter.
fn lowest(f: &dyn Fn(&[f64]) -> f64, dim: usize, rng: &mut Stream) -> f64 {
    let mut best: Vec<(f64, Vec<f64>)> =
        Sobol::scrambled(dim, rng).take(4096).rows().map(|x| (f(x), x.to_vec())).collect();
    let mut step = 0.1;
    for _ in 0..20 {
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
        best.truncate(20);
        for k in 0..best.len() {
            for _ in 0..20 {
                let near = |x: &f64| {
                    let z: f64 = StandardNormal.sample(rng);
                    (x + step * z).clamp(0.0, 1.0)
                };
                let x: Vec<f64> = best[k].1.iter().map(near).collect();
                best.push((f(&x), x));
            }
        }
        step *= 0.75;
    }
    best.iter().map(|(value, _)| *value).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use thrifty_testbed::Problem;

    use super::*;

    /// Functions take few values along an axis, or jump, and no point of a finer search is below their minimum.
    #[test]
    fn functions_jump_and_have_their_minimum() {
        for by in [By::Steps(4), By::TurnedSteps(4), By::Levels(10), By::Cone(5), By::Cliffs(2)] {
            let problem = Jumps { dim: 2, lengthscale: 0.4, by }.problem(Seed(3)).unwrap();
            let values: Vec<f64> = Sobol::scrambled(2, &mut Seed(4).stream("points", 0))
                .take(4096)
                .rows()
                .map(|x| (problem.function)(x))
                .collect();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((0.0..0.1).contains(&(least - problem.optimum())), "{by:?}");
            let mut distinct = values;
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            match by {
                By::Steps(_) => assert_eq!(distinct.len(), 16),
                By::TurnedSteps(_) => assert!((20..60).contains(&distinct.len()), "{}", distinct.len()),
                By::Levels(_) => assert!((8..=11).contains(&distinct.len()), "{}", distinct.len()),
                By::Cone(_) => assert!((5..10).contains(&distinct.len()), "{}", distinct.len()),
                By::Cliffs(_) => assert_eq!(distinct.len(), 4096),
            }
        }
    }

    #[test]
    fn axes_are_orthonormal() {
        let axes = rotation(5, &mut Seed(2).stream("axes", 0));
        for (i, a) in axes.iter().enumerate() {
            for (j, b) in axes.iter().enumerate() {
                assert!((dot(a, b) - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
    }
}
