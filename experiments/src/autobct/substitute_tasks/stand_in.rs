//! A substitute task with its controls and scales, and the list of all.

use std::sync::Arc;

use thrifty_autobct::Scale;
use thrifty_learners::layers::Sequential;
use thrifty_sampling::Seed;

use super::autoencoder::{Autoencoder, Tumours};
use super::digits::Digits;
use super::epochs::{Epochs, on_fixed_features, plain_network};
use super::forest::Forest;
use super::priors::{Appendix, Prior, Reading, prior};
use super::task::Task;
use super::two_epochs::{Controlled, TwoEpochs};
use crate::error::ExperimentError;

/// Stand-in for an experiment of the paper.
pub struct StandIn {
    /// The table and what is controlled.
    pub name: &'static str,
    /// Appendix of the paper with the prior.
    pub appendix: Appendix,
    pub controls: usize,
    /// Scale from what a training reports to h.
    pub score: Scale,
    /// A control that is trained at first, and the cost t that this training has by definition.
    pub reference: (Vec<f64>, f64),
    pub epsilon: f64,
    pub task: Box<dyn Task>,
}

/// Sizes of the data and the models.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Rows of the forest's data.
    pub rows: usize,
    /// Epochs of the autoencoder.
    pub epochs: usize,
    /// Convolutional networks per training of two epochs.
    pub networks: u64,
    /// Images that one of them is trained on.
    pub images: usize,
    /// Most digits that a network of table 10 is trained on, and tested on.
    pub digits: usize,
}

impl StandIn {
    /// A stand-in with ε as in the paper, which has none in its tables of one control and two epochs.
    fn new(
        name: &'static str,
        appendix: Appendix,
        score: Scale,
        (control, t): (&[f64], f64),
        task: Box<dyn Task>,
    ) -> Self {
        let epsilon = if matches!(appendix, Appendix::D2 | Appendix::D3) { 0.0 } else { 0.02 };
        let reference = (control.to_vec(), t);
        Self { name, appendix, controls: control.len(), score, reference, epsilon, task }
    }

    /// Basis, state and noise before the first training.
    pub fn prior(&self) -> Result<Prior, ExperimentError> {
        prior(self.appendix).map_err(ExperimentError::failed)
    }
}

/// Those of tables 4 to 12.
///
/// # Errors
/// [`ExperimentError::Failed`] where a network cannot be built.
pub fn all(size: Size, seed: Seed) -> Result<Vec<StandIn>, ExperimentError> {
    let digits = Digits::new(seed);
    // Appendix D.5.
    let accuracy = Scale::Affine { zero: 0.6, one: 0.8 };
    let forest = Box::new(Forest::new(size.rows, seed));
    let mut all = two_epochs(&Arc::new(digits.moved(size.images, seed)), size.networks)?;
    all.push(StandIn::new("9: sample size", Appendix::D5, accuracy, (&[1.0], 1.0), forest));
    all.extend(epochs(digits.first(size.digits).dimmed(), seed)?);
    all.extend(autoencoders(size.epochs, seed));
    Ok(all)
}

/// Tables 4 to 8: the score is the accuracy itself.
fn two_epochs(images: &Arc<Digits>, networks: u64) -> Result<Vec<StandIn>, ExperimentError> {
    let new = |name, appendix, reference: (&[f64], f64), controlled| {
        let task = Box::new(TwoEpochs::new(images.clone(), controlled, networks)?);
        Ok(StandIn::new(name, appendix, Scale::Identity, reference, task))
    };
    let both: (&[f64], f64) = (&[0.5, 0.0], 1.0);
    let (around, printed) = (Appendix::D4(Reading::Coefficients), Appendix::D4(Reading::Polynomial));
    [
        ("4: batch size", Appendix::D2, (&[0.0][..], 1.0), Controlled::Batch),
        ("5: learning rate", Appendix::D3, (&[0.5], 0.36), Controlled::Rate),
        ("7: rate and batch", around, both, Controlled::RateAndBatch),
        ("7: rate and batch, printed polynomial", printed, both, Controlled::RateAndBatch),
    ]
    .into_iter()
    .map(|(name, appendix, reference, controlled)| new(name, appendix, reference, controlled))
    .collect()
}

/// Table 10.
fn epochs(digits: Digits, seed: Seed) -> Result<Vec<StandIn>, ExperimentError> {
    let seen = digits.through_a_fixed_layer(seed)?;
    let new = |name, data, network: Sequential| {
        let task = Box::new(Epochs { data: Arc::new(data), layers: network.layers });
        StandIn::new(name, Appendix::D6, Scale::Identity, (&[1.0], 1.0), task)
    };
    Ok(vec![
        new("10: epochs, plain", digits, plain_network()?),
        new("10: epochs, frozen", seen, on_fixed_features()?),
    ])
}

/// Tables 11 and 12: an F of 0.75 is a score of 1, as in Appendix D.7.
fn autoencoders(epochs: usize, seed: Seed) -> Vec<StandIn> {
    let data = Arc::new(Tumours::new(seed));
    let new = |name, appendix, reference: &[f64], with_code| {
        let task = Box::new(Autoencoder { data: data.clone(), with_code, epochs });
        let score = Scale::Affine { zero: 0.0, one: 0.75 };
        StandIn::new(name, appendix, score, (reference, 1.0), task)
    };
    vec![
        new("11: scale", Appendix::D7, &[1.0], false),
        new("12: scale and code", Appendix::D8, &[1.0, 1.0], true),
    ]
}
