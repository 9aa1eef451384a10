//! Processor time of asks on a flat, a mixed and a conditional space with six active parameters each.
//!
//! ```text
//! spaces TRIALS              medians of the last ten asks, and a checksum of all suggestions
//! ```

use std::error::Error;

use cpu_time::ProcessTime;
use thrifty_bo::BayesianOptimizer;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{MaxTrials, Next, Study};

/// Asks whose median is printed.
const LAST: usize = 10;

fn spaces() -> Result<[(&'static str, Space); 3], SpaceError> {
    let floats = |mut builder: thrifty_space::SpaceBuilder, names: &[&str]| {
        for name in names {
            builder = builder.float(name, 0.0, 1.0);
        }
        builder
    };
    let mut conditional = floats(Space::builder().categorical("c", ["a", "b"]), &["x"]);
    for (choice, names) in [("a", ["a0", "a1", "a2", "a3"]), ("b", ["b0", "b1", "b2", "b3"])] {
        for name in names {
            conditional = conditional.float(name, 0.0, 1.0).when("c", [choice]);
        }
    }
    let mixed = Space::builder().categorical("c", ["a", "b"]);
    Ok([
        ("flat", Space::unit_cube(6)),
        ("mixed", floats(mixed, &["x", "a0", "a1", "a2", "a3"]).build()?),
        ("conditional", conditional.build()?),
    ])
}

/// Squared distances of the active numbers from their optima, and a worse category.
fn loss(space: &Space, config: &Config) -> f64 {
    let active = space.parameters().iter().enumerate().filter_map(|(i, parameter)| {
        let optimum = 0.3 + 0.4 * (i as f64 * 0.618).fract();
        Some((config.float(&parameter.name).ok()? - optimum).powi(2))
    });
    let penalty = config.str("c").map_or(0.0, |c| if c == "b" { 0.1 } else { 0.0 });
    active.sum::<f64>() + penalty
}

fn main() -> Result<(), Box<dyn Error>> {
    let trials: usize = std::env::args().nth(1).ok_or("expected a number of trials")?.parse()?;
    for (name, space) in spaces()? {
        let mut study =
            Study::new(BayesianOptimizer::new(space.clone()), Seed(1)).with_stop(MaxTrials(trials));
        let (mut spent, mut checksum) = (Vec::new(), 0_u64);
        while study.check_stop().is_none() {
            let started_at = ProcessTime::now();
            let Next::Evaluate(trial) = study.ask()? else { break };
            spent.push(1e3 * started_at.elapsed().as_secs_f64());
            for value in space.encode(&trial.query)? {
                checksum = checksum.rotate_left(5).wrapping_add(value.to_bits());
            }
            study.tell(trial.id, loss(&space, &trial.query))?;
        }
        let mut last = spent.split_off(trials.saturating_sub(LAST));
        last.sort_unstable_by(f64::total_cmp);
        println!(
            "{name}: median {:.1} ms, largest {:.1} ms; checksum {checksum:016x}",
            last[last.len() / 2],
            last[last.len() - 1]
        );
    }
    Ok(())
}
