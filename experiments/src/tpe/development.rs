//! Problems to choose the estimator's defaults on: none of them is among those it is judged on.

use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceBuilder, SpaceError};
use thrifty_testbed::{Problem, TestFunction};

use super::formula::Formula;
use crate::bo::problems::Kind as Smooth;
use crate::error::ExperimentError;

/// Kind of problem.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One of those on which Bayesian optimisation's defaults are chosen.
    Smooth(Smooth),
    /// A separable function with many pits.
    StyblinskiTang,
    /// A bowl over numbers of all sorts, its bottom anywhere: training a network.
    Bowl,
    /// Few levels along each axis, as grids of hyperparameters have them.
    Levels,
    /// Categories that work together.
    Choices,
    /// Branches with parameters of their own, all of them over shared ones.
    Branches,
    /// Branches within branches.
    Nested,
}

pub const KINDS: [Kind; 10] = [
    Kind::Smooth(Smooth::Draw { dim: 3, lengthscale: 0.3, smooth: false, noise: 0.0 }),
    Kind::Smooth(Smooth::Skewed { dim: 6, lengthscale: 0.7 }),
    Kind::Smooth(Smooth::Levy),
    Kind::Smooth(Smooth::Draw { dim: 3, lengthscale: 0.4, smooth: true, noise: 0.3 }),
    Kind::StyblinskiTang,
    Kind::Bowl,
    Kind::Levels,
    Kind::Choices,
    Kind::Branches,
    Kind::Nested,
];

impl Kind {
    pub fn label(self) -> String {
        match self {
            Self::Smooth(kind) => kind.label(),
            Self::StyblinskiTang => "Styblinski–Tang, d = 5".into(),
            Self::Bowl => "mixed bowl, d = 7".into(),
            Self::Levels => "levels, d = 7".into(),
            Self::Choices => "choices, d = 6".into(),
            Self::Branches => "branches".into(),
            Self::Nested => "nested branches".into(),
        }
    }

    /// The problem of one replication: another draw, or the same function.
    pub fn problem(self, seed: Seed) -> Result<Box<dyn Problem>, ExperimentError> {
        let mut rng = seed.stream("problem", 0);
        let (builder, value) = match self {
            Self::Smooth(kind) => return Ok(Box::new(kind.problem(seed)?)),
            Self::StyblinskiTang => return Ok(Box::new(TestFunction::styblinski_tang(5))),
            Self::Bowl => bowl(&mut rng),
            Self::Levels => levels(&mut rng),
            Self::Choices => choices(&mut rng),
            Self::Branches => branches(&mut rng),
            Self::Nested => nested(&mut rng),
        };
        Ok(Box::new(Formula { name: self.label(), space: builder.build()?, value }))
    }
}

type Made = (SpaceBuilder, super::formula::Value);

/// A number in `[0.1, 0.9]`: where along its axis a bottom lies.
fn place(rng: &mut Stream) -> f64 {
    0.1 + 0.8 * rng.uniform()
}

/// Position of a value along a logarithmic axis.
fn along_log(value: f64, low: f64, high: f64) -> f64 {
    (value / low).ln() / (high / low).ln()
}

fn bowl(rng: &mut Stream) -> Made {
    let space = Space::builder()
        .log_float("learning rate", 1e-6, 1.0)
        .log_float("decay", 1e-8, 1e-1)
        .float("momentum", 0.0, 1.0)
        .int("layers", 1, 12)
        .log_int("units", 8, 2048)
        .step_float("dropout", 0.0, 0.9, 0.1)
        .categorical("batch", [16, 32, 64, 128, 256]);
    let at: Vec<f64> = (0..7).map(|_| place(rng)).collect();
    let weight: Vec<f64> = (0..7).map(|_| 0.2 + rng.uniform()).collect();
    let value = move |c: &Config| -> Result<f64, SpaceError> {
        let x = [
            along_log(c.float("learning rate")?, 1e-6, 1.0),
            along_log(c.float("decay")?, 1e-8, 1e-1),
            c.float("momentum")?,
            (c.float("layers")? - 1.0) / 11.0,
            along_log(c.float("units")?, 8.0, 2048.0),
            c.float("dropout")? / 0.9,
            (c.float("batch")?.log2() - 4.0) / 4.0,
        ];
        let bowl: f64 = (0..7).map(|d| weight[d] * (x[d] - at[d]).powi(2)).sum();
        // The best rate falls with the size of the network.
        let coupled = (x[0] - at[0] + 0.7 * (x[4] - at[4])).powi(2);
        Ok(bowl + 2.0 * coupled)
    };
    (space, Box::new(value))
}

/// Levels of each axis.
const LEVELS: [i64; 5] = [3, 4, 6, 8, 5];

