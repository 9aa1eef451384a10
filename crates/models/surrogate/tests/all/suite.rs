//! The contract suite of surrogates passes a right one and finds each fault that optimisers would stumble over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{
    Description, FittedSurrogate, JointGradient, JointPosterior, Observations, Posterior, PosteriorGradient,
    Prediction, Surrogate, SurrogateError, contract,
};

/// Fault of a surrogate.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    // Of the description.
    NoName,
    ChangingName,
    OtherOnItsScale,
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
    RefusesDifferentPoints,
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
    FantasyRandom,
}

/// Fantasies that were made, so that no two are alike.
static FANTASIES: AtomicU64 = AtomicU64::new(0);

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
            Fault::RefusesDifferentPoints => rows.len() > 1 && !repeats,
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

    fn on_scale(&self, _: &dyn Fn(f64) -> f64) -> Option<Box<dyn Surrogate>> {
        let fault = if self.fault == Fault::OtherOnItsScale { Fault::NoName } else { self.fault };
        Some(Box::new(Self { fault, count: AtomicU64::new(0) }))
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
            Fault::FantasyRandom => y * (1.0 + 1e-9 * FANTASIES.fetch_add(1, Ordering::Relaxed) as f64),
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
    for fault in [Fault::NoName, Fault::ChangingName, Fault::OtherOnItsScale] {
        assert!(!passes(fault), "{fault:?}");
    }
}

/// One and two observations, duplicates, constants, other scales, one and three columns: each is fitted.
#[test]
fn data_that_a_surrogate_refuses_are_found() {
    for fault in [
        Fault::RefusesOne,
        Fault::RefusesTwo,
        Fault::RefusesDuplicates,
        Fault::RefusesDifferentPoints,
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
    for fault in [Fault::FantasyAway, Fault::FantasyNotANumber, Fault::FantasyRandom] {
        assert!(!passes(fault), "{fault:?}");
    }
}

/// A right surrogate that writes down all data that it is fitted to.
struct Recording {
    surrogate: OneWeight,
    seen: Mutex<Vec<(Points, Vec<f64>)>>,
}

impl Surrogate for Recording {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.seen.lock().unwrap().push((data.x.to_owned(), data.y.to_vec()));
        self.surrogate.fit(domain, data, warm_start, rng)
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.surrogate.describe()
    }
}

/// Small and large targets of the suite: those of a usual problem at the same points, times 1e-12 and 1e12, so that nothing but the
/// scale differs.
#[test]
fn small_and_large_targets_are_usual_ones_on_another_scale() {
    let surrogate = OneWeight { fault: Fault::None, count: AtomicU64::new(0) };
    let recording = Recording { surrogate, seen: Mutex::new(Vec::new()) };
    contract::surrogate(&recording);
    let seen = recording.seen.into_inner().unwrap();
    for scale in [1e-12, 1e12] {
        let is_scaled = |y: &[f64]| y.iter().all(|y| (0.1..1e2).contains(&(y.abs() / scale)));
        let scaled: Vec<_> = seen.iter().filter(|(_, y)| is_scaled(y)).collect();
        assert!(!scaled.is_empty(), "targets of the scale {scale:e}");
        for (x, y) in scaled {
            let is_usual = |usual: &[f64]| {
                usual.len() == y.len()
                    && usual.iter().zip(y).all(|(a, b)| (a * scale / b - 1.0).abs() < 1e-12)
            };
            assert!(seen.iter().any(|(at, usual)| at == x && is_usual(usual)), "{scale:e}: {x:?}");
        }
    }
}

/// Numbers of observations of the suite: 1, 2, 12, and 16 of which four are there twice; an update begins from the first half of them.
#[test]
fn problems_have_the_documented_numbers_of_observations() {
    let surrogate = OneWeight { fault: Fault::None, count: AtomicU64::new(0) };
    let recording = Recording { surrogate, seen: Mutex::new(Vec::new()) };
    contract::surrogate(&recording);
    let seen = recording.seen.into_inner().unwrap();
    let mut counts: Vec<usize> = seen.iter().map(|(x, _)| x.len()).collect();
    counts.sort_unstable();
    counts.dedup();
    assert_eq!(counts, [1, 2, 6, 8, 12, 16], "observations of a fit");
}
