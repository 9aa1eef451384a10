//! Sets that are made by their recipes.

use crate::data::recipe::{hastie, madelon};
use crate::data::set::{DataFile, DataSet, Layout, Origin, TableLayout};

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "hastie-10-2",
        what: "Ten normal numbers, and whether their squares add up to more than 9.34: 2,000 rows for training, 10,000 for testing",
        source: "made by its recipe: Hastie, Tibshirani & Friedman (2009), eq. 10.2",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[DataFile {
            path: "made/hastie-10-2.csv",
            bytes: None,
            sha256: None,
            origin: Origin::Made(hastie::write),
            layout: Layout::Table(TableLayout {
                columns: Some(11),
                rows: Some(12_000),
                named: &["x1", "class"],
                classes: &["0", "1"],
                ..TableLayout::CSV
            }),
        }],
    },
    DataSet {
        name: "madelon-made",
        what: "Madelon made anew: 2,600 rows, 500 attributes of which 20 are of use",
        source: "made by its recipe: Guyon (2003)",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[DataFile {
            path: "made/madelon.csv",
            bytes: None,
            sha256: None,
            origin: Origin::Made(madelon::write),
            layout: Layout::Table(TableLayout {
                columns: Some(501),
                rows: Some(2_600),
                named: &["X1", "class"],
                classes: &["-1", "1"],
                ..TableLayout::CSV
            }),
        }],
    },
];
