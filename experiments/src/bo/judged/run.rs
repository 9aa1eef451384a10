//! One run: a method on a problem from a seed.

use std::time::Instant;

use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{Best, Next, Optimizer, Study, StudyError};
use thrifty_testbed::Problem;

use super::methods;
use super::problems::JudgedProblem;
use crate::error::ExperimentError;
use crate::harness::clock::Clock;
use crate::harness::runs::lossless_numbers;
use crate::peers::{Ended, First, Interpreters, PeerRun};

/// Evaluations between two regrets of a line.
pub const STEP: usize = 10;

/// Beginning of the failure of a run whose parameters the method does not have.
pub const UNSUPPORTED: &str = "unsupported";

/// Result of a run, its line in the file.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Done {
    /// Regret after 10, 20, … evaluations: of the best that was evaluated, on noisy problems of the recommendation.
    #[serde(with = "lossless_numbers")]
    pub regret: Vec<f64>,
    /// CPU seconds of the method.
    pub cpu_seconds: f64,
    pub wall_seconds: f64,
    /// Version of the package; empty for ours.
    pub version: String,
    /// Reason why the run ended early; empty if it did not.
    pub failure: String,
}

impl Done {
    /// True if the method has no type for the parameters of the problem.
    pub fn is_unsupported(&self) -> bool {
        self.failure.starts_with(UNSUPPORTED)
    }

    /// The regret at the end.
    pub fn last(&self) -> f64 {
        self.regret.last().copied().unwrap_or(f64::INFINITY)
    }
}

/// A run before it is made.
pub struct Task<'a> {
    pub problem: &'a JudgedProblem,
    pub replication: usize,
    /// Seed of the replication, which all methods share.
    pub seed: Seed,
    pub evaluations: usize,
}

impl Task<'_> {
    /// Runs one of our methods.
    pub fn ours(&self, method: &str) -> Result<Done, ExperimentError> {
        let (posed, began, clock) = (self.problem.pose(self.replication)?, Instant::now(), Clock::start());
        let design = self.problem.design(&*posed, self.seed, self.replication);
        let of = (self.problem.is_noisy(), self.evaluations);
        let optimizer = methods::optimizer(method, of, posed.space().clone(), design)?;
        let (regret, failure) = self.regrets(&*posed, optimizer)?;
        if let Some(error) = failure {
            return Err(error.into());
        }
        let (cpu_seconds, wall_seconds) = (clock.seconds(), began.elapsed().as_secs_f64());
        Ok(Done { regret, cpu_seconds, wall_seconds, version: String::new(), failure: String::new() })
    }

    /// Runs another library.
    pub fn peer(&self, method: &'static str, from: &Interpreters) -> Result<Done, ExperimentError> {
        let (posed, began) = (self.problem.pose(self.replication)?, Instant::now());
        let design = self.problem.design(&*posed, self.seed, self.replication);
        let first = First {
            method,
            seed: self.seed.0 & 0x7fff_ffff,
            noisy: self.problem.is_noisy(),
            design: design.len(),
            evaluations: self.evaluations,
            ..First::default()
        };
        let ended =
            from.whole(posed.space(), &first, &design, |optimizer| self.regrets(&*posed, optimizer))?;
        Ok(match ended {
            Ended::Unsupported(why) => unsupported(&why),
            Ended::Run(PeerRun { found: regret, failure, cpu_seconds, version }) => {
                Done { regret, cpu_seconds, wall_seconds: began.elapsed().as_secs_f64(), version, failure }
            }
        })
    }

    /// Regret after every so many evaluations, and the error that ended the run.
    fn regrets<O>(
        &self,
        problem: &dyn Problem,
        optimizer: O,
    ) -> Result<(Vec<f64>, Option<StudyError>), ExperimentError>
    where
        O: Optimizer<Query = Config, Recommendation = Best<Config>>,
    {
        let mut study = Study::new(optimizer, self.seed);
        let (mut regrets, mut best, mut failure) = (Vec::new(), f64::INFINITY, None);
        for evaluated in 1..=self.evaluations {
            let step = |study: &mut Study<O>| -> Result<Option<Config>, StudyError> {
                let Next::Evaluate(trial) = study.ask()? else { return Ok(None) };
                let mut noise = self.seed.stream("evaluation", trial.id.0);
                study.tell(trial.id, problem.evaluate(&trial.query, &mut noise))?;
                Ok(Some(trial.query))
            };
            match step(&mut study) {
                Ok(Some(config)) => best = best.min(problem.regret(&config)?),
                Ok(None) => break,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
            if evaluated % STEP != 0 && evaluated != self.evaluations {
                continue;
            }
            if !self.problem.is_noisy() {
                regrets.push(best);
                continue;
            }
            match study.recommend() {
                Ok(Some(found)) => regrets.push(problem.regret(&found.config)?),
                Ok(None) => regrets.push(best),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        // A run that ended early keeps what it had.
        let last = regrets.last().copied().unwrap_or(best);
        regrets.resize(self.evaluations.div_ceil(STEP), if self.problem.is_noisy() { last } else { best });
        Ok((regrets, failure))
    }
}

fn unsupported(why: &str) -> Done {
    Done {
        regret: Vec::new(),
        cpu_seconds: 0.0,
        wall_seconds: 0.0,
        version: String::new(),
        failure: format!("{UNSUPPORTED}: {why}"),
    }
}
