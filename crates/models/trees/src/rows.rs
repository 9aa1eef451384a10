//! Predictions of an ensemble of trees, row by row.

use thrifty_check::InputError;

use crate::TreesError;
use crate::table::Bins;
use crate::tree::Tree;

/// `base` plus the scaled sum over trees. Rows are taken in blocks that stay in the cache together with a tree.
pub(crate) fn predict(
    bins: &Bins,
    trees: &[Tree],
    base: f64,
    scale: f64,
    rows: &[f32],
) -> Result<Vec<f64>, TreesError> {
    const BLOCK: usize = 256;
    let columns = bins.columns();
    if !rows.len().is_multiple_of(columns) {
        return Err(InputError::Length { name: "features", found: rows.len(), expected: columns }.into());
    }
    let mut out = vec![base; rows.len() / columns];
    let mut codes = Vec::with_capacity(BLOCK * columns);
    for (block, slots) in rows.chunks(BLOCK * columns).zip(out.chunks_mut(BLOCK)) {
        codes.clear();
        bins.code(block, &mut codes);
        for tree in trees {
            tree.add(&codes, columns, scale, slots);
        }
    }
    Ok(out)
}
