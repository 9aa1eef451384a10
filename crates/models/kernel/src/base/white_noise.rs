//! The white-noise kernel.

use thrifty_domain::PointsRef;
use thrifty_params::{Param, Parameterized};

use crate::Kernel;

/// White-noise kernel: independent values at different points.
///
/// ```text
/// k(x, y) = 1 if x = y, else 0
/// ```
///
/// The value belongs to the point: two measurements of one point give the same value. Noise that differs between
/// measurements belongs to the observations, not to the kernel. No parameters, any dimension.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct WhiteNoise;

impl Parameterized for WhiteNoise {
    fn params(&self) -> Vec<Param> {
        Vec::new()
    }

    fn set_params(&mut self, values: &[f64]) {
        assert!(values.is_empty(), "white noise has no parameters");
    }
}

impl Kernel for WhiteNoise {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn num_params(&self) -> usize {
        0
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        f64::from(u8::from(x == y))
    }

    fn has_constant_variance(&self) -> bool {
        true
    }

    fn pull_back_pair(&self, _x: &[f64], _y: &[f64], _weight: f64, _grad: &mut [f64]) {}

    fn pull_back_input(&self, _x: &[f64], _y: PointsRef<'_>, _weights: &[f64], _grad: &mut [f64]) {}

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(*self)
    }
}
