//! Bins of a batch of groups, as sets of groups and of rows.

use thrifty_simd::{VectorLoop, dispatch};

use super::SET;
use super::order::{Order, Sorter, rows_with};
use super::rows::{Feature, GroupedRows, Part};
use crate::table::{Bins, bin};
use crate::tree::Node;

/// Up to [`SET`] groups of up to [`SET`] rows.
pub(super) struct Batch {
    features: Vec<Codes>,
    /// By feature and code: the groups that a node with this code does not split.
    sides: Vec<Sides>,
    /// By feature that varies in a group, and code: how many rows come first in its order, group by group, because a node
    /// asks for them one after the other. These have this code or less; where the feature falls along the order, more than it.
    counts: Vec<[u8; SET]>,
    /// By feature that varies in a group: an order along which it rises or falls, group by group.
    orders: Vec<[Order; SET]>,
    /// Sets of the first rows in an order: none, one, … all of them.
    firsts: Vec<u128>,
    /// All rows of every group.
    pub(super) rows: Vec<u128>,
}

/// Codes of a feature in a batch: `low` to `low + count - 1`.
#[derive(Clone, Copy)]
struct Codes {
    low: u32,
    count: u32,
    /// First entry in the list of sides, that of codes below `low`.
    sides: u32,
    /// First entry in the list of counts, that of `low`.
    counts: u32,
    /// Entry in the list of orders.
    order: u32,
}

/// Groups with all of their rows up to a code, and groups with some.
#[derive(Clone, Copy, Default)]
pub(super) struct Sides {
    pub(super) all: u128,
    pub(super) some: u128,
}

/// Rows that a node sends to the left.
pub(super) struct Left<'a> {
    counts: &'a [u8; SET],
    orders: &'a [Order; SET],
    firsts: &'a [u128],
}

impl Left<'_> {
    /// Rows of a group that go left, among others that it does not have.
    #[inline(always)]
    pub(super) fn of(&self, group: usize) -> u128 {
        let Order { firsts, falls } = self.orders[group];
        let first = self.firsts[firsts as usize + usize::from(self.counts[group])];
        if falls { !first } else { first }
    }
}

/// Lowest and highest code of a feature in a group.
type Span = (u16, u16);

/// The set of the first `count` members, at most [`SET`].
pub(super) fn first(count: usize) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (SET - count) }
}

impl Batch {
    /// Bins and sorts the rows of these parts.
    pub(super) fn new(bins: &Bins, rows: &GroupedRows, parts: &[Part]) -> Self {
        let columns = bins.columns();
        let batch = Self {
            features: Vec::with_capacity(columns),
            sides: Vec::new(),
            counts: Vec::new(),
            orders: Vec::new(),
            firsts: Vec::new(),
            rows: parts.iter().map(|part| first(part.rows)).collect(),
        };
        dispatch(Filling { batch, bins, rows, parts })
    }

    /// Groups that a node does not split.
    #[inline(always)]
    pub(super) fn sides(&self, node: Node) -> Sides {
        let codes = self.features[usize::from(node.feature)];
        let side = (u32::from(node.code) + 1).saturating_sub(codes.low).min(codes.count);
        self.sides[(codes.sides + side) as usize]
    }

    /// Rows that a node sends to the left. Asked for nodes that split a group alone, and for the groups that they split.
    #[inline(always)]
    pub(super) fn left(&self, node: Node) -> Left<'_> {
        let codes = self.features[usize::from(node.feature)];
        let counts = &self.counts[(codes.counts + u32::from(node.code) - codes.low) as usize];
        Left { counts, orders: &self.orders[codes.order as usize], firsts: &self.firsts }
    }

    /// Appends the sides of a feature with these codes.
    fn add_sides(&mut self, spans: &[Span]) {
        let low = spans.iter().map(|span| u32::from(span.0)).min().unwrap_or(0);
        let high = spans.iter().map(|span| u32::from(span.1)).max().unwrap_or(0);
        let (at, count) = (self.sides.len(), high - low + 1);
        let (counts, order) = (self.counts.len() as u32, self.orders.len() as u32);
        self.features.push(Codes { low, count, sides: at as u32, counts, order });
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

    /// Appends the counts of the feature that was added last for every code, and the orders.
    #[inline(always)]
    fn add_counts(&mut self, spans: &[Span], borders: &[f32], sorter: &Sorter) {
        let from = self.counts.len();
        let Codes { low, count, .. } = self.features[self.features.len() - 1];
        self.counts.resize(from + count as usize, [0; SET]);
        let counts = &mut self.counts[from..];
        let mut orders = [Order::default(); SET];
        for (group, (own, high)) in spans.iter().enumerate() {
            // No other code is asked for in groups with one alone.
            if own == high {
                continue;
            }
            let (order, values) = sorter.last(group);
            orders[group] = order;
            for code in *own..*high {
                let border = borders[usize::from(code)];
                let first = if order.falls {
                    rows_with(values, |x| x > border)
                } else {
                    rows_with(values, |x| x <= border)
                };
                counts[usize::from(code) - low as usize][group] = first as u8;
            }
        }
        self.orders.push(orders);
    }
}

