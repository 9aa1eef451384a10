//! EHVI against quadrature and finite differences, and its logarithm where the value is gone.

use proptest::prelude::*;
use thrifty_domain::{Points, PointsRef};
use thrifty_pareto::{ExpectedHypervolumeImprovement, NonDominatedBoxes};
use thrifty_prob::{log_h, pdf};

fn fronts(most: usize) -> impl Strategy<Value = Points> {
    (1..=most).prop_flat_map(|m| (Just(m), proptest::collection::vec(0.0..1.0, 0..10 * m))).prop_map(
        |(m, mut flat)| {
            flat.truncate(flat.len() / m * m);
            Points::from_flat(flat, m)
        },
    )
}

fn ehvi(front: &Points) -> ExpectedHypervolumeImprovement {
    ExpectedHypervolumeImprovement::new(front.as_ref(), &vec![1.0; front.dim()]).unwrap()
}

/// E[improvement of Y] by the trapezium rule on a grid of the density.
fn quadrature(boxes: &NonDominatedBoxes, mean: &[f64], std_dev: &[f64], steps: i32) -> f64 {
    let m = mean.len();
    let node = |k: i32| -8.0 + 16.0 * f64::from(k) / f64::from(steps);
    let mut total = 0.0;
    for cell in 0..(steps + 1).pow(m as u32) {
        let z: Vec<f64> = (0..m as u32).map(|j| node(cell / (steps + 1).pow(j) % (steps + 1))).collect();
        let y: Vec<f64> = (0..m).map(|j| mean[j] + std_dev[j] * z[j]).collect();
        let weight: f64 = z.iter().map(|z| pdf(*z) * 16.0 / f64::from(steps)).product();
        total += weight * boxes.improvement(&y).unwrap();
    }
    total
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_integral_of_the_improvement(
        front in fronts(3), mean in proptest::collection::vec(-0.5..1.5, 4), std_dev in proptest::collection::vec(0.1..0.6, 4),
    ) {
        let m = front.dim();
        let boxes = NonDominatedBoxes::new(front.as_ref(), &vec![1.0; m]).unwrap();
        let steps = [4000, 400, 60][m - 1];
        let truth = quadrature(&boxes, &mean[..m], &std_dev[..m], steps);
        let found = ehvi(&front).value(&mean[..m], &std_dev[..m]).unwrap();
        prop_assert!((found - truth).abs() <= [1e-5, 2e-3, 2e-2][m - 1] * (found + 0.05), "{found} against {truth}");
    }

    #[test]
    fn gradients_are_those_of_finite_differences(
        front in fronts(4), mean in proptest::collection::vec(-1.0..6.0, 4), std_dev in proptest::collection::vec(0.05..0.6, 4),
    ) {
        let m = front.dim();
        let ehvi = ehvi(&front);
        let (mut by_mean, mut by_std_dev) = (vec![0.0; m], vec![0.0; m]);
        let log = ehvi.log_value_with_grad(&mean[..m], &std_dev[..m], &mut by_mean, &mut by_std_dev).unwrap();
        prop_assert!(log.is_finite());
        for j in 0..m {
            let at = |by: f64, sigma: bool| {
                let (mut mean, mut std_dev) = (mean[..m].to_vec(), std_dev[..m].to_vec());
                if sigma { std_dev[j] += by } else { mean[j] += by }
                ehvi.log_value(&mean, &std_dev).unwrap()
            };
            let step = 1e-5 * std_dev[j];
            for (found, sigma) in [(by_mean[j], false), (by_std_dev[j], true)] {
                let slope = (8.0 * (at(step, sigma) - at(-step, sigma)) - (at(2.0 * step, sigma) - at(-2.0 * step, sigma))) / (12.0 * step);
                let scale = 1.0 + slope.abs() + log.abs();
                prop_assert!((found - slope).abs() <= 1e-6 * scale, "objective {j}: {found} against {slope}");
            }
        }
        let value = ehvi.value_with_grad(&mean[..m], &std_dev[..m], &mut by_mean, &mut by_std_dev).unwrap();
        // A subnormal value has lost digits.
        prop_assert!(value < f64::MIN_POSITIVE || (value.ln() - log).abs() <= 1e-12 * (1.0 + log.abs()));
        let mut batch = [0.0];
        ehvi.log_values_into(PointsRef::single(&mean[..m]), PointsRef::single(&std_dev[..m]), &mut batch).unwrap();
        prop_assert_eq!(batch[0], log);
    }

    #[test]
    fn without_a_front_it_is_a_product_of_improvements(
        mean in proptest::collection::vec(-1e3..1e3, 3), std_dev in proptest::collection::vec(-8.0..2.0, 3),
    ) {
        let std_dev: Vec<f64> = std_dev.into_iter().map(|power: f64| 10_f64.powf(power)).collect();
        let log = ehvi(&Points::new(3)).log_value(&mean, &std_dev).unwrap();
        let truth: f64 = (0..3).map(|j| std_dev[j].ln() + log_h((1.0 - mean[j]) / std_dev[j])).sum();
        prop_assert!((log - truth).abs() <= 1e-14 * (1.0 + truth.abs()), "{log} against {truth}");
    }

    // A power of two changes no digit; 2^±40 is 1e±12.
    #[test]
    fn units_only_shift_the_logarithm(
        front in fronts(4), mean in proptest::collection::vec(-1.0..9.0, 4), std_dev in proptest::collection::vec(0.05..0.6, 4), power in -40..=40_i32,
    ) {
        let (m, unit) = (front.dim(), 2_f64.powi(power));
        let scaled = |row: &[f64]| row.iter().map(|x| x * unit).collect::<Vec<_>>();
        let big = Points::from_flat(scaled(front.as_ref().as_flat()), m);
        let other = ExpectedHypervolumeImprovement::new(big.as_ref(), &vec![unit; m]).unwrap();
        let small = ehvi(&front).log_value(&mean[..m], &std_dev[..m]).unwrap();
        let large = other.log_value(&scaled(&mean[..m]), &scaled(&std_dev[..m])).unwrap();
        let shift = m as f64 * f64::from(power) * std::f64::consts::LN_2;
        prop_assert!((large - small - shift).abs() <= 1e-14 * (1.0 + small.abs() + shift.abs()));
    }

    // Another order makes other boxes. Near duplicates make narrow ones.
    #[test]
    fn the_order_of_the_objectives_does_not_matter(
        front in fronts(4), mean in proptest::collection::vec(-1.0..9.0, 4), std_dev in proptest::collection::vec(0.05..0.6, 4),
    ) {
        let m = front.dim();
        let mut close = front.clone();
        for (at, row) in front.rows().enumerate() {
            let sign = |j: usize| if (at + j).is_multiple_of(2) { 1e-11 } else { -1e-12 };
            close.push(&row.iter().enumerate().map(|(j, x)| x + sign(j)).collect::<Vec<_>>());
        }
        let back = |row: &[f64]| row.iter().rev().copied().collect::<Vec<_>>();
        let turned: Vec<Vec<f64>> = close.rows().map(back).collect();
        let turned = if turned.is_empty() { Points::new(m) } else { Points::from_rows(&turned).unwrap() };
        let one = ehvi(&close).log_value(&mean[..m], &std_dev[..m]).unwrap();
        let other = ehvi(&turned).log_value(&back(&mean[..m]), &back(&std_dev[..m])).unwrap();
        prop_assert!((one - other).abs() <= 1e-14 * (1.0 + one.abs()), "{one} against {other}");
    }
}

#[test]
fn the_logarithm_is_finite_as_far_as_it_goes() {
    let front = Points::from_flat(vec![0.0, 0.5, 0.5, 0.0], 2);
    let ehvi = ehvi(&front);
    for far in [10.0, 1e3, 1e6, 1e20, 1e100] {
        let log = ehvi.log_value(&[far, far], &[1e-3, 1.0]).unwrap();
        // The first objective alone is -½ z², with z between the ends of the front; the second is a millionth of that.
        let square = |edge: f64| -0.5 * ((far - edge) / 1e-3).powi(2);
        assert!(log < 0.9999 * square(1.0) && log > 1.0001 * square(0.0), "{log} at {far}");
    }
}
