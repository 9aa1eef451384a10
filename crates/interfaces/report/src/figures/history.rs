//! Objectives over trials.

use thrifty_figures::{LinePlot, Series, panels_with_legend};
use thrifty_space::Config;
use thrifty_study::{Measurement, Outcome, Trial};

use super::{LOWER, is_wide};
use crate::Unfit;
use crate::report::Report;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    Unfit::unless("measured trials", report.measured().len(), 1)?;
    let plots: Vec<LinePlot> = (0..report.objectives()).map(|objective| plot(report, objective)).collect();
    match plots.as_slice() {
        [one] => Ok(one.draw()?),
        several => Ok(panels_with_legend(several)?),
    }
}

fn measurement(trial: &Trial<Config>) -> Option<&Measurement> {
    trial.outcome.as_ref().and_then(Outcome::measurement)
}

/// One objective of all trials.
fn plot(report: &Report<'_>, objective: usize) -> LinePlot {
    let trials = report.history.trials();
    let value = |trial: &Trial<Config>| measurement(trial)?.objectives.get(objective).copied();
    let is_feasible = |trial: &Trial<Config>| measurement(trial).is_some_and(Measurement::is_feasible);
    let keeps = |trial: &Trial<Config>| is_feasible(trial) && report.compares(trial);
    let of = |keep: &dyn Fn(&Trial<Config>) -> bool| -> Vec<(f64, f64)> {
        let kept = trials.iter().filter(|trial| keep(trial));
        kept.filter_map(|trial| Some((trial.id.0 as f64, value(trial)?))).collect()
    };
    let feasible = of(&keeps);
    let mut series = vec![Series::dots("trials", feasible.clone())];
    let infeasible = of(&|trial| !is_feasible(trial));
    let lower = of(&|trial| is_feasible(trial) && !report.compares(trial));
    let drawn = || feasible.iter().chain(&infeasible).chain(&lower).map(|point| point.1);
    let worst = drawn().fold(f64::NEG_INFINITY, f64::max);
    let log_y = is_wide(drawn().map(|value| report.value(objective, value)));
    series.push(Series::dots("infeasible", infeasible));
    series.push(Series::dots(LOWER, lower));
    for name in ["failed", "pruned", "running"] {
        let marked = trials.iter().filter(|trial| trial.state() == name);
        series.push(Series::dots(name, marked.map(|trial| (trial.id.0 as f64, worst)).collect()));
    }
    series.push(Series::line("best so far", best_so_far(&feasible, trials.len())));
    series.retain(|series| !series.points.is_empty());
    // All of the above is about losses; what is drawn is in the user's units.
    let shown = |point: &mut (f64, f64)| point.1 = report.value(objective, point.1);
    series.iter_mut().for_each(|series| series.points.iter_mut().for_each(shown));
    let label = if report.objectives() > 1 { format!("objective {objective}") } else { "objective".into() };
    LinePlot {
        title: format!("{label} per trial"),
        x_label: "trial".into(),
        y_label: label,
        log_y,
        series,
        palette: report.palette.clone(),
        ..LinePlot::default()
    }
}

/// Steps down to each better value, up to the last trial.
fn best_so_far(points: &[(f64, f64)], trials: usize) -> Vec<(f64, f64)> {
    let mut best: Vec<(f64, f64)> = Vec::new();
    for (trial, value) in points {
        match best.last() {
            Some((_, before)) if before <= value => {}
            Some((_, before)) => {
                let before = *before;
                best.extend([(*trial, before), (*trial, *value)]);
            }
            None => best.push((*trial, *value)),
        }
    }
    best.extend(best.last().map(|(_, value)| (trials.saturating_sub(1) as f64, *value)));
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_so_far_steps_down_at_better_trials_and_reaches_the_last() {
        let points = [(0.0, 3.0), (2.0, 4.0), (3.0, 1.0), (5.0, 1.0)];
        assert_eq!(best_so_far(&points, 9), [(0.0, 3.0), (3.0, 3.0), (3.0, 1.0), (8.0, 1.0)]);
        assert_eq!(best_so_far(&[], 0), []);
        assert_eq!(best_so_far(&[(0.0, 2.0)], 1), [(0.0, 2.0), (0.0, 2.0)]);
    }
}
