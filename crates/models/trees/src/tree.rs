//! Regression trees in arrays.

use crate::TreesError;

/// A tree for fast descent: children lie side by side, and a leaf is its own child.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Predicted value per node; for inner nodes the mean of their rows.
    pub(crate) values: Vec<f32>,
    /// Depth: splits on the longest path.
    pub(crate) depth: u32,
}

/// A bin of the feature up to `code` goes to `left`, otherwise to the node after it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Node {
    pub(crate) code: u16,
    pub(crate) feature: u16,
    pub(crate) left: u32,
}

impl Node {
    /// Leaf node: every bin goes left, to the node itself.
    pub(crate) fn leaf(own: usize) -> Self {
        Self { code: u16::MAX, feature: 0, left: own as u32 }
    }
}

/// Rows that go down together, so that one waits for memory while another computes.
const TOGETHER: usize = 16;

/// Levels of a block in memory: at most 62 nodes and 500 bytes.
const LEVELS: usize = 5;

impl Tree {
    /// Adds what is predicted for every row of bins, times `scale`.
    pub(crate) fn add(&self, rows: &[u16], columns: usize, scale: f64, out: &mut [f64]) {
        let mut chunks = rows.chunks_exact(TOGETHER * columns);
        let mut slots = out.chunks_exact_mut(TOGETHER);
        for (block, slots) in chunks.by_ref().zip(slots.by_ref()) {
            let mut at = [0_u32; TOGETHER];
            for _ in 0..self.depth {
                let mut moved = 0;
                for (lane, at) in at.iter_mut().enumerate() {
                    let node = self.nodes[*at as usize];
                    let right = block[lane * columns + node.feature as usize] > node.code;
                    let next = node.left + u32::from(right);
                    moved |= next ^ *at;
                    *at = next;
                }
                if moved == 0 {
                    break;
                }
            }
            for (slot, at) in slots.iter_mut().zip(at) {
                *slot += scale * f64::from(self.values[at as usize]);
            }
        }
        for (row, slot) in chunks.remainder().chunks_exact(columns).zip(slots.into_remainder()) {
            let mut at = 0;
            loop {
                let node = self.nodes[at];
                let next = node.left as usize + usize::from(row[node.feature as usize] > node.code);
                if next == at {
                    break;
                }
                at = next;
            }
            *slot += scale * f64::from(self.values[at]);
        }
    }

    /// Reorders the nodes block by block: [`LEVELS`] levels below a node lie together in memory, because rows that reach the node
    /// visit some of them next.
    pub(crate) fn by_blocks(&self) -> Self {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut values = Vec::with_capacity(self.nodes.len());
        let mut place = |own: usize, nodes: &mut Vec<Node>| {
            nodes.push(Node::leaf(nodes.len()));
            values.push(self.values[own]);
        };
        place(0, &mut nodes);
        // Old and new place of nodes whose children have none yet.
        let mut open = vec![(0, 0)];
        while let Some(top) = open.pop() {
            let mut level = vec![top];
            for _ in 0..LEVELS {
                let mut next = Vec::new();
                for (own, new) in level {
                    let node = self.nodes[own];
                    let left = node.left as usize;
                    if left == own {
                        continue;
                    }
                    nodes[new] = Node { left: nodes.len() as u32, ..node };
                    for child in [left, left + 1] {
                        next.push((child, nodes.len()));
                        place(child, &mut nodes);
                    }
                }
                level = next;
            }
            open.extend(level.into_iter().rev());
        }
        Self { nodes, values, depth: self.depth }
    }

