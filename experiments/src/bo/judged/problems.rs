//! The judged problems and the designs from which every method begins.

use std::path::Path;
use std::sync::Arc;

use thrifty_sampling::{Seed, Sobol};
use thrifty_space::Config;
use thrifty_testbed::{Bbob, BbobError, BbobNoise, NoisyBbob, Problem, TestFunction};

use super::selection::{COUNTS, SEED, selection};
use crate::bench::egreedy::{self, DESIGNS};
use crate::bench::race;
use crate::bench::table::GridTable;
use crate::bench::tables;
use crate::data;
use crate::error::ExperimentError;
use crate::harness::RunContext;

/// A problem that every replication poses anew.
#[derive(Clone)]
pub struct JudgedProblem {
    /// Name in jobs and tables.
    pub label: String,
    pub source: Source,
    /// Published designs by replication; without them designs are drawn.
    designs: Option<Vec<Vec<Config>>>,
}

/// Origin of a problem.
#[derive(Clone)]
pub enum Source {
    Function(Box<TestFunction>),
    /// A replication has the instance of its number, from 1 on.
    Bbob {
        function: u8,
        dim: usize,
    },
    NoisyBbob {
        function: u8,
        dim: usize,
    },
    Table(Arc<GridTable>),
}

impl JudgedProblem {
    fn new(label: String, source: Source) -> Self {
        Self { label, source, designs: None }
    }

    fn bbob(function: u8, dim: usize) -> Self {
        Self::new(format!("BBOB f{function}, d = {dim}"), Source::Bbob { function, dim })
    }

    fn noisy(function: u8, dim: usize) -> Self {
        Self::new(format!("BBOB f{function}, d = {dim}"), Source::NoisyBbob { function, dim })
    }

    /// True if evaluations carry noise, which every method is told.
    pub fn is_noisy(&self) -> bool {
        matches!(self.source, Source::NoisyBbob { .. })
    }

    /// Name of the function in words.
    pub fn title(&self) -> String {
        let title = |bbob: Result<Bbob, _>| bbob.map(|b: Bbob| b.title().to_owned());
        let found: Result<String, BbobError> = match &self.source {
            Source::Function(function) => Ok(function.name()),
            Source::Bbob { function, dim } => title(Bbob::new(*function, *dim, 1)),
            Source::NoisyBbob { function, dim } => NoisyBbob::new(*function, *dim, 1).map(|noisy| {
                let noise = match noisy.noise() {
                    BbobNoise::Gaussian { .. } => "Gaussian",
                    BbobNoise::Uniform { .. } => "uniform",
                    BbobNoise::Cauchy { .. } => "Cauchy",
                };
                let severity = if *function <= 106 { "moderate" } else { "severe" };
                format!("{}, {severity} {noise} noise", noisy.noiseless().title())
            }),
            Source::Table(_) => Ok("measured grid".into()),
        };
        found.unwrap_or_default()
    }

    /// Number of parameters.
    pub fn dim(&self) -> usize {
        match &self.source {
            Source::Function(function) => function.bounds().len(),
            Source::Bbob { dim, .. } | Source::NoisyBbob { dim, .. } => *dim,
            Source::Table(table) => table.space().parameters().len(),
        }
    }

    /// The problem of one replication.
    pub fn pose(&self, replication: usize) -> Result<Arc<dyn Problem>, ExperimentError> {
        let instance = replication as u32 + 1;
        Ok(match &self.source {
            Source::Function(function) => Arc::new(TestFunction::clone(function)),
            Source::Bbob { function, dim } => {
                Arc::new(Bbob::new(*function, *dim, instance).map_err(ExperimentError::failed)?)
            }
            Source::NoisyBbob { function, dim } => {
                Arc::new(NoisyBbob::new(*function, *dim, instance).map_err(ExperimentError::failed)?)
            }
            Source::Table(table) => table.clone(),
        })
    }

    /// The design of one replication: the published one, or scrambled Sobol points, two for each parameter.
    pub fn design(&self, problem: &dyn Problem, seed: Seed, replication: usize) -> Vec<Config> {
        if let Some(design) = self.designs.as_ref().and_then(|designs| designs.get(replication)) {
            return design.clone();
        }
        let mut rng = seed.stream(&self.label, 0);
        let points = Sobol::scrambled(problem.space().dim(), &mut rng).take(2 * self.dim());
        points.rows().map(|x| problem.space().decode(x)).collect()
    }
}

/// Problems of the run. The quick form has functions that are not judged, so that it shows nothing of the judged ones.
pub fn problems(context: &RunContext) -> Result<Vec<JudgedProblem>, ExperimentError> {
    let chosen = selection(SEED);
    if context.pick(true, false) {
        return Ok(vec![
            JudgedProblem::bbob(chosen.judged_before[0], 2),
            JudgedProblem::noisy(chosen.left[0], 2),
        ]);
    }
    let mut problems = de_ath(data::file(context.data.as_deref(), DESIGNS).as_deref())?;
    let also = |dim: usize| chosen.noiseless[..COUNTS.1].iter().map(move |f| JudgedProblem::bbob(*f, dim));
    problems.extend(chosen.noiseless.iter().map(|f| JudgedProblem::bbob(*f, 5)));
    problems.extend(also(2).chain(also(10)));
    problems.extend(chosen.noisy.iter().map(|f| JudgedProblem::noisy(*f, 5)));
    if let Some(index) = data::file(context.data.as_deref(), tables::INDEX) {
        for table in tables::measured(&index, tables::TABLES.len())? {
            problems.push(JudgedProblem::new(table.name(), Source::Table(Arc::new(table))));
        }
    }
    Ok(problems)
}

/// The functions of `death2021`, apart from `WangFreitas`, on which defaults were developed.
fn de_ath(designs: Option<&Path>) -> Result<Vec<JudgedProblem>, ExperimentError> {
    let one = |function: TestFunction| {
        let read = |path| egreedy::designs(path, &function.name(), function.bounds().len());
        let designs = designs.map(read).transpose()?;
        let label = function.name();
        Ok(JudgedProblem { label, source: Source::Function(Box::new(function)), designs })
    };
    race::functions(8).into_iter().filter(|function| function.name() != "WangFreitas").map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Effort;

    #[test]
    fn the_set_has_its_sizes_and_shows_nothing_of_itself_when_quick() {
        let full = problems(&RunContext { effort: Effort::Full, ..RunContext::default() }).unwrap();
        // Without data there are no tables.
        assert_eq!(full.len(), 7 + 12 + 8 + 6);
        assert_eq!(full.iter().filter(|p| p.is_noisy()).count(), 6);
        let mut labels: Vec<&String> = full.iter().map(|p| &p.label).collect();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), full.len());
        for quick in problems(&RunContext::default()).unwrap() {
            let function = |label: &str| label.split(',').next().unwrap_or_default().to_owned();
            let judged = full.iter().any(|p| function(&p.label) == function(&quick.label));
            assert!(!judged, "{}", quick.label);
        }
    }

    #[test]
    fn designs_are_shared_and_replications_differ() {
        let problem = JudgedProblem::bbob(3, 4);
        let design = |replication: usize| {
            let posed = problem.pose(replication).unwrap();
            problem.design(&*posed, Seed(1).child("a", replication as u64), replication)
        };
        assert_eq!((design(0).len(), design(0) == design(0)), (8, true));
        assert_ne!(design(0), design(1));
        let optimum = |replication| problem.pose(replication).unwrap().optimum();
        assert!((optimum(0) - optimum(1)).abs() > 0.0);
    }
}
