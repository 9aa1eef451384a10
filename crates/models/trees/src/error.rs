//! Errors of trees.

use thrifty_check::InputError;

/// Error of growing, reading or evaluating trees.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TreesError {
    /// A feature that is no number.
    #[error("feature {column} of row {row} is {value}, expected a finite number")]
    Feature {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Its value.
        value: f32,
    },
    /// Targets, lengths or settings that make no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Trees from a file that refer to nodes or features that are not there.
    #[error("node {node} of a tree refers to what is not there")]
    Broken {
        /// Index of the node.
        node: usize,
    },
    /// Borders of bins from a file that are not finite and rising, or too many; or no feature at all.
    #[error(
        "the borders of feature {feature} are not at most 65535 rising finite numbers, or there is no feature"
    )]
    Borders {
        /// Index of the feature.
        feature: usize,
    },
    /// A distribution of a feature that gives no bin a probability: an interval without width, no values, or numbers that are not
    /// finite.
    #[error(
        "the distribution of feature {column} is no interval of positive width and no list of finite numbers"
    )]
    Distribution {
        /// Index of the feature.
        column: usize,
    },
    /// A forest that does not vary over the distribution of its features: it has no variance to be shared out.
    #[error("no tree of the forest varies over the features")]
    Constant,
}
