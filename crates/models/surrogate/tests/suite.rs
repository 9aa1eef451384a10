//! The contract suite of surrogates passes a right one and finds each fault that optimisers would stumble over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::{Seed, Stream};
use thrifty_surrogate::{
    Description, FittedSurrogate, JointGradient, JointPosterior, Observations, Posterior, PosteriorGradient,
    Prediction, Surrogate, SurrogateError, contract, fit_checked,
};

/// Fault of a surrogate.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    // Of the description.
    NoName,
    ChangingName,
    // Of a fit.
    Irreproducible,
    DistrustsWarmStarts,
    TrustsWarmStarts,
    RefusesOne,
    RefusesTwo,
    RefusesDuplicates,
    RefusesConstants,
    RefusesSmallTargets,
    RefusesLargeTargets,
    RefusesColumns(usize),
    // Of predictions at the point that is not among the data.
    MeanBesideData(f64),
    VarianceBesideData(f64),
    Batch,
    Covariance,
    MeanGradient,
    VarianceGradient,
    // Of a fitted surrogate.
    LessNoise,
    OtherMeanObserved,
    EndlessHyperparameters,
    LongerWarmHyperparameters,
    FantasyAway,
    FantasyNotANumber,
}

/// `f(x) = w φ(x)` with `φ(x) = 2 + Σ sin x`, a normal weight of the scale of the targets and a noise of a tenth of it.
struct OneWeight {
    fault: Fault,
    count: AtomicU64,
}

#[derive(Clone)]
struct Fitted {
    fault: Fault,
    dim: usize,
    /// Sum of the precisions and of the precisions times values.
    precision: f64,
    total: f64,
    noise: f64,
    /// The points of the data.
    seen: Points,
    hyperparameters: Vec<f64>,
}

fn feature(x: &[f64]) -> f64 {
    2.0 + x.iter().map(|v| v.sin()).sum::<f64>()
}

impl Fitted {
    fn mean(&self) -> f64 {
        self.total / self.precision
    }

    fn observe(&mut self, x: &[f64], y: f64) {
        self.precision += feature(x).powi(2) / self.noise;
        self.total += feature(x) * y / self.noise;
        self.seen.push(x);
    }
}

impl OneWeight {
    fn refuses(&self, data: Observations<'_>) -> bool {
        let rows: Vec<&[f64]> = data.x.rows().collect();
        let repeats = (0..rows.len()).any(|i| rows[..i].contains(&rows[i]));
        let largest = data.y.iter().map(|y| y.abs()).fold(0.0, f64::max);
        match self.fault {
            Fault::RefusesOne => rows.len() == 1,
            Fault::RefusesTwo => rows.len() == 2,
            Fault::RefusesDuplicates => repeats,
            Fault::RefusesConstants => rows.len() > 2 && data.y.iter().all(|y| *y == data.y[0]),
            Fault::RefusesSmallTargets => largest < 1e-11,
            Fault::RefusesLargeTargets => largest > 1e11,
            Fault::RefusesColumns(count) => data.x.dim() == count,
            _ => false,
        }
    }
}

impl Surrogate for OneWeight {
    fn fit(
        &self,
        _: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        _: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let is_foreign = warm_start.is_some_and(|values| values.len() != 1);
        if self.refuses(data) || (self.fault == Fault::DistrustsWarmStarts && is_foreign) {
            return Err(SurrogateError::failed("one weight", "refused"));
        }
        let mut scale = data.y.iter().map(|y| y.abs()).fold(0.0, f64::max);
        if self.fault == Fault::Irreproducible {
            scale *= 1.0 + 1e-12 * self.count.fetch_add(1, Ordering::Relaxed) as f64;
        }
        if self.fault == Fault::TrustsWarmStarts && is_foreign {
            scale = f64::INFINITY;
        }
        let mut hyperparameters = vec![scale];
        if self.fault == Fault::LongerWarmHyperparameters && warm_start.is_some() {
            hyperparameters.push(0.0);
        }
        let (dim, noise) = (data.x.dim(), 0.01 * scale * scale);
        let (precision, total) = (1.0 / (scale * scale), 0.0);
        let seen = Points::new(dim);
        let mut fitted = Fitted { fault: self.fault, dim, precision, total, noise, seen, hyperparameters };
        data.x.rows().zip(data.y).for_each(|(x, y)| fitted.observe(x, *y));
        Ok(Box::new(fitted))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Ok(Description::without_settings(match self.fault {
            Fault::NoName => String::new(),
            Fault::ChangingName => format!("{}", self.count.fetch_add(1, Ordering::Relaxed)),
            _ => "one weight".to_owned(),
        }))
    }
}

