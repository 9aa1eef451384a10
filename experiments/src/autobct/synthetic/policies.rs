//! Policies of training: looks ahead and approximate value functions.

use thrifty_autobct::{
    AutoBct, AutoBctSettings, Controls, Decision, MapSettings, Plan, Quadrature, ValueMap,
};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, Measurement, Outcome, StopReason, Study};

use super::problem::Problem;
use crate::autobct::approximators;
use crate::autobct::paper::{GAMMA, basis, prior};
use crate::error::ExperimentError;
use crate::harness::RunContext;
use crate::harness::runs::lossless_number;

/// All of them; the first three in a quick run.
pub struct Policies(Vec<Policy>);

/// A way to look ahead.
struct Policy {
    name: &'static str,
    plan: Plan,
    /// Value function behind the trainings that are looked ahead.
    map: Option<ValueMap>,
    grid: (usize, usize),
    of_cost: Quadrature,
    /// Samples a control, smoothed over the controls.
    samples: Option<usize>,
}

/// Result of a run.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Run {
    pub trainings: f64,
    pub control: f64,
    #[serde(with = "lossless_number")]
    pub score: f64,
    pub spent: f64,
    /// Value of going on, when it stopped.
    #[serde(with = "lossless_number")]
    pub value: f64,
}

impl Policies {
    pub fn new(context: &RunContext) -> Result<Self, ExperimentError> {
        let exact = |name, plan| Policy {
            name,
            plan,
            map: None,
            grid: (101, 101),
            of_cost: Quadrature::ACCURATE,
            samples: None,
        };
        let (one, two, three) =
            (Plan::Relaxed { depth: 1 }, Plan::Relaxed { depth: 2 }, Plan::Relaxed { depth: 3 });
        let mut policies = vec![
            exact("one ahead", one),
            exact("two ahead", two),
            exact("horizon of two", Plan::Horizon { horizon: 2 }),
        ];
        if context.pick(false, true) {
            // Three ahead is a quadrature over every control: a coarser choice is enough.
            let coarse = |name, plan, map| Policy {
                name,
                plan,
                map,
                grid: (33, 11),
                of_cost: Quadrature::Hermite(3),
                samples: None,
            };
            policies.push(coarse("three ahead", three, None));
            let (start, _) = prior(1).map_err(ExperimentError::failed)?;
            let build = |later: usize, rule: Quadrature, settings: &MapSettings| {
                let decision = decision(later, rule)?;
                let cloud = approximators::cloud(context);
                ValueMap::build(&decision, &start, &cloud, settings, 2).map_err(ExperimentError::failed)
            };
            // Without training anything a map of one is V₁: samples of what follows on it are Algorithm 5 for two.
            let none = MapSettings::accurate(1);
            let sampled = Policy {
                map: Some(build(101, Quadrature::ACCURATE, &none)?),
                samples: Some(1000),
                ..exact("two ahead from 1000 samples (paper, on the fly)", one)
            };
            policies.push(sampled);
            let (rule, seed) = (Quadrature::Hermite(3), Seed(context.seed));
            for (name, settings) in [
                ("before a map of two (paper)", MapSettings::paper(2, 20, seed)),
                ("before a map of four (paper)", MapSettings::paper(4, 20, seed)),
                ("before an accurate map of four", MapSettings::accurate(4)),
            ] {
                policies.push(coarse(name, one, Some(build(11, rule, &settings)?)));
            }
        }
        Ok(Self(policies))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn name(&self, policy: usize) -> &'static str {
        self.0[policy].name
    }

    /// Until it stops; beside what it came to, its trials.
    pub fn run(
        &self,
        policy: usize,
        problem: &dyn Problem,
        seed: Seed,
    ) -> Result<(Run, History<Config>), ExperimentError> {
        train(optimizer(&self.0[policy], seed)?, problem, seed)
    }
}

/// A run of an optimizer until it stops; beside what it came to, its trials.
pub fn train(
    optimizer: AutoBct,
    problem: &dyn Problem,
    seed: Seed,
) -> Result<(Run, History<Config>), ExperimentError> {
    let mut study = Study::new(optimizer, seed);
    let reason = study.run(|config, context| {
        let trained = config
            .float("u")
            .map_err(ExperimentError::failed)
            .and_then(|u| problem.train(u, seed.child("training", context.id.0)));
        trained.map_or_else(
            |error| Outcome::failed(error.to_string()),
            |trained| {
                let objectives = vec![trained.score];
                Outcome::from(Measurement { objectives, cost: Some(trained.cost), ..Measurement::default() })
            },
        )
    })?;
    let StopReason::Decided { numbers, .. } = reason else {
        return Err(ExperimentError::failed("a run that did not decide to stop"));
    };
    let trials = study.history().trials();
    let last = trials.last().ok_or_else(|| ExperimentError::failed("a run without trainings"))?;
    let run = Run {
        trainings: trials.len() as f64,
        control: last.query.float("u")?,
        score: last.outcome.as_ref().and_then(Outcome::objective).unwrap_or(f64::NAN),
        spent: numbers["spent"],
        // A horizon or a guard that ended it asked for none.
        value: numbers.get("value").copied().unwrap_or(f64::NAN),
    };
    Ok((run, study.history().clone()))
}

fn decision(count: usize, rule: Quadrature) -> Result<Decision, ExperimentError> {
    let (_, noise) = prior(1).map_err(ExperimentError::failed)?;
    let controls = Controls::new(Controls::grid(1, count).as_ref(), &basis(), &basis(), |_| noise);
    Decision::new(GAMMA, controls.map_err(ExperimentError::failed)?, rule).map_err(ExperimentError::failed)
}

fn optimizer(policy: &Policy, seed: Seed) -> Result<AutoBct, ExperimentError> {
    let (state, noise) = prior(1).map_err(ExperimentError::failed)?;
    let published = |samples| AutoBctSettings::paper(samples, 0.0, seed.child("samples", 0));
    let settings = AutoBctSettings {
        gamma: GAMMA,
        noise_std_dev: noise,
        plan: policy.plan,
        grid: policy.grid.0,
        later_grid: policy.grid.1,
        of_cost: policy.of_cost,
        max_epochs: 15,
        ..policy.samples.map_or_else(AutoBctSettings::default, published)
    };
    let space = Space::builder().float("u", 0.0, 1.0).build()?;
    match &policy.map {
        Some(map) => Ok(AutoBct::paper(space, [&basis(), &basis()], state, settings, map.clone())?),
        None => Ok(AutoBct::new(space, &basis(), &basis(), state, settings)?),
    }
}

/// The state after a history.
pub fn state(history: &History<Config>) -> Result<(thrifty_autobct::State, Decision), ExperimentError> {
    let policy = Policy {
        name: "",
        plan: Plan::Relaxed { depth: 2 },
        map: None,
        grid: (101, 101),
        of_cost: Quadrature::ACCURATE,
        samples: None,
    };
    let optimizer = optimizer(&policy, Seed(0))?;
    Ok((optimizer.state(history)?, optimizer.decision().clone()))
}
