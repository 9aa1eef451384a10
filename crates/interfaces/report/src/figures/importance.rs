//! Importance of the parameters.

use thrifty_figures::{BarChart, BarSeries};
use thrifty_tpe::TpeOptimizer;

use crate::Unfit;
use crate::report::Report;

/// Share of the trials that count as the best, of PED-ANOVA.
const BEST: f64 = 0.1;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    Unfit::unless("parameters", report.parameters.len(), 2)?;
    let importance = &report.forest()?.importance;
    let mut order: Vec<usize> = (0..report.parameters.len()).collect();
    order.sort_by(|a, b| importance.main[*b].total_cmp(&importance.main[*a]));
    let sorted = |values: &[f64]| order.iter().map(|at| values[*at]).collect::<Vec<f64>>();
    let anova = BarSeries {
        label: "functional ANOVA".into(),
        values: sorted(&importance.main),
        spread: sorted(&importance.std_dev),
    };
    let mut series = vec![anova];
    // Trials of a derived space may lack parameters, which a Parzen estimator does not accept.
    if let Ok(shares) = near_the_best(report) {
        series.push(BarSeries { label: "PED-ANOVA".into(), values: sorted(&shares), spread: Vec::new() });
    }
    let chart = BarChart {
        title: format!("importance for {}", report.objective_label()),
        x_label: "share".into(),
        names: order.iter().map(|at| report.parameters[*at].name.clone()).collect(),
        series,
        palette: report.palette.clone(),
    };
    Ok(chart.draw()?)
}

/// PED-ANOVA per parameter, in the order of the space.
fn near_the_best(report: &Report<'_>) -> Result<Vec<f64>, Unfit> {
    let shares = TpeOptimizer::new(report.space.clone())?.importance(report.history, BEST)?;
    let share = |name: &str| shares.get(name).copied().unwrap_or(f64::NAN);
    Ok(report.parameters.iter().map(|parameter| share(&parameter.name)).collect())
}
