//! Rank keys of trials with several objectives.

use thrifty_domain::Points;
use thrifty_pareto::{ParetoError, crowding_distance, non_dominated_ranks};

use crate::history::ranking::{Class, Key};

/// Keys of several objectives: the front first, then how much room a trial has on it.
///
/// A front is what nothing dominates once the fronts before it are gone; the room is the crowding distance of
/// Deb et al. (2002): ends of a front before its middle.
///
/// # Errors
/// [`ParetoError::ObjectiveMismatch`] where trials have different numbers of objectives, [`ParetoError::NonFinite`].
pub(crate) fn front_keys(objectives: &[&[f64]]) -> Result<Vec<Key>, ParetoError> {
    let expected = objectives.first().map_or(0, |first| first.len());
    let mut points = Points::new(expected);
    for row in objectives {
        points.try_push(row).map_err(|_| ParetoError::ObjectiveMismatch {
            what: "a trial",
            found: row.len(),
            expected,
        })?;
    }
    let ranks = non_dominated_ranks(points.as_ref())?;
    let mut keys = vec![Key::LOST; objectives.len()];
    for front in 0..ranks.iter().max().map_or(0, |last| last + 1) {
        let members: Vec<usize> = (0..ranks.len()).filter(|&i| ranks[i] == front).collect();
        let mut own = Points::new(expected);
        members.iter().for_each(|&i| own.push(points.row(i)));
        for (&i, room) in members.iter().zip(crowding_distance(own.as_ref())?) {
            keys[i] = Key { class: Class::Feasible, value: front as f64, tie: -room };
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_come_one_after_the_other_and_ends_first() {
        let points: [&[f64]; 5] = [&[0.0, 3.0], &[1.0, 1.0], &[3.0, 0.0], &[2.0, 2.0], &[1.1, 0.9]];
        let keys = front_keys(&points).unwrap();
        assert_eq!(keys.iter().map(|k| k.value).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(keys[0].tie, f64::NEG_INFINITY);
        assert!(keys[1].tie > f64::NEG_INFINITY);
        assert!(front_keys(&[]).unwrap().is_empty());
    }

    #[test]
    fn trials_with_other_numbers_of_objectives_are_an_error() {
        let error = front_keys(&[&[0.0, 3.0], &[1.0]]).unwrap_err();
        assert_eq!(error.to_string(), "a trial has 1 objective, expected 2");
    }
}
