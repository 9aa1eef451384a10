//! Hypervolume of four objectives.

use super::dim3;
use crate::staircase::Staircase;

/// Buffers of a hypervolume in four dimensions, kept for the next one.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    front: Vec<[f64; 3]>,
    stairs: Staircase,
}

impl Sweep {
    pub(super) fn new() -> Self {
        Self { front: Vec::new(), stairs: Staircase::new([0.0; 2]) }
    }

    /// Hypervolume in four dimensions by a sweep along the fourth; sorts the points.
    ///
    /// A point adds the volume that only it dominates among the three-dimensional front of those below it, times its
    /// distance to the top. That front is kept sorted by the third coordinate. O(n · front).
    /// Source: the idea of `HV4D+`, Guerreiro & Fonseca (2018); departure: arrays for linked lists.
    pub(super) fn volume(&mut self, points: &mut [[f64; 4]], reference: [f64; 4]) -> f64 {
        points.sort_unstable_by(|a, b| a[3].total_cmp(&b[3]));
        let [rx, ry, rz, rw] = reference;
        self.front.clear();
        let mut total = 0.0;
        for &[x, y, z, w] in &*points {
            if let Some(volume) = dim3::exclusive(&self.front, [x, y, z], [rx, ry, rz], &mut self.stairs) {
                total += volume * (rw - w);
                self.enter([x, y, z]);
            }
        }
        total
    }

    /// Adds a point to the front in its place and removes those that it dominates.
    fn enter(&mut self, point: [f64; 3]) {
        let place = self.front.partition_point(|other| other[2] < point[2]);
        self.front.insert(place, point);
        let mut kept = place + 1;
        for at in place + 1..self.front.len() {
            let other = self.front[at];
            if other[0] < point[0] || other[1] < point[1] {
                self.front[kept] = other;
                kept += 1;
            }
        }
        self.front.truncate(kept);
    }
}
