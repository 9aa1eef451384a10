//! Growth of a regression tree on binned features.

use thrifty_sampling::Stream;

use crate::Table;
use crate::tree::{Node, Tree};

/// Conditions under which nodes are split, and the number of features to try.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    pub(crate) min_leaf: usize,
    /// Fewest rows of a node that is split.
    pub(crate) min_split: usize,
    /// Least fall of the squared error by a split, as a share of the rows of the tree.
    pub(crate) min_decrease: f64,
    pub(crate) max_depth: usize,
    pub(crate) features: usize,
}

impl Growth {
    /// Splits of nodes of any size and of any use.
    pub(crate) fn new(min_leaf: usize, max_depth: usize, features: usize) -> Self {
        Self { min_leaf, min_split: 0, min_decrease: 0.0, max_depth, features }
    }
}

/// Best split of a node.
struct Split {
    gain: f64,
    feature: usize,
    /// The last bin that goes left.
    code: usize,
}

/// Targets of a node, counted from a center.
#[derive(Clone, Copy)]
struct Moments {
    rows: usize,
    mean: f64,
    /// 0, or the mean where the targets are much farther from 0 than from each other, as beside an outlier: their squares would hide what a
    /// split gains.
    center: f64,
    /// Sum of the differences from the center.
    sum: f64,
    /// Least gain of a split that is no rounding.
    tolerance: f64,
}

/// Squared error of a node as a share of the sum of its squares below which the node is counted from its mean.
const FAR: f64 = 1e-6;

/// Least gain of a split as a share of the sum of squares about the center.
const ROUNDING: f64 = 1e-12;

impl Moments {
    fn of(targets: &(impl ExactSizeIterator<Item = f64> + Clone)) -> Self {
        let rows = targets.len();
        let sum = targets.clone().sum::<f64>();
        let mean = sum / rows as f64;
        let nothing = (sum * sum / rows as f64).abs();
        let from_mean = || targets.clone().map(|target| target - mean);
        let squares = from_mean().map(|difference| difference * difference).sum::<f64>();
        if squares < FAR * nothing {
            let sum = from_mean().sum();
            return Self { rows, mean, center: mean, sum, tolerance: ROUNDING * squares };
        }
        Self { rows, mean, center: 0.0, sum, tolerance: ROUNDING * nothing }
    }
}

/// Room that is used again for every node.
pub(crate) struct Grower<'a> {
    table: &'a Table,
    targets: &'a [f64],
    growth: Growth,
    order: Vec<usize>,
    /// Sum of differences from the center of the node and number of rows by bin.
    bins: Vec<(f64, u32)>,
    /// Bin and difference from the center of few rows.
    few: Vec<(u16, f64)>,
}

impl<'a> Grower<'a> {
    pub(crate) fn new(table: &'a Table, targets: &'a [f64], growth: Growth) -> Self {
        let most = (0..table.columns()).map(|c| table.count(c)).max().unwrap_or_default();
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
        let min_gain = self.growth.min_decrease * rows.len() as f64;
        let min_rows = self.growth.min_split.max(2 * self.growth.min_leaf.max(1));
        // (node, its rows, its depth), the last first.
        let mut open = vec![(0, 0, rows.len(), 0)];
        while let Some((own, from, to, depth)) = open.pop() {
            let part = &mut rows[from..to];
            let node = Moments::of(&part.iter().map(|row| self.targets[*row as usize]));
            tree.values[own] = node.mean as f32;
            if depth >= self.growth.max_depth || part.len() < min_rows {
                leaves.push((own, from, to));
                continue;
            }
            let Some(split) = self.split(part, node, rng).filter(|split| split.gain >= min_gain) else {
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
    fn split(&mut self, rows: &[u32], node: Moments, rng: &mut Stream) -> Option<Split> {
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
                self.by_sorting(rows, node, feature)
            } else {
                self.by_bins(rows, node, feature, bins)
            };
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.gain > best.gain)
            {
                best = Some(found);
            }
        }
        best
    }

    fn by_bins(&mut self, rows: &[u32], node: Moments, feature: usize, bins: usize) -> Option<Split> {
        let codes = self.table.codes(feature);
        let counts = &mut self.bins[..bins];
        counts.fill((0.0, 0));
        for &row in rows {
            let bin = &mut counts[usize::from(codes[row as usize])];
            *bin = (bin.0 + (self.targets[row as usize] - node.center), bin.1 + 1);
        }
        let filled = counts.iter().enumerate().filter(|(_, bin)| bin.1 > 0);
        let groups = filled.map(|(code, bin)| (code, bin.0, bin.1 as usize));
        best_of(groups, node, feature, self.growth.min_leaf)
    }

    fn by_sorting(&mut self, rows: &[u32], node: Moments, feature: usize) -> Option<Split> {
        let codes = self.table.codes(feature);
        self.few.clear();
        let difference = |row: usize| self.targets[row] - node.center;
        self.few.extend(rows.iter().map(|&row| (codes[row as usize], difference(row as usize))));
        // Stable, so that sums do not depend on what equal codes are swapped.
        self.few.sort_by_key(|pair| pair.0);
        let groups = self.few.chunk_by(|a, b| a.0 == b.0);
        let groups =
            groups.map(|group| (usize::from(group[0].0), group.iter().map(|g| g.1).sum(), group.len()));
        best_of(groups, node, feature, self.growth.min_leaf)
    }
}

