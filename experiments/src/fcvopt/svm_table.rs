//! Measured folds of support vector machines.

use std::path::Path;

use serde::Deserialize;
use thrifty_cv::FoldQuery;
use thrifty_sampling::Stream;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

use super::problem::FoldProblem;
use crate::data;
use crate::error::ExperimentError;

/// Errors of a support vector machine on a grid of its two hyperparameters: six repeats of a tenfold cross-validation.
///
/// The folds of the first repeat may be asked; the truth is the mean over the five others, which nobody saw.
pub struct SvmTable {
    space: Space,
    log2_c: Vec<i64>,
    log2_gamma: Vec<i64>,
    /// By configuration, then repeat times folds plus fold: the share of test rows that are misclassified.
    losses: Vec<Vec<f64>>,
    truth: Vec<f64>,
    least: f64,
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "log2_C")]
    log2_c: Vec<i64>,
    log2_gamma: Vec<i64>,
    n_test: Vec<u32>,
    errors: Vec<Vec<Vec<u32>>>,
}

const FOLDS: usize = 10;

/// Tables that come with the experiments: data sets that a well-known library ships.
const EMBEDDED: [(&str, &str); 3] = [
    ("breast_cancer", include_str!("../../data/svm/breast_cancer.json")),
    ("wine", include_str!("../../data/svm/wine.json")),
    ("digits600", include_str!("../../data/svm/digits600.json")),
];

/// Tables that are read from the data folder.
const FROM_FILES: [&str; 2] = ["sonar", "crx"];

/// Tables of the data folder that chose no default.
const JUDGED: [&str; 2] = ["ionosphere", "vehicle"];

fn path_of(name: &str) -> String {
    format!("tabular/svm_{name}.json")
}

/// Identification of the tables that were read from the data folder.
pub fn identity(folder: Option<&Path>) -> Result<String, ExperimentError> {
    data::identity_of(folder, &FROM_FILES.map(path_of))
}

/// Identification of the tables that chose no default.
pub fn judged_identity(folder: Option<&Path>) -> Result<String, ExperimentError> {
    data::identity_of(folder, &JUDGED.map(path_of))
}

/// All tables there are, by name, without those that chose no default.
pub fn all(folder: Option<&Path>) -> Result<Vec<(String, SvmTable)>, ExperimentError> {
    let mut tables = Vec::new();
    for (name, text) in EMBEDDED {
        let table =
            SvmTable::parse(text).map_err(|error| ExperimentError::failed(format!("{name}: {error}")))?;
        tables.push((name.to_owned(), table));
    }
    tables.extend(read(folder, &FROM_FILES)?);
    Ok(tables)
}

/// Tables that chose no default, where the data folder has them.
pub fn judged(folder: Option<&Path>) -> Result<Vec<(String, SvmTable)>, ExperimentError> {
    read(folder, &JUDGED)
}

fn read(folder: Option<&Path>, names: &[&str]) -> Result<Vec<(String, SvmTable)>, ExperimentError> {
    let mut tables = Vec::new();
    for name in names {
        if let Some(path) = data::file(folder, &path_of(name)) {
            let table =
                SvmTable::parse(&data::read(&path)?).map_err(|error| ExperimentError::data(&path, error))?;
            tables.push(((*name).to_owned(), table));
        }
    }
    Ok(tables)
}

impl SvmTable {
    fn parse(text: &str) -> Result<Self, String> {
        let File { log2_c, log2_gamma, n_test, errors } =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        if n_test.len() < 2 * FOLDS || n_test.contains(&0) {
            return Err(format!("{} folds, expected two repeats of {FOLDS} with test rows", n_test.len()));
        }
        let cells: Vec<&Vec<u32>> = errors.iter().flatten().collect();
        if errors.len() != log2_c.len()
            || cells.len() != log2_c.len() * log2_gamma.len()
            || cells.iter().any(|cell| cell.len() != n_test.len())
        {
            return Err("errors of another shape than the grid".into());
        }
        let share = |cell: &Vec<u32>| -> Vec<f64> {
            cell.iter().zip(&n_test).map(|(errors, rows)| f64::from(*errors) / f64::from(*rows)).collect()
        };
        let losses: Vec<Vec<f64>> = cells.into_iter().map(share).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let truth: Vec<f64> = losses.iter().map(|all| mean(&all[FOLDS..])).collect();
        let least = truth.iter().copied().fold(f64::INFINITY, f64::min);
        let ends = |values: &[i64]| (values[0], values[values.len() - 1]);
        let (c, gamma) = (ends(&log2_c), ends(&log2_gamma));
        let space = Space::builder().int("log2_C", c.0, c.1).int("log2_gamma", gamma.0, gamma.1).build();
        Ok(Self { space: space.map_err(|e| e.to_string())?, log2_c, log2_gamma, losses, truth, least })
    }

    fn row(&self, config: &Config) -> Result<usize, SpaceError> {
        let at = |values: &[i64], value: i64| (value - values[0]).clamp(0, values.len() as i64 - 1) as usize;
        let c = at(&self.log2_c, config.int("log2_C")?);
        Ok(c * self.log2_gamma.len() + at(&self.log2_gamma, config.int("log2_gamma")?))
    }

    /// Regret of the configuration with the least mean over the first repeat: what a whole cross-validation of the whole
    /// grid would choose. And the share of configurations whose regret is at most that.
    pub fn yardstick(&self) -> (f64, f64) {
        let mean = |all: &[f64]| all[..FOLDS].iter().sum::<f64>();
        let best = (0..self.losses.len())
            .fold(0, |best, i| if mean(&self.losses[i]) < mean(&self.losses[best]) { i } else { best });
        let regret = self.truth[best] - self.least;
        let as_good = self.truth.iter().filter(|truth| **truth - self.least <= regret).count();
        (regret, as_good as f64 / self.truth.len() as f64)
    }
}

impl FoldProblem for SvmTable {
    fn space(&self) -> &Space {
        &self.space
    }

    fn folds(&self) -> usize {
        FOLDS
    }

    fn loss(&self, query: &FoldQuery, _: &mut Stream) -> Result<Outcome, SpaceError> {
        Ok(self.losses[self.row(&query.config)?][query.fold].into())
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok(self.truth[self.row(config)?] - self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_tables_are_whole() {
        for (name, table) in all(None).unwrap() {
            assert_eq!(table.truth.len(), 441, "{name}");
            let (regret, share) = table.yardstick();
            assert!((0.0..0.02).contains(&regret) && share > 0.0, "{name}: {regret}");
        }
    }

    #[test]
    fn a_table_of_another_shape_is_refused() {
        let text = r#"{"log2_C":[0,1],"log2_gamma":[0],"n_test":[1],"errors":[[[0]],[[0]]]}"#;
        assert!(SvmTable::parse(text).err().unwrap().contains("1 folds"));
    }
}
