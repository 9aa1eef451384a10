//! Data sets: the catalog, the folder, downloads, conversion, checks.

mod accepted;
mod catalog;
mod check;
pub mod command;
mod convert;
mod error;
mod files;
mod folder;
mod get;
mod layout;
mod list;
mod set;
pub mod sources;
mod sum;
mod table;
mod transfer;

pub use catalog::{all, find, of_experiment};
pub use check::warnings;
pub use error::DataError;
pub use files::{file, identity, identity_of, read, required};
pub use folder::Folder;
