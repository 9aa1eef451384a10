//! Values of parameters.

use std::fmt;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(untagged, expecting = "expected a text, a number or a truth value")]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A name.
    Str(String),
}

impl Value {
    /// The number; `None` for other values. Whole numbers are converted.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(whole) => Some(*whole as f64),
            Self::Float(number) => Some(*number),
            Self::Bool(_) | Self::Str(_) => None,
        }
    }

    /// Index of the first choice that is equal to this value, or else numerically equal: 1 matches 1.0.
    #[must_use]
    pub fn position_in(&self, choices: &[Self]) -> Option<usize> {
        let is_number = |choice: &Self| choice.whole().is_some() && choice.whole() == self.whole();
        choices.iter().position(|choice| choice == self).or_else(|| choices.iter().position(is_number))
    }

    /// The whole number, if it is one, such as 1 or 1.0; else `None`.
    pub(crate) fn whole(&self) -> Option<i64> {
        // Floats from 2⁶³ on are whole, but exceed i64.
        const END: f64 = (1_u64 << 63) as f64;
        match self {
            Self::Int(whole) => Some(*whole),
            Self::Float(float) => {
                (float.fract() == 0.0 && (-END..END).contains(float)).then_some(*float as i64)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Str(value) => value.fmt(f),
        }
    }
}

macro_rules! value_from {
    ($($from:ty => $variant:ident),*) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        })*
    };
}

value_from!(bool => Bool, i64 => Int, i32 => Int, f64 => Float, &str => Str, String => Str);
