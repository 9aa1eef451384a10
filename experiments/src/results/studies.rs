//! Studies of the sources: what their experiments came to, and how many are in which state.

use super::claims::{Claims, Line};
use super::error::TableError;
use super::files::Sheet;

const STATES: [(&str, [&str; 2]); 4] = [
    ("whole", ["study is whole", "studies are whole"]),
    ("substitute", ["stands on a substitute", "stand on a substitute"]),
    ("part", ["is there in part", "are there in part"]),
    ("missing", ["is missing", "are missing"]),
];

/// The studies, with command, n and verdict of the run of each experiment in place of its name.
///
/// # Errors
/// [`TableError`] where there is no column `experiment`, or an experiment in it is unknown.
pub fn outcomes(studies: &Sheet, claims: &Claims) -> Result<Sheet, TableError> {
    let at = studies.column("experiment")?;
    let place = |cells: &[String], new: [String; 3]| -> Vec<String> {
        cells[..at].iter().cloned().chain(new).chain(cells[at + 1..].iter().cloned()).collect()
    };
    let header = place(&studies.header, ["command", "n", "verdict"].map(str::to_owned));
    let row = |cells: &Vec<String>| {
        let mut lines = Vec::new();
        for id in cells[at].split(", ").map(|id| id.trim_matches('`')) {
            lines.push(claims.find(id).ok_or_else(|| TableError::UnknownExperiment { id: id.to_owned() })?);
        }
        // Lines of a cell belong together; one that is empty keeps its place.
        let column =
            |of: fn(&Line) -> String| lines.iter().map(|line| of(line)).collect::<Vec<_>>().join("<br>");
        Ok(place(cells, [column(command), column(|line| dash(&line.n)), column(|line| dash(&line.verdict))]))
    };
    Ok(Sheet { header, rows: studies.rows.iter().map(row).collect::<Result<_, _>>()? })
}

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

/// The command of a run; where there was none, that of the whole design.
fn command(line: &Line) -> String {
    let Line { experiment, command, .. } = line;
    if command.is_empty() { format!("`run {experiment} --full`") } else { format!("`{command}`") }
}

fn dash(text: &str) -> String {
    if text.is_empty() { "–" } else { text }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studies_have_the_outcomes_of_their_experiments() {
        let mut claims = Claims::default();
        let line = |experiment: &str, n: &str, verdict: &str, command: &str| Line {
            experiment: experiment.into(),
            n: n.into(),
            verdict: verdict.into(),
            command: command.into(),
            ..Line::default()
        };
        claims.set(line("a/b", "30", "holds", "run a/b --full --seed 1"));
        claims.set(line("a/c", "", "", ""));
        let sheet =
            Sheet::parse(b"study,experiment,state\nx,\"`a/b`, `a/c`\",whole\ny,`a/c`,part\n").unwrap();
        let found = outcomes(&sheet, &claims).unwrap();
        assert_eq!(found.header, ["study", "command", "n", "verdict", "state"]);
        let two = ["x", "`run a/b --full --seed 1`<br>`run a/c --full`", "30<br>–", "holds<br>–", "whole"];
        assert_eq!(found.rows, [two, ["y", "`run a/c --full`", "–", "–", "part"]]);
        let sheet = Sheet::parse(b"study,experiment\nx,`a/d`\n").unwrap();
        assert_eq!(
            outcomes(&sheet, &claims).unwrap_err(),
            TableError::UnknownExperiment { id: "a/d".into() }
        );
    }

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
