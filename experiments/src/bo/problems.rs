//! Problems to choose defaults on: none of them, and none of their families, is among those on which optimisers are
//! compared.

use std::f64::consts::PI;

use rand_distr::{Distribution, StandardNormal};
use thrifty_kernel::{Features, Kernel, Matern52, SquaredExponential};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::Space;
use thrifty_testbed::{Problem, TestFunction};

use super::branches::Branches;
use super::development::{Development, Noise, Share, searched};
use super::functions::{ackley, combs, least_squares, levy, michalewicz, needle, pits, rings, steep, valley};
use super::jumps::Jumps;
use crate::error::ExperimentError;

/// Kind of function.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A draw from a process.
    Draw { dim: usize, lengthscale: f64, smooth: bool, noise: f64 },
    /// A smooth draw under noise of which some is far off.
    Disturbed { dim: usize, lengthscale: f64, noise: Noise },
    /// A draw under noise that is a share of its range.
    Ranged { dim: usize, lengthscale: f64, smooth: bool, noise: Share },
    /// The exponential of twice such a draw: a long upper tail.
    Skewed { dim: usize, lengthscale: f64 },
    /// The logarithm of such a draw above its minimum: a deep, sharp pit.
    Sharp { dim: usize, lengthscale: f64 },
    /// Many small pits on a funnel, its bottom off the centre.
    Ackley,
    /// Ridges that cross a bowl.
    Levy,
    /// Valleys with steep walls.
    Michalewicz,
    /// Eight pits at random places, one of them the deepest, on a shallow bowl.
    Pits { dim: usize },
    /// Rings around a random point, each a local minimum.
    Rings { dim: usize },
    /// One narrow pit on a plateau.
    Needle { dim: usize },
    /// Many narrow minima, of all depths.
    Combs { dim: usize },
    /// A wide local minimum and a narrow global one.
    WangFreitas,
    /// A bowl that is 10⁴ times as steep on one side.
    Steep { dim: usize },
    /// A draw, and 10³ times the square of another one where that is above 0: a penalty for what must not be.
    Penalized { dim: usize, lengthscale: f64 },
    /// A curved valley with steep walls.
    Valley { dim: usize },
    /// A sum of squares of quadratic functions.
    LeastSquares { dim: usize },
    /// A draw of a few of the parameters, chosen at random; the others change nothing.
    Sparse { dim: usize, active: usize, lengthscale: f64 },
    /// The sum of a draw of each parameter, divided by the root of their number.
    Additive { dim: usize, lengthscale: f64 },
    /// A smooth draw that is made to jump.
    Jumps(Jumps),
    /// A conditional space, which is no cube.
    Branches(Branches),
}

pub const KINDS: [Kind; 10] = [
    Kind::Draw { dim: 2, lengthscale: 0.25, smooth: false, noise: 0.0 },
    Kind::Draw { dim: 4, lengthscale: 0.5, smooth: false, noise: 0.0 },
    Kind::Draw { dim: 6, lengthscale: 0.8, smooth: true, noise: 0.0 },
    Kind::Draw { dim: 4, lengthscale: 0.5, smooth: true, noise: 0.2 },
    Kind::Skewed { dim: 3, lengthscale: 0.4 },
    Kind::Skewed { dim: 8, lengthscale: 1.0 },
    Kind::Sharp { dim: 3, lengthscale: 0.4 },
    Kind::Ackley,
    Kind::Levy,
    Kind::Michalewicz,
];

/// A function drawn from a kernel by random features.
pub fn drawn(
    kernel: &dyn Kernel,
    rng: &mut Stream,
) -> Result<impl Fn(&[f64]) -> f64 + Send + Sync + use<>, ExperimentError> {
    let features: Box<dyn Features> =
        kernel.features(512, rng).ok_or_else(|| ExperimentError::failed("a kernel without features"))?;
    let scale = (features.count() as f64).sqrt().recip();
    let weights: Vec<f64> = (0..features.count())
        .map(|_| {
            let z: f64 = StandardNormal.sample(rng);
            z * scale
        })
        .collect();
    Ok(move |x: &[f64]| {
        let mut phi = vec![0.0; weights.len()];
        features.eval_into(x, &mut phi);
        phi.iter().zip(&weights).map(|(p, w)| p * w).sum()
    })
}

