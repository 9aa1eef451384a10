//! Processor time of asks as a study of folds grows, and the regret that it comes to.
//!
//! ```text
//! fold_growth FITS                one study of four parameters with ten folds
//! fold_growth FITS always         hyperparameters are learnt in every ask
//! fold_growth FITS 40             they are learnt in every ask up to 40 folds, beyond after a fiftieth of growth
//! ```

use std::error::Error;

use cpu_time::ProcessTime;
use rand_distr::{Distribution, StandardNormal};
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{FractionalCv, FractionalSettings};
use thrifty_gp::Refit;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Next, Study};

const FOLDS: usize = 10;
const DIM: usize = 4;

fn coordinates(config: &Config) -> Result<Vec<f64>, Box<dyn Error>> {
    Ok((0..DIM).map(|d| config.float(&format!("x{d}"))).collect::<Result<_, _>>()?)
}

/// Mean over the folds, least at 0.3 in every coordinate, where it is 0.
fn truth(x: &[f64]) -> f64 {
    x.iter().map(|x| (x - 0.3).powi(2) + 0.1 * (1.0 - (9.0 * (x - 0.3)).cos())).sum()
}

/// One model fit: waves of a phase per fold vanish on average over the folds.
fn loss(query: &FoldQuery, id: u64) -> Result<f64, Box<dyn Error>> {
    let x = coordinates(&query.config)?;
    let phase = std::f64::consts::TAU * query.fold as f64 / FOLDS as f64;
    let noise: f64 = StandardNormal.sample(&mut Seed(1).stream("noise", id));
    Ok(truth(&x) + 0.1 * (phase + 5.0 * x.iter().sum::<f64>()).sin() + 0.01 * noise)
}

fn settings(rule: Option<&str>) -> Result<FractionalSettings, Box<dyn Error>> {
    let defaults = FractionalSettings::new(FOLDS);
    Ok(match rule {
        None => defaults,
        Some("always") => FractionalSettings { refit: Refit::Always, ..defaults },
        Some(from) => {
            let from = from.parse().map_err(|_| format!("{from}, expected always or a number of folds"))?;
            let refit = Refit::WhenNeeded { from, growth: 1.02, restarts_until: 300 };
            FractionalSettings { refit, ..defaults }
        }
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let fits = arguments.first().ok_or("expected a number of fits")?;
    let fits: usize = fits.parse().map_err(|_| format!("{fits}, expected a number of fits"))?;
    let settings = settings(arguments.get(1).map(String::as_str))?;
    let optimizer = FractionalCv::new(Space::unit_cube(DIM), FOLDS)?.with_settings(settings)?;
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(fits));
    let (mut spent, mut whole) = (Vec::new(), 0.0);
    while study.check_stop().is_none() {
        let started_at = ProcessTime::now();
        let Next::Evaluate(trial) = study.ask()? else { break };
        spent.push(started_at.elapsed().as_secs_f64());
        study.tell(trial.id, loss(&trial.query, trial.id.0)?)?;
        let n = spent.len();
        if n.is_multiple_of(50) {
            let mut last = spent[n - 50..].to_vec();
            whole += last.iter().sum::<f64>();
            last.sort_unstable_by(f64::total_cmp);
            let best = study.recommend()?.ok_or("nothing was measured")?;
            let (mean, regret) = (last.iter().sum::<f64>() / 50.0, truth(&coordinates(&best.config)?));
            println!(
                "{n}: mean {mean:.3} s, median {:.3} s, largest {:.2} s; {whole:.1} s so far; regret {regret:.1e}",
                last[25], last[49]
            );
        }
    }
    Ok(())
}
