use crate::ranking::{Class, Key};

/// Keys of several objectives: the front first, then how much room a trial has on it.
///
/// A front is what nothing dominates once the fronts before it are gone; the room is the crowding distance of
/// Deb et al. (2002): ends of a front before its middle.
pub(crate) fn front_keys(objectives: &[&[f64]]) -> Vec<Key> {
    let mut keys = vec![Key::LOST; objectives.len()];
    let mut left: Vec<usize> = (0..objectives.len()).collect();
    for front in 0.. {
        let first: Vec<usize> = left
            .iter()
            .copied()
            .filter(|&i| !left.iter().any(|&j| dominates(objectives[j], objectives[i])))
            .collect();
        for (&i, room) in first.iter().zip(crowding(objectives, &first)) {
            keys[i] = Key { class: Class::Feasible, value: f64::from(front), tie: -room };
        }
        left.retain(|i| !first.contains(i));
        if left.is_empty() || first.is_empty() {
            break;
        }
    }
    keys
}

/// Nowhere larger and somewhere smaller.
fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a <= b) && a != b
}

fn crowding(objectives: &[&[f64]], front: &[usize]) -> Vec<f64> {
    let mut room = vec![0.0; front.len()];
    for objective in 0..front.first().map_or(0, |i| objectives[*i].len()) {
        let value = |at: usize| objectives[front[at]].get(objective).copied().unwrap_or(f64::INFINITY);
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
        let (first, last) = (order[0], order[order.len() - 1]);
        let range = value(last) - value(first);
        room[first] = f64::INFINITY;
        room[last] = f64::INFINITY;
        for three in order.windows(3) {
            if range > 0.0 {
                room[three[1]] += (value(three[2]) - value(three[0])) / range;
            }
        }
    }
    room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_come_one_after_the_other_and_ends_first() {
        let points: [&[f64]; 5] = [&[0.0, 3.0], &[1.0, 1.0], &[3.0, 0.0], &[2.0, 2.0], &[1.1, 0.9]];
        let keys = front_keys(&points);
        assert_eq!(keys.iter().map(|k| k.value).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(keys[0].tie, f64::NEG_INFINITY);
        assert!(keys[1].tie > f64::NEG_INFINITY);
        assert!(front_keys(&[]).is_empty());
    }
}
