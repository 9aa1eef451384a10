//! The space of hyperparameters.

use thrifty_learners::network::{Activation, Initializer, Rule};
use thrifty_space::{Config, Space, SpaceError};

use super::training::Hyperparameters;

/// Layers with their widths, activation, initialiser, descent, regularisation: twelve parameters, three of them
/// conditional.
pub fn space() -> Result<Space, SpaceError> {
    Space::builder()
        .int("layers", 1, 3)
        .int("width 1", 3, 20)
        .int("width 2", 3, 20)
        .when("layers", [2, 3])
        .int("width 3", 3, 20)
        .when("layers", [3])
        .categorical("activation", ["tanh", "sigmoid", "relu"])
        .categorical("initialiser", ["glorot uniform", "glorot normal", "he normal"])
        .categorical("optimiser", ["sgd", "adam", "rmsprop"])
        .float("momentum", 0.0, 0.95)
        .when("optimiser", ["sgd"])
        .log_float("learning rate", 1e-3, 0.5)
        .log_float("weight decay", 1e-8, 1e-2)
        .step_int("epochs", 50, 300, 50)
        .log_int("patience", 5, 100)
        .build()
}

impl Hyperparameters {
    /// Hyperparameters of a configuration of [`space`].
    pub fn of(config: &Config) -> Result<Self, SpaceError> {
        let layers = config.int("layers")?;
        let width = |layer: i64| Ok(config.int(&format!("width {layer}"))? as usize);
        Ok(Self {
            hidden: (1..=layers).map(width).collect::<Result<_, SpaceError>>()?,
            activation: match config.str("activation")? {
                "tanh" => Activation::Tanh,
                "sigmoid" => Activation::Sigmoid,
                _ => Activation::Relu,
            },
            initializer: match config.str("initialiser")? {
                "glorot uniform" => Initializer::GlorotUniform,
                "glorot normal" => Initializer::GlorotNormal,
                _ => Initializer::HeNormal,
            },
            rule: match config.str("optimiser")? {
                "sgd" => Rule::Sgd { momentum: config.float("momentum")? },
                "adam" => Rule::Adam,
                _ => Rule::RmsProp,
            },
            rate: config.float("learning rate")?,
            decay: config.float("weight decay")?,
            epochs: config.int("epochs")? as usize,
            patience: config.int("patience")? as usize,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_sampling::Seed;

    #[test]
    fn every_configuration_stands_for_hyperparameters() {
        let space = space().expect("a valid space");
        for i in 0..200 {
            let config = space.sample(&mut Seed(1).stream("test", i));
            let h = Hyperparameters::of(&config).expect("complete");
            assert_eq!(h.hidden.len() as i64, config.int("layers").expect("always active"));
            assert_eq!(matches!(h.rule, Rule::Sgd { .. }), config.get("momentum").is_some());
            assert!(h.hidden.iter().all(|w| (3..=20).contains(w)) && (5..=100).contains(&h.patience));
        }
    }
}
