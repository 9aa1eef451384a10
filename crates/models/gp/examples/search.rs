//! Compares the methods of [`Search`] for hyperparameters: evaluations, processor time and ends of fits from random starts.
//!
//! Draws of Friedman's first function with a sixth column that does not count and noise of a fifth of the standard deviation; no priors. A
//! fit has failed whose log likelihood is more than 1 below that of the best of all fits of its data. Also prints what a likelihood with its
//! gradient takes, and the information after it. Run
//! `cargo run --release -p thrifty-gp --example search [ROWS]`; 200 rows take some seconds.

use std::error::Error;
use std::f64::consts::PI;
use std::time::Instant;

use thrifty_domain::Points;
use thrifty_gp::{ExactLikelihood, GpSettings, Mean, Noise, Restart, Search, learn_parameters};
use thrifty_kernel::{KernelError, Matern52, Scaled};
use thrifty_params::{LogLikelihood, Parameterized};
use thrifty_sampling::{Seed, Stream};

const SETS: u64 = 20;
const STARTS: usize = 5;

/// Points uniform in the cube; targets with mean 0 and standard deviation 1.
fn friedman(rows: usize, rng: &mut Stream) -> (Points, Vec<f64>) {
    let x = Points::from_flat((0..6 * rows).map(|_| rng.uniform()).collect(), 6);
    let target = |row: &[f64], noise: f64| {
        10.0 * (PI * row[0] * row[1]).sin()
            + 20.0 * (row[2] - 0.5).powi(2)
            + 10.0 * row[3]
            + 5.0 * row[4]
            + noise
    };
    // A sum of twelve uniform numbers less 6 is nearly normal.
    let mut noise = || (0..12).map(|_| rng.uniform()).sum::<f64>() - 6.0;
    let y: Vec<f64> = x.rows().map(|row| target(row, noise())).collect();
    let mean = y.iter().sum::<f64>() / rows as f64;
    let std_dev = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / rows as f64).sqrt();
    let scaled = y.iter().map(|y| (y - mean) / std_dev).collect();
    (x, scaled)
}

fn kernel() -> Result<Scaled<Matern52>, KernelError> {
    let kernel = Matern52::new(vec![1.0; 6])?.with_bounds(1e-2, 1e3)?;
    Scaled::new(kernel, 1.0)?.with_bounds(1e-3, 1e3)
}

fn noise() -> Noise {
    Noise::Learned { start: 1e-2, floor: 1e-6, ceiling: 1.0, prior: None }
}

/// Milliseconds of a likelihood with its gradient, and of its information.
fn costs(x: &Points, y: &[f64]) -> Result<(f64, f64), Box<dyn Error>> {
    const TIMES: u32 = 200;
    let (mut kernel, noise) = (kernel()?, noise());
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), y, &noise, Mean::Zero);
    let count = likelihood.params().len();
    let (mut gradient, mut information) = (vec![0.0; count], vec![0.0; count * count]);
    let timed = |run: &mut dyn FnMut() -> bool| {
        let began = Instant::now();
        let done = (0..TIMES).all(|_| run());
        done.then(|| 1e3 * began.elapsed().as_secs_f64() / f64::from(TIMES)).ok_or("no likelihood")
    };
    let of_likelihood = timed(&mut || likelihood.log_likelihood(&mut gradient).is_ok())?;
    Ok((of_likelihood, timed(&mut || likelihood.information(&mut information))?))
}

/// Every start of a fit, and its time in milliseconds.
fn fit(x: &Points, y: &[f64], search: Search, seed: Seed) -> Result<(Vec<Restart>, f64), Box<dyn Error>> {
    let (mut kernel, noise) = (kernel()?, noise());
    let settings = GpSettings {
        search,
        restarts: STARTS - 1,
        max_evaluations: 1000,
        noise: noise.clone(),
        ..GpSettings::default()
    };
    let began = Instant::now();
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), y, &noise, Mean::Zero);
    let (_, starts) = learn_parameters(&mut likelihood, &settings, None, &mut seed.stream("fit", 0))?;
    Ok((starts, 1e3 * began.elapsed().as_secs_f64()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let rows = match std::env::args().nth(1) {
        Some(text) => text.parse().map_err(|_| format!("rows are {text}, expected a number"))?,
        None => 200,
    };
    let searches = [Search::QuasiNewton, Search::AverageInformation];
    let mut found: [Vec<(Restart, f64)>; 2] = [Vec::new(), Vec::new()];
    let mut times = [0.0; 2];
    for set in 0..SETS {
        let (x, y) = friedman(rows, &mut Seed(set).stream("data", 0));
        let both = [fit(&x, &y, searches[0], Seed(set))?, fit(&x, &y, searches[1], Seed(set))?];
        let height = |start: &Restart| start.log_posterior.unwrap_or(f64::NEG_INFINITY);
        let top = both.iter().flat_map(|fit| &fit.0).map(height).fold(f64::NEG_INFINITY, f64::max);
        for (own, (starts, time)) in both.into_iter().enumerate() {
            times[own] += time;
            found[own].extend(starts.into_iter().map(|start| {
                let below = top - height(&start);
                (start, below)
            }));
        }
    }
    println!("{rows} rows, {SETS} data sets, {STARTS} starts each: per start");
    println!("{:22} {:>11} {:>8} {:>13} {:>8}", "search", "evaluations", "ms", "of the first", "failed");
    for ((search, found), time) in searches.iter().zip(&found).zip(times) {
        let count = found.len() as f64;
        let mean = found.iter().map(|(start, _)| start.evaluations as f64).sum::<f64>() / count;
        let firsts = found.iter().step_by(STARTS).map(|(start, _)| start.evaluations as f64);
        let first = firsts.sum::<f64>() / SETS as f64;
        let failed = found.iter().filter(|(_, below)| *below > 1.0).count();
        let name = format!("{search:?}");
        println!("{name:22} {mean:11.1} {:8.2} {first:13.1} {failed:4} of {count}", time / count);
    }
    let (x, y) = friedman(rows, &mut Seed(0).stream("data", 0));
    let (likelihood, information) = costs(&x, &y)?;
    println!("likelihood with gradient {likelihood:.3} ms, its information {information:.3} ms");
    Ok(())
}
