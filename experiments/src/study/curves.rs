//! Learning curves of models that are trained here: a network, boosted trees, a linear classifier by gradient descent.

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::Points;
use thrifty_learners::network::{Activation, Dense, Examples, Initializer, Loss, Pass, Rule, Training};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceError, Value};
use thrifty_trees::{Boosting, BoostingSettings, Table};

use crate::error::ExperimentError;
use crate::harness::replicate::in_parallel;

/// Curves of many configurations of one model: losses on validation data after each epoch.
pub struct CurveSet {
    pub name: &'static str,
    /// By configuration; a descent that runs away leaves numbers that are not finite.
    pub curves: Vec<Vec<f64>>,
    /// Hyperparameters, and their values by configuration.
    pub space: Space,
    pub configs: Vec<Config>,
}

impl CurveSet {
    /// The least last loss.
    pub fn least(&self) -> f64 {
        self.curves.iter().filter_map(|curve| curve.last()).copied().fold(f64::INFINITY, f64::min)
    }
}

/// Rows of training data, and of validation data.
const ROWS: usize = 240;

/// Trains so many configurations of each model for so many epochs.
///
/// # Errors
/// [`ExperimentError`] when trees cannot be grown.
pub fn all(configurations: usize, epochs: usize, seed: Seed) -> Result<Vec<CurveSet>, ExperimentError> {
    let seed = seed.child("learning curves", 0);
    let indices: Vec<u64> = (0..configurations as u64).collect();
    let network = |i: &u64| Ok(network(epochs, seed, *i));
    let boosting = |i: &u64| boosting(epochs, seed, *i);
    let linear = |i: &u64| Ok(linear(epochs, seed, *i));
    let set = |name, space: Space, trained: Vec<(Config, Vec<f64>)>| {
        let (configs, curves) = trained.into_iter().unzip();
        CurveSet { name, curves, space, configs }
    };
    Ok(vec![
        set("network", network_space()?, in_parallel("networks", &indices, network)?),
        set("boosting", boosting_space()?, in_parallel("boosted trees", &indices, boosting)?),
        set("linear SGD", linear_space()?, in_parallel("linear classifiers", &indices, linear)?),
    ])
}

fn network_space() -> Result<Space, SpaceError> {
    let builder = Space::builder().log_float("rate", 1e-3, 3.0).int("momentum", 0, 2);
    let builder = builder.log_int("width", 2, 48).int("batch", 0, 3);
    builder.categorical("activation", ["tanh", "sigmoid", "relu"]).build()
}

fn linear_space() -> Result<Space, SpaceError> {
    let builder = Space::builder().log_float("rate", 1e-4, 10.0).int("momentum", 0, 2);
    builder.int("batch", 0, 2).log_float("scale", 0.01, 3.0).build()
}

fn boosting_space() -> Result<Space, SpaceError> {
    Space::builder().log_float("rate", 0.005, 1.0).int("depth", 1, 8).int("leaf", 1, 40).build()
}

/// A configuration of values by name.
fn config<const N: usize>(values: [(&str, Value); N]) -> Config {
    let mut config = Config::new();
    values.into_iter().for_each(|(name, value)| config.insert(name, value));
    config
}

/// A choice from a list as a parameter: its index.
fn index(at: usize) -> Value {
    Value::Int(at as i64)
}

/// A number between two, evenly spaced by its logarithm.
fn log_uniform(rng: &mut Stream, low: f64, high: f64) -> f64 {
    (low.ln() + rng.uniform() * (high / low).ln()).exp()
}

fn normal(rng: &mut Stream) -> f64 {
    StandardNormal.sample(rng)
}

/// Points in [-1, 1]^d and their classes, of which one in ten is wrong.
fn classes(dim: usize, rng: &mut Stream, class: impl Fn(&[f64]) -> bool) -> Examples {
    let mut examples = Examples { x: Points::new(dim), targets: Points::new(2) };
    for _ in 0..ROWS {
        let point: Vec<f64> = (0..dim).map(|_| 2.0 * rng.uniform() - 1.0).collect();
        let is_one = f64::from(u8::from(class(&point) != (rng.uniform() < 0.1)));
        examples.x.push(&point);
        examples.targets.push(&[1.0 - is_one, is_one]);
    }
    examples
}

/// Trains a network and keeps the loss after each epoch.
fn train(
    mut network: Dense,
    training: Training,
    epochs: usize,
    data: &[Examples; 2],
    rng: &mut Stream,
) -> Vec<f64> {
    let mut pass = Pass::default();
    let mut epoch = |_| {
        training.fit(&mut network, &data[0], rng);
        training.on(&network, &data[1], &mut pass)
    };
    (0..epochs).map(&mut epoch).collect()
}

/// One hidden layer on a curved border in six dimensions. Varied: learning rate, momentum, width, batch, activation.
fn network(epochs: usize, seed: Seed, configuration: u64) -> (Config, Vec<f64>) {
    let data = [0, 1].map(|part| {
        classes(6, &mut seed.stream("curved border", part), |x| {
            (3.0 * x[0]).sin() + x[1] * x[2] + x[3] * x[3] > 0.5
        })
    });
    let rng = &mut seed.stream("network", configuration);
    let rate = log_uniform(rng, 1e-3, 3.0);
    let of_momentum = rng.index(3);
    let width = log_uniform(rng, 2.0, 48.0) as usize;
    let (of_batch, of_activation) = (rng.index(4), rng.index(3));
    let (momentum, batch) = ([0.0, 0.5, 0.9][of_momentum], [8, 16, 32, 64][of_batch]);
    let activation = [Activation::Tanh, Activation::Sigmoid, Activation::Relu][of_activation];
    let start = Dense::new(&[6, width, 2], activation, Initializer::GlorotUniform, rng);
    let training =
        Training { loss: Loss::CrossEntropy, rule: Rule::Sgd { momentum }, rate, batch, epochs: 1 };
    let config = config([
        ("rate", rate.into()),
        ("momentum", index(of_momentum)),
        ("width", index(width)),
        ("batch", index(of_batch)),
        ("activation", ["tanh", "sigmoid", "relu"][of_activation].into()),
    ]);
    (config, train(start, training, epochs, &data, rng))
}

