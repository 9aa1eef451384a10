//! Distance of this machine from its floor, on one thread and on the pool.

use super::floor::Stages;
use super::threads::Comparison;
use crate::harness::{Table, number};

/// Stages of Thrifty's likelihood, and its distance from the floor.
pub fn floor(stages: &[Stages]) -> Table {
    let cells = |s: &Stages| {
        let microseconds = [s.build, s.factor, s.invert, s.gram, s.gradient, s.floor(), s.measured];
        let mut row = vec![s.n.to_string(), number(s.rate())];
        row.extend(microseconds.map(|ms| number(1e3 * ms)));
        row.push(format!("{:.0} %", 100.0 * s.share()));
        row
    };
    let header =
        ["n", "GFLOP/s", "build", "factor", "invert", "gram", "gradient", "floor", "measured", "share"];
    Table {
        name: "speed-floor".into(),
        caption: "Likelihood and gradient by stages, CPU microseconds. Floor: n³ flops at the rate of the \
            factorisation, and the kernel's two passes, build and gradient; share is floor over measured."
            .into(),
        header: header.map(String::from).to_vec(),
        rows: stages.iter().map(cells).collect(),
    }
}

/// One thread against the pool.
pub fn threads(comparisons: &[Comparison]) -> Table {
    let cells = |c: &Comparison| {
        vec![c.n.to_string(), number(c.one), number(c.pool), format!("{:.2}", c.one / c.pool)]
    };
    Table {
        name: "speed-threads".into(),
        caption: format!(
            "Factor, invert and gram together, least wall milliseconds on 1 thread and on a pool of {}.",
            std::thread::available_parallelism().map_or(1, usize::from)
        ),
        header: ["n", "1 thread", "pool", "speed-up"].map(String::from).to_vec(),
        rows: comparisons.iter().map(cells).collect(),
    }
}