impl FittedSurrogate for Fitted {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        if self.fault == Fault::EndlessHyperparameters {
            return vec![f64::INFINITY];
        }
        self.hyperparameters.clone()
    }

    fn noise_variance(&self) -> f64 {
        self.noise
    }

    fn predict_observed(&self, x: &[f64]) -> Prediction {
        let latent = self.predict(x);
        match self.fault {
            Fault::LessNoise => Prediction { variance: 0.9 * latent.variance, ..latent },
            Fault::OtherMeanObserved => {
                Prediction { mean: latent.mean + self.noise, ..latent.with_noise(self.noise) }
            }
            _ => latent.with_noise(self.noise),
        }
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let mut told = self.clone();
        let y = match self.fault {
            Fault::FantasyAway => -y,
            Fault::FantasyNotANumber => f64::NAN,
            _ => y,
        };
        told.observe(x, y);
        Ok(Box::new(told))
    }
}

impl Posterior for Fitted {
    fn dim(&self) -> usize {
        self.dim
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        for (i, point) in x.rows().enumerate() {
            mean[i] = self.mean() * feature(point);
            variance[i] = feature(point).powi(2) / self.precision;
            match self.fault {
                Fault::MeanBesideData(value) if self.seen.rows().all(|seen| seen != point) => mean[i] = value,
                Fault::VarianceBesideData(value) if self.seen.rows().all(|seen| seen != point) => {
                    variance[i] = value;
                }
                Fault::Batch if i == 1 => mean[i] += 1e-6 * (1.0 + mean[i].abs()),
                _ => {}
            }
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl PosteriorGradient for Fitted {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        self.predict_into(x, mean, variance);
        let off = |fault: Fault| if self.fault == fault { 0.01 } else { 0.0 };
        for (i, point) in x.rows().enumerate() {
            for (k, value) in point.iter().enumerate() {
                let (slope, at) = (value.cos(), i * self.dim + k);
                mean_gradient[at] = self.mean() * slope + off(Fault::MeanGradient);
                variance_gradient[at] =
                    2.0 * feature(point) * slope / self.precision + off(Fault::VarianceGradient);
            }
        }
    }
}

impl JointPosterior for Fitted {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.cross_covariance_into(x, x, out);
        if self.fault == Fault::Covariance {
            out[0] *= 1.01;
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        let products = a.rows().flat_map(|a| b.rows().map(move |b| feature(a) * feature(b)));
        out.iter_mut().zip(products).for_each(|(slot, product)| *slot = product / self.precision);
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        None
    }
}

fn passes(fault: Fault) -> bool {
    let surrogate = OneWeight { fault, count: AtomicU64::new(0) };
    catch_unwind(AssertUnwindSafe(|| contract::surrogate(&surrogate))).is_ok()
}

#[test]
fn a_right_surrogate_passes() {
    contract::surrogate(&OneWeight { fault: Fault::None, count: AtomicU64::new(0) });
}

#[test]
fn faults_of_descriptions_are_found() {
    assert!(!passes(Fault::NoName) && !passes(Fault::ChangingName));
}

/// One and two observations, duplicates, constants, other scales, one and three columns: each is fitted.
#[test]
fn data_that_a_surrogate_refuses_are_found() {
    for fault in [
        Fault::RefusesOne,
        Fault::RefusesTwo,
        Fault::RefusesDuplicates,
        Fault::RefusesConstants,
        Fault::RefusesSmallTargets,
        Fault::RefusesLargeTargets,
        Fault::RefusesColumns(1),
        Fault::RefusesColumns(3),
    ] {
        assert!(!passes(fault), "{fault:?}");
    }
    assert!(passes(Fault::RefusesColumns(2)), "two columns are not among the problems");
}

#[test]
fn faults_of_fits_are_found() {
    for fault in [
        Fault::Irreproducible,
        Fault::DistrustsWarmStarts,
        Fault::TrustsWarmStarts,
        Fault::LongerWarmHyperparameters,
        Fault::EndlessHyperparameters,
    ] {
        assert!(!passes(fault), "{fault:?}");
    }
}

/// Beside the data too predictions are numbers, variances are from 0, and batches, covariances and slopes agree.
#[test]
fn faults_of_predictions_are_found() {
    for fault in [
        Fault::MeanBesideData(f64::NAN),
        Fault::MeanBesideData(f64::INFINITY),
        Fault::VarianceBesideData(f64::NAN),
        Fault::VarianceBesideData(f64::INFINITY),
        Fault::VarianceBesideData(-1e-300),
        Fault::Batch,
        Fault::Covariance,
        Fault::MeanGradient,
        Fault::VarianceGradient,
        Fault::LessNoise,
        Fault::OtherMeanObserved,
    ] {
        assert!(!passes(fault), "{fault:?}");
    }
}

#[test]
fn faults_of_fantasies_are_found() {
    assert!(!passes(Fault::FantasyAway) && !passes(Fault::FantasyNotANumber));
}

/// A posterior with odd predictions from a place on.
struct Odd {
    dim: usize,
    noise: f64,
    /// The first column from which on the prediction is odd, and the prediction.
    from: f64,
    prediction: (f64, f64),
}

impl Posterior for Odd {
    fn dim(&self) -> usize {
        self.dim
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        for (i, point) in x.rows().enumerate() {
            (mean[i], variance[i]) = if point[0] >= self.from { self.prediction } else { (0.0, 0.0) };
        }
    }
}

impl FittedSurrogate for Odd {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        vec![]
    }

    fn noise_variance(&self) -> f64 {
        self.noise
    }

    fn fantasize(&self, _: &[f64], _: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Err(SurrogateError::failed("odd", "no fantasies"))
    }
}

struct MakesOdd(fn() -> Odd);

impl Surrogate for MakesOdd {
    fn fit(
        &self,
        _: &Domain,
        _: Observations<'_>,
        _: Option<&[f64]>,
        _: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new((self.0)()))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Ok(Description::without_settings("odd"))
    }
}

