//! The way of a batch of groups down a tree.

use thrifty_simd::{InstructionSet, VectorLoop, dispatch, instruction_set};

use super::SET;
use super::batch::{Batch, Sides, first};
use crate::tree::{Node, Tree};

/// More sets than this are copied faster all together than one by one.
const MANY: u32 = 24;

/// Sums over trees, [`SET`] rows a group.
pub(super) struct Sums {
    groups: Vec<[f64; SET]>,
    /// Rows of the largest group, in whole vectors.
    rows: usize,
    /// True if a value is added to vectors under masks, false if to one row of a set after the other.
    masked: bool,
}

impl Sums {
    pub(super) fn new(batch: &Batch, base: f64) -> Self {
        let most = batch.rows.iter().map(|rows| rows.count_ones()).max().unwrap_or(0);
        Self {
            groups: vec![[base; SET]; batch.rows.len()],
            rows: most.next_multiple_of(8) as usize,
            masked: instruction_set() == InstructionSet::Avx512,
        }
    }

    /// Appends the sums of the rows that there are.
    pub(super) fn append_to(&self, batch: &Batch, out: &mut Vec<f64>) {
        for (sums, rows) in self.groups.iter().zip(&batch.rows) {
            out.extend_from_slice(&sums[..rows.count_ones() as usize]);
        }
    }

    /// Adds a value to the sums of a set of rows.
    #[inline(always)]
    fn add(&mut self, group: usize, set: u128, value: f64) {
        let sums = &mut self.groups[group];
        if !self.masked {
            each(set, |row, _| sums[row] += value);
            return;
        }
        for (word, sums) in [set as u64, (set >> 64) as u64].into_iter().zip(sums[..self.rows].chunks_mut(64))
        {
            for (row, sum) in sums.iter_mut().enumerate() {
                *sum = if word >> (row % 64) & 1 == 1 { *sum + value } else { *sum };
            }
        }
    }
}

/// Buffers of a descent, used again for every tree.
#[derive(Default)]
pub(super) struct Descent {
    open: Vec<Open>,
    /// Rows of every group at a node. Nodes with other groups share a list.
    lists: Vec<Vec<u128>>,
}

/// A node that is still to be visited. It is loaded when it is pushed, so that popping it does not wait for memory.
struct Open {
    node: Node,
    at: u32,
    /// Groups that reach it.
    active: u128,
    /// List of the rows of these groups.
    list: usize,
}

impl Descent {
    /// Adds what a tree predicts for every row, times `scale`.
    pub(super) fn add(&mut self, tree: &Tree, batch: &Batch, scale: f64, sums: &mut Sums) {
        dispatch(Way { descent: self, tree, batch, scale, sums });
    }
}

/// The way of all groups down a tree.
struct Way<'a> {
    descent: &'a mut Descent,
    tree: &'a Tree,
    batch: &'a Batch,
    scale: f64,
    sums: &'a mut Sums,
}

impl VectorLoop for Way<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { descent, tree, batch, scale, sums } = self;
        descent.begin(tree, batch);
        while let Some(Open { mut node, mut at, mut active, mut list }) = descent.open.pop() {
            loop {
                let Sides { all, some } = batch.sides(node);
                let (mut left, mut right) = (active & all, active & !some);
                let split = active & some & !all;
                if split != 0 {
                    let (low, high) = descent.split(node, batch, list, left, split);
                    (left, right) = (left | low, right | high);
                    descent.leave_open(tree, node, right, list);
                    if left == 0 {
                        break;
                    }
                    list += 1;
                } else if left == 0 {
                    at = node.left + 1;
                    node = tree.nodes[at as usize];
                    continue;
                } else if right == 0 && node.left == at {
                    let value = scale * f64::from(tree.values[at as usize]);
                    let rows = &descent.lists[list];
                    each(active, |group, _| sums.add(group, rows[group], value));
                    break;
                } else {
                    descent.leave_open(tree, node, right, list);
                }
                (at, active) = (node.left, left);
                node = tree.nodes[at as usize];
            }
        }
    }
}

impl Descent {
    /// Leaves all rows at the root.
    fn begin(&mut self, tree: &Tree, batch: &Batch) {
        let groups = batch.rows.len();
        self.lists.resize_with(tree.depth as usize + 1, Vec::new);
        for list in &mut self.lists {
            list.resize(groups, 0);
        }
        self.lists[0].copy_from_slice(&batch.rows);
        self.open.push(Open { node: tree.nodes[0], at: 0, active: first(groups), list: 0 });
    }

    /// Puts off the right of a node, if groups go there.
    #[inline(always)]
    fn leave_open(&mut self, tree: &Tree, node: Node, right: u128, list: usize) {
        if right != 0 {
            let at = node.left + 1;
            self.open.push(Open { node: tree.nodes[at as usize], at, active: right, list });
        }
    }

    /// Splits the rows of some groups at a node: those on its right stay in their list, those on its left go to the next one, with
    /// the groups that go left as a whole. The groups with rows on the left, and on the right.
    #[inline(always)]
    fn split(&mut self, node: Node, batch: &Batch, list: usize, whole: u128, split: u128) -> (u128, u128) {
        let (groups, on_left) = (batch.rows.len(), batch.left(node));
        let (before, after) = self.lists.split_at_mut(list + 1);
        let (here, below) = (&mut before[list][..groups], &mut after[0][..groups]);
        if whole.count_ones() > MANY {
            below.copy_from_slice(here);
        } else {
            each(whole, |group, _| below[group] = here[group]);
        }
        let (mut left, mut right) = ([0, 0], [0, 0]);
        each(split, |group, bit| {
            let on_left = on_left.of(group);
            let (low, high) = (here[group] & on_left, here[group] & !on_left);
            left[group / 64] |= if low == 0 { 0 } else { bit };
            right[group / 64] |= if high == 0 { 0 } else { bit };
            (below[group], here[group]) = (low, high);
        });
        let whole = |halves: [u64; 2]| u128::from(halves[0]) | u128::from(halves[1]) << 64;
        (whole(left), whole(right))
    }
}

/// Calls for every member of a set in rising order, with its bit in its half of the set.
#[inline(always)]
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
    }

    /// Under masks and one by one, whatever the machine has.
    #[test]
    fn a_value_is_added_to_the_rows_of_a_set_alone() {
        let set = 1 | 1 << 5 | 1 << 63 | 1 << 64 | 1 << 99;
        for masked in [true, false] {
            let mut sums = Sums { groups: vec![[1.5; SET]; 2], rows: 104, masked };
            sums.add(1, set, 0.25);
            assert_eq!(sums.groups[0], [1.5; SET]);
            for (row, sum) in sums.groups[1].iter().enumerate() {
                assert_eq!(*sum, if set >> row & 1 == 1 { 1.75 } else { 1.5 }, "{masked} {row}");
            }
        }
    }
}