impl Kind {
    pub fn label(self) -> String {
        match self {
            Self::Draw { dim, smooth, noise, .. } => {
                let kernel = if smooth { "SE" } else { "Matérn 5/2" };
                let noise = if noise > 0.0 { format!(", noise {noise}") } else { String::new() };
                format!("{kernel} draw, d = {dim}{noise}")
            }
            Self::Disturbed { dim, noise: Noise::Normal(std_dev), .. } => {
                format!("draw, d = {dim}, noise {std_dev}")
            }
            Self::Disturbed { dim, noise: Noise::HeavyTails(scale), .. } => {
                format!("draw, d = {dim}, Student-t noise {scale}")
            }
            Self::Disturbed { dim, noise: Noise::Outliers { std_dev, .. }, .. } => {
                format!("draw, d = {dim}, noise {std_dev}, outliers")
            }
            Self::Disturbed { dim, noise: Noise::Reported { .. }, .. } => {
                format!("draw, d = {dim}, reported noise")
            }
            Self::Ranged { dim, smooth, noise, .. } => {
                let kernel = if smooth { "SE" } else { "Matérn 5/2" };
                format!("{kernel} draw, d = {dim}, {}", noise.label())
            }
            Self::Skewed { dim, .. } => format!("exp of a draw, d = {dim}"),
            Self::Sharp { dim, .. } => format!("log of a draw, d = {dim}"),
            Self::Ackley => "Ackley off centre, d = 4".into(),
            Self::Levy => "Levy, d = 4".into(),
            Self::Michalewicz => "Michalewicz, d = 3".into(),
            Self::Pits { dim } => format!("eight pits, d = {dim}"),
            Self::Rings { dim } => format!("rings, d = {dim}"),
            Self::Needle { dim } => format!("needle, d = {dim}"),
            Self::Combs { dim } => format!("combs, d = {dim}"),
            Self::WangFreitas => "WangFreitas".into(),
            Self::Steep { dim } => format!("steep on one side, d = {dim}"),
            Self::Penalized { dim, .. } => format!("draw with a penalty, d = {dim}"),
            Self::Valley { dim } => format!("curved valley, d = {dim}"),
            Self::LeastSquares { dim } => format!("least squares, d = {dim}"),
            Self::Sparse { dim, active, .. } => format!("draw of {active} of {dim}"),
            Self::Additive { dim, .. } => format!("sum of {dim} draws"),
            Self::Jumps(jumps) => jumps.label(),
            Self::Branches(branches) => branches.label(),
        }
    }

    /// True if evaluations carry noise.
    pub fn is_noisy(self) -> bool {
        match self {
            Self::Draw { noise, .. } => noise > 0.0,
            Self::Disturbed { .. } | Self::Ranged { .. } => true,
            _ => false,
        }
    }

    /// Regrets below this count as this.
    ///
    /// On a conditional space the question is whether the best branch is found, and on rings, needles and combs whether the right minimum
    /// is. Polishing it would add many decades to the answer.
    pub fn least_regret(self) -> f64 {
        match self {
            Self::Jumps(jumps) => jumps.least_regret(),
            Self::Branches(_) | Self::Rings { .. } | Self::Needle { .. } | Self::Combs { .. } => 0.01,
            _ => 0.0,
        }
    }

    fn dim(self) -> usize {
        match self {
            Self::Draw { dim, .. }
            | Self::Disturbed { dim, .. }
            | Self::Ranged { dim, .. }
            | Self::Skewed { dim, .. }
            | Self::Sharp { dim, .. }
            | Self::Steep { dim }
            | Self::Penalized { dim, .. }
            | Self::Sparse { dim, .. }
            | Self::Additive { dim, .. }
            | Self::Valley { dim }
            | Self::LeastSquares { dim }
            | Self::Rings { dim }
            | Self::Needle { dim }
            | Self::Combs { dim }
            | Self::Pits { dim }
            | Self::Jumps(Jumps { dim, .. }) => dim,
            Self::Ackley | Self::Levy => 4,
            Self::Michalewicz => 3,
            Self::WangFreitas => 1,
            Self::Branches(branches) => branches.parameters(),
        }
    }

