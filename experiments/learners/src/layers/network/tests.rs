use thrifty_sampling::Seed;

use super::super::window::{ImageShape, Padding};
use super::*;

/// 4×4 images, convolved with padding and pooled to 2×2, of so many filters.
fn image_layers(filters: usize) -> [Layer; 2] {
    let image = ImageShape { height: 4, width: 4, channels: 1 };
    let conv = Conv2d::new(image, 3, filters, Padding::Same).unwrap();
    [Layer::Conv2d(conv), Layer::MaxPool(MaxPool::new(conv.output(), 2, Padding::Valid).unwrap())]
}

fn loss(network: &Network, rows: &[f32], weights: &[f32], rng: &Stream, pass: &mut Pass) -> f64 {
    let mut network = network.clone();
    let outputs = network.forward(rows, pass, &mut rng.clone());
    // A curved function of the outputs, added up exactly enough for differences.
    outputs
        .iter()
        .zip(weights)
        .map(|(y, w)| f64::from(*w) * (f64::from(*y) + 0.5 * f64::from(*y).powi(2)))
        .sum()
}

/// Slopes along every parameter by differences, with the same neurons dropped each time.
#[test]
fn gradients_match_finite_differences() {
    let norms: [fn(usize) -> Layer; 2] =
        [|width| Layer::NormOfBatch { width }, |width| Layer::NormOfRow { width }];
    let linear = |inputs, outputs| Layer::Linear { inputs, outputs };
    let mut networks = vec![
        vec![linear(3, 5), Layer::Selu, Layer::AlphaDropout { rate: 0.3 }, linear(5, 2)],
        vec![linear(3, 2)],
    ];
    let [conv, pool] = image_layers(3);
    networks.push(vec![linear(3, 16), conv, Layer::Selu, pool, Layer::Dropout { rate: 0.2 }, linear(12, 2)]);
    for norm in norms {
        networks.push(vec![
            linear(3, 4),
            Layer::Open,
            norm(4),
            linear(4, 6),
            Layer::Relu,
            Layer::Dropout { rate: 0.25 },
            linear(6, 4),
            Layer::Dropout { rate: 0.2 },
            Layer::Close,
            Layer::Open,
            norm(4),
            linear(4, 4),
            Layer::Close,
            norm(4),
            Layer::Selu,
            linear(4, 2),
        ]);
    }
    for (id, layers) in networks.into_iter().enumerate() {
        let rng = &mut Seed(5).stream("test", id as u64);
        let mut network = Network::new(layers, Start::Uniform, rng);
        network.parameters.iter_mut().for_each(|p| *p += 0.4 * (rng.uniform() as f32 - 0.5));
        let rows: Vec<f32> = (0..21).map(|_| 2.0 * rng.uniform() as f32 - 1.0).collect();
        let weights: Vec<f32> = (0..14).map(|_| 2.0 * rng.uniform() as f32 - 1.0).collect();
        let mut pass = Pass::default();
        let outputs = network.clone().forward(&rows, &mut pass, &mut rng.clone()).to_vec();
        let slopes: Vec<f32> = outputs.iter().zip(&weights).map(|(y, w)| w * (1.0 + y)).collect();
        let mut gradient = vec![0.0; network.parameters.len()];
        network.backward(&slopes, &pass, &mut gradient);
        let largest = gradient.iter().fold(0.0_f32, |most, g| most.max(g.abs()));
        let step = 4e-3_f32;
        for (p, found) in gradient.into_iter().enumerate() {
            let mut at = |shift: f32| {
                network.parameters[p] += shift;
                let value = loss(&network, &rows, &weights, rng, &mut pass);
                network.parameters[p] -= shift;
                value
            };
            let slope = (at(step) - at(-step)) / f64::from(2.0 * step);
            let error = (slope - f64::from(found)).abs();
            assert!(error < 3e-3 * f64::from(largest), "network {id}, parameter {p}: {slope} {found}");
        }
    }
}

