use crate::AutoBctError;

/// From what a training run reports to the scale of the model, on which scores and costs lie about between 0 and 1.
///
/// Which direction is better lies in the two ends: a loss has its bad value at `zero`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// As it is.
    Identity,
    /// `(raw - zero) / (one - zero)`.
    Affine {
        /// What is 0.
        zero: f64,
        /// What is 1.
        one: f64,
    },
    /// The same of logarithms.
    Logarithmic {
        /// What is 0: positive.
        zero: f64,
        /// What is 1: positive.
        one: f64,
    },
}

impl Scale {
    /// Whether its ends make sense.
    ///
    /// # Errors
    /// [`AutoBctError::Number`] names the end that does not.
    pub fn validate(&self) -> Result<(), AutoBctError> {
        let positive = matches!(self, Self::Logarithmic { .. });
        if let Self::Affine { zero, one } | Self::Logarithmic { zero, one } = *self {
            for (what, value) in [("what is 0 on a scale", zero), ("what is 1 on a scale", one)] {
                if !value.is_finite() || positive && value <= 0.0 {
                    let expected = if positive { "a positive finite number" } else { "a finite number" };
                    return Err(AutoBctError::Number { what, value, expected });
                }
            }
            if zero == one {
                let expected = "another number than what is 0";
                return Err(AutoBctError::Number { what: "what is 1 on a scale", value: one, expected });
            }
        }
        Ok(())
    }

    /// On the scale of the model.
    ///
    /// # Errors
    /// [`AutoBctError::Number`] for a value that is not finite, or not positive where a logarithm is taken.
    pub fn apply(&self, raw: f64) -> Result<f64, AutoBctError> {
        if !raw.is_finite() {
            return Err(AutoBctError::Number {
                what: "a reported value",
                value: raw,
                expected: "a finite number",
            });
        }
        match *self {
            Self::Identity => Ok(raw),
            Self::Affine { zero, one } => Ok((raw - zero) / (one - zero)),
            Self::Logarithmic { zero, one } if raw > 0.0 => Ok((raw / zero).ln() / (one / zero).ln()),
            Self::Logarithmic { .. } => {
                let expected = "a positive number, of which a logarithm can be taken";
                Err(AutoBctError::Number { what: "a reported value", value: raw, expected })
            }
        }
    }
}
