//! Studies shared by several workers: threads, processes or machines.
//!
//! A suggestion is a function of seed, settings, history and trial id, so workers only share a log of events. Each worker reads the log,
//! claims the next trial, asks its own optimiser, appends the suggestion, evaluates it and appends the outcome. [`EventLog`] is the store,
//! [`SharedStudy`] the worker.
//!
//! ```
//! use thrifty_study::shared::MemoryLog;
//! # use thrifty_study::{Ask, Fingerprint, History, MaxTrials, Optimizer, OptimizerError, Outcome, Study, Suggestion, TrialId};
//! # struct Halves;
//! # impl Optimizer for Halves {
//! #     type Query = f64;
//! #     type Recommendation = f64;
//! #     fn ask(&mut self, history: &History<f64>, _: TrialId) -> Result<Ask<f64>, OptimizerError> {
//! #         Ok(Ask::Evaluate(Suggestion::new(0.5_f64.powi(history.len() as i32))))
//! #     }
//! #     fn recommend(&mut self, history: &History<f64>) -> Result<Option<f64>, OptimizerError> {
//! #         Ok(history.best().map(|(trial, _)| trial.query))
//! #     }
//! #     fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
//! #         Ok(Fingerprint::new("halves"))
//! #     }
//! # }
//! let log = MemoryLog::new();
//! std::thread::scope(|scope| {
//!     for _ in 0..4 {
//!         scope.spawn(|| {
//!             let study = Study::new(Halves, thrifty_sampling::Seed(0)).with_stop(MaxTrials(20));
//!             let mut study = study.join(Box::new(log.clone()))?;
//!             study.run_worker(|x, _| Outcome::from(x * x))
//!         });
//!     }
//! });
//! let history = History::<f64>::read_log(&mut log.clone())?;
//! assert_eq!(history.len(), 20);
//! # Ok::<(), thrifty_study::StudyError>(())
//! ```

mod append;
mod ask;
pub(crate) mod contract;
mod entries;
mod error;
mod joined;
mod keeper;
mod log;
mod memory;
mod release;
mod restart;
mod tell;
mod verify;
mod worker;

pub use ask::Step;
pub use error::{AppendError, LogError};
pub use joined::{Assignment, SharedStudy};
pub use log::{Entry, EventLog, Lease, poll};
pub use memory::MemoryLog;
pub use release::{AtWork, give_back};
pub use verify::verify_replay;
pub use worker::WorkerReport;
