//! Adam in single precision.

/// Adam with decoupled decay of the weights. Source: Kingma & Ba (2015) and Loshchilov & Hutter (2019).
pub(super) struct AdamW {
    first: Vec<f32>,
    second: Vec<f32>,
    steps: i32,
}

impl AdamW {
    /// An optimiser that has not made a step.
    pub(super) fn new(parameters: usize) -> Self {
        Self { first: vec![0.0; parameters], second: vec![0.0; parameters], steps: 0 }
    }

    /// Moves the parameters against their gradient.
    pub(super) fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f64, decay: f64) {
        self.steps = self.steps.saturating_add(1);
        let (a, b) = (1.0 - 0.9_f64.powi(self.steps), 1.0 - 0.999_f64.powi(self.steps));
        let (length, root, kept) = ((rate / a) as f32, b.sqrt() as f32, (1.0 - rate * decay) as f32);
        let memory = self.first.iter_mut().zip(&mut self.second);
        for ((p, g), (m, v)) in parameters.iter_mut().zip(gradient).zip(memory) {
            *m += 0.1 * (g - *m);
            *v += 0.001 * (g * g - *v);
            *p = kept * *p - length * *m / (v.sqrt() / root + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_steps_of_adam_with_decay() {
        let mut at = [3.0, 3.0];
        let mut descent = AdamW::new(2);
        descent.step(&mut at, &[50.0, -0.001], 0.1, 0.5);
        // 3 (1 - 0.05), then a step of the rate whatever the length of the gradient.
        assert!((at[0] - 2.75).abs() < 1e-5 && (at[1] - 2.95).abs() < 1e-5, "{at:?}");
    }
}
