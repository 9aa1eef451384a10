//! Versions of a library, of which runs at several times may have several.

use std::collections::BTreeMap;

/// The version of all runs, or each that occurs with its number of runs; empty where no run names one.
pub fn versions<'a>(of_runs: impl Iterator<Item = &'a str>) -> String {
    let mut counts = BTreeMap::new();
    for version in of_runs.filter(|version| !version.is_empty()) {
        *counts.entry(version).or_insert(0_usize) += 1;
    }
    if counts.len() == 1 {
        return counts.into_keys().map(str::to_owned).collect();
    }
    let each: Vec<String> = counts.iter().map(|(version, count)| format!("{version} ({count})")).collect();
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_versions_are_counted() {
        let of = |names: &[&'static str]| versions(names.iter().copied());
        assert_eq!(of(&[]), "");
        assert_eq!(of(&["", "1.0", "1.0"]), "1.0");
        assert_eq!(of(&["2.0", "1.0", "", "2.0"]), "1.0 (1), 2.0 (2)");
    }
}