/// The split that leaves the smallest squared error, of bins in rising order: (bin, sum of differences from the center of the node, rows).
fn best_of(
    groups: impl Iterator<Item = (usize, f64, usize)>,
    node: Moments,
    feature: usize,
    min_leaf: usize,
) -> Option<Split> {
    let Moments { rows, sum, tolerance, .. } = node;
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
            if gain > tolerance && best.as_ref().is_none_or(|best| gain > best.gain) {
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

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    /// Squared error about the mean.
    fn error(values: &[f64]) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|y| (y - mean).powi(2)).sum()
    }

    /// The largest fall of the squared error over all borders between bins with rows, by trying each.
    fn tried(codes: &[u16], targets: &[f64], rows: &[u32], min_leaf: usize) -> Option<(f64, usize)> {
        let mut bins: Vec<u16> = rows.iter().map(|row| codes[*row as usize]).collect();
        bins.sort_unstable();
        bins.dedup();
        let mut best: Option<(f64, usize)> = None;
        for pair in bins.windows(2) {
            let side = |left: bool| -> Vec<f64> {
                let on_side = |row: &&u32| (codes[**row as usize] <= pair[0]) == left;
                rows.iter().filter(on_side).map(|row| targets[*row as usize]).collect()
            };
            let (left, right) = (side(true), side(false));
            let all: Vec<f64> = left.iter().chain(&right).copied().collect();
            let gain = error(&all) - error(&left) - error(&right);
            if left.len().min(right.len()) >= min_leaf && best.is_none_or(|best| gain > best.0 + 1e-12) {
                // The middle of the bins between, the lower of two.
                best = Some((gain, (usize::from(pair[0]) + usize::from(pair[1]) - 1) / 2));
            }
        }
        best
    }

    #[test]
    fn both_searches_find_the_split_that_leaves_the_least_error() {
        for seed in 0..60 {
            let mut rng = Seed(seed).stream("data", 0);
            let x: Vec<f32> = (0..80).map(|_| rng.uniform() as f32).collect();
            let y: Vec<f64> = (0..40).map(|_| rng.uniform() - 0.3).collect();
            let table = Table::new(x, 2, 1000).unwrap();
            let rows: Vec<u32> = (0..3 + rng.index(20)).map(|_| rng.index(40) as u32).collect();
            let node = Moments::of(&rows.iter().map(|row| y[*row as usize]));
            for min_leaf in [1, 2, 3] {
                let growth = Growth::new(min_leaf, 1, 2);
                let mut grower = Grower::new(&table, &y, growth);
                for feature in 0..2 {
                    let sorted = grower.by_sorting(&rows, node, feature);
                    let binned = grower.by_bins(&rows, node, feature, table.count(feature));
                    let expected = tried(table.codes(feature), &y, &rows, min_leaf);
                    for found in [sorted, binned] {
                        assert_eq!(found.is_some(), expected.is_some(), "{seed} {min_leaf}");
                        let (Some(found), Some((gain, code))) = (found, expected) else { continue };
                        assert!((found.gain - gain).abs() < 1e-9, "{} {gain}", found.gain);
                        assert_eq!((found.code, found.feature), (code, feature));
                    }
                }
            }
        }
    }

    #[test]
    fn targets_that_are_equal_are_not_split() {
        // 0.1 is no binary fraction: the mean of six of it is not 0.1.
        for target in [1.0, 0.1, 1e-7, 1e12 / 3.0] {
            let node = Moments::of(&[target; 6].into_iter());
            let one = target - node.center;
            let groups = [(0, 3.0 * one, 3), (1, 2.0 * one, 2), (2, one, 1)];
            assert!(best_of(groups.into_iter(), node, 0, 1).is_none(), "{target}");
        }
        let node = Moments::of(&[1.0, 1.0, 1.0, 1.0, 1.5].into_iter());
        assert_eq!((node.center, node.sum, node.rows), (0.0, 5.5, 5));
        let groups = [(0, 3.0, 3), (4, 2.5, 2)];
        let best = best_of(groups.into_iter(), node, 1, 1).unwrap();
        // 3²/3 + 2.5²/2 - 5.5²/5.
        assert!((best.gain - 0.075).abs() < 1e-12);
        assert_eq!((best.code, best.feature), (1, 1));
    }

    #[test]
    fn leaves_cover_all_rows_once() {
        let mut rng = Seed(1).stream("data", 0);
        let x: Vec<f32> = (0..50).map(|_| rng.uniform() as f32).collect();
        let y: Vec<f64> = (0..50).map(|_| rng.uniform()).collect();
        let table = Table::new(x, 1, 256).unwrap();
        let mut rows: Vec<u32> = (0..50).collect();
        let growth = Growth::new(4, 9, 1);
        let (tree, leaves) = Grower::new(&table, &y, growth).tree_with_leaves(&mut rows, &mut rng);
        let mut covered = 0;
        let mut ordered = leaves.clone();
        ordered.sort_by_key(|leaf| leaf.1);
        for (own, from, to) in ordered {
            assert_eq!(from, covered);
            covered = to;
            assert!(to - from >= 4 && tree.nodes[own] == Node::leaf(own));
            let mean = rows[from..to].iter().map(|row| y[*row as usize]).sum::<f64>() / (to - from) as f64;
            assert!((f64::from(tree.values[own]) - mean).abs() < 1e-6);
        }
        assert_eq!((covered, tree.nodes.len()), (50, 2 * leaves.len() - 1));
    }

    #[test]
    fn partition_keeps_all_and_counts_those_that_hold() {
        let mut rows = [5, 2, 8, 1, 9, 4];
        assert_eq!(partition(&mut rows, |row| row < 5), 3);
        assert!(rows[..3].iter().all(|row| *row < 5) && rows[3..].iter().all(|row| *row >= 5));
        rows.sort_unstable();
        assert_eq!(rows, [1, 2, 4, 5, 8, 9]);
    }
}
