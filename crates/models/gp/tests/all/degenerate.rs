//! Ill-conditioned problems by the hundred thousand: no NaN, no panic, no negative variance, jitter reported.

use std::f64::consts::PI;

use proptest::prelude::*;
use thrifty_check::InputError;
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Gp, GpError, GpSettings, GpSurrogate, Mean, Noise};
use thrifty_kernel::{Kernel, Matern12, Matern52, OnColumns, Scaled, SquaredExponential};
use thrifty_sampling::{Seed, Stream, latin_hypercube};
use thrifty_surrogate::{JointPosterior, Observations, Posterior, Surrogate};

/// Arrangement of the input points.
#[derive(Debug, Clone, Copy)]
enum Crowding {
    /// Few places, many times each.
    Duplicates,
    /// Around one place within 10^-k.
    Cluster(i32),
    /// On a line through the cube, off it by 10^-k.
    Collinear(i32),
    /// Anywhere.
    None,
}

/// Kind of targets.
#[derive(Debug, Clone, Copy)]
enum Targets {
    Constant,
    Random,
    /// One is 10^k times as large as the others.
    Outlier(i32),
    /// They differ in the last digits alone.
    Rounding,
    /// A draw from a Cauchy distribution.
    HeavyTailed,
    /// A constant until the last quarter, which is 10^k higher.
    Jump(i32),
    /// A smooth function of the first coordinate with noise of 10^-k.
    Noisy(i32),
}

#[derive(Debug, Clone)]
struct Problem {
    n: usize,
    dim: usize,
    crowding: Crowding,
    targets: Targets,
    input_scale: i32,
    target_scale: i32,
    log_lengthscale: f64,
    log_noise: Option<f64>,
    family: u8,
    seed: u64,
}

fn problems() -> impl Strategy<Value = Problem> {
    let crowding = prop_oneof![
        Just(Crowding::Duplicates),
        (6..16_i32).prop_map(Crowding::Cluster),
        (6..16_i32).prop_map(Crowding::Collinear),
        Just(Crowding::None),
    ];
    let targets = prop_oneof![
        Just(Targets::Constant),
        Just(Targets::Random),
        (1..9_i32).prop_map(Targets::Outlier),
        Just(Targets::Rounding),
        Just(Targets::HeavyTailed),
        (-12..9_i32).prop_map(Targets::Jump),
        (0..12_i32).prop_map(Targets::Noisy),
    ];
    let shape = (1_usize..20, 1_usize..5, crowding, targets);
    let scales = (-12..=12_i32, -12..=12_i32, -2.0..2.0_f64, prop::option::of(-16.0..0.0_f64));
    (shape, scales, 0_u8..3, any::<u64>()).prop_map(
        |(
            (n, dim, crowding, targets),
            (input_scale, target_scale, log_lengthscale, log_noise),
            family,
            seed,
        )| {
            Problem {
                n,
                dim,
                crowding,
                targets,
                input_scale,
                target_scale,
                log_lengthscale,
                log_noise,
                family,
                seed,
            }
        },
    )
}

impl Problem {
    fn points(&self, rng: &mut Stream) -> Points {
        let mut uniform = |_| rng.uniform();
        let (scale, d) = (10_f64.powi(self.input_scale), self.dim);
        let place: Vec<f64> = (0..d).map(&mut uniform).collect();
        let mut points = Points::new(d);
        for i in 0..self.n {
            let free: Vec<f64> = (0..d).map(&mut uniform).collect();
            let point: Vec<f64> = match self.crowding {
                Crowding::Duplicates if i >= 2 => points.row(i % 2).iter().map(|v| v / scale).collect(),
                Crowding::None | Crowding::Duplicates => free,
                Crowding::Cluster(k) => {
                    place.iter().zip(&free).map(|(p, u)| p + u * 10_f64.powi(-k)).collect()
                }
                Crowding::Collinear(k) => {
                    let along = i as f64 / self.n as f64;
                    place.iter().zip(&free).map(|(p, u)| p * along + u * 10_f64.powi(-k)).collect()
                }
            };
            points.push(&point.iter().map(|v| v * scale).collect::<Vec<f64>>());
        }
        points
    }

    fn targets(&self, x: &Points, rng: &mut Stream) -> Vec<f64> {
        let (scale, width) = (10_f64.powi(self.target_scale), 10_f64.powi(self.input_scale));
        let one = |i: usize| match self.targets {
            Targets::Random => rng.uniform() - 0.5,
            Targets::Outlier(k) if i == 0 => 10_f64.powi(k),
            Targets::Outlier(_) => rng.uniform(),
            Targets::Rounding => 1.0 + (rng.uniform() * 4.0).floor() * f64::EPSILON,
            Targets::HeavyTailed => (PI * (rng.uniform() - 0.5)).tan(),
            Targets::Jump(k) if 4 * i >= 3 * self.n => 1.0 + 10_f64.powi(k),
            Targets::Constant | Targets::Jump(_) => 1.0,
            Targets::Noisy(k) => (5.0 * x.row(i)[0] / width).sin() + 10_f64.powi(-k) * (rng.uniform() - 0.5),
        };
        (0..self.n).map(one).map(|v| v * scale).collect()
    }

    fn kernel(&self) -> Box<dyn Kernel> {
        let lengthscales = vec![10_f64.powf(self.log_lengthscale); self.dim];
        match self.family {
            0 => Box::new(Scaled::new(SquaredExponential::new(lengthscales).unwrap(), 1.0).unwrap()),
            1 => Box::new(Scaled::new(Matern52::new(lengthscales).unwrap(), 1.0).unwrap()),
            _ => Box::new(Scaled::new(Matern12::new(lengthscales).unwrap(), 1.0).unwrap()),
        }
    }

