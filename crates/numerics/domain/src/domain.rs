//! Mixed search domains in the unit cube.

use crate::{Condition, DomainError, FILLER, Spacing, Variable, VariableKind};

/// Mixed search space in the unit cube `[0, 1]^d`: a list of variables, each with one or more columns.
///
/// A point is *feasible* when every discrete column holds one of its levels exactly and every inactive
/// variable holds the filler; [`Domain::snap`] maps any point of the cube to a feasible one and leaves
/// feasible points alone, bit for bit.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Domain {
    variables: Vec<Variable>,
    /// First column of each variable, and the number of columns at the end.
    starts: Vec<usize>,
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
        Ok(Self { variables, starts })
    }

    /// The cube `[0, 1]^dim` with continuous columns.
    #[must_use]
    pub fn unit_cube(dim: usize) -> Self {
        Self { variables: vec![Variable::continuous(); dim], starts: (0..=dim).collect() }
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

    /// Columns of variable `index`, its activity column (the last) included.
    #[must_use]
    pub fn columns(&self, index: usize) -> std::ops::Range<usize> {
        self.starts[index]..self.starts[index + 1]
    }

    /// Columns that hold continuous values.
    pub fn continuous_columns(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.variables.len())
            .filter(|&v| matches!(self.variables[v].kind, VariableKind::Continuous))
            .map(|v| self.starts[v])
    }

    /// True if no variable is continuous.
    #[must_use]
    pub fn is_discrete(&self) -> bool {
        self.variables.iter().all(|variable| variable.levels().is_some())
    }

    /// Number of feasible points, if the domain is discrete and the number at most `limit`.
    ///
    /// Inactive variables do not multiply: this counts by enumeration of the levels.
    #[must_use]
    pub fn cardinality(&self, limit: u64) -> Option<u64> {
        let mut levels = vec![None; self.variables.len()];
        self.count_from(0, &mut levels, limit)
    }

    /// Makes a point of the cube feasible: discrete columns to the level of their cell, one-hot blocks to their
    /// largest column (the first of equals), inactive variables to the filler. NaN counts as 0.
    ///
    /// # Panics
    /// When `x` is not of the domain's dimension.
    pub fn snap(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.dim(), "a point of another dimension");
        for index in 0..self.variables.len() {
            let active = self.is_active(index, x);
            let variable = &self.variables[index];
            let columns = &mut x[self.columns(index)];
            let own = if variable.conditions.is_empty() {
                columns
            } else {
                let (activity, own) =
                    columns.split_last_mut().expect("a conditional variable has an activity column");
                *activity = f64::from(u8::from(active));
                own
            };
            if active { snap_columns(variable.kind, own) } else { own.fill(FILLER) }
        }
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
        self.variables[index].conditions.iter().all(|condition| {
            self.is_active(condition.parent, x)
                && self.level(condition.parent, x).is_some_and(|level| condition.levels.contains(&level))
        })
    }

    /// The level that a discrete variable has at `x`, `None` for a continuous one.
    #[must_use]
    pub fn level(&self, index: usize, x: &[f64]) -> Option<u64> {
        let columns = &x[self.columns(index)];
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

    /// The feasible points that differ from feasible `x` by one move of one active discrete variable: one
    /// level up or down where levels are ordered, any other category where they are not.
    #[must_use]
    pub fn neighbors(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let mut found = Vec::new();
        for index in 0..self.variables.len() {
            let (Some(level), Some(count)) = (self.level(index, x), self.variables[index].levels()) else {
                continue;
            };
            if !self.is_active(index, x) {
                continue;
            }
            let moves: Vec<u64> = match self.variables[index].kind {
                VariableKind::Stepped { .. } => [level.checked_sub(1), Some(level + 1)]
                    .into_iter()
                    .flatten()
                    .filter(|&l| l < count)
                    .collect(),
                _ => (0..count).filter(|&l| l != level).collect(),
            };
            for other in moves {
                let mut neighbor = x.to_vec();
                self.set_level(index, other, &mut neighbor);
                found.push(neighbor);
            }
        }
        found
    }

    /// Every feasible point of a discrete domain, or `None` if it is not discrete or has more than `limit`.
    #[must_use]
    pub fn enumerate(&self, limit: u64) -> Option<Vec<Vec<f64>>> {
        self.cardinality(limit)?;
        let mut points = vec![vec![FILLER; self.dim()]];
        for (index, variable) in self.variables.iter().enumerate() {
            let count = variable.levels()?;
            points = points
                .into_iter()
                .flat_map(|point| {
                    let options = if self.is_active(index, &point) { count } else { 1 };
                    (0..options).map(move |level| {
                        let mut next = point.clone();
                        self.set_level(index, level, &mut next);
                        next
                    })
                })
                .collect();
        }
        Some(points)
    }

    fn count_from(&self, index: usize, levels: &mut Vec<Option<u64>>, limit: u64) -> Option<u64> {
        let Some(variable) = self.variables.get(index) else { return Some(1) };
        let active = variable
            .conditions
            .iter()
            .all(|c| levels[c.parent].is_some_and(|level| c.levels.contains(&level)));
        let count = variable.levels()?;
        if !active {
            levels[index] = None;
            return self.count_from(index + 1, levels, limit);
        }
        let decides =
            self.variables[index + 1..].iter().any(|v| v.conditions.iter().any(|c| c.parent == index));
        let total = if decides {
            if count > limit {
                return None;
            }
            let mut total = 0_u64;
            for level in 0..count {
                levels[index] = Some(level);
                total = total.checked_add(self.count_from(index + 1, levels, limit)?)?;
                if total > limit {
                    return None;
                }
            }
            total
        } else {
            levels[index] = None;
            self.count_from(index + 1, levels, limit)?.checked_mul(count)?
        };
        (total <= limit).then_some(total)
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
