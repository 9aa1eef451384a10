//! Tables 1 to 5 of the paper, with their priors.

use thrifty_autobct::{AutoBctError, NoiseStdDev, State};
use thrifty_linear::{Coefficients, Polynomial};

/// One printed training of a table of the paper.
pub struct Row {
    pub control: f64,
    pub score: f64,
    pub cost: f64,
    /// Expected score afterwards, and the value of going on.
    pub mean: f64,
    pub value: f64,
}

/// A run of the paper.
pub struct Run {
    pub name: &'static str,
    pub rows: &'static [Row],
    /// Number of the prior: 1 to 3 for Appendices D.1 to D.3.
    pub prior: usize,
}

const fn row(control: f64, score: f64, cost: f64, mean: f64, value: f64) -> Row {
    Row { control, score, cost, mean, value }
}

/// Tables 1 to 5.
pub const RUNS: [Run; 5] = [
    Run {
        name: "1: map, N = 2",
        rows: &[
            row(0.0, 0.556, 0.068, 0.555, 0.75),
            row(0.06, 0.734, 0.083, 0.697, 1.147),
            row(0.74, 0.977, 0.675, 0.98, 0.974),
        ],
        prior: 1,
    },
    Run {
        name: "2: map, N = 4",
        rows: &[
            row(0.0, 0.56, 0.074, 0.559, 0.803),
            row(0.07, 0.738, 0.093, 0.707, 1.129),
            row(0.79, 0.981, 0.653, 0.984, 0.974),
        ],
        prior: 1,
    },
    Run {
        name: "3: on the fly, N = 2",
        rows: &[
            row(0.0, 0.545, 0.066, 0.545, 0.653),
            row(0.56, 0.976, 0.381, 0.973, 0.998),
            row(0.76, 0.983, 0.445, 0.991, 0.92),
        ],
        prior: 1,
    },
    Run {
        name: "4: batch size",
        rows: &[
            row(1.0, 0.229, 0.117, 0.23, 0.526),
            row(0.79, 0.709, 0.118, 0.619, 0.978),
            row(0.42, 0.806, 0.215, 0.828, 0.8),
        ],
        prior: 2,
    },
    Run {
        name: "5: learning rate",
        rows: &[
            row(1.0, 0.137, 0.357, 0.137, 0.647),
            row(0.21, 0.154, 0.357, 0.163, 0.31),
            row(0.72, 0.166, 0.359, 0.202, 0.269),
            row(0.0, 0.166, 0.355, 0.137, 0.188),
            row(0.43, 0.794, 0.368, 0.445, 0.389),
        ],
        prior: 3,
    },
];

/// Every table has this basis for score and cost.
pub fn basis() -> Polynomial {
    Polynomial::of_one(3, 0.5)
}

/// Price of a unit of cost in all of the paper.
pub const GAMMA: f64 = 0.16;

/// Prior before the first training, and the noise. In D.3 the cost is flat: nothing is in doubt but it
pub fn prior(appendix: usize) -> Result<(State, NoiseStdDev), AutoBctError> {
    let (score, cost, of_cost, noise) = match appendix {
        1 => ([0.4, 0.1, -0.2, 0.1], [1.0, 1.0, 2.0, 2.0], [0.64, 4.0, 4.0, 4.0], 0.05),
        2 => ([0.4, -0.1, -0.2, -0.1], [1.0, -1.0, 2.0, -2.0], [0.64, 4.0, 4.0, 4.0], 0.15),
        _ => ([0.4, -0.1, -0.8, -0.1], [0.48, 0.0, 0.0, 0.0], [0.64, 0.0, 0.0, 0.0], 0.15),
    };
    let state = State {
        score: Coefficients::independent(score.to_vec(), &[1.0; 4])?,
        cost: Coefficients::independent(cost.to_vec(), &of_cost)?,
    };
    Ok((state, NoiseStdDev { score: noise, cost: 0.1 }))
}
