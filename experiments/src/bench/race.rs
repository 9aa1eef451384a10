//! Methods against each other on the functions of De Ath et al. (2021), from the same designs.

use std::path::Path;

use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{MaxTrials, OptimizerError};
use thrifty_testbed::{Problem, TestFunction};

use super::egreedy;
use super::sample::{Sample, Timed};
use crate::data;
use crate::error::ExperimentError;
use crate::harness::clock::Clock;
use crate::harness::method::AnyOptimizer;
use crate::harness::replicate::{studies, study};
use crate::harness::{JobName, RunContext, Runs};

/// Every method on every function from every design.
pub struct Race<'a, M> {
    /// The experiment: random streams come from its name.
    pub id: &'static str,
    pub problems: &'a [TestFunction],
    /// The published designs, if they are there.
    pub published: Option<&'a Path>,
    /// Number of designs of each function.
    pub designs: usize,
    /// Number of evaluations, the design included.
    pub evaluations: usize,
    pub methods: &'a [M],
}

/// The first `count` of the eight functions.
pub fn functions(count: usize) -> Vec<TestFunction> {
    let all = [
        TestFunction::wang_freitas(),
        TestFunction::branin(),
        TestFunction::log_hartmann6(),
        TestFunction::cosines(),
        TestFunction::log_goldstein_price(),
        TestFunction::log_six_hump_camel(),
        TestFunction::log_rosenbrock(10),
        TestFunction::log_styblinski_tang(10),
    ];
    all.into_iter().take(count).collect()
}

struct Job<'a, M> {
    problem: &'a TestFunction,
    design: Vec<Config>,
    index: usize,
    method: &'a M,
}

impl<M: Sync> Race<'_, M> {
    /// Source of the designs.
    pub fn source(&self) -> String {
        match self.published {
            Some(_) => "the published designs of De Ath et al. (2021)".into(),
            None => "seeded Latin hypercubes; the published designs are those of the set egreedy".into(),
        }
    }

    /// Latin hypercubes of two points a variable, where there are no published designs.
    fn own_designs(&self, problem: &TestFunction, seed: u64) -> Vec<Vec<Config>> {
        let dim = problem.bounds().len();
        let design = |i: u64| {
            let mut rng = Seed(seed).child(self.id, i).stream(&problem.name(), 0);
            let points = thrifty_sampling::latin_hypercube(2 * dim, dim, &mut rng);
            points.rows().map(|x| problem.space().decode(x)).collect()
        };
        (0..self.designs as u64).map(design).collect()
    }

    /// All runs: by function, then by design, then by method.
    pub fn run(
        &self,
        context: &RunContext,
        name: impl Fn(&M) -> String + Sync,
        optimizer: impl Fn(&M, &TestFunction, Vec<Config>, Seed) -> Result<AnyOptimizer, OptimizerError> + Sync,
    ) -> Result<Vec<Sample>, ExperimentError> {
        let mut jobs = Vec::new();
        for problem in self.problems {
            let designs = match self.published {
                Some(path) => egreedy::designs(path, &problem.name(), problem.bounds().len())?,
                None => self.own_designs(problem, context.seed),
            };
            for (index, design) in designs.into_iter().take(self.designs).enumerate() {
                let job = |method| Job { problem, design: design.clone(), index, method };
                jobs.extend(self.methods.iter().map(job));
            }
        }
        let lines = Runs::new(self.id, context).data(data::identity(self.published)?);
        let of = |job: &Job<'_, M>| JobName::new(job.problem.name(), name(job.method), job.index);
        let runs: Vec<Timed> = studies(&lines, &jobs, of, |job| {
            let clock = Clock::start();
            let seed = Seed(context.seed).child(self.id, job.index as u64);
            let optimizer = optimizer(job.method, job.problem, job.design.clone(), seed)?;
            let stop = MaxTrials(self.evaluations);
            let run = study(&name(job.method), job.problem, optimizer, seed, job.index, stop)?;
            Ok(Timed { run, thread_seconds: clock.seconds() })
        })?;
        Ok(runs.iter().map(Sample::of).collect())
    }
}
