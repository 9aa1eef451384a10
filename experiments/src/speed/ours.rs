//! Tasks done by this build.

use std::hint::black_box;

use cpu_time::ProcessTime;
use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign, Maximizer};
use thrifty_cv::FoldQuery;
use thrifty_domain::Domain;
use thrifty_fcvopt::{FoldAcquisition, FractionalCv, FractionalSettings};
use thrifty_gp::{ExactLikelihood, Mean};
use thrifty_params::{LogLikelihood, Parameterized};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{MaxTrials, Next, Optimizer, Study, StudyError, TrialId};
use thrifty_surrogate::Posterior;
use thrifty_testbed::{Problem, TestFunction};
use thrifty_tpe::{Joint, Startup, TpeOptimizer, TpeSettings};

use super::clock::cpu_minimum;
use super::hyperparameters::Hyperparameters;
use super::inputs::Inputs;
use super::line::{Line, Tool};
use super::model::log_ei;
use super::ours_on_fronts;
use super::tasks::{Operation, Task};
use crate::error::ExperimentError;

/// Thrifty's name in the tables.
pub const NAME: &str = "Thrifty";

/// Times every task on this build, in this process.
pub fn measure(inputs: &Inputs) -> Result<Tool, ExperimentError> {
    let mut lines = Vec::with_capacity(inputs.tasks.len());
    for task in &inputs.tasks {
        lines.push(match task.operation {
            Operation::Likelihood => likelihood(inputs, task),
            Operation::Fit => fit(inputs, task),
            Operation::Predict => predict(inputs, task),
            Operation::Acquisition => acquisition(inputs, task),
            Operation::Ask => asks(inputs, task),
            Operation::Bo => whole_run(task),
            Operation::TpeSingle => suggestion(inputs, task, Joint::Independent),
            Operation::TpeJoint => suggestion(inputs, task, Joint::Tree),
            Operation::FcvBound => iteration(inputs, task, FractionalSettings::new(FOLDS).acquisition),
            Operation::FcvKnowledge => iteration(inputs, task, FoldAcquisition::KnowledgeGradient),
            _ => ours_on_fronts::measure(inputs, task),
        }?);
    }
    Ok(Tool { name: NAME.into(), version: env!("CARGO_PKG_VERSION").into(), lines, missing: None })
}

/// The value, then the derivatives by the logarithms of variance, lengthscales and noise.
fn likelihood(inputs: &Inputs, task: &Task) -> Result<Line, ExperimentError> {
    let data = inputs.data(task.n)?;
    let (x, at) = (data.points()?, &inputs.hyperparameters);
    let mut kernel = at.kernel()?;
    let noise = at.noise_within(&inputs.bounds);
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &data.y, &noise, Mean::Zero);
    let natural: Vec<f64> = likelihood.params().iter().map(|p| p.value).collect();
    let mut gradient = vec![0.0; natural.len()];
    let (cpu_ms, repeats, value) = cpu_minimum(inputs.budget, || likelihood.log_likelihood(&mut gradient));
    let value = value.map_err(ExperimentError::measure("a likelihood, at pivot"))?;
    let by_log = gradient.iter().zip(natural).map(|(g, v)| g * v);
    Ok(Line { values: std::iter::once(value).chain(by_log).collect(), ..Line::timed(task, cpu_ms, repeats) })
}

fn fit(inputs: &Inputs, task: &Task) -> Result<Line, ExperimentError> {
    let data = inputs.data(task.n)?;
    let x = data.points()?;
    let gp = inputs.hyperparameters.learner(&inputs.bounds)?;
    let (cpu_ms, repeats, fitted) =
        cpu_minimum(inputs.budget, || gp.fit(x.as_ref(), &data.y, &mut Seed(0).stream("fit", 0)));
    let fitted = fitted.map_err(ExperimentError::measure("a fit"))?;
    Ok(Line { hyperparameters: Some(Hyperparameters::of(&fitted)), ..Line::timed(task, cpu_ms, repeats) })
}

/// Means over the test points of posterior mean and variance.
fn predict(inputs: &Inputs, task: &Task) -> Result<Line, ExperimentError> {
    let m = task.m.unwrap_or(0).min(inputs.test.len());
    let posterior = inputs.hyperparameters.posterior(inputs.data(task.n)?)?;
    let test = thrifty_domain::Points::from_rows(&inputs.test[..m])
        .map_err(ExperimentError::measure("the test points"))?;
    let (mut mean, mut variance) = (vec![0.0; m], vec![0.0; m]);
    let (cpu_ms, repeats, ()) = cpu_minimum(inputs.budget, || {
        posterior.predict_into(black_box(test.as_ref()), &mut mean, &mut variance);
    });
    let average = |v: &[f64]| v.iter().sum::<f64>() / m as f64;
    Ok(Line { values: vec![average(&mean), average(&variance)], ..Line::timed(task, cpu_ms, repeats) })
}

/// The default maximiser around the best points observed.
fn acquisition(inputs: &Inputs, task: &Task) -> Result<Line, ExperimentError> {
    let data = inputs.data(task.n)?;
    let posterior = data.posterior.as_ref().unwrap_or(&inputs.hyperparameters).posterior(data)?;
    let acquisition = log_ei(&posterior, data);
    let mut order: Vec<usize> = (0..data.y.len()).collect();
    order.sort_by(|&a, &b| data.y[a].total_cmp(&data.y[b]));
    let anchors: Vec<&[f64]> = order.iter().map(|&i| data.x[i].as_slice()).collect();
    let domain = Domain::unit_cube(inputs.d);
    let (cpu_ms, repeats, found) = cpu_minimum(inputs.budget, || {
        let mut rng = Seed(task.seed.unwrap_or(0)).stream("maximise", 0);
        Maximizer::default().candidates(&domain, &acquisition, &anchors, &mut rng)
    });
    Ok(Line { point: found.into_iter().next().map(|best| best.x), ..Line::timed(task, cpu_ms, repeats) })
}

