//! Figures of cross-validation by single folds: scores of configurations on folds, and how far folds agree.

use std::collections::{BTreeMap, BTreeSet};

use thrifty_cv::FoldQuery;
use thrifty_figures::HeatMap;
use thrifty_study::History;

use crate::Unfit;

/// Configurations on a map: more rows are not legible.
const ROWS: usize = 30;

/// Configurations that two folds share before their correlation is shown.
const SHARED: usize = 3;

/// Fold of a repeat.
type Fold = (usize, usize);

/// Scores of a configuration, and its first trial.
struct Row {
    first: u64,
    scores: BTreeMap<Fold, f64>,
}

impl Row {
    fn mean(&self) -> f64 {
        self.scores.values().sum::<f64>() / self.scores.len() as f64
    }
}

/// Heat map of the objective of each configuration on each fold, best mean of the measured folds first, as SVG.
///
/// A row is a configuration and its first trial. At most thirty rows are shown: those with the most folds. Cells of folds that were not
/// measured are grey; of repeated measurements the mean is shown.
///
/// # Errors
/// [`Unfit`] with fewer than two folds or without a measured trial.
pub fn fold_scores(history: &History<FoldQuery>) -> Result<String, Unfit> {
    let mut rows = rows(history);
    let folds = folds(&rows)?;
    rows.sort_by_key(|row| std::cmp::Reverse(row.scores.len()));
    rows.truncate(ROWS);
    rows.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
    let direction = history.directions().first();
    let cell = |row: &Row, fold: &Fold| row.scores.get(fold).map_or(f64::NAN, |loss| direction.flip(*loss));
    let map = HeatMap {
        title: "Objective by configuration and fold".into(),
        x_label: "fold".into(),
        y_label: "configuration".into(),
        value_label: "objective".into(),
        columns: names(&folds),
        rows: rows.iter().map(|row| format!("trial {}", row.first)).collect(),
        values: rows.iter().flat_map(|row| folds.iter().map(move |fold| cell(row, fold))).collect(),
    };
    Ok(map.draw()?)
}

/// Heat map of the correlation of each pair of folds over the configurations that both have measured, as SVG.
///
/// Folds that rank configurations alike have correlations near 1, so one of them is nearly as informative as all. Cells of pairs with fewer than three
/// shared configurations, or with constant scores, are grey.
///
/// # Errors
/// [`Unfit`] with fewer than two folds, or if no pair shares three configurations.
pub fn fold_correlations(history: &History<FoldQuery>) -> Result<String, Unfit> {
    let rows = rows(history);
    let folds = folds(&rows)?;
    let values: Vec<f64> =
        folds.iter().flat_map(|a| folds.iter().map(|b| correlation(&rows, *a, *b))).collect();
    let off_diagonal = (0..values.len()).filter(|i| i / folds.len() != i % folds.len());
    if off_diagonal.into_iter().all(|i| values[i].is_nan()) {
        return Err(Unfit::Missing("three configurations on the same two folds"));
    }
    let map = HeatMap {
        title: "Correlation of folds over configurations".into(),
        x_label: "fold".into(),
        y_label: "fold".into(),
        value_label: "correlation".into(),
        columns: names(&folds),
        rows: names(&folds),
        values,
    };
    Ok(map.draw()?)
}

/// Measured configurations in the order of their first trials.
fn rows(history: &History<FoldQuery>) -> Vec<Row> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    // First trial, and count and sum by fold.
    let mut sums: Vec<(u64, BTreeMap<Fold, (f64, f64)>)> = Vec::new();
    for (trial, objective) in history.measured() {
        let FoldQuery { config, repeat, fold } = &trial.query;
        // The text tells 1 from "1", and configurations have no order.
        let at = *places.entry(format!("{config:?}")).or_insert(sums.len());
        if at == sums.len() {
            sums.push((trial.id.0, BTreeMap::new()));
        }
        let (count, sum) = sums[at].1.entry((*repeat, *fold)).or_default();
        *count += 1.0;
        *sum += objective;
    }
    let scores = |of: BTreeMap<Fold, (f64, f64)>| {
        of.into_iter().map(|(fold, (count, sum))| (fold, sum / count)).collect()
    };
    sums.into_iter().map(|(first, of)| Row { first, scores: scores(of) }).collect()
}

/// All folds that were measured.
fn folds(rows: &[Row]) -> Result<Vec<Fold>, Unfit> {
    let all: BTreeSet<Fold> = rows.iter().flat_map(|row| row.scores.keys().copied()).collect();
    Unfit::unless("measured folds", all.len(), 2)?;
    Ok(all.into_iter().collect())
}

/// Numbers of folds, with their repeat if there are several.
fn names(folds: &[Fold]) -> Vec<String> {
    let repeated = folds.iter().any(|(repeat, _)| *repeat > 0);
    let name = |(repeat, fold): &Fold| if repeated { format!("{repeat}.{fold}") } else { fold.to_string() };
    folds.iter().map(name).collect()
}

/// Pearson's correlation over the shared configurations; NaN where it is not defined.
fn correlation(rows: &[Row], a: Fold, b: Fold) -> f64 {
    let pairs: Vec<(f64, f64)> =
        rows.iter().filter_map(|row| Some((*row.scores.get(&a)?, *row.scores.get(&b)?))).collect();
    if pairs.len() < SHARED {
        return f64::NAN;
    }
    let n = pairs.len() as f64;
    // Scaled by the largest, so that squares of large objectives stay finite.
    let centred = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let mean = pairs.iter().map(|pair| of(pair) / n).sum::<f64>();
        let scale = pairs.iter().map(|pair| (of(pair) - mean).abs()).fold(0.0, f64::max);
        pairs.iter().map(|pair| (of(pair) - mean) / scale).collect()
    };
    let (x, y) = (centred(&|pair| pair.0), centred(&|pair| pair.1));
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(first: u64, scores: &[f64]) -> Row {
        Row { first, scores: scores.iter().enumerate().map(|(fold, s)| ((0, fold), *s)).collect() }
    }

    #[test]
    fn correlations_agree_with_hand_values_at_any_scale() {
        // x = 1, 2, 4 and y = 2, 1, 3: covariance sum 2, sums of squares 14/3 and 2.
        let expected = 2.0 / (14.0 / 3.0 * 2.0_f64).sqrt();
        for scale in [1.0, 1e-150, 1e300] {
            let rows: Vec<Row> = [[1.0, 2.0], [2.0, 1.0], [4.0, 3.0]]
                .iter()
                .map(|pair| row(0, &pair.map(|s| s * scale)))
                .collect();
            let found = correlation(&rows, (0, 0), (0, 1));
            assert!((found - expected).abs() < 1e-12, "{scale:e}: {found}");
            assert!((correlation(&rows, (0, 1), (0, 0)) - found).abs() < 1e-15);
            assert!((correlation(&rows, (0, 1), (0, 1)) - 1.0).abs() < 1e-15);
            assert!(correlation(&rows[..2], (0, 0), (0, 1)).is_nan());
        }
        let constant = [row(0, &[1.0, 2.0]), row(1, &[1.0, 3.0]), row(2, &[1.0, 4.0])];
        assert!(correlation(&constant, (0, 0), (0, 1)).is_nan());
    }
}
