//! Mixed search domains in the unit cube.

use std::collections::BTreeSet;

use crate::{Condition, DomainError, FILLER, Spacing, Variable, VariableKind};

/// Mixed search space in the unit cube `[0, 1]^d`: a list of variables, each with one or more columns.
///
/// A point is *feasible* when every discrete column holds one of its levels exactly and every inactive
/// variable holds the filler; [`Domain::snap`] maps any point of the cube to a feasible one and leaves
/// feasible points alone, bit for bit.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Domain {
    pub(crate) variables: Vec<Variable>,
    /// First column of each variable, and the number of columns at the end.
    starts: Vec<usize>,
    /// Fixed columns of variables, the activity column left out; empty where nothing is pinned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) pins: Vec<Option<Vec<f64>>>,
}

impl Domain {
    /// A domain of the given variables.
    ///
    /// # Errors
    /// [`DomainError`] names the variable without levels, with an impossible grid or with a condition on
    /// something that is not an earlier discrete variable.
    pub fn new(variables: Vec<Variable>) -> Result<Self, DomainError> {
        for (index, variable) in variables.iter().enumerate() {
            if variable.levels() == Some(0) {
                return Err(DomainError::NoLevels { variable: index });
            }
            if let VariableKind::Stepped { spacing: Spacing::Log { first }, .. } = variable.kind
                && !(first.is_finite() && first > 0.5)
            {
                return Err(DomainError::InvalidLogGrid { variable: index, first });
            }
            for condition in &variable.conditions {
                check_condition(index, condition, &variables)?;
            }
        }
        let mut starts = vec![0];
        for variable in &variables {
            starts.push(starts[starts.len() - 1] + variable.width());
        }
        Ok(Self { variables, starts, pins: Vec::new() })
    }

    /// The cube `[0, 1]^dim` with continuous columns.
    #[must_use]
    pub fn unit_cube(dim: usize) -> Self {
        Self { variables: vec![Variable::continuous(); dim], starts: (0..=dim).collect(), pins: Vec::new() }
    }

    /// The domain with variables fixed where they are at `x`: the same columns, and fewer feasible points.
    ///
    /// A fixed variable counts as one with a single level where it is active. One that is inactive at `x` has no value there and is not fixed.
    /// Earlier pins of other variables stay.
    ///
    /// # Panics
    /// When `x` is not of the domain's dimension or there is no such variable.
    #[must_use]
    pub fn pinned(mut self, indices: &[usize], x: &[f64]) -> Self {
        self.pins.resize(self.variables.len(), None);
        // An earlier value must not stand in for the new one.
        indices.iter().for_each(|&index| self.pins[index] = None);
        let mut snapped = x.to_vec();
        self.snap(&mut snapped);
        for &index in indices {
            let pin = self.is_active(index, &snapped).then(|| snapped[self.own_columns(index)].to_vec());
            self.pins[index] = pin;
        }
        self
    }

    /// True if variable `index` is fixed.
    #[must_use]
    pub fn is_pinned(&self, index: usize) -> bool {
        self.pins.get(index).is_some_and(Option::is_some)
    }

