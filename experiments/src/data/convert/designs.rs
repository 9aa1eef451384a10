//! The published initial designs, from a folder of archives to one file.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::npz;
use crate::data::error::DataError;

/// Designs for each function.
const DESIGNS: usize = 51;

/// A function: our name, that of its archives, its dimension, and the fields of the file that are no designs.
///
/// Bounds and optima are those of the authors; the experiments take theirs from the test functions.
const FUNCTIONS: [(&str, &str, usize, &str, &str, &str); 8] = [
    ("WangFreitas", "WangFreitas", 1, "0.0", "1.0", "-4.000000000000026"),
    ("Branin", "Branin", 2, "-5, 0", "10, 15", "0.397887"),
    ("Cosines", "Cosines", 2, "0", "5", "-1.6"),
    ("logGoldsteinPrice", "logGoldsteinPrice", 2, "-2", "2", "1.0986122886681098"),
    ("logSixHumpCamel", "logSixHumpCamel", 2, "-3, -2", "3, 2", "-9.54473575988675"),
    ("logHartmann6", "modHartman6", 6, "0.0", "1.0", "-1.20067779"),
    ("logRosenbrock", "logRosenbrock", 10, "-5", "10", "-0.6931471805599453"),
    ("logStyblinskiTang", "logStyblinskiTang", 10, "-5", "5", "2.120864511052842"),
];

/// Writes the designs of `NAME_1.npz` to `NAME_51.npz`, for each function, as one JSON file. Coordinates have twelve decimals.
pub fn convert(folder: &Path, out: &mut impl Write) -> Result<(), DataError> {
    let lost = |error| DataError::io(folder)(error);
    for (at, (name, archive, dim, low, high, optimum)) in FUNCTIONS.into_iter().enumerate() {
        let begin = if at == 0 { "{" } else { ", " };
        let (low, high) = (each(low, dim), each(high, dim));
        write!(
            out,
            "{begin}\"{name}\": {{\"dim\": {dim}, \"lb\": [{low}], \"ub\": [{high}], \"yopt\": {optimum}"
        )
        .map_err(lost)?;
        let designs: Vec<String> = (1..=DESIGNS)
            .map(|design| {
                let path: PathBuf = folder.join(format!("{archive}_{design}.npz"));
                one(&path, dim).map_err(|message| DataError::malformed(&path, message))
            })
            .collect::<Result<_, _>>()?;
        write!(out, ", \"designs\": [{}]}}", designs.join(", ")).map_err(lost)?;
    }
    write!(out, "}}").map_err(lost)
}

/// A bound of each variable; one that is given stands for all.
fn each(bound: &str, dim: usize) -> String {
    if bound.contains(", ") { bound.to_owned() } else { vec![bound; dim].join(", ") }
}

/// Points of a design: twice as many as variables.
fn one(path: &Path, dim: usize) -> Result<String, String> {
    let array = npz::read(path, "arr_0")?;
    if array.shape != [2 * dim, dim] {
        return Err(format!("shape {:?}, expected {} points of {dim} numbers", array.shape, 2 * dim));
    }
    if let Some(bad) = array.values.iter().find(|v| !v.is_finite()) {
        return Err(format!("a coordinate is {bad}"));
    }
    let point = |x: &[f64]| {
        let numbers: Vec<String> = x.iter().map(|v| format!("{:?}", twelve_decimals(*v))).collect();
        format!("[{}]", numbers.join(", "))
    };
    let points: Vec<String> = array.values.chunks_exact(dim).map(point).collect();
    Ok(format!("[{}]", points.join(", ")))
}

/// The number rounded to twelve decimals.
fn twelve_decimals(value: f64) -> f64 {
    format!("{value:.12}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::convert::npz::tests::{npy, zip};

    /// Archives whose first coordinate is the number of the design, and a third that is not short.
    fn archives(folder: &Path) {
        for (_, archive, dim, ..) in FUNCTIONS {
            for design in 1..=DESIGNS {
                let mut values = vec![1.0 / 3.0; 2 * dim * dim];
                values[0] = design as f64;
                let points = npy(&format!("({}, {dim})", 2 * dim), "False", &values);
                let name = format!("{archive}_{design}.npz");
                std::fs::write(folder.join(name), zip(&[("arr_0.npy", points)], design % 2 == 0)).unwrap();
            }
        }
    }

    #[test]
    fn archives_become_a_file_that_the_experiments_read() {
        let folder = tempfile::tempdir().unwrap();
        archives(folder.path());
        let mut out = Vec::new();
        convert(folder.path(), &mut out).unwrap();
        let path = folder.path().join("designs.json");
        std::fs::write(&path, &out).unwrap();
        for function in crate::bench::race::functions(8) {
            use thrifty_testbed::Problem;
            let dim = function.bounds().len();
            let designs = crate::bench::egreedy::designs(&path, &function.name(), dim).unwrap();
            assert_eq!(designs.len(), DESIGNS);
            let first = |design: usize| designs[design][0].float("x0").unwrap();
            assert_eq!((first(0), first(50)), (1.0, 51.0));
            assert_eq!(designs[3][1].float("x0").unwrap(), 0.333_333_333_333);
        }
    }

    #[test]
    fn an_archive_that_is_missing_or_of_another_shape_is_named() {
        let folder = tempfile::tempdir().unwrap();
        archives(folder.path());
        let path = folder.path().join("Branin_7.npz");
        let message = || convert(folder.path(), &mut Vec::new()).unwrap_err().to_string();
        let values = [0.0; 6];
        std::fs::write(&path, zip(&[("arr_0.npy", npy("(3, 2)", "False", &values))], false)).unwrap();
        assert!(message().contains("Branin_7.npz: shape [3, 2], expected 4 points of 2 numbers"));
        std::fs::remove_file(&path).unwrap();
        assert!(message().contains("Branin_7.npz: "));
    }

    #[test]
    fn twelve_decimals_are_kept() {
        assert_eq!(twelve_decimals(0.084_153_320_768_123_4), 0.084_153_320_768);
        assert_eq!(twelve_decimals(-2.746_719_791_06), -2.746_719_791_06);
        assert_eq!(twelve_decimals(0.0), 0.0);
    }
}