/// Bayesian optimisation with its defaults but for the size of the design.
fn whole_run(task: &Task) -> Result<Line, ExperimentError> {
    let problem = TestFunction::hartmann6();
    let seed = Seed(task.seed.unwrap_or(0));
    let began = ProcessTime::now();
    let settings =
        BoSettings { initial: InitialDesign::Sobol(task.initial.unwrap_or(10)), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(problem.space().clone()).with_settings(settings)?;
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(task.n));
    study.run(|config, context| problem.evaluate(config, &mut context.noise()))?;
    let cpu_ms = 1e3 * began.elapsed().as_secs_f64();
    Ok(Line { best: study.history().best().map(|(_, loss)| loss), ..Line::timed(task, cpu_ms, 1) })
}

/// Suggestions whose mean time is that of one.
const ASKS: usize = 5;

/// Suggestions of the default optimiser on trials from elsewhere, the least of two passes as for the peers. The first suggestion of a
/// pass learns hyperparameters, later ones when they ask for it.
fn asks(inputs: &Inputs, task: &Task) -> Result<Line, ExperimentError> {
    const PASSES: usize = 2;
    let problem = TestFunction::hartmann6();
    let loss = |config: &Config| problem.truth(config).unwrap_or(f64::NAN);
    let mut least = f64::INFINITY;
    for _ in 0..PASSES {
        let mut study = Study::new(BayesianOptimizer::new(problem.space().clone()), Seed(0));
        for x in &inputs.data(task.n)?.x {
            let config = problem.space().decode(x);
            let loss = loss(&config);
            study.add_known(config, loss)?;
        }
        let began = ProcessTime::now();
        for _ in 0..ASKS {
            if let Next::Evaluate(trial) = study.ask()? {
                study.tell(trial.id, loss(&trial.query))?;
            }
        }
        least = least.min(1e3 * began.elapsed().as_secs_f64() / ASKS as f64);
    }
    Ok(Line::timed(task, least, PASSES * ASKS))
}

/// The rules of Optuna, so that all do the same work; n trials at random come before.
fn suggestion(inputs: &Inputs, task: &Task, joint: Joint) -> Result<Line, ExperimentError> {
    let settings = TpeSettings { joint, startup: Startup::Random(task.n), ..TpeSettings::optuna5() };
    let optimizer = TpeOptimizer::new(mixed_space()?).and_then(|tpe| tpe.with_settings(settings))?;
    let mut study = Study::new(optimizer, Seed(0));
    let mut step = || -> Result<(), StudyError> {
        if let Next::Evaluate(trial) = study.ask()? {
            study.tell(trial.id, mixed_loss(&trial.query).unwrap_or(f64::NAN))?;
        }
        Ok(())
    };
    for _ in 0..task.n {
        step()?;
    }
    // Each adds a trial: a few of them, or n is another.
    let mut least = f64::INFINITY;
    let repeats = inputs.budget.repeats.min(task.n / 10).max(1);
    for _ in 0..repeats {
        let began = ProcessTime::now();
        step()?;
        least = least.min(1e3 * began.elapsed().as_secs_f64());
    }
    Ok(Line::timed(task, least, repeats))
}

const FOLDS: usize = 10;

/// A suggestion after n model fits that were suggested by the same rule.
fn iteration(inputs: &Inputs, task: &Task, acquisition: FoldAcquisition) -> Result<Line, ExperimentError> {
    let settings = FractionalSettings {
        acquisition,
        initial: InitialDesign::Sobol(10),
        ..FractionalSettings::new(FOLDS)
    };
    let make = || {
        FractionalCv::new(Space::unit_cube(2), settings.folds)
            .and_then(|cv| cv.with_settings(settings.clone()))
    };
    let mut study = Study::new(make()?, Seed(1)).with_stop(MaxTrials(task.n));
    study.run(|query: &FoldQuery, _| fold_loss(query).unwrap_or(f64::NAN))?;
    let mut optimizer = make()?;
    let (cpu_ms, repeats, asked) =
        cpu_minimum(inputs.budget, || optimizer.ask(study.history(), TrialId(task.n as u64)));
    asked?;
    Ok(Line::timed(task, cpu_ms, repeats))
}

/// Loss of a fold, as in the scripts of the peers.
fn fold_loss(query: &FoldQuery) -> Result<f64, SpaceError> {
    let (x, y, fold) = (query.config.float("x0")?, query.config.float("x1")?, query.fold as f64);
    let wave = 0.15 * (2.1 * fold + 3.0 * x).sin() + 0.1 * (fold + 2.0 * y).cos();
    Ok((5.0 * x).sin() + (y - 0.6).powi(2) + wave)
}

/// Two numbers, two by their logarithm, a whole number, a choice: as in the scripts of the peers.
fn mixed_space() -> Result<Space, SpaceError> {
    Space::builder()
        .float("x0", -5.0, 5.0)
        .float("x1", 0.0, 1.0)
        .log_float("x2", 1e-5, 1.0)
        .log_float("x3", 1e-3, 1e3)
        .int("x4", 1, 64)
        .categorical("x5", [0, 1, 2, 3, 4])
        .build()
}

fn mixed_loss(config: &Config) -> Result<f64, SpaceError> {
    let x = |name: &str| config.float(name);
    Ok((x("x0")? - 1.0).powi(2)
        + x("x1")?
        + (x("x2")?.log10() + 3.0).abs()
        + x("x3")?.log10().abs()
        + 0.01 * (x("x4")? - 20.0).abs()
        + 0.3 * x("x5")?)
}
