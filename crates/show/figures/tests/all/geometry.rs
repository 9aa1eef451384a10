//! Geometry of figures: sizes, bars, legends, and maps whose cells tile their area.

use thrifty_figures::{
    Axis, Contours, HeatMap, Isoline, LinePlot, ParallelAxis, ParallelCoordinates, ParallelLine, Series,
    columns, predicted_against_observed, standardized_residuals,
};

/// The numbers of every attribute of a name.
fn numbers(svg: &str, attribute: &str) -> Vec<Vec<f64>> {
    let start = format!(" {attribute}=\"");
    svg.match_indices(&start)
        .map(|(at, _)| {
            let text = &svg[at + start.len()..];
            let text = &text[..text.find('"').expect("a closing quote")];
            text.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
        })
        .collect()
}

/// Width and height of the figure: the attributes of its first element.
fn size(svg: &str) -> (f64, f64) {
    (numbers(svg, "width")[0][0], numbers(svg, "height")[0][0])
}

fn plot(labels: &[&str]) -> LinePlot {
    let series = labels.iter().map(|label| Series::line(*label, vec![(0.0, 0.0), (1.0, 1.0)])).collect();
    LinePlot { series, ..LinePlot::default() }
}

#[test]
fn bars_are_two_standard_std_devs_around_the_mean() {
    let plot = predicted_against_observed("title", &[1.0, 2.0], &[4.0, 9.0], &[0.0, 5.0]);
    assert_eq!(plot.series[0].bars, [(0.0, -3.0, 5.0), (5.0, -4.0, 8.0)]);
    assert_eq!(plot.series[0].points, [(0.0, 1.0), (5.0, 2.0)]);
    assert_eq!(plot.series[1].points, [(0.0, 0.0), (5.0, 5.0)]);
}

#[test]
fn residuals_stand_between_the_quantiles_of_the_normal_distribution() {
    let plot = standardized_residuals("title", &[0.3, -0.2, 1.4]);
    assert_eq!(plot.series[0].points, [(0.0, 0.3), (1.0, -0.2), (2.0, 1.4)]);
    assert_eq!(plot.series[1].points, [(0.0, 1.96), (2.0, 1.96)]);
    assert_eq!(plot.series[2].points, [(0.0, -1.96), (2.0, -1.96)]);
    // One residual or none: no line to the left of the axis.
    assert_eq!(standardized_residuals("title", &[]).series[1].points, [(0.0, 1.96), (0.0, 1.96)]);
}

#[test]
fn columns_have_one_size_per_row_and_column() {
    let of = |counts: &[usize]| {
        let plots: Vec<Vec<LinePlot>> = counts.iter().map(|count| vec![plot(&["a"]); *count]).collect();
        size(&columns(&plots).expect("a figure"))
    };
    let (one, two, three) = (of(&[1]), of(&[1, 1]), of(&[1, 1, 1]));
    // A single column is wider; the third stands below the first two.
    assert_eq!((two.0 - one.0, three.0 - two.0, three.1 - two.1), (2.0 * 400.0 - 560.0, 0.0, 250.0));
    assert_eq!((one.1, of(&[1, 3]).1, of(&[2]).1), (250.0, 750.0, 500.0));
}

/// The numbers at the axes; every label stands on a line of its own.
fn ticks(svg: &str) -> Vec<f64> {
    svg.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

#[test]
fn axes_cover_bars_and_bands() {
    let mut bars = plot(&["points"]);
    bars.series[0].bars = vec![(0.5, -100.0, 0.5)];
    let ticks_of_bars = ticks(&bars.draw().expect("a figure"));
    assert!(ticks_of_bars.iter().any(|tick| *tick <= -80.0), "{ticks_of_bars:?}");
    let mut band = plot(&["points"]);
    band.series[0].band = vec![(0.0, 0.0, 0.0), (1.0, 0.0, 50.0)];
    let ticks_of_band = ticks(&band.draw().expect("a figure"));
    assert!(ticks_of_band.iter().any(|tick| *tick >= 40.0), "{ticks_of_band:?}");
}

#[test]
fn a_legend_of_eight_series_fits_beside_one_row() {
    let labels = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"];
    let svg = columns(&[vec![plot(&labels)]]).expect("a figure");
    let heights: Vec<f64> = labels
        .iter()
        .map(|label| {
            let lines: Vec<&str> = svg.lines().collect();
            let at = lines.iter().position(|line| line == label).expect("the label on a line of its own");
            numbers(lines[at - 1], "y")[0][0]
        })
        .collect();
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 14.0), "labels overlap: {heights:?}");
    assert!(heights[7] < 250.0, "beyond the row: {heights:?}");
}