fn levels(rng: &mut Stream) -> Made {
    let mut space = Space::builder();
    for (d, levels) in LEVELS.iter().enumerate() {
        space = space.int(&format!("i{d}"), 0, levels - 1);
    }
    space = space.categorical("c0", [0, 1]).categorical("c1", [0, 1, 2]);
    // A ridge, a slope in each axis, and waves across them.
    let slope: Vec<f64> = (0..7).map(|_| rng.uniform()).collect();
    let at: Vec<f64> = (0..5).map(|_| place(rng)).collect();
    let phase = rng.uniform();
    let best = (rng.index(2) as i64, rng.index(3) as i64);
    let raw = move |level: &[f64], c0: i64, c1: i64| -> f64 {
        let bowl: f64 = (0..5).map(|d| (0.3 + slope[d]) * (level[d] - at[d]).powi(2)).sum();
        let ridge =
            (level[0] - level[3] - at[0] + at[3]).powi(2) + (level[2] + level[4] - at[2] - at[4]).powi(2);
        let waves = 0.1 * (9.0 * (level[1] + phase)).sin() * (7.0 * level[3]).cos();
        let others = 0.2 * (slope[5] * f64::from(c0 != best.0) + slope[6] * f64::from(c1 != best.1)) + 0.1;
        bowl + ridge + waves + others
    };
    // Every level has been looked at: the least value is known.
    let mut least = f64::INFINITY;
    let all: i64 = LEVELS.iter().product();
    for mut index in 0..all {
        let mut level = [0.0; 5];
        for (slot, levels) in level.iter_mut().zip(LEVELS) {
            *slot = (index % levels) as f64 / (levels - 1) as f64;
            index /= levels;
        }
        least = least.min(raw(&level, best.0, best.1));
    }
    let value = move |c: &Config| -> Result<f64, SpaceError> {
        let mut level = [0.0; 5];
        for (d, slot) in level.iter_mut().enumerate() {
            *slot = c.float(&format!("i{d}"))? / (LEVELS[d] - 1) as f64;
        }
        Ok(raw(&level, c.int("c0")?, c.int("c1")?) - least)
    };
    (space, Box::new(value))
}

fn choices(rng: &mut Stream) -> Made {
    let mut space = Space::builder();
    for d in 0..4 {
        space = space.categorical(&format!("c{d}"), [0, 1, 2, 3, 4]);
    }
    space = space.float("x", 0.0, 1.0).float("y", 0.0, 1.0);
    let best: Vec<i64> = (0..4).map(|_| rng.index(5) as i64).collect();
    let single: Vec<Vec<f64>> = (0..4).map(|_| (0..5).map(|_| rng.uniform()).collect()).collect();
    let (x, y) = (place(rng), place(rng));
    let value = move |c: &Config| -> Result<f64, SpaceError> {
        let mut sum = 0.0;
        let mut right = [false; 4];
        for d in 0..4 {
            let choice = c.int(&format!("c{d}"))?;
            right[d] = choice == best[d];
            sum += if right[d] { 0.0 } else { 0.1 + 0.4 * single[d][choice.clamp(0, 4) as usize] };
        }
        // Two that are right alone are worth less than both together.
        let alone = f64::from(u8::from(right[0] != right[1])) + f64::from(u8::from(right[2] != right[3]));
        Ok(sum + 0.2 * alone + (c.float("x")? - x).powi(2) + (c.float("y")? - y).powi(2))
    };
    (space, Box::new(value))
}

fn branches(rng: &mut Stream) -> Made {
    let mut space = Space::builder().categorical("model", [0, 1, 2, 3]).float("shared", 0.0, 1.0);
    for branch in 0..4 {
        for d in 0..2 {
            space = space.float(&format!("b{branch}{d}"), 0.0, 1.0).when("model", [branch]);
        }
    }
    // The best branch looks average where nothing is tuned: its bowl is steep.
    let best = rng.index(4) as i64;
    let shared = place(rng);
    let at: Vec<[f64; 2]> = (0..4).map(|_| [place(rng), place(rng)]).collect();
    let offset: Vec<f64> = (0..4).map(|_| 0.1 + 0.3 * rng.uniform()).collect();
    let value = move |c: &Config| -> Result<f64, SpaceError> {
        let model = c.int("model")?.clamp(0, 3);
        let branch = model as usize;
        let x = [c.float(&format!("b{branch}0"))?, c.float(&format!("b{branch}1"))?];
        let distance = (x[0] - at[branch][0]).powi(2) + (x[1] - at[branch][1]).powi(2);
        let (floor, steep) = if model == best { (0.0, 3.0) } else { (offset[branch], 0.5) };
        Ok(floor + steep * distance + (c.float("shared")? - shared).powi(2))
    };
    (space, Box::new(value))
}

fn nested(rng: &mut Stream) -> Made {
    let space = Space::builder()
        .categorical("family", ["tree", "network"])
        .int("depth", 1, 20)
        .when("family", ["tree"])
        .log_float("leaf", 1e-4, 0.5)
        .when("family", ["tree"])
        .categorical("solver", ["sgd", "adam", "newton"])
        .when("family", ["network"])
        .log_float("rate", 1e-6, 1.0)
        .when("family", ["network"])
        .when("solver", ["sgd", "adam"])
        .float("momentum", 0.0, 1.0)
        .when("family", ["network"])
        .when("solver", ["sgd"])
        .log_float("damping", 1e-8, 1.0)
        .when("family", ["network"])
        .when("solver", ["newton"]);
    let at: Vec<f64> = (0..5).map(|_| place(rng)).collect();
    let floors = {
        let mut floors = [0.0, 0.12, 0.2, 0.3];
        rng.shuffle(&mut floors);
        floors
    };
    let value = move |c: &Config| -> Result<f64, SpaceError> {
        if c.str("family")? == "tree" {
            let depth = (c.float("depth")? - 1.0) / 19.0 - at[0];
            let leaf = along_log(c.float("leaf")?, 1e-4, 0.5) - at[1];
            return Ok(floors[0] + depth.powi(2) + leaf.powi(2));
        }
        Ok(match c.str("solver")? {
            "sgd" => {
                let rate = along_log(c.float("rate")?, 1e-6, 1.0) - at[2];
                floors[1] + 2.0 * rate.powi(2) + (c.float("momentum")? - at[3]).powi(2)
            }
            "adam" => floors[2] + 3.0 * (along_log(c.float("rate")?, 1e-6, 1.0) - at[4]).powi(2),
            _ => floors[3] + 2.0 * (along_log(c.float("damping")?, 1e-8, 1.0) - at[3]).powi(2),
        })
    };
    (space, Box::new(value))
}
