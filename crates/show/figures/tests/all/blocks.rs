//! Bars, tables of cells, parallel coordinates and distributions: snapshots, texts that must not break out, wrong sizes.

use thrifty_figures::{
    Axis, BarChart, BarSeries, HeatMap, LinePlot, ParallelAxis, ParallelCoordinates, ParallelLine, Series,
};

use crate::snapshot;
use snapshot::check;

fn bars() -> BarChart {
    let spread = vec![0.02, 0.05, 0.1];
    let first = BarSeries { label: "functional ANOVA".into(), values: vec![0.7, 0.25, 0.0], spread };
    let second =
        BarSeries { label: "PED-ANOVA".into(), values: vec![0.5, f64::NAN, 0.1], ..BarSeries::default() };
    BarChart {
        title: "importance".into(),
        x_label: "share of the variance".into(),
        names: vec!["rate".into(), "a name that is much too long for its place".into(), "<script>".into()],
        series: vec![first, second],
        ..BarChart::default()
    }
}

fn table() -> HeatMap {
    HeatMap {
        title: "correlations".into(),
        x_label: "fold".into(),
        y_label: "fold".into(),
        value_label: "correlation".into(),
        columns: vec!["0".into(), "1".into(), "2".into()],
        rows: vec!["0".into(), "1".into()],
        values: vec![1.0, 0.25, f64::NAN, 0.25, 1.0, -0.5],
    }
}

fn parallel() -> ParallelCoordinates {
    let rate = Axis { label: "rate".into(), low: 1e-4, high: 1.0, log: true };
    let year = Axis { label: "year".into(), low: 1958.0, high: 2004.0, log: false };
    let names = ParallelAxis::Names("solver".into(), vec!["sgd".into(), "<adam>".into()]);
    let line =
        |a: f64, b: Option<f64>, c: f64, value| ParallelLine { places: vec![Some(a), b, Some(c)], value };
    ParallelCoordinates {
        title: "trials".into(),
        value_label: "objective".into(),
        axes: vec![ParallelAxis::Numeric(rate), names, ParallelAxis::Numeric(year)],
        lines: vec![
            line(0.1, Some(0.0), 0.9, 3.0),
            line(0.4, Some(1.0), 0.2, 1.0),
            line(0.9, None, 0.5, 2.0),
            line(0.6, Some(1.0), 0.5, f64::NAN),
        ],
        larger_is_better: false,
    }
}

fn named() -> LinePlot {
    let values = [3.0, 1.0, 2.0, f64::NAN, 1.0];
    let series = vec![Series::dots("trials", vec![(0.0, 1.0), (1.0, 4.0), (1.0, 2.0)])];
    let distribution = Series::distribution("distribution", &values);
    assert_eq!(distribution.points[..4], [(1.0, 0.0), (1.0, 0.25), (1.0, 0.25), (1.0, 0.5)]);
    assert_eq!(distribution.points.last(), Some(&(3.0, 1.0)));
    assert!(Series::distribution("none", &[f64::NAN]).points.is_empty());
    LinePlot { x_names: vec!["a".into(), "<b>".into()], series, ..LinePlot::default() }
}

#[test]
fn blocks_keep_their_drawing() {
    check("bars", &bars().draw().unwrap());
    check("table", &table().draw().unwrap());
    check("parallel", &parallel().draw().unwrap());
    check("named", &named().draw().unwrap());
}

#[test]
fn texts_do_not_break_out_of_a_figure() {
    for svg in [bars().draw().unwrap(), parallel().draw().unwrap(), named().draw().unwrap()] {
        assert!(svg.contains("&lt;"));
        assert!(!["<script", "<adam", "<b>"].iter().any(|tag| svg.contains(tag)), "{svg}");
    }
}

#[test]
fn wrong_sizes_are_errors_and_nothing_is_an_empty_figure() {
    let mut chart = bars();
    chart.names.pop();
    assert!(chart.draw().unwrap_err().to_string().contains("3 values of functional ANOVA for 2 names"));
    let mut map = table();
    map.values.pop();
    assert!(map.draw().unwrap_err().to_string().contains("5 values for 2 rows and 3 columns"));
    let mut lines = parallel();
    lines.axes.pop();
    assert!(lines.draw().unwrap_err().to_string().contains("a line of 3 places over 2 axes"));
    for svg in [
        BarChart::default().draw(),
        HeatMap::default().draw(),
        ParallelCoordinates::default().draw(),
        HeatMap { rows: vec!["a".into()], columns: vec!["b".into()], values: vec![f64::INFINITY], ..table() }
            .draw(),
        HeatMap { rows: vec!["a".into()], columns: vec!["b".into()], values: vec![1e12], ..table() }.draw(),
    ] {
        let svg = svg.unwrap();
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}

/// A map of one value has one shade, in its cells and in its colour bar.
#[test]
fn the_colour_bar_of_one_value_has_the_shade_of_its_cells() {
    let svg = HeatMap { values: vec![2.5; 6], ..table() }.draw().unwrap();
    let fill =
        |line: &str| line.split("fill=\"").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned);
    let mut shades: Vec<String> =
        svg.lines().filter(|line| line.starts_with("<rect")).filter_map(fill).collect();
    // After the white ground.
    assert_eq!(shades.remove(0), "#FFFFFF");
    assert_eq!(shades.len(), 6 + 1, "six cells and one bar: {shades:?}");
    assert!(shades.iter().all(|shade| *shade == shades[0]), "{shades:?}");
}
