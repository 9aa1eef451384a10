//! Points and the domains that they come from.
//!
//! [`Points`] is a list of n points of dimension d, each a contiguous `&[f64]`; [`PointsRef`] borrows one.
//! [`Domain`] describes the columns of the unit cube `[0, 1]^d`, so that models and maximisers can
//! handle stepped, categorical and conditional inputs without ever seeing a configuration.
//!
//! ```
//! use thrifty_domain::{Domain, Points, Variable};
//! let domain = Domain::new(vec![Variable::continuous(), Variable::one_hot(3)])?;
//! let mut x = vec![0.2, 0.4, 0.9, 0.1];
//! domain.snap(&mut x);
//! assert_eq!(x, [0.2, 0.0, 1.0, 0.0]);
//! let points = Points::from_rows(&[x])?;
//! assert_eq!((points.len(), points.dim()), (1, 4));
//! # Ok::<(), thrifty_domain::DomainError>(())
//! ```

mod domain;
mod enumeration;
mod error;
mod points;
mod variable;

pub use domain::Domain;
pub use error::DomainError;
pub use points::{Points, PointsRef};
pub use variable::{Condition, FILLER, Spacing, Variable, VariableKind};
