//! Search spaces: parameters, conditions between them, configurations, and their encoding in the unit cube.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Space`] is data: build it with [`Space::builder`] or read it with serde. It provides a [`Domain`](thrifty_domain::Domain), so models
//! and maximisers never use configurations. [`Space::encode`] and [`Space::decode`] convert between configurations and points.

mod axis;
mod builder;
mod config;
mod encoding;
mod error;
mod fixed;
mod given;
mod known_constraint;
mod parameter;
mod space;
mod value;

pub use builder::SpaceBuilder;
pub use config::Config;
pub use error::SpaceError;
pub use known_constraint::KnownConstraint;
pub use parameter::{Kind, Parameter, When};
pub use space::Space;
pub use value::Value;
