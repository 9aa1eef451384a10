//! Predictions for groups of rows that share most of their features.

use thrifty_check::InputError;

use crate::TreesError;
use crate::rows::predict;
use crate::table::{Bins, bin};
use crate::tree::{Node, Tree};

/// Groups per batch, and rows per group: a set of either is one word.
const SET: usize = 128;
/// A feature with more bins than this makes the sets of a batch larger than the cache.
const MOST_BINS: usize = 1 << 11;
/// More sets than this are copied faster all together than one by one.
const MANY: u32 = 24;
/// Fewer rows per group than this are predicted faster one by one.
const FEWEST: usize = 4;

/// The predictions of [`predict`] to the bit, for rows in groups of these lengths.
///
/// Rows go down a tree as sets, not one by one. A node sends a whole group to one side unless its feature differs within the group
/// and its border lies between; only then are the rows of the group split. Cost per tree: the nodes that any row reaches, and the
/// splits of groups, instead of rows × depth.
pub(crate) fn predict_groups(
    bins: &Bins,
    trees: &[Tree],
    base: f64,
    scale: f64,
    rows: &[f32],
    groups: &[usize],
) -> Result<Vec<f64>, TreesError> {
    let columns = bins.columns();
    let total: usize = groups.iter().sum();
    if rows.len() != total * columns {
        let (found, expected) = (rows.len(), total * columns);
        return Err(InputError::Length { name: "features", found, expected }.into());
    }
    if total < FEWEST * groups.len() || bins.most() > MOST_BINS {
        return predict(bins, trees, base, scale, rows);
    }
    // Long groups are cut, so that their rows fit into a set.
    let parts: Vec<usize> = groups
        .iter()
        .flat_map(|rows| (0..*rows).step_by(SET).map(move |from| (rows - from).min(SET)))
        .collect();
    let mut out = vec![base; total];
    let mut descent = Descent::default();
    let (mut rows, mut slots) = (rows, &mut out[..]);
    for parts in parts.chunks(SET) {
        let count: usize = parts.iter().sum();
        let (own, rest) = rows.split_at(count * columns);
        let (here, others) = slots.split_at_mut(count);
        let batch = Batch::new(bins, own, parts);
        for tree in trees {
            descent.add(tree, &batch, scale, here);
        }
        (rows, slots) = (rest, others);
    }
    Ok(out)
}

/// The bins of a batch of groups, as sets.
struct Batch {
    features: Vec<Codes>,
    /// By feature and code: the groups that a node with this code does not split.
    sides: Vec<Sides>,
    /// By feature that varies in a group, code and group: rows with this code or less. Groups lie together, because a node asks for them
    /// one after the other.
    up_to: Vec<u128>,
    /// First row of every group.
    starts: Vec<u32>,
    /// All rows of every group.
    rows: Vec<u128>,
}

/// Codes of a feature in a batch: `low` to `low + count - 1`.
#[derive(Clone, Copy)]
struct Codes {
    low: u32,
    count: u32,
    /// First entry in the list of sides, that of codes below `low`.
    sides: u32,
    /// First entry in the list of sets of rows, that of `low` and the first group.
    up_to: u32,
}

/// Groups with all of their rows up to a code, and groups with some.
#[derive(Clone, Copy, Default)]
struct Sides {
    all: u128,
    some: u128,
}

/// Lowest and highest code of a feature in a group.
type Span = (u16, u16);

/// The set of the first so many, at most [`SET`].
fn first(count: usize) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (SET - count) }
}

impl Batch {
    fn new(bins: &Bins, rows: &[f32], parts: &[usize]) -> Self {
        let columns = bins.columns();
        let mut batch = Self {
            features: Vec::with_capacity(columns),
            sides: Vec::new(),
            up_to: Vec::new(),
            starts: Vec::with_capacity(parts.len()),
            rows: parts.iter().map(|count| first(*count)).collect(),
        };
        // By feature and group.
        let mut spans = vec![(0, 0); columns * parts.len()];
        let (mut from, mut ranges) = (0, Ranges::new(columns));
        for (group, count) in parts.iter().enumerate() {
            batch.starts.push(from as u32);
            ranges.of(&rows[from * columns..(from + count) * columns]);
            for feature in 0..columns {
                spans[feature * parts.len() + group] = ranges.codes(feature, bins.borders(feature));
            }
            from += count;
        }
        for (feature, spans) in spans.chunks_exact(parts.len().max(1)).enumerate() {
            batch.add_sides(spans);
            if spans.iter().any(|(low, high)| low < high) {
                batch.add_rows(feature, spans, bins.borders(feature), rows, columns);
            }
        }
        batch
    }

    /// Groups that a node does not split.
    fn sides(&self, node: Node) -> Sides {
        let codes = self.features[usize::from(node.feature)];
        let side = (u32::from(node.code) + 1).saturating_sub(codes.low).min(codes.count);
        self.sides[(codes.sides + side) as usize]
    }

