//! Priors and posteriors of the synthetic example.

use thrifty_figures::{LinePlot, Series, panels_with_legend};
use thrifty_linear::Coefficients;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::History;

use super::policies::state;
use super::problem::Problem;
use crate::error::ExperimentError;
use crate::harness::Figure;

#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    Score,
    Cost,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Cost => "cost",
        }
    }
}

/// Mean and one deviation over the controls.
fn line(label: String, side: Side, history: &History<Config>, band: bool) -> Result<Series, ExperimentError> {
    let (state, decision) = state(history)?;
    let controls = decision.controls();
    let moments = |u: usize| -> (f64, f64) {
        let of = |belief: &Coefficients, functions: &[f64]| belief.moments(functions);
        match side {
            Side::Score => of(&state.score, controls.score(u)),
            Side::Cost => of(&state.cost, controls.cost(u)),
        }
    };
    let at = |u: usize| controls.points().row(u)[0];
    let mut line = Series::line(label, (0..controls.len()).map(|u| (at(u), moments(u).0)).collect());
    if band {
        let around = |u: usize| {
            let (mean, variance) = moments(u);
            (at(u), mean - variance.sqrt(), mean + variance.sqrt())
        };
        line.band = (0..controls.len()).map(around).collect();
    }
    Ok(line)
}

fn plot(title: &str, side: Side, series: Vec<Series>) -> LinePlot {
    LinePlot {
        title: title.into(),
        x_label: "control u".into(),
        y_label: side.name().into(),
        series,
        ..LinePlot::default()
    }
}

/// Prior of score and cost before the first training.
pub fn priors() -> Result<Figure, ExperimentError> {
    let none = History::from_trials(Vec::new(), Seed(0));
    let one = |side: Side| -> Result<LinePlot, ExperimentError> {
        Ok(plot("before the first training", side, vec![line("prior".into(), side, &none, true)?]))
    };
    let both = [one(Side::Score)?, one(Side::Cost)?];
    Figure::of(
        "priors",
        "Mean and one standard deviation of score and cost, Appendix D.1.",
        panels_with_legend(&both),
    )
}

/// Posteriors of a run after each training.
pub fn beliefs(
    name: &str,
    history: &History<Config>,
    problem: &dyn Problem,
    side: Side,
) -> Result<Figure, ExperimentError> {
    let mut series = Vec::new();
    if side == Side::Score {
        let truth = (0..=100).map(|i| f64::from(i) / 100.0).map(|u| (u, problem.truth(u))).collect();
        series.push(Series::line("truth", truth));
    }
    for n in 0..=history.len() {
        let label = if n == 0 { "prior".to_owned() } else { format!("after {n}") };
        let seen = History::from_trials(history.trials()[..n].to_vec(), Seed(0));
        series.push(line(label, side, &seen, n > 0)?);
    }
    let mut trained = Vec::new();
    for trial in history.trials() {
        let measured = trial.outcome.as_ref().and_then(|outcome| outcome.measurement());
        if let Some(measured) = measured {
            let value =
                if side == Side::Score { measured.objectives[0] } else { measured.cost.unwrap_or(f64::NAN) };
            trained.push((trial.query.float("u")?, value));
        }
    }
    series.push(Series::dots("trained", trained));
    let title = format!("Posterior of the {}", side.name());
    Figure::of(
        &format!("{name}-{}", side.name()),
        "The first run that looks two trainings ahead: mean and one standard deviation after each training.",
        plot(&title, side, series).draw(),
    )
}
