//! True losses that the authors of the paper published, with folds drawn around them.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use thrifty_sampling::{Seed, Stream};

use super::drawn::{Deviations, Drawn};
use crate::data;
use crate::error::ExperimentError;

/// The mean of a Gaussian process that the paper's authors fitted to full cross-validations: a true loss.
///
/// ```text
/// f(u) = y_mean + y_sd (mean + Σ_i α_i s² k(|(u - X_i) / ℓ|)),   k Matérn 5/2, u in the unit cube
/// ```
#[derive(Deserialize)]
pub struct Objective {
    #[serde(rename = "D")]
    dim: usize,
    lengthscale: Vec<f64>,
    outputscale: f64,
    mean: f64,
    y_mean: f64,
    y_sd: f64,
    #[serde(rename = "X")]
    points: Vec<Vec<f64>>,
    alpha: Vec<f64>,
    check: Vec<Check>,
}

#[derive(Deserialize)]
struct Check {
    u: Vec<f64>,
    f: f64,
}

/// The studies, by the names of their files.
pub const NAMES: [&str; 11] = [
    "rf_high_dim-bioresponse",
    "rf_high_dim-gina",
    "rf_high_dim-madelon",
    "xgb_class-compass",
    "xgb_class-electricity",
    "xgb_class-eye_movements",
    "mlp-house_sales",
    "mlp-pol",
    "mlp-superconduct",
    "tab_resnet-pol",
    "tab_resnet-superconduct",
];

impl Objective {
    /// Reads one; nothing without a file.
    pub fn read(folder: Option<&Path>, name: &str) -> Result<Option<Self>, ExperimentError> {
        let Some(path) = data::file(folder, &format!("fcvopt/{name}.json")) else { return Ok(None) };
        let read: Self =
            serde_json::from_str(&data::read(&path)?).map_err(|error| ExperimentError::data(&path, error))?;
        let fits = read.lengthscale.len() == read.dim
            && read.alpha.len() == read.points.len()
            && read.points.iter().all(|point| point.len() == read.dim);
        if !fits {
            return Err(ExperimentError::data(&path, "numbers of different dimension"));
        }
        for Check { u, f } in &read.check {
            let found = read.value(u);
            if (found - f).abs() > 1e-9 {
                return Err(ExperimentError::data(&path, format!("{found} at {u:?}, expected {f}")));
            }
        }
        Ok(Some(read))
    }

    fn value(&self, u: &[f64]) -> f64 {
        let covariance = |point: &Vec<f64>| {
            let square: f64 =
                u.iter().zip(point).zip(&self.lengthscale).map(|((a, b), l)| ((a - b) / l).powi(2)).sum();
            let r = (5.0 * square).sqrt();
            (1.0 + r + r * r / 3.0) * (-r).exp()
        };
        let sum: f64 = self.points.iter().zip(&self.alpha).map(|(p, a)| a * covariance(p)).sum();
        self.y_mean + self.y_sd * (self.mean + self.outputscale * sum)
    }

    /// Folds around it: deviations that are drawn, in units of the deviation of the authors' full cross-validations.
    pub fn with_folds(self: Arc<Self>, seed: Seed) -> Result<Drawn, ExperimentError> {
        let (unit, dim) = (self.y_sd, self.dim);
        let std_devs = Deviations { std_dev: 0.3 * unit, lengthscale: 0.4, noise: 0.1 * unit };
        let common: Arc<dyn Fn(&[f64]) -> f64 + Send + Sync> = Arc::new(move |u| self.value(u));
        let mut rng: Stream = seed.stream("folds", 0);
        Drawn::around(dim, &common, std_devs, &mut rng)
    }
}
