//! Faults in the form of a file.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use super::set::{Layout, TableLayout};
use super::table;

/// Faults of a file against its entry in the catalog, each named once; none where the form fits.
pub fn faults(path: &Path, layout: &Layout) -> io::Result<Vec<String>> {
    match layout {
        Layout::Table(expected) => match of_table(path, expected) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(vec![error.to_string()]),
            found => found,
        },
        Layout::Json(fields) => Ok(of_json(&std::fs::read_to_string(path)?, fields)),
        Layout::Raw => Ok(if path.metadata()?.len() == 0 { vec!["empty".into()] } else { Vec::new() }),
    }
}

fn of_table(path: &Path, expected: &TableLayout) -> io::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut columns = expected.columns;
    let (mut rows, mut ragged) = (0, None);
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    let mut header_left = expected.header;
    table::rows(path, expected.separator, |line, cells| {
        if header_left {
            header_left = false;
            let missing: Vec<&str> =
                expected.named.iter().copied().filter(|name| !cells.contains(name)).collect();
            if !missing.is_empty() {
                faults.push(format!("columns missing: {}", missing.join(", ")));
            }
        } else {
            rows += 1;
            let class = cells.last().copied().unwrap_or_default();
            if !expected.classes.is_empty() && !classes.contains_key(class) {
                classes.insert(class.to_owned(), line);
            }
        }
        let width = *columns.get_or_insert(cells.len());
        if cells.len() != width && ragged.is_none() {
            ragged = Some(format!("line {line}: {} columns, expected {width}", cells.len()));
        }
    })?;
    faults.extend(ragged);
    faults.extend(
        expected
            .rows
            .filter(|wanted| *wanted != rows)
            .map(|wanted| format!("{rows} rows, expected {wanted}")),
    );
    if expected.rows.is_none() && rows == 0 {
        faults.push("no rows".into());
    }
    faults.extend(of_classes(&classes, expected.classes));
    Ok(faults)
}

/// Classes that are too many, with the line of the first, and classes that are missing.
fn of_classes(found: &BTreeMap<String, usize>, expected: &[&str]) -> Vec<String> {
    let others = found.iter().filter(|(class, _)| !expected.contains(&class.as_str()));
    let mut faults: Vec<String> = others
        .take(3)
        .map(|(class, line)| format!("line {line}: the class {class:?} is none of {}", expected.join(", ")))
        .collect();
    let there: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    let missing: Vec<&str> = expected.iter().copied().filter(|class| !there.contains(class)).collect();
    if !missing.is_empty() {
        faults.push(format!("classes missing: {}", missing.join(", ")));
    }
    faults
}

fn of_json(text: &str, fields: &[&str]) -> Vec<String> {
    match serde_json::from_str::<BTreeMap<String, serde_json::Value>>(text) {
        Err(error) => vec![format!("no JSON object: {error}")],
        Ok(object) => {
            let missing: Vec<&str> =
                fields.iter().copied().filter(|field| !object.contains_key(*field)).collect();
            if missing.is_empty() {
                Vec::new()
            } else {
                vec![format!("fields missing: {}", missing.join(", "))]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, layout: &Layout) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, text).unwrap();
        faults(&path, layout).unwrap().join("; ")
    }

    #[test]
    fn tables_of_another_form_are_described() {
        let expected = TableLayout {
            columns: Some(3),
            rows: Some(2),
            named: &["a", "class"],
            classes: &["no", "yes"],
            ..TableLayout::CSV
        };
        let layout = Layout::Table(expected);
        let says = |text: &str| found(text, &layout);
        assert_eq!(says("a,b,class\n1,2,no\n3, 4,\"yes\"\n"), "");
        assert_eq!(says("a,b,class\n1,2,no\n3,4,no\n"), "classes missing: yes");
        assert_eq!(
            says("a,b,c\n1,2,no\n3,4,yes\n5,6,maybe\n"),
            "columns missing: class; 3 rows, expected 2; line 4: the class \"maybe\" is none of no, yes"
        );
        assert_eq!(says("a,b,class\n1,2,no\n3,yes\n"), "line 3: 2 columns, expected 3");
        assert_eq!(says(""), "0 rows, expected 2; classes missing: no, yes");
        let blanks = TableLayout { separator: b' ', header: false, columns: Some(2), ..TableLayout::CSV };
        assert_eq!(found("1  2 \n\n3 4\n", &Layout::Table(blanks)), "");
        assert_eq!(found("1 2\n3", &Layout::Table(blanks)), "line 2: 1 columns, expected 2");
        assert_eq!(found("x,y\n", &Layout::Table(TableLayout::CSV)), "no rows");
    }

    #[test]
    fn json_and_bytes_are_looked_at_too() {
        let layout = Layout::Json(&["a", "b"]);
        assert_eq!(found("{\"a\": 1, \"b\": [2]}", &layout), "");
        assert_eq!(found("{\"a\": 1}", &layout), "fields missing: b");
        assert!(found("{\"a\": 1", &layout).starts_with("no JSON object"));
        assert_eq!((found("", &Layout::Raw), found("x", &Layout::Raw)), ("empty".into(), String::new()));
    }
}
