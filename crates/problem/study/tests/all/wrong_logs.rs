//! The contract of event logs, against logs made wrong on purpose.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use thrifty_study::TrialId;
use thrifty_study::contract;
use thrifty_study::shared::{AppendError, Entry, EventLog, Lease, LogError, MemoryLog};

/// Fault of a log.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    ReadsFromTheBeginning,
    AppendsAfterAConflict,
    IgnoresFences,
    GrantsWhatIsHeld,
    ReleasesNothing,
    SaysThatAllIsFree,
    LosesEveryHeartbeat,
    CountsMilliseconds,
}

/// A log in memory with a fault.
struct Wrong {
    log: MemoryLog,
    fault: Fault,
}

impl EventLog for Wrong {
    fn name(&self) -> String {
        self.log.name()
    }

    fn now(&mut self) -> Result<f64, LogError> {
        let factor = if self.fault == Fault::CountsMilliseconds { 1e3 } else { 1.0 };
        Ok(factor * self.log.now()?)
    }

    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError> {
        self.log.read_from(if self.fault == Fault::ReadsFromTheBeginning { 0 } else { seq })
    }

    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError> {
        let lease = lease.filter(|_| self.fault != Fault::IgnoresFences);
        match self.log.append(expected, bodies, lease) {
            Err(AppendError::Conflict) if self.fault == Fault::AppendsAfterAConflict => {
                let end = self.log.read_from(0).map_err(AppendError::Log)?.len() as u64;
                self.log.append(end, bodies, lease)
            }
            other => other,
        }
    }

    fn claim(&mut self, trial: TrialId, owner: &str, time: Duration) -> Result<Option<Lease>, LogError> {
        let claimed = self.log.claim(trial, owner, time)?;
        let taken =
            (self.fault == Fault::GrantsWhatIsHeld).then(|| Lease { trial, owner: owner.into(), fence: 9 });
        Ok(claimed.or(taken))
    }

    fn heartbeat(&mut self, lease: &Lease, duration: Duration) -> Result<bool, LogError> {
        Ok(self.log.heartbeat(lease, duration)? && self.fault != Fault::LosesEveryHeartbeat)
    }

    fn release(&mut self, lease: &Lease) -> Result<(), LogError> {
        if self.fault == Fault::ReleasesNothing { Ok(()) } else { self.log.release(lease) }
    }

    fn unclaimed(&mut self, trials: &[TrialId]) -> Result<Vec<TrialId>, LogError> {
        if self.fault == Fault::SaysThatAllIsFree {
            return Ok(trials.to_vec());
        }
        self.log.unclaimed(trials)
    }
}

fn check(fault: Fault) {
    let logs: Vec<MemoryLog> = (0..8).map(|_| MemoryLog::new()).collect();
    contract::event_log(&|number| Box::new(Wrong { log: logs[number as usize].clone(), fault }));
}

#[test]
fn wrong_logs_break_the_contract() {
    check(Fault::None);
    for fault in [
        Fault::ReadsFromTheBeginning,
        Fault::AppendsAfterAConflict,
        Fault::IgnoresFences,
        Fault::GrantsWhatIsHeld,
        Fault::ReleasesNothing,
        Fault::SaysThatAllIsFree,
        Fault::LosesEveryHeartbeat,
        Fault::CountsMilliseconds,
    ] {
        assert!(catch_unwind(AssertUnwindSafe(|| check(fault))).is_err(), "{fault:?}");
    }
}
