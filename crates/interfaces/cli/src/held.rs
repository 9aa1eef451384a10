//! Trials of a store that this process evaluates now, to be given back on an interrupt.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thrifty_study::shared::{AtWork, Lease, give_back};

use crate::shared::Store;

/// Longest time for which an interrupted process waits for its store.
const PATIENCE: Duration = Duration::from_secs(3);

/// Trials that the threads of a run evaluate now.
#[derive(Clone, Default)]
pub(crate) struct Held(Arc<Mutex<Vec<AtWork>>>);

impl Held {
    /// Adds the trials of a thread.
    pub(crate) fn add(&self, thread: AtWork) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
    }

    /// Leases of the trials.
    pub(crate) fn leases(&self) -> Vec<Lease> {
        let threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        threads.iter().filter_map(AtWork::lease).collect()
    }
}

/// Gives trials back to their store; returns for a message when they are handed out again.
///
/// The process is to end: a store that does not answer is left alone.
pub(crate) fn give_all_back(store: &Store, leases: Vec<Lease>) -> &'static str {
    let (store, (sender, answer)) = (store.clone(), channel());
    let give = move || {
        let given = store.open().and_then(|mut log| give_back(&mut *log, &leases));
        let _ = sender.send(given.is_ok());
    };
    let started = std::thread::Builder::new().spawn(give);
    if started.is_ok() && answer.recv_timeout(PATIENCE) == Ok(true) {
        "are handed out again at once"
    } else {
        "are handed out again when their leases run out"
    }
}
