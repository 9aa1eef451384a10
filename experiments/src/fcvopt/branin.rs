//! Branin's function with folds.

use std::f64::consts::{PI, TAU};
use std::path::Path;
use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};
use serde::Deserialize;
use thrifty_sampling::Seed;

use super::drawn::Drawn;
use crate::data;
use crate::error::ExperimentError;

/// The standardised Branin function, with ten folds that deviate by sums of cosines which vanish on average.
///
/// ```text
/// y_j(x) = (branin(x) - 54.81) / 51.95 + b_j + Σ_m A_jm cos(w_m·x + φ_m)
/// ```
///
/// Without a file the coefficients are a twin's, drawn in the same way by another generator.
#[derive(Deserialize)]
struct Coefficients {
    #[serde(rename = "W")]
    waves: Vec<[f64; 2]>,
    phase: Vec<f64>,
    #[serde(rename = "A")]
    amplitudes: Vec<Vec<f64>>,
    b: Vec<f64>,
}

/// Path of the coefficients below the data folder.
pub const FILE: &str = "fcvopt/synth_coeffs.json";

/// Least value of the mean over the folds: that of Branin, standardised.
const OPTIMUM: f64 = (0.397_887_357_729_738_16 - 54.81) / 51.95;

impl Coefficients {
    fn twin() -> Self {
        let (folds, terms) = (super::drawn::FOLDS, 16);
        let mut rng = Seed(20_251).stream("coefficients", 0);
        let mut normal = |scale: f64| -> f64 {
            let z: f64 = StandardNormal.sample(&mut rng);
            scale * z
        };
        let waves = (0..terms).map(|_| [normal(4.0), normal(4.0)]).collect();
        let spread = 0.3 * (2.0 / terms as f64).sqrt();
        let mut amplitudes: Vec<Vec<f64>> =
            (0..folds).map(|_| (0..terms).map(|_| normal(spread)).collect()).collect();
        let mut b: Vec<f64> = (0..folds).map(|_| normal(0.2)).collect();
        let phase = (0..terms).map(|_| TAU * rng.uniform()).collect();
        for term in 0..terms {
            let mean = amplitudes.iter().map(|own| own[term]).sum::<f64>() / folds as f64;
            amplitudes.iter_mut().for_each(|own| own[term] -= mean);
        }
        let mean = b.iter().sum::<f64>() / folds as f64;
        b.iter_mut().for_each(|own| *own -= mean);
        Self { waves, phase, amplitudes, b }
    }

    fn read(path: &Path) -> Result<Self, ExperimentError> {
        let read: Self =
            serde_json::from_str(&data::read(path)?).map_err(|error| ExperimentError::data(path, error))?;
        let terms = read.waves.len();
        let fits = read.phase.len() == terms && read.amplitudes.iter().all(|own| own.len() == terms);
        if !fits || read.amplitudes.len() != read.b.len() || read.b.is_empty() {
            return Err(ExperimentError::data(path, "coefficients of different number"));
        }
        Ok(read)
    }
}

/// The problem, and where its coefficients are from.
pub fn problem(folder: Option<&Path>) -> Result<(Drawn, &'static str), ExperimentError> {
    let (coefficients, from) = match data::file(folder, FILE) {
        Some(path) => (Coefficients::read(&path)?, "a file"),
        None => (Coefficients::twin(), "a twin of our own"),
    };
    let Coefficients { waves, phase, amplitudes, b } = coefficients;
    let (waves, phase) = (Arc::new(waves), Arc::new(phase));
    let fold = |(own, b): (Vec<f64>, f64)| -> Arc<dyn Fn(&[f64]) -> f64 + Send + Sync> {
        let (waves, phase) = (waves.clone(), phase.clone());
        Arc::new(move |x| {
            let wave = |m: usize| own[m] * (waves[m][0] * x[0] + waves[m][1] * x[1] + phase[m]).cos();
            (branin(x) - 54.81) / 51.95 + b + (0..own.len()).map(wave).sum::<f64>()
        })
    };
    Ok((Drawn::of(2, amplitudes.into_iter().zip(b).map(fold).collect(), OPTIMUM, 0.0), from))
}

fn branin(x: &[f64]) -> f64 {
    let (u, v) = (15.0 * x[0] - 5.0, 15.0 * x[1]);
    (v - 5.1 * u * u / (4.0 * PI * PI) + 5.0 * u / PI - 6.0).powi(2)
        + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * u.cos()
        + 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fcvopt::problem::FoldProblem;
    use thrifty_space::Config;

    #[test]
    fn the_optimum_of_branin_has_no_regret() {
        let (problem, _) = problem(None).unwrap();
        let mut config = Config::new();
        config.insert("x0", (PI + 5.0) / 15.0);
        config.insert("x1", 2.275 / 15.0);
        assert!(problem.regret(&config).unwrap() < 1e-7);
    }
}
