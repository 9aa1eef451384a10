//! Outcomes of the families of a file.

use serde_json::Value;

use crate::line::{Family, Line};

/// Lines of a file, and what was not compared.
#[derive(Debug, Default)]
pub struct Findings {
    /// One line per family.
    pub lines: Vec<Line>,
    /// Sections that are not in the file, or that this build has nothing to compare with, and why.
    pub skipped: Vec<String>,
}

impl Findings {
    /// Adds families that have cases.
    pub(crate) fn extend(&mut self, families: impl IntoIterator<Item = Family>) {
        self.lines.extend(families.into_iter().filter(|family| family.cases > 0).map(Family::line));
    }

    /// A section of a file; one that is not there is named.
    pub(crate) fn section<'v>(&mut self, file: &'v Value, name: &str) -> Option<&'v Value> {
        let section = file.get(name).filter(|section| !section.is_null());
        if section.is_none() {
            self.skipped.push(format!("{name}: not in the file"));
        }
        section
    }

    /// A kernel, prior, function or the like that the file names and this build does not know: a failure.
    pub(crate) fn unknown(&mut self, what: impl Into<String>) {
        let family = format!("{}: not known to this build", what.into());
        if self.lines.iter().all(|line| line.family != family) {
            let mut unknown = Family::new(family, 0.0);
            unknown.add(f64::INFINITY);
            self.extend([unknown]);
        }
    }

    /// Names the sections of a file that nothing compares.
    pub(crate) fn name_others(&mut self, file: &Value, known: &[&str]) {
        for key in file.as_object().into_iter().flat_map(|object| object.keys()) {
            if !known.contains(&key.as_str()) {
                self.skipped.push(format!("{key}: nothing in this build to compare with"));
            }
        }
    }
}
