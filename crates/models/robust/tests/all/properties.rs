//! Laws: outliers lose their weight, and location and scale of the targets do not matter.

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_gp::Gp;
use thrifty_kernel::{Matern52, Scaled};
use thrifty_robust::{RobustGp, RobustPosterior};
use thrifty_sampling::Seed;
use thrifty_surrogate::Posterior;

fn fit(x: &Points, y: &[f64]) -> RobustPosterior<Scaled<Matern52>> {
    RobustGp::new(Gp::matern52(1)).fit(x.as_ref(), y, &mut Seed(1).stream("fit", 0)).unwrap()
}

fn line(n: usize) -> Points {
    Points::from_flat((0..n).map(|i| i as f64 / (n - 1) as f64).collect(), 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The further off an observation is, the less it moves the mean; a weight is never above (ν + 1)/ν.
    #[test]
    fn far_outliers_change_nothing(at in 2_usize..22, sign in prop::bool::ANY, phase in 0.0_f64..6.0) {
        let x = line(24);
        let clean: Vec<f64> = x.rows().map(|p| (4.0 * p[0] + phase).sin()).collect();
        let of = |size: f64| {
            let mut y = clean.clone();
            y[at] += if sign { size } else { -size };
            let posterior = fit(&x, &y);
            let weights = posterior.weights();
            prop_assert!(weights.iter().all(|w| *w > 0.0 && *w <= 1.25 + 1e-12), "{weights:?}");
            let least = (0..weights.len()).min_by(|a, b| weights[*a].total_cmp(&weights[*b]));
            prop_assert_eq!(least, Some(at));
            Ok((posterior.predict(x.row(at)).mean - clean[at]).abs())
        };
        let (near, far) = (of(10.0)?, of(1e6)?);
        prop_assert!(near < 0.1 && far < 0.1, "{near} {far}");
    }

    /// Targets a + b y have the posterior a + b f.
    #[test]
    fn location_and_scale_do_not_matter(a in -3.0_f64..3.0, log_b in -12.0_f64..12.0) {
        let x = line(12);
        let y: Vec<f64> = x.rows().enumerate().map(|(i, p)| (4.0 * p[0]).sin() + if i == 5 { 7.0 } else { 0.0 }).collect();
        let b = 10_f64.powf(log_b);
        let moved: Vec<f64> = y.iter().map(|y| b * (a + y)).collect();
        let (own, other) = (fit(&x, &y), fit(&x, &moved));
        for point in [0.0, 0.4, 0.77] {
            let (p, q) = (own.predict(&[point]), other.predict(&[point]));
            prop_assert!((b * (a + p.mean) - q.mean).abs() <= 1e-4 * b, "{p:?} {q:?}");
            prop_assert!((b * b * p.variance - q.variance).abs() <= 1e-4 * b * b, "{p:?} {q:?}");
        }
    }
}

/// Targets on another scale with known noise on the square of that scale: the posterior is on that scale too, with the same weights.
#[test]
fn known_noise_is_on_the_scale_of_the_targets() {
    let x = line(8);
    let (y, noise) = ([0.3, 0.5, 0.2, 6.0, -0.4, -0.2, 0.1, 0.6], [0.0, 0.3, 0.0, 0.1, 0.0, 0.5, 0.0, 0.2]);
    let on_scale = |scale: f64| {
        let (y, noise) = (y.map(|y| scale * y), noise.map(|v| scale * scale * v));
        RobustGp::new(Gp::matern52(1)).condition_with_noise(x.as_ref(), &y, &noise).unwrap()
    };
    let plain = on_scale(1.0);
    for scale in [1e-6, 0.25, 30.0, 1e7] {
        let other = on_scale(scale);
        for (a, b) in plain.weights().iter().zip(other.weights()) {
            assert!((a - b).abs() < 1e-6, "scale {scale}: weights {a} {b}");
        }
        for point in [0.0, 0.2, 0.75] {
            let (p, q) = (plain.predict(&[point]), other.predict(&[point]));
            assert!((p.mean - q.mean / scale).abs() < 1e-6, "scale {scale}: {p:?} {q:?}");
            assert!((p.variance - q.variance / scale.powi(2)).abs() < 1e-6, "scale {scale}: {p:?} {q:?}");
        }
    }
}
