//! Models of the measured trials, for figures.

use thrifty_domain::Points;
use thrifty_gp::{GpPosterior, GpSurrogate};
use thrifty_kernel::Kernel;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_trees::{FeatureDistribution, Forest, ForestSettings, Importance, Table};

use crate::Unfit;
use crate::parameter::ParameterAxis;
use crate::report::Report;

/// Measured trials that a model needs at least.
const FEWEST: usize = 10;

/// Trials of a Gaussian process, whose cost is cubic: the last ones of a longer study.
const MOST: usize = 400;

/// Trees of the forest. Source: Hutter, Hoos & Leyton-Brown (2014) and the evaluator of Optuna take 64.
const TREES: usize = 64;

/// Bins per feature.
const BINS: usize = 4096;

/// A random forest on the places of the parameters, and their importance.
pub(crate) struct ForestModel {
    pub(crate) forest: Forest,
    pub(crate) importance: Importance,
    /// Features of the trials, row by row.
    pub(crate) rows: Vec<f32>,
    /// Mean and standard deviation of the objectives: trees hold single precision, which objectives of any scale would not fit.
    pub(crate) scaling: (f64, f64),
}

impl ForestModel {
    /// The forest of the first objective. Inactive parameters stand in the middle of their values.
    pub(crate) fn fit(report: &Report<'_>) -> Result<Self, Unfit> {
        let measured = report.values();
        Unfit::unless("measured trials", measured.len(), FEWEST)?;
        let mut rows = Vec::with_capacity(measured.len() * report.parameters.len());
        for (trial, _) in &measured {
            let places = report.places(&trial.query).into_iter().zip(&report.parameters);
            rows.extend(places.map(|(place, axis)| place.unwrap_or_else(|| axis.filler()) as f32));
        }
        let y: Vec<f64> = measured.iter().map(|(_, objective)| *objective).collect();
        let (mean, width) = moments(&y);
        if width <= 0.0 {
            return Err(Unfit::Constant);
        }
        let targets: Vec<f64> = y.iter().map(|y| (y - mean) / width).collect();
        let columns = report.parameters.len();
        let settings = ForestSettings {
            trees: TREES,
            features: Some(columns),
            min_leaf: 1,
            ..ForestSettings::default()
        };
        let domain: Vec<FeatureDistribution> =
            report.parameters.iter().map(ParameterAxis::distribution).collect();
        let failed = |error| Unfit::model("random forest", &error);
        let table = Table::new(rows.clone(), columns, BINS).map_err(failed)?;
        let forest = Forest::fit(&table, &targets, &settings, Seed(0), 1).map_err(failed)?;
        let importance = forest.importance(&domain).map_err(failed)?;
        Ok(Self { forest, importance, rows, scaling: (mean, width) })
    }
}

/// A Gaussian process on the encoded trials.
pub(crate) struct GpModel {
    pub(crate) posterior: GpPosterior<Box<dyn Kernel>>,
    pub(crate) x: Points,
    pub(crate) y: Vec<f64>,
    /// The point of the best trial of the study.
    best: Option<Vec<f64>>,
}

impl GpModel {
    /// The Gaussian process of the first objective, in the user's units.
    pub(crate) fn fit(report: &Report<'_>) -> Result<Self, Unfit> {
        let measured = report.values();
        Unfit::unless("measured trials", measured.len(), FEWEST)?;
        let mut x = Points::new(report.space.dim());
        let mut y = Vec::new();
        for (trial, objective) in &measured[measured.len().saturating_sub(MOST)..] {
            x.push(&point(report, &trial.query)?);
            y.push(*objective);
        }
        if moments(&y).1 <= 0.0 {
            return Err(Unfit::Constant);
        }
        let process = GpSurrogate::default()
            .process_for(report.space.domain(), x.as_ref())
            .map_err(|error| Unfit::model("Gaussian process", &error))?;
        let posterior = process
            .fit(x.as_ref(), &y, &mut Seed(0).stream("report", 0))
            .map_err(|error| Unfit::model("Gaussian process", &error))?;
        // It need not be among the last trials.
        let best = report.history.best().map(|(trial, _)| point(report, &trial.query)).transpose()?;
        Ok(Self { posterior, x, y, best })
    }

    /// The point of the best trial of the study: at the target fidelity, and without a broken constraint.
    pub(crate) fn best(&self) -> Result<&[f64], Unfit> {
        self.best.as_deref().ok_or(Unfit::Missing("a feasible measurement at the target"))
    }
}

/// The point of a configuration in the unit cube.
fn point(report: &Report<'_>, query: &Config) -> Result<Vec<f64>, Unfit> {
    report.space.encode(query).map_err(|error| Unfit::model("the space", &error))
}

/// Mean and standard deviation.
fn moments(y: &[f64]) -> (f64, f64) {
    let n = y.len().max(1) as f64;
    let mean = y.iter().map(|y| y / n).sum::<f64>();
    let width = y.iter().map(|y| (y - mean).powi(2) / n).sum::<f64>().sqrt();
    (mean, if width > 1e-12 * mean.abs() { width } else { 0.0 })
}
