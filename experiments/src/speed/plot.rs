//! A figure of times.

use thrifty_figures::{LinePlot, Series, panels_with_legend};

use super::floor::Stages;
use super::judge::Row;
use super::line::Tool;
use super::tasks::Operation;
use crate::error::ExperimentError;
use crate::harness::Figure;

/// CPU milliseconds against n on logarithmic axes, a panel an operation that was timed, the tools in the same colours. Nothing where none
/// of them was.
pub fn draw(tools: &[Tool], rows: &[Row], stages: &[Stages]) -> Result<Option<Figure>, ExperimentError> {
    let there: Vec<&Tool> = tools.iter().filter(|tool| !tool.lines.is_empty()).collect();
    let least_m = rows.iter().filter(|row| row.operation == Operation::Predict).filter_map(|row| row.m).min();
    let operations = [
        Operation::Likelihood,
        Operation::Fit,
        Operation::Predict,
        Operation::Acquisition,
        Operation::Ask,
        Operation::TpeSingle,
        Operation::TpeJoint,
        Operation::FcvBound,
        Operation::FcvKnowledge,
    ];
    let panel = |operation: Operation| {
        let m = if operation == Operation::Predict { least_m } else { None };
        let of_tool = |tool: &&Tool| {
            let own = rows.iter().filter(|r| r.tool == tool.name && r.operation == operation && r.m == m);
            let points: Vec<(f64, f64)> = own.filter_map(|r| Some((r.n as f64, r.cpu_ms?))).collect();
            Series::line(&tool.name, points)
        };
        let mut series: Vec<Series> = there.iter().map(of_tool).collect();
        if operation == Operation::Likelihood {
            let points = stages.iter().map(|s| (s.n as f64, s.floor())).collect();
            series.push(Series::line("floor", points));
        }
        LinePlot {
            title: m.map_or_else(|| operation.to_string(), |m| format!("{operation} {m} points")),
            x_label: if operation.has_data() { "observations n" } else { "trials n" }.into(),
            y_label: "CPU ms".into(),
            log_x: true,
            log_y: true,
            series,
            ..LinePlot::default()
        }
    };
    let timed = operations.into_iter().filter(|operation| rows.iter().any(|row| row.operation == *operation));
    let panels: Vec<LinePlot> = timed.map(panel).collect();
    if panels.is_empty() {
        return Ok(None);
    }
    Figure::of("speed", "Least CPU time over repeats, one thread.", panels_with_legend(&panels)).map(Some)
}
