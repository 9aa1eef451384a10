//! Names of jobs.

use std::fmt;

/// One replication of a method on a task; its random numbers follow from the root seed and the replication.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobName {
    pub task: String,
    pub method: String,
    pub replication: usize,
}

impl JobName {
    pub fn new(task: impl Into<String>, method: impl Into<String>, replication: usize) -> Self {
        Self { task: task.into(), method: method.into(), replication }
    }
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}, replication {}", self.method, self.task, self.replication)
    }
}
