//! Laws and the data of a closure test.

use std::f64::consts::TAU;

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::{Seed, Stream};

/// Range of the training data; the first test set lies within.
pub const WITHIN: (f64, f64) = (0.05, 0.75);
/// Range of the second test set: larger x than any training datum.
pub const BEYOND: (f64, f64) = (0.75, 0.95);

/// A known function that stands for nature: of order 1 on [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// x^0.6 (1 - x)³ (1 + 6 x - 4 x²), as parton distributions are parametrised, with its peak near 1.
    Parton,
    /// Two and a half damped periods.
    Oscillating,
    /// A smooth step at 0.4 of width 0.02.
    Step,
}

impl Law {
    pub const ALL: [Self; 3] = [Self::Parton, Self::Oscillating, Self::Step];

    pub fn name(self) -> &'static str {
        match self {
            Self::Parton => "parton",
            Self::Oscillating => "oscillating",
            Self::Step => "step",
        }
    }

    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Parton => 2.2 * x.powf(0.6) * (1.0 - x).powi(3) * (1.0 + 6.0 * x - 4.0 * x * x),
            Self::Oscillating => (-x).exp() * (2.5 * TAU * x).sin(),
            Self::Step => 1.0 / (1.0 + (-(x - 0.4) / 0.02).exp()),
        }
    }

    /// The known deviation of a datum at x: a part of its size, and no less than 2 % of the whole.
    pub fn std_dev(self, x: f64) -> f64 {
        0.02 + 0.05 * self.value(x).abs()
    }

    fn measure(self, x: f64, rng: &mut Stream) -> Datum {
        let sigma = self.std_dev(x);
        let z: f64 = StandardNormal.sample(rng);
        Datum { x, y: self.value(x) + sigma * z, sigma }
    }
}

/// A measurement and its deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Datum {
    pub x: f64,
    pub y: f64,
    pub sigma: f64,
}

impl Datum {
    /// The datum with fresh noise on top: one of a replica of the data.
    pub fn replica(self, rng: &mut Stream) -> Self {
        let z: f64 = StandardNormal.sample(rng);
        Self { y: self.y + self.sigma * z, ..self }
    }

    /// Squared distance in units of the datum's variance.
    pub fn chi2(self, prediction: f64) -> f64 {
        ((prediction - self.y) / self.sigma).powi(2)
    }
}

/// Data of one law: training data cut into folds, and the test data of a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Closure {
    pub law: Law,
    /// In random order; fold k is every K-th from k.
    pub training: Vec<Datum>,
    pub within: Vec<Datum>,
    pub beyond: Vec<Datum>,
}

/// Training data, and data of each test set of a scan.
const TRAINING: usize = 40;
const TEST: usize = 20;

impl Closure {
    pub fn new(law: Law, seed: Seed) -> Self {
        let set = |purpose: &str, range, count| -> Vec<Datum> {
            let rng = &mut seed.stream(purpose, law as u64);
            cells(range, count).map(|x| law.measure(x, rng)).collect()
        };
        let mut training = set("training", WITHIN, TRAINING);
        seed.stream("folds", law as u64).shuffle(&mut training);
        Self { law, training, within: set("within", WITHIN, TEST), beyond: set("beyond", BEYOND, TEST) }
    }
}

/// Middles of equal cells of a range.
pub fn cells((low, high): (f64, f64), count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| low + (high - low) * (i as f64 + 0.5) / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_of_order_one() {
        for law in Law::ALL {
            let largest = cells((0.0, 1.0), 1000).map(|x| law.value(x).abs()).fold(0.0, f64::max);
            assert!((0.7..1.3).contains(&largest), "{law:?} {largest}");
        }
        assert_eq!(Law::Step.value(0.4), 0.5);
        assert!(Law::Oscillating.value(0.2).abs() < 1e-12);
        assert_eq!(Law::Parton.value(1.0), 0.0);
    }

    /// χ² of the law itself is 1 a datum: 12 000 of them give ± 0.013.
    #[test]
    fn noise_has_the_std_dev_it_claims() {
        for law in Law::ALL {
            let data = (0..200).flat_map(|i| {
                let closure = Closure::new(law, Seed(i));
                [closure.training, closure.within].concat()
            });
            let chi2: Vec<f64> = data.map(|d| d.chi2(law.value(d.x))).collect();
            let mean = chi2.iter().sum::<f64>() / chi2.len() as f64;
            assert!((mean - 1.0).abs() < 0.06, "{law:?} {mean}");
        }
    }

    #[test]
    fn sets_are_where_they_belong_and_repeat() {
        let closure = Closure::new(Law::Parton, Seed(5));
        assert_eq!(closure, Closure::new(Law::Parton, Seed(5)));
        assert_ne!(closure, Closure::new(Law::Parton, Seed(6)));
        let inside = |(low, high): (f64, f64), data: &[Datum]| data.iter().all(|d| low < d.x && d.x < high);
        assert!(inside(WITHIN, &closure.training) && inside(WITHIN, &closure.within));
        assert!(inside(BEYOND, &closure.beyond));
    }
}
