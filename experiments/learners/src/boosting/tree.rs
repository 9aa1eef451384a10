//! A tree on first and second derivatives.

use super::binned::BINS;
use super::objective::Slopes;

/// Settings of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    /// Largest depth, in splits.
    pub max_depth: usize,
    pub max_leaves: usize,
    /// λ₁: falls of the first derivative of a leaf by this much are ignored.
    pub l1: f64,
    /// λ₂: added to the second derivative of a leaf.
    pub l2: f64,
    /// γ: the least gain of a split.
    pub min_gain: f64,
    /// Least second derivative of a leaf.
    pub min_weight: f64,
    /// True to split the leaf of the largest gain first, false to go level by level.
    pub by_gain: bool,
}

/// A tree: inner nodes lie before their children, which lie side by side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    feature: usize,
    /// The last bin that goes left.
    code: u8,
    /// The left child; 0 for a leaf.
    left: usize,
    value: f64,
}

/// A leaf that may be split.
struct Open {
    node: usize,
    depth: usize,
    rows: std::ops::Range<usize>,
    /// Derivatives summed by feature and bin.
    sums: Vec<Slopes>,
    total: Slopes,
    split: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    code: u8,
    left: Slopes,
}

/// Gain below which a split is noise of rounding.
const LEAST_GAIN: f64 = 1e-6;

impl Growth {
    /// G beyond λ₁.
    fn shrunk(&self, first: f64) -> f64 {
        (first.abs() - self.l1).max(0.0).copysign(first)
    }

    /// `-T(G) / (H + λ₂)`
    fn value(&self, [first, second]: Slopes) -> f64 {
        let below = second + self.l2;
        if below > 0.0 { -self.shrunk(first) / below } else { 0.0 }
    }

    /// `T(G)² / (H + λ₂)`: twice the fall of the loss that the leaf comes to.
    fn score(&self, [first, second]: Slopes) -> f64 {
        let below = second + self.l2;
        if below > 0.0 { self.shrunk(first).powi(2) / below } else { 0.0 }
    }

    /// Grows a tree on some rows with some features.
    ///
    /// ```text
    /// gain = T(G_l)² / (H_l + λ₂) + T(G_r)² / (H_r + λ₂) - T(G)² / (H + λ₂) ≥ γ,   T(G) = sign(G) max(|G| - λ₁, 0)
    /// ```
    ///
    /// The gain has no factor ½ before it is held against γ, as in the library. Source: Chen & Guestrin (2016), eq. 7.
    pub(super) fn tree(
        &self,
        codes: &[u8],
        columns: usize,
        slopes: &[Slopes],
        mut rows: Vec<u32>,
        features: &[usize],
    ) -> Tree {
        let add = |rows: &[u32], sums: &mut Vec<Slopes>| {
            sums.clear();
            sums.resize(features.len() * BINS, [0.0; 2]);
            for row in rows {
                let (own, slope) = (&codes[*row as usize * columns..][..columns], slopes[*row as usize]);
                for (sums, feature) in sums.chunks_exact_mut(BINS).zip(features) {
                    let sum = &mut sums[usize::from(own[*feature])];
                    *sum = [sum[0] + slope[0], sum[1] + slope[1]];
                }
            }
        };
        let total = rows.iter().fold([0.0; 2], |sum, row| plus(sum, slopes[*row as usize]));
        let mut sums = Vec::new();
        add(&rows, &mut sums);
        let mut nodes = vec![Node { feature: 0, code: 0, left: 0, value: self.value(total) }];
        let mut open = vec![Open { node: 0, depth: 0, rows: 0..rows.len(), sums, total, split: None }];
        open[0].split = self.split(&open[0], features);
        let mut leaves = 1;
        while leaves < self.max_leaves {
            let Some(next) = self.next(&open) else { break };
            let Open { node, depth, rows: range, mut sums, total, split } = open.swap_remove(next);
            let Some(split) = split else { break };
            let part = &mut rows[range.clone()];
            let goes_left = |row: u32| codes[row as usize * columns + split.feature] <= split.code;
            let middle = range.start + partition(part, goes_left);
            let (first, right) = (nodes.len(), minus(total, split.left));
            nodes[node] = Node { feature: split.feature, code: split.code, left: first, value: 0.0 };
            nodes.extend([split.left, right].map(|sum| Node {
                feature: 0,
                code: 0,
                left: 0,
                value: self.value(sum),
            }));
            leaves += 1;
            if depth + 1 == self.max_depth {
                continue;
            }
            // The smaller child is summed, the other is what is left of the parent.
            let is_left_smaller = 2 * (middle - range.start) <= range.len();
            let small = if is_left_smaller { range.start..middle } else { middle..range.end };
            let mut of_small = Vec::new();
            add(&rows[small], &mut of_small);
            sums.iter_mut().zip(&of_small).for_each(|(all, small)| *all = minus(*all, *small));
            let (of_left, of_right) = if is_left_smaller { (of_small, sums) } else { (sums, of_small) };
            let children = [
                (first, range.start..middle, of_left, split.left),
                (first + 1, middle..range.end, of_right, right),
            ];
            for (node, rows, sums, total) in children {
                let mut child = Open { node, depth: depth + 1, rows, sums, total, split: None };
                child.split = self.split(&child, features);
                if child.split.is_some() {
                    open.push(child);
                }
            }
        }
        Tree { nodes }
    }

