//! Runs of estimators, ours and those of other libraries.

use std::collections::BTreeMap;
use std::path::Path;

use thrifty_sampling::Seed;
use thrifty_study::MaxTrials;
use thrifty_testbed::Problem;
use thrifty_tpe::{TpeOptimizer, TpeSettings};

use super::scored::problem;
use crate::error::ExperimentError;
use crate::harness::replicate::study;
use crate::harness::runs::lossless_numbers;
use crate::harness::{JobName, RunContext, Runs};

/// A method by name.
pub type Method = (&'static str, fn() -> TpeSettings);

/// After so many evaluations.
pub const AT: [usize; 2] = [100, 200];

/// Regrets after 100 and 200 evaluations, by problem and method.
pub type Regrets = BTreeMap<(String, String), Vec<[f64; 2]>>;

/// Regrets of one run after 100 and 200 evaluations.
#[derive(serde::Serialize, serde::Deserialize)]
struct Reached {
    #[serde(with = "lossless_numbers")]
    regret: Vec<f64>,
}

/// Runs methods on problems: name, and whether it is moved.
pub fn collect(
    (id, context): (&'static str, &RunContext),
    methods: &[Method],
    problems: &[(&str, bool)],
    seeds: usize,
) -> Result<Regrets, ExperimentError> {
    let jobs: Vec<(usize, usize, usize)> = (0..problems.len())
        .flat_map(|p| (0..methods.len()).map(move |m| (p, m)))
        .flat_map(|(p, m)| (0..runs_on(problems[p].0, seeds)).map(move |i| (p, m, i)))
        .collect();
    let title = |p: usize| super::scored::title(problems[p].0, problems[p].1);
    let name = |&(p, m, i): &(usize, usize, usize)| JobName::new(title(p), methods[m].0, i);
    let found: Vec<Reached> = Runs::new(id, context).collect(&jobs, name, |&(p, m, i)| {
        let problem = problem(problems[p].0, problems[p].1)?;
        let seed = Seed(context.seed).child("tpe/quality", i as u64);
        let optimizer =
            TpeOptimizer::new(problem.space().clone()).and_then(|tpe| tpe.with_settings(methods[m].1()))?;
        let run = study(methods[m].0, &problem, optimizer, seed, i, MaxTrials(AT[1]))?;
        let regret = AT.map(|at| run.regret.get(at - 1).copied().unwrap_or(f64::INFINITY));
        Ok(Reached { regret: regret.to_vec() })
    })?;
    let mut regrets = Regrets::new();
    for (&(p, m, _), Reached { regret }) in jobs.iter().zip(&found) {
        let [at_100, at_200] = regret[..] else {
            return Err(ExperimentError::failed(format!(
                "{}: {} regrets, expected 2",
                title(p),
                regret.len()
            )));
        };
        regrets.entry((title(p), methods[m].0.to_owned())).or_default().push([at_100, at_200]);
    }
    Ok(regrets)
}

/// Planned runs of a method on the problem of a title: as many as [`collect`] makes.
pub fn runs_on_title(title: &str, seeds: usize) -> usize {
    runs_on(title, seeds)
}

/// True for problems, moved or not, whose parameters have conditions.
pub fn has_branches(title: &str) -> bool {
    title.strip_suffix(" moved").unwrap_or(title) == "mixcond"
}

/// A share of runs that are stuck needs more of them.
fn runs_on(problem: &str, seeds: usize) -> usize {
    if has_branches(problem) { 5 * seeds } else { seeds }
}

#[derive(serde::Deserialize)]
struct PeerRun {
    method: String,
    problem: String,
    #[serde(rename = "regret 100")]
    at_100: f64,
    #[serde(rename = "regret 200")]
    at_200: f64,
}

/// Runs of peers on these problems; none where the file is about others.
pub fn read_peers(path: &Path, problems: &[(&str, bool)]) -> Result<Regrets, ExperimentError> {
    let mut regrets = Regrets::new();
    let mut reader = csv::Reader::from_path(path).map_err(|error| ExperimentError::data(path, error))?;
    let header = reader.headers().map_err(|error| ExperimentError::data(path, error))?;
    if !header.iter().any(|name| name == "regret 100") {
        return Ok(regrets);
    }
    let names: Vec<String> =
        problems.iter().map(|(name, moved)| super::scored::title(name, *moved)).collect();
    for row in reader.deserialize() {
        let run: PeerRun = row.map_err(|error| ExperimentError::data(path, error))?;
        if names.contains(&run.problem) {
            regrets.entry((run.problem, run.method)).or_default().push([run.at_100, run.at_200]);
        }
    }
    Ok(regrets)
}
