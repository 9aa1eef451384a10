//! Tables from files: `index.json` names the parameters of each, `NAME.f32` has little-endian numbers, a row for each
//! configuration and a column for each training seed. Parameters count in the order of their names, the last fastest.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::table::{GridTable, Levels};
use crate::data;
use crate::error::ExperimentError;

#[derive(Deserialize)]
struct Entry {
    direction: Direction,
    params: BTreeMap<String, Vec<serde_json::Value>>,
    rows: usize,
    reps: usize,
    /// Mean over seeds of the best configuration: checks that rows were read as they were written.
    best_mean: f64,
    /// The best configuration: one digit, its level, for each parameter.
    best_index: String,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Minimize,
    Maximize,
}

/// The table called `name` of the folder of `index`, shown as `title`: the mean over training seeds is the loss.
pub fn read(index: &Path, name: &str, title: &str) -> Result<GridTable, ExperimentError> {
    let in_index = |message: String| ExperimentError::data(index, format!("{name}: {message}"));
    let entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(&data::read(index)?).map_err(|error| ExperimentError::data(index, error))?;
    let entry = entries.get(name).ok_or_else(|| in_index("no such table".into()))?;
    let entry: Entry = serde_json::from_value(entry.clone()).map_err(|error| in_index(error.to_string()))?;
    let parameters: Vec<(String, Levels)> = entry
        .params
        .iter()
        .map(|(parameter, values)| Ok((parameter.clone(), levels(parameter, values).map_err(in_index)?)))
        .collect::<Result<_, ExperimentError>>()?;
    let path = index.with_file_name(format!("{name}.f32"));
    let in_file = |message: String| ExperimentError::data(&path, message);
    let bytes = fs::read(&path).map_err(ExperimentError::io(&path))?;
    if entry.reps == 0 || bytes.len() != 4 * entry.rows * entry.reps {
        let (rows, reps) = (entry.rows, entry.reps);
        return Err(in_file(format!(
            "{} bytes, expected 4 for each of rows {rows} x reps {reps}",
            bytes.len()
        )));
    }
    let values: Vec<f32> =
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let means: Vec<f64> = values.chunks_exact(entry.reps).map(mean).collect();
    let radices: Vec<usize> = parameters.iter().map(|(_, levels)| levels.len()).collect();
    let best = row(&entry.best_index, &radices).and_then(|row| means.get(row));
    let best =
        best.ok_or_else(|| in_index(format!("best_index {} is no configuration", entry.best_index)))?;
    if (best - entry.best_mean).abs() > 1e-5 * entry.best_mean.abs() {
        let (index, expected) = (&entry.best_index, entry.best_mean);
        return Err(in_file(format!("configuration {index} has mean {best}, best_mean says {expected}")));
    }
    let sign = if entry.direction == Direction::Maximize { -1.0 } else { 1.0 };
    GridTable::new(title, parameters, means.iter().map(|mean| sign * mean).collect()).map_err(in_file)
}

/// Numbers that rise are levels in order, texts are names.
fn levels(parameter: &str, values: &[serde_json::Value]) -> Result<Levels, String> {
    let numbers: Option<Vec<f64>> = values.iter().map(serde_json::Value::as_f64).collect();
    let names: Option<Vec<String>> = values.iter().map(|v| v.as_str().map(String::from)).collect();
    match (numbers, names) {
        (Some(numbers), _) if numbers.len() > 1 && numbers.windows(2).all(|w| w[0] < w[1]) => {
            Ok(Levels::Ordered(numbers.len()))
        }
        (_, Some(names)) if names.len() > 1 => Ok(Levels::Named(names)),
        _ => Err(format!("params.{parameter} must have at least two values, rising numbers or texts")),
    }
}

/// Mean of what was measured: NaN stands for a seed that was not run.
fn mean(values: &[f32]) -> f64 {
    let measured: Vec<f64> = values.iter().filter(|v| !v.is_nan()).map(|v| f64::from(*v)).collect();
    measured.iter().sum::<f64>() / measured.len() as f64
}

fn row(digits: &str, radices: &[usize]) -> Option<usize> {
    if digits.chars().count() != radices.len() {
        return None;
    }
    digits.chars().zip(radices).try_fold(0, |row, (digit, radix)| {
        let level = digit.to_digit(10)? as usize;
        (level < *radix).then_some(row * radix + level)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(index: &str, values: &[f32]) -> Result<GridTable, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.json");
        fs::write(&path, index).unwrap();
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        fs::write(folder.path().join("t.f32"), bytes).unwrap();
        read(&path, "t", "T").map_err(|error| error.to_string())
    }

    const INDEX: &str = r#"{"t": {"direction": "maximize", "params": {"a": [0.1, 1], "b": ["x", "y"]}, "rows": 4,
        "reps": 2, "best_mean": 3.5, "best_index": "10"}}"#;
    const VALUES: [f32; 8] = [0.0, 1.0, 2.0, f32::NAN, 3.0, 4.0, 1.0, 1.0];

    #[test]
    fn reads_tables_and_names_what_is_wrong() {
        use thrifty_testbed::Problem;
        assert_eq!(of(INDEX, &VALUES).unwrap().optimum(), -3.5);
        let broken = |from: &str, to: &str, words: &str| {
            let message = of(&INDEX.replace(from, to), &VALUES).unwrap_err();
            assert!(message.contains(words), "{message}");
        };
        broken("\"t\":", "\"u\":", "t: no such table");
        broken("\"reps\": 2,", "", "missing field `reps`");
        broken("\"reps\": 2", "\"reps\": 3", "32 bytes");
        broken("[0.1, 1]", "[1, 0.1]", "params.a");
        broken("\"10\"", "\"12\"", "best_index 12");
        broken("\"10\"", "\"01\"", "has mean 2");
        broken("maximize", "up", "unknown variant");
        assert!(of(INDEX, &VALUES[1..]).unwrap_err().contains("28 bytes"));
    }
}
