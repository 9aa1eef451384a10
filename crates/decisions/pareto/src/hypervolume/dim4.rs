//! Hypervolume of four objectives.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use thrifty_simd::{VectorLoop, dispatch};

use super::columns::Columns;
use crate::staircase::Staircase;

/// Buffers of a hypervolume in four dimensions, reused by the next one.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    front: Columns,
    stairs: Staircase,
}

impl Sweep {
    pub(super) fn new() -> Self {
        Self { front: Columns::default(), stairs: Staircase::new([0.0; 2]) }
    }

    /// Hypervolume in four dimensions by a sweep along the fourth; sorts the points.
    ///
    /// A point adds the volume that only it dominates, relative to the three-dimensional front of the points below it, times its distance
    /// to the top. That front is kept sorted by the third coordinate. O(n · front).
    /// Source: the idea of `HV4D+`, Guerreiro & Fonseca (2018); departure: columns in place of linked lists.
    pub(super) fn volume(&mut self, points: &mut [[f64; 4]], reference: [f64; 4]) -> f64 {
        points.sort_unstable_by(|a, b| a[3].total_cmp(&b[3]));
        self.front.clear();
        dispatch(Volume { sweep: self, points, reference })
    }
}

/// The sweep over sorted points.
struct Volume<'a> {
    sweep: &'a mut Sweep,
    points: &'a [[f64; 4]],
    reference: [f64; 4],
}

impl VectorLoop for Volume<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let Sweep { front, stairs } = self.sweep;
        let [rx, ry, rz, rw] = self.reference;
        let mut total = 0.0;
        for &[x, y, z, w] in self.points {
            if let Some(volume) = front.exclusive([x, y, z], [rx, ry, rz], stairs) {
                total += volume * (rw - w);
                front.enter([x, y, z]);
            }
        }
        total
    }
}
