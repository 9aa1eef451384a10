use std::collections::BTreeMap;

use thrifty_space::Config;
use thrifty_study::History;

/// One number for each count of evaluations; NaN while the design lasts.
pub type Measure = Vec<f64>;

/// One run, step by step.
pub struct Traced {
    pub method: &'static str,
    /// Before each evaluation.
    pub diagnostics: Vec<BTreeMap<String, f64>>,
    /// True share of the domain on the wrong side.
    pub wrong: Measure,
    pub iou: Measure,
    pub f1: Measure,
    /// The kernel chosen at the start of each phase.
    pub kernels: Vec<&'static str>,
    pub history: History<Config>,
    /// The posterior mean of the loss at the points of the map.
    pub map: Vec<f64>,
}
