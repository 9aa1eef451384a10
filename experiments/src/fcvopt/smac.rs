//! SMAC3 on folds, by the script of the other libraries.

use thrifty_study::OptimizerError;

use super::any::Any;
use super::methods::{Method, SLOW, Setup};
use crate::harness::RunContext;
use crate::peers::{First, Interpreters, PeerStudy, Refusal, SeedsAsFolds};

/// The name of SMAC3 on folds in the script of the other libraries.
const SMAC_ON_FOLDS: &str = "smac3-folds";

/// SMAC3 as in `yerramilli2025`: its facade for hyperparameters, whose random seeds are folds.
pub const SMAC: Method = Method {
    name: "SMAC3, fold by seed",
    make: |Setup { space, folds, fits, seed, python }| {
        let failed = |why: String| OptimizerError::failed(SMAC_ON_FOLDS, why);
        let first = First {
            method: SMAC_ON_FOLDS,
            seed: seed.0 & 0x7fff_ffff,
            noisy: true,
            evaluations: fits,
            ..First::default()
        };
        let process = Interpreters::find(python, [SMAC_ON_FOLDS])
            .process(SMAC_ON_FOLDS)
            .map_err(|error| failed(error.to_string()))?;
        let study = PeerStudy::begin(process, &space, &first).map_err(|refusal| match refusal {
            Refusal::Missing(why) | Refusal::Unsupported(_, why) => failed(why),
        })?;
        Ok(Any::new(SeedsAsFolds { study, folds }))
    },
    cap: SLOW,
    batch: 1,
};

/// These methods, and SMAC3 where an interpreter of `--python` has it.
pub fn with_peers(methods: &[Method], context: &RunContext) -> Vec<Method> {
    let has_smac = Interpreters::find(&context.python, [SMAC_ON_FOLDS]).has(SMAC_ON_FOLDS);
    methods.iter().copied().chain(has_smac.then_some(SMAC)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use thrifty_sampling::Seed;
    use thrifty_space::Space;

    use super::super::methods::ALL;
    use super::*;

    #[test]
    fn without_an_interpreter_there_is_no_smac() {
        let count = |python: &[&str]| {
            let python = python.iter().map(PathBuf::from).collect();
            with_peers(&ALL, &RunContext { python, ..RunContext::default() }).len()
        };
        assert_eq!(count(&[]), ALL.len());
        assert_eq!(count(&["no-such-python"]), ALL.len());
        let space = Space::unit_cube(1);
        let setup = Setup { space, folds: 2, fits: 4, seed: Seed(0), python: &[] };
        let error = (SMAC.make)(setup).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(SMAC_ON_FOLDS), "{error}");
    }
}
