use std::sync::Arc;

use thrifty_autobct::Scale;
use thrifty_sampling::Seed;

use super::autoencoder::{Autoencoder, Tumours};
use super::digits::{Controlled, Digits, Epochs, TwoEpochs};
use super::forest::Forest;
use super::task::Task;

/// What stands for an experiment of the paper.
pub struct StandIn {
    /// The table and what is controlled.
    pub name: &'static str,
    /// Of the paper's prior.
    pub appendix: usize,
    pub controls: usize,
    /// From what a training reports to h.
    pub score: Scale,
    /// Controls that are trained at first, and the costs that these trainings have by definition; with one, no work costs
    /// nothing.
    pub references: Vec<(Vec<f64>, f64)>,
    pub epsilon: f64,
    pub task: Box<dyn Task>,
}

/// How large everything is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Of the forest's data.
    pub rows: usize,
    /// Of the autoencoder.
    pub epochs: usize,
}

/// Those of tables 4 to 12.
pub fn all(size: Size, seed: Seed) -> Vec<StandIn> {
    let digits = Arc::new(Digits::new(seed));
    let two_epochs = |controlled| Box::new(TwoEpochs { data: digits.clone(), controlled }) as Box<dyn Task>;
    let autoencoder = |with_code| {
        let (data, epochs) = (Tumours::new(seed), size.epochs);
        Box::new(Autoencoder { data, with_code, epochs }) as Box<dyn Task>
    };
    let seen = Arc::new(digits.through_a_fixed_layer(100, seed));
    let ends = |cheap: f64, dear: f64| vec![(vec![cheap], 0.1), (vec![dear], 1.0)];
    let stand_in = |name, appendix, score, references: Vec<(Vec<f64>, f64)>, task| {
        let controls = references[0].0.len();
        let epsilon = if appendix <= 3 { 0.0 } else { 0.02 };
        StandIn { name, appendix, controls, score, references, epsilon, task }
    };
    // A constant answer is right for one digit in ten and for half of the forest's rows.
    let accuracy = Scale::Affine { zero: 0.5, one: 0.85 };
    // Appendix D.7.
    let of_f = Scale::Affine { zero: 0.0, one: 0.75 };
    let both = vec![(vec![0.5, 1.0], 0.1), (vec![0.5, 0.0], 1.0)];
    vec![
        stand_in("4: batch size", 2, Scale::Identity, ends(1.0, 0.0), two_epochs(Controlled::Batch)),
        stand_in(
            "5: learning rate",
            3,
            Scale::Identity,
            vec![(vec![0.5], 0.36)],
            two_epochs(Controlled::Rate),
        ),
        stand_in("7: rate and batch", 4, Scale::Identity, both, two_epochs(Controlled::RateAndBatch)),
        stand_in(
            "9: sample size",
            5,
            accuracy,
            vec![(vec![1.0], 1.0)],
            Box::new(Forest::new(size.rows, seed)),
        ),
        stand_in(
            "10: epochs, plain",
            6,
            Scale::Identity,
            vec![(vec![1.0], 1.0)],
            Box::new(Epochs { data: digits.clone(), hidden: vec![32], rate: 1e-3 }),
        ),
        stand_in(
            "10: epochs, frozen",
            6,
            Scale::Identity,
            vec![(vec![1.0], 1.0)],
            Box::new(Epochs { data: seen, hidden: vec![], rate: 1e-3 }),
        ),
        stand_in("11: scale", 7, of_f, vec![(vec![1.0], 1.0)], autoencoder(false)),
        stand_in("12: scale and code", 8, of_f, vec![(vec![1.0, 1.0], 1.0)], autoencoder(true)),
    ]
}
