//! Importance of the parameters.

use thrifty_figures::{BarChart, BarSeries};

use crate::report::Report;
use crate::{ParameterImportance, Unfit};

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    Unfit::unless("parameters", report.parameters.len(), 2)?;
    let mut found = report.importance()?;
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    let values = |of: fn(&ParameterImportance) -> f64| found.iter().map(of).collect::<Vec<f64>>();
    let anova = BarSeries {
        label: "functional ANOVA".into(),
        values: values(|one| one.share),
        spread: values(|one| one.std_dev),
    };
    let near_best =
        BarSeries { label: "PED-ANOVA".into(), values: values(|one| one.near_best), spread: Vec::new() };
    // Without divergence anywhere, such as of a single trial at the target, there is no importance near the best.
    let has_near_best = near_best.values.iter().any(|share| *share > 0.0);
    let chart = BarChart {
        title: format!("importance for {}", report.objective_label()),
        x_label: "share".into(),
        names: found.iter().map(|one| one.name.clone()).collect(),
        series: std::iter::once(anova).chain(Some(near_best).filter(|_| has_near_best)).collect(),
        palette: report.palette.clone(),
    };
    Ok(chart.draw()?)
}
