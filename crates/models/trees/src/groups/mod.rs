//! Predictions for rows in groups that share most of their features.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

mod batch;
mod descent;
mod order;
mod rows;

pub use rows::GroupedRows;

use thrifty_check::length;

use self::batch::Batch;
use self::descent::{Descent, Sums};
use crate::TreesError;
use crate::rows::predict;
use crate::table::Bins;
use crate::tree::Tree;

/// Groups per batch, and rows per group: a set of either is one word.
const SET: usize = 128;
/// A feature with more bins than this makes the counts of a batch larger than the cache.
const MOST_BINS: usize = 1 << 11;
/// Fewer rows per group than this are predicted faster one by one.
const FEWEST: usize = 4;

/// The predictions of [`predict`] to the bit, for rows in groups.
///
/// Rows go down a tree as sets, not one by one. A node sends a whole group to one side unless its feature differs within the group
/// and its border lies between; only then are the rows of the group split. Cost per tree: the nodes that any row reaches, and the
/// splits of groups, instead of rows × depth.
pub(crate) fn predict_groups(
    bins: &Bins,
    trees: &[Tree],
    base: f64,
    scale: f64,
    rows: &GroupedRows,
) -> Result<Vec<f64>, TreesError> {
    length("features", rows.columns(), bins.columns())?;
    if rows.len() < FEWEST * rows.groups() || bins.most() > MOST_BINS {
        return predict(bins, trees, base, scale, &rows.row_major());
    }
    let mut out = Vec::with_capacity(rows.len());
    let mut descent = Descent::default();
    for parts in rows.parts(SET).chunks(SET) {
        let batch = Batch::new(bins, rows, parts);
        let mut sums = Sums::new(&batch, base);
        for tree in trees {
            descent.add(tree, &batch, scale, &mut sums);
        }
        sums.append_to(&batch, &mut out);
    }
    Ok(out)
}
