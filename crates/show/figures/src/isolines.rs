//! Isolines of values on a grid.

use std::collections::HashMap;

/// Lines of the unit square at which values on a square grid cross a height.
pub(crate) fn isolines(side: usize, values: &[f64], height: f64) -> Vec<Vec<(f64, f64)>> {
    chains(&segments(side, values, height))
}

/// Segments joined at their common ends, so that a drawing has few lines.
fn chains(segments: &[[(f64, f64); 2]]) -> Vec<Vec<(f64, f64)>> {
    // Two triangles compute a common end with different rounding.
    let key = |point: (f64, f64)| ((point.0 * 1e7).round() as i64, (point.1 * 1e7).round() as i64);
    let mut at: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (index, ends) in segments.iter().enumerate() {
        ends.iter().for_each(|end| at.entry(key(*end)).or_default().push(index));
    }
    let mut is_used = vec![false; segments.len()];
    let walk = |chain: &mut Vec<(f64, f64)>, is_used: &mut [bool]| {
        while let Some(next) = chain.last().and_then(|end| {
            let others = at.get(&key(*end))?;
            others.iter().copied().find(|other| !is_used[*other])
        }) {
            is_used[next] = true;
            let [from, to] = segments[next];
            let here = chain.last().is_some_and(|end| key(*end) == key(from));
            chain.push(if here { to } else { from });
        }
    };
    let mut chains = Vec::new();
    for start in 0..segments.len() {
        if is_used[start] {
            continue;
        }
        is_used[start] = true;
        let mut chain = segments[start].to_vec();
        walk(&mut chain, &mut is_used);
        chain.reverse();
        walk(&mut chain, &mut is_used);
        chains.push(chain);
    }
    chains
}

/// Line segments at which the values cross a height: at most one in each of the two triangles of a cell.
fn segments(side: usize, values: &[f64], height: f64) -> Vec<[(f64, f64); 2]> {
    let step = 1.0 / (side - 1) as f64;
    let corner = |i: usize, j: usize| (i as f64 * step, j as f64 * step, values[j * side + i]);
    let mut segments = Vec::new();
    for j in 0..side - 1 {
        for i in 0..side - 1 {
            let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1));
            for triangle in [[a, b, d], [a, c, d]] {
                let crossings: Vec<(f64, f64)> = [(0, 1), (1, 2), (0, 2)]
                    .into_iter()
                    .filter_map(|(from, to)| crossing(triangle[from], triangle[to], height))
                    .collect();
                if let [from, to] = crossings[..] {
                    segments.push([from, to]);
                }
            }
        }
    }
    segments
}

/// Point at which the line between two corners crosses a height, if it does.
fn crossing(from: (f64, f64, f64), to: (f64, f64, f64), height: f64) -> Option<(f64, f64)> {
    if (from.2 >= height) == (to.2 >= height) || !(from.2.is_finite() && to.2.is_finite()) {
        return None;
    }
    let t = (height - from.2) / (to.2 - from.2);
    Some((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolines_of_a_plane_are_one_straight_line() {
        let values: Vec<f64> = (0..121).map(|at| f64::from(at % 11) / 10.0).collect();
        assert_eq!(segments(11, &values, 0.45).len(), 20);
        let lines = isolines(11, &values, 0.45);
        assert_eq!((lines.len(), lines[0].len()), (1, 21));
        assert!(lines[0].iter().all(|point| (point.0 - 0.45).abs() < 1e-12));
        assert!(
            lines[0].windows(2).all(|pair| pair[0].1 < pair[1].1)
                || lines[0].windows(2).all(|pair| pair[0].1 > pair[1].1)
        );
        assert!(isolines(11, &[0.0; 121], 0.5).is_empty());
    }

    #[test]
    fn a_closed_isoline_ends_where_it_begins_and_separate_ones_stay_apart() {
        let side = 21;
        let bump = |x: f64, y: f64| (-60.0 * (x * x + y * y)).exp();
        let value = |at: usize| {
            let (x, y) = ((at % side) as f64 / 20.0, (at / side) as f64 / 20.0);
            bump(x - 0.25, y - 0.25) + bump(x - 0.75, y - 0.7)
        };
        let values: Vec<f64> = (0..side * side).map(value).collect();
        let lines = isolines(side, &values, 0.5);
        assert_eq!(lines.len(), 2);
        for line in lines {
            let (first, last) = (line[0], line[line.len() - 1]);
            assert!((first.0 - last.0).abs() + (first.1 - last.1).abs() < 1e-9);
        }
    }
}