    /// The leaf that is split next.
    fn next(&self, open: &[Open]) -> Option<usize> {
        let gain = |open: &Open| open.split.map_or(f64::NEG_INFINITY, |split| split.gain);
        (0..open.len()).filter(|at| open[*at].split.is_some()).min_by(|a, b| {
            let (a, b) = (&open[*a], &open[*b]);
            let order = if self.by_gain { gain(b).total_cmp(&gain(a)) } else { a.depth.cmp(&b.depth) };
            order.then(a.node.cmp(&b.node))
        })
    }

    fn split(&self, leaf: &Open, features: &[usize]) -> Option<Split> {
        if self.max_depth == 0 || leaf.total[1] < 2.0 * self.min_weight {
            return None;
        }
        let (nothing, mut best) = (self.score(leaf.total), None::<Split>);
        for (sums, feature) in leaf.sums.chunks_exact(BINS).zip(features) {
            let mut left = [0.0; 2];
            for (code, sum) in sums[..BINS - 1].iter().enumerate().filter(|(_, sum)| sum[1] != 0.0) {
                left = plus(left, *sum);
                let right = minus(leaf.total, left);
                if right[1] < self.min_weight {
                    break;
                }
                if left[1] < self.min_weight {
                    continue;
                }
                let gain = self.score(left) + self.score(right) - nothing;
                if gain > LEAST_GAIN.max(best.map_or(0.0, |best| best.gain)) && gain >= self.min_gain {
                    best = Some(Split { gain, feature: *feature, code: code as u8, left });
                }
            }
        }
        best
    }
}

impl Tree {
    #[cfg(test)]
    pub(super) fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Adds the values of the leaves, scaled, to what was found for rows of bins.
    pub(super) fn add(&self, codes: &[u8], columns: usize, scale: f64, found: &mut [f64]) {
        for (row, found) in codes.chunks_exact(columns).zip(found) {
            let mut node = &self.nodes[0];
            while node.left > 0 {
                node = &self.nodes[node.left + usize::from(row[node.feature] > node.code)];
            }
            *found += scale * node.value;
        }
    }
}

fn plus(a: Slopes, b: Slopes) -> Slopes {
    [a[0] + b[0], a[1] + b[1]]
}

