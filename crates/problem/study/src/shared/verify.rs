//! Replay of a shared log: repeats each suggestion from the entries that it was based on.

use super::ask::{Answer, answer};
use super::{EventLog, LogError, entries};
use crate::event::Event;
use crate::{History, Optimizer, Query, Schedule, Study, StudyError, Suggestion};

/// Repeats every suggestion of a shared log and compares it bit by bit; returns their number.
///
/// A suggestion that records `seen` is repeated from the first `seen` entries. Imported trials do not record it and are skipped. The log
/// must be of this optimiser, and of a build and processor with the same rounding.
///
/// # Errors
/// [`LogError::Replay`] for the first suggestion that differs; otherwise as [`Study::join`].
pub fn verify_replay<O: Optimizer>(optimizer: O, log: &mut dyn EventLog) -> Result<usize, StudyError> {
    let (store, entries) = (log.name(), log.read_from(0)?);
    let Some((first, rest)) = entries.split_first() else { return Err(LogError::Empty { store }.into()) };
    let header = entries::header(&store, first)?;
    let corrupt = |message| LogError::Corrupt { store: store.clone(), seq: 0, message };
    let directions = header.fingerprint.directions().map_err(corrupt)?;
    let here = optimizer.fingerprint()?.directed(&directions)?;
    let differences = header.fingerprint.differences_under(&here, header.seed);
    if !differences.is_empty() {
        return Err(LogError::Settings { store, differences }.into());
    }
    let schedule = header.schedule.unwrap_or(Schedule::AsCompleted);
    let mut study = Study::new(optimizer, header.seed);
    study.plan_as_recorded(here.budget, header.fingerprint.budget);
    let events = rest.iter().zip(1..).map(|(entry, seq)| entries::event(&store, entry, seq));
    let events = events.collect::<Result<Vec<Event<O::Query>>, _>>()?;
    let (mut applied, mut count) = (1, 0);
    for (asked, at) in events.iter().zip(1..) {
        let Event::Asked { id, query, diagnostics, memo, seen: Some(seen), .. } = asked else { continue };
        let corrupt = |message: String| LogError::Corrupt { store: store.clone(), seq: at, message };
        if *seen < applied || *seen > at {
            return Err(corrupt(format!("it has seen {seen} entries, expected {applied} to {at}")).into());
        }
        apply(&mut study.history, &events, applied, *seen).map_err(corrupt)?;
        applied = *seen;
        if id.0 != study.history.len() as u64 {
            return Err(corrupt(format!(
                "trial {} was asked when {} trials were known",
                id.0,
                study.history.len()
            ))
            .into());
        }
        let found = Suggestion { query: query.clone(), diagnostics: diagnostics.clone(), memo: memo.clone() };
        let found = text(&found);
        let expected = match answer(&mut study, schedule)? {
            Answer::Evaluate { mut suggestion, .. } => {
                // A log of an earlier version has fewer diagnostics.
                suggestion.diagnostics.retain(|name, _| diagnostics.contains_key(name));
                text(&suggestion)
            }
            Answer::Wait => "a wait".into(),
            Answer::Stop(reason) => format!("the end of the study ({reason:?})"),
        };
        if found != expected {
            return Err(LogError::Replay { store, id: *id, seen: *seen, found, expected }.into());
        }
        count += 1;
    }
    let end = entries.len() as u64;
    apply(&mut study.history, &events, applied, end).map_err(|message| LogError::Corrupt {
        store,
        seq: end - 1,
        message,
    })?;
    Ok(count)
}

/// Applies the events of entries `from` to `to`.
fn apply<Q: Query>(history: &mut History<Q>, events: &[Event<Q>], from: u64, to: u64) -> Result<(), String> {
    let events = events.iter().take(to as usize - 1).skip(from as usize - 1);
    events.cloned().try_for_each(|event| history.replay(event))
}

/// Query, diagnostics and memo as JSON; numbers keep all their bits.
fn text<Q: Query>(suggestion: &Suggestion<Q>) -> String {
    let bits = |value: &f64| value.to_bits();
    let diagnostics: Vec<_> =
        suggestion.diagnostics.iter().map(|(name, value)| (name, bits(value))).collect();
    serde_json::to_string(&(&suggestion.query, &suggestion.memo, diagnostics))
        .unwrap_or_else(|error| error.to_string())
}