    fn settings(&self) -> GpSettings {
        let noise = match self.log_noise {
            Some(log) => Noise::Fixed(10_f64.powf(log)),
            None => Noise::Fixed(0.0),
        };
        GpSettings { noise, mean: Mean::Zero, normalize_inputs: true, ..GpSettings::default() }
    }
}

/// Everything finite, no variance negative.
fn require_sound(posterior: &dyn JointPosterior, x: PointsRef<'_>) {
    let m = x.len();
    let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
    posterior.predict_into(x, &mut mean, &mut variance);
    posterior.covariance_into(x, &mut covariance);
    for i in 0..m {
        assert!(mean[i].is_finite(), "mean {}", mean[i]);
        assert!(variance[i].is_finite() && variance[i] >= 0.0, "variance {}", variance[i]);
        assert!(covariance[i * m + i] >= 0.0);
    }
    assert!(covariance.iter().all(|c| c.is_finite()));
}

fn check(problem: &Problem) {
    let mut rng = Seed(problem.seed).stream("degenerate", 0);
    let x = problem.points(&mut rng);
    let y = problem.targets(&x, &mut rng);
    let gp = Gp::new(problem.kernel()).with_settings(problem.settings());
    let posterior = gp.condition(x.as_ref(), &y).unwrap();
    assert!(posterior.jitter().is_finite() && posterior.jitter() >= 0.0);
    let mut test = Points::zeros(0, problem.dim);
    test.push(x.row(0));
    test.push(&x.row(x.len() - 1).iter().map(|v| v * 1.3).collect::<Vec<f64>>());
    test.push(&vec![0.0; problem.dim]);
    require_sound(&posterior, test.as_ref());
    for (mean, variance) in posterior.leave_one_out() {
        assert!(mean.is_finite() && variance.is_finite() && variance >= 0.0, "{mean} {variance}");
    }
    // A repeated observation, and one after it.
    let more = posterior.with_observations(test.as_ref(), &[y[0]; 3]).unwrap();
    require_sound(&more, test.as_ref());
    // Learning costs a hundred times as much as conditioning: one problem in fifty.
    if problem.seed.is_multiple_of(50) {
        let settings = GpSettings { restarts: 0, normalize_inputs: true, ..GpSettings::default() };
        let learnt = gp.with_settings(settings).fit(x.as_ref(), &y, &mut rng).unwrap();
        require_sound(&learnt, test.as_ref());
    }
    // Sampling costs some hundred times as much again: one in a thousand.
    if problem.seed.is_multiple_of(1000) {
        let settings = GpSettings { normalize_inputs: true, ..GpSurrogate::noisy().settings };
        let surrogate = GpSurrogate { settings, ..GpSurrogate::noisy() };
        let (domain, data) = (Domain::unit_cube(problem.dim), Observations::new(x.as_ref(), &y));
        let mixture = surrogate.fit(&domain, data, None, &mut rng).unwrap();
        assert!(mixture.noise_variance().is_finite() && mixture.noise_variance() >= 0.0);
        require_sound(mixture.posterior().joint().unwrap(), test.as_ref());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100_000))]

    #[test]
    fn a_hundred_thousand_ill_conditioned_problems(problem in problems()) {
        check(&problem);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000_000))]

    #[test]
    #[ignore = "a longer run of the test above: cargo test -p thrifty-gp --release degenerate -- --ignored"]
    fn a_million_ill_conditioned_problems(problem in problems()) {
        check(&problem);
    }
}

#[test]
fn two_places_a_thousand_times_each() {
    let x = Points::from_flat((0..2000).map(|i| f64::from(i % 2) * 0.5 + 0.25).collect(), 1);
    let y: Vec<f64> = (0..2000).map(|i| f64::from(i % 2) + 0.1 * f64::from(i % 5)).collect();
    let posterior = Gp::matern52(1).condition(x.as_ref(), &y).unwrap();
    let (low, high) = (posterior.predict(&[0.25]), posterior.predict(&[0.75]));
    assert!((low.mean - 0.2).abs() < 1e-3 && (high.mean - 1.2).abs() < 1e-3, "{low:?} {high:?}");
    assert!(low.variance >= 0.0 && low.variance < 1e-3 && high.variance >= 0.0 && high.variance < 1e-3);
}

/// An index counted from 1 is an error of the data, of a surrogate too.
#[test]
fn a_kernel_on_a_missing_column_is_an_error() {
    let kernel = || OnColumns::new(Matern52::new(vec![0.5]).unwrap(), vec![3]).unwrap();
    let (x, y, rng) = (latin_hypercube(4, 3, &mut Seed(1).stream("points", 0)), [1.0, 2.0, 0.0, 1.5], || {
        Seed(1).stream("fit", 0)
    });
    let error = GpError::Input(InputError::Dimension { name: "points", found: 3, expected: 4 });
    assert_eq!(Gp::new(kernel()).fit(x.as_ref(), &y, &mut rng()).err(), Some(error));
    let surrogate = GpSurrogate::default().with_kernel("last", move |_| Ok(kernel().clone_box()));
    let data = Observations::new(x.as_ref(), &y);
    let refused = surrogate.fit(&Domain::unit_cube(3), data, None, &mut rng()).err().unwrap();
    let source = std::error::Error::source(&refused).unwrap().to_string();
    assert_eq!(source, "points of dimension 3, the kernel takes 4");
}
