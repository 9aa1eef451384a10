//! Search spaces: parameters, conditions between them, configurations, and their encoding in the unit cube.
//!
//! A [`Space`] is data: build it with [`Space::builder`] or read it with serde. It lowers itself to a
//! [`Domain`](thrifty_domain::Domain), so that models and maximisers never see a configuration, and maps
//! configurations there and back: [`Space::encode`], [`Space::decode`].
//!
//! ```
//! use thrifty_space::Space;
//! let space = Space::builder()
//!     .log_float("learning rate", 1e-5, 1e-1)
//!     .int("layers", 1, 8)
//!     .categorical("optimizer", ["sgd", "adam"])
//!     .float("momentum", 0.0, 0.99)
//!     .when("optimizer", ["sgd"])
//!     .build()?;
//! let config = space.decode(&vec![0.5; space.dim()]);
//! assert_eq!(config.int("layers")?, 5);
//! assert_eq!(space.decode(&space.encode(&config)?), config);
//! # Ok::<(), thrifty_space::SpaceError>(())
//! ```

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
