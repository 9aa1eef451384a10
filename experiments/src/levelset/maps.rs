//! Maps of where criteria look.

use thrifty_figures::{Axis, Contours, Isoline};
use thrifty_sampling::Seed;

use super::curves::{Job, Protocol};
use super::methods::{ALL, STRADDLE, SUR};
use super::problems::{CASES, SIDE};
use crate::error::ExperimentError;
use crate::harness::Figure;

/// Values in the order of the grid, whose last column is the fastest, in that of a map, whose first axis is.
pub fn turned(values: &[f64], side: usize) -> Vec<f64> {
    (0..side * side).map(|at| values[at % side * side + at / side]).collect()
}

/// Evaluations of straddle and stepwise uncertainty reduction from the same start, and their posteriors.
pub fn side_by_side(evaluations: usize, seed: Seed) -> Result<Figure, ExperimentError> {
    let case = CASES[1];
    let map = |name: &str| -> Result<Contours, ExperimentError> {
        let method = ALL.into_iter().find(|method| method.0 == name).unwrap_or(ALL[0]);
        let job = Job { case, method, protocol: Protocol::Known, evaluations, seed };
        let ended = job.end()?;
        let problem = case.problem(seed);
        let encode = |trial: &thrifty_study::Trial<thrifty_space::Config>| {
            let x = problem.space().encode(&trial.query)?;
            Ok((x[0], x[1]))
        };
        let dots = ended.history.trials().iter().map(encode).collect::<Result<_, ExperimentError>>()?;
        let axis = |label: &str| Axis { label: label.into(), low: -5.0, high: 5.0, log: false };
        let boundary = |values: &[f64]| Isoline { values: turned(values, SIDE), height: ended.threshold };
        Ok(Contours {
            title: format!("{name}, F1 {:.3}", ended.f1),
            axes: (axis("x₁"), axis("x₂")),
            side: SIDE,
            values: turned(ended.found.means(), SIDE),
            levels: 0,
            isolines: vec![boundary(&ended.values), boundary(ended.found.means())],
            dots,
        })
    };
    let maps = [map(STRADDLE)?, map(SUR)?];
    Figure::of(
        "maps",
        "Himmelblau's function above 100: posterior mean (shaded), true boundary (black), that of the mean (blue) and all \
         evaluations, the same three first.",
        Contours::side_by_side(&maps),
    )
}
