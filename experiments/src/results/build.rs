//! All pages: written anew, or compared with what is there.

use std::fmt;

use super::claims::{self, Claims};
use super::error::ResultsError;
use super::files::{Root, write_whole};
use super::marker::Marker;
use super::page;
use crate::harness::Experiment;

/// A place where a page is not what the CSV files make of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Difference {
    /// A generated line differs from its CSV file.
    Block { page: String, line: usize, source: String },
    /// A table without a mark.
    Unmarked { page: String, line: usize },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block { page, line, source } => {
                write!(f, "{page}:{line}: differs from {source}; `results build` writes it anew")
            }
            Self::Unmarked { page, line } => {
                write!(
                    f,
                    "{page}:{line}: a table without a marker; `<!-- table: FILE.csv -->` before it names one"
                )
            }
        }
    }
}

/// A page as it is and as it is built.
pub struct Page {
    pub name: String,
    pub old: String,
    pub new: String,
}

/// Builds all pages in memory, and finds where they differ.
///
/// # Errors
/// [`ResultsError`] for the first marker or CSV file that is not usable.
pub fn build(root: &Root, experiments: &[Experiment]) -> Result<(Vec<Page>, Vec<Difference>), ResultsError> {
    let claims = Claims::read(root)?;
    let (mut pages, mut differences) = (Vec::new(), Vec::new());
    let new = claims.page(experiments)?;
    let mut old = String::new();
    for (name, text) in root.read_pages()? {
        if name == claims::PAGE {
            old = text;
            continue;
        }
        let built = page::build(root, &claims, &name, &text)?;
        for block in &built.blocks {
            if let Some(line) = block.differs {
                let source = match &block.marker {
                    Marker::Table { file, .. } | Marker::Studies { file } | Marker::States { file } => {
                        format!("experiments/runs/{file}")
                    }
                    Marker::Run { .. } => "experiments/runs/claims.csv".into(),
                };
                differences.push(Difference::Block { page: name.clone(), line, source });
            }
        }
        let unmarked = |line: &usize| Difference::Unmarked { page: name.clone(), line: *line };
        differences.extend(built.unmarked.iter().map(unmarked));
        pages.push(Page { name, old: text, new: built.text });
    }
    if old != new {
        let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
        let (page, source) = (claims::PAGE.into(), "experiments/runs/claims.csv".into());
        differences.push(Difference::Block { page, line: same + 1, source });
    }
    pages.push(Page { name: claims::PAGE.into(), old, new });
    Ok((pages, differences))
}

/// Writes the pages that have changed, and returns their names.
pub fn write(root: &Root, pages: &[Page]) -> Result<Vec<String>, ResultsError> {
    let mut written = Vec::new();
    for page in pages.iter().filter(|page| page.old != page.new) {
        write_whole(&root.pages().join(&page.name), page.new.as_bytes())?;
        written.push(page.name.clone());
    }
    Ok(written)
}
