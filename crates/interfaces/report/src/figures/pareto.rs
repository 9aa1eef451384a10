//! Pairs of objectives with the Pareto set.

use thrifty_figures::{LinePlot, Series, panels_with_legend};
use thrifty_search::ParetoSet;
use thrifty_study::Measurement;

use super::is_wide;
use crate::Unfit;
use crate::report::Report;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    let count = report.objectives();
    Unfit::unless("objectives", count, 2)?;
    let set = ParetoSet::of(report.history)?;
    let front: Vec<Vec<f64>> =
        set.members.into_iter().map(|m| report.history.directions().flip(&m.objectives)).collect();
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let plots: Vec<LinePlot> = pairs.map(|pair| plot(report, &front, pair)).collect();
    match plots.as_slice() {
        [one] => Ok(one.draw()?),
        several => Ok(panels_with_legend(several)?),
    }
}

fn plot(report: &Report<'_>, front: &[Vec<f64>], (a, b): (usize, usize)) -> LinePlot {
    let of = |is_feasible: bool| -> Vec<(f64, f64)> {
        let trials = report.history.trials().iter().filter_map(|trial| trial.outcome.as_ref()?.measurement());
        let place = |m: &Measurement| {
            Some((report.value(a, *m.objectives.get(a)?), report.value(b, *m.objectives.get(b)?)))
        };
        trials.filter(|m| m.is_feasible() == is_feasible).filter_map(place).collect()
    };
    let (feasible, infeasible) = (of(true), of(false));
    let all = || feasible.iter().chain(&infeasible);
    let best = front.iter().map(|objectives| (objectives[a], objectives[b])).collect();
    let (log_x, log_y) = (is_wide(all().map(|point| point.0)), is_wide(all().map(|point| point.1)));
    let named = [("trials", feasible), ("infeasible", infeasible), ("Pareto set", best)];
    LinePlot {
        title: "Pareto set".into(),
        x_label: format!("objective {a}"),
        y_label: format!("objective {b}"),
        log_x,
        log_y,
        series: named
            .into_iter()
            .filter(|(_, points)| !points.is_empty())
            .map(|(name, points)| Series::dots(name, points))
            .collect(),
        palette: report.palette.clone(),
        ..LinePlot::default()
    }
}
