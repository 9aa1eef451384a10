//! Latin hypercube samples.

use thrifty_domain::Points;

use crate::Stream;

/// A Latin hypercube of `count` points in `[0, 1)^dim`: each of the `count` equal slices of each axis holds
/// exactly one point, placed uniformly inside it. Source: `McKay`, Beckman & Conover (1979).
#[must_use]
pub fn latin_hypercube(count: usize, dim: usize, rng: &mut Stream) -> Points {
    let mut points = Points::zeros(count, dim);
    let mut slices: Vec<usize> = (0..count).collect();
    for column in 0..dim {
        rng.shuffle(&mut slices);
        for (row, &slice) in slices.iter().enumerate() {
            let value = (slice as f64 + rng.uniform()) / count as f64;
            // The sum may round up to the slice's end, the last of which is 1.
            points.row_mut(row)[column] = value.min(((slice + 1) as f64 / count as f64).next_down());
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn each_slice_holds_one_point() {
        for count in [0, 1, 2, 9, 100] {
            let points = latin_hypercube(count, 3, &mut Seed(5).stream("latin", count as u64));
            for column in 0..3 {
                let mut seen: Vec<usize> =
                    points.rows().map(|p| (p[column] * count as f64) as usize).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..count).collect::<Vec<_>>());
            }
        }
    }
}
