//! Sums and products in files.

/// The two parts of a sum or product, as they are in a file.
#[derive(serde::Deserialize)]
pub(super) struct Pair<A, B> {
    pub(super) left: A,
    pub(super) right: B,
}
