//! Value function of training under a budget: what each control is worth now, and what stopping is worth.

use std::collections::BTreeMap;

use thrifty_autobct::AutoBct;
use thrifty_figures::{HeatMap, LinePlot, Series};
use thrifty_space::{Config, Value};
use thrifty_study::History;

use crate::Unfit;

/// Value of training each control next, as SVG: a curve over one parameter, a heat map over two.
///
/// The curve has the value of stopping beside it: the expected score of the last training.
///
/// # Errors
/// [`Unfit`] for controls of more than two parameters or of a parameter without numbers, when the horizon is over, or if the optimiser
/// does not take the history.
pub fn training_values(optimizer: &AutoBct, history: &History<Config>) -> Result<String, Unfit> {
    let controls = optimizer.controls();
    let values = optimizer.training_values(history)?.ok_or(Unfit::Missing("trainings left to decide"))?;
    let names: Vec<&str> =
        controls.first().into_iter().flat_map(Config::iter).map(|(name, _)| name).collect();
    let at = |name: &str| -> Result<Vec<f64>, Unfit> {
        controls
            .iter()
            .map(|control| {
                control.get(name).and_then(Value::number).ok_or(Unfit::Missing("numeric controls"))
            })
            .collect()
    };
    match names.as_slice() {
        [name] => curve(optimizer, history, name, &at(name)?, &values.of_controls),
        [first, second] => map([*first, *second], &[at(first)?, at(second)?], &values.of_controls),
        _ => Err(Unfit::Missing("controls of one or two parameters")),
    }
}

fn curve(
    optimizer: &AutoBct,
    history: &History<Config>,
    name: &str,
    at: &[f64],
    values: &[f64],
) -> Result<String, Unfit> {
    let mut series =
        vec![Series::line("value of training", at.iter().copied().zip(values.iter().copied()).collect())];
    if let Some(stop) = optimizer.stopping_value(history)? {
        let ends =
            at.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
        series.push(Series::line("value of stopping", vec![(ends.0, stop), (ends.1, stop)]));
    }
    let plot = LinePlot {
        title: "Value of the next training".into(),
        x_label: name.into(),
        y_label: "value".into(),
        series,
        ..LinePlot::default()
    };
    Ok(plot.draw()?)
}

/// Controls as cells; those that the grid does not have are grey.
fn map(names: [&str; 2], at: &[Vec<f64>; 2], values: &[f64]) -> Result<String, Unfit> {
    let [columns, rows] = [distinct(&at[0]), distinct(&at[1])];
    let cells: BTreeMap<(u64, u64), f64> =
        at[0].iter().zip(&at[1]).zip(values).map(|((x, y), v)| ((x.to_bits(), y.to_bits()), *v)).collect();
    let cell = |x: f64, y: f64| cells.get(&(x.to_bits(), y.to_bits())).copied().unwrap_or(f64::NAN);
    // Single precision has the digits that a place on a grid needs.
    let text = |numbers: &[f64]| numbers.iter().map(|x| (*x as f32).to_string()).collect();
    let map = HeatMap {
        title: "Value of the next training".into(),
        x_label: names[0].into(),
        y_label: names[1].into(),
        value_label: "value".into(),
        columns: text(&columns),
        rows: text(&rows),
        values: rows.iter().flat_map(|y| columns.iter().map(move |x| cell(*x, *y))).collect(),
    };
    Ok(map.draw()?)
}

fn distinct(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted
}
