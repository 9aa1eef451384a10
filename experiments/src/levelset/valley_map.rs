//! The valley as each model sees it.

use thrifty_figures::{Axis, Contours};
use thrifty_levelset::{ClassificationSet, Criterion};
use thrifty_sampling::Seed;

use super::responses::{Case, Job, Kind};
use crate::error::ExperimentError;
use crate::harness::Figure;

const SIDE: usize = 41;

fn map(title: &str, values: Vec<f64>, dots: Vec<(f64, f64)>) -> Contours {
    let axis = |label: &str, low, high| Axis { label: label.into(), low, high, log: false };
    let axes = (axis("error rate Q", 0.01, 0.15), axis("quality r of the adversary's memory", 0.5, 0.99));
    // One line, in the middle between 0 and 1.
    Contours { title: title.into(), axes, side: SIDE, values, levels: 1, isolines: Vec::new(), dots }
}

/// Four maps of a problem of two numbers after so many evaluations by stepwise uncertainty reduction.
pub fn figure(case: &Case, evaluations: usize, seed: Seed) -> Result<Figure, ExperimentError> {
    let mut maps = Vec::new();
    for kind in [Kind::Margin, Kind::Values, Kind::Bounds] {
        let job = Job { case, kind, criterion: ("SUR", Criterion::IntegratedBernoulli), seed };
        let history = job.history(evaluations)?;
        let mut judge = job.optimizer(ClassificationSet::Grid { per_axis: SIDE })?;
        let space = case.margin.space();
        // The grid has the last column fastest, the map the first.
        let turned = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..SIDE * SIDE).map(|at| value((at % SIDE) * SIDE + at / SIDE)).collect()
        };
        if kind == Kind::Margin {
            let grid = judge.points(seed)?;
            let above = grid
                .rows()
                .map(|x| kind.is_above(case, &space.decode(x)))
                .collect::<Result<Vec<bool>, _>>()?;
            maps.push(map("truth", turned(&|at| f64::from(u8::from(above[at]))), Vec::new()));
        }
        let dots = history
            .trials()
            .iter()
            .map(|trial| space.encode(&trial.query).map(|x| (x[0], x[1])))
            .collect::<Result<Vec<_>, _>>()
            .map_err(ExperimentError::failed)?;
        let found = judge.classify(&history)?.ok_or_else(|| ExperimentError::failed("nothing measured"))?;
        maps.push(map(kind.name(), turned(&|at| found.probability(at)), dots));
    }
    Figure::of(
        "valley",
        &format!(
            "DeathValley2 after {evaluations} evaluations by SUR: the truth (1 above), then the posterior probability of being \
             above, by a process of the margin, of clipped responses with threshold 0, and of clipped responses as bounds. \
             The line is ½ where probabilities reach 0 and 1; dots are evaluations."
        ),
        Contours::side_by_side(&maps),
    )
}
