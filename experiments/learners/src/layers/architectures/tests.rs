use thrifty_sampling::Seed;

use super::*;
use crate::layers::{Classification, Labelled, Network, Pass, Start};

const fn image(height: usize, width: usize, channels: usize) -> ImageShape {
    ImageShape { height, width, channels }
}

const PUBLISHED: ImageShape = image(50, 50, 3);

/// E.1 as published: shapes and parameters counted by hand.
#[test]
fn the_network_of_tables_4_to_8() {
    let network = breast_cancer(PUBLISHED, 1, Padding::Valid, 2).unwrap();
    let shapes = [(48, 8), (24, 8), (22, 16), (11, 16), (9, 32), (4, 32)];
    assert_eq!(network.shapes(), shapes.map(|(side, channels)| image(side, side, channels)));
    // 3·3·3·8 + 8 = 224, 3·3·8·16 + 16 = 1168, 3·3·16·32 + 32 = 4640; 4·4·32 = 512 values into 16 neurons, 16 into 2.
    assert_eq!(network.parameters(), 224 + 1168 + 4640 + (512 * 16 + 16) + (16 * 2 + 2));
    assert_eq!(network.products(), 48 * 48 * 224 + 22 * 22 * 1168 + 9 * 9 * 4640 + 513 * 16 + 17 * 2);
    let dropouts = network.layers.iter().filter(|layer| **layer == Layer::Dropout { rate: 0.2 });
    assert_eq!((dropouts.count(), network.layers.len()), (3, 15));
    // The scale multiplies filters and hidden neurons.
    let twice = breast_cancer(PUBLISHED, 2, Padding::Valid, 2).unwrap();
    let expected = (27 * 16 + 16) + (144 * 32 + 32) + (288 * 64 + 64) + (1024 * 32 + 32) + (32 * 2 + 2);
    assert_eq!(twice.parameters(), expected);
}

/// The same family for digits of 8×8 pixels.
#[test]
fn the_network_for_digits() {
    let network = breast_cancer(image(8, 8, 1), 1, Padding::Same, 10).unwrap();
    let shapes = [(8, 8), (4, 8), (4, 16), (2, 16), (2, 32), (1, 32)];
    assert_eq!(network.shapes(), shapes.map(|(side, channels)| image(side, side, channels)));
    assert_eq!(network.parameters(), 80 + 1168 + 4640 + (32 * 16 + 16) + (16 * 10 + 10));
    // Without padding, 8 pixels are 1 after two blocks.
    assert!(breast_cancer(image(8, 8, 1), 1, Padding::Valid, 10).is_err());
    assert!(breast_cancer(image(21, 21, 1), 1, Padding::Valid, 10).is_err());
    assert!(breast_cancer(image(22, 22, 1), 1, Padding::Valid, 10).is_ok());
    assert!(breast_cancer(image(8, 8, 1), 0, Padding::Same, 10).is_err());
}

#[test]
fn the_networks_of_table_10() {
    let network = plain(image(150, 150, 3), 6).unwrap();
    let shapes =
        [(148, 200), (146, 200), (144, 180), (29, 180), (29, 180), (29, 140), (29, 100), (29, 50), (6, 50)];
    assert_eq!(network.shapes(), shapes.map(|(side, channels)| image(side, side, channels)));
    let pooled = (9 * 180 + 1) * 180 + (9 * 180 + 1) * 140 + (9 * 140 + 1) * 100 + (9 * 100 + 1) * 50;
    let dense = |inputs: usize| (inputs + 1) * 180 + 181 * 100 + 101 * 50 + 51 * 6;
    let first = 28 * 200 + (9 * 200 + 1) * 200 + (9 * 200 + 1) * 180;
    assert_eq!(network.parameters(), first + pooled + dense(6 * 6 * 50));
    assert!(plain(image(6, 7, 3), 6).is_err());

    let network = on_residual_features(image(5, 5, 2048), 6).unwrap();
    let sides = network.shapes().iter().map(|shape| shape.height).collect::<Vec<_>>();
    assert_eq!(sides, [3, 1, 1, 1, 1, 1, 1, 1]);
    let first = (9 * 2048 + 1) * 200 + (9 * 200 + 1) * 180;
    assert_eq!(network.parameters(), first + pooled + dense(50));
    assert!(on_residual_features(image(4, 5, 2048), 6).is_err());
}

/// Both networks of table 10 for digits: E.3 on the image, and the layer that makes the input of E.4.
#[test]
fn the_networks_of_table_10_for_digits() {
    let sides = [(6, 200), (4, 200), (2, 180), (1, 180), (1, 180), (1, 140), (1, 100), (1, 50), (1, 50)];
    let network = plain(image(8, 8, 1), 10).unwrap();
    assert_eq!(network.shapes(), sides.map(|(side, channels)| image(side, side, channels)));
    let fixed = in_place_of_resnet(image(8, 8, 1)).unwrap();
    assert_eq!(fixed.shapes(), [image(5, 5, 2048)]);
    assert_eq!(fixed.parameters(), 17 * 2048);
    assert!(in_place_of_resnet(image(8, 3, 1)).is_err());
}

/// One step of E.1 at its published size, on images whose class is where they are bright.
#[test]
fn one_step_at_the_published_size_lowers_the_loss() {
    let rng = &mut Seed(0).stream("test", 0);
    let classes: Vec<usize> = (0..8).map(|at| at % 2).collect();
    let x = classes
        .iter()
        .flat_map(|class| (0..2500).map(move |pixel| (class, pixel)))
        .flat_map(|(class, pixel)| [f64::from(u8::from((pixel < 1250) == (*class == 0))); 3])
        .map(|level| (level + 0.1 * rng.uniform()) as f32)
        .collect();
    let images = Labelled { x, classes };
    let layers = breast_cancer(PUBLISHED, 1, Padding::Valid, 2).unwrap().layers;
    let mut network = Network::new(layers, Start::Glorot, rng);
    let pass = &mut Pass::default();
    let before = images.cross_entropy(&network, pass);
    let training = Classification { epochs: 1, batch: 8, rate: 0.001 };
    training.fit(&mut network, &images, None, rng);
    let after = images.cross_entropy(&network, pass);
    assert!(after < before - 1e-3, "{before} {after}");
}
