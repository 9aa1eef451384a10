//! Censoring limits of responses.

use thrifty_check::{InputError, number};

use crate::Response;

/// Censoring limits: a response at or beyond a limit is a bound, not a value.
///
/// A floor is the detection limit of an instrument, or a loss that cannot be distinguished from its least value. A ceiling is the loss at
/// which a training is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Smallest response that is observed as a value; `None` for no floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// Largest response that is observed as a value; `None` for no ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<f64>,
}

impl Limits {
    /// Limits that censor responses at or below a floor.
    #[must_use]
    pub fn above(floor: f64) -> Self {
        Self { floor: Some(floor), ceiling: None }
    }

    /// Limits that censor responses at or above a ceiling.
    #[must_use]
    pub fn below(ceiling: f64) -> Self {
        Self { floor: None, ceiling: Some(ceiling) }
    }

    /// True if there is no limit.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.floor.is_none() && self.ceiling.is_none()
    }

    /// Response from an observed number.
    #[must_use]
    pub fn response(self, y: f64) -> Response {
        match (self.floor, self.ceiling) {
            (Some(floor), _) if y <= floor => Response::AtMost(floor),
            (_, Some(ceiling)) if y >= ceiling => Response::AtLeast(ceiling),
            _ => Response::Value(y),
        }
    }

    /// True if a number is a bound under these limits.
    #[must_use]
    pub fn censors(self, y: f64) -> bool {
        !matches!(self.response(y), Response::Value(_))
    }

    /// Checks that the limits are finite and the floor is below the ceiling.
    ///
    /// # Errors
    /// [`InputError::Number`] names the limit.
    pub fn validate(self) -> Result<(), InputError> {
        for (name, limit) in [("floor", self.floor), ("ceiling", self.ceiling)] {
            if let Some(value) = limit {
                number(name, value, true, "a finite number")?;
            }
        }
        if let (Some(floor), Some(ceiling)) = (self.floor, self.ceiling) {
            number("ceiling", ceiling, floor < ceiling, "a number above the floor")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_and_beyond_a_limit_are_bounds() {
        let both = Limits { floor: Some(-1.0), ceiling: Some(2.0) };
        for (y, response) in [
            (-3.0, Response::AtMost(-1.0)),
            (-1.0, Response::AtMost(-1.0)),
            (-0.99, Response::Value(-0.99)),
            (1.99, Response::Value(1.99)),
            (2.0, Response::AtLeast(2.0)),
            (1e300, Response::AtLeast(2.0)),
        ] {
            assert_eq!(both.response(y), response);
            assert_eq!(both.censors(y), !matches!(response, Response::Value(_)));
        }
        assert_eq!(Limits::default().response(1e300), Response::Value(1e300));
        assert!(Limits::default().is_none() && !both.is_none());
        assert!(!Limits::above(0.0).is_none() && !Limits::below(0.0).is_none());
        assert_eq!(Limits::above(0.0).response(5.0), Response::Value(5.0));
        assert_eq!(Limits::above(0.0).response(-5.0), Response::AtMost(0.0));
        assert_eq!(Limits::below(0.0).response(-5.0), Response::Value(-5.0));
        assert_eq!(Limits::below(0.0).response(5.0), Response::AtLeast(0.0));
    }

    #[test]
    fn impossible_limits_are_named() {
        let named = |limits: Limits| match limits.validate() {
            Err(InputError::Number { name, .. }) => Some(name),
            _ => None,
        };
        assert_eq!(named(Limits::default()), None);
        assert_eq!(named(Limits::above(f64::NAN)), Some("floor"));
        assert_eq!(named(Limits::below(f64::INFINITY)), Some("ceiling"));
        assert_eq!(named(Limits { floor: Some(1.0), ceiling: Some(1.0) }), Some("ceiling"));
        assert_eq!(named(Limits { floor: Some(1.0), ceiling: Some(1.0 + 1e-9) }), None);
    }
}
