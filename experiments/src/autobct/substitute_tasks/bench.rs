//! Runs of the optimiser on one substitute task.

use cpu_time::ThreadTime;
use thrifty_autobct::{
    AutoBct, AutoBctSettings, MapSettings, Plan, Quadrature, SamplingSettings, Scale, State, ValueMap,
};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Measurement, Outcome, StopReason, Study};

use super::priors::Prior;
use super::stand_in::StandIn;
use crate::autobct::paper::GAMMA;
use crate::error::ExperimentError;
use crate::harness::runs::lossless_number;
use crate::harness::stats::quantile;

/// A stand-in ready to run: its costs have a scale here.
pub struct Bench<'a> {
    pub stand_in: &'a StandIn,
    unit: Unit,
    /// Scale from measured costs to t.
    pub cost: Scale,
    /// Measured cost of the reference.
    pub reference: f64,
}

/// In what the cost of a training is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Work by count: the same bits on every machine.
    Operations,
    /// Processor seconds of the thread that trains.
    Seconds,
}

/// Look-ahead of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Number of trainings ahead, by quadrature.
    Exact(usize),
    /// Two trainings ahead from samples, smoothed over the controls: the preset [`AutoBct::paper`] before a value function of one training.
    /// Source: `cironis2022`, Algorithm 5, which is table 8.
    OnTheFly,
}

/// One training of a run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    pub control: Vec<f64>,
    pub score: f64,
    pub cost: f64,
    /// Expected score of this control afterwards, and the value of going on; NaN where a guard ended the run.
    #[serde(with = "lossless_number")]
    pub mean: f64,
    #[serde(with = "lossless_number")]
    pub value: f64,
}

/// A run to its end.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Run {
    pub steps: Vec<Step>,
    /// True if it stopped because going on was not worth it.
    pub decided: bool,
    /// Scores and costs outside of [0, 1].
    pub outside: usize,
    /// Measured cost of the reference of the process that did the run.
    pub reference: f64,
    pub after: State,
}

impl Run {
    pub fn last(&self) -> &Step {
        &self.steps[self.steps.len() - 1]
    }

    pub fn spent(&self) -> f64 {
        self.steps.iter().map(|step| step.cost.max(0.0)).sum()
    }
}

/// Trainings of the reference, of which the median counts.
const REPEATS: u64 = 3;
/// Samples per control of a look-ahead on the fly. Source: `cironis2022`, section 4.1.
const SAMPLES: usize = 1000;
/// Guard against learning for ever.
const MOST: usize = 30;

impl<'a> Bench<'a> {
    /// Trains the reference, whose cost defines the scale; no work costs nothing.
    pub fn new(stand_in: &'a StandIn, unit: Unit, seed: Seed) -> Result<Self, ExperimentError> {
        let mut bench = Self { stand_in, unit, cost: Scale::Identity, reference: 0.0 };
        let (control, t) = &stand_in.reference;
        let repeats = if unit == Unit::Seconds { REPEATS } else { 1 };
        let cost = |id| Ok(bench.measured(control, seed.child("reference", id))?.cost.unwrap_or(0.0));
        let costs = (0..repeats).map(cost).collect::<Result<Vec<f64>, ExperimentError>>()?;
        bench.reference = quantile(&costs, 0.5);
        bench.cost = Scale::Affine { zero: 0.0, one: bench.reference / t };
        Ok(bench)
    }

    fn measured(&self, control: &[f64], seed: Seed) -> Result<Measurement, ExperimentError> {
        let clock = ThreadTime::now();
        let trained = self.stand_in.task.train(control, seed)?;
        let cost = match self.unit {
            Unit::Operations => trained.operations,
            Unit::Seconds => clock.elapsed().as_secs_f64(),
        };
        Ok(Measurement { objectives: vec![trained.score], cost: Some(cost), ..Measurement::default() })
    }

    /// h and t of a measurement.
    fn scaled(&self, measurement: &Measurement) -> Result<(f64, f64), ExperimentError> {
        let score = self.stand_in.score.apply(measurement.objectives[0]).map_err(ExperimentError::failed)?;
        let cost = self.cost.apply(measurement.cost.unwrap_or(f64::NAN)).map_err(ExperimentError::failed)?;
        Ok((score, cost))
    }

