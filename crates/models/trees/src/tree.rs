use crate::TreesError;

/// A tree for fast descent: children lie side by side, and a leaf is its own child.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// What is predicted, by node; of inner nodes the mean of their rows.
    pub(crate) values: Vec<f32>,
    /// Splits on the longest way.
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
    /// Where every bin goes left, to the node itself.
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

    /// The same tree level by level: what every row passes lies together.
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

    /// Whether every node refers to what is there, and further down: a file may say anything.
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
