//! Scales from reported values to those of the model.

use crate::AutoBctError;
use thrifty_check::InputError;

/// Map from a reported value to the scale of the model, on which scores and costs lie about between 0 and 1.
///
/// The order of the two ends is the direction of improvement: a loss has its bad value at `zero`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// The identity.
    Identity,
    /// `(raw - zero) / (one - zero)`.
    Affine {
        /// Score that maps to 0.
        zero: f64,
        /// Score that maps to 1.
        one: f64,
    },
    /// A linear map of the logarithm.
    Logarithmic {
        /// Positive score that maps to 0.
        zero: f64,
        /// Positive score that maps to 1.
        one: f64,
    },
}

impl Scale {
    /// True if its ends make sense.
    ///
    /// # Errors
    /// [`InputError::Number`] names the end that does not.
    pub fn validate(&self) -> Result<(), AutoBctError> {
        let positive = matches!(self, Self::Logarithmic { .. });
        if let Self::Affine { zero, one } | Self::Logarithmic { zero, one } = *self {
            for (what, value) in [("what is 0 on a scale", zero), ("what is 1 on a scale", one)] {
                if !value.is_finite() || positive && value <= 0.0 {
                    let expected = if positive { "a positive finite number" } else { "a finite number" };
                    return Err(InputError::Number { name: what, value, expected }.into());
                }
            }
            if zero == one {
                let expected = "another number than what is 0";
                return Err(InputError::Number { name: "what is 1 on a scale", value: one, expected }.into());
            }
        }
        Ok(())
    }

    /// On the scale of the model.
    ///
    /// # Errors
    /// [`InputError::Number`] for a value that is not finite, or not positive where a logarithm is taken.
    pub fn apply(&self, raw: f64) -> Result<f64, AutoBctError> {
        if !raw.is_finite() {
            return Err(InputError::Number {
                name: "a reported value",
                value: raw,
                expected: "a finite number",
            }
            .into());
        }
        match *self {
            Self::Identity => Ok(raw),
            Self::Affine { zero, one } => Ok((raw - zero) / (one - zero)),
            Self::Logarithmic { zero, one } if raw > 0.0 => Ok((raw / zero).ln() / (one / zero).ln()),
            Self::Logarithmic { .. } => {
                let expected = "a positive number, of which a logarithm can be taken";
                Err(InputError::Number { name: "a reported value", value: raw, expected }.into())
            }
        }
    }

    /// The reported value of a value on the scale of the model: the inverse of [`Scale::apply`].
    #[must_use]
    pub fn invert(&self, value: f64) -> f64 {
        match *self {
            Self::Identity => value,
            Self::Affine { zero, one } => zero + value * (one - zero),
            Self::Logarithmic { zero, one } => zero * (value * (one / zero).ln()).exp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_0_and_1_and_between_them_it_is_a_line() {
        let affine = Scale::Affine { zero: 5.0, one: 3.0 };
        assert_eq!([5.0, 3.0, 4.0, 7.0].map(|raw| affine.apply(raw).unwrap()), [0.0, 1.0, 0.5, -1.0]);
        assert_eq!(Scale::Identity.apply(-2.5), Ok(-2.5));
        let log = Scale::Logarithmic { zero: 100.0, one: 1.0 };
        for (raw, expected) in [(100.0, 0.0), (1.0, 1.0), (10.0, 0.5), (1e4, -1.0), (1e-2, 2.0)] {
            assert!((log.apply(raw).unwrap() - expected).abs() < 1e-15, "{raw}");
        }
    }

    #[test]
    fn the_inverse_comes_back() {
        let (affine, log) =
            (Scale::Affine { zero: 5.0, one: 3.0 }, Scale::Logarithmic { zero: 100.0, one: 1.0 });
        assert_eq!([0.0, 1.0, -0.5].map(|value| affine.invert(value)), [5.0, 3.0, 6.0]);
        assert_eq!(Scale::Identity.invert(-2.5), -2.5);
        for scale in [Scale::Identity, affine, log] {
            for raw in [1e-12, 0.3, 7.0, 1e12] {
                let again = scale.invert(scale.apply(raw).unwrap());
                assert!((again - raw).abs() <= 1e-12 * raw.max(5.0), "{scale:?}: {again} for {raw}");
            }
        }
    }

    #[test]
    fn what_cannot_be_scaled_is_refused() {
        for scale in [Scale::Identity, Scale::Affine { zero: 0.0, one: 1.0 }] {
            for raw in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert!(scale.apply(raw).is_err());
            }
            assert!(scale.apply(0.0).is_ok() && scale.apply(-1.0).is_ok());
        }
        let log = Scale::Logarithmic { zero: 1.0, one: 2.0 };
        assert!(log.apply(0.0).is_err() && log.apply(-1.0).is_err() && log.apply(f64::INFINITY).is_err());
        assert!(log.apply(f64::MIN_POSITIVE).is_ok());
    }

    #[test]
    fn ends_are_finite_and_differ_and_of_logarithms_positive() {
        let named = |scale: Scale| match scale.validate() {
            Err(AutoBctError::Input(InputError::Number { name, .. })) => Some(name),
            _ => None,
        };
        let (zero, one) = (Some("what is 0 on a scale"), Some("what is 1 on a scale"));
        assert_eq!(named(Scale::Identity), None);
        assert_eq!(named(Scale::Affine { zero: -1.0, one: 0.0 }), None);
        assert_eq!(named(Scale::Affine { zero: 2.0, one: 2.0 }), one);
        assert_eq!(named(Scale::Affine { zero: f64::NAN, one: 2.0 }), zero);
        assert_eq!(named(Scale::Affine { zero: 2.0, one: f64::INFINITY }), one);
        assert_eq!(named(Scale::Logarithmic { zero: 2.0, one: 1e-300 }), None);
        assert_eq!(named(Scale::Logarithmic { zero: 0.0, one: 1.0 }), zero);
        assert_eq!(named(Scale::Logarithmic { zero: 2.0, one: 0.0 }), one);
        assert_eq!(named(Scale::Logarithmic { zero: -2.0, one: 1.0 }), zero);
        assert_eq!(named(Scale::Logarithmic { zero: 2.0, one: 2.0 }), one);
    }
}
