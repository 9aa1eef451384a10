//! Structure of arrays of three-dimensional points, for vector comparisons.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use crate::staircase::Staircase;

/// Number of points that are compared at once.
const LANES: usize = 8;

/// Three-dimensional points, ascending in the third coordinate, with one vector per coordinate.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl FromIterator<[f64; 3]> for Columns {
    fn from_iter<I: IntoIterator<Item = [f64; 3]>>(points: I) -> Self {
        let mut columns = Self::default();
        for [x, y, z] in points {
            columns.x.push(x);
            columns.y.push(y);
            columns.z.push(z);
        }
        columns
    }
}

impl Columns {
    pub(super) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
    }

    /// Replaces a point by another.
    pub(super) fn set(&mut self, at: usize, [x, y, z]: [f64; 3]) {
        self.x[at] = x;
        self.y[at] = y;
        self.z[at] = z;
    }

    /// Inserts a point in order and removes those that it dominates.
    #[inline(always)]
    pub(super) fn enter(&mut self, [x, y, z]: [f64; 3]) {
        let place = self.z.partition_point(|other| *other < z);
        let is_behind = |other_x: f64, other_y: f64| other_x >= x && other_y >= y;
        let Some(first) = self.first(place, is_behind) else {
            self.x.insert(place, x);
            self.y.insert(place, y);
            self.z.insert(place, z);
            return;
        };
        // The first removed point gives its slot to the points in between.
        let make_room = |column: &mut Vec<f64>, value: f64| {
            column.copy_within(place..first, place + 1);
            column[place] = value;
        };
        make_room(&mut self.x, x);
        make_room(&mut self.y, y);
        make_room(&mut self.z, z);
        let (mut kept, mut read) = (first + 1, first + 1);
        while read < self.z.len() {
            let next = self.first(read, is_behind).unwrap_or(self.z.len());
            for column in [&mut self.x, &mut self.y, &mut self.z] {
                column.copy_within(read..next, kept);
            }
            kept += next - read;
            read = next + 1;
        }
        self.x.truncate(kept);
        self.y.truncate(kept);
        self.z.truncate(kept);
    }

    /// Volume that a point adds to these; `None` if one of them weakly dominates it.
    ///
    /// ```text
    /// ∫ (area right of and above (x, y) that no other at or below z' covers) dz'   from z to the top
    /// ```
    ///
    /// The integration ends, usually soon, where a point covers the whole area.
    #[inline(always)]
    pub(super) fn exclusive(
        &self,
        [x, y, z]: [f64; 3],
        reference: [f64; 3],
        stairs: &mut Staircase,
    ) -> Option<f64> {
        let above = self.z.partition_point(|other| *other <= z);
        // Points left of and below the point cut the area to a rectangle; few of the others reach into it.
        let [right, top] = self.corner(above, [x, y], [reference[0], reference[1]]);
        if top <= y {
            return None;
        }
        stairs.reset([right, top]);
        let mut free = (right - x) * (top - y);
        // From the top down: the nearest cover most, and covered parts cost least.
        #[allow(clippy::needless_bitwise_bool)] // without branches, so that a block is compared at once
        let is_inside =
            |other_x: f64, other_y: f64| (other_x > x) & (other_x < right) & (other_y > y) & (other_y < top);
        let mut end = above;
        while let Some(at) = self.last(end, is_inside) {
            free -= stairs.insert(self.x[at], self.y[at]);
            end = at;
        }
        let (mut level, mut total) = (z, 0.0);
        for at in above..self.z.len() {
            let other = [self.x[at], self.y[at]];
            total += free.max(0.0) * (self.z[at] - level);
            level = self.z[at];
            if other[0] <= x && other[1] <= y {
                return Some(total);
            }
            if other[0] < right && other[1] < top {
                free -= stairs.insert(other[0].max(x), other[1].max(y));
            }
        }
        Some(total + free.max(0.0) * (reference[2] - level))
    }

    /// Upper right corner of the area that the points before `end` leave to (x, y): the smallest x of those below it, the smallest y of
    /// those left of it.
    #[inline(always)]
    fn corner(&self, end: usize, [x, y]: [f64; 2], [right, top]: [f64; 2]) -> [f64; 2] {
        let least = |a: f64, b: f64| if a < b { a } else { b };
        let (mut rights, mut tops) = ([right; LANES], [top; LANES]);
        let (blocks_x, rest_x) = self.x[..end].as_chunks::<LANES>();
        let (blocks_y, rest_y) = self.y[..end].as_chunks::<LANES>();
        for (xs, ys) in blocks_x.iter().zip(blocks_y) {
            for lane in 0..LANES {
                tops[lane] = least(if xs[lane] <= x { ys[lane] } else { top }, tops[lane]);
                rights[lane] = least(if ys[lane] <= y { xs[lane] } else { right }, rights[lane]);
            }
        }
        for (other_x, other_y) in rest_x.iter().zip(rest_y) {
            tops[0] = least(if *other_x <= x { *other_y } else { top }, tops[0]);
            rights[0] = least(if *other_y <= y { *other_x } else { right }, rights[0]);
        }
        [rights, tops].map(|lanes| lanes.into_iter().fold(f64::INFINITY, least))
    }

    /// First point from `start` on whose x and y satisfy a predicate.
    #[inline(always)]
    fn first(&self, start: usize, is: impl Fn(f64, f64) -> bool) -> Option<usize> {
        let (x, y) = (&self.x[start..], &self.y[start..]);
        let (blocks_x, blocks_y) = (x.as_chunks::<LANES>().0, y.as_chunks::<LANES>().0);
        let block = blocks_x.iter().zip(blocks_y).position(|(xs, ys)| any(xs, ys, &is));
        let from = block.unwrap_or(blocks_x.len()) * LANES;
        (from..x.len()).find(|at| is(x[*at], y[*at])).map(|at| start + at)
    }

    /// Last point before `end` whose x and y satisfy a predicate.
    #[inline(always)]
    fn last(&self, end: usize, is: impl Fn(f64, f64) -> bool) -> Option<usize> {
        let (x, y) = (&self.x[..end], &self.y[..end]);
        let (blocks_x, blocks_y) = (x.as_rchunks::<LANES>().1, y.as_rchunks::<LANES>().1);
        let block = blocks_x.iter().zip(blocks_y).rposition(|(xs, ys)| any(xs, ys, &is));
        let rest = end % LANES;
        let to = block.map_or(rest, |block| rest + (block + 1) * LANES);
        (0..to).rev().find(|at| is(x[*at], y[*at]))
    }
}

