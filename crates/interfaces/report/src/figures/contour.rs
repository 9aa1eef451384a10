//! Objective over two parameters by a random forest.

use thrifty_figures::Contours;

use crate::Unfit;
use crate::model::ForestModel;
use crate::report::Report;

/// Points along each axis.
const SIDE: usize = 32;

/// Trials over which the other parameters are averaged.
const BACKGROUND: usize = 60;

pub(crate) fn draw(report: &Report<'_>) -> Result<String, Unfit> {
    let forest = report.forest()?;
    let numeric = report.numeric();
    let [first, second, ..] = numeric[..] else {
        return Err(Unfit::TooFew { what: "numeric parameters", found: numeric.len(), needed: 2 });
    };
    let (Some(x), Some(y)) = (report.parameters[first].numeric(), report.parameters[second].numeric()) else {
        return Err(Unfit::TooFew { what: "numeric parameters", found: 0, needed: 2 });
    };
    let values = partial_dependence(forest, report.parameters.len(), (first, second))?;
    let dots = report.measured().into_iter().filter_map(|(trial, _)| {
        let places = report.places(&trial.query);
        Some((places[first]?, places[second]?))
    });
    let map = Contours {
        title: format!("{}: forest over two parameters", report.objective_label()),
        axes: (x.clone(), y.clone()),
        side: SIDE,
        values,
        levels: 6,
        isolines: Vec::new(),
        dots: dots.collect(),
    };
    Ok(map.draw()?)
}

/// Predictions on the grid of two parameters, averaged over the other parameters of some trials.
///
/// Source: Friedman (2001), section 8.2.
fn partial_dependence(forest: &ForestModel, columns: usize, pair: (usize, usize)) -> Result<Vec<f64>, Unfit> {
    let count = forest.rows.len() / columns;
    let every = count.div_ceil(BACKGROUND);
    let background: Vec<&[f32]> = forest.rows.chunks(columns).step_by(every).collect();
    let at = |i: usize| i as f32 / (SIDE - 1) as f32;
    let mut rows = Vec::with_capacity(SIDE * SIDE * background.len() * columns);
    for cell in 0..SIDE * SIDE {
        for row in &background {
            let mut row = row.to_vec();
            (row[pair.0], row[pair.1]) = (at(cell % SIDE), at(cell / SIDE));
            rows.extend(row);
        }
    }
    let predicted = forest.forest.predict(&rows).map_err(|error| Unfit::model("random forest", &error))?;
    let (mean, width) = forest.scaling;
    let average = |cell: &[f64]| mean + width * cell.iter().sum::<f64>() / cell.len() as f64;
    Ok(predicted.chunks(background.len()).map(average).collect())
}
