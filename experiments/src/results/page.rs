//! One page: its marked blocks written anew, and its tables without a mark.

use super::claims::Claims;
use super::error::{ResultsError, TableError};
use super::files::{Root, Sheet};
use super::marker::Marker;
use super::prose::BY_HAND;
use super::selection::select;
use super::studies;

/// A page as the CSV files have it.
#[derive(Debug)]
pub struct Built {
    pub text: String,
    pub blocks: Vec<Block>,
    /// Lines, from 1, where a table begins that is neither marked nor on the list of tables by hand.
    pub unmarked: Vec<usize>,
}

/// A generated block.
#[derive(Debug)]
pub struct Block {
    pub marker: Marker,
    /// The first line of the page that differs from the block as it is built.
    pub differs: Option<usize>,
}

/// Builds a page.
///
/// # Errors
/// [`ResultsError`] with page and line where a marker or the CSV file that it names is not usable.
pub fn build(root: &Root, claims: &Claims, name: &str, text: &str) -> Result<Built, ResultsError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut built =
        Built { text: String::with_capacity(text.len()), blocks: Vec::new(), unmarked: Vec::new() };
    let (mut at, mut in_code, mut in_table) = (0, false, false);
    while at < lines.len() {
        let line = lines[at];
        push(&mut built.text, line);
        at += 1;
        in_code ^= line.trim_start().starts_with("```");
        if in_code {
            continue;
        }
        let is_row = line.starts_with('|');
        if is_row && !in_table && !BY_HAND.contains(&(name, line)) {
            built.unmarked.push(at);
        }
        in_table = is_row;
        let fault = |fault| ResultsError::Marker { page: name.into(), line: at, marker: line.into(), fault };
        let Some(marker) = Marker::parse(line).map_err(fault)? else { continue };
        let length = lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
        let old = &lines[at..at + length];
        let new = block(root, claims, (name, at), &marker, old)?;
        let same = old.iter().zip(&new).take_while(|(old, new)| *old == *new).count();
        let differs = (same < old.len().max(new.len())).then_some(at + same + 1);
        built.blocks.push(Block { marker, differs });
        new.iter().for_each(|line| push(&mut built.text, line));
        at += length;
    }
    Ok(built)
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Lines of a block; `old` are those that the page has.
fn block(
    root: &Root,
    claims: &Claims,
    (page, line): (&str, usize),
    marker: &Marker,
    old: &[&str],
) -> Result<Vec<String>, ResultsError> {
    let fault = |file: &str, fault| ResultsError::Table { page: page.into(), line, file: file.into(), fault };
    match marker {
        Marker::Table { file, columns } => {
            if let Some(at) = old.iter().position(|line| !line.starts_with('|')) {
                return Err(ResultsError::Crowded {
                    page: page.into(),
                    line: line + at + 1,
                    text: old[at].into(),
                });
            }
            let sheet = Sheet::read(&root.runs().join(file)).and_then(|sheet| select(&sheet, columns));
            sheet.and_then(|sheet| table(&sheet, old.get(1).copied())).map_err(|error| fault(file, error))
        }
        Marker::Studies { file } => {
            let sheet =
                Sheet::read(&root.runs().join(file)).and_then(|sheet| studies::outcomes(&sheet, claims));
            sheet.and_then(|sheet| table(&sheet, old.get(1).copied())).map_err(|error| fault(file, error))
        }
        Marker::States { file } => {
            let sentence = Sheet::read(&root.runs().join(file)).and_then(|sheet| studies::sentence(&sheet));
            sentence.map(|sentence| vec![sentence]).map_err(|error| fault(file, error))
        }
        Marker::Run { id } => match claims.run(id) {
            Some(sentence) => Ok(vec![sentence]),
            None => Err(ResultsError::NoRun { page: page.into(), line, id: id.clone() }),
        },
    }
}

/// Lines of a table. The line of dashes is that of the page, which aligns columns, where it has as many of them.
pub fn table(sheet: &Sheet, dashes: Option<&str>) -> Result<Vec<String>, TableError> {
    let width = sheet.header.len();
    let fits = |line: &&str| {
        line.matches('|').count() == width + 1 && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
    };
    let dashes = dashes.filter(fits).map_or_else(|| format!("|{}", "---|".repeat(width)), str::to_owned);
    let mut lines = vec![row(&sheet.header)?, dashes];
    for cells in &sheet.rows {
        lines.push(row(cells)?);
    }
    Ok(lines)
}

fn row(cells: &[String]) -> Result<String, TableError> {
    let mut line = "|".to_owned();
    for cell in cells {
        if cell.contains(['\n', '\r']) {
            return Err(TableError::LineBreak { cell: cell.clone() });
        }
        if !cell.is_empty() {
            line += &format!(" {}", cell.replace('|', "\\|"));
        }
        line += " |";
    }
    Ok(line)
}
