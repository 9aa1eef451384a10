//! A function apart from its value at the optimum.

/// Value above the optimum.
type Excess = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// A function whose smallest value is 0, and where it is.
pub(super) struct Shape {
    pub(super) optimizer: Vec<f64>,
    excess: Excess,
}

impl Shape {
    pub(super) fn new(optimizer: Vec<f64>, excess: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self { optimizer, excess: Box::new(excess) }
    }

    /// Shape whose excess depends on `x - optimizer`.
    pub(super) fn centered(
        optimizer: Vec<f64>,
        excess: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let center = optimizer.clone();
        Self::new(optimizer, move |x| excess(&super::transform::minus(x, &center)))
    }

    /// Shape with a penalty outside of [-5, 5].
    pub(super) fn penalized(self, weight: f64) -> Self {
        let Self { optimizer, excess } = self;
        Self::new(optimizer, move |x| excess(x) + weight * super::transform::penalty(5.0, x))
    }

    /// Value above the optimum.
    pub(super) fn excess(&self, x: &[f64]) -> f64 {
        (self.excess)(x)
    }
}
