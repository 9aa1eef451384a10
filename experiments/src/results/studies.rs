//! Numbers of studies by state, as a sentence.

use super::error::TableError;
use super::files::Sheet;

const STATES: [(&str, [&str; 2]); 4] = [
    ("whole", ["study is whole", "studies are whole"]),
    ("substitute", ["stands on a substitute", "stand on a substitute"]),
    ("part", ["is there in part", "are there in part"]),
    ("missing", ["is missing", "are missing"]),
];

/// The sentence over the column `state`.
///
/// # Errors
/// [`TableError`] where the column is not there or has a state that nobody defined.
pub fn sentence(sheet: &Sheet) -> Result<String, TableError> {
    let at = sheet.column("state")?;
    let unknown = |row: &&Vec<String>| !STATES.iter().any(|(state, _)| *state == row[at]);
    if let Some(row) = sheet.rows.iter().find(unknown) {
        return Err(TableError::UnknownState { state: row[at].clone() });
    }
    let parts: Vec<String> = STATES
        .iter()
        .map(|(state, [one, many])| {
            let count = sheet.rows.iter().filter(|row| row[at] == *state).count();
            format!("{count} {}", if count == 1 { one } else { many })
        })
        .collect();
    let (last, others) = parts.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    Ok(format!("So {}, and {last}.", others.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studies_are_counted() {
        let sheet = Sheet::parse(b"study,state\na,whole\nb,part\nc,part\nd,substitute\n").unwrap();
        let expected =
            "So 1 study is whole, 1 stands on a substitute, 2 are there in part, and 0 are missing.";
        assert_eq!(sentence(&sheet).unwrap(), expected);
        let sheet = Sheet::parse(b"study,state\na,half\n").unwrap();
        assert_eq!(sentence(&sheet).unwrap_err(), TableError::UnknownState { state: "half".into() });
    }
}
