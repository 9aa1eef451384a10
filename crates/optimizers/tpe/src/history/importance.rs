//! Importance of parameters from densities.

use crate::history::coding::{Coded, Coding};
use crate::history::table::Table;
use crate::{
    Bandwidth, BandwidthRule, CategoricalKernel, Dimension, Estimator, Floor, Kernels, Layout, Observed,
    SideWeights, TpeError, Truncation,
};

/// Places on a numeric axis at which densities are compared.
const PLACES: usize = 200;

/// Importance of each parameter: divergence of the best `share` of the trials from all of them, scaled to a sum of 1.
///
/// ```text
/// v_d ∝ ∫ (p_best(x_d) / p_all(x_d) - 1)² p_all(x_d) dx_d
/// ```
/// Densities are Parzen estimates with Scott's width, of the trials on which the parameter is active.
/// Source: Watanabe, Bansal & Hutter (2023), PED-ANOVA, eq. 12, with all trials as the larger set.
pub(crate) fn importance(table: &Table, coding: &Coding, share: f64) -> Result<Vec<f64>, TpeError> {
    let rows: Vec<usize> = table
        .ranking()
        .iter()
        .map(|row| *row as usize)
        .filter(|row| table.objectives(*row).is_some())
        .collect();
    let best = ((share * rows.len() as f64).ceil() as usize).min(rows.len());
    let divergence = |(index, coded): (usize, &Coded)| -> Result<f64, TpeError> {
        let values = |rows: &[usize]| -> Vec<f64> {
            rows.iter().map(|row| table.columns[index].values[*row]).filter(|value| !value.is_nan()).collect()
        };
        let (of_best, of_all) = (values(&rows[..best]), values(&rows));
        if of_best.is_empty() {
            return Ok(0.0);
        }
        let points = places(&coded.dimension);
        let (top, all) =
            (density(&coded.dimension, &of_best, &points)?, density(&coded.dimension, &of_all, &points)?);
        let total: f64 = all.iter().sum();
        Ok(top
            .iter()
            .zip(&all)
            .filter(|(_, q)| **q > 0.0)
            .map(|(p, q)| (p / q - 1.0).powi(2) * q / total)
            .sum())
    };
    let mut shares: Vec<f64> =
        coding.parameters.iter().enumerate().map(divergence).collect::<Result<_, _>>()?;
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 {
        shares.iter_mut().for_each(|v| *v /= sum);
    }
    Ok(shares)
}

/// Internal values across a dimension.
fn places(dimension: &Dimension) -> Vec<f64> {
    match dimension {
        Dimension::Categorical(choices) => (0..choices.len()).map(|c| c as f64).collect(),
        Dimension::Numeric(axis) => {
            let (low, high) = axis.bounds;
            let latent = |i: usize| low + (high - low) * (i as f64 + 0.5) / PLACES as f64;
            let place = |i| axis.grid.map_or(latent(i), |grid| grid.nearest(axis.value(latent(i))));
            let mut places: Vec<f64> = (0..PLACES).map(place).collect();
            places.dedup();
            places
        }
    }
}

fn density(dimension: &Dimension, values: &[f64], points: &[f64]) -> Result<Vec<f64>, TpeError> {
    let kernels = Kernels {
        bandwidth: Bandwidth { rule: BandwidthRule::Scott, floor: Floor::MAGIC_CLIP },
        truncation: Truncation::Component,
        categorical: CategoricalKernel::Smoothed,
        prior_weight: 1.0,
    };
    let observed = vec![Observed::of_internal(dimension, values)];
    let weights = SideWeights { trials: vec![1.0; values.len()], prior_scale: 1.0 };
    let estimator =
        Estimator::fit(std::slice::from_ref(dimension), observed, &weights, &kernels, Layout::Compact)?;
    let mut out = vec![0.0; points.len()];
    estimator.log_density_into(points, &mut out);
    Ok(out.into_iter().map(f64::exp).collect())
}