/// Bins and sorts rows, feature by feature.
struct Filling<'a> {
    batch: Batch,
    bins: &'a Bins,
    rows: &'a GroupedRows,
    parts: &'a [Part],
}

impl VectorLoop for Filling<'_> {
    type Output = Batch;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Batch {
        let Self { mut batch, bins, rows, parts } = self;
        let mut spans = vec![(0, 0); parts.len()];
        let mut sorter = Sorter::new(parts.len());
        for feature in 0..bins.columns() {
            let borders = bins.borders(feature);
            let mut varies = false;
            for (group, (part, span)) in parts.iter().zip(&mut spans).enumerate() {
                let (low, high) = match rows.feature(part, feature) {
                    Feature::Shared(x) => (x, x),
                    Feature::Varying(values) => sorter.sort(group, values, &mut batch.firsts),
                };
                let code = bin(borders, low);
                let above = if low < high { bin(&borders[usize::from(code)..], high) } else { 0 };
                *span = (code, code + above);
                varies |= above > 0;
            }
            batch.add_sides(&spans);
            if varies {
                batch.add_counts(&spans, borders, &sorter);
            }
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_so_many_are_a_set() {
        assert_eq!([0, 1, 64, 127, 128].map(|count| first(count).count_ones()), [0, 1, 64, 127, 128]);
        assert_eq!((first(2), first(SET)), (0b11, u128::MAX));
    }

    /// A feature with borders 1, 2, 3 in two groups: the first has codes 0 to 2, the second shares code 1.
    #[test]
    fn groups_are_split_between_their_lowest_and_highest_bin() {
        let bins: Bins = serde_json::from_str("[[1.0, 2.0, 3.0]]").unwrap();
        let mut rows = GroupedRows::new(1);
        rows.push(3, &[0.0]).unwrap();
        rows.vary(0, [0.5, 2.5, 2.0]).unwrap();
        rows.push(2, &[1.5]).unwrap();
        let batch = Batch::new(&bins, &rows, &rows.parts(SET));
        let node = |code| Node { code, feature: 0, left: 1 };
        let sides = |code| {
            let Sides { all, some } = batch.sides(node(code));
            (all, some)
        };
        assert_eq!([0, 1, 2, 3].map(sides), [(0, 0b01), (0b10, 0b11), (0b11, 0b11), (0b11, 0b11)]);
        // Rows of the first group with bin 0, and with bin 0 or 1.
        assert_eq!([0, 1].map(|code| batch.left(node(code)).of(0)), [0b001, 0b101]);
        assert_eq!(batch.rows, [0b111, 0b11]);
    }

    /// Features that rise and fall together share an order; what is not a number lies in the first bin.
    #[test]
    fn features_of_one_number_share_an_order() {
        let bins: Bins = serde_json::from_str("[[1.0, 2.0], [-2.0, -1.0], [1.0, 2.0]]").unwrap();
        let mut rows = GroupedRows::new(3);
        rows.push(4, &[0.0; 3]).unwrap();
        rows.vary(0, [2.5, 0.5, 1.5, 0.5]).unwrap();
        rows.vary(1, [-2.5, -0.5, -1.5, -0.5]).unwrap();
        rows.vary(2, [f32::NAN, 1.5, f32::INFINITY, f32::NEG_INFINITY]).unwrap();
        let batch = Batch::new(&bins, &rows, &rows.parts(SET));
        let left = |feature, code| batch.left(Node { code, feature, left: 1 }).of(0) & 0b1111;
        assert_eq!([left(0, 0), left(0, 1)], [0b1010, 0b1110]);
        assert_eq!([left(1, 0), left(1, 1)], [0b0001, 0b0101]);
        assert_eq!([left(2, 0), left(2, 1)], [0b1001, 0b1011]);
        // Two orders of four rows.
        assert_eq!(batch.firsts.len(), 2 * 5);
    }
}
