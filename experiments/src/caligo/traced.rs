//! Trace of a run of the protocol.

use std::collections::BTreeMap;

use crate::harness::runs::{lossless_maps, lossless_numbers};

/// One run, step by step.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Traced {
    /// Before each evaluation.
    #[serde(with = "lossless_maps")]
    pub diagnostics: Vec<BTreeMap<String, f64>>,
    /// True share of the domain on the wrong side.
    #[serde(with = "lossless_numbers")]
    pub wrong: Measure,
    #[serde(with = "lossless_numbers")]
    pub iou: Measure,
    #[serde(with = "lossless_numbers")]
    pub f1: Measure,
    /// The kernel chosen at the start of each phase.
    pub kernels: Vec<String>,
    /// The posterior mean of the loss at the points of the map.
    #[serde(with = "lossless_numbers")]
    pub map: Vec<f64>,
}

/// One number for each count of evaluations; NaN while the design lasts.
pub type Measure = Vec<f64>;
