//! BibTeX of the sources, from the table of references of the book, and of Thrifty.

use crate::error::ExperimentError;

const REFERENCES: &str = include_str!("../../docs/src/references.md");
const CITATION: &str = include_str!("../../CITATION.cff");

/// Sources of the experiments by the first part of their ids.
const GROUPS: [(&str, &[&str]); 12] = [
    ("acquisition", &["jones1998", "ament2023"]),
    ("autobct", &["cironis2022"]),
    ("bench", &["death2021", "hansen2009"]),
    ("bo", &["snoek2012", "shahriari2016"]),
    ("caligo", &["caligonotes"]),
    ("fcvopt", &["yerramilli2025"]),
    ("gp", &["rasmussen2006", "caligonotes"]),
    ("hybrid", &["brofos2014", "death2021"]),
    ("levelset", &["bryan2005", "gotovos2013", "chevalier2014"]),
    ("pareto", &["yang2019", "daulton2020"]),
    ("study", &["golovin2017"]),
    ("tpe", &["bergstra2011", "bergstra2013", "nnpdfscan"]),
];

/// A row of the table of references.
#[derive(Debug, PartialEq)]
struct Source<'a> {
    key: &'a str,
    authors: &'a str,
    year: &'a str,
    title: &'a str,
    /// Journal, proceedings, publisher or archive.
    place: &'a str,
}

/// BibTeX of the sources of `id`, which is a key, an experiment or a group of them, and of Thrifty.
pub fn bibtex(id: &str) -> Result<String, ExperimentError> {
    let group = id.split('/').next().unwrap_or(id);
    let is_group = id == group || crate::registry::find(id).is_ok();
    let keys = GROUPS.iter().find(|(name, _)| is_group && *name == group).map(|(_, keys)| keys.to_vec());
    let sources: Vec<Source<'_>> = keys.unwrap_or_else(|| vec![id]).into_iter().filter_map(source).collect();
    if sources.is_empty() {
        return Err(ExperimentError::UnknownSource { id: id.into() });
    }
    Ok(sources.iter().map(entry).chain([thrifty()]).collect())
}

/// The row with a key.
fn source(key: &str) -> Option<Source<'static>> {
    REFERENCES.lines().filter_map(row).find(|source| source.key == key)
}

/// A row as `| key | authors (year). Title. Place. |`.
fn row(line: &str) -> Option<Source<'_>> {
    let (key, text) = line.strip_prefix("| `")?.split_once("` | ")?;
    let (head, text) = text.strip_suffix(" |")?.split_once("). ")?;
    let (before, year) = head.rsplit_once(" (")?;
    // A manuscript without authors has its title in their place.
    let (authors, title, place) = if year == "undated" {
        ("", before, text)
    } else {
        let (title, place) = text.split_once(". ")?;
        (before, title, place)
    };
    Some(Source { key, authors, year, title, place: place.trim_end_matches('.') })
}

/// One entry. Titles keep their capitals by a second pair of braces.
fn entry(source: &Source<'_>) -> String {
    let Source { key, authors, year, title, place } = source;
    let (place, doi) = place.split_once("; doi ").map_or((*place, None), |(place, doi)| (place, Some(doi)));
    let (kind, field) = if place.starts_with("Proceedings of")
        || place.starts_with("Advances in")
        || place.contains("Workshop")
    {
        ("inproceedings", "booktitle")
    } else if place.ends_with(|c: char| c.is_ascii_digit() || c == ')') && !place.starts_with("arXiv")
        || doi.is_some()
    {
        ("article", "journal")
    } else {
        ("misc", "howpublished")
    };
    let authors = authors.replace(" & ", " and ").replace(", ", " and ");
    let mut fields = vec![("title", format!("{{{title}}}")), (field, place.into())];
    if !authors.is_empty() {
        fields.insert(0, ("author", authors));
    }
    if year.bytes().all(|c| c.is_ascii_digit()) {
        fields.push(("year", (*year).into()));
    }
    fields.extend(doi.map(|doi| ("doi", doi.into())));
    written(kind, key, &fields)
}

/// Entry of Thrifty by its citation file.
fn thrifty() -> String {
    let value = |key: &str| {
        let line = CITATION.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("");
        line.trim().trim_matches('"').to_owned()
    };
    let fields = [
        ("author", format!("{{{}}}", value("  - name:"))),
        ("title", format!("{{{}}}", value("title:"))),
        ("version", value("version:")),
        ("year", value("date-released:").chars().take(4).collect()),
    ];
    written("software", "thrifty", &fields)
}

fn written(kind: &str, key: &str, fields: &[(&str, String)]) -> String {
    let lines: Vec<String> =
        fields.iter().map(|(name, value)| format!("  {name} = {{{}}}", escaped(value))).collect();
    format!("@{kind}{{{key},\n{}\n}}\n\n", lines.join(",\n"))
}

/// Characters that TeX takes for its own.
fn escaped(value: &str) -> String {
    value.replace('&', "\\&").replace('%', "\\%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_every_field() {
        let found = bibtex("yerramilli2025").unwrap();
        let expected = "@article{yerramilli2025,\n  author = {S. Yerramilli and D. Apley},\n  title = {{Fractional \
                        cross-validation for optimizing hyperparameters of supervised learning algorithms}},\n  journal = \
                        {Technometrics},\n  year = {2025},\n  doi = {10.1080/00401706.2025.2515926}\n}\n\n";
        assert!(found.starts_with(expected), "{found}");
        assert!(found.contains("@software{thrifty,\n  author = {{The Thrifty developers}},\n"), "{found}");
        assert!(
            found.contains(&format!("  version = {{{}}},\n  year = {{20", env!("CARGO_PKG_VERSION"))),
            "{found}"
        );
    }

    #[test]
    fn every_row_of_the_references_is_read() {
        let rows: Vec<&str> = REFERENCES.lines().filter(|line| line.starts_with("| `")).collect();
        assert!(rows.len() > 70);
        for line in rows {
            let found = row(line).unwrap_or_else(|| panic!("{line}"));
            assert!(!found.title.is_empty() && !found.place.is_empty(), "{found:?}");
            assert!(found.authors.is_empty() == (found.year == "undated"), "{found:?}");
            let text = entry(&found);
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
        }
    }

    #[test]
    fn every_experiment_has_sources_that_exist() {
        for (group, keys) in GROUPS {
            assert!(keys.iter().all(|key| source(key).is_some()), "{group}: {keys:?}");
        }
        for experiment in crate::registry::all() {
            let found = bibtex(experiment.id).unwrap();
            assert!(found.matches('@').count() >= 2, "{found}");
        }
    }

    #[test]
    fn unknown_names_are_errors() {
        for id in ["nobody2001", "", "fcvopt/nothing"] {
            assert!(matches!(bibtex(id), Err(ExperimentError::UnknownSource { .. })), "{id}");
        }
    }
}
