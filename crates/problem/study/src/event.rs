//! Lines of a journal and entries of a shared log: a header, then events.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thrifty_sampling::Seed;

use crate::machine::Machine;
use crate::{Failure, Fingerprint, Memo, Outcome, Schedule, TrialId};

/// Current format. Format 1 had neither sequence numbers nor checksums; it can still be read.
pub(crate) const FORMAT: u32 = 2;

/// First line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) thrifty_journal: u32,
    pub(crate) seed: Seed,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) machine: Machine,
    /// In a shared log: start of the study, in seconds since 1970 by the clock of the store. A journal has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) began: Option<f64>,
    /// The last field: it may be chosen after the journal was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) schedule: Option<Schedule>,
}

impl Header {
    /// First line of a study that starts on this machine.
    pub(crate) fn new(seed: Seed, fingerprint: Fingerprint) -> Self {
        let machine = Machine::here();
        Self { thrifty_journal: FORMAT, seed, fingerprint, machine, began: None, schedule: None }
    }
}

/// A line after the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event<Q> {
    /// Written before the evaluation starts.
    Asked {
        id: TrialId,
        query: Q,
        #[serde(with = "crate::numbers::map", default)]
        diagnostics: BTreeMap<String, f64>,
        #[serde(default)]
        memo: Memo,
        /// True for the next query of the queue.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        queued: bool,
        /// True for a trial that was made elsewhere. Journals of earlier versions do not have it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        known: bool,
        /// Number of entries of a shared log that the suggestion was based on; a journal has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<u64>,
        seconds: f64,
        /// Total time of all sittings up to this line, in seconds; absent in journals of earlier versions and in shared logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elapsed: Option<f64>,
    },
    /// A query for one of the next trials; values may be missing.
    Enqueued {
        query: Q,
        /// In a shared log, the worker that enqueued it. It distinguishes equal queries enqueued by two workers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// Total time of all sittings up to this line, in seconds; absent in journals of earlier versions and in shared logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elapsed: Option<f64>,
    },
    /// An intermediate value.
    Reported {
        id: TrialId,
        step: u64,
        #[serde(with = "crate::numbers::one")]
        value: f64,
        /// Total time of all sittings up to this line, in seconds; absent in journals of earlier versions and in shared logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elapsed: Option<f64>,
    },
    /// The study continues after the journal was reopened, or with another schedule or budget.
    Resumed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schedule: Option<Schedule>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
        /// False in journals of earlier versions, where reports of unfinished trials were dropped.
        #[serde(default)]
        keeps_reports: bool,
    },
    /// An attempt failed; another one follows and reports again.
    Retried {
        id: TrialId,
        failure: Failure,
        seconds: f64,
        /// Total time of all sittings up to this line, in seconds; absent in journals of earlier versions and in shared logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elapsed: Option<f64>,
    },
    /// An unfinished trial is evaluated again, in a shared log by the worker with this fence. Its reports will be made again.
    Restarted {
        id: TrialId,
        fence: u64,
        /// True if the lease of another worker expired. Logs of earlier versions do not have it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lost: bool,
    },
    /// In a shared log: the worker with this fence returns an unfinished trial, so that its next restart does not count as a loss.
    Released { id: TrialId, fence: u64 },
    /// Written before the outcome is used.
    Told {
        id: TrialId,
        outcome: Outcome,
        seconds: f64,
        /// Total time of all sittings up to this line, in seconds; absent in journals of earlier versions and in shared logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elapsed: Option<f64>,
    },
}

/// Largest time that is accepted from a line, in seconds: 30,000 years, which fits a [`Duration`].
const LONGEST: f64 = 1e12;

impl<Q> Event<Q> {
    /// A query for one of the next trials, in the form of a journal.
    pub(crate) fn enqueued(query: Q) -> Self {
        Self::Enqueued { query, by: None, elapsed: None }
    }

    /// An intermediate value.
    pub(crate) fn reported(id: TrialId, step: u64, value: f64) -> Self {
        Self::Reported { id, step, value, elapsed: None }
    }

    /// Stamps the event with the time of the study.
    pub(crate) fn stamp(&mut self, now: Duration) {
        if let Self::Asked { elapsed, .. }
        | Self::Enqueued { elapsed, .. }
        | Self::Reported { elapsed, .. }
        | Self::Retried { elapsed, .. }
        | Self::Told { elapsed, .. } = self
        {
            // Milliseconds are precise enough, and short.
            *elapsed = Some(now.as_millis() as f64 / 1e3);
        }
    }

    /// Time of the study after this event, in seconds: its time stamp, or else `before` plus the seconds of the event.
    pub(crate) fn elapsed_after(&self, before: f64) -> f64 {
        match self {
            Self::Asked { seconds, elapsed, .. }
            | Self::Retried { seconds, elapsed, .. }
            | Self::Told { seconds, elapsed, .. } => {
                elapsed.unwrap_or(before + seconds.max(0.0)).clamp(before, LONGEST)
            }
            Self::Enqueued { elapsed, .. } | Self::Reported { elapsed, .. } => {
                elapsed.unwrap_or(before).clamp(before, LONGEST)
            }
            Self::Resumed { .. } | Self::Restarted { .. } | Self::Released { .. } => before,
        }
    }
}
