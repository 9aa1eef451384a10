//! Surrogates: one of one's own, a forest and linear regression in Bayesian optimisation, and measurements with noise.

use std::error::Error;

use thrifty::domain::{Domain, Points, PointsRef};
use thrifty::linear::{LinearSurrogate, Polynomial};
use thrifty::prelude::*;
use thrifty::sampling::Stream;
use thrifty::surrogate::{
    Description, FittedSurrogate, Observations, Posterior, Surrogate, SurrogateError, contract,
};
use thrifty::trees::ForestSurrogate;

/// Inverse-distance weighting: a weighted mean of the targets, with the weighted variance around it.
#[derive(Clone)]
struct InverseDistance {
    power: f64,
}

struct Weighted {
    x: Points,
    y: Vec<f64>,
    power: f64,
}

impl Posterior for Weighted {
    fn dim(&self) -> usize {
        self.x.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        for (i, at) in x.rows().enumerate() {
            let distance = |row: &[f64]| row.iter().zip(at).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let weights: Vec<f64> =
                self.x.rows().map(|row| (distance(row) + 1e-9).powf(-self.power)).collect();
            let total: f64 = weights.iter().sum();
            mean[i] = weights.iter().zip(&self.y).map(|(w, y)| w * y).sum::<f64>() / total;
            variance[i] =
                weights.iter().zip(&self.y).map(|(w, y)| w * (y - mean[i]).powi(2)).sum::<f64>() / total;
        }
    }
}

impl FittedSurrogate for Weighted {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        Vec::new()
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let (mut points, mut targets) = (self.x.clone(), self.y.clone());
        points.push(x);
        targets.push(y);
        Ok(Box::new(Self { x: points, y: targets, power: self.power }))
    }
}

impl Surrogate for InverseDistance {
    fn fit(
        &self,
        _: &Domain,
        data: Observations<'_>,
        _: Option<&[f64]>,
        _: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(Weighted { x: data.x.to_owned(), y: data.y.to_vec(), power: self.power }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new("inverse distance", &[("power", self.power)])
            .map_err(|error| SurrogateError::failed("inverse distance", error))
    }
}

fn space() -> Space {
    Space::builder().float("x", -2.0, 3.0).float("y", -2.0, 3.0).build().expect("two numbers")
}

fn bowl(config: &Config) -> f64 {
    let at = |name| config.float(name).unwrap_or(f64::NAN);
    (at("x") - 1.0).powi(2) + (at("y") - 0.5).powi(2)
}

fn best_of(surrogate: impl Surrogate + 'static) -> Result<f64, Box<dyn Error>> {
    let optimizer = BayesianOptimizer::new(space()).with_surrogate(surrogate);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(30));
    study.run(|config: &Config, _| bowl(config))?;
    Ok(study.history().best().ok_or("measurements")?.1)
}

#[test]
fn any_surrogate_works_in_bayesian_optimization() -> Result<(), Box<dyn Error>> {
    let quadratic = LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5))));
    // The bowl is quadratic: linear regression has it at once.
    assert!(best_of(quadratic)? < 1e-6);
    assert!(best_of(ForestSurrogate::default())? < 0.3);
    assert!(best_of(InverseDistance { power: 3.0 })? < 1.0);
    Ok(())
}

#[test]
fn surrogates_obey_the_contract() {
    contract::surrogate(&InverseDistance { power: 2.0 });
    contract::surrogate(&ForestSurrogate::default());
    contract::surrogate(&LinearSurrogate::new(|domain| Ok(Box::new(Polynomial::full(domain.dim(), 2, 0.5)))));
}

/// A surrogate whose variance is negative at one point of the data.
struct Broken;

impl Surrogate for Broken {
    fn fit(
        &self,
        _: &Domain,
        data: Observations<'_>,
        _: Option<&[f64]>,
        _: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        struct Negative(usize);
        impl Posterior for Negative {
            fn dim(&self) -> usize {
                self.0
            }
            fn predict_into(&self, _: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
                mean.fill(0.0);
                variance.fill(-1.0);
            }
        }
        impl FittedSurrogate for Negative {
            fn posterior(&self) -> &dyn Posterior {
                self
            }
            fn hyperparameters(&self) -> Vec<f64> {
                Vec::new()
            }
            fn fantasize(&self, _: &[f64], _: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
                Err(SurrogateError::failed("broken", "no fantasies"))
            }
        }
        Ok(Box::new(Negative(data.x.dim())))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Ok(Description::without_settings("broken"))
    }
}

#[test]
fn a_broken_surrogate_is_an_error_that_names_it() {
    let error = best_of(Broken).expect_err("a negative variance").to_string();
    assert!(error.contains("broken: variance -1 at ["), "{error}");
}

/// A point whose measurement is certain pulls the posterior mean to itself; one that is known to be noisy does not.
#[test]
fn reported_noise_changes_what_is_suggested() -> Result<(), Box<dyn Error>> {
    let suggestion = |noise: Option<f64>| -> Result<Config, Box<dyn Error>> {
        let mut study = Study::new(BayesianOptimizer::new(space()), Seed(1)).with_stop(MaxTrials(12));
        study.run(|config: &Config, _| Measurement {
            noise_variance: noise,
            ..Measurement::from(bowl(config))
        })?;
        Ok(study.history().trials()[11].query.clone())
    };
    assert_eq!(suggestion(None)?, suggestion(Some(0.0))?);
    assert_ne!(suggestion(None)?, suggestion(Some(4.0))?);
    Ok(())
}
