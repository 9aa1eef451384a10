//! Convolutional networks of `cironis2022`, Appendix E.

use super::conv::Conv2d;
use super::network::Layer;
use super::pool::MaxPool;
use super::window::{ImageShape, Padding};
use crate::LearnerError;

/// Layers one after the other, with the shape that comes out of the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequential {
    /// The layers, from the input on.
    pub layers: Vec<Layer>,
    shape: ImageShape,
}

/// Width of the kernels of all networks.
const KERNEL: usize = 3;
/// Width of the pooling windows of E.1, and the dropout after each pooling.
const POOL: usize = 2;
const DROPOUT: f32 = 0.2;
/// Width of the pooling windows of E.3 and E.4.
const WIDE_POOL: usize = 5;

impl Sequential {
    fn new(input: ImageShape) -> Self {
        Self { layers: Vec::new(), shape: input }
    }

    fn conv(self, filters: usize, padding: Padding) -> Result<Self, LearnerError> {
        self.conv_of(KERNEL, filters, padding)
    }

    fn conv_of(mut self, kernel: usize, filters: usize, padding: Padding) -> Result<Self, LearnerError> {
        let conv = Conv2d::new(self.shape, kernel, filters, padding)?;
        self.shape = conv.output();
        self.layers.extend([Layer::Conv2d(conv), Layer::Relu]);
        Ok(self)
    }

    fn pool(mut self, size: usize, padding: Padding) -> Result<Self, LearnerError> {
        let pool = MaxPool::new(self.shape, size, padding)?;
        self.shape = pool.output();
        self.layers.push(Layer::MaxPool(pool));
        Ok(self)
    }

    fn dropout(mut self, rate: f32) -> Self {
        self.layers.push(Layer::Dropout { rate });
        self
    }

    /// A linear layer over all values: flattening an image leaves its values where they are.
    fn linear(mut self, outputs: usize) -> Self {
        self.layers.push(Layer::Linear { inputs: self.shape.values(), outputs });
        self.shape = ImageShape { height: 1, width: 1, channels: outputs };
        self
    }

    fn dense(mut self, outputs: usize) -> Self {
        self = self.linear(outputs);
        self.layers.push(Layer::Relu);
        self
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.layers.iter().map(|layer| layer.parameters()).sum()
    }

    /// Multiplications per image on the way forward.
    pub fn products(&self) -> usize {
        self.layers.iter().map(|layer| layer.products()).sum()
    }

    /// Shapes of the images that come out of convolutions and poolings.
    pub fn shapes(&self) -> Vec<ImageShape> {
        let shape = |layer: &Layer| match layer {
            Layer::Conv2d(conv) => Some(conv.output()),
            Layer::MaxPool(pool) => Some(pool.output()),
            _ => None,
        };
        self.layers.iter().filter_map(shape).collect()
    }
}

/// E.1, the network of tables 4 to 8: three convolutions of 8, 16 and 32 filters times `scale`, each followed by pooling and dropout, and a hidden
/// layer of 16 neurons times `scale`. The outputs are logits of the classes.
///
/// The source has images of 50×50×3, a scale of 1, two classes and valid padding. Smaller images than 22×22 need [`Padding::Same`].
///
/// # Errors
/// [`LearnerError::Layer`] for images that are too small, and a scale of 0.
pub fn breast_cancer(
    input: ImageShape,
    scale: usize,
    padding: Padding,
    classes: usize,
) -> Result<Sequential, LearnerError> {
    let mut network = Sequential::new(input);
    for filters in [8, 16, 32] {
        network = network.conv(filters * scale, padding)?.pool(POOL, Padding::Valid)?.dropout(DROPOUT);
    }
    Ok(network.dense(16 * scale).linear(classes))
}

/// E.3, the plain network of table 10, for images of 150×150×3 and six classes in the source.
///
/// # Errors
/// [`LearnerError::Layer`] for images below 7×7.
pub fn plain(input: ImageShape, classes: usize) -> Result<Sequential, LearnerError> {
    let mut network = Sequential::new(input);
    for filters in [200, 200, 180] {
        network = network.conv(filters, Padding::Valid)?;
    }
    pooled_twice(network, classes)
}

/// E.4, the trained part of the second network of table 10. The input is what the frozen ResNet-50 makes of an image of 150×150×3: 5×5×2048.
///
/// # Errors
/// [`LearnerError::Layer`] for inputs below 5×5.
pub fn on_residual_features(input: ImageShape, classes: usize) -> Result<Sequential, LearnerError> {
    let network = Sequential::new(input).conv(200, Padding::Valid)?.conv(180, Padding::Valid)?;
    pooled_twice(network, classes)
}

/// One layer of 2,048 filters of 4×4 pixels, to be left as it starts, in place of the ResNet-50 before E.4: of an image of 8×8 it makes 5×5×2048.
///
/// # Errors
/// [`LearnerError::Layer`] for images below 4×4.
pub fn in_place_of_resnet(input: ImageShape) -> Result<Sequential, LearnerError> {
    Sequential::new(input).conv_of(4, 2048, Padding::Valid)
}

/// Common end of E.3 and E.4: four convolutions between two poolings, and three hidden layers.
fn pooled_twice(network: Sequential, classes: usize) -> Result<Sequential, LearnerError> {
    let mut network = network.pool(WIDE_POOL, Padding::Same)?;
    for filters in [180, 140, 100, 50] {
        network = network.conv(filters, Padding::Same)?;
    }
    network = network.pool(WIDE_POOL, Padding::Same)?;
    for neurons in [180, 100, 50] {
        network = network.dense(neurons);
    }
    Ok(network.dropout(0.5).linear(classes))
}

#[cfg(test)]
mod tests;
