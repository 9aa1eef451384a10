use thrifty_sampling::Stream;

use crate::Table;
use crate::tree::{Node, Tree};

/// When to stop splitting, and how many features to try.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    pub(crate) min_leaf: usize,
    pub(crate) max_depth: usize,
    pub(crate) features: usize,
}

/// Where a node is split best.
struct Split {
    gain: f64,
    feature: usize,
    /// The last bin that goes left.
    code: usize,
}

/// Room that is used again for every node.
pub(crate) struct Grower<'a> {
    table: &'a Table,
    targets: &'a [f64],
    growth: Growth,
    order: Vec<usize>,
    /// Sum of targets and number of rows by bin.
    bins: Vec<(f64, u32)>,
    /// Bin and target of few rows.
    few: Vec<(u16, f64)>,
}

impl<'a> Grower<'a> {
    pub(crate) fn new(table: &'a Table, targets: &'a [f64], growth: Growth) -> Self {
        let most = (0..table.columns()).map(|c| table.count(c)).max().unwrap_or(1);
        Self {
            table,
            targets,
            growth,
            order: (0..table.columns()).collect(),
            bins: vec![(0.0, 0); most],
            few: Vec::new(),
        }
    }

    /// A tree on these rows, which may repeat; they are reordered.
    pub(crate) fn tree(&mut self, rows: &mut [u32], rng: &mut Stream) -> Tree {
        self.tree_with_leaves(rows, rng).0
    }

    /// And every leaf with where its rows are then: (node, from, to).
    pub(crate) fn tree_with_leaves(
        &mut self,
        rows: &mut [u32],
        rng: &mut Stream,
    ) -> (Tree, Vec<(usize, usize, usize)>) {
        let mut leaves = Vec::new();
        // Trees must not depend on those before them.
        self.order.sort_unstable();
        let mut tree = Tree { nodes: vec![Node::leaf(0)], values: vec![0.0], depth: 0 };
        // (node, its rows, its depth), the last first.
        let mut open = vec![(0, 0, rows.len(), 0)];
        while let Some((own, from, to, depth)) = open.pop() {
            let part = &mut rows[from..to];
            let sum: f64 = part.iter().map(|row| self.targets[*row as usize]).sum();
            tree.values[own] = (sum / part.len() as f64) as f32;
            if depth >= self.growth.max_depth || part.len() < 2 * self.growth.min_leaf.max(1) {
                leaves.push((own, from, to));
                continue;
            }
            let Some(split) = self.split(part, sum, rng) else {
                leaves.push((own, from, to));
                continue;
            };
            let codes = self.table.codes(split.feature);
            let left = partition(part, |row| usize::from(codes[row as usize]) <= split.code);
            let child = tree.nodes.len();
            tree.nodes.extend([Node::leaf(child), Node::leaf(child + 1)]);
            tree.values.extend([0.0, 0.0]);
            tree.nodes[own] =
                Node { code: split.code as u16, feature: split.feature as u16, left: child as u32 };
            tree.depth = tree.depth.max(depth as u32 + 1);
            open.push((child + 1, from + left, to, depth + 1));
            open.push((child, from, from + left, depth + 1));
        }
        (tree, leaves)
    }

    /// The best split over as many features as should be tried, drawn without repetition; further ones if none of these splits.
    fn split(&mut self, rows: &[u32], sum: f64, rng: &mut Stream) -> Option<Split> {
        let mut best: Option<Split> = None;
        let all = self.order.len();
        for tried in 0..all {
            if tried >= self.growth.features && best.is_some() {
                break;
            }
            if self.growth.features < all {
                self.order.swap(tried, tried + rng.index(all - tried));
            }
            let feature = self.order[tried];
            let bins = self.table.count(feature);
            if bins < 2 {
                continue;
            }
            let found = if rows.len() * 4 < bins {
                self.by_sorting(rows, sum, feature)
            } else {
                self.by_bins(rows, sum, feature, bins)
            };
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.gain > best.gain)
            {
                best = Some(found);
            }
        }
        best
    }

    fn by_bins(&mut self, rows: &[u32], sum: f64, feature: usize, bins: usize) -> Option<Split> {
        let codes = self.table.codes(feature);
        let counts = &mut self.bins[..bins];
        counts.fill((0.0, 0));
        for &row in rows {
            let bin = &mut counts[usize::from(codes[row as usize])];
            *bin = (bin.0 + self.targets[row as usize], bin.1 + 1);
        }
        let filled = counts.iter().enumerate().filter(|(_, bin)| bin.1 > 0);
        best_of(
            filled.map(|(code, bin)| (code, bin.0, bin.1 as usize)),
            rows.len(),
            sum,
            feature,
            self.growth.min_leaf,
        )
    }

    fn by_sorting(&mut self, rows: &[u32], sum: f64, feature: usize) -> Option<Split> {
        let codes = self.table.codes(feature);
        self.few.clear();
        self.few.extend(rows.iter().map(|&row| (codes[row as usize], self.targets[row as usize])));
        // Stable, so that sums do not depend on what equal codes are swapped.
        self.few.sort_by_key(|pair| pair.0);
        let groups = self.few.chunk_by(|a, b| a.0 == b.0);
        let groups =
            groups.map(|group| (usize::from(group[0].0), group.iter().map(|g| g.1).sum(), group.len()));
        best_of(groups, rows.len(), sum, feature, self.growth.min_leaf)
    }
}

/// The split that leaves the smallest squared error, of bins in rising order: (bin, sum of targets, rows).
fn best_of(
    groups: impl Iterator<Item = (usize, f64, usize)>,
    rows: usize,
    sum: f64,
    feature: usize,
    min_leaf: usize,
) -> Option<Split> {
    let nothing = sum * sum / rows as f64;
    let (mut left, mut count, mut before) = (0.0, 0_usize, None);
    let mut best: Option<Split> = None;
    for (code, part, size) in groups {
        if let Some(last) = before
            && count >= min_leaf
            && rows - count >= min_leaf
        {
            let right = sum - left;
            let gain = left * left / count as f64 + right * right / (rows - count) as f64 - nothing;
            if gain > 1e-12 * nothing.abs() && best.as_ref().is_none_or(|best| gain > best.gain) {
                // In the middle of bins without rows.
                best = Some(Split { gain, feature, code: usize::midpoint(last, code - 1) });
            }
        }
        (left, count, before) = (left + part, count + size, Some(code));
    }
    best
}

/// Those that hold come first; how many.
fn partition(rows: &mut [u32], holds: impl Fn(u32) -> bool) -> usize {
    let mut left = 0;
    for at in 0..rows.len() {
        if holds(rows[at]) {
            rows.swap(left, at);
            left += 1;
        }
    }
    left
}
