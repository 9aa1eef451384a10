//! Queue of queries that a study asks before its optimiser chooses.

/// Queries in the order in which they are asked.
#[derive(Debug, Clone)]
pub(crate) struct Queue<Q> {
    /// All queries that were ever enqueued.
    all: Vec<Q>,
    /// Number of queries that were asked.
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

    /// Marks the first waiting query as asked; false if none waits.
    pub(crate) fn take(&mut self) -> bool {
        let any = self.asked < self.all.len();
        self.asked += usize::from(any);
        any
    }

    /// Waiting queries, first to last.
    pub(crate) fn waiting(&self) -> &[Q] {
        &self.all[self.asked..]
    }

    /// All queries that were ever enqueued; those that were asked come first.
    pub(crate) fn all(&self) -> &[Q] {
        &self.all
    }
}