    /// Rows of every group that a node sends to the left. Asked for nodes that split a group alone.
    fn left(&self, node: Node) -> &[u128] {
        let codes = self.features[usize::from(node.feature)];
        let at = (u32::from(node.code) - codes.low) as usize * self.rows.len();
        &self.up_to[codes.up_to as usize + at..][..self.rows.len()]
    }

    /// Appends the sides of a feature with these codes.
    fn add_sides(&mut self, spans: &[Span]) {
        let low = spans.iter().map(|span| u32::from(span.0)).min().unwrap_or(0);
        let high = spans.iter().map(|span| u32::from(span.1)).max().unwrap_or(0);
        let (at, count) = (self.sides.len(), high - low + 1);
        self.features.push(Codes { low, count, sides: at as u32, up_to: self.up_to.len() as u32 });
        // The first has no group on the left, the last has all.
        self.sides.resize(at + count as usize + 1, Sides::default());
        let sides = &mut self.sides[at..];
        for (group, span) in spans.iter().enumerate() {
            sides[(u32::from(span.0) - low) as usize + 1].some |= 1 << group;
            sides[(u32::from(span.1) - low) as usize + 1].all |= 1 << group;
        }
        let mut below = Sides::default();
        for side in sides {
            below = Sides { all: below.all | side.all, some: below.some | side.some };
            *side = below;
        }
    }

    /// Appends the sets of rows up to every code of the feature that was added last.
    fn add_rows(&mut self, feature: usize, spans: &[Span], borders: &[f32], rows: &[f32], columns: usize) {
        let (groups, from) = (self.rows.len(), self.up_to.len());
        let Codes { low, count, .. } = self.features[feature];
        self.up_to.resize(from + count as usize * groups, 0);
        let sets = &mut self.up_to[from..];
        for (group, (own, high)) in spans.iter().enumerate() {
            // No other code is asked for in groups with one alone.
            if own == high {
                continue;
            }
            let between = &borders[usize::from(*own)..usize::from(*high)];
            let values = rows[self.starts[group] as usize * columns + feature..].iter().step_by(columns);
            for (row, value) in values.take(self.rows[group].count_ones() as usize).enumerate() {
                let code = usize::from(*own) + usize::from(bin(between, *value)) - low as usize;
                sets[code * groups + group] |= 1 << row;
            }
        }
        for at in groups..sets.len() {
            sets[at] |= sets[at - groups];
        }
    }
}

/// Smallest and largest value of every feature in a group.
struct Ranges {
    low: Vec<f32>,
    high: Vec<f32>,
    /// True if a value is not a number; these lie in the first bin.
    broken: Vec<bool>,
}

impl Ranges {
    fn new(columns: usize) -> Self {
        Self { low: vec![0.0; columns], high: vec![0.0; columns], broken: vec![false; columns] }
    }

    fn of(&mut self, rows: &[f32]) {
        self.low.fill(f32::INFINITY);
        self.high.fill(f32::NEG_INFINITY);
        self.broken.fill(false);
        for row in rows.chunks_exact(self.low.len()) {
            let ends = self.low.iter_mut().zip(&mut self.high).zip(&mut self.broken);
            for (((low, high), broken), x) in ends.zip(row) {
                *low = if *x < *low { *x } else { *low };
                *high = if *x > *high { *x } else { *high };
                *broken |= x.is_nan();
            }
        }
    }

    fn codes(&self, feature: usize, borders: &[f32]) -> (u16, u16) {
        let (low, high) = (self.low[feature], self.high[feature]);
        (if self.broken[feature] { 0 } else { bin(borders, low) }, bin(borders, high))
    }
}

/// Room for the way down, used again for every tree.
#[derive(Default)]
struct Descent {
    /// Node, groups there, and the list of their rows.
    open: Vec<(u32, u128, usize)>,
    /// Rows of every group at a node. Nodes with other groups share a list.
    lists: Vec<Vec<u128>>,
}

impl Descent {
    /// Adds what a tree predicts for every row, times `scale`.
    fn add(&mut self, tree: &Tree, batch: &Batch, scale: f64, out: &mut [f64]) {
        let groups = batch.rows.len();
        self.lists.resize_with(tree.depth as usize + 1, Vec::new);
        for list in &mut self.lists {
            list.resize(groups, 0);
        }
        self.lists[0].copy_from_slice(&batch.rows);
        self.open.push((0, first(groups), 0));
        while let Some((mut at, mut active, mut list)) = self.open.pop() {
            loop {
                let node = tree.nodes[at as usize];
                let Sides { all, some } = batch.sides(node);
                let (mut left, mut right) = (active & all, active & !some);
                let split = active & some & !all;
                if split != 0 {
                    let (low, high) = self.split(node, batch, list, left, split);
                    (left, right) = (left | low, right | high);
                    if right != 0 {
                        self.open.push((node.left + 1, right, list));
                    }
                    if left == 0 {
                        break;
                    }
                    list += 1;
                } else if left == 0 {
                    at = node.left + 1;
                    continue;
                } else if right != 0 {
                    self.open.push((node.left + 1, right, list));
                } else if node.left == at {
                    let value = scale * f64::from(tree.values[at as usize]);
                    let rows = &self.lists[list];
                    each(active, |group, _| {
                        let slots = &mut out[batch.starts[group] as usize..];
                        each(rows[group], |row, _| slots[row] += value);
                    });
                    break;
                }
                (at, active) = (node.left, left);
            }
        }
    }

