//! Entries of the catalog: a set, its files, where each is from and what it looks like.

use std::io::{self, Write};

/// A data set under the name by which the book and the commands call it.
#[derive(Debug)]
pub struct DataSet {
    pub name: &'static str,
    /// Content, in one line.
    pub what: &'static str,
    /// Publication or collection that it belongs to.
    pub source: &'static str,
    pub licence: &'static str,
    /// Experiments that read it.
    pub used_by: &'static [&'static str],
    pub files: &'static [DataFile],
}

/// A file of a data set, as experiments read it.
#[derive(Debug)]
pub struct DataFile {
    /// Path below the data folder.
    pub path: &'static str,
    /// Length in bytes, where the file is at hand.
    pub bytes: Option<u64>,
    /// SHA-256 of the file as experiments read it; unknown where nobody could fetch it.
    pub sha256: Option<&'static str>,
    pub origin: Origin,
    pub layout: Layout,
}

/// Origin of a file.
#[derive(Debug)]
pub enum Origin {
    /// Download from an address.
    Address { address: Address, conversion: Conversion },
    /// Download of an ARFF file whose address is in the description of a set of `OpenML`.
    OpenMl { id: u32 },
    /// Download by hand, because the page asks for an account.
    ByHand { page: &'static str, conversion: Conversion },
    /// Text of the recipe's rows.
    Made(fn(&mut dyn Write) -> io::Result<()>),
    /// Result of a computation, or a copy without a recorded address, with directions.
    Elsewhere { how: &'static str },
}

/// Address of a file.
#[derive(Debug)]
pub struct Address {
    pub url: &'static str,
    /// True if the file was fetched from there and had the sum of the catalog; `list` marks the others as unchecked.
    pub checked: bool,
}

/// Conversion of a download to the file that experiments read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Conversion {
    /// None: the bytes stay as they are.
    AsIs,
    /// Decompression of gzip.
    Gunzip,
    /// Attribute-relation file to CSV with a header.
    Arff,
    /// Cells between blanks or commas, joined anew.
    Cells {
        header: Option<&'static str>,
        joint: &'static str,
        /// True if the last line ends in a line feed.
        closed: bool,
    },
    /// Folder of `NumPy` archives, one for each function and design, to one JSON file.
    Designs,
}

/// Form of a file, by which `check` names what is wrong with another version.
#[derive(Debug, Clone, Copy)]
pub enum Layout {
    /// Rows of cells.
    Table(TableLayout),
    /// A JSON object with these fields.
    Json(&'static [&'static str]),
    /// Bytes.
    Raw,
}

/// Form of a table.
#[derive(Debug, Clone, Copy)]
pub struct TableLayout {
    /// Byte between cells.
    pub separator: u8,
    /// True if the first line names the columns.
    pub header: bool,
    /// Number of columns; that of the first line where unknown.
    pub columns: Option<usize>,
    /// Number of rows without the header, where known.
    pub rows: Option<usize>,
    /// Names that the header must have.
    pub named: &'static [&'static str],
    /// All classes of the last column; empty where it holds something else.
    pub classes: &'static [&'static str],
}

impl TableLayout {
    /// A comma-separated table of which nothing is known but that it has a header.
    pub const CSV: Self =
        Self { separator: b',', header: true, columns: None, rows: None, named: &[], classes: &[] };
}

impl Origin {
    /// The conversion of what is downloaded.
    pub fn conversion(&self) -> Conversion {
        match self {
            Self::Address { conversion, .. } | Self::ByHand { conversion, .. } => *conversion,
            Self::OpenMl { .. } => Conversion::Arff,
            Self::Made(_) | Self::Elsewhere { .. } => Conversion::AsIs,
        }
    }
}