    /// Number of columns.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.starts[self.variables.len()]
    }

    /// The variables in order.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Number of variables that have more than one value: those that a search chooses.
    #[must_use]
    pub fn free_variables(&self) -> usize {
        self.variables.iter().filter(|variable| variable.levels() != Some(1)).count()
    }

    /// Columns of variable `index`, its activity column (the last) included.
    #[must_use]
    pub fn columns(&self, index: usize) -> std::ops::Range<usize> {
        self.starts[index]..self.starts[index + 1]
    }

    /// Columns of variable `index` without its activity column.
    fn own_columns(&self, index: usize) -> std::ops::Range<usize> {
        let columns = self.columns(index);
        let activity = usize::from(!self.variables[index].conditions.is_empty());
        columns.start..columns.end - activity
    }

    /// Columns that hold continuous values which are not fixed.
    pub fn continuous_columns(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.variables.len())
            .filter(|&v| matches!(self.variables[v].kind, VariableKind::Continuous) && !self.is_pinned(v))
            .map(|v| self.starts[v])
    }

    /// True if no variable is continuous, fixed ones apart.
    #[must_use]
    pub fn is_discrete(&self) -> bool {
        (0..self.variables.len()).all(|index| self.options(index).is_some())
    }

    /// Makes a point of the cube feasible: discrete columns to the level of their cell, one-hot blocks to their
    /// largest column (the first of equals), inactive variables to the filler. NaN counts as 0.
    ///
    /// # Panics
    /// When `x` is not of the domain's dimension.
    pub fn snap(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.dim(), "a point of another dimension");
        for index in 0..self.variables.len() {
            let variable = &self.variables[index];
            let holds = |c: &Condition| self.is_marked_active(c.parent, x) && self.is_met(c, x);
            let active = variable.conditions.iter().all(holds);
            let columns = &mut x[self.columns(index)];
            let own = if variable.conditions.is_empty() {
                columns
            } else {
                let (activity, own) =
                    columns.split_last_mut().expect("a conditional variable has an activity column");
                *activity = f64::from(u8::from(active));
                own
            };
            match self.pins.get(index) {
                _ if !active => own.fill(FILLER),
                Some(Some(pin)) => own.copy_from_slice(pin),
                _ => snap_columns(variable.kind, own),
            }
        }
    }

    /// The feasible point at one quantile per variable, in `[0, 1]`.
    ///
    /// The quantile of a continuous variable is its place. That of a category chooses among equal shares of its levels, so that evenly
    /// spread quantiles give each level its share; a snap of evenly spread one-hot columns does not.
    ///
    /// Quantiles of inactive and fixed variables change nothing. NaN counts as 0.
    ///
    /// ```
    /// use thrifty_domain::{Domain, Variable};
    /// let domain = Domain::new(vec![Variable::one_hot(2), Variable::continuous()])?;
    /// assert_eq!(domain.at_quantiles(&[0.7, 0.2]), [0.0, 1.0, 0.2]);
    /// # Ok::<(), thrifty_domain::DomainError>(())
    /// ```
    ///
    /// # Panics
    /// When `u` has not one number per variable.
    #[must_use]
    pub fn at_quantiles(&self, u: &[f64]) -> Vec<f64> {
        assert_eq!(u.len(), self.variables.len(), "quantiles of other variables");
        let mut x = vec![FILLER; self.dim()];
        for (index, (variable, &u)) in self.variables.iter().zip(u).enumerate() {
            match variable.kind {
                VariableKind::OneHot { count } => {
                    self.write_level(index, Spacing::Linear.level(u, count as u64), &mut x);
                }
                _ => x[self.starts[index]] = u,
            }
        }
        self.snap(&mut x);
        x
    }

    /// True if `x` is a point that [`Domain::snap`] leaves alone.
    #[must_use]
    pub fn is_feasible(&self, x: &[f64]) -> bool {
        let mut snapped = x.to_vec();
        x.len() == self.dim() && {
            self.snap(&mut snapped);
            snapped == x
        }
    }

    /// True if variable `index` is active at `x`, whose earlier variables are feasible.
    #[must_use]
    pub fn is_active(&self, index: usize, x: &[f64]) -> bool {
        // The conditions of all ancestors must hold. Each ancestor is visited once.
        let (mut seen, mut waiting) = (BTreeSet::new(), Vec::new());
        let mut next = Some(index);
        while let Some(variable) = next {
            for condition in &self.variables[variable].conditions {
                if !self.is_met(condition, x) {
                    return false;
                }
                let parent = condition.parent;
                if !self.variables[parent].conditions.is_empty() && seen.insert(parent) {
                    waiting.push(parent);
                }
            }
            next = waiting.pop();
        }
        true
    }

    /// True if the parent of a condition has one of its levels at `x`, whether the parent is active or not.
    fn is_met(&self, condition: &Condition, x: &[f64]) -> bool {
        self.level(condition.parent, x).is_some_and(|level| condition.levels.contains(&level))
    }

    /// True if variable `index` is active by its activity column at `x`.
    fn is_marked_active(&self, index: usize, x: &[f64]) -> bool {
        self.variables[index].conditions.is_empty() || x[self.starts[index + 1] - 1] == 1.0
    }

    /// The level that a discrete variable has at `x`, `None` for a continuous one.
    #[must_use]
    pub fn level(&self, index: usize, x: &[f64]) -> Option<u64> {
        self.level_of_columns(index, &x[self.columns(index)])
    }

    pub(crate) fn level_of_columns(&self, index: usize, columns: &[f64]) -> Option<u64> {
        match self.variables[index].kind {
            VariableKind::Continuous => None,
            VariableKind::Stepped { count, spacing } => Some(spacing.level(columns[0], count)),
            VariableKind::OneHot { count } => Some(largest(&columns[..count]) as u64),
            VariableKind::Level { count } => Some(Spacing::Linear.level(columns[0], count as u64)),
        }
    }

    /// Gives a discrete variable a level and snaps the point, so that what depends on it follows.
    ///
    /// # Panics
    /// When the variable is continuous or has no such level.
    pub fn set_level(&self, index: usize, level: u64, x: &mut [f64]) {
        self.write_level(index, level, x);
        self.snap(x);
    }

    /// Writes the columns of a discrete variable's level and nothing else: what depends on it follows with the next
    /// [`Domain::snap`]. For many variables in their order, at the cost of each alone.
    ///
    /// # Panics
    /// As [`Domain::set_level`].
    pub fn write_level(&self, index: usize, level: u64, x: &mut [f64]) {
        let count = self.variables[index].levels().expect("a discrete variable");
        assert!(level < count, "level {level} of {count}");
        let columns = &mut x[self.starts[index]..];
        match self.variables[index].kind {
            VariableKind::Continuous => {}
            VariableKind::Stepped { spacing, .. } => columns[0] = spacing.position(level, count),
            VariableKind::Level { .. } => columns[0] = Spacing::Linear.position(level, count),
            VariableKind::OneHot { count } => {
                columns[..count].fill(0.0);
                columns[level as usize] = 1.0;
            }
        }
    }
}

