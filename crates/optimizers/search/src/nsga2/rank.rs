//! Ranks of individuals of NSGA-II.

use std::cmp::Ordering;

use thrifty_domain::Points;
use thrifty_pareto::{ParetoError, crowding_distance, non_dominated_ranks};

/// Result of evaluating an individual.
#[derive(Debug, Clone, Copy)]
pub(super) enum Evaluation<'a> {
    /// Losses of an individual that breaks no constraint.
    Feasible(&'a [f64]),
    /// Sum of the constraint violations.
    Infeasible(f64),
    /// The evaluation failed.
    Lost,
}

/// Rank of an individual in its population: by feasibility, then by front, then by crowding distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rank {
    class: u8,
    /// Number of the front, or the violation.
    value: f64,
    crowding: f64,
}

impl Rank {
    /// Order of two ranks; the better rank is less.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let order = self.class.cmp(&other.class).then(self.value.total_cmp(&other.value));
        order.then(other.crowding.total_cmp(&self.crowding))
    }
}

/// Ranks of a population. Source: Deb et al. (2002), sections III and VI (constraints).
///
/// # Errors
/// [`ParetoError::ObjectiveMismatch`] if individuals have different numbers of objectives.
pub(super) fn standings(fates: &[Evaluation<'_>]) -> Result<Vec<Rank>, ParetoError> {
    let mut found: Vec<Rank> = fates
        .iter()
        .map(|fate| match fate {
            Evaluation::Feasible(_) => Rank { class: 0, value: 0.0, crowding: 0.0 },
            Evaluation::Infeasible(violation) => Rank { class: 1, value: *violation, crowding: 0.0 },
            Evaluation::Lost => Rank { class: 2, value: 0.0, crowding: 0.0 },
        })
        .collect();
    let mut indices = Vec::new();
    let mut losses: Option<Points> = None;
    for (i, fate) in fates.iter().enumerate() {
        let Evaluation::Feasible(row) = fate else { continue };
        let losses = losses.get_or_insert_with(|| Points::new(row.len()));
        losses.try_push(row).map_err(|_| ParetoError::ObjectiveMismatch {
            what: "an individual",
            found: row.len(),
            expected: losses.dim(),
        })?;
        indices.push(i);
    }
    let Some(losses) = losses else { return Ok(found) };
    let ranks = non_dominated_ranks(losses.as_ref())?;
    for front in 0..=ranks.iter().max().copied().unwrap_or(0) {
        let members: Vec<usize> = (0..ranks.len()).filter(|&i| ranks[i] == front).collect();
        let mut own = Points::new(losses.dim());
        members.iter().for_each(|&i| own.push(losses.row(i)));
        for (&i, crowding) in members.iter().zip(crowding_distance(own.as_ref())?) {
            (found[indices[i]].value, found[indices[i]].crowding) = (front as f64, crowding);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feasible_before_infeasible_before_lost() {
        let fates = [
            Evaluation::Lost,
            Evaluation::Infeasible(2.0),
            Evaluation::Feasible(&[0.0, 4.0]),
            Evaluation::Feasible(&[1.0, 1.0]),
            Evaluation::Feasible(&[4.0, 0.0]),
            Evaluation::Feasible(&[5.0, 5.0]),
            Evaluation::Infeasible(1.0),
        ];
        let found = standings(&fates).unwrap();
        let mut order: Vec<usize> = (0..fates.len()).collect();
        order.sort_by(|&a, &b| found[a].compare(&found[b]));
        assert_eq!(order, [2, 4, 3, 5, 6, 1, 0]);
        assert!(standings(&[]).unwrap().is_empty());
        let error =
            standings(&[Evaluation::Feasible(&[0.0]), Evaluation::Feasible(&[0.0, 1.0])]).unwrap_err();
        assert_eq!(error.to_string(), "an individual has 2 objectives, expected 1");
    }
}
