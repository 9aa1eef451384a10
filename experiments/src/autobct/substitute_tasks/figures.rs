//! Figures of the substitute tasks.

use thrifty_autobct::State;
use thrifty_figures::{Axis, Contours, LinePlot, Series, panels_with_legend};
use thrifty_linear::{Basis, Coefficients};

use super::bench::{Run, Step};
use super::priors::{Appendix, Prior};
use super::{Finding, Swept};
use crate::error::ExperimentError;
use crate::harness::Figure;

/// Points along an axis.
const SIDE: usize = 41;

/// Posteriors of score and cost before and after the first run that looks two trainings ahead.
pub fn beliefs(finding: &Finding<'_>) -> Result<Vec<Figure>, ExperimentError> {
    let run = &finding.policies[0].1[0];
    if finding.stand_in.controls == 1 { lines(finding, run) } else { maps(finding, run) }
}

/// A file name.
fn slug(finding: &Finding<'_>) -> String {
    let name: String = finding.name().chars().filter(|c| !matches!(c, ':' | ',')).collect();
    format!("beliefs-{}", name.replace(' ', "-"))
}

/// Score or cost.
struct Side {
    name: &'static str,
    label: &'static str,
    belief: fn(&State) -> &Coefficients,
    trained: fn(&Step) -> f64,
    swept: fn(&Swept) -> f64,
}

const SIDES: [Side; 2] = [
    Side {
        name: "score",
        label: "score h",
        belief: |state| &state.score,
        trained: |step| step.score,
        swept: |swept| swept.score,
    },
    Side {
        name: "cost",
        label: "cost t",
        belief: |state| &state.cost,
        trained: |step| step.cost,
        swept: |swept| swept.cost,
    },
];

fn lines(finding: &Finding<'_>, run: &Run) -> Result<Vec<Figure>, ExperimentError> {
    let Prior { basis, state: before, .. } = finding.stand_in.prior()?;
    let plot = |side: &Side| {
        let belief = |label: &str, state: &State| {
            let at = |i: usize| i as f64 / (SIDE - 1) as f64;
            let moments = |i: usize| (side.belief)(state).moments(&basis.eval(&[at(i)]));
            let mut line = Series::line(label, (0..SIDE).map(|i| (at(i), moments(i).0)).collect());
            let band = |i: usize| {
                let (mean, variance) = moments(i);
                (at(i), mean - variance.sqrt(), mean + variance.sqrt())
            };
            line.band = (0..SIDE).map(band).collect();
            line
        };
        let swept = finding.sweep.iter().map(|s| (s.control[0], (side.swept)(s)));
        let trained = run.steps.iter().map(|step| (step.control[0], (side.trained)(step)));
        LinePlot {
            title: finding.name().to_owned(),
            x_label: "control u".into(),
            y_label: side.label.into(),
            series: vec![
                belief("before", &before),
                belief("after", &run.after),
                Series::line("sweep", swept.collect()),
                Series::dots("trained", trained.collect()),
            ],
            ..LinePlot::default()
        }
    };
    let caption = "The first run that looks two trainings ahead: mean and one deviation of score and cost before the first training and \
                   after the last, what was trained, and a sweep that the run did not see.";
    Ok(vec![Figure::of(&slug(finding), caption, panels_with_legend(&SIDES.each_ref().map(plot)))?])
}

fn maps(finding: &Finding<'_>, run: &Run) -> Result<Vec<Figure>, ExperimentError> {
    let Prior { basis, state: before, .. } = finding.stand_in.prior()?;
    let names = if matches!(finding.stand_in.appendix, Appendix::D4(_)) {
        ["rate u₁", "batch u₂"]
    } else {
        ["scale u₁", "code u₂"]
    };
    let figure = |side: &Side| {
        let map = |when: &str, state: &State, dots: Vec<(f64, f64)>| {
            let at = |i: usize| i as f64 / (SIDE - 1) as f64;
            let mean = |k: usize| (side.belief)(state).moments(&basis.eval(&[at(k % SIDE), at(k / SIDE)])).0;
            Contours {
                title: format!("{} {when}", side.label),
                axes: (Axis::unit(names[0]), Axis::unit(names[1])),
                side: SIDE,
                values: (0..SIDE * SIDE).map(mean).collect(),
                levels: 8,
                isolines: Vec::new(),
                dots,
            }
        };
        let trained = run.steps.iter().map(|step| (step.control[0], step.control[1])).collect();
        let pair = [map("before", &before, Vec::new()), map("after", &run.after, trained)];
        let name = format!("{}-{}", slug(finding), side.name);
        let caption = "The first run that looks two trainings ahead: the expected value before the first training and after the last, with \
                       what was trained.";
        Figure::of(&name, caption, Contours::side_by_side(&pair))
    };
    SIDES.iter().map(figure).collect()
}