    /// Splits the rows of some groups at a node: those on its right stay in their list, those on its left go to the next one, with
    /// the groups that go left as a whole. The groups with rows on the left, and on the right.
    fn split(&mut self, node: Node, batch: &Batch, list: usize, whole: u128, split: u128) -> (u128, u128) {
        let (groups, up_to) = (batch.rows.len(), batch.left(node));
        let (before, after) = self.lists.split_at_mut(list + 1);
        let (here, below) = (&mut before[list][..groups], &mut after[0][..groups]);
        if whole.count_ones() > MANY {
            below.copy_from_slice(here);
        } else {
            each(whole, |group, _| below[group] = here[group]);
        }
        let (mut left, mut right) = ([0, 0], [0, 0]);
        each(split, |group, bit| {
            let (low, high) = (here[group] & up_to[group], here[group] & !up_to[group]);
            left[group / 64] |= if low == 0 { 0 } else { bit };
            right[group / 64] |= if high == 0 { 0 } else { bit };
            (below[group], here[group]) = (low, high);
        });
        let whole = |halves: [u64; 2]| u128::from(halves[0]) | u128::from(halves[1]) << 64;
        (whole(left), whole(right))
    }
}

/// Calls for every member of a set in rising order, with its bit in its half of the set.
fn each(set: u128, mut call: impl FnMut(usize, u64)) {
    let halves = [set as u64, (set >> 64) as u64];
    for (mut half, from) in halves.into_iter().zip([0, 64]) {
        while half != 0 {
            call(from + half.trailing_zeros() as usize, half & half.wrapping_neg());
            half &= half - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_members_in_order() {
        let members = |set| {
            let mut found = Vec::new();
            each(set, |member, bit| found.push((member, bit)));
            found
        };
        assert_eq!(members(0), []);
        assert_eq!(members(0b101), [(0, 1), (2, 4)]);
        assert_eq!(members(1 << 63 | 1 << 64 | 1 << 127), [(63, 1 << 63), (64, 1), (127, 1 << 63)]);
        assert_eq!([0, 1, 64, 127, 128].map(|count| first(count).count_ones()), [0, 1, 64, 127, 128]);
        assert_eq!((first(2), first(SET)), (0b11, u128::MAX));
    }

    /// Two groups of a feature with borders 1, 2, 3: the first has codes 0 to 2, the second code 1 alone.
    #[test]
    fn groups_are_split_between_their_lowest_and_highest_bin() {
        let bins: Bins = serde_json::from_str("[[1.0, 2.0, 3.0]]").unwrap();
        let batch = Batch::new(&bins, &[0.5, 2.5, 2.0, 1.5, 2.0], &[3, 2]);
        let sides = |code| {
            let Sides { all, some } = batch.sides(Node { code, feature: 0, left: 1 });
            (all, some)
        };
        assert_eq!([0, 1, 2, 3].map(sides), [(0, 0b01), (0b10, 0b11), (0b11, 0b11), (0b11, 0b11)]);
        // Rows of the first group with bin 0, with bin 0 or 1, and all.
        let first: Vec<u128> = batch.up_to.iter().step_by(2).copied().collect();
        let expected = (vec![0b001, 0b101, 0b111], vec![0, 3], vec![0b111, 0b11]);
        assert_eq!((first, batch.starts, batch.rows), expected);
    }

    #[test]
    fn what_is_not_a_number_lies_in_the_first_bin() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let borders = [1.0, 2.0];
        let codes = |values: &[f32]| {
            let mut ranges = Ranges::new(1);
            ranges.of(values);
            ranges.codes(0, &borders)
        };
        assert_eq!([codes(&[nan]), codes(&[nan, 1.5]), codes(&[9.0, nan])], [(0, 0), (0, 1), (0, 2)]);
        assert_eq!([codes(&[inf, -inf]), codes(&[inf, inf]), codes(&[-inf])], [(0, 2), (2, 2), (0, 0)]);
        assert_eq!([codes(&[1.0, 1.0]), codes(&[0.0, -0.0]), codes(&[2.0, 1.1])], [(0, 0), (0, 0), (1, 1)]);
    }
}
