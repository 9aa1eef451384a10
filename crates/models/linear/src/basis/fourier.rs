//! Fourier basis.

use std::f64::consts::TAU;

use super::Basis;

/// 1, then cosines and sines of each variable up to an order.
///
/// ```text
/// cos(2π k x_d / P), sin(2π k x_d / P),   k = 1 … order
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Fourier {
    dim: usize,
    order: usize,
    period: f64,
}

impl Fourier {
    /// Waves with `period` and its integer parts; with a period of 2 a function on the unit cube need not be periodic.
    #[must_use]
    pub fn new(dim: usize, order: usize, period: f64) -> Self {
        Self { dim, order, period }
    }
}

impl Basis for Fourier {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        1 + 2 * self.dim * self.order
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
        let waves = x.iter().flat_map(|x| (1..=self.order).map(move |k| TAU * k as f64 * x / self.period));
        for (pair, phase) in out[1..].chunks_exact_mut(2).zip(waves) {
            pair.copy_from_slice(&[phase.cos(), phase.sin()]);
        }
    }

    fn gradient_into(&self, x: &[f64], out: &mut [f64]) -> bool {
        out.fill(0.0);
        for d in 0..self.dim {
            for k in 1..=self.order {
                let frequency = TAU * k as f64 / self.period;
                let (at, phase) = (1 + 2 * (d * self.order + k - 1), frequency * x[d]);
                out[at * self.dim + d] = -frequency * phase.sin();
                out[(at + 1) * self.dim + d] = frequency * phase.cos();
            }
        }
        true
    }

    fn name(&self) -> String {
        format!("fourier of order {} and period {} in {} variables", self.order, self.period, self.dim)
    }
}
