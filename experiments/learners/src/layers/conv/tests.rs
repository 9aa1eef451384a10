use proptest::prelude::*;
use thrifty_sampling::{Seed, Stream};

use super::*;

const fn image(height: usize, width: usize, channels: usize) -> ImageShape {
    ImageShape { height, width, channels }
}

fn forward(conv: &Conv2d, x: &[f32], parameters: &[f32]) -> Vec<f32> {
    let mut y = Vec::new();
    conv.forward(x, parameters, &mut y);
    y
}

#[test]
fn one_filter_by_hand() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let parameters = [1.0, 10.0, 100.0, 1000.0, 0.5];
    let conv = Conv2d::new(image(3, 3, 1), 2, 1, Padding::Valid).unwrap();
    // The kernel is not turned round: its first weight meets the first pixel.
    assert_eq!(forward(&conv, &x, &parameters), [5421.5, 6532.5, 8754.5, 9865.5]);
    let conv = Conv2d::new(image(3, 3, 1), 2, 1, Padding::Same).unwrap();
    let expected = [5421.5, 6532.5, 603.5, 8754.5, 9865.5, 906.5, 87.5, 98.5, 9.5];
    assert_eq!(forward(&conv, &x, &parameters), expected);
}

#[test]
fn channels_and_filters_by_hand() {
    let conv = Conv2d::new(image(1, 2, 2), 1, 3, Padding::Valid).unwrap();
    assert_eq!((conv.output(), conv.inputs(), conv.fan_out()), (image(1, 2, 3), 2, 3));
    // Weights of the first channel, of the second, thresholds.
    let parameters = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0, 0.0, 0.5, -1.0];
    assert_eq!(forward(&conv, &[1.0, 2.0, 3.0, 4.0], &parameters), [21.0, 42.5, 62.0, 43.0, 86.5, 128.0]);
}

/// A kernel as large as the image is a linear layer.
#[test]
fn a_kernel_as_large_as_the_image() {
    let conv = Conv2d::new(image(3, 3, 2), 3, 1, Padding::Valid).unwrap();
    let x: Vec<f32> = (0..18).map(|v| v as f32).collect();
    let mut parameters = x.clone();
    parameters.push(2.0);
    assert_eq!(conv.output(), image(1, 1, 1));
    // Σ v² for v below 18 is 1785.
    assert_eq!(forward(&conv, &x, &parameters), [1787.0]);
}

#[test]
fn impossible_convolutions_are_refused() {
    assert!(Conv2d::new(image(3, 3, 1), 4, 1, Padding::Valid).is_err());
    assert!(Conv2d::new(image(3, 3, 1), 4, 1, Padding::Same).is_ok());
    let error = Conv2d::new(image(3, 3, 1), 3, 0, Padding::Valid).unwrap_err();
    assert_eq!(error.to_string(), "a convolution with 0 filters, expected at least one");
}

#[test]
#[should_panic(expected = "10 values, expected images of 9")]
fn parts_of_images_are_refused() {
    let conv = Conv2d::new(image(3, 3, 1), 3, 1, Padding::Valid).unwrap();
    forward(&conv, &[0.0; 10], &[0.0; 10]);
}

/// A layer with a batch, of which some are more than one block.
#[derive(Debug)]
struct Case {
    conv: Conv2d,
    x: Vec<f32>,
    parameters: Vec<f32>,
    /// Slopes of the loss, which is linear in the outputs: its differences have no error but that of rounding.
    weights: Vec<f32>,
}

fn draw(count: usize, rng: &mut Stream) -> Vec<f32> {
    (0..count).map(|_| 2.0 * rng.uniform() as f32 - 1.0).collect()
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (1..6_usize, 1..6_usize, 1..4_usize);
    (shape, 1..5_usize, 1..5_usize, any::<bool>(), 1..4_usize, any::<u64>()).prop_filter_map(
        "a kernel that does not fit",
        |((height, width, channels), kernel, filters, is_same, batch, seed)| {
            let padding = if is_same { Padding::Same } else { Padding::Valid };
            let conv = Conv2d::new(image(height, width, channels), kernel, filters, padding).ok()?;
            let rng = &mut Seed(seed).stream("test", 0);
            let x = draw(batch * height * width * channels, rng);
            let parameters = draw((conv.inputs() + 1) * filters, rng);
            let weights = draw(batch * conv.output().values(), rng);
            Some(Case { conv, x, parameters, weights })
        },
    )
}