    /// The problem of one replication: another draw, or the same function.
    pub fn problem(self, seed: Seed) -> Result<Development, ExperimentError> {
        let mut rng = seed.stream("problem", 0);
        let draw = |dim: usize, lengthscale: f64, smooth: bool, rng: &mut Stream| {
            let lengthscales: Vec<f64> = (0..dim).map(|_| lengthscale * (0.5 + rng.uniform())).collect();
            let kernel: Box<dyn Kernel> = if smooth {
                Box::new(SquaredExponential::new(lengthscales).map_err(ExperimentError::failed)?)
            } else {
                Box::new(Matern52::new(lengthscales).map_err(ExperimentError::failed)?)
            };
            drawn(&*kernel, rng)
        };
        let mut noise = Noise::Normal(0.0);
        let mut known = None;
        let function: Box<dyn Fn(&[f64]) -> f64 + Send + Sync> = match self {
            Self::Draw { dim, lengthscale, smooth, noise: std_dev } => {
                noise = Noise::Normal(std_dev);
                Box::new(draw(dim, lengthscale, smooth, &mut rng)?)
            }
            Self::Ranged { dim, lengthscale, smooth, .. } => {
                Box::new(draw(dim, lengthscale, smooth, &mut rng)?)
            }
            Self::Disturbed { dim, lengthscale, noise: disturbance } => {
                noise = disturbance;
                Box::new(draw(dim, lengthscale, true, &mut rng)?)
            }
            Self::Skewed { dim, lengthscale } => {
                let g = draw(dim, lengthscale, false, &mut rng)?;
                Box::new(move |x| (2.0 * g(x)).exp())
            }
            Self::Sharp { dim, lengthscale } => {
                let g = draw(dim, lengthscale, true, &mut rng)?;
                let bottom = searched(&g, dim, &mut rng)?;
                Box::new(move |x| (g(x) - bottom + 1e-4).max(1e-4).ln())
            }
            Self::Jumps(jumps) => return jumps.problem(seed),
            Self::Branches(branches) => return branches.problem(seed),
            Self::Ackley => Box::new(|x| ackley(&x.iter().map(|u| 14.0 * u - 4.0).collect::<Vec<f64>>())),
            Self::Levy => Box::new(|x| levy(&x.iter().map(|u| 20.0 * u - 10.0).collect::<Vec<f64>>())),
            Self::Michalewicz => Box::new(|x| michalewicz(&x.iter().map(|u| PI * u).collect::<Vec<f64>>())),
            Self::Pits { dim } => Box::new(pits(dim, &mut rng)),
            Self::Rings { dim } => Box::new(rings(dim, &mut rng)),
            Self::Needle { dim } => Box::new(needle(dim, &mut rng)),
            Self::Combs { dim } => Box::new(combs(dim, &mut rng)),
            Self::Steep { dim } => Box::new(steep(dim, &mut rng)),
            Self::Valley { dim } => Box::new(valley(dim, &mut rng)),
            Self::LeastSquares { dim } => Box::new(least_squares(dim, &mut rng)),
            Self::Penalized { dim, lengthscale } => {
                let loss = draw(dim, lengthscale, true, &mut rng)?;
                let violation = draw(dim, lengthscale, true, &mut rng)?;
                Box::new(move |x| loss(x) + 1e3 * violation(x).max(0.0).powi(2))
            }
            Self::Sparse { dim, active, lengthscale } => {
                let g = draw(active, lengthscale, true, &mut rng)?;
                known = Some(searched(&g, active, &mut rng)?);
                let columns = chosen(active, dim, &mut rng);
                Box::new(move |x| g(&columns.iter().map(|column| x[*column]).collect::<Vec<f64>>()))
            }
            Self::Additive { dim, lengthscale } => {
                let parts =
                    (0..dim).map(|_| draw(1, lengthscale, true, &mut rng)).collect::<Result<Vec<_>, _>>()?;
                let scale = (dim as f64).sqrt().recip();
                let least = parts.iter().map(|g| searched(g, 1, &mut rng)).sum::<Result<f64, _>>()?;
                known = Some(scale * least);
                Box::new(move |x| scale * parts.iter().zip(x).map(|(g, x)| g(&[*x])).sum::<f64>())
            }
            Self::WangFreitas => {
                let function = TestFunction::wang_freitas();
                Box::new(move |x| function.truth(&function.space().decode(x)).unwrap_or(f64::NAN))
            }
        };
        let dim = self.dim();
        let optimum = match self {
            Self::Sparse { .. } | Self::Additive { .. } => known.unwrap_or(f64::NAN),
            Self::Ackley
            | Self::Levy
            | Self::Steep { .. }
            | Self::Valley { .. }
            | Self::LeastSquares { .. } => 0.0,
            Self::Rings { .. } | Self::Needle { .. } => -1.0,
            Self::WangFreitas => TestFunction::wang_freitas().optimum(),
            Self::Sharp { .. } => 1e-4_f64.ln(),
            _ => searched(&function, dim, &mut rng)?,
        };
        let mut space = Space::builder();
        for d in 0..dim {
            space = space.float(&format!("x{d}"), 0.0, 1.0);
        }
        let mut made = Development { name: self.label(), space: space.build()?, function, optimum, noise };
        if let Self::Ranged { noise, .. } = self {
            let range = made.range(&mut seed.stream("range", 0))?;
            made.set_noise(noise.of(range));
        }
        Ok(made)
    }
}

/// Some of the columns, drawn without repeats.
fn chosen(count: usize, of: usize, rng: &mut Stream) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..of).collect();
    (0..count.min(of)).map(|_| columns.swap_remove(rng.index(columns.len()))).collect()
}
