//! Processor time of asks as a study grows, and the regret that it comes to.
//!
//! ```text
//! growth TRIALS [always]     one study of Hartmann's function in six dimensions; `always` learns hyperparameters in every ask
//! ```

use std::error::Error;

use cpu_time::ProcessTime;
use thrifty_bo::BayesianOptimizer;
use thrifty_gp::{GpSurrogate, Refit};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{MaxTrials, Next, Study};

/// Hartmann's function in six dimensions; its minimum is -3.32237.
fn hartmann(x: &[f64]) -> f64 {
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    let term = |row: usize| {
        let inner: f64 = (0..6).map(|k| A[row][k] * (x[k] - P[row][k]).powi(2)).sum();
        (-inner).exp()
    };
    -[1.0, 1.2, 3.0, 3.2].iter().enumerate().map(|(row, weight)| weight * term(row)).sum::<f64>()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let trials: usize = arguments.first().ok_or("expected a number of trials")?.parse()?;
    let refit =
        if arguments.get(1).is_some_and(|word| word == "always") { Refit::Always } else { Refit::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(6))
        .with_surrogate(GpSurrogate { refit, ..GpSurrogate::default() });
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(trials));
    let (mut spent, mut whole) = (Vec::new(), 0.0);
    while study.check_stop().is_none() {
        let started_at = ProcessTime::now();
        let Next::Evaluate(trial) = study.ask()? else { break };
        spent.push(1e3 * started_at.elapsed().as_secs_f64());
        let x: Vec<f64> = (0..6).map(|k| trial.query.float(&format!("x{k}"))).collect::<Result<_, _>>()?;
        study.tell(trial.id, hartmann(&x))?;
        let n = spent.len();
        if n % 50 == 0 {
            let mut last = spent[n - 50..].to_vec();
            whole += last.iter().sum::<f64>() / 1e3;
            last.sort_unstable_by(f64::total_cmp);
            let regret = study.history().best().map_or(f64::NAN, |(_, best)| best + 3.322_368_011_415_511);
            let mean = last.iter().sum::<f64>() / 50.0;
            println!(
                "{n}: mean {mean:.1} ms, median {:.1} ms, largest {:.0} ms; {whole:.1} s so far; regret {regret:.1e}",
                last[25], last[49]
            );
        }
    }
    Ok(())
}