fn map(isolines: Vec<Isoline>) -> Contours {
    let values = vec![0.0, 1.0, 2.0, 1.0, 2.0, 3.0, 2.0, 3.0, 4.0];
    let axes = (Axis::unit("a"), Axis::unit("b"));
    Contours { title: "map".into(), axes, side: 3, values, levels: 0, isolines, dots: vec![] }
}

#[test]
fn the_cells_of_a_map_tile_it() {
    let svg = map(vec![]).draw().expect("a figure");
    // The first rectangle is the white ground, the last ones are the colour bar.
    let cells: Vec<&str> = svg.lines().filter(|line| line.starts_with("<rect")).skip(1).take(9).collect();
    assert_eq!(cells.len(), 9);
    let value = |line: &str, name: &str| numbers(line, name)[0][0];
    let (mut area, mut left, mut right, mut top, mut bottom) =
        (0.0, f64::INFINITY, 0.0_f64, f64::INFINITY, 0.0_f64);
    for cell in &cells {
        let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| value(cell, name));
        area += width * height;
        (left, right) = (left.min(x), right.max(x + width));
        (top, bottom) = (top.min(y), bottom.max(y + height));
    }
    let whole = (right - left) * (bottom - top);
    // A pixel at each of the inner edges.
    assert!((area / whole - 1.0).abs() < 0.03, "cells of {area} in {whole}");
    assert!(right <= 470.0 && bottom <= 470.0);
    assert!(right - left > 0.7 * 470.0 && bottom - top > 0.7 * 470.0, "the map fills its figure");
    // The cells at the border are cut in half.
    for (cell, share) in cells.iter().zip([0.25, 0.5, 0.25]) {
        assert!((value(cell, "width") / (right - left) - share).abs() < 0.01, "{cell}");
    }
}

#[test]
fn marks_of_a_map_stand_at_their_values() {
    let years = Axis { label: "year".into(), low: 1958.0, high: 2004.0, log: false };
    let svg = Contours { axes: (years, Axis::unit("b")), ..map(vec![]) }.draw().expect("a figure");
    let lines: Vec<&str> = svg.lines().collect();
    let place = |year: &str| {
        let at = lines.iter().position(|line| *line == year).expect("the year on a line of its own");
        numbers(lines[at - 1], "x")[0][0]
    };
    let places = ["1960", "1970", "1980", "1990", "2000"].map(place);
    let step = (places[4] - places[0]) / 4.0;
    assert!(places.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() <= 1.0), "{places:?}");
}

#[test]
fn further_isolines_have_colors_of_their_own() {
    let isoline = |height: f64| Isoline { values: map(vec![]).values, height };
    let strokes = |isolines: Vec<Isoline>| {
        let svg = map(isolines).draw().expect("a figure");
        let heavy = svg.lines().filter(|line| line.contains("stroke-width=\"2\""));
        let colors: std::collections::BTreeSet<String> = heavy
            .filter_map(|line| line.split(" stroke=\"").nth(1)?.split('"').next().map(str::to_owned))
            .collect();
        colors
    };
    let one = strokes(vec![isoline(0.5)]);
    assert_eq!(one.iter().collect::<Vec<_>>(), ["#000000"]);
    assert_eq!(strokes(vec![isoline(0.5), isoline(1.5), isoline(2.5)]).len(), 3);
}

