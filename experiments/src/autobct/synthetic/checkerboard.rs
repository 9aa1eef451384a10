//! Random forests on a checkerboard.

use cpu_time::ThreadTime;
use thrifty_figures::{Axis, Contours};
use thrifty_sampling::{Seed, Stream};
use thrifty_trees::{Forest, ForestSettings, Table};

use super::problem::{Problem, Trained, trees};
use crate::error::ExperimentError;
use crate::harness::Figure;

/// A random forest on a checkerboard of ten by ten fields, 30,000 points to learn from and 20,000 to judge by.
///
/// Each tree sees a tenth of the points, drawn with repetition, and one of the two coordinates at each split, down to single points:
/// of common settings these come nearest to the published scores, whose own are not told. Costs are processor seconds, in units in
/// which 100 trees cost 0.73 as the published ones do on average.
pub struct Checkerboard {
    table: Table,
    classes: Vec<f64>,
    points: Vec<f32>,
    truth: Vec<bool>,
    /// Processor seconds of a cost of 1.
    unit: f64,
    /// Scores at some controls from trainings apart from all runs.
    known: Vec<(f64, f64)>,
}

/// The class of a point. Source: section 4.1.
fn field(x: f32, y: f32) -> bool {
    ((10.0 * x + 1.0).floor() + (10.0 * y + 1.0).floor()) % 2.0 == 1.0
}

fn draw(count: usize, rng: &mut Stream) -> (Vec<f32>, Vec<bool>) {
    let points: Vec<f32> = (0..2 * count).map(|_| rng.uniform() as f32).collect();
    let classes = points.chunks_exact(2).map(|p| field(p[0], p[1])).collect();
    (points, classes)
}

impl Checkerboard {
    pub fn new(seed: Seed) -> Result<Self, ExperimentError> {
        let rng = &mut seed.stream("points", 0);
        let (points, classes) = draw(30_000, rng);
        let table = Table::new(points, 2, 1 << 12).map_err(ExperimentError::failed)?;
        let classes = classes.iter().map(|class| f64::from(u8::from(*class))).collect();
        let (points, truth) = draw(20_000, rng);
        let mut board = Self { table, classes, points, truth, unit: 1.0, known: Vec::new() };
        // The least of three is nearest to what it costs without other work beside it.
        let reference = |i| board.train(1.0, seed.child("reference", i)).map(|trained| trained.cost);
        board.unit = (0..3).map(reference).try_fold(f64::INFINITY, |a, b| b.map(|b| a.min(b)))? / 0.73;
        let at = |i: u64| -> Result<(f64, f64), ExperimentError> {
            let control = i as f64 / 20.0;
            let scores: Vec<f64> = (0..4)
                .map(|k| board.train(control, seed.child("known", 4 * i + k)).map(|trained| trained.score))
                .collect::<Result<_, _>>()?;
            Ok((control, scores.iter().sum::<f64>() / scores.len() as f64))
        };
        board.known = (0..=20).map(at).collect::<Result<_, _>>()?;
        Ok(board)
    }

    fn forest(&self, control: f64, seed: Seed) -> Result<Forest, ExperimentError> {
        let settings = ForestSettings {
            trees: trees(control),
            features: Some(1),
            min_leaf: 1,
            max_depth: None,
            sample: 0.1,
            ..ForestSettings::default()
        };
        Forest::fit(&self.table, &self.classes, &settings, seed, 1).map_err(ExperimentError::failed)
    }

    /// The fields, and what the forest at a control takes them for on a grid.
    pub fn maps(&self, control: f64, seed: Seed) -> Result<Figure, ExperimentError> {
        const SIDE: usize = 81;
        let at = |k: usize| ((k % SIDE) as f32 + 0.5) / SIDE as f32;
        let points: Vec<f32> = (0..SIDE * SIDE).flat_map(|k| [at(k), at(k / SIDE)]).collect();
        let found = self.forest(control, seed)?.predict(&points).map_err(ExperimentError::failed)?;
        let map = |title: String, values: Vec<f64>| Contours {
            title,
            axes: (Axis::unit("x"), Axis::unit("y")),
            side: SIDE,
            values,
            levels: 1,
            isolines: Vec::new(),
            dots: Vec::new(),
        };
        let truth = points.chunks_exact(2).map(|p| f64::from(u8::from(field(p[0], p[1])))).collect();
        let found = found.iter().map(|class| f64::from(u8::from(*class > 0.5))).collect();
        let pair = [map("the function".into(), truth), map(format!("{} trees", trees(control)), found)];
        Figure::of(
            "checkerboard",
            "The function on the unit square, and the prediction of the forest with which the first run two trainings ahead stopped.",
            Contours::side_by_side(&pair),
        )
    }
}

impl Problem for Checkerboard {
    fn train(&self, control: f64, seed: Seed) -> Result<Trained, ExperimentError> {
        let began = ThreadTime::now();
        let found = self.forest(control, seed)?.predict(&self.points).map_err(ExperimentError::failed)?;
        let right = found.iter().zip(&self.truth).filter(|(found, truth)| (**found > 0.5) == **truth).count();
        let cost = began.elapsed().as_secs_f64() / self.unit;
        Ok(Trained { score: (right as f64 / found.len() as f64 - 0.5) / 0.5, cost })
    }

    fn truth(&self, control: f64) -> f64 {
        let after = self.known.partition_point(|known| known.0 < control).clamp(1, self.known.len() - 1);
        let ((low, from), (high, to)) = (self.known[after - 1], self.known[after]);
        from + (to - from) * (control - low) / (high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_alternate() {
        assert!(!field(0.05, 0.05) && field(0.15, 0.05) && field(0.05, 0.15) && !field(0.15, 0.15));
        assert_eq!((trees(0.0), trees(0.56), trees(1.0)), (1, 56, 100));
    }
}
