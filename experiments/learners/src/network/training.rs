//! Training of a network.

use thrifty_domain::Points;
use thrifty_sampling::Stream;

use super::{Dense, Descent, Loss, Pass, Rule};

/// Settings of training: so many times through all rows, in a new order each time, a step for every batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// Loss of an output against its target.
    pub loss: Loss,
    /// Rule of gradient descent.
    pub rule: Rule,
    /// Learning rate.
    pub rate: f64,
    /// Rows of a step.
    pub batch: usize,
    /// Times through all rows.
    pub epochs: usize,
}

/// Inputs and what should come out, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    /// Inputs.
    pub x: Points,
    /// Outputs.
    pub targets: Points,
}

/// Operations of a step of descent for each parameter, square root and quotients counted as one.
pub const STEP: f64 = 12.0;

impl Training {
    /// Trains a network from where it is. A descent that runs away leaves numbers that are not finite.
    ///
    /// The result is the work by count: two operations a weight forward, four backward, and those of the steps.
    pub fn fit(&self, network: &mut Dense, examples: &Examples, rng: &mut Stream) -> f64 {
        let Examples { x, targets } = examples;
        let parameters = network.parameters.len();
        let (mut descent, mut pass) = (Descent::new(self.rule, self.rate, parameters), Pass::default());
        let (mut rows, mut wanted, mut slopes) = (Vec::new(), Vec::new(), Vec::new());
        let mut gradient = vec![0.0; parameters];
        let mut order: Vec<usize> = (0..x.len()).collect();
        let mut steps = 0;
        for _ in 0..self.epochs {
            rng.shuffle(&mut order);
            for batch in order.chunks(self.batch.max(1)) {
                rows.clear();
                wanted.clear();
                for &row in batch {
                    rows.extend_from_slice(x.row(row));
                    wanted.extend_from_slice(targets.row(row));
                }
                let outputs = network.forward(&rows, &mut pass);
                self.loss.slopes(outputs, &wanted, targets.dim(), &mut slopes);
                gradient.fill(0.0);
                network.backward(&slopes, &mut pass, &mut gradient);
                descent.step(&mut network.parameters, &gradient);
                steps += 1;
            }
        }
        let seen = (self.epochs * x.len()) as f64;
        parameters as f64 * (6.0 * seen + STEP * f64::from(steps))
    }

    /// The loss on examples.
    pub fn on(&self, network: &Dense, examples: &Examples, pass: &mut Pass) -> f64 {
        let outputs = network.forward(examples.x.as_flat(), pass);
        self.loss.value(outputs, examples.targets.as_flat(), examples.targets.dim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Initializer};
    use thrifty_sampling::Seed;

    /// A corner in the plane, which a linear classifier cannot learn.
    #[test]
    fn a_small_network_learns_a_corner() {
        let rng = &mut Seed(5).stream("test", 0);
        let mut examples = Examples { x: Points::new(2), targets: Points::new(2) };
        for _ in 0..400 {
            let point = [2.0 * rng.uniform() - 1.0, 2.0 * rng.uniform() - 1.0];
            let class = f64::from(u8::from(point[0] > 0.0 && point[1] > 0.0));
            examples.x.push(&point);
            examples.targets.push(&[1.0 - class, class]);
        }
        let start = Dense::new(&[2, 12, 2], Activation::Relu, Initializer::HeNormal, rng);
        let training =
            Training { loss: Loss::CrossEntropy, rule: Rule::Adam, rate: 0.02, batch: 20, epochs: 30 };
        let on = |network: &Dense| training.on(network, &examples, &mut Pass::default());
        let mut network = start.clone();
        let work = training.fit(&mut network, &examples, rng);
        assert!(on(&network) < 0.1 && on(&start) > 0.3, "{} {}", on(&start), on(&network));
        assert_eq!(work, 62.0 * (6.0 * 12_000.0 + 12.0 * 600.0));
    }
}