/// The error of a fit to `n` points `0, 1/n, …`.
fn error(make: fn() -> Odd, n: usize) -> Option<String> {
    let x = Points::from_flat((0..n).map(|i| i as f64 / n as f64).collect(), 1);
    let y = vec![1.0; n];
    let data = Observations::new(x.as_ref(), &y);
    let mut rng = Seed(1).stream("fit", 0);
    fit_checked(&MakesOdd(make), &Domain::unit_cube(1), data, None, &mut rng)
        .err()
        .map(|error| error.to_string())
}

#[test]
fn fits_that_predict_nonsense_are_named_with_the_place() {
    const GOOD: Odd = Odd { dim: 1, noise: 0.0, from: 0.5, prediction: (1.0, 0.0) };
    assert_eq!(error(|| GOOD, 4), None);
    let found = |make: fn() -> Odd| error(make, 4).unwrap();
    assert_eq!(found(|| Odd { dim: 2, ..GOOD }), "odd: posterior of dimension 2 on a domain of dimension 1");
    for (make, value) in [
        ((|| Odd { noise: -1.0, ..GOOD }) as fn() -> Odd, "-1"),
        (|| Odd { noise: f64::INFINITY, ..GOOD }, "inf"),
    ] {
        let expected = format!("odd: noise variance {value} at [0.0], expected a finite number from 0");
        assert_eq!(found(make), expected);
    }
    assert_eq!(
        found(|| Odd { prediction: (f64::NAN, 0.0), ..GOOD }),
        "odd: mean NaN at [0.5], expected a finite number"
    );
    for (make, value) in [
        ((|| Odd { prediction: (0.0, -0.5), ..GOOD }) as fn() -> Odd, "-0.5"),
        (|| Odd { prediction: (0.0, f64::INFINITY), ..GOOD }, "inf"),
    ] {
        let expected = format!("odd: variance {value} at [0.5], expected a finite number from 0");
        assert_eq!(found(make), expected);
    }
    // At most 32 points are looked at, evenly spread: of 64 every other one.
    let odd = || Odd { prediction: (f64::NAN, 0.0), from: 61.5 / 64.0, ..GOOD };
    assert_eq!(error(odd, 64).unwrap(), "odd: mean NaN at [0.96875], expected a finite number");
    assert_eq!(error(|| Odd { prediction: (f64::NAN, 0.0), from: 62.5 / 64.0, ..GOOD }, 64), None);
    assert!(error(|| Odd { prediction: (f64::NAN, 0.0), from: 31.0 / 32.0, ..GOOD }, 32).is_some());
    assert!(error(|| Odd { prediction: (f64::NAN, 0.0), from: 31.5 / 33.0, ..GOOD }, 33).is_some());
}
