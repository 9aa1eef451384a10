//! Families of related tasks, and sources that help or mislead.

use thrifty_kernel::Matern52;
use thrifty_sampling::{Seed, Sobol, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_testbed::{Problem, TestFunction};

use crate::bo::development::searched;
use crate::bo::problems::drawn;
use crate::error::ExperimentError;

/// Function on the unit cube.
pub type Function = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// Family of related tasks: draws of one replication share a part.
#[derive(Debug, Clone, Copy)]
pub enum Family {
    /// Branin, each task shifted by up to a tenth of the domain, on a scale of its own.
    Branin,
    /// Hartmann in three dimensions, likewise.
    Hartmann3,
    /// Draws of a process in four dimensions with a correlation of 0.8 between tasks.
    Draws,
}

pub const FAMILIES: [Family; 3] = [Family::Branin, Family::Hartmann3, Family::Draws];

/// Sources of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// Three tasks of the family.
    Helpful,
    /// One task of the family.
    OneHelpful,
    /// Two negated tasks of the family.
    Negated,
    /// Three draws of processes that have nothing to do with the task.
    Unrelated,
    /// Two tasks of the family, a negated one and two unrelated draws.
    Mixed,
}

pub const SCENARIOS: [Scenario; 5] =
    [Scenario::Helpful, Scenario::OneHelpful, Scenario::Negated, Scenario::Unrelated, Scenario::Mixed];

impl Scenario {
    pub fn label(self) -> &'static str {
        match self {
            Self::Helpful => "three helpful",
            Self::OneHelpful => "one helpful",
            Self::Negated => "two negated",
            Self::Unrelated => "three unrelated",
            Self::Mixed => "two helpful, three misleading",
        }
    }
}

/// Task on the unit cube, with its minimum by a long search.
pub struct Task {
    space: Space,
    function: Function,
    optimum: f64,
    /// Standard deviation over the cube.
    pub spread: f64,
}

impl Task {
    fn new(dim: usize, function: Function, rng: &mut Stream) -> Result<Self, ExperimentError> {
        let optimum = searched(&function, dim, rng)?;
        let values: Vec<f64> = Sobol::scrambled(dim, rng).take(1024).rows().map(&function).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        Ok(Self { space: Space::unit_cube(dim), function, optimum, spread: variance.sqrt() })
    }
}

impl Family {
    pub fn label(self) -> &'static str {
        match self {
            Self::Branin => "Branin",
            Self::Hartmann3 => "Hartmann-3",
            Self::Draws => "draws, d = 4",
        }
    }

    fn dim(self) -> usize {
        match self {
            Self::Branin => 2,
            Self::Hartmann3 => 3,
            Self::Draws => 4,
        }
    }

    /// Task `index` of the replication with this seed, on a scale of its own; 0 is the new one.
    fn function(self, seed: Seed, index: u64) -> Result<Function, ExperimentError> {
        let mut rng = seed.stream("task", index);
        let scale = 10_f64.powf(2.0 * rng.uniform() - 1.0);
        let offset = 10.0 * scale * (rng.uniform() - 0.5);
        let shape: Function = match self {
            Self::Branin => moved(TestFunction::branin(), &mut rng),
            Self::Hartmann3 => moved(TestFunction::hartmann3(), &mut rng),
            Self::Draws => {
                let kernel = Matern52::new(vec![0.5; self.dim()]).map_err(ExperimentError::failed)?;
                let common = drawn(&kernel, &mut seed.stream("common", 0))?;
                let own = drawn(&kernel, &mut rng)?;
                Box::new(move |x| 0.8_f64.sqrt() * common(x) + 0.2_f64.sqrt() * own(x))
            }
        };
        Ok(Box::new(move |x| offset + scale * shape(x)))
    }

    /// The new task of a replication.
    pub fn target(self, seed: Seed) -> Result<Task, ExperimentError> {
        Task::new(self.dim(), self.function(seed, 0)?, &mut seed.stream("search", 0))
    }

    /// The functions of earlier studies.
    pub fn sources(self, scenario: Scenario, seed: Seed) -> Result<Vec<Function>, ExperimentError> {
        let (helpful, negated, unrelated) = match scenario {
            Scenario::Helpful => (3, 0, 0),
            Scenario::OneHelpful => (1, 0, 0),
            Scenario::Negated => (0, 2, 0),
            Scenario::Unrelated => (0, 0, 3),
            Scenario::Mixed => (2, 1, 2),
        };
        let mut functions: Vec<Function> = Vec::new();
        for index in 1..=helpful {
            functions.push(self.function(seed, index)?);
        }
        for index in helpful + 1..=helpful + negated {
            let shape = self.function(seed, index)?;
            functions.push(Box::new(move |x| -shape(x)));
        }
        for index in 0..unrelated {
            let kernel = Matern52::new(vec![0.4; self.dim()]).map_err(ExperimentError::failed)?;
            functions.push(Box::new(drawn(&kernel, &mut seed.stream("unrelated", index))?));
        }
        Ok(functions)
    }
}

/// A test function whose cube is the inner four fifths of its domain, moved by up to a tenth in each direction.
fn moved(function: TestFunction, rng: &mut Stream) -> Function {
    let offsets: Vec<f64> = function.bounds().iter().map(|_| 0.2 * rng.uniform()).collect();
    Box::new(move |x| {
        let inner: Vec<f64> = x
            .iter()
            .zip(&offsets)
            .zip(function.bounds())
            .map(|((u, offset), (low, high))| low + (high - low) * (0.8 * u + offset))
            .collect();
        function.value(&inner)
    })
}

impl Problem for Task {
    fn name(&self) -> String {
        "task".into()
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn optimum(&self) -> f64 {
        self.optimum
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok((self.function)(&self.space.encode(config)?))
    }
}
