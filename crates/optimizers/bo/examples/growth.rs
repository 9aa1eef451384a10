//! Processor time of asks as a study grows, and the regret that it comes to.
//!
//! ```text
//! growth TRIALS              one study of Hartmann's function in six dimensions
//! growth TRIALS always       hyperparameters are learnt in every ask
//! growth TRIALS 1.2          they are learnt after growth by this factor, beyond 40 observations
//! growth TRIALS noisy        hyperparameters are sampled up to 100 observations
//! growth TRIALS exact        the model is conditioned on all observations, beyond 1,000 too
//! ```

use std::error::Error;

use cpu_time::ProcessTime;
use thrifty_bo::BayesianOptimizer;
use thrifty_gp::{Conditioning, GpSurrogate, Refit};
use thrifty_sampling::Seed;
use thrifty_study::{MaxTrials, Next, Study};
use thrifty_testbed::{Problem, TestFunction};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let trials = arguments.first().ok_or("expected a number of trials")?;
    let trials: usize = trials.parse().map_err(|_| format!("{trials}, expected a number of trials"))?;
    let surrogate = match arguments.get(1).map(String::as_str) {
        None => GpSurrogate::default(),
        Some("always") => GpSurrogate { refit: Refit::Always, ..GpSurrogate::default() },
        Some("noisy") => GpSurrogate::noisy(),
        Some("exact") => GpSurrogate { conditioning: Conditioning::All, ..GpSurrogate::default() },
        Some(factor) => {
            let growth = factor
                .parse()
                .map_err(|_| format!("{factor}, expected always, noisy, exact or a factor of growth"))?;
            GpSurrogate { refit: Refit::by_growth(growth), ..GpSurrogate::default() }
        }
    };
    let problem = TestFunction::hartmann6();
    let optimizer = BayesianOptimizer::new(problem.space().clone()).with_surrogate(surrogate);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(trials));
    let (mut spent, mut whole) = (Vec::new(), 0.0);
    while study.check_stop().is_none() {
        let started_at = ProcessTime::now();
        let Next::Evaluate(trial) = study.ask()? else { break };
        spent.push(1e3 * started_at.elapsed().as_secs_f64());
        study.tell(trial.id, problem.truth(&trial.query)?)?;
        let n = spent.len();
        if n % 50 == 0 {
            let mut last = spent[n - 50..].to_vec();
            whole += last.iter().sum::<f64>() / 1e3;
            last.sort_unstable_by(f64::total_cmp);
            let regret = study.history().best().map_or(f64::NAN, |(_, best)| best - problem.optimum());
            let mean = last.iter().sum::<f64>() / 50.0;
            println!(
                "{n}: mean {mean:.1} ms, median {:.1} ms, largest {:.0} ms; {whole:.1} s so far; regret {regret:.1e}",
                last[25], last[49]
            );
        }
    }
    Ok(())
}
