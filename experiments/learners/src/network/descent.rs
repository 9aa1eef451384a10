//! Ways of gradient descent.

/// A descent at work.
#[derive(Debug, Clone)]
pub struct Descent {
    rule: Rule,
    rate: f64,
    steps: i32,
    first: Vec<f64>,
    second: Vec<f64>,
}

/// A rule of gradient descent and what it remembers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// v ← μ v - η g, θ ← θ + v.
    Sgd {
        /// μ.
        momentum: f64,
    },
    /// Source: Kingma & Ba (2015), algorithm 1, with β = 0.9 and 0.999.
    Adam,
    /// θ ← θ - η g / √(running mean of g²), mean over about ten steps. Source: Tieleman & Hinton (2012).
    RmsProp,
}

/// Keeps ratios finite where gradients vanish.
const EPSILON: f64 = 1e-8;

impl Descent {
    /// A descent from rest, with learning rate η.
    pub fn new(rule: Rule, rate: f64, parameters: usize) -> Self {
        Self { rule, rate, steps: 0, first: vec![0.0; parameters], second: vec![0.0; parameters] }
    }

    /// Moves the parameters against their gradient.
    pub fn step(&mut self, parameters: &mut [f64], gradient: &[f64]) {
        self.steps = self.steps.saturating_add(1);
        let rate = self.rate;
        let memory = self.first.iter_mut().zip(&mut self.second);
        let all = parameters.iter_mut().zip(gradient).zip(memory);
        match self.rule {
            Rule::Sgd { momentum } => all.for_each(|((p, g), (v, _))| {
                *v = momentum * *v - rate * g;
                *p += *v;
            }),
            Rule::Adam => {
                let (a, b) = (1.0 - 0.9_f64.powi(self.steps), 1.0 - 0.999_f64.powi(self.steps));
                all.for_each(|((p, g), (m, v))| {
                    *m = 0.9 * *m + 0.1 * g;
                    *v = 0.999 * *v + 0.001 * g * g;
                    *p -= rate * (*m / a) / ((*v / b).sqrt() + EPSILON);
                });
            }
            Rule::RmsProp => all.for_each(|((p, g), (_, v))| {
                *v = 0.9 * *v + 0.1 * g * g;
                *p -= rate * g / (v.sqrt() + EPSILON);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_finds_the_bottom_of_a_bowl() {
        for rule in [Rule::Sgd { momentum: 0.0 }, Rule::Sgd { momentum: 0.9 }, Rule::Adam, Rule::RmsProp] {
            let mut at = vec![3.0, -2.0];
            let mut descent = Descent::new(rule, 0.01, 2);
            for _ in 0..3000 {
                let gradient = [2.0 * (at[0] - 1.0), 20.0 * (at[1] - 0.5)];
                descent.step(&mut at, &gradient);
            }
            assert!((at[0] - 1.0).abs() < 0.02 && (at[1] - 0.5).abs() < 0.02, "{rule:?} {at:?}");
        }
    }

    /// Adam's first step is the rate, whatever the size of the gradient.
    #[test]
    fn first_steps() {
        let step = |rule, g: f64| {
            let mut at = [0.0];
            Descent::new(rule, 0.1, 1).step(&mut at, &[g]);
            at[0]
        };
        assert!((step(Rule::Adam, 50.0) + 0.1).abs() < 1e-9);
        assert_eq!(step(Rule::Sgd { momentum: 0.5 }, 2.0), -0.2);
        assert!((step(Rule::RmsProp, 4.0) + 0.1 / 0.1_f64.sqrt()).abs() < 1e-6);
    }
}
