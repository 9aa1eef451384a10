/// Why trees cannot be grown or asked.
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
    /// A target that is no number.
    #[error("target {row} is {value}, expected a finite number")]
    Target {
        /// Row.
        row: usize,
        /// Its value.
        value: f64,
    },
    /// Lengths that do not fit.
    #[error("{what}: {found}, expected {expected}")]
    Length {
        /// Name of the counted quantity.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Number expected.
        expected: usize,
    },
    /// A setting that makes no sense.
    #[error("{what} is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// Trees from a file that refer to nodes or features that are not there.
    #[error("node {node} of a tree refers to what is not there")]
    Broken {
        /// Which.
        node: usize,
    },
    /// Borders of bins from a file that are not finite and rising, or too many; or no feature at all.
    #[error(
        "the borders of feature {feature} are not at most 65535 rising finite numbers, or there is no feature"
    )]
    Borders {
        /// Which.
        feature: usize,
    },
}
