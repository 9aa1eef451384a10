/// Why a hierarchical process could not be learnt.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HgpError {
    /// Points and folds of different number.
    #[error("{folds} folds for {points} points")]
    FoldCount {
        /// Number of points.
        points: usize,
        /// Number of folds.
        folds: usize,
    },
    /// A point of another dimension.
    #[error("points have {found} coordinates, expected {expected}")]
    Dimension {
        /// Dimension that the model expects.
        expected: usize,
        /// Dimension of the given points.
        found: usize,
    },
    /// The mean over no folds.
    #[error("a mean over no folds")]
    NoFolds,
    /// The process below: data that are not finite, a setting out of range, or numerical breakdown.
    #[error(transparent)]
    Gp(#[from] thrifty_gp::GpError),
    /// Censored losses: a bound that is not finite, or contradicts the values.
    #[error(transparent)]
    Censored(#[from] thrifty_censored::CensoredError),
    /// Hyperparameters that make no sense.
    #[error(transparent)]
    Kernel(#[from] thrifty_kernel::KernelError),
}
