//! Kernels made of other kernels.

mod conditional;
mod factors;
mod group_correlation;
mod hierarchical;
mod member_code;
mod on_columns;
mod operators;
mod pair;
mod product;
mod scaled;
mod sum;
mod warped;

pub use conditional::Conditional;
pub(crate) use factors::Factors;
pub use hierarchical::Hierarchical;
pub use member_code::MemberCode;
pub use on_columns::OnColumns;
pub use product::Product;
pub use scaled::Scaled;
pub use sum::Sum;
pub use warped::Warped;
