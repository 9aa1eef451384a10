//! Approximations of value functions, scored on states that they were not fitted to.

use std::time::Instant;

use thrifty_autobct::{
    Baseline, BeliefSamples, Branching, Decision, Expectation, Features, MapSettings, OneStep, Quadrature,
    Regressor, SamplingSettings, State, TwoSteps, ValueFunction, ValueMap,
};
use thrifty_sampling::Seed;
use thrifty_trees::{BoostingSettings, ForestSettings};

use super::paper::prior;
use super::values::decision;
use crate::error::ExperimentError;
use crate::harness::{RunContext, Table, number};

/// Beliefs on which approximations are judged, apart from those they are learnt on, with their true values.
struct Judge {
    on_the_way: Vec<(State, f64)>,
    anywhere: Vec<(State, f64)>,
}

/// Beliefs after up to three trainings from the prior, and draws around it.
fn judged(
    truth: &Decision,
    count: usize,
    value: &dyn Fn(&State) -> Result<f64, ExperimentError>,
) -> Result<Judge, ExperimentError> {
    let (start, _) = prior(1).map_err(ExperimentError::failed)?;
    let fan_out = |settings: SamplingSettings, seed: u64| -> Result<Vec<(State, f64)>, ExperimentError> {
        let cloud = BeliefSamples::new(&start, truth.controls(), &settings, Seed(seed))
            .map_err(ExperimentError::failed)?;
        (0..cloud.len())
            .map(|i| {
                let state = cloud.state(i).map_err(ExperimentError::failed)?;
                let value = value(&state)?;
                Ok((state, value))
            })
            .collect()
    };
    let anywhere = SamplingSettings { drawn: count / 4, levels: 3, roots: 0, ..SamplingSettings::small() };
    let anywhere = fan_out(anywhere, 9001)?;
    let mut on_the_way = Vec::with_capacity(count);
    let mut rng = Seed(9002).stream("on the way", 0);
    while on_the_way.len() < count {
        let mut state = start.clone();
        for _ in 0..3 {
            let control = rng.index(truth.controls().len());
            let fan = thrifty_autobct::PosteriorFamily::of_training(&state, truth.controls(), control)
                .map_err(ExperimentError::failed)?;
            state = fan
                .state((super::values::normal(&mut rng), super::values::normal(&mut rng)))
                .map_err(ExperimentError::failed)?;
            on_the_way.push((state.clone(), value(&state)?));
        }
    }
    Ok(Judge { on_the_way, anywhere })
}

/// Root mean square, mean and largest error.
fn errors(states: &[(State, f64)], of: &dyn ValueFunction) -> Result<(f64, f64, f64), ExperimentError> {
    let (mut squares, mut sum, mut worst) = (0.0, 0.0, 0.0_f64);
    for (state, truth) in states {
        let error = of.value(state).map_err(ExperimentError::failed)? - truth;
        squares += error * error;
        sum += error;
        worst = worst.max(error.abs());
    }
    let n = states.len() as f64;
    Ok(((squares / n).sqrt(), sum / n, worst))
}

/// Rows of a table as approximations are judged.
struct Rows<'a> {
    judge: &'a Judge,
    rows: Vec<Vec<String>>,
}

impl Rows<'_> {
    fn add(&mut self, name: &str, seconds: f64, of: &dyn ValueFunction) -> Result<(), ExperimentError> {
        let began = Instant::now();
        let (rms, bias, worst) = errors(&self.judge.on_the_way, of)?;
        let microseconds = 1e6 * began.elapsed().as_secs_f64() / self.judge.on_the_way.len() as f64;
        let (general, _, _) = errors(&self.judge.anywhere, of)?;
        self.rows.push(vec![
            name.to_owned(),
            number(rms),
            number(bias),
            number(worst),
            number(general),
            if seconds > 0.0 { number(seconds) } else { "–".into() },
            number(microseconds),
        ]);
        Ok(())
    }

    /// Builds a map on one thread and judges its last level.
    fn map(
        &mut self,
        name: &str,
        decision: &Decision,
        cloud: &SamplingSettings,
        settings: &MapSettings,
    ) -> Result<(), ExperimentError> {
        let (start, _) = prior(1).map_err(ExperimentError::failed)?;
        let began = Instant::now();
        let map = ValueMap::build(decision, &start, cloud, settings, 1).map_err(ExperimentError::failed)?;
        let seconds = began.elapsed().as_secs_f64();
        self.add(name, seconds, &map.level(settings.depth, decision).map_err(ExperimentError::failed)?)
    }
}

fn table(name: &str, what: &str, rows: Vec<Vec<String>>) -> Table {
    Table {
        name: name.into(),
        caption: format!(
            "{what} Errors on beliefs after one to three trainings (root mean square, mean, largest) and on draws around the prior; wall-clock \
             seconds to build on one thread; microseconds a belief that is asked alone."
        ),
        header: ["approximation", "error", "bias", "largest", "on draws", "build s", "ask µs"]
            .map(String::from)
            .to_vec(),
        rows,
    }
}

fn forest(baseline: Baseline, features: Features, depth: usize) -> MapSettings {
    MapSettings {
        baseline,
        features,
        regressor: Regressor::Forest(ForestSettings::default()),
        ..MapSettings::accurate(depth)
    }
}

