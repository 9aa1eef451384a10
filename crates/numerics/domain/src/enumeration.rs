//! Feasible points of a discrete domain: their number, all of them, neighbors of one.

use crate::{Condition, Domain, FILLER, VariableKind};

impl Domain {
    /// Number of values that variable `index` can have where it is active: its levels, or 1 where it is fixed; nothing for a
    /// continuous one.
    pub(crate) fn options(&self, index: usize) -> Option<u64> {
        if self.is_pinned(index) { Some(1) } else { self.variables[index].levels() }
    }

    /// Number of feasible points, if the domain is discrete and the number at most `limit`.
    ///
    /// Inactive variables do not multiply: this counts by enumeration of the levels on which other variables depend.
    #[must_use]
    pub fn cardinality(&self, limit: u64) -> Option<u64> {
        let variables = self.variables.len();
        let options: Vec<u64> = (0..variables).map(|index| self.options(index)).collect::<Option<_>>()?;
        let mut decides = vec![false; variables];
        self.variables.iter().flat_map(|v| &v.conditions).for_each(|c| decides[c.parent] = true);
        // Levels of the variables on which others depend, where they are active.
        let mut levels: Vec<Option<u64>> = vec![None; variables];
        // Those of them that have a choice, and the number of points of the variables before each.
        let mut choices: Vec<(usize, u64)> = Vec::new();
        let (mut from, mut points, mut total) = (0, 1_u64, 0_u64);
        loop {
            for (index, variable) in self.variables.iter().enumerate().skip(from) {
                let holds = |c: &Condition| levels[c.parent].is_some_and(|level| c.levels.contains(&level));
                let (active, count) = (variable.conditions.iter().all(holds), options[index]);
                levels[index] = None;
                if !active {
                    continue;
                }
                if let Some(Some(pin)) = self.pins.get(index) {
                    levels[index] = self.level_of_columns(index, pin);
                } else if decides[index] {
                    if count > limit {
                        return None;
                    }
                    levels[index] = Some(0);
                    choices.push((index, points));
                } else {
                    points = points.checked_mul(count)?;
                }
            }
            total = total.checked_add(points).filter(|total| *total <= limit)?;
            // The next level of the last choice that has one.
            loop {
                let Some((index, before)) = choices.pop() else { return Some(total) };
                let level = levels[index].map_or(0, |level| level + 1);
                if level < options[index] {
                    levels[index] = Some(level);
                    choices.push((index, before));
                    (from, points) = (index + 1, before);
                    break;
                }
            }
        }
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
}
