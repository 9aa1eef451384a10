//! Known constraints: restrictions on suggestions that need no evaluation.

use std::fmt;

use crate::{Config, Space};

/// A known constraint on configurations; without one every configuration is allowed.
///
/// ```
/// use thrifty_space::{KnownConstraint, Space};
/// let space = Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build()?;
/// let constraint = KnownConstraint::new(|config| {
///     config.float("x").unwrap_or(0.0) + config.float("y").unwrap_or(0.0) <= 1.0
/// });
/// assert!(constraint.allows_point(&space, &[0.2, 0.7]));
/// assert!(!constraint.allows_point(&space, &[0.4, 0.7]));
/// # Ok::<(), thrifty_space::SpaceError>(())
/// ```
#[derive(Default)]
pub struct KnownConstraint(Option<Box<dyn Fn(&Config) -> bool + Send + Sync>>);

impl KnownConstraint {
    /// A constraint: true for configurations that may be suggested.
    #[must_use]
    pub fn new(allowed: impl Fn(&Config) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(allowed)))
    }

    /// True if everything is allowed.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// True if there is a constraint.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// True if a configuration is allowed.
    #[must_use]
    pub fn allows(&self, config: &Config) -> bool {
        self.0.as_ref().is_none_or(|allowed| allowed(config))
    }

    /// True if the configuration at a point of the unit cube is allowed.
    #[must_use]
    pub fn allows_point(&self, space: &Space, x: &[f64]) -> bool {
        self.0.as_ref().is_none_or(|allowed| allowed(&space.decode(x)))
    }
}

impl fmt::Debug for KnownConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_none() { "KnownConstraint(none)" } else { "KnownConstraint(..)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_constraint_forbids() {
        let space = Space::builder().float("x", 0.0, 2.0).build().unwrap();
        let (free, bound) = (
            KnownConstraint::default(),
            KnownConstraint::new(|config| config.float("x").is_ok_and(|x| x < 1.0)),
        );
        assert!(free.is_none() && !free.is_some() && bound.is_some() && !bound.is_none());
        assert_eq!(format!("{free:?} {bound:?}"), "KnownConstraint(none) KnownConstraint(..)");
        for (u, allowed) in [(0.4, true), (0.6, false)] {
            assert!(free.allows_point(&space, &[u]) && free.allows(&space.decode(&[u])));
            assert_eq!(bound.allows_point(&space, &[u]), allowed);
            assert_eq!(bound.allows(&space.decode(&[u])), allowed);
        }
    }
}