/// A linear classifier of forty features, of which eight matter. Varied: learning rate, momentum, batch, scale of the start.
fn linear(epochs: usize, seed: Seed, configuration: u64) -> (Config, Vec<f64>) {
    const DIM: usize = 40;
    let data = [0, 1].map(|part| {
        classes(DIM, &mut seed.stream("sparse border", part), |x| {
            x.iter().take(8).enumerate().map(|(i, x)| x / (1.0 + i as f64)).sum::<f64>() > 0.2
        })
    });
    let rng = &mut seed.stream("linear", configuration);
    let rate = log_uniform(rng, 1e-4, 10.0);
    let (of_momentum, of_batch) = (rng.index(3), rng.index(3));
    let (momentum, batch) = ([0.0, 0.5, 0.9][of_momentum], [4, 16, 64][of_batch]);
    let scale = log_uniform(rng, 0.01, 3.0);
    let mut start = Dense::new(&[DIM, 2], Activation::Tanh, Initializer::GlorotNormal, rng);
    start.parameters.iter_mut().for_each(|weight| *weight *= scale);
    let training =
        Training { loss: Loss::CrossEntropy, rule: Rule::Sgd { momentum }, rate, batch, epochs: 1 };
    let config = config([
        ("rate", rate.into()),
        ("momentum", index(of_momentum)),
        ("batch", index(of_batch)),
        ("scale", scale.into()),
    ]);
    (config, train(start, training, epochs, &data, rng))
}

/// Boosted trees on the first function of Friedman (1991) with noise; an epoch is a tree. Varied: learning rate, depth, rows of a leaf.
fn boosting(epochs: usize, seed: Seed, configuration: u64) -> Result<(Config, Vec<f64>), ExperimentError> {
    const DIM: usize = 8;
    let trees = ExperimentError::measure("boosted trees");
    let [(x, mut left), (watched, mut missing)] = [0, 1].map(|part| {
        let rng = &mut seed.stream("friedman", part);
        let (mut x, mut y) = (Vec::with_capacity(DIM * ROWS), Vec::with_capacity(ROWS));
        for _ in 0..ROWS {
            let row: Vec<f64> = (0..DIM).map(|_| rng.uniform()).collect();
            let wave = 10.0 * (std::f64::consts::PI * row[0] * row[1]).sin();
            y.push(wave + 20.0 * (row[2] - 0.5).powi(2) + 10.0 * row[3] + 5.0 * row[4] + normal(rng));
            x.extend(row.into_iter().map(|x| x as f32));
        }
        (x, y)
    });
    let rng = &mut seed.stream("boosting", configuration);
    let rate = log_uniform(rng, 0.005, 1.0);
    let (max_depth, min_leaf) = (1 + rng.index(8), 1 + rng.index(40));
    let settings = BoostingSettings { rounds: 1, rate, max_depth, min_leaf };
    let mut run = || -> Result<Vec<f64>, thrifty_trees::TreesError> {
        let table = Table::new(x.clone(), DIM, 64)?;
        let mut curve = Vec::with_capacity(epochs);
        for _ in 0..epochs {
            let tree = Boosting::fit(&table, &left, &settings)?;
            left.iter_mut().zip(tree.predict(&x)?).for_each(|(y, found)| *y -= found);
            missing.iter_mut().zip(tree.predict(&watched)?).for_each(|(y, found)| *y -= found);
            curve.push(missing.iter().map(|y| y * y).sum::<f64>() / ROWS as f64);
        }
        Ok(curve)
    };
    let config = config([("rate", rate.into()), ("depth", index(max_depth)), ("leaf", index(min_leaf))]);
    Ok((config, run().map_err(trees)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each model learns with some of its configurations, and configurations differ; a seed gives the same curves again.
    #[test]
    fn curves_fall_and_differ() {
        let sets = all(24, 20, Seed(4)).unwrap();
        let again = all(24, 20, Seed(4)).unwrap();
        for (set, again) in sets.iter().zip(&again) {
            let bits =
                |set: &CurveSet| set.curves.concat().into_iter().map(f64::to_bits).collect::<Vec<u64>>();
            assert_eq!(bits(set), bits(again), "{}", set.name);
            assert!(set.curves.iter().all(|curve| curve.len() == 20));
            assert!(set.configs.iter().all(|config| set.space.validate(config).is_ok()), "{}", set.name);
            let falls = set.curves.iter().filter(|curve| curve[19] < 0.9 * curve[0]).count();
            assert!(falls >= 3, "{}: {falls} of 24 fall", set.name);
            let worst = set.curves.iter().map(|curve| curve[19]).fold(0.0, f64::max);
            assert!(set.least() < 0.8 * worst, "{}: {} to {worst}", set.name, set.least());
        }
    }
}