fn check_condition(index: usize, condition: &Condition, variables: &[Variable]) -> Result<(), DomainError> {
    let parent = condition.parent;
    let count = match variables.get(parent).and_then(Variable::levels) {
        Some(count) if parent < index => count,
        _ => return Err(DomainError::InvalidParent { variable: index, parent }),
    };
    if condition.levels.is_empty() || condition.levels.iter().any(|&level| level >= count) {
        let levels = condition.levels.clone();
        return Err(DomainError::InvalidLevels { variable: index, parent, levels, count });
    }
    Ok(())
}

fn snap_columns(kind: VariableKind, columns: &mut [f64]) {
    match kind {
        // NaN becomes 0, which `clamp` alone would let through.
        VariableKind::Continuous => columns[0] = columns[0].max(0.0).clamp(0.0, 1.0),
        VariableKind::Stepped { count, spacing } => {
            columns[0] = spacing.position(spacing.level(columns[0], count), count);
        }
        VariableKind::Level { count } => {
            let count = count as u64;
            columns[0] = Spacing::Linear.position(Spacing::Linear.level(columns[0], count), count);
        }
        VariableKind::OneHot { .. } => {
            let chosen = largest(columns);
            columns.fill(0.0);
            columns[chosen] = 1.0;
        }
    }
}

/// Position of the largest value, the first of equals; NaN never wins.
fn largest(values: &[f64]) -> usize {
    (1..values.len())
        .fold(0, |best, i| if values[i] > values[best] || values[best].is_nan() { i } else { best })
}
