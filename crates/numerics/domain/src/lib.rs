//! Points and the domains that they come from.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Points`] is a list of n points of dimension d, each a contiguous `&[f64]`; [`PointsRef`] borrows one.
//! [`Domain`] describes the columns of the unit cube `[0, 1]^d`, so that models and maximisers can
//! handle stepped, categorical and conditional inputs without ever seeing a configuration.

mod domain;
mod enumeration;
mod error;
mod points;
mod variable;

pub use domain::Domain;
pub use error::DomainError;
pub use points::{Points, PointsRef};
pub use variable::{Condition, FILLER, Spacing, Variable, VariableKind};
