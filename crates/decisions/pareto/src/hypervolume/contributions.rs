//! Exclusive contributions of points to a hypervolume.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use thrifty_simd::{VectorLoop, dispatch};

use super::columns::Columns;
use super::many::{Exhausted, Recursion};
use crate::staircase::Staircase;
use crate::weakly_dominates;

/// `HV(A) - HV(A without i)` for one objective: the distance of the best point to the second best.
pub(super) fn line(points: &[f64], reference: f64) -> Vec<f64> {
    let mut best = reference;
    let mut second = reference;
    for &value in points {
        if value < best {
            (best, second) = (value, best);
        } else {
            second = second.min(value);
        }
    }
    points.iter().map(|&value| if value == best { second - best } else { 0.0 }).collect()
}

/// Contributions for two objectives: the rectangle between a point of the front and its neighbours, minus what dominated points in it cover.
pub(super) fn plane(points: &[f64], reference: [f64; 2]) -> Vec<f64> {
    let rows = points.as_chunks::<2>().0;
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order
        .sort_unstable_by(|&a, &b| rows[a][0].total_cmp(&rows[b][0]).then(rows[a][1].total_cmp(&rows[b][1])));
    let mut front: Vec<usize> = Vec::new();
    let mut behind: Vec<usize> = Vec::new();
    for index in order {
        if front.last().is_none_or(|&last| rows[index][1] < rows[last][1]) {
            front.push(index);
        } else {
            behind.push(index);
        }
    }
    let mut inside: Vec<Vec<[f64; 2]>> = vec![Vec::new(); front.len()];
    for point in behind.into_iter().map(|index| rows[index]) {
        // The points left of it, of which the last ones are low enough: a dominated point belongs to one front point only.
        let end = front.partition_point(|&i| rows[i][0] <= point[0]);
        let start = front.partition_point(|&i| rows[i][1] > point[1]);
        if start + 1 == end {
            inside[start].push(point);
        }
    }
    let mut found = vec![0.0; rows.len()];
    for (at, &index) in front.iter().enumerate() {
        let right = front.get(at + 1).map_or(reference[0], |&next| rows[next][0]);
        let top = if at > 0 { rows[front[at - 1]][1] } else { reference[1] };
        let own = rows[index];
        let covered = super::dim2::volume(&mut inside[at], [right, top]);
        found[index] = ((right - own[0]) * (top - own[1]) - covered).max(0.0);
    }
    found
}

/// Contributions for three objectives: each point against all others, which are sorted once.
pub(super) fn space(points: &[f64], reference: [f64; 3]) -> Vec<f64> {
    dispatch(Space { rows: points.as_chunks().0, reference })
}

struct Space<'a> {
    rows: &'a [[f64; 3]],
    reference: [f64; 3],
}

impl VectorLoop for Space<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<f64> {
        let Self { rows, reference } = self;
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by(|&a, &b| rows[a][2].total_cmp(&rows[b][2]));
        let mut others: Columns = order.iter().skip(1).map(|&index| rows[index]).collect();
        let mut stairs = Staircase::new([0.0; 2]);
        let mut found = vec![0.0; rows.len()];
        for (at, &index) in order.iter().enumerate() {
            found[index] = others.exclusive(rows[index], reference, &mut stairs).unwrap_or(0.0);
            if at + 1 < rows.len() {
                others.set(at, rows[index]);
            }
        }
        found
    }
}

/// Contributions for more objectives: each point against all others, by the recursion.
pub(super) fn many(points: &[f64], reference: &[f64], limit: u64) -> Result<Vec<f64>, Exhausted> {
    let rows: Vec<&[f64]> = points.chunks_exact(reference.len()).collect();
    let mut recursion = Recursion::new(limit);
    let mut others = Vec::with_capacity(rows.len());
    let one = |at: usize| {
        others.clear();
        others.extend(rows.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, row)| *row));
        if others.iter().any(|other| weakly_dominates(other, rows[at])) {
            return Ok(0.0);
        }
        recursion.exclusive(&others, rows[at], reference)
    };
    (0..rows.len()).map(one).collect()
}