    /// Checks that every node refers to existing nodes further down; files are not trusted.
    pub(crate) fn check(&self, columns: usize) -> Result<(), TreesError> {
        if self.nodes.is_empty() || self.values.len() != self.nodes.len() {
            return Err(TreesError::Broken { node: 0 });
        }
        // Splits on the way to each node: its parent comes before it.
        let mut splits = vec![0_u32; self.nodes.len()];
        for (own, node) in self.nodes.iter().enumerate() {
            let left = node.left as usize;
            let leaf = left == own && node.code == u16::MAX;
            let inner = left > own && left + 1 < self.nodes.len();
            if !(leaf || inner) || node.feature as usize >= columns || !self.values[own].is_finite() {
                return Err(TreesError::Broken { node: own });
            }
            if inner {
                let below = splits[own] + 1;
                splits[left] = splits[left].max(below);
                splits[left + 1] = splits[left + 1].max(below);
            }
            // Rows that go down together stop at this depth.
            if splits[own] > self.depth {
                return Err(TreesError::Broken { node: own });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(code: u16, feature: u16, left: u32) -> Node {
        Node { code, feature, left }
    }

    /// Bin up to 3 of feature 0: 10; else bin up to 1 of feature 1: 20, else 30.
    fn small() -> Tree {
        let nodes = vec![split(3, 0, 1), Node::leaf(1), split(1, 1, 3), Node::leaf(3), Node::leaf(4)];
        Tree { nodes, values: vec![0.0, 10.0, 0.0, 20.0, 30.0], depth: 2 }
    }

    #[test]
    fn bins_up_to_the_code_go_left() {
        let rows = [3, 9, 4, 1, 4, 2, 0, 0];
        let expected = [10.0, 20.0, 30.0, 10.0];
        let mut out = [1.0; 4];
        small().add(&rows, 2, 0.5, &mut out);
        assert_eq!(out, expected.map(|value| 1.0 + 0.5 * value));
        // Sixteen together, and three more alone.
        let rows: Vec<u16> = rows.iter().copied().cycle().take(2 * 19).collect();
        let mut out = [1.0; 19];
        small().add(&rows, 2, 0.5, &mut out);
        assert!((0..19).all(|i| out[i] == 1.0 + 0.5 * expected[i % 4]), "{out:?}");
    }

    /// Sixteen rows of which one alone goes down to the end.
    #[test]
    fn rows_together_wait_for_the_last() {
        let mut rows = vec![0; 32];
        rows[14..16].copy_from_slice(&[4, 2]);
        let mut out = [0.0; 16];
        small().add(&rows, 2, 1.0, &mut out);
        assert!((0..16).all(|i| out[i] == if i == 7 { 30.0 } else { 10.0 }), "{out:?}");
    }

    /// A chain of splits to the right, each with a leaf on its left, grown from its end.
    fn chain(length: u32) -> Tree {
        let nodes = (0..length).flat_map(|i| {
            let inner =
                if i + 1 < length { split(i as u16, 0, 2 * i + 3) } else { Node::leaf(2 * i as usize + 2) };
            [Node::leaf(2 * i as usize + 1), inner]
        });
        let nodes: Vec<Node> = std::iter::once(split(0, 0, 1)).chain(nodes).collect();
        let values = (0..nodes.len()).map(|i| i as f32).collect();
        Tree { nodes, values, depth: length }
    }

    #[test]
    fn blocks_lie_together_and_predict_the_same() {
        // The left child is split first, and lies after the right one's children.
        let nodes = vec![
            split(5, 0, 1),
            split(2, 0, 5),
            split(1, 1, 3),
            Node::leaf(3),
            Node::leaf(4),
            Node::leaf(5),
            Node::leaf(6),
        ];
        let tree = Tree { nodes, values: (0..7_u8).map(f32::from).collect(), depth: 2 };
        let ordered = tree.by_blocks();
        assert_eq!(ordered.values, [0.0, 1.0, 2.0, 5.0, 6.0, 3.0, 4.0]);
        assert_eq!(ordered.nodes[1..3], [split(2, 0, 3), split(1, 1, 5)]);
        assert_eq!((ordered.check(2), ordered.depth, ordered.by_blocks()), (Ok(()), 2, ordered.clone()));
        for row in [[0, 0], [3, 0], [6, 1], [6, 2]] {
            let (mut a, mut b) = ([0.0], [0.0]);
            tree.add(&row, 2, 1.0, &mut a);
            ordered.add(&row, 2, 1.0, &mut b);
            assert_eq!(a, b);
        }
    }

    /// Two subtrees below the first block: the left one comes before the right one, although levels alternate.
    #[test]
    fn a_subtree_below_a_block_lies_together() {
        let levels = LEVELS as u32;
        // A full tree of one level more than a block, level by level.
        let inner = (1_usize << (levels + 1)) - 1;
        let nodes: Vec<Node> = (0..=2 * inner)
            .map(|i| if i < inner { split(i as u16, 0, 2 * i as u32 + 1) } else { Node::leaf(i) })
            .collect();
        let values = (0..nodes.len()).map(|i| i as f32).collect();
        let ordered = Tree { nodes, values, depth: levels + 1 }.by_blocks();
        assert_eq!(ordered.check(1), Ok(()));
        // The first block is as it was; then follow the leaves of its last level from left to right, two each.
        let expected: Vec<f32> = (0..=2 * inner).map(|i| i as f32).collect();
        assert_eq!(ordered.values, expected);
        // A chain goes on in blocks to its end.
        for length in [1, levels, levels + 1, 3 * levels + 2] {
            let (chain, mut out) = (chain(length), [[0.0]; 2]);
            let ordered = chain.by_blocks();
            assert_eq!((ordered.check(1), ordered.nodes.len()), (Ok(()), chain.nodes.len()));
            for code in 0..=length as u16 {
                chain.add(&[code], 1, 1.0, &mut out[0]);
                ordered.add(&[code], 1, 1.0, &mut out[1]);
                assert_eq!(out[0], out[1], "{length} {code}");
            }
        }
    }

    #[test]
    fn every_reference_of_a_file_is_checked() {
        let broken = |change: &dyn Fn(&mut Tree)| {
            let mut tree = small();
            change(&mut tree);
            match tree.check(2) {
                Err(TreesError::Broken { node }) => Some(node),
                _ => None,
            }
        };
        assert_eq!(broken(&|_| {}), None);
        // A missing feature stays missing, whatever the value.
        assert_eq!(broken(&|tree| tree.nodes[2].feature = 2), Some(2));
        assert_eq!(broken(&|tree| tree.nodes[1].feature = 2), Some(1));
        for value in [f32::INFINITY, f32::NAN] {
            assert_eq!(broken(&|tree| tree.values[3] = value), Some(3));
        }
        // Children: the last two are there, those after them are not; nor does a way lead back.
        assert_eq!(broken(&|tree| tree.nodes[2].left = 4), Some(2));
        assert_eq!(broken(&|tree| tree.nodes[2].left = 1), Some(2));
        assert_eq!(broken(&|tree| tree.nodes[2].left = 2), Some(2));
        // A leaf with a code would turn back.
        assert_eq!(broken(&|tree| tree.nodes[3].code = 7), Some(3));
        // Fewer levels than there are.
        assert_eq!(broken(&|tree| tree.depth = 1), Some(3));
        assert_eq!(broken(&|tree| tree.depth = 0), Some(1));
        assert_eq!(broken(&|tree| tree.depth = 9), None);
        assert_eq!(broken(&|tree| tree.values.truncate(4)), Some(0));
        assert_eq!(broken(&|tree| (tree.nodes, tree.values) = (vec![], vec![])), Some(0));
    }

    /// Two ways to a node: the longer one counts.
    #[test]
    fn the_longest_way_to_a_node_counts() {
        let nodes = vec![split(0, 0, 1), split(0, 0, 2), split(0, 0, 3), Node::leaf(3), Node::leaf(4)];
        let tree = |depth| Tree { nodes: nodes.clone(), values: vec![0.0; 5], depth };
        assert_eq!(tree(3).check(1), Ok(()));
        assert_eq!(tree(2).check(1), Err(TreesError::Broken { node: 3 }));
    }
}