/// The cloud of the tables: as large as the study behind them, or small.
pub fn cloud(context: &RunContext) -> SamplingSettings {
    let quick = SamplingSettings {
        drawn: 8,
        levels: 2,
        roots: 4,
        depth: 2,
        branching: Branching::Every(4),
        ..SamplingSettings::small()
    };
    context.pick(quick, SamplingSettings::small())
}

/// Approximations of V₂.
pub fn of_two(context: &RunContext) -> Result<Table, ExperimentError> {
    let fine = decision(101, 101, Quadrature::Bent { nodes: 6 })?;
    let judge = judged(&fine, context.pick(4, 198), &|state| Ok(fine.two_steps(state).value()))?;
    let mut rows = Rows { judge: &judge, rows: Vec::new() };
    let (coarse, cloud) = (decision(11, 11, Quadrature::Hermite(3))?, cloud(context));
    let exact = decision(33, 33, Quadrature::Hermite(5))?;
    rows.add("V₁", 0.0, &OneStep(&exact))?;
    let faithful = MapSettings::paper(2, context.pick(5, 20), Seed(context.seed));
    rows.map("forest, beliefs as they are, 20 samples (the paper)", &coarse, &cloud, &faithful)?;
    let raw = forest(Baseline::Nothing, Features::Raw, 2);
    rows.map("forest, beliefs as they are, exact values", &exact, &cloud, &raw)?;
    let shape = forest(Baseline::OneStep, Features::Shape(9), 2);
    rows.map("forest, shapes, V₂ - V₁", &exact, &cloud, &shape)?;
    let boosted = MapSettings { regressor: Regressor::Boosting(BoostingSettings::default()), ..shape };
    rows.map("boosted trees, shapes, V₂ - V₁", &exact, &cloud, &boosted)?;
    rows.add("exact, 11 controls, 1 node", 0.0, &TwoSteps(&decision(11, 11, Quadrature::Hermite(1))?))?;
    rows.add("exact, 11 controls, 3 nodes", 0.0, &TwoSteps(&coarse))?;
    rows.add("exact, 33 controls, 5 nodes", 0.0, &TwoSteps(&exact))?;
    Ok(table("two", "Two trainings at most, the truth on 101 controls.", rows.rows))
}

/// A depth by quadrature over the exact two steps, as a value function.
struct Direct<'a> {
    decision: &'a Decision,
    expectation: Expectation,
}

impl ValueFunction for Direct<'_> {
    fn after(
        &self,
        fan: &thrifty_autobct::PosteriorFamily,
        outcomes: &[thrifty_autobct::Innovation],
    ) -> Result<Vec<f64>, thrifty_autobct::AutoBctError> {
        let value = |outcome: &thrifty_autobct::Innovation| {
            Ok(self.decision.steps(&fan.state(*outcome)?, 3, &self.expectation)?.value())
        };
        outcomes.iter().map(value).collect()
    }
}

/// Approximations of V₃.
pub fn of_three(context: &RunContext) -> Result<Table, ExperimentError> {
    let fine = decision(context.pick(11, 21), context.pick(11, 21), Quadrature::Hermite(5))?;
    let of_score = Quadrature::Composite { panels: 8, nodes: 5 };
    let best = Expectation::Quadrature { of_score, of_cost: Quadrature::Hermite(9) };
    let judge = judged(&fine, context.pick(2, 60), &|state| {
        Ok(fine.steps(state, 3, &best).map_err(ExperimentError::failed)?.value())
    })?;
    let mut rows = Rows { judge: &judge, rows: Vec::new() };
    let (coarse, cloud) = (decision(11, 11, Quadrature::Hermite(3))?, cloud(context));
    rows.add("V₁", 0.0, &OneStep(&fine))?;
    rows.add("V₂", 0.0, &TwoSteps(&fine))?;
    let accurate = MapSettings::accurate(3);
    rows.map("forest, beliefs as they are", &coarse, &cloud, &forest(Baseline::Nothing, Features::Raw, 3))?;
    rows.map("forest, shapes, V₃ - V₂", &coarse, &cloud, &forest(Baseline::TwoSteps, Features::Shape(9), 3))?;
    rows.map("boosted trees, shapes, V₃ - V₂", &coarse, &cloud, &accurate)?;
    for (name, of_score, of_cost) in [("7 by 3 nodes", 7, 3), ("7 by 5 nodes", 7, 5)] {
        let (of_score, of_cost) = (Quadrature::Hermite(of_score), Quadrature::Hermite(of_cost));
        let direct = Direct { decision: &coarse, expectation: Expectation::Quadrature { of_score, of_cost } };
        rows.add(&format!("on the fly, 11 controls, {name}"), 0.0, &direct)?;
    }
    let middle = decision(21, 11, Quadrature::Hermite(3))?;
    let direct = Direct { decision: &middle, expectation: Expectation::DEFAULT };
    rows.add("on the fly, 21 then 11 controls, a spline through 13 by 7 nodes", 0.0, &direct)?;
    Ok(table("three", "Three trainings at most, the truth on 21 controls with 40 by 9 nodes.", rows.rows))
}
