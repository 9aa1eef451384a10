//! Policies of training, with their earnings on a task.

use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{Controls, Decision, State, expected_cost};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::Space;
use thrifty_study::{Next, Study};
use thrifty_tpe::TpeOptimizer;

use super::super::substitute_tasks::Tabulated;
use crate::error::ExperimentError;

/// Task: the true score and cost.
pub(super) enum Task<'a> {
    /// Coefficients.
    Drawn { score: Vec<f64>, cost: Vec<f64> },
    /// Trainings of a model.
    Trained(&'a Tabulated),
}

impl Task<'_> {
    /// Its score on average.
    fn score(&self, controls: &Controls, control: usize) -> f64 {
        match self {
            Self::Drawn { score, .. } => truth(score, controls.score(control)),
            Self::Trained(table) => table.score(control),
        }
    }

    /// Score and cost of a training.
    fn train(&self, controls: &Controls, control: usize, rng: &mut Stream) -> (f64, f64) {
        match self {
            Self::Drawn { score, cost } => {
                let (z, w): (f64, f64) = (StandardNormal.sample(rng), StandardNormal.sample(rng));
                (
                    truth(score, controls.score(control)) + z * controls.score_noise(control).sqrt(),
                    truth(cost, controls.cost(control)) + w * controls.cost_noise(control).sqrt(),
                )
            }
            Self::Trained(table) => table.draw(control, rng),
        }
    }
}

fn truth(values: &[f64], functions: &[f64]) -> f64 {
    values.iter().zip(functions).map(|(a, f)| a * f).sum()
}

/// State of a run: posterior, trained controls, cost spent.
pub(super) struct Search<'a> {
    task: Task<'a>,
    decision: &'a Decision,
    state: State,
    trained: Vec<usize>,
    spent: f64,
    rng: Stream,
}

impl<'a> Search<'a> {
    /// A search before any training.
    pub(super) fn new(task: Task<'a>, decision: &'a Decision, prior: State, rng: Stream) -> Self {
        Self { task, decision, state: prior, trained: Vec::new(), spent: 0.0, rng }
    }

    fn train(&mut self, control: usize) -> Result<f64, ExperimentError> {
        let controls = self.decision.controls();
        let (score, cost) = self.task.train(controls, control, &mut self.rng);
        self.state.learn(controls, control, score, cost).map_err(ExperimentError::failed)?;
        self.trained.push(control);
        self.spent += cost.max(0.0);
        Ok(score)
    }

    fn expected(&self, control: usize) -> f64 {
        self.state.score_at(self.decision.controls(), control)
    }

    /// Trained control with the best expected score.
    fn incumbent(&self) -> Option<usize> {
        let better = |a: usize, b: usize| if self.expected(b) > self.expected(a) { b } else { a };
        self.trained.iter().copied().reduce(better)
    }

    /// Expected improvement on the incumbent of every control: in score, then by what the training costs.
    fn improvements(&self, by_cost: bool) -> Vec<f64> {
        let controls = self.decision.controls();
        let best = self.incumbent().map_or(0.0, |control| self.expected(control));
        let one = |u: usize| {
            let (mean, variance) = self.state.score.moments(controls.score(u));
            let improvement = expected_cost(mean - best, variance);
            if by_cost { improvement / self.state.cost_at(controls, u).max(1e-3) } else { improvement }
        };
        (0..controls.len()).map(one).collect()
    }

    /// Earnings if a control is kept.
    fn earned(&self, kept: usize) -> f64 {
        self.task.score(self.decision.controls(), kept) - self.decision.gamma() * self.spent
    }
}

fn argmax(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

/// A way to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Policy {
    /// A look ahead over this many trainings, until stopping is worth as much; keeps what was trained last, or the best.
    LookAhead { depth: usize, recall: bool },
    /// Expected improvement so often, then the best.
    Improvement { trainings: usize, by_cost: bool },
    /// Expected improvement until it is worth less than the training costs.
    WhileItPays,
    /// Parzen estimators so often, then the best observed.
    Parzen(usize),
    /// At random so often, then the best observed.
    Random(usize),
}

