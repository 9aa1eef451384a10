//! Options that only some experiments read.

use crate::error::ExperimentError;
use crate::harness::RunContext;

/// Experiments with a choice of methods; the others refuse the option, so that nobody takes a run of all for a run of some.
const WITH_METHODS: [&str; 2] = ["acquisition/functions", "bo/judged"];

/// Experiments whose number of evaluations can be chosen; the others refuse the option, so that no report names a number that was not run.
const WITH_EVALUATIONS: [&str; 12] = [
    "acquisition/functions",
    "bo/batches",
    "bo/dimensions",
    "bo/embeddings",
    "bo/few",
    "bo/judged",
    "bo/mixed",
    "bo/transfer",
    "bo/wide",
    "caligo/pareto",
    "pareto/benchmarks",
    "pareto/peers",
];

/// Help of `--evaluations`.
pub fn evaluations_help() -> String {
    format!("Evaluations per run instead of the experiment's own number: {}", WITH_EVALUATIONS.join(", "))
}

/// Refuses options that an experiment, or all of them, would not read.
pub fn check(id: &str, context: &RunContext) -> Result<(), ExperimentError> {
    if !WITH_METHODS.contains(&id) {
        context.check_methods(id, &[])?;
    }
    if context.evaluations.is_some() && !WITH_EVALUATIONS.contains(&id) {
        let (option, known) = ("--evaluations", WITH_EVALUATIONS.join(", "));
        return Err(ExperimentError::NoEffect { option, id: id.into(), known });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Ids in the sources that read the number of evaluations; each is in the file of its experiment.
    fn readers(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(readers(&path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                if text.contains("context.evaluations") {
                    let id = text.split("    id: \"").nth(1).and_then(|rest| rest.split('"').next());
                    found.push(id.unwrap_or_else(|| panic!("{} has no id", path.display())).to_owned());
                }
            }
        }
        found
    }

    #[test]
    fn a_number_of_evaluations_is_for_those_that_read_it() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        for entry in fs::read_dir(sources).unwrap() {
            let folder = entry.unwrap().path();
            // The harness reads it for all, and this folder checks it.
            if folder.is_dir() && !["harness", "cli"].iter().any(|name| folder.ends_with(name)) {
                found.extend(readers(&folder));
            }
        }
        found.sort();
        assert_eq!(found, WITH_EVALUATIONS);
    }

    #[test]
    fn options_without_an_effect_are_refused() {
        let plain = RunContext::default();
        assert!(check("hybrid/toy", &plain).is_ok() && check("all", &plain).is_ok());
        let few = RunContext { evaluations: Some(3), ..RunContext::default() };
        assert!(check("bo/wide", &few).is_ok());
        for id in ["hybrid/toy", "all"] {
            let error = check(id, &few).unwrap_err().to_string();
            assert!(error.starts_with(&format!("--evaluations has no effect on {id}; it is for")), "{error}");
        }
        let one = RunContext { methods: Some(vec!["tpe".into()]), ..RunContext::default() };
        assert!(check("bo/judged", &one).is_ok());
        assert!(check("bo/wide", &one).unwrap_err().to_string().contains("--methods"));
    }
}
