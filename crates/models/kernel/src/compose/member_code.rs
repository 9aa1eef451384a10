//! Column codes of a hierarchical process.

/// Function of a hierarchical process that a point belongs to, by the number in the last column of the point.
///
/// ```
/// use thrifty_kernel::MemberCode;
/// assert_eq!(MemberCode::Member(3).column(), 3.0);
/// assert_eq!(MemberCode::Common.column(), -1.0);
/// assert_eq!(MemberCode::MeanOf(5).column(), -5.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberCode {
    /// The common function: -1.
    Common,
    /// The member of this number, counted from 0.
    Member(usize),
    /// The mean of the members 0 to `count - 1`, of which there are at least two: `-count`.
    MeanOf(usize),
}

impl MemberCode {
    /// The number in the last column.
    ///
    /// # Panics
    /// For the mean of fewer than two members: the mean of one is that member.
    #[must_use]
    pub const fn column(self) -> f64 {
        match self {
            Self::Common => -1.0,
            Self::Member(member) => member as f64,
            Self::MeanOf(count) => {
                assert!(count >= 2, "a mean of fewer than two members");
                -(count as f64)
            }
        }
    }
}

/// True for the column of a mean of members.
pub(super) fn is_mean(column: f64) -> bool {
    column <= -2.0
}

/// True for the column of the common function.
pub(super) fn is_common(column: f64) -> bool {
    column < 0.0 && !is_mean(column)
}
