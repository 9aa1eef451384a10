//! Figures of the protocol.

use thrifty_figures::{Axis, Contours, Isoline, LinePlot, Series, panels_with_legend};
use thrifty_space::Config;
use thrifty_study::History;
use thrifty_testbed::LevelSetProblem;

use super::traced::{Measure, Traced};
use crate::error::ExperimentError;
use crate::harness::Figure;

const SIDE: usize = 80;

/// Every diagnostic of one run against evaluations, and the truth; bars where a phase begins.
pub fn traces(run: &Traced, starts: &[usize]) -> Result<Figure, ExperimentError> {
    let diagnostic = |name: &str| -> Vec<(f64, f64)> {
        let each = run.diagnostics.iter().enumerate();
        each.filter_map(|(k, of)| Some((k as f64, *of.get(name)?))).collect()
    };
    let known = |values: &[f64]| -> Vec<(f64, f64)> {
        values.iter().enumerate().filter(|(_, v)| v.is_finite()).map(|(k, v)| (k as f64, *v)).collect()
    };
    let plot = |title: &str, floor: Option<f64>, lines: [(&str, Vec<(f64, f64)>); 2]| {
        let lift = |p: &(f64, f64)| (p.0, floor.map_or(p.1, |floor| p.1.max(floor)));
        let lines = lines.map(|(name, points)| (name, points.iter().map(lift).collect::<Vec<_>>()));
        let all = || lines.iter().flat_map(|(_, points)| points.iter().map(|p| p.1));
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let bars = starts.iter().map(|start| (*start as f64, low, high)).collect();
        let mut series: Vec<Series> =
            lines.into_iter().map(|(name, points)| Series::line(name, points)).collect();
        series.push(Series { bars, ..Series::default() });
        LinePlot {
            title: title.into(),
            x_label: "evaluations".into(),
            log_y: floor.is_some(),
            series,
            ..LinePlot::default()
        }
    };
    let one = |name: &str| [("", diagnostic(name)), ("", Vec::new())];
    let wrong = [("diagnostic", diagnostic("misclassified")), ("truth", known(&run.wrong))];
    let plots = [
        plot("misclassified share", Some(1e-4), wrong),
        plot("boundary change Δ", Some(1e-4), one("boundary_change")),
        plot("mean variance, of that observed", Some(1e-12), one("relative_variance")),
        plot("ln max EI / standard deviation", None, one("log_expected_improvement")),
        plot("share undecided", Some(1e-4), one("undecided")),
        plot("IoU and F1 of the secure region", None, [("IoU", known(&run.iou)), ("F1", known(&run.f1))]),
    ];
    Figure::of(
        "traces",
        "The first run: every diagnostic before each evaluation, and the truth (orange, in the first panel; in the last IoU is blue and F1 \
         orange). Bars: where a phase begins. Shares below 1e-4 are drawn there.",
        panels_with_legend(&plots),
    )
}

/// Medians of the measures against evaluations, by method.
pub fn curves(all: &[(&'static str, Vec<&Traced>)]) -> Result<Figure, ExperimentError> {
    let plot = |title: &str, log: bool, of: fn(&Traced) -> &Measure| {
        let line = |(name, runs): &(&'static str, Vec<&Traced>)| {
            let length = runs.iter().map(|run| of(run).len()).min().unwrap_or(0);
            let mean = |k: usize| runs.iter().map(|run| of(run)[k]).sum::<f64>() / runs.len() as f64;
            let points = (0..length).map(|k| (k as f64, mean(k))).filter(|p| p.1.is_finite());
            Series::line(*name, points.map(|p| (p.0, if log { p.1.max(1e-4) } else { p.1 })).collect())
        };
        LinePlot {
            title: title.into(),
            x_label: "evaluations".into(),
            y_label: "mean".into(),
            log_y: log,
            series: all.iter().map(line).collect(),
            ..LinePlot::default()
        }
    };
    let plots = [
        plot("misclassified share", true, |run| &run.wrong),
        plot("IoU of the secure region", false, |run| &run.iou),
    ];
    Figure::of("curves", "Means over the replications, against all evaluations.", panels_with_legend(&plots))
}

/// The valley: posterior mean of the margin, the true boundary and that of the posterior mean.
pub fn map(
    problem: &LevelSetProblem,
    run: &Traced,
    history: &History<Config>,
) -> Result<Figure, ExperimentError> {
    let space = problem.space();
    let at = |k: usize| k as f64 / (SIDE - 1) as f64;
    let truth = (0..SIDE * SIDE)
        .map(|k| Ok(problem.truth(&space.decode(&[at(k % SIDE), at(k / SIDE)]))?))
        .collect::<Result<Vec<f64>, ExperimentError>>()?;
    let dots = |history: &History<Config>| -> Result<Vec<(f64, f64)>, ExperimentError> {
        let each = history.trials().iter().map(|trial| {
            let x = space.encode(&trial.query)?;
            Ok((x[0], x[1]))
        });
        each.collect()
    };
    let axis = |label: &str, low: f64, high: f64| Axis { label: label.into(), low, high, log: false };
    // The loss is minus the margin.
    let margin: Vec<f64> = run.map.iter().map(|loss| -loss).collect();
    let boundary = |values: &[f64]| Isoline { values: values.to_vec(), height: 0.0 };
    let contours = |title: &str, values: Vec<f64>, isolines: Vec<Isoline>, dots: Vec<(f64, f64)>| Contours {
        title: title.into(),
        axes: (axis("error rate Q", 0.01, 0.15), axis("adversary's memory r", 0.5, 0.99)),
        side: SIDE,
        values,
        levels: 0,
        isolines,
        dots,
    };
    let maps = [
        contours("true margin", truth.clone(), vec![boundary(&truth)], Vec::new()),
        contours("posterior mean", margin.clone(), vec![boundary(&truth), boundary(&margin)], dots(history)?),
    ];
    Figure::of(
        "map",
        "DeathValley2: secure bits a bit, true and as the first run's model has it after the last evaluation; true boundary \
         (black), the model's (blue), evaluations (dots). Above the boundary is the valley.",
        Contours::side_by_side(&maps),
    )
}

/// The points of the map, first axis the fastest.
pub fn map_points() -> thrifty_domain::Points {
    let mut points = thrifty_domain::Points::new(2);
    let at = |k: usize| k as f64 / (SIDE - 1) as f64;
    (0..SIDE * SIDE).for_each(|k| points.push(&[at(k % SIDE), at(k / SIDE)]));
    points
}
