//! The border between the interpreter and the crates: errors become exceptions, panics too, and the interpreter's lock is released.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use thrifty::study::{JournalError, OptimizerError, StudyError};

/// `ValueError` with the text of an error: what a caller passed makes no sense.
pub(crate) fn invalid(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// `RuntimeError` with the text of an error.
pub(crate) fn failed(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// The exception of an optimiser: `ValueError` for a setting, otherwise `RuntimeError`.
pub(crate) fn optimizer(error: OptimizerError) -> PyErr {
    match error {
        OptimizerError::InvalidSetting { .. } => invalid(error),
        _ => failed(error),
    }
}

/// The exception of a study: `OSError` for a file, `ValueError` for what the caller passed, otherwise `RuntimeError`.
pub(crate) fn study(error: StudyError) -> PyErr {
    match error {
        StudyError::Optimizer(error) => optimizer(error),
        StudyError::Journal(JournalError::Io { .. } | JournalError::InUse { .. }) => {
            PyOSError::new_err(error.to_string())
        }
        StudyError::Journal(_) | StudyError::Log(_) | StudyError::Stalled => failed(error),
        _ => invalid(error),
    }
}

/// Runs `work` without the interpreter's lock; a panic becomes a `RuntimeError`.
pub(crate) fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| caught(work))
}

/// Runs `work` with the interpreter's lock, because it reads Python objects; a panic becomes a `RuntimeError`.
pub(crate) fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(failed(text(&*panic))))
}

/// The message of a panic.
fn text(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a defect of Thrifty, please report it: {}", message.unwrap_or("a panic without a message"))
}

/// State of an object that several threads of Python may call, one at a time.
pub(crate) struct Shared<T>(Mutex<T>);

impl<T: Send> Shared<T> {
    pub(crate) fn new(state: T) -> Self {
        Self(Mutex::new(state))
    }

    /// The state; it survives the panic of its last holder.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` on the state as [`guarded`] does.
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        guarded(py, || work(&mut self.lock()))
    }
}

/// Panics inside the border: for the test that panics become exceptions.
#[pyfunction]
#[pyo3(name = "_panics")]
pub(crate) fn panics(py: Python<'_>, message: String) -> PyResult<()> {
    guarded(py, || panic!("{message}"))
}
