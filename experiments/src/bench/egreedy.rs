//! The published designs and results of De Ath et al. (2021), as they lie below the data folder.

use std::path::Path;

use thrifty_space::Config;
use thrifty_testbed::TestFunction;

use crate::data;
use crate::error::ExperimentError;

/// Path of the published designs below the data folder.
pub const DESIGNS: &str = "egreedy/egreedy_initial_designs.json";

/// Path of the quantiles of the published regrets below the data folder.
pub const QUANTILES: &str = "egreedy/egreedy_regret_quantiles.csv";

/// The published initial designs of a function of `dim` variables.
pub fn designs(path: &Path, function: &str, dim: usize) -> Result<Vec<Vec<Config>>, ExperimentError> {
    let malformed = |what: String| ExperimentError::data(path, format!("{function}: {what}"));
    let value: serde_json::Value =
        serde_json::from_str(&data::read(path)?).map_err(|error| ExperimentError::data(path, error))?;
    let designs = value[function]["designs"]
        .as_array()
        .ok_or_else(|| malformed("no field designs with a list".into()))?;
    let point = |value: &serde_json::Value| {
        let x = value.as_array()?.iter().map(serde_json::Value::as_f64).collect::<Option<Vec<f64>>>()?;
        (x.len() == dim).then(|| TestFunction::config(&x))
    };
    let design = |(i, value): (usize, &serde_json::Value)| {
        let points = value.as_array().and_then(|points| points.iter().map(point).collect::<Option<Vec<_>>>());
        points.ok_or_else(|| malformed(format!("design {i} is not a list of points of {dim} numbers")))
    };
    designs.iter().enumerate().map(design).collect()
}

/// Quantiles of what a published method reached on a function.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Published {
    pub problem: String,
    pub method: String,
    pub evals: usize,
    pub q25: f64,
    pub median: f64,
    pub q75: f64,
}

/// The published results.
pub fn published(path: &Path) -> Result<Vec<Published>, ExperimentError> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| ExperimentError::data(path, error))?;
    let rows: Result<_, _> = reader.deserialize().collect();
    rows.map_err(|error| ExperimentError::data(path, error))
}
