//! Sizes of the convolutional networks of the source, as published and as trained here.

use thrifty_learners::layers::architectures::{breast_cancer, on_residual_features, plain};
use thrifty_learners::layers::{ImageShape, Padding, Sequential};

use super::{epochs, two_epochs};
use crate::error::ExperimentError;
use crate::harness::Table;

/// One row per network of Appendix E.
///
/// # Errors
/// [`ExperimentError::Failed`] where a network cannot be built.
pub fn table() -> Result<Table, ExperimentError> {
    let image = |side, channels| ImageShape { height: side, width: side, channels };
    let rows = [
        ("E.1, tables 4 to 8", "50×50×3", "no", breast_cancer(image(50, 3), 1, Padding::Valid, 2)?),
        ("E.1 for digits, padded", "8×8×1", "yes", two_epochs::network()?),
        ("E.3, plain, table 10", "150×150×3", "no", plain(image(150, 3), 6)?),
        ("E.3 for digits", "8×8×1", "yes", epochs::plain_network()?),
        ("E.4, behind a ResNet-50, table 10", "5×5×2048", "no", on_residual_features(image(5, 2048), 6)?),
        ("E.4 for digits, behind a random layer", "5×5×2048", "yes", epochs::on_fixed_features()?),
    ];
    let row = |(name, input, is_trained, network): (&str, &str, &str, Sequential)| {
        let sides: Vec<String> =
            network.shapes().iter().map(|s| format!("{}×{}", s.height, s.channels)).collect();
        let numbers = [network.parameters(), network.products()].map(|count| count.to_string());
        [name, input, &sides.join(", "), &numbers[0], &numbers[1], is_trained].map(str::to_owned).to_vec()
    };
    Ok(Table {
        name: "architectures".into(),
        caption: "Convolutional networks of Appendix E: input, width and channels after each convolution and pooling, parameters, and \
                  multiplications per image on the way forward."
            .into(),
        header: ["network", "input", "width×channels", "parameters", "multiplications", "trained here"]
            .map(String::from)
            .to_vec(),
        rows: rows.map(row).to_vec(),
    })
}
