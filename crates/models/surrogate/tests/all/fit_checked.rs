//! Predictions that [`fit_checked`] refuses, with the point at which they are made.

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::{Seed, Stream};
use thrifty_surrogate::{
    Description, FittedSurrogate, Observations, Posterior, Surrogate, SurrogateError, fit_checked,
};

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

/// Data that no model can use never reach a surrogate.
#[test]
fn data_without_sense_are_refused_before_a_fit() {
    /// Panics when it is asked.
    struct Untouched;

    impl Surrogate for Untouched {
        fn fit(
            &self,
            _: &Domain,
            _: Observations<'_>,
            _: Option<&[f64]>,
            _: &mut Stream,
        ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
            panic!("data that no model can use");
        }

        fn describe(&self) -> Result<Description, SurrogateError> {
            Ok(Description::without_settings("untouched"))
        }
    }

    let domain = Domain::unit_cube(2);
    let refused = |x: Vec<f64>, dim: usize, y: &[f64], noise_variance: Option<&[f64]>| {
        let x = Points::from_flat(x, dim);
        let data = Observations { x: x.as_ref(), y, noise_variance };
        let mut rng = Seed(1).stream("fit", 0);
        fit_checked(&Untouched, &domain, data, None, &mut rng).err().expect("refused").to_string()
    };
    assert!(refused(vec![], 2, &[], None).contains("no observations"));
    assert!(refused(vec![0.5; 2], 2, &[f64::NAN], None).contains("NaN"));
    assert!(refused(vec![0.5, f64::INFINITY], 2, &[1.0], None).contains("inf"));
    assert!(refused(vec![0.5; 2], 2, &[1.0, 2.0], None).contains("expected 1"));
    assert!(refused(vec![0.5; 3], 3, &[1.0], None).contains("dimension 3"));
    assert!(refused(vec![0.5; 2], 2, &[1.0], Some(&[-1.0])).contains("-1"));
    assert!(refused(vec![0.5; 2], 2, &[1.0], Some(&[f64::INFINITY])).contains("inf"));
    assert!(refused(vec![0.5; 2], 2, &[1.0], Some(&[0.1, 0.1])).contains("expected 1"));
}