/// True if a point of a block satisfies the predicate.
#[inline(always)]
fn any(xs: &[f64; LANES], ys: &[f64; LANES], is: impl Fn(f64, f64) -> bool) -> bool {
    let mut found = false;
    for (x, y) in xs.iter().zip(ys) {
        found |= is(*x, *y);
    }
    found
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    /// Blocks of eight and what is left of them, against a list of points.
    #[test]
    fn points_enter_and_are_found_as_in_a_list() {
        let mut stream = Seed(7).stream("columns", 0);
        let (mut columns, mut list) = (Columns::default(), Vec::<[f64; 3]>::new());
        for step in 0..600 {
            // Few levels, so that coordinates are equal; a plane, so that many points stay.
            let mut value = || stream.index(30) as f64;
            let (x, y) = (value(), value());
            let point = [x, y, 60.0 - x - y + value() / 3.0];
            columns.enter(point);
            list.retain(|other| other[2] < point[2] || other[0] < x || other[1] < y);
            list.insert(list.partition_point(|other| other[2] < point[2]), point);
            let found: Vec<[f64; 3]> =
                (0..columns.z.len()).map(|at| [columns.x[at], columns.y[at], columns.z[at]]).collect();
            assert_eq!(found, list, "step {step}");
            let is = |x: f64, y: f64| x > 20.0 && y < 10.0;
            let (from, to) = (stream.index(list.len() + 1), stream.index(list.len() + 1));
            assert_eq!(columns.first(from, is), (from..list.len()).find(|at| is(list[*at][0], list[*at][1])));
            assert_eq!(columns.last(to, is), (0..to).rev().find(|at| is(list[*at][0], list[*at][1])));
        }
        assert!(list.len() > 20);
    }
}
