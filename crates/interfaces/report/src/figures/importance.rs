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
    let chart = BarChart {
        title: format!("importance for {}", report.objective_label()),
        x_label: "share".into(),
        names: found.iter().map(|one| one.name.clone()).collect(),
        series: vec![anova, near_best],
        palette: report.palette.clone(),
    };
    Ok(chart.draw()?)
}
