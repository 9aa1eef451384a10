//! The catalog: all sets that the sources name, and the files that experiments read.

mod copies;
mod made;
mod openml;
mod published;
mod uci;

use super::error::DataError;
use super::set::{Address, Conversion, DataFile, DataSet, Layout, Origin, TableLayout};

/// An address from which nobody has fetched the file yet.
const fn address(url: &'static str, conversion: Conversion) -> Origin {
    Origin::Address { address: Address { url, checked: false }, conversion }
}

/// A file that is at hand: its path, length, sum, origin and form.
const fn known(
    path: &'static str,
    bytes: u64,
    sha256: &'static str,
    origin: Origin,
    layout: Layout,
) -> DataFile {
    DataFile { path, bytes: Some(bytes), sha256: Some(sha256), origin, layout }
}

/// A file that nobody could fetch: its path, origin and form.
const fn unknown(path: &'static str, origin: Origin, layout: Layout) -> DataFile {
    DataFile { path, bytes: None, sha256: None, origin, layout }
}

/// A comma-separated table without a header. The classes are those of the last column.
const fn bare(columns: usize, rows: usize, classes: &'static [&'static str]) -> Layout {
    let (columns, rows) = (Some(columns), Some(rows));
    Layout::Table(TableLayout { header: false, columns, rows, classes, ..TableLayout::CSV })
}

/// A comma-separated table with a header that has the columns `named`. The classes are those of the last column.
const fn headed(
    columns: usize,
    rows: Option<usize>,
    named: &'static [&'static str],
    classes: &'static [&'static str],
) -> Layout {
    Layout::Table(TableLayout { columns: Some(columns), rows, named, classes, ..TableLayout::CSV })
}

/// Every set, sorted by name.
pub fn all() -> Vec<&'static DataSet> {
    let groups = [copies::SETS, made::SETS, openml::SETS, published::SETS, uci::SETS];
    let mut sets: Vec<&DataSet> = groups.into_iter().flatten().collect();
    sets.sort_by_key(|set| set.name);
    sets
}

/// The set with a name.
pub fn find(name: &str) -> Result<&'static DataSet, DataError> {
    let found = all().into_iter().find(|set| set.name == name);
    found.ok_or_else(|| DataError::UnknownSet { name: name.into() })
}

/// The sets that an experiment reads.
pub fn of_experiment(id: &str) -> impl Iterator<Item = &'static DataSet> {
    all().into_iter().filter(move |set| set.used_by.contains(&id))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::data::sum::is_sum;

    fn files() -> Vec<&'static DataFile> {
        all().into_iter().flat_map(|set| set.files).collect()
    }

    #[test]
    fn names_and_paths_are_unique_and_sums_are_sums() {
        let names: BTreeSet<&str> = all().iter().map(|set| set.name).collect();
        let paths: BTreeSet<&str> = files().iter().map(|file| file.path).collect();
        assert_eq!((names.len(), paths.len()), (all().len(), files().len()));
        assert!(
            names.iter().all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
        );
        assert!(files().iter().all(|file| file.sha256.is_none_or(is_sum)));
        assert!(paths.iter().all(|path| !path.starts_with('/') && !path.contains("..")));
        let addresses = files().into_iter().filter_map(|file| match &file.origin {
            Origin::Address { address, .. } => Some(address.url),
            _ => None,
        });
        assert!(addresses.into_iter().all(|url| url.starts_with("https://")));
        assert!(find("nothing").unwrap_err().to_string().contains("no data set is called nothing"));
    }

    #[test]
    fn every_file_that_an_experiment_reads_is_in_the_catalog_under_that_experiment() {
        use crate::data::sources;
        use crate::{bench, fcvopt, hybrid};
        let landscapes = fcvopt::landscape::NAMES.map(|name| format!("fcvopt/{name}.json"));
        let tables = bench::tables::TABLES.map(|(_, name)| format!("hpo/{name}.f32"));
        let read: Vec<(&str, Vec<String>)> = vec![
            ("hybrid/credit", vec![hybrid::credit_data::FILE.into()]),
            ("hybrid/wangfreitas", vec![bench::egreedy::DESIGNS.into()]),
            ("bench/functions", vec![bench::egreedy::DESIGNS.into(), bench::egreedy::QUANTILES.into()]),
            ("acquisition/functions", vec![bench::egreedy::DESIGNS.into(), bench::egreedy::QUANTILES.into()]),
            ("bo/judged", vec![bench::egreedy::DESIGNS.into(), bench::tables::INDEX.into()]),
            ("bench/tables", [vec![bench::tables::INDEX.to_owned()], tables.to_vec()].concat()),
            ("fcvopt/synth", vec![fcvopt::branin::FILE.into()]),
            ("fcvopt/ablation", vec![fcvopt::branin::FILE.into()]),
            ("fcvopt/landscapes", landscapes.to_vec()),
            ("fcvopt/forest", sources::MADELON.map(String::from).to_vec()),
            ("fcvopt/boosting", vec![sources::ELECTRICITY.into()]),
            ("fcvopt/perceptron", vec![sources::HOUSE_SALES.into()]),
            ("fcvopt/residual", vec![sources::HOUSE_SALES.into()]),
            ("fcvopt/tables", vec!["tabular/svm_sonar.json".into(), "tabular/svm_crx.json".into()]),
            ("fcvopt/late", vec!["tabular/svm_ionosphere.json".into(), "tabular/svm_vehicle.json".into()]),
            (
                "fcvopt/verified",
                vec!["tabular/svm_ionosphere.json".into(), "tabular/svm_vehicle.json".into()],
            ),
        ];
        for (id, paths) in &read {
            let known: Vec<&str> =
                of_experiment(id).flat_map(|set| set.files).map(|file| file.path).collect();
            for path in paths {
                assert!(known.contains(&path.as_str()), "{id} reads {path}");
            }
        }
        for id in all().iter().flat_map(|set| set.used_by) {
            assert!(read.iter().any(|(reader, _)| reader == id), "{id} is not known to read data");
            assert!(crate::registry::find(id).is_ok(), "{id}");
        }
    }
}
