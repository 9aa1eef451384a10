//! Feasible points of a discrete domain: their number, all of them, neighbors of one.

use crate::{Domain, FILLER, VariableKind};

impl Domain {
    /// Number of values that variable `index` can have where it is active: its levels, or 1 where it is fixed; nothing for a
    /// continuous one.
    pub(crate) fn options(&self, index: usize) -> Option<u64> {
        if self.is_pinned(index) { Some(1) } else { self.variables[index].levels() }
    }

    /// Number of feasible points, if the domain is discrete and the number at most `limit`.
    ///
    /// Inactive variables do not multiply: this counts by enumeration of the levels.
    #[must_use]
    pub fn cardinality(&self, limit: u64) -> Option<u64> {
        let mut levels = vec![None; self.variables.len()];
        self.count_from(0, &mut levels, limit)
    }

    /// Every feasible point of a discrete domain, or `None` if it is not discrete or has more than `limit`.
    #[must_use]
    pub fn enumerate(&self, limit: u64) -> Option<Vec<Vec<f64>>> {
        self.cardinality(limit)?;
        let mut points = vec![vec![FILLER; self.dim()]];
        for index in 0..self.variables.len() {
            let count = self.options(index)?;
            let fixed = self.is_pinned(index);
            points = points
                .into_iter()
                .flat_map(|point| {
                    let options = if self.is_active(index, &point) { count } else { 1 };
                    (0..options).map(move |level| {
                        let mut next = point.clone();
                        if fixed {
                            self.snap(&mut next);
                        } else {
                            self.set_level(index, level, &mut next);
                        }
                        next
                    })
                })
                .collect();
        }
        Some(points)
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
            if !self.is_active(index, x) || self.is_pinned(index) {
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

    fn count_from(&self, index: usize, levels: &mut Vec<Option<u64>>, limit: u64) -> Option<u64> {
        let Some(variable) = self.variables.get(index) else { return Some(1) };
        let active = variable
            .conditions
            .iter()
            .all(|c| levels[c.parent].is_some_and(|level| c.levels.contains(&level)));
        let count = self.options(index)?;
        if !active {
            levels[index] = None;
            return self.count_from(index + 1, levels, limit);
        }
        if let Some(Some(pin)) = self.pins.get(index) {
            levels[index] = self.level_of_columns(index, pin);
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
