//! Gallagher's Gaussian peaks, f21 and f22 of `hansen2009`.

use super::matrix::Matrix;
use super::random;
use super::shape::Shape;
use super::transform::{oscillate, share};

/// Largest condition of a peak.
const CONDITION: f64 = 1000.0;

/// A peak: its height, its centre after the rotation, and the weight of each rotated variable.
struct Peak {
    height: f64,
    center: Vec<f64>,
    weights: Vec<f64>,
}

impl Peak {
    /// `height exp(-1/(2 d) Σ weight_j (z_j - center_j)²)`.
    fn value(&self, z: &[f64]) -> f64 {
        let terms = self.weights.iter().zip(&self.center).zip(z).map(|((w, c), z)| w * (z - c).powi(2));
        self.height * (-0.5 / z.len() as f64 * terms.sum::<f64>()).exp()
    }
}

/// Number of peaks with the width of the box of their places and the condition of the highest.
pub(super) struct Peaks {
    count: usize,
    width: f64,
    condition: f64,
}

impl Peaks {
    /// f21: 101 peaks in [-5, 5], the highest of condition √1000.
    pub(super) fn hundred() -> Self {
        Self { count: 101, width: 10.0, condition: CONDITION.sqrt() }
    }

    /// f22: 21 peaks in [-4.9, 4.9], the highest of condition 1000.
    pub(super) fn twenty() -> Self {
        Self { count: 21, width: 9.8, condition: CONDITION }
    }

    /// Condition of a peak: 1000 to a power from 0 to 1 that no other has, apart from the highest.
    fn conditions(&self, seed: u64) -> Vec<f64> {
        let last = (self.count - 2) as f64;
        let others = random::ranking(self.count - 1, seed);
        let others = others.into_iter().map(|rank| CONDITION.powf(rank as f64 / last));
        std::iter::once(self.condition).chain(others).collect()
    }

    /// Function of the peaks of an instance: `T_osz(10 - max_k peak_k(R x))²`.
    ///
    /// The highest peak, of height 10, is in the inner four fifths of the box; the others have heights from 1.1 to 9.1.
    pub(super) fn shape(&self, seed: u64, dim: usize) -> Shape {
        let rotation = Matrix::rotation(seed, dim);
        let places = random::uniform(dim * self.count, seed);
        let place = |u: &f64| self.width * u - 0.5 * self.width;
        let optimizer: Vec<f64> = places[..dim].iter().map(|u| 0.8 * place(u)).collect();
        let mut peaks = Vec::with_capacity(self.count);
        for (k, condition) in self.conditions(seed).into_iter().enumerate() {
            let order = random::ranking(dim, seed + 1000 * k as u64);
            let center = if k == 0 {
                optimizer.clone()
            } else {
                places[k * dim..(k + 1) * dim].iter().map(place).collect()
            };
            peaks.push(Peak {
                height: if k == 0 { 10.0 } else { 1.1 + 8.0 * (k - 1) as f64 / (self.count - 2) as f64 },
                center: rotation.apply(&center),
                weights: order.into_iter().map(|rank| condition.powf(share(rank, dim) - 0.5)).collect(),
            });
        }
        Shape::new(optimizer, move |x| {
            let z = rotation.apply(x);
            let highest = peaks.iter().map(|peak| peak.value(&z)).fold(0.0, f64::max);
            oscillate(10.0 - highest).powi(2)
        })
    }
}
