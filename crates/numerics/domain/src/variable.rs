//! Variables of a domain.

/// The value that inactive conditional columns hold.
pub const FILLER: f64 = 0.5;

/// Spacing of the levels of a [`VariableKind::Stepped`] column over `[0, 1]`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Spacing {
    /// Level k of n sits at the middle of the k-th of n equal cells: `(k + ½) / n`.
    Linear,
    /// Levels `first, first + 1, …` (in units of the step) on a logarithmic axis whose ends are half a step outside.
    Log {
        /// First level divided by the step, above ½.
        first: f64,
    },
}

/// Kind of a variable, which decides its columns.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum VariableKind {
    /// One column, every value in `[0, 1]`.
    Continuous,
    /// One column, `count` ordered levels.
    Stepped {
        /// Number of levels.
        count: u64,
        /// Spacing of the levels.
        spacing: Spacing,
    },
    /// `count` columns, exactly one of them 1 and the others 0.
    OneHot {
        /// Number of categories.
        count: usize,
    },
    /// One column that holds an unordered level, for kernels that compare levels: level k sits at `(k + ½) / count`.
    Level {
        /// Number of categories.
        count: usize,
    },
}

/// A variable counts only while an earlier discrete variable has one of the allowed levels.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Condition {
    /// Index of the earlier variable.
    pub parent: usize,
    /// Levels of the parent under which this variable is active.
    pub levels: Vec<u64>,
}

/// One variable of a [`Domain`](crate::Domain).
///
/// With a condition it has one more column, its activity: 1 while active, 0 while not, and then all other
/// columns of the variable hold [`FILLER`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Variable {
    /// Kind of the variable.
    pub kind: VariableKind,
    /// Conditions of activity; all of them must hold.
    pub conditions: Vec<Condition>,
}

impl Variable {
    /// A continuous variable.
    #[must_use]
    pub fn continuous() -> Self {
        VariableKind::Continuous.into()
    }

    /// An ordered variable with `count` equally spaced levels.
    #[must_use]
    pub fn stepped(count: u64) -> Self {
        VariableKind::Stepped { count, spacing: Spacing::Linear }.into()
    }

    /// An unordered variable with one column a category.
    #[must_use]
    pub fn one_hot(count: usize) -> Self {
        VariableKind::OneHot { count }.into()
    }

    /// An unordered variable in one column.
    #[must_use]
    pub fn level(count: usize) -> Self {
        VariableKind::Level { count }.into()
    }

    /// Makes the variable active only under `condition`.
    #[must_use]
    pub fn when(mut self, parent: usize, levels: Vec<u64>) -> Self {
        self.conditions.push(Condition { parent, levels });
        self
    }

    /// Number of columns, the activity column included.
    #[must_use]
    pub fn width(&self) -> usize {
        let own = match self.kind {
            VariableKind::OneHot { count } => count,
            _ => 1,
        };
        own + usize::from(!self.conditions.is_empty())
    }

    /// Number of levels, or `None` for a continuous variable.
    #[must_use]
    pub fn levels(&self) -> Option<u64> {
        match self.kind {
            VariableKind::Continuous => None,
            VariableKind::Stepped { count, .. } => Some(count),
            VariableKind::OneHot { count } | VariableKind::Level { count } => Some(count as u64),
        }
    }
}

impl From<VariableKind> for Variable {
    fn from(kind: VariableKind) -> Self {
        Self { kind, conditions: Vec::new() }
    }
}

impl Spacing {
    /// Position of level `k` of `count` in `[0, 1]`.
    #[must_use]
    pub fn position(self, k: u64, count: u64) -> f64 {
        match self {
            Self::Linear => (k as f64 + 0.5) / count as f64,
            Self::Log { first } => {
                let low = first - 0.5;
                ((first + k as f64) / low).ln() / ((first + count as f64 - 0.5) / low).ln()
            }
        }
    }

    /// The level whose cell holds `u`; the inverse of [`Spacing::position`].
    ///
    /// Cells end half a step around a level on the natural axis, so a uniform `u` on a linear grid hits
    /// every level equally often.
    #[must_use]
    pub fn level(self, u: f64, count: u64) -> u64 {
        let k = match self {
            Self::Linear => (u * count as f64).floor(),
            Self::Log { first } => {
                let low = first - 0.5;
                (low * (u * ((first + count as f64 - 0.5) / low).ln()).exp() - low).floor()
            }
        };
        // NaN and values below 0 become 0 by the saturating cast.
        (k as u64).min(count.saturating_sub(1))
    }
}
