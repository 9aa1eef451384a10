//! A grid in place of measured ones.

use super::table::{GridTable, Levels};
use crate::error::ExperimentError;

/// A grid by formula with what tables of neural networks have: a rate with a sharp edge beyond its best value, sizes
/// that help less and less, and names that shift the best rate.
pub fn synthetic() -> Result<GridTable, ExperimentError> {
    let names = |names: &[&str]| Levels::Named(names.iter().map(|n| (*n).to_owned()).collect());
    let parameters = [
        ("rate", Levels::Ordered(10)),
        ("width", Levels::Ordered(6)),
        ("dropout", Levels::Ordered(3)),
        ("activation", names(&["relu", "tanh", "identity"])),
        ("schedule", names(&["cosine", "constant"])),
    ];
    let mut losses = Vec::new();
    for rate in 0..10 {
        for width in 0..6 {
            for dropout in 0..3 {
                for activation in 0..3 {
                    for schedule in 0..2 {
                        losses.push(loss([rate, width, dropout, activation, schedule].map(f64::from)));
                    }
                }
            }
        }
    }
    GridTable::new("synthetic", parameters.map(|(name, levels)| (name.to_owned(), levels)).into(), losses)
        .map_err(|message| ExperimentError::data("synthetic table", message))
}

fn loss([rate, width, dropout, activation, schedule]: [f64; 5]) -> f64 {
    let off = rate - (6.0 - 0.8 * activation - 0.6 * schedule - 0.2 * width);
    let edge = if off > 1.5 { 3.0 * (off - 1.5) } else { 0.0 };
    let underfit = (-0.5 * width).exp() * (1.0 + 0.3 * activation * activation);
    let overfit = 0.02 * width * (2.0 - dropout).powi(2);
    0.1 * off * off + edge + underfit + overfit + 0.15 * dropout + 0.05 * schedule
}