/// Policies by name; the claims compare the first with the others.
pub(super) const POLICIES: [(&str, Policy); 14] = [
    ("two ahead", Policy::LookAhead { depth: 2, recall: false }),
    ("two ahead, keeps the best", Policy::LookAhead { depth: 2, recall: true }),
    ("one ahead", Policy::LookAhead { depth: 1, recall: false }),
    ("expected improvement, 2", Policy::Improvement { trainings: 2, by_cost: false }),
    ("expected improvement, 4", Policy::Improvement { trainings: 4, by_cost: false }),
    ("expected improvement, 8", Policy::Improvement { trainings: 8, by_cost: false }),
    ("improvement by cost, 2", Policy::Improvement { trainings: 2, by_cost: true }),
    ("improvement by cost, 4", Policy::Improvement { trainings: 4, by_cost: true }),
    ("improvement by cost, 8", Policy::Improvement { trainings: 8, by_cost: true }),
    ("improvement while it pays", Policy::WhileItPays),
    ("TPE, 4", Policy::Parzen(4)),
    ("TPE, 8", Policy::Parzen(8)),
    ("random, 2", Policy::Random(2)),
    ("random, 4", Policy::Random(4)),
];

/// Trainings beyond which no policy goes.
const MOST: usize = 30;

/// Earnings of a policy on a task.
pub(super) fn earn(policy: Policy, search: &mut Search<'_>, seed: Seed) -> Result<f64, ExperimentError> {
    let count = search.decision.controls().len();
    match policy {
        Policy::LookAhead { depth, recall } => look_ahead(depth, recall, search),
        Policy::Improvement { trainings, by_cost } => {
            for _ in 0..trainings {
                let next = argmax(&search.improvements(by_cost));
                search.train(next)?;
            }
            Ok(search.incumbent().map_or(0.0, |best| search.earned(best)))
        }
        Policy::WhileItPays => {
            for done in 0..MOST {
                let gains = search.improvements(false);
                let worth: Vec<f64> = (0..count)
                    .map(|u| {
                        gains[u]
                            - search.decision.gamma() * search.state.cost_at(search.decision.controls(), u)
                    })
                    .collect();
                let next = argmax(&worth);
                if done > 0 && worth[next] <= 0.0 {
                    break;
                }
                search.train(next)?;
            }
            Ok(search.incumbent().map_or(0.0, |best| search.earned(best)))
        }
        Policy::Random(trainings) | Policy::Parzen(trainings) => {
            without_prior(matches!(policy, Policy::Parzen(_)), trainings, search, seed)
        }
    }
}

/// Trains as long as that is worth more than what is kept: the last training, or with `recall` the best.
fn look_ahead(depth: usize, recall: bool, search: &mut Search<'_>) -> Result<f64, ExperimentError> {
    let mut kept = None;
    for _ in 0..MOST {
        let values = if depth == 1 {
            search.decision.one_step(&search.state)
        } else {
            search.decision.two_steps(&search.state)
        };
        if kept.is_some_and(|kept| search.expected(kept) >= values.value()) {
            break;
        }
        search.train(values.best)?;
        kept = if recall { search.incumbent() } else { Some(values.best) };
    }
    Ok(kept.map_or(0.0, |kept| search.earned(kept)))
}

/// The best score of a number of trainings by random search or the Parzen estimator.
fn without_prior(
    is_parzen: bool,
    trainings: usize,
    search: &mut Search<'_>,
    seed: Seed,
) -> Result<f64, ExperimentError> {
    let count = search.decision.controls().len();
    let space = Space::builder().int("u", 0, count as i64 - 1).build()?;
    let mut study = Study::new(TpeOptimizer::new(space.clone())?, seed);
    let mut rng = seed.stream("controls", 0);
    let mut best: Option<(f64, usize)> = None;
    for _ in 0..trainings {
        let (control, trial) = if is_parzen {
            let Next::Evaluate(trial) = study.ask()? else { break };
            (trial.query.int("u")? as usize, Some(trial.id))
        } else {
            (rng.index(count), None)
        };
        let score = search.train(control)?;
        if let Some(id) = trial {
            study.tell(id, -score)?;
        }
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, control));
        }
    }
    Ok(best.map_or(0.0, |(_, control)| search.earned(control)))
}
