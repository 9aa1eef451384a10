//! Comments that mark what is generated on a page.

use std::path::Path;

/// A mark before a generated block, which ends at the next blank line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marker {
    /// `<!-- table: FILE | COLUMN | COLUMN as HEADING, 3 digits -->`: a CSV file below `experiments/runs`, all columns without any.
    Table { file: String, columns: Vec<String> },
    /// `<!-- studies: FILE -->`: studies with the runs and verdicts of their experiments.
    Studies { file: String },
    /// `<!-- states: FILE -->`: a sentence with the number of studies by state.
    States { file: String },
    /// `<!-- run: ID -->`: a sentence with commit, seed, design and n of an experiment's run.
    Run { id: String },
}

impl Marker {
    /// The marker of a line; none where the line is anything else.
    ///
    /// # Errors
    /// What is wrong with a line that begins as a marker does.
    pub fn parse(line: &str) -> Result<Option<Self>, &'static str> {
        let Some(open) = line.trim().strip_prefix("<!--") else { return Ok(None) };
        let open = open.trim_start();
        let kinds = ["table:", "studies:", "states:", "run:"];
        let Some(kind) = kinds.into_iter().find(|kind| open.starts_with(kind)) else { return Ok(None) };
        let body = open[kind.len()..].strip_suffix("-->").ok_or("does not end with -->")?;
        let mut parts = body.split('|').map(str::trim);
        let name = parts.next().filter(|name| !name.is_empty()).ok_or("names nothing")?.to_owned();
        let columns: Vec<String> = parts.map(str::to_owned).collect();
        if columns.iter().any(String::is_empty) {
            return Err("has a column without a name");
        }
        match kind {
            "run:" if columns.is_empty() => Ok(Some(Self::Run { id: name })),
            "run:" => Err("has columns, which a run has not"),
            _ if !is_below(&name) => Err("names no .csv file below experiments/runs"),
            "studies:" if columns.is_empty() => Ok(Some(Self::Studies { file: name })),
            "studies:" => Err("has columns, which are given"),
            "states:" if columns.is_empty() => Ok(Some(Self::States { file: name })),
            "states:" => Err("has columns, which a sentence has not"),
            _ => Ok(Some(Self::Table { file: name, columns })),
        }
    }
}

/// True for relative paths without steps upwards that end in `.csv`.
fn is_below(path: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_csv = Path::new(path).extension().is_some_and(|extension| extension == "csv");
    is_csv && !path.contains('\\') && path.split('/').all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_read() {
        let table = |file: &str, columns: &[&str]| {
            let columns = columns.iter().map(ToString::to_string).collect();
            Ok(Some(Marker::Table { file: file.into(), columns }))
        };
        assert_eq!(Marker::parse("<!-- table: bo/wide/variants.csv -->"), table("bo/wide/variants.csv", &[]));
        assert_eq!(
            Marker::parse("<!--table:a.csv|n|p (Holm) as p, 3 digits-->"),
            table("a.csv", &["n", "p (Holm) as p, 3 digits"])
        );
        assert_eq!(
            Marker::parse("<!-- run: gp/posterior -->"),
            Ok(Some(Marker::Run { id: "gp/posterior".into() }))
        );
        let studies = Marker::Studies { file: "s.csv".into() };
        assert_eq!(Marker::parse("<!-- studies: s.csv -->"), Ok(Some(studies)));
        let states = Marker::States { file: "s.csv".into() };
        assert_eq!(Marker::parse("<!-- states: s.csv -->"), Ok(Some(states)));
        for other in ["", "text", "| a |", "<!-- a note -->", "<!-- tables of runs -->"] {
            assert_eq!(Marker::parse(other), Ok(None), "{other}");
        }
    }

    #[test]
    fn broken_markers_are_errors() {
        for bad in [
            "<!-- table: a.csv",
            "<!-- table: -->",
            "<!-- table: a.csv | -->",
            "<!-- table: a.txt -->",
            "<!-- table: ../a.csv -->",
            "<!-- table: /etc/a.csv -->",
            "<!-- run: gp/posterior | n -->",
            "<!-- studies: s.csv | n -->",
            "<!-- states: s.csv | n -->",
        ] {
            assert!(Marker::parse(bad).is_err(), "{bad}");
        }
    }
}
