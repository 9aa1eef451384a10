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

    /// Reorders the nodes level by level, so that the nodes near the root, which every row visits, lie together in
    /// memory.
    pub(crate) fn by_levels(&self) -> Self {
        let mut order = vec![0];
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut at = 0;
        while at < order.len() {
            let (own, node) = (order[at], self.nodes[order[at]]);
            if node.left as usize == own {
                nodes.push(Node::leaf(at));
            } else {
                nodes.push(Node { left: order.len() as u32, ..node });
                order.extend([node.left as usize, node.left as usize + 1]);
            }
            at += 1;
        }
        Self { nodes, values: order.iter().map(|own| self.values[*own]).collect(), depth: self.depth }
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

    #[test]
    fn levels_lie_together_and_say_the_same() {
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
        let ordered = tree.by_levels();
        assert_eq!(ordered.values, [0.0, 1.0, 2.0, 5.0, 6.0, 3.0, 4.0]);
        assert_eq!(ordered.nodes[1..3], [split(2, 0, 3), split(1, 1, 5)]);
        assert_eq!((ordered.check(2), ordered.depth, ordered.by_levels()), (Ok(()), 2, ordered.clone()));
        for row in [[0, 0], [3, 0], [6, 1], [6, 2]] {
            let (mut a, mut b) = ([0.0], [0.0]);
            tree.add(&row, 2, 1.0, &mut a);
            ordered.add(&row, 2, 1.0, &mut b);
            assert_eq!(a, b);
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
