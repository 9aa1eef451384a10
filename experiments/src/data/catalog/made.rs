//! Sets that are made by their recipes.

use thrifty_learners::recipe::{hastie, madelon};

use super::{headed, known};
use crate::data::set::{DataSet, Origin};

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "hastie-10-2",
        what: "Ten normal numbers, and whether their squares add up to more than 9.34: 2,000 rows for training, 10,000 for testing",
        source: "made by its recipe: Hastie, Tibshirani & Friedman (2009), eq. 10.2",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[known(
            "made/hastie-10-2.csv",
            1_524_196,
            "acb0072fe7358ce4c9115e6d43942ae469570dddd3788d560227a07627e29368",
            Origin::Made(hastie::write),
            headed(11, Some(12_000), &["x1", "class"], &["0", "1"]),
        )],
    },
    DataSet {
        name: "madelon-made",
        what: "Madelon made anew: 2,600 rows, 500 attributes of which 20 are of use",
        source: "made by its recipe: Guyon (2003)",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[known(
            "made/madelon.csv",
            5_208_899,
            "fafa6a7867c1bebb52fcf244239a04fe2bd4b80a325d8dd163178bec06b78258",
            Origin::Made(madelon::write),
            headed(501, Some(2_600), &["X1", "class"], &["-1", "1"]),
        )],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::sum::sha256;

    #[test]
    fn recipes_make_the_files_of_the_catalog() {
        let folder = tempfile::tempdir().unwrap();
        for file in SETS.iter().flat_map(|set| set.files) {
            let Origin::Made(recipe) = file.origin else { panic!("{} has no recipe", file.path) };
            let mut text = Vec::new();
            recipe(&mut text).unwrap();
            assert_eq!(Some(text.len() as u64), file.bytes);
            let path = folder.path().join("made");
            std::fs::write(&path, text).unwrap();
            assert_eq!(sha256(&path).ok().as_deref(), file.sha256);
            assert!(crate::data::layout::faults(&path, &file.layout).unwrap().is_empty());
        }
    }
}
