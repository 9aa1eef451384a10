//! A kernel from outside in a Gaussian process: only what the trait asks for, composed and learnt.

use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpError, GpSettings, Noise};
use thrifty_kernel::{Kernel, Linear, Periodic, kernel_operators};
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;
use thrifty_surrogate::{Posterior, Prediction};

/// Cauchy kernel: `k(x, y) = 1 / (1 + ‖x - y‖² / ℓ²)`.
#[derive(Debug, Clone)]
struct Cauchy {
    lengthscale: Param,
}

kernel_operators!(Cauchy);

impl Cauchy {
    fn new(lengthscale: f64) -> Self {
        let prior = Prior::Gamma { shape: 2.0, rate: 2.0 };
        Self { lengthscale: Param::positive("lengthscale", lengthscale, 0.05, 20.0).with_prior(Some(prior)) }
    }
}

impl Parameterized for Cauchy {
    fn params(&self) -> Vec<Param> {
        vec![self.lengthscale.clone()]
    }

    fn set_params(&mut self, values: &[f64]) {
        assert_eq!(values.len(), 1, "one lengthscale");
        self.lengthscale.value = values[0];
    }
}

impl Kernel for Cauchy {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn num_params(&self) -> usize {
        1
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let l = self.lengthscale.value;
        1.0 / (1.0 + x.iter().zip(y).map(|(x, y)| ((x - y) / l).powi(2)).sum::<f64>())
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let k = self.eval(x, y);
        grad[0] += weight * 2.0 * k * (1.0 - k) / self.lengthscale.value;
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, w) in y.rows().zip(weights) {
            let slope = -2.0 * w * (self.eval(x, y) / self.lengthscale.value).powi(2);
            grad.iter_mut().zip(x).zip(y).for_each(|((slot, x), y)| *slot += slope * (x - y));
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

/// A trend and a season of known period.
fn truth(x: f64) -> f64 {
    2.0 * x + (std::f64::consts::TAU * x / 0.25).sin()
}

fn settings() -> GpSettings {
    GpSettings { normalize_inputs: false, noise: Noise::Fixed(1e-6), restarts: 3, ..GpSettings::default() }
}

fn data() -> (Points, Vec<f64>) {
    // Denser than the season but not in step with it.
    let x: Vec<f64> = (0..17).map(|i| f64::from(i) * 0.0618).collect();
    let y = x.iter().copied().map(truth).collect();
    (Points::from_flat(x, 1), y)
}

#[test]
fn a_composed_kernel_from_outside_is_learnt() -> Result<(), GpError> {
    let (x, y) = data();
    let season = Periodic::new(vec![1.0], 0.25).expect("positive").with_fixed_period();
    let kernel = 0.5 * Cauchy::new(1.0) * season + 0.5 * Linear::new(vec![1.0]).expect("positive");
    let learnt = Gp::new(kernel.clone()).with_settings(settings()).fit(
        x.as_ref(),
        &y,
        &mut Seed(1).stream("fit", 0),
    )?;
    let as_given = Gp::new(kernel.clone()).with_settings(settings()).condition(x.as_ref(), &y)?;
    assert!(learnt.log_likelihood() > as_given.log_likelihood() + 1.0);
    for (value, param) in learnt.hyperparameters().iter().zip(kernel.params()) {
        assert!(param.low <= *value && *value <= param.high, "{} is {value}", param.name);
    }
    // Two seasons past the data, where a kernel without them returns to the prior mean.
    let Prediction { mean, variance } = learnt.predict(&[1.3]);
    assert!((mean - truth(1.3)).abs() < 0.3, "{mean} ± {variance} against {}", truth(1.3));
    Ok(())
}

/// A warm start beside bounds in the wrong order is refused, with the parameter named, and does not panic.
#[test]
fn bounds_in_the_wrong_order_are_refused() -> Result<(), GpError> {
    let (x, y) = data();
    let mut kernel = Cauchy::new(0.3);
    (kernel.lengthscale.low, kernel.lengthscale.high) = (20.0, 0.05);
    let process = Gp::new(kernel).with_settings(settings());
    // Without a warm start the bounds are not used.
    let warm = process.condition(x.as_ref(), &y)?.hyperparameters();
    let Err(error) = process.warm_started(warm).condition(x.as_ref(), &y) else {
        panic!("bounds in the wrong order")
    };
    assert!(error.to_string().contains("lengthscale is 0.3, expected a value in [20, 0.05]"), "{error}");
    Ok(())
}

/// Behind a pointer the same numbers come out, to the last bit.
#[test]
fn a_pointer_changes_nothing() -> Result<(), GpError> {
    let (x, y) = data();
    let kernel = Cauchy::new(0.3) + 0.1 * Cauchy::new(3.0);
    let fit = |rng: u64| (settings(), Seed(rng).stream("fit", 0));
    let (own, mut rng) = fit(2);
    let typed = Gp::new(kernel.clone()).with_settings(own).fit(x.as_ref(), &y, &mut rng)?;
    let (own, mut rng) = fit(2);
    let boxed: Box<dyn Kernel> = Box::new(kernel);
    let boxed = Gp::new(boxed).with_settings(own).fit(x.as_ref(), &y, &mut rng)?;
    assert_eq!(typed.predict(&[0.47]), boxed.predict(&[0.47]));
    Ok(())
}
