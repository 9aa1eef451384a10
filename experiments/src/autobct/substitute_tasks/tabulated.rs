//! Substitute tasks whose trainings were all done beforehand.

use thrifty_autobct::Controls;
use thrifty_sampling::{Seed, Stream};

use super::bench::{Bench, Unit};
use super::priors::{Appendix, Prior};
use super::stand_in::{Size, StandIn, all};
use crate::error::ExperimentError;
use crate::harness::replicate::in_parallel;

/// A stand-in of one control whose trainings were all done beforehand: a search is answered with one of them.
pub struct Tabulated {
    pub prior: Prior,
    /// By control of an equal grid: h and t of every training.
    trainings: Vec<Vec<(f64, f64)>>,
}

impl Tabulated {
    /// One of the trainings at a control.
    pub fn draw(&self, control: usize, rng: &mut Stream) -> (f64, f64) {
        let there = &self.trainings[control];
        there[rng.index(there.len())]
    }

    /// Their mean score.
    pub fn score(&self, control: usize) -> f64 {
        let there = &self.trainings[control];
        there.iter().map(|training| training.0).sum::<f64>() / there.len() as f64
    }
}

/// All stand-ins of one control but those of table 10, whose trainings take too long, trained so often at every control of a grid; costs by count.
pub fn tabulated(
    size: Size,
    grid: usize,
    repeats: usize,
    seed: Seed,
) -> Result<Vec<Tabulated>, ExperimentError> {
    let is_tabulated = |one: &StandIn| one.controls == 1 && one.appendix != Appendix::D6;
    let stand_ins: Vec<StandIn> = all(size, seed)?.into_iter().filter(is_tabulated).collect();
    let controls = Controls::grid(1, grid);
    stand_ins
        .iter()
        .map(|stand_in| {
            let bench = Bench::new(stand_in, Unit::Operations, seed)?;
            let jobs: Vec<(usize, usize)> =
                (0..grid).flat_map(|u| (0..repeats).map(move |i| (u, i))).collect();
            let all = in_parallel(stand_in.name, &jobs, |&(u, i)| {
                bench.train(controls.row(u), seed.child("tabulated", (u * repeats + i) as u64))
            })?;
            let trainings = all.chunks(repeats).map(<[_]>::to_vec).collect();
            Ok(Tabulated { prior: bench.stand_in.prior()?, trainings })
        })
        .collect()
}
