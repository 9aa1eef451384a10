//! Interpreters of the other libraries.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use thrifty_space::Space;

use super::peer_study::{First, PeerStudy, Refusal};
use super::process::Process;
use crate::error::ExperimentError;

/// Interpreter of each method that has one, and its idle processes.
#[derive(Default)]
pub struct Interpreters {
    found: BTreeMap<&'static str, PathBuf>,
    /// Reason of each method that has none.
    pub missing: BTreeMap<&'static str, String>,
    idle: Mutex<BTreeMap<&'static str, Vec<Process>>>,
}

impl Interpreters {
    /// Tries the interpreters in order for each method.
    pub fn find(python: &[PathBuf], methods: impl IntoIterator<Item = &'static str>) -> Self {
        let mut all = Self::default();
        for method in methods {
            let mut why = String::from("no interpreter was named with --python");
            for python in python {
                match probe(python, method) {
                    Ok(process) => {
                        all.found.insert(method, python.clone());
                        all.give_back(method, process);
                        break;
                    }
                    Err(reason) => why = reason,
                }
            }
            if !all.found.contains_key(method) {
                all.missing.insert(method, why);
            }
        }
        all
    }

    /// True if a method can be run.
    pub fn has(&self, method: &str) -> bool {
        self.found.contains_key(method)
    }

    /// An idle process, or a new one.
    pub fn process(&self, method: &'static str) -> Result<Process, ExperimentError> {
        let idle =
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).get_mut(method).and_then(Vec::pop);
        idle.map_or_else(|| self.fresh(method), Ok)
    }

    /// A new process.
    pub fn fresh(&self, method: &'static str) -> Result<Process, ExperimentError> {
        let python = self.found.get(method);
        Process::start(python.ok_or_else(|| ExperimentError::failed(format!("{method} has no interpreter")))?)
    }

    /// Keeps a process that has ended its study.
    pub fn give_back(&self, method: &'static str, process: Process) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).entry(method).or_default().push(process);
    }
}

/// A process that has the method, or why there is none.
fn probe(python: &std::path::Path, method: &str) -> Result<Process, String> {
    let process = Process::start(python).map_err(|error| error.to_string())?;
    let first = First { method, design: 4, evaluations: 8, ..First::default() };
    match PeerStudy::begin(process, &Space::unit_cube(2), &first) {
        Ok(study) => study.end().ok_or_else(|| "the process ended after its first answer".into()),
        Err(Refusal::Missing(why) | Refusal::Unsupported(_, why)) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_without_an_interpreter_are_named() {
        let none = Interpreters::find(&[], ["cma"]);
        assert_eq!(none.missing["cma"], "no interpreter was named with --python");
        let bad = Interpreters::find(&["no-such-python".into()], ["cma"]);
        assert!(bad.missing["cma"].contains("no-such-python") && !bad.has("cma"));
        assert!(bad.process("cma").err().unwrap().to_string().contains("cma"));
    }
}
