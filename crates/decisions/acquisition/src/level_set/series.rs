//! Chebyshev series of expected gains in the correlation with an observation.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use std::f64::consts::PI;

use thrifty_simd::{VectorLoop, dispatch, fma};

use super::expected_reduction::PointState;

/// Number of terms of a series.
const TERMS: usize = 24;

/// Number of points that are processed together in one vector.
const LANES: usize = 8;

/// Gains `w q(w)`, `w = 1 - √((1 - ρ)/(1 + ρ))`, at many points; for each point a Chebyshev series of q in w on [0, 1].
///
/// As a function of w a gain is smooth at both ends; as a function of ρ it has a root at 1. The factor w keeps the relative accuracy of
/// small gains.
#[derive(Debug, Clone, Default)]
pub(super) struct GainSeries {
    /// Coefficients per block of points, per term and per point of the block.
    blocks: Vec<[[f64; LANES]; TERMS]>,
}

/// w of ρ, without cancellation at small ρ.
#[inline(always)]
pub(super) fn width(rho: f64) -> f64 {
    let a = ((1.0 - rho) / (1.0 + rho)).sqrt();
    2.0 * rho / ((1.0 + rho) * (1.0 + a))
}

/// ρ of w: `(1 - a²)/(1 + a²)`.
pub(super) fn explained(w: f64) -> f64 {
    let a = 1.0 - w;
    w * (2.0 - w) / (1.0 + a * a)
}

/// The Chebyshev nodes of [0, 1], largest first.
fn node(k: usize) -> f64 {
    let half = (PI * (k as f64 + 0.5) / (2 * TERMS) as f64).cos();
    half * half
}

impl GainSeries {
    /// Series of the function `q(point, w)` at each of these points.
    pub(super) fn of(seen: &[PointState], q: impl Fn(PointState, f64) -> f64) -> Self {
        let mut blocks = vec![[[0.0; LANES]; TERMS]; seen.len().div_ceil(LANES)];
        let cosines: Vec<f64> = (0..4 * TERMS).map(|k| (PI * k as f64 / (2 * TERMS) as f64).cos()).collect();
        for (j, seen) in seen.iter().enumerate() {
            let values: [f64; TERMS] = std::array::from_fn(|k| q(*seen, node(k)));
            for (term, slot) in blocks[j / LANES].iter_mut().enumerate() {
                let each = values.iter().enumerate();
                let sum: f64 = each.map(|(k, v)| v * cosines[term * (2 * k + 1) % (4 * TERMS)]).sum();
                slot[j % LANES] = sum * if term == 0 { 1.0 } else { 2.0 } / TERMS as f64;
            }
        }
        Self { blocks }
    }

    /// The weighted sum of all gains.
    pub(super) fn sum(&self, weights: &[f64], explained: &[f64]) -> f64 {
        debug_assert_eq!(weights.len().div_ceil(LANES), self.blocks.len());
        dispatch(Sum { blocks: &self.blocks, weights, explained })
    }
}

struct Sum<'a> {
    blocks: &'a [[[f64; LANES]; TERMS]],
    weights: &'a [f64],
    explained: &'a [f64],
}

impl VectorLoop for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let mut sums = [0.0; LANES];
        let points = self.weights.chunks(LANES).zip(self.explained.chunks(LANES));
        for (series, (weights, explained)) in self.blocks.iter().zip(points) {
            let (mut weight, mut rho) = ([0.0; LANES], [0.0; LANES]);
            weight[..weights.len()].copy_from_slice(weights);
            rho[..explained.len()].copy_from_slice(explained);
            let w = rho.map(width);
            // Clenshaw recurrence in x = 2w - 1, for all lanes together.
            let (mut now, mut before) = ([0.0; LANES], [0.0; LANES]);
            for term in series[1..].iter().rev() {
                for lane in 0..LANES {
                    let next = fma::<FMA>(4.0 * w[lane] - 2.0, now[lane], term[lane] - before[lane]);
                    before[lane] = now[lane];
                    now[lane] = next;
                }
            }
            for lane in 0..LANES {
                let q = fma::<FMA>(2.0 * w[lane] - 1.0, now[lane], series[0][lane] - before[lane]);
                sums[lane] = fma::<FMA>(weight[lane] * w[lane], q, sums[lane]);
            }
        }
        sums.iter().sum()
    }
}