fn row(columns: &[String]) -> HeatMap {
    let values = (0..columns.len()).map(|at| at as f64).collect();
    HeatMap { columns: columns.to_vec(), rows: vec!["row".into()], values, ..HeatMap::default() }
}

/// Columns whose names would overlap: every second of thirty is named, and every one of fifteen.
#[test]
fn at_most_fifteen_columns_of_a_map_are_named() {
    for (count, every) in [(15, 1), (30, 2)] {
        let names: Vec<String> = (0..count).map(|at| format!("c{at}")).collect();
        let svg = row(&names).draw().expect("a figure");
        let named: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| svg.lines().any(|line| line == *name)).collect();
        let expected: Vec<&str> = names.iter().map(String::as_str).step_by(every).collect();
        assert_eq!(named, expected, "of {count} columns");
    }
}

/// Names along an axis, at eight pixels a character: those of ten places share 680 pixels.
#[test]
fn names_of_places_fit_beside_each_other() {
    let x_names: Vec<String> = (0..10).map(|at| format!("{at} of many places")).collect();
    let series = vec![Series::dots("dots", vec![(1.0, 2.0)])];
    let svg = LinePlot { x_names, series, ..LinePlot::default() }.draw().expect("a figure");
    let names: Vec<&str> = svg.lines().filter(|line| line.contains(" of ")).collect();
    assert_eq!(names.len(), 10, "{names:?}");
    for name in names {
        let pixels = 8 * name.chars().count();
        assert!((60..=68).contains(&pixels) && name.ends_with('…'), "{name} takes {pixels} pixels");
    }
}

/// A line over two axes is one stroke from the first to the second; a line that lacks one of them is none.
#[test]
fn two_places_make_a_line() {
    let strokes = |second: Option<f64>| {
        let axes = ["a", "b"].map(|label| ParallelAxis::Numeric(Axis::unit(label))).to_vec();
        let whole = ParallelLine { places: vec![Some(0.25), Some(0.75)], value: 1.0 };
        let other = ParallelLine { places: vec![Some(0.5), second], value: 2.0 };
        let figure =
            ParallelCoordinates { axes, lines: vec![whole, other], ..ParallelCoordinates::default() };
        figure.draw().expect("a figure").matches("<polyline").count()
    };
    let frame = {
        let axes = ["a", "b"].map(|label| ParallelAxis::Numeric(Axis::unit(label))).to_vec();
        let missing = |value| ParallelLine { places: vec![None, None], value };
        let lines = vec![missing(1.0), missing(2.0)];
        let figure = ParallelCoordinates { axes, lines, ..ParallelCoordinates::default() };
        figure.draw().expect("a figure").matches("<polyline").count()
    };
    assert_eq!((strokes(Some(0.5)) - frame, strokes(None) - frame), (2, 1));
}

/// The best line is the last one that is drawn, whether small or large values are the best, and it is the darkest.
#[test]
fn the_best_line_is_dark_and_on_top() {
    let strokes = |larger_is_better: bool| {
        let axes = ["a", "b"].map(|label| ParallelAxis::Numeric(Axis::unit(label))).to_vec();
        let line = |value: f64| ParallelLine { places: vec![Some(0.25 * value); 2], value };
        let lines = vec![line(1.0), line(2.0), line(3.0)];
        let figure = ParallelCoordinates { axes, lines, larger_is_better, ..ParallelCoordinates::default() };
        let svg = figure.draw().expect("a figure");
        let strokes = svg.lines().filter(|line| line.contains("<polyline"));
        let color = |line: &str| line.split("stroke=\"").nth(1).map(|rest| rest[..7].to_owned());
        strokes.filter_map(color).filter(|color| color != "#000000").take(3).collect::<Vec<_>>()
    };
    let (small, large) = (strokes(false), strokes(true));
    assert_eq!(small, large, "lines from the worst to the best, with the same shades");
    let light = |color: &String| u32::from_str_radix(&color[1..3], 16).unwrap();
    assert!(small.len() == 3 && small.is_sorted_by(|a, b| light(a) > light(b)), "{small:?}");
}