impl Case {
    fn loss(&self, x: &[f32], parameters: &[f32]) -> f64 {
        let y = forward(&self.conv, x, parameters);
        y.iter().zip(&self.weights).map(|(y, w)| f64::from(*y) * f64::from(*w)).sum()
    }

    /// Differences of the loss along every number of `at`.
    fn differences(at: &[f32], loss: impl Fn(&[f32]) -> f64) -> Vec<f64> {
        let along = |p: usize| {
            let shifted = |step: f32| {
                let mut at = at.to_vec();
                at[p] += step;
                loss(&at)
            };
            shifted(0.5) - shifted(-0.5)
        };
        (0..at.len()).map(along).collect()
    }
}

fn is_close(found: &[f32], expected: &[f64]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(f, e)| (f64::from(*f) - e).abs() < 1e-4 * (1.0 + e.abs()))
}

proptest! {
    #[test]
    fn gradients_match_finite_differences(case in cases()) {
        let Case { conv, x, parameters, weights } = &case;
        let (mut sums, mut before) = (vec![0.0; parameters.len()], vec![0.0; x.len()]);
        conv.backward(x, parameters, weights, &mut sums, Some(&mut before));
        let of_parameters = Case::differences(parameters, |parameters| case.loss(x, parameters));
        prop_assert!(is_close(&sums, &of_parameters), "{sums:?} {of_parameters:?}");
        let of_inputs = Case::differences(x, |x| case.loss(x, parameters));
        prop_assert!(is_close(&before, &of_inputs), "{before:?} {of_inputs:?}");
        // The slopes of the parameters do not depend on whether those of the inputs are asked for.
        let mut alone = vec![0.0; parameters.len()];
        conv.backward(x, parameters, weights, &mut alone, None);
        prop_assert_eq!(alone, sums);
    }

    /// The definition, summed one product at a time.
    #[test]
    fn outputs_are_those_of_the_definition(case in cases()) {
        let Case { conv, x, parameters, .. } = &case;
        let (input, output) = (conv.windows.input(), conv.output());
        let kernel = (conv.inputs() / input.channels).isqrt();
        let before = if output.height == input.height { (kernel - 1) / 2 } else { 0 };
        let found = forward(conv, x, parameters);
        for (at, found) in found.iter().enumerate() {
            let (n, f) = (at / output.values(), at % output.channels);
            let (r, c) = (at / (output.width * output.channels) % output.height, at / output.channels % output.width);
            let mut expected = f64::from(parameters[conv.inputs() * output.channels + f]);
            for (i, j) in (0..kernel).flat_map(|i| (0..kernel).map(move |j| (i, j))) {
                let (y, z) = ((r + i).wrapping_sub(before), (c + j).wrapping_sub(before));
                if y < input.height && z < input.width {
                    for m in 0..input.channels {
                        let weight = parameters[((i * kernel + j) * input.channels + m) * output.channels + f];
                        let value = x[n * input.values() + (y * input.width + z) * input.channels + m];
                        expected += f64::from(weight) * f64::from(value);
                    }
                }
            }
            prop_assert!((f64::from(*found) - expected).abs() < 1e-4, "{found} {expected} at {at}");
        }
    }
}

/// Images that fill several blocks have the outputs and slopes of each image alone.
#[test]
fn blocks_do_not_show() {
    let conv = Conv2d::new(image(12, 12, 3), 3, 2, Padding::Same).unwrap();
    let rng = &mut Seed(3).stream("test", 0);
    let (x, parameters) = (draw(11 * 432, rng), draw(56, rng));
    let delta = draw(11 * 288, rng);
    assert!(x.len() > 2 * conv.block(&x) && !x.len().is_multiple_of(conv.block(&x)));
    let alone: Vec<f32> = x.chunks(432).flat_map(|image| forward(&conv, image, &parameters)).collect();
    assert_eq!(forward(&conv, &x, &parameters), alone);
    let (mut sums, mut before) = (vec![0.0; 56], vec![0.0; x.len()]);
    conv.backward(&x, &parameters, &delta, &mut sums, Some(&mut before));
    let mut added = vec![0.0; 56];
    for ((x, delta), before) in x.chunks(432).zip(delta.chunks(288)).zip(before.chunks(432)) {
        let mut own = vec![0.0; 432];
        conv.backward(x, &parameters, delta, &mut added, Some(&mut own));
        assert_eq!(own, before);
    }
    assert!(added.iter().zip(&sums).all(|(a, b)| (a - b).abs() < 1e-3));
}
