//! Handwritten digits as images, in place of those of tables 4 to 8 and 10.

use thrifty_learners::layers::architectures::in_place_of_resnet;
use thrifty_learners::layers::{ImageShape, Labelled, Network, Pass, Start};
use thrifty_sampling::Seed;

use crate::error::ExperimentError;

/// Digits that a dependency ships, 8×8 pixels from 0 to 16 each: 1,097 to train on, 200 to watch a training, 500 to judge by.
#[derive(Debug, Clone, PartialEq)]
pub struct Digits {
    pub train: Labelled,
    pub watch: Labelled,
    pub test: Labelled,
}

pub const CLASSES: usize = 10;
/// Shape of an image.
pub const SHAPE: ImageShape = ImageShape { height: 8, width: 8, channels: 1 };
/// Largest value of a pixel.
pub const WHITE: f32 = 16.0;
const TEST: usize = 500;
const WATCH: usize = 200;

impl Digits {
    pub fn new(seed: Seed) -> Self {
        let set = smartcore::dataset::digits::load_dataset();
        let mut order: Vec<usize> = (0..set.num_samples).collect();
        seed.stream("digits", 0).shuffle(&mut order);
        let labelled = |of: &[usize]| Labelled {
            x: of
                .iter()
                .flat_map(|row| &set.data[row * SHAPE.values()..][..SHAPE.values()])
                .copied()
                .collect(),
            classes: of.iter().map(|row| set.target[*row] as usize).collect(),
        };
        let (test, rest) = order.split_at(TEST);
        let (watch, train) = rest.split_at(WATCH);
        Self { train: labelled(train), watch: labelled(watch), test: labelled(test) }
    }

    /// Digits for training repeated until there are `train` images, each of them moved by at most a pixel.
    pub fn moved(&self, train: usize, seed: Seed) -> Self {
        let mut images = Labelled::default();
        let rng = &mut seed.stream("moved digits", 0);
        let Labelled { x, classes } = &self.train;
        for (image, class) in x.chunks_exact(SHAPE.values()).zip(classes).cycle().take(train) {
            images.x.extend(moved(image, rng.index(3), rng.index(3)));
            images.classes.push(*class);
        }
        Self { train: images, ..self.clone() }
    }

    /// The first `count` digits of each part, or all of a part that has fewer.
    pub fn first(&self, count: usize) -> Self {
        self.seen(|of| {
            let classes = &of.classes[..count.min(of.classes.len())];
            Labelled { x: of.x[..classes.len() * SHAPE.values()].to_vec(), classes: classes.to_vec() }
        })
    }

    /// Pixels from 0 to 1.
    pub fn dimmed(&self) -> Self {
        self.seen(|of| Labelled {
            x: of.x.iter().map(|pixel| pixel / WHITE).collect(),
            classes: of.classes.clone(),
        })
    }

    /// Digits through a layer that nobody trains: random, where the ResNet-50 of the source has learnt other images.
    ///
    /// # Errors
    /// As [`in_place_of_resnet`].
    pub fn through_a_fixed_layer(&self, seed: Seed) -> Result<Self, ExperimentError> {
        let layers = in_place_of_resnet(SHAPE)?.layers;
        let layer = Network::new(layers, Start::LeCun, &mut seed.stream("fixed layer", 0));
        Ok(self.seen(|of| Labelled {
            x: layer.predict(&of.x, &mut Pass::default()).to_vec(),
            classes: of.classes.clone(),
        }))
    }

    fn seen(&self, through: impl Fn(&Labelled) -> Labelled) -> Self {
        Self { train: through(&self.train), watch: through(&self.watch), test: through(&self.test) }
    }
}

/// An image moved down and to the right by a pixel less than it says; what comes in is empty.
fn moved(image: &[f32], down: usize, right: usize) -> impl Iterator<Item = f32> {
    (0..SHAPE.values()).map(move |at| {
        let (y, x) = (at / SHAPE.width + 1, at % SHAPE.width + 1);
        let inside = (down..SHAPE.height + down).contains(&y) && (right..SHAPE.width + right).contains(&x);
        if inside { image[(y - down) * SHAPE.width + x - right] } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(of: &Labelled) -> (usize, usize) {
        (of.x.len(), of.classes.len())
    }

    #[test]
    fn digits_are_split() {
        let data = Digits::new(Seed(0));
        assert_eq!(
            [&data.train, &data.watch, &data.test].map(rows),
            [1097, 200, 500].map(|rows| (rows * 64, rows))
        );
        assert!(data.train.x.iter().all(|v| (0.0..=WHITE).contains(v)));
        assert!((0..CLASSES).all(|class| data.test.classes.contains(&class)));
    }

    #[test]
    fn images_are_moved_by_at_most_a_pixel() {
        let image: Vec<f32> = (1..=64).map(|pixel| pixel as f32).collect();
        assert!(moved(&image, 1, 1).eq(image.iter().copied()));
        let down: Vec<f32> = moved(&image, 2, 1).collect();
        assert!(down[..8].iter().all(|pixel| *pixel == 0.0) && down[8..] == image[..56]);
        let left: Vec<f32> = moved(&image, 1, 0).collect();
        assert_eq!(left[..9], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 10.0]);
        let up_and_right: Vec<f32> = moved(&image, 0, 2).collect();
        assert!(up_and_right[..3] == [0.0, 9.0, 10.0] && up_and_right[56..] == [0.0; 8]);
        // As many images as are asked for, with the classes of their digits; the others stay.
        let digits = Digits::new(Seed(0));
        let (few, many) = (digits.moved(7, Seed(0)), digits.moved(1100, Seed(0)));
        assert_eq!((rows(&few.train), rows(&many.train)), ((7 * 64, 7), (1100 * 64, 1100)));
        assert_eq!(many.train.classes[1097..], many.train.classes[..3]);
        assert_eq!((many.watch, many.test), (digits.watch, digits.test));
    }

    /// The first digits of each part, a sixteenth as bright, and 5×5×2048 values of each.
    #[test]
    fn a_fixed_layer_sees_dimmed_digits() {
        let digits = Digits::new(Seed(0));
        let few = digits.first(3).dimmed();
        assert_eq!(few.train.classes, digits.train.classes[..3]);
        assert!(few.test.x.iter().zip(&digits.test.x).all(|(few, all)| 16.0 * few == *all));
        assert_eq!(rows(&digits.first(300).watch), (200 * 64, 200));
        let seen = few.through_a_fixed_layer(Seed(1)).unwrap();
        assert_eq!(rows(&seen.test), (3 * 5 * 5 * 2048, 3));
        assert!(seen.test.x.iter().all(|value| *value >= 0.0) && seen.test.x.iter().any(|v| *v > 0.0));
        assert_eq!(seen, few.through_a_fixed_layer(Seed(1)).unwrap());
    }
}