fn minus(a: Slopes, b: Slopes) -> Slopes {
    [a[0] - b[0], a[1] - b[1]]
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

    const PLAIN: Growth = Growth {
        max_depth: 20,
        max_leaves: 1000,
        l1: 0.0,
        l2: 0.0,
        min_gain: 0.0,
        min_weight: 1.0,
        by_gain: false,
    };

    fn found(tree: &Tree, codes: &[u8], columns: usize) -> Vec<f64> {
        let mut found = vec![0.0; codes.len() / columns];
        tree.add(codes, columns, 1.0, &mut found);
        found
    }

    /// Squared errors of 1, 1, 4, 6 from 0: the first split is in the middle, and leaves are means.
    #[test]
    fn without_penalties_leaves_are_means() {
        let slopes: Vec<Slopes> = [1.0, 1.0, 4.0, 6.0].map(|y| [-y, 1.0]).to_vec();
        let codes = [0, 1, 2, 3];
        let tree = |growth: Growth| growth.tree(&codes, 1, &slopes, (0..4).collect(), &[0]);
        assert_eq!(found(&tree(Growth { max_depth: 1, ..PLAIN }), &codes, 1), [1.0, 1.0, 5.0, 5.0]);
        assert_eq!(found(&tree(PLAIN), &codes, 1), [1.0, 1.0, 4.0, 6.0]);
        assert_eq!(tree(PLAIN).leaves(), 3);
        assert_eq!(found(&tree(Growth { max_depth: 0, ..PLAIN }), &codes, 1), [3.0; 4]);
        assert_eq!(found(&tree(Growth { max_leaves: 2, ..PLAIN }), &codes, 1), [1.0, 1.0, 5.0, 5.0]);
    }

    /// By hand: sums of -2 and -10 over two rows each, of -12 over all.
    #[test]
    fn penalties_by_hand() {
        let slopes: Vec<Slopes> = [1.0, 1.0, 4.0, 6.0].map(|y| [-y, 1.0]).to_vec();
        let codes = [0, 0, 1, 1];
        let tree = |growth: Growth| growth.tree(&codes, 1, &slopes, (0..4).collect(), &[0]);
        let values = |growth: Growth| found(&tree(growth), &codes, 1);
        // λ₂ = 2: 2 / 4 and 10 / 4.
        assert_eq!(values(Growth { l2: 2.0, ..PLAIN }), [0.5, 0.5, 2.5, 2.5]);
        // λ₁ = 1: 1 / 2 and 9 / 2. λ₁ = 3 leaves nothing of the first.
        assert_eq!(values(Growth { l1: 1.0, ..PLAIN }), [0.5, 0.5, 4.5, 4.5]);
        assert_eq!(values(Growth { l1: 3.0, ..PLAIN }), [0.0, 0.0, 3.5, 3.5]);
        // The gain is 4 / 2 + 100 / 2 - 144 / 4 = 16.
        assert_eq!(tree(Growth { min_gain: 16.0, ..PLAIN }).leaves(), 2);
        assert_eq!(tree(Growth { min_gain: 16.001, ..PLAIN }).leaves(), 1);
        // Leaves have a second derivative of 2.
        assert_eq!(tree(Growth { min_weight: 2.0, ..PLAIN }).leaves(), 2);
        assert_eq!(tree(Growth { min_weight: 2.1, ..PLAIN }).leaves(), 1);
    }

    /// Eight rows; the left half is one step of 1, the right half one of 10: with three leaves the order decides.
    #[test]
    fn leaves_are_split_by_level_or_by_gain() {
        let y = [0.0, 0.0, 1.0, 1.0, 100.0, 100.0, 110.0, 110.0];
        let slopes: Vec<Slopes> = y.map(|y| [-y, 1.0]).to_vec();
        let codes = [0, 0, 1, 1, 2, 2, 3, 3];
        let values = |by_gain| {
            let growth = Growth { max_leaves: 3, by_gain, ..PLAIN };
            found(&growth.tree(&codes, 1, &slopes, (0..8).collect(), &[0]), &codes, 1)
        };
        assert_eq!(values(false), [0.0, 0.0, 1.0, 1.0, 105.0, 105.0, 105.0, 105.0]);
        assert_eq!(values(true), [0.5, 0.5, 0.5, 0.5, 100.0, 100.0, 110.0, 110.0]);
    }

    /// The split of a stump is the best of all, tried one by one, whatever the penalties.
    #[test]
    fn stumps_have_the_largest_gain() {
        for seed in 0..40 {
            let rng = &mut Seed(seed).stream("test", 0);
            let slopes: Vec<Slopes> = (0..30).map(|_| [rng.uniform() - 0.4, 0.1 + rng.uniform()]).collect();
            let codes: Vec<u8> = (0..60).map(|_| rng.index(9) as u8).collect();
            let growth = Growth { l1: 0.2, l2: 0.5, max_depth: 1, min_weight: 2.0, ..PLAIN };
            let tree = growth.tree(&codes, 2, &slopes, (0..30).collect(), &[0, 1]);
            let sum = |keep: &dyn Fn(usize) -> bool| {
                (0..30).filter(|row| keep(*row)).fold([0.0; 2], |sum, row| plus(sum, slopes[row]))
            };
            let all = growth.score(sum(&|_| true));
            let gain = |feature: usize, code: u8| {
                let left = sum(&|row| codes[2 * row + feature] <= code);
                let right = sum(&|row| codes[2 * row + feature] > code);
                let fits = left[1] >= 2.0 && right[1] >= 2.0;
                if fits { growth.score(left) + growth.score(right) - all } else { 0.0 }
            };
            let best =
                (0..2).flat_map(|f| (0..9).map(move |c| (f, c))).map(|(f, c)| gain(f, c)).fold(0.0, f64::max);
            let own = if tree.leaves() == 2 { gain(tree.nodes[0].feature, tree.nodes[0].code) } else { 0.0 };
            assert!((own - best).abs() < 1e-9, "{seed}: {own} {best}");
        }
    }

    #[test]
    fn rows_and_features_that_were_not_drawn_do_not_matter() {
        let slopes = [[-1.0, 1.0], [-3.0, 1.0], [f64::NAN, f64::NAN]];
        let codes = [0, 9, 0, 5, 7, 3];
        let tree = PLAIN.tree(&codes, 2, &slopes, vec![0, 1], &[1]);
        assert_eq!(found(&tree, &codes, 2)[..2], [1.0, 3.0]);
        let constant = PLAIN.tree(&codes, 2, &slopes, vec![0, 1], &[0]);
        assert_eq!((constant.leaves(), found(&constant, &codes, 2)), (1, vec![2.0; 3]));
    }
}
