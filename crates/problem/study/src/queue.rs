//! Queue of queries that a study asks before its optimiser chooses.

/// Queries in the order in which they are asked.
#[derive(Debug, Clone)]
pub(crate) struct Queue<Q> {
    /// Every query that was ever enqueued.
    all: Vec<Q>,
    /// Number of them that were asked.
    asked: usize,
}

impl<Q> Default for Queue<Q> {
    fn default() -> Self {
        Self { all: Vec::new(), asked: 0 }
    }
}

impl<Q> Queue<Q> {
    /// Adds a query at the end.
    pub(crate) fn push(&mut self, query: Q) {
        self.all.push(query);
    }

    /// Marks the first query that waits as asked; false when none waits.
    pub(crate) fn take(&mut self) -> bool {
        let any = self.asked < self.all.len();
        self.asked += usize::from(any);
        any
    }

    /// The queries that wait, first to last.
    pub(crate) fn waiting(&self) -> &[Q] {
        &self.all[self.asked..]
    }

    /// Every query that was ever enqueued, those that were asked first.
    pub(crate) fn all(&self) -> &[Q] {
        &self.all
    }
}