/// Weights of a convolution reach the bound of their kernel, 9 inputs and 9 · 50 outputs; thresholds are 0.
#[test]
fn weights_of_a_convolution_are_uniform() {
    let [conv, pool] = image_layers(50);
    let network = Network::new(vec![conv, pool], Start::Glorot, &mut Seed(0).stream("test", 0));
    let (weights, thresholds) = network.parameters.split_at(450);
    let (least, most) = weights.iter().fold((0.0_f32, 0.0_f32), |(a, b), w| (a.min(*w), b.max(*w)));
    let bound = (6.0_f32 / 459.0).sqrt();
    assert!((0.97 * bound..=bound).contains(&most) && (0.97 * bound..=bound).contains(&-least));
    assert!(thresholds == [0.0; 50] && network.products() == 16 * 500);
}

#[test]
fn one_neuron_by_hand() {
    let layers = vec![Layer::Linear { inputs: 2, outputs: 1 }, Layer::Selu];
    let mut network = Network::new(layers, Start::LeCun, &mut Seed(0).stream("test", 0));
    network.parameters = vec![2.0, -4.0, -1.0];
    let found = network.predict(&[0.6, -0.1, -0.2, 0.4], &mut Pass::default()).to_vec();
    // Inputs 0.6 and -3.
    let negative = f64::from(SELU_SCALE * SELU_ALPHA) * ((-3.0_f64).exp() - 1.0);
    assert!((found[0] - SELU_SCALE * 0.6).abs() < 1e-6 && (f64::from(found[1]) - negative).abs() < 1e-6);
}

/// A block that computes nothing passes its input on.
#[test]
fn blocks_add_their_input() {
    let layers = vec![Layer::Open, Layer::Linear { inputs: 2, outputs: 2 }, Layer::Close];
    let mut network = Network::new(layers, Start::Uniform, &mut Seed(0).stream("test", 0));
    network.parameters.fill(0.0);
    assert_eq!(network.predict(&[1.0, -2.0, 3.0, 4.0], &mut Pass::default()), [1.0, -2.0, 3.0, 4.0]);
    network.parameters[4] = 10.0;
    assert_eq!(network.predict(&[1.0, -2.0], &mut Pass::default()), [11.0, -2.0]);
}

/// Weights of SELU networks keep mean 0 and variance 1 through many layers.
#[test]
fn selu_networks_normalise_themselves() {
    let rng = &mut Seed(1).stream("test", 0);
    let layers = (0..8).flat_map(|_| [Layer::Linear { inputs: 100, outputs: 100 }, Layer::Selu]).collect();
    let network = Network::new(layers, Start::LeCun, rng);
    let rows: Vec<f32> = (0..10_000)
        .map(|_| {
            let normal: f64 = StandardNormal.sample(rng);
            normal as f32
        })
        .collect();
    let mut pass = Pass::default();
    let found: Vec<f64> = network.predict(&rows, &mut pass).iter().map(|y| f64::from(*y)).collect();
    let (mean, std_dev) = crate::moments::mean_and_std_dev(&found);
    assert!(mean.abs() < 0.15 && (std_dev - 1.0).abs() < 0.15, "{mean} {std_dev}");
}

/// Prediction drops nothing, changes nothing and does not look at the other rows.
#[test]
fn predictions_are_row_by_row() {
    let rng = &mut Seed(2).stream("test", 0);
    let layers = vec![
        Layer::Linear { inputs: 2, outputs: 3 },
        Layer::NormOfBatch { width: 3 },
        Layer::Dropout { rate: 0.5 },
        Layer::Linear { inputs: 3, outputs: 1 },
    ];
    let mut network = Network::new(layers, Start::Uniform, rng);
    let rows: Vec<f32> = (0..12).map(|_| rng.uniform() as f32).collect();
    let mut pass = Pass::default();
    network.forward(&rows, &mut pass, rng);
    let before = network.clone();
    let together = network.predict(&rows, &mut pass).to_vec();
    let alone: Vec<f32> = rows.chunks(2).flat_map(|row| network.predict(row, &mut pass).to_vec()).collect();
    assert!(together.iter().zip(&alone).all(|(a, b)| (a - b).abs() < 1e-6));
    assert_eq!(network, before);
}