    /// h and t of one training apart from all runs.
    pub fn train(&self, control: &[f64], seed: Seed) -> Result<(f64, f64), ExperimentError> {
        self.scaled(&self.measured(control, seed)?)
    }

    fn names(&self) -> &'static [&'static str] {
        if self.stand_in.controls == 1 { &["u"] } else { &["u1", "u2"] }
    }

    fn optimizer(&self, look: Look, seed: Seed) -> Result<AutoBct, ExperimentError> {
        let Prior { basis, state, noise } = self.stand_in.prior()?;
        // Three ahead is a quadrature over every control, and two controls have many pairs: a coarser choice is enough.
        let (grid, later_grid, of_cost) = match (self.stand_in.controls, look) {
            (1, Look::Exact(1 | 2) | Look::OnTheFly) => (101, 101, Quadrature::ACCURATE),
            (1, _) => (33, 11, Quadrature::Hermite(3)),
            _ => (11, 7, Quadrature::Hermite(5)),
        };
        let epsilon = self.stand_in.epsilon;
        let settings = AutoBctSettings {
            gamma: GAMMA,
            noise_std_dev: noise,
            score: self.stand_in.score,
            cost: self.cost,
            grid,
            later_grid,
            of_cost,
            max_epochs: MOST,
            ..match look {
                Look::Exact(depth) => {
                    AutoBctSettings { plan: Plan::Relaxed { depth }, epsilon, ..AutoBctSettings::default() }
                }
                Look::OnTheFly => AutoBctSettings::paper(SAMPLES, epsilon, seed),
            }
        };
        let mut space = Space::builder();
        for name in self.names() {
            space = space.float(name, 0.0, 1.0);
        }
        let space = space.build()?;
        let exact = AutoBct::new(space.clone(), &basis, &basis, state.clone(), settings.clone())?;
        if look != Look::OnTheFly {
            return Ok(exact);
        }
        // Nothing is learnt: the value of one training is exact.
        let (cloud, one) = (SamplingSettings::small(), MapSettings::accurate(1));
        let map = ValueMap::build(exact.decision(), &state, &cloud, &one, 1);
        Ok(AutoBct::paper(space, [&basis, &basis], state, settings, map.map_err(ExperimentError::failed)?)?)
    }

    fn control(&self, config: &Config) -> Result<Vec<f64>, ExperimentError> {
        Ok(self.names().iter().map(|name| config.float(name)).collect::<Result<_, _>>()?)
    }

    /// Trains until it is not worth going on.
    pub fn run(&self, look: Look, seed: Seed) -> Result<Run, ExperimentError> {
        let optimizer = || self.optimizer(look, seed.child("samples", 0));
        let mut study = Study::new(optimizer()?, seed);
        let reason = study.run(|config, context| {
            let train = || self.measured(&self.control(config)?, seed.child("training", context.id.0));
            train().map_or_else(|error| Outcome::failed(error.to_string()), Outcome::from)
        })?;
        let StopReason::Decided { numbers, .. } = reason else {
            return Err(ExperimentError::failed("a run that did not decide to stop"));
        };
        let trials = study.history().trials();
        let mut steps = Vec::new();
        for (n, trial) in trials.iter().enumerate() {
            let Some(measurement) = trial.outcome.as_ref().and_then(Outcome::measurement) else {
                return Err(ExperimentError::failed("a training failed"));
            };
            let (score, cost) = self.scaled(measurement)?;
            let said = trials.get(n + 1).map_or(&numbers, |next| &next.diagnostics);
            let number = |name: &str| said.get(name).copied().unwrap_or(f64::NAN);
            let mean = if n + 1 < trials.len() { number("stop") } else { number("expected_score") };
            steps.push(Step {
                control: self.control(&trial.query)?,
                score,
                cost,
                mean,
                value: number("value"),
            });
        }
        let of = |step: &Step| [step.score, step.cost].iter().filter(|v| !(0.0..=1.0).contains(*v)).count();
        Ok(Run {
            decided: numbers.contains_key("value"),
            outside: steps.iter().map(of).sum(),
            reference: self.reference,
            after: optimizer()?.state(study.history())?,
            steps,
        })
    }
}
