//! Estimators of Optuna: one parameter, and several together.

use serde_json::Value;
use thrifty_tpe::{Axis, Choices, Dimension, Estimator, GridEnds, Layout, Observed, Weights};

use crate::json::{number, numbers, relative_to_largest, text};
use crate::tpe::{Families, OPTUNA_SPLIT, SIDES, fit, kernels, largest_difference, log_densities, sides};

fn optuna_dimension(dist: &Value) -> Result<Dimension, String> {
    if let Some(count) = dist["n_choices"].as_u64() {
        return Ok(Dimension::Categorical(Choices::uniform(count as usize).map_err(text)?));
    }
    let (low, high, log) = (number(&dist["low"])?, number(&dist["high"])?, dist["log"] == true);
    let axis = match &dist["step"] {
        Value::Null => Axis::float(low, high, log),
        step => Axis::grid(low, high, number(step)?, log, GridEnds::Whole),
    };
    Ok(Dimension::Numeric(axis.map_err(text)?))
}

/// Errors of an estimator in trial order against the mixture of the file.
fn optuna_mixture(
    estimator: &Estimator,
    d: usize,
    truth: &Value,
    families: &mut Families,
) -> Result<(), String> {
    let error = relative_to_largest(estimator.probabilities(), &numbers(&truth["weights"])?, 1e-300);
    families.add("optuna", "mixture", 1e-12, error);
    if truth["cat_weights"].is_null() {
        let of = |part: fn((f64, f64)) -> f64| {
            (0..estimator.len()).filter_map(|i| estimator.kernel(d, i)).map(part).collect::<Vec<_>>()
        };
        for (name, found) in [("mus", of(|k| k.0)), ("sigmas", of(|k| k.1))] {
            let error = relative_to_largest(&found, &numbers(&truth[name])?, 1e-300);
            families.add("optuna", "mixture", 1e-12, error);
        }
    } else {
        let found: Vec<f64> =
            (0..estimator.len()).filter_map(|i| estimator.row(d, i)).flatten().copied().collect();
        let error = relative_to_largest(&found, &numbers(&truth["cat_weights"])?, 1e-300);
        families.add("optuna", "mixture", 1e-12, error);
    }
    Ok(())
}

pub(crate) fn optuna(case: &Value, families: &mut Families) -> Result<(), String> {
    let dimension = optuna_dimension(&case["dist"])?;
    let kernels = kernels(case, "optuna")?;
    let losses = numbers(&case["loss"])?;
    let good = OPTUNA_SPLIT.good(&losses);
    families.add("optuna", "split", 0.0, good as f64 - number(&case["n_below"])?);
    let points: Vec<f64> = numbers(&case["grid"])?.iter().map(|x| dimension.internal(*x)).collect();
    for (values, (side, obs, density)) in sides(&numbers(&case["obs"])?, &losses, good).iter().zip(SIDES) {
        families.add("optuna", "sides", 0.0, largest_difference(values, &numbers(&case[obs])?));
        optuna_mixture(&fit(&dimension, values, &kernels, Layout::Observations)?, 0, &case[side], families)?;
        for layout in [Layout::Observations, Layout::Compact] {
            let estimator = fit(&dimension, values, &kernels, layout)?;
            let error = largest_difference(&log_densities(&estimator, &points, 1), &numbers(&case[density])?);
            families.add("optuna", "log density", 1e-10, error);
        }
    }
    Ok(())
}

/// A dimension as `float[-5,10]`, `logfloat[1e-5,1]`, `int[1,20]` or `cat4`.
fn written_dimension(value: &Value) -> Result<Dimension, String> {
    let written = value.as_str().unwrap_or_default();
    let unknown = || format!("parameter {value} is not known to this build");
    if let Some(count) = written.strip_prefix("cat") {
        let count = count.parse().map_err(|_| unknown())?;
        return Choices::uniform(count).map(Dimension::Categorical).map_err(text);
    }
    let (kind, bounds) = written.strip_suffix(']').and_then(|w| w.split_once('[')).ok_or_else(unknown)?;
    let (low, high) = bounds.split_once(',').ok_or_else(unknown)?;
    let (low, high): (f64, f64) = (low.parse().map_err(|_| unknown())?, high.parse().map_err(|_| unknown())?);
    let axis = match kind {
        "float" => Axis::float(low, high, false),
        "logfloat" => Axis::float(low, high, true),
        "int" => Axis::grid(low, high, 1.0, false, GridEnds::Whole),
        _ => return Err(unknown()),
    };
    axis.map(Dimension::Numeric).map_err(text)
}

pub(crate) fn multivariate(case: &Value, families: &mut Families) -> Result<(), String> {
    let space = case["space"].as_object().ok_or("no space")?;
    let names: Vec<&str> = space.keys().map(String::as_str).collect();
    if names.is_empty() {
        return Err("a space without parameters".into());
    }
    let dimensions: Vec<Dimension> = space.values().map(written_dimension).collect::<Result<_, _>>()?;
    let losses = numbers(&case["loss"])?;
    let good = OPTUNA_SPLIT.good(&losses);
    families.add("optuna", "split", 0.0, good as f64 - number(&case["n_below"])?);
    let columns =
        |list: &Value| names.iter().map(|name| numbers(&list[*name])).collect::<Result<Vec<_>, _>>();
    let (observed, grid) = (columns(&case["obs"])?, columns(&case["grid"])?);
    let points: Vec<f64> = (0..grid[0].len())
        .flat_map(|i| {
            dimensions.iter().zip(&grid).map(move |(d, column)| d.internal(column[i])).collect::<Vec<_>>()
        })
        .collect();
    let kernels = kernels(case, "optuna")?;
    for (at, (side, _, density)) in SIDES.into_iter().enumerate() {
        let values: Vec<Vec<f64>> =
            observed.iter().map(|column| sides(column, &losses, good)[at].clone()).collect();
        let weights = Weights::LinearForgetting.of(&values[0], None);
        let lists: Vec<Observed> = dimensions.iter().zip(&values).map(|(d, v)| Observed::new(d, v)).collect();
        let estimator =
            Estimator::fit(&dimensions, lists, &weights, &kernels, Layout::Observations).map_err(text)?;
        for (d, name) in names.iter().enumerate() {
            optuna_mixture(&estimator, d, &case[side][*name], families)?;
        }
        let error = largest_difference(
            &log_densities(&estimator, &points, dimensions.len()),
            &numbers(&case[density])?,
        );
        families.add("optuna", "joint log density", 1e-10, error);
    }
    Ok(())
}
