//! Reading the entries of a shared log.

use super::{Entry, EventLog, LogError};
use crate::event::{Event, FORMAT, Header};
use crate::{History, Query};

/// Reads the first entry.
///
/// # Errors
/// [`LogError::Corrupt`], or [`LogError::Mismatch`] for another format.
pub(super) fn header(store: &str, entry: &Entry) -> Result<Header, LogError> {
    let corrupt = |message: String| LogError::Corrupt { store: store.into(), seq: entry.seq, message };
    if entry.seq != 0 {
        return Err(corrupt("the log does not begin with entry 0".into()));
    }
    let header: Header = serde_json::from_str(&entry.body).map_err(|error| corrupt(error.to_string()))?;
    if header.thrifty_journal == FORMAT {
        return Ok(header);
    }
    let (found, expected) = (header.thrifty_journal.to_string(), FORMAT.to_string());
    Err(LogError::Mismatch { store: store.into(), what: "format", found, expected })
}

/// Reads a later entry; `seq` is the number of entries before it.
///
/// # Errors
/// [`LogError::Corrupt`].
pub(super) fn event<Q: Query>(store: &str, entry: &Entry, seq: u64) -> Result<Event<Q>, LogError> {
    let corrupt = |message: String| LogError::Corrupt { store: store.into(), seq, message };
    if entry.seq != seq {
        return Err(corrupt(format!("the next entry is {}", entry.seq)));
    }
    serde_json::from_str(&entry.body).map_err(|error| corrupt(error.to_string()))
}

impl<Q: Query> History<Q> {
    /// Reads the trials of a shared log, finished or not.
    ///
    /// # Errors
    /// [`LogError`]: the store cannot be read, has no such study, or an entry is damaged.
    pub fn read_log(log: &mut dyn EventLog) -> Result<Self, LogError> {
        let (store, entries) = (log.name(), log.read_from(0)?);
        let Some((first, rest)) = entries.split_first() else { return Err(LogError::Empty { store }) };
        let header = header(&store, first)?;
        let mut history = Self::new(header.seed);
        let damaged = |message| LogError::Corrupt { store: store.clone(), seq: 0, message };
        history.directions = header.fingerprint.directions().map_err(damaged)?;
        history.recorded = Some(Box::new(header.fingerprint));
        for (entry, seq) in rest.iter().zip(1..) {
            let event = event(&store, entry, seq)?;
            let corrupt = |message| LogError::Corrupt { store: store.clone(), seq, message };
            history.replay(event).map_err(corrupt)?;
        }
        Ok(history)
    }
}
