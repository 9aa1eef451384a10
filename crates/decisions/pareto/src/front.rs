//! Fronts that are built point by point.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use std::cmp::Ordering;

use thrifty_domain::PointsRef;

use crate::staircase::Staircase;

/// Mutually non-dominated points seen so far. They arrive in lexicographic order and without duplicates.
///
/// The order saves half of the work: an earlier point dominates a later one if its later objectives do.
pub(crate) trait Front {
    /// Front of one point.
    fn of(point: &[f64]) -> Self;
    /// True if a point of the front dominates this one.
    fn dominates(&self, point: &[f64]) -> bool;
    /// Adds a point that the front does not dominate.
    fn insert(&mut self, point: &[f64]);
}

/// Front for up to two objectives: the smallest second objective decides.
pub(crate) struct Lowest(f64);

impl Front for Lowest {
    fn of(point: &[f64]) -> Self {
        Self(point.get(1).copied().unwrap_or(0.0))
    }

    fn dominates(&self, point: &[f64]) -> bool {
        self.0 <= point.get(1).copied().unwrap_or(0.0)
    }

    fn insert(&mut self, point: &[f64]) {
        self.0 = point[1];
    }
}

/// Three objectives: a staircase of the last two.
pub(crate) struct Steps(Staircase);

impl Front for Steps {
    fn of(point: &[f64]) -> Self {
        let mut steps = Self(Staircase::new([f64::INFINITY; 2]));
        steps.insert(point);
        steps
    }

    fn dominates(&self, point: &[f64]) -> bool {
        self.0.covers(point[1], point[2])
    }

    fn insert(&mut self, point: &[f64]) {
        self.0.insert(point[1], point[2]);
    }
}

/// Front for more objectives: all points, newest first, because neighbours in the order dominate most often.
///
/// Points are stored in blocks of eight, objective by objective, for vector instructions; empty slots hold infinity.
pub(crate) struct List {
    dim: usize,
    len: usize,
    blocks: Vec<[f64; LANES]>,
}

const LANES: usize = 8;

impl Front for List {
    fn of(point: &[f64]) -> Self {
        let mut list = Self { dim: point.len() - 1, len: 0, blocks: Vec::new() };
        list.insert(point);
        list
    }

    #[inline(always)]
    fn dominates(&self, point: &[f64]) -> bool {
        self.blocks.rchunks_exact(self.dim).any(|block| {
            let mut worst = [f64::NEG_INFINITY; LANES];
            for (column, own) in block.iter().zip(&point[1..]) {
                for (worst, other) in worst.iter_mut().zip(column) {
                    let excess = other - own;
                    *worst = if excess > *worst { excess } else { *worst };
                }
            }
            worst.iter().fold(f64::INFINITY, |least, worst| if *worst < least { *worst } else { least })
                <= 0.0
        })
    }

    fn insert(&mut self, point: &[f64]) {
        let lane = self.len % LANES;
        if lane == 0 {
            self.blocks.resize(self.blocks.len() + self.dim, [f64::INFINITY; LANES]);
        }
        let last = self.blocks.len() - self.dim;
        for (column, value) in self.blocks[last..].iter_mut().zip(&point[1..]) {
            column[lane] = *value;
        }
        self.len += 1;
    }
}

/// Indices in lexicographic order of the points; of equal points the first comes first.
pub(crate) fn lexicographic(points: PointsRef<'_>) -> Vec<usize> {
    // Adding zero turns -0 into 0, since total_cmp distinguishes them. Most comparisons end at the first objective, so it is stored here.
    let mut order: Vec<(f64, usize)> = points.rows().map(|row| row[0] + 0.0).zip(0..).collect();
    order.sort_unstable_by(|a, b| {
        a.0.total_cmp(&b.0).then_with(|| compare(points.row(a.1), points.row(b.1))).then(a.1.cmp(&b.1))
    });
    order.into_iter().map(|(_, index)| index).collect()
}

fn compare(a: &[f64], b: &[f64]) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}
