//! Weights of a utility: the cost of an evaluation, and where it is allowed.

use thrifty_acquisition::{Analytic, ExpectedImprovement, LogFeasibility, LogInverseCost, Masked, Weighted};
use thrifty_figures::{LinePlot, Series, columns};

use super::scene::{Curve, Scene, grid, marked, utilities};
use super::{Drawn, Finding};
use crate::error::ExperimentError;
use crate::harness::Figure;

/// Up to here evaluations are allowed where a constraint is known.
const ALLOWED: f64 = 0.33;

pub fn weights() -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let target = scene.best();
    let expected = || Analytic::new(&scene.posterior, ExpectedImprovement { target });
    // Logarithms of costs and values of a constraint, each seen with the losses.
    let cost = Scene::new(&along(|x| 2.5 * x - 1.2), 0.5, 1e-6)?;
    let constraint = Scene::new(&along(|x| 2.4 * x - 1.1), 0.5, 1e-6)?;
    let per_cost =
        Weighted::utility(expected()).times(Analytic::new(&cost.posterior, LogInverseCost::default()));
    let likely = Weighted::utility(expected())
        .times(Analytic::new(&constraint.posterior, LogFeasibility { threshold: 0.0 }));
    let allowed = Masked::new(expected(), |x: &[f64]| x[0] <= ALLOWED);
    let pair =
        |label: &str, other: Curve| [Curve::of("EI", &expected()), Curve { label: label.into(), ..other }];
    let (by_cost, by_chance, by_rule) = (
        pair("EI, weighted", Curve::of("", &per_cost)),
        pair("EI, weighted", Curve::of("", &likely)),
        pair("EI, weighted", Curve::of("", &allowed)),
    );
    let free = by_cost[0].maximizer.0;
    let findings = vec![
        Finding::number("improvement: its choice", free),
        Finding::new(
            "improvement per cost: its choice",
            by_cost[1].maximizer.0,
            by_cost[1].maximizer.0 < free,
        ),
        Finding::new(
            "improvement if feasible: its choice",
            by_chance[1].maximizer.0,
            by_chance[1].maximizer.0 < 0.5,
        ),
        Finding::new(
            "improvement where allowed: its choice",
            by_rule[1].maximizer.0,
            by_rule[1].maximizer.0 <= ALLOWED,
        ),
    ];
    let column = |second: LinePlot, curves: &[Curve]| {
        vec![
            marked(scene.panel("loss"), curves),
            marked(second, curves),
            utilities("", "improvement", curves),
        ]
    };
    let titled = |plot: LinePlot, y_label: &str| LinePlot { y_label: y_label.into(), ..plot };
    let all = [
        column(titled(cost.panel("ln cost"), "ln cost"), &by_cost),
        column(titled(constraint.panel("constraint: feasible below 0"), "constraint"), &by_chance),
        column(border(), &by_rule),
    ];
    let figure = Figure::of(
        "weights",
        "Expected improvement and the same per unit of cost, times the probability that a learnt constraint holds, and where a \
         known one allows.",
        columns(&all),
    )?;
    Ok(Drawn { figure, findings })
}

fn along(value: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    [0.04, 0.18, 0.36, 0.5, 0.92].map(|x| (x, value(x))).to_vec()
}

/// 1 where evaluations are allowed.
fn border() -> LinePlot {
    let step = grid().rows().map(|x| (x[0], if x[0] <= ALLOWED { 1.0 } else { 0.0 })).collect();
    LinePlot {
        title: format!("known: allowed up to {ALLOWED}"),
        y_label: "allowed".into(),
        series: vec![Series::line("", step)],
        ..LinePlot::default()
    }
}
