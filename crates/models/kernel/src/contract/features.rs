//! The law of random features.

use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;

use super::gradients::weight;
use super::violation::{Law, Violation, close};
use crate::{Features, Kernel};

/// Number of random features.
const COUNT: usize = 4000;

/// Number of features that decide where `COUNT` of them give another mean than the kernel.
///
/// Products can be nearly constant except for one in thousands. A few thousand may hold none of those, and then both the mean
/// and its standard error are wrong. A defect stays with more features, while the standard error falls to an eighth.
const DECIDING: usize = 64 * COUNT;

/// Points whose products with the first are averaged.
const POINTS: usize = 5;

/// Standard errors that a mean product may be off, and the rounding beside them.
const STANDARD_ERRORS: f64 = 5.0;
const ROUNDING: f64 = 1e-12;

/// Steps of differences, from the one with the least rounding. Frequencies of rough kernels have heavy tails (those of Matérn 1/2 are Cauchy): most
/// are below a million, one in a hundred million draws is above 1e8, and there the first step is no longer far below the wavelength.
const STEPS: [f64; 3] = [1e-8, 1e-10, 1e-12];

/// Tolerance of slopes per feature.
const SLOPE: f64 = 1e-4;

/// A kernel that falls by more than this share within `NEAR` jumps there.
const JUMP: f64 = 0.01;
const NEAR: f64 = 1e-6;

/// See [`Law::Features`].
pub(super) fn law(kernel: &dyn Kernel, x: PointsRef<'_>, rng: &mut Stream) -> Result<(), Violation> {
    let count = COUNT;
    let law = Law::Features;
    let Some(features) = kernel.features(count, rng) else { return Ok(()) };
    let counts = (features.count() as f64, count as f64);
    close(counts, 0.0, law, || "the number of features".into(), &[])?;
    if means(kernel, &*features, x).is_err()
        && let Some(more) = kernel.features(DECIDING, rng)
    {
        means(kernel, &*more, x)?;
    }
    let origin = x.row(0);
    let weights: Vec<f64> = (0..count).map(|f| weight(f, 0)).collect();
    let total = |x: &[f64]| {
        let mut out = vec![0.0; count];
        features.eval_into(x, &mut out);
        out.iter().zip(&weights).map(|(o, w)| o * w).sum::<f64>()
    };
    let mut gradient = vec![0.5; x.dim()];
    features.pull_back(origin, &weights, &mut gradient);
    for d in 0..x.dim() {
        let at = |offset: f64| {
            let mut moved = origin.to_vec();
            moved[d] += offset;
            total(&moved)
        };
        let mut near = origin.to_vec();
        near[d] += NEAR;
        let drop = 1.0 - kernel.eval(origin, &near) / kernel.eval(origin, origin);
        if drop > JUMP {
            // A moved level is another level: the functions jump here and have no slope.
            continue;
        }
        let quantity = || format!("∂/∂x[{d}] of a weighted sum of features");
        let holds = |step: f64| {
            let slope = (at(step) - at(-step)) / (2.0 * step);
            close((gradient[d] - 0.5, slope), SLOPE * count as f64, law, quantity, &[origin])
        };
        let [first, finer, finest] = STEPS;
        holds(first).or_else(|violation| holds(finer).or_else(|_| holds(finest)).map_err(|_| violation))?;
    }
    Ok(())
}

/// The mean product of features at the first point and at each of the next is the covariance.
fn means(kernel: &dyn Kernel, features: &dyn Features, x: PointsRef<'_>) -> Result<(), Violation> {
    let (count, origin) = (features.count(), x.row(0));
    let (mut first, mut other) = (vec![0.0; count], vec![0.0; count]);
    features.eval_into(origin, &mut first);
    for y in x.rows().take(POINTS) {
        features.eval_into(y, &mut other);
        let products: Vec<f64> = first.iter().zip(&other).map(|(a, b)| a * b).collect();
        let mean = products.iter().sum::<f64>() / count as f64;
        let variance = products.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / count as f64;
        let bound = STANDARD_ERRORS * (variance / count as f64).sqrt() + ROUNDING * (1.0 + mean.abs());
        let value = kernel.eval(origin, y);
        let within = (mean - value).abs() <= bound;
        if !within {
            let quantity = format!("the mean product of {count} features, to {bound},");
            return Err(Violation::new(Law::Features, quantity, mean, value, &[origin, y]));
        }
    }
    Ok(())
}
