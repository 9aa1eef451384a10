//! Values of trainings: exact, from samples, and as earned.

use std::collections::BTreeMap;
use std::time::Instant;

use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{Controls, Decision, Quadrature, State};
use thrifty_sampling::{Seed, Stream};

use super::paper::{GAMMA, RUNS, basis, prior};
use super::{approximators, policy_value};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/value-function",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), sections 3.3 and 3.5",
    claim: "the exact value of two trainings is cheaper than its estimate from samples and more accurate, and policies earn the values they promise",
    quick_cost: "60 draws of the prior, small clouds, no table of three: some seconds",
    full_cost: "20,000 draws of the prior, clouds of 15,600 beliefs: ten minutes",
    run,
};

pub fn decision(now: usize, later: usize, rule: Quadrature) -> Result<Decision, ExperimentError> {
    let (_, noise) = prior(1).map_err(ExperimentError::failed)?;
    let controls =
        |count: usize| Controls::new(Controls::grid(1, count).as_ref(), &basis(), &basis(), |_| noise);
    let (now, later) = (controls(now), controls(later));
    Decision::with_later(
        GAMMA,
        now.map_err(ExperimentError::failed)?,
        later.map_err(ExperimentError::failed)?,
        rule,
    )
    .map_err(ExperimentError::failed)
}

pub fn normal(rng: &mut Stream) -> f64 {
    StandardNormal.sample(rng)
}

/// The paper's estimate of the value of two trainings: outcomes are drawn for every control and the better of stopping and one
/// training more is averaged. With common numbers every control sees the same draws.
fn sampled(
    decision: &Decision,
    state: &State,
    samples: usize,
    common: bool,
    rng: &mut Stream,
) -> Result<Vec<f64>, ExperimentError> {
    let controls = decision.controls();
    let shared: Vec<(f64, f64)> = (0..samples).map(|_| (normal(rng), normal(rng))).collect();
    let value = |u: usize, rng: &mut Stream| -> Result<f64, ExperimentError> {
        let (mean, variance) = state.score.moments(controls.score(u));
        let (cost, spread) = state.cost.moments(controls.cost(u));
        let mut sum = 0.0;
        for (z, w) in &shared {
            let (z, w) = if common { (*z, *w) } else { (normal(rng), normal(rng)) };
            let mut after = state.clone();
            let score = mean + z * (variance + controls.score_noise(u)).sqrt();
            let cost = cost + w * (spread + controls.cost_noise(u)).sqrt();
            after.learn(controls, u, score, cost).map_err(ExperimentError::failed)?;
            sum += after.score_at(controls, u).max(decision.one_step(&after).value());
        }
        Ok(sum / samples as f64 - GAMMA * state.cost_at(controls, u))
    };
    (0..controls.len()).map(|u| value(u, rng)).collect()
}

/// The prior and the published posterior after every row of tables 1 to 3.
fn states() -> Result<Vec<State>, ExperimentError> {
    let (start, _) = prior(1).map_err(ExperimentError::failed)?;
    let fine = decision(101, 2, Quadrature::Hermite(1))?;
    let mut states = vec![start.clone()];
    for run in &RUNS[..3] {
        let mut state = start.clone();
        for row in run.rows {
            let control = (100.0 * row.control).round() as usize;
            state.learn(fine.controls(), control, row.score, row.cost).map_err(ExperimentError::failed)?;
            states.push(state.clone());
        }
    }
    Ok(states)
}

/// Controls and quadratures of exact values.
const EXACT: [(usize, Quadrature); 6] = [
    (101, Quadrature::ACCURATE),
    (101, Quadrature::Hermite(9)),
    (101, Quadrature::Hermite(5)),
    (51, Quadrature::ACCURATE),
    (21, Quadrature::Hermite(5)),
    (11, Quadrature::Hermite(3)),
];

/// Errors of values, the loss of the chosen control by them, and their cost.
fn accuracy(context: &RunContext) -> Result<Table, ExperimentError> {
    let mut states = states()?;
    states.truncate(context.pick(3, usize::MAX));
    let fine = decision(101, 101, Quadrature::Composite { panels: 60, nodes: 8 })?;
    let truth: Vec<Vec<f64>> = states.iter().map(|state| fine.two_steps(state).of_controls).collect();
    let best = |values: &[f64]| (0..values.len()).fold(0, |b, i| if values[i] > values[b] { i } else { b });
    let mut rows = Vec::new();
    let mut add =
        |name: String, stride: usize, of: &mut dyn FnMut(&State) -> Result<Vec<f64>, ExperimentError>| {
            let (mut squares, mut worst, mut lost, mut count) = (0.0, 0.0_f64, 0.0_f64, 0.0);
            let began = Instant::now();
            for (state, truth) in states.iter().zip(&truth) {
                let values = of(state)?;
                let top = truth[best(truth)];
                let error = values[best(&values)] - top;
                squares += error * error;
                worst = worst.max(error.abs());
                lost = lost.max(top - truth[best(&values) * stride]);
                count += 1.0;
            }
            let milliseconds = 1e3 * began.elapsed().as_secs_f64() / count;
            rows.push(vec![
                name,
                number((squares / count).sqrt()),
                number(worst),
                number(lost),
                number(milliseconds),
            ]);
            Ok::<(), ExperimentError>(())
        };
    for (count, rule) in EXACT {
        let decision = decision(count, count, rule)?;
        let rule = match rule {
            Quadrature::Hermite(nodes) => format!("Gauss–Hermite, {nodes} nodes"),
            Quadrature::Composite { panels, nodes } => format!("{panels} panels of {nodes} nodes"),
            Quadrature::Bent { nodes } => format!("panels of {nodes} nodes that end at the bend"),
            Quadrature::Adaptive { tolerance } => format!("panels halved down to {tolerance:e}"),
        };
        add(format!("envelope, {count} controls, {rule}"), 100 / (count - 1), &mut |state| {
            Ok(decision.two_steps(state).of_controls)
        })?;
    }
    let plain = decision(101, 101, Quadrature::Hermite(1))?;
    let mut rng = Seed(context.seed).child(EXPERIMENT.id, 0).stream("samples", 0);
    for (samples, common) in [(100, false), (100, true), (1000, true)].into_iter().take(context.pick(1, 3)) {
        let name = format!("{samples} samples{}", if common { ", the same for all controls" } else { "" });
        add(name, 1, &mut |state| sampled(&plain, state, samples, common, &mut rng))?;
    }
    Ok(Table {
        name: "accuracy".into(),
        caption: "Two trainings ahead, at the prior and after every row of tables 1 to 3: error of the value (root mean square, \
                  largest), what the chosen control loses at most, and wall-clock milliseconds for all controls. The truth: 480 nodes."
            .into(),
        header: ["method", "error", "largest", "lost", "ms"].map(String::from).to_vec(),
        rows,
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (judgement, numbers, policies) = policy_value::table(context)?;
    let mut tables = vec![accuracy(context)?, approximators::of_two(context)?];
    if context.pick(false, true) {
        tables.push(approximators::of_three(context)?);
    }
    tables.push(policies);
    Ok(Report {
        judgement,
        numbers: numbers.into_iter().collect(),
        settings: BTreeMap::new(),
        notes: vec![
            "Claims: a policy with a horizon earns the mean that its value promises, to 0.03.".into(),
        ],
        tables,
        figures: Vec::new(),
    })
}
