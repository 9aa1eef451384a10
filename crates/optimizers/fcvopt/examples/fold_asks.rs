//! Processor time of one ask after many folds, by what it does with the hyperparameters: learns them from all starts, learns them from the last
//! ones alone, or keeps them.
//!
//! ```text
//! fold_asks FITS...          four parameters, ten folds; configurations at random
//! ```

use std::error::Error;

use cpu_time::ProcessTime;
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{FractionalCv, FractionalSettings};
use thrifty_gp::Refit;
use thrifty_sampling::{Seed, Stream};
use thrifty_space::Space;
use thrifty_study::{Ask, History, Memo, Optimizer, Trial, TrialId};

const FOLDS: usize = 10;
const DIM: usize = 4;

/// One fold of a random configuration. Waves of a phase per fold vanish on average over the folds.
fn trial(space: &Space, i: usize, rng: &mut Stream) -> Trial<FoldQuery> {
    let x: Vec<f64> = (0..DIM).map(|_| rng.uniform()).collect();
    let fold = i % FOLDS;
    let bowl: f64 = x.iter().map(|x| (x - 0.3).powi(2)).sum();
    let phase = std::f64::consts::TAU * fold as f64 / FOLDS as f64;
    let loss = bowl + 0.1 * (phase + 5.0 * x.iter().sum::<f64>()).sin() + 0.02 * rng.uniform();
    let query = FoldQuery { config: space.decode(&x), repeat: 0, fold };
    Trial::new(TrialId(i as u64), query, Some(loss.into()))
}

/// Seconds of an ask after these trials, and the memo of its suggestion.
fn ask(trials: &[Trial<FoldQuery>], refit: Refit, id: usize) -> Result<(f64, Memo), Box<dyn Error>> {
    let settings = FractionalSettings { refit, ..FractionalSettings::new(FOLDS) };
    let mut optimizer = FractionalCv::new(Space::unit_cube(DIM), FOLDS)?.with_settings(settings)?;
    let history = History::from_trials(trials.to_vec(), Seed(1));
    let began = ProcessTime::now();
    let asked = optimizer.ask(&history, TrialId(id as u64))?;
    let seconds = began.elapsed().as_secs_f64();
    match asked {
        Ask::Evaluate(suggestion) => Ok((seconds, suggestion.memo)),
        other => Err(format!("{other:?}, expected a suggestion").into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let space = Space::unit_cube(DIM);
    for argument in std::env::args().skip(1) {
        let fits: usize = argument.parse().map_err(|_| format!("{argument}, expected a number of fits"))?;
        let mut rng = Seed(1).stream("trials", 0);
        let mut trials: Vec<_> = (0..fits).map(|i| trial(&space, i, &mut rng)).collect();
        let last = trials.len().checked_sub(1).ok_or("expected at least one fit")?;
        // Nine of ten trials learn from the last hyperparameters alone: those whose number is no multiple of ten.
        let (by_tens, between) = (fits.next_multiple_of(10), fits.next_multiple_of(10) + 1);
        // The last hyperparameters were learnt from a fiftieth fewer, as they are when growth asks for a fit.
        (_, trials[last].memo) = ask(&trials[..fits - fits / 50], Refit::Always, by_tens)?;
        let keeping = Refit::WhenNeeded { from: 0, growth: 2.0, restarts_until: 0 };
        let (all, _) = ask(&trials, Refit::Always, by_tens)?;
        let (alone, _) = ask(&trials, Refit::Always, between)?;
        let (kept, _) = ask(&trials, keeping, between)?;
        println!(
            "{fits} fits: from all starts {all:.2} s, from the last alone {alone:.2} s, kept {kept:.2} s"
        );
    }
    Ok(())
}
