//! Laws of the estimator: it is a density, however it is laid out, and draws follow it.

use proptest::prelude::*;
use thrifty_sampling::Seed;
use thrifty_tpe::{
    Axis, Bandwidth, BandwidthRule, CategoricalKernel, Choices, Dimension, Estimator, Floor, GridEnds,
    Kernels, Layout, Observed, SideWeights, Truncation, Weights,
};

fn rules() -> impl Strategy<Value = Kernels> {
    let rule = prop_oneof![
        (any::<bool>(), any::<bool>()).prop_map(|(prior, bounds)| BandwidthRule::Neighbors { prior, bounds }),
        Just(BandwidthRule::Scott),
        Just(BandwidthRule::FifthOfRange),
    ];
    let floor = prop_oneof![
        Just(Floor::MAGIC_CLIP),
        Just(Floor::WATANABE),
        Just(Floor { factor: 0.1, exponent: 0.5, steps: 0.7 })
    ];
    (rule, floor, any::<bool>(), any::<bool>(), 0.1..3.0_f64).prop_map(
        |(rule, floor, mixture, counts, prior_weight)| Kernels {
            bandwidth: Bandwidth { rule, floor },
            truncation: if mixture { Truncation::Mixture } else { Truncation::Component },
            categorical: if counts { CategoricalKernel::Counts } else { CategoricalKernel::Smoothed },
            prior_weight,
        },
    )
}

fn float() -> impl Strategy<Value = (Axis, Vec<f64>)> {
    (any::<bool>(), -3..3_i32, proptest::collection::vec(0.0..=1.0_f64, 0..40)).prop_map(
        |(log, scale, places)| {
            let (low, high) = (10_f64.powi(scale), 10_f64.powi(scale) * 50.0);
            let axis = Axis::float(low, high, log).unwrap();
            let (a, b) = axis.bounds;
            // Rounded, so that some are equal.
            let value = |u: f64| axis.value(a + (20.0 * u).round() / 20.0 * (b - a)).clamp(low, high);
            (axis, places.into_iter().map(value).collect())
        },
    )
}

fn weights(n: usize) -> SideWeights {
    Weights::LinearForgetting.of(&vec![0.0; n], None)
}

fn fit(dimension: &Dimension, values: &[f64], kernels: &Kernels, layout: Layout) -> Estimator {
    let observed = vec![Observed::new(dimension, values)];
    Estimator::fit(std::slice::from_ref(dimension), observed, &weights(values.len()), kernels, layout)
        .unwrap()
}

fn log_densities(estimator: &Estimator, points: &[f64], dim: usize) -> Vec<f64> {
    let mut out = vec![0.0; points.len() / dim];
    estimator.log_density_into(points, &mut out);
    out
}

proptest! {
    #[test]
    fn a_density_of_numbers_integrates_to_1((axis, values) in float(), kernels in rules()) {
        let estimator = fit(&Dimension::Numeric(axis), &values, &kernels, Layout::Compact);
        let (a, b) = axis.bounds;
        // Simpson's rule; the narrowest kernels are a hundredth of the range.
        let n = 4000;
        let points: Vec<f64> = (0..=n).map(|i| a + (b - a) * f64::from(i) / f64::from(n)).collect();
        let densities = log_densities(&estimator, &points, 1);
        let weight = |i: usize| if i == 0 || i == points.len() - 1 { 1.0 } else if i % 2 == 1 { 4.0 } else { 2.0 };
        let sum: f64 = densities.iter().enumerate().map(|(i, d)| weight(i) * d.exp()).sum();
        let integral = sum * (b - a) / f64::from(n) / 3.0;
        prop_assert!((integral - 1.0).abs() < 1e-6, "{integral}");
    }

    #[test]
    fn probabilities_of_a_grid_add_up_to_1(
        count in 2..40_i32, rest in prop_oneof![Just(0.0), 0.0..0.99_f64], log in any::<bool>(), cut in any::<bool>(),
        kernels in rules(), levels in proptest::collection::vec(0.0..1.0_f64, 0..60),
    ) {
        let ends = if cut { GridEnds::Cut } else { GridEnds::Whole };
        // The range need not be a multiple of the step.
        let axis = Axis::grid(1.0, f64::from(count) + rest, 1.0, log, ends).unwrap();
        let values: Vec<f64> = levels.iter().map(|u| (1.0 + u * f64::from(count)).floor()).collect();
        let all: Vec<f64> = (1..=count).map(f64::from).collect();
        for layout in [Layout::Compact, Layout::Observations] {
            let estimator = fit(&Dimension::Numeric(axis), &values, &kernels, layout);
            let sum: f64 = log_densities(&estimator, &all, 1).iter().map(|p| p.exp()).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        }
    }

    #[test]
    fn probabilities_of_choices_add_up_to_1(
        count in 1..8_usize, kernels in rules(), chosen in proptest::collection::vec(0..100_usize, 0..40),
    ) {
        let distances: Vec<Vec<f64>> =
            (0..count).map(|i| (0..count).map(|j| (i as f64 - j as f64).abs()).collect()).collect();
        let values: Vec<f64> = chosen.iter().map(|c| (c % count) as f64).collect();
        let all: Vec<f64> = (0..count).map(|c| c as f64).collect();
        let plain = Choices::uniform(count).unwrap();
        for choices in [plain.clone(), plain.with_distances(distances).unwrap()] {
            let estimator = fit(&Dimension::Categorical(choices), &values, &kernels, Layout::Compact);
            let sum: f64 = log_densities(&estimator, &all, 1).iter().map(|p| p.exp()).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        }
    }

    /// Merged kernels and windows change nothing; 400 observations are enough for windows.
    #[test]
    fn layouts_agree((axis, few) in float(), kernels in rules(), many in any::<bool>()) {
        let (a, b) = axis.bounds;
        let spread: Vec<f64> = (0..400).map(|i| axis.value(a + (b - a) * (f64::from(i) * 0.618_034).fract())).collect();
        let values = if many { &spread } else { &few };
        let dimension = Dimension::Numeric(axis);
        let points: Vec<f64> = (0..=50).map(|i| a + (b - a) * f64::from(i) / 50.0).collect();
        let [one, other] = [Layout::Compact, Layout::Observations]
            .map(|layout| log_densities(&fit(&dimension, values, &kernels, layout), &points, 1));
        for (x, y) in one.iter().zip(&other) {
            prop_assert!((x - y).abs() < 1e-11 * (1.0 + x.abs()), "{x} {y}");
        }
    }

    /// A product of kernels of which one parameter is missing everywhere is that of the others, whatever its prior.
    #[test]
    fn what_is_never_active_does_not_matter((axis, values) in float(), kernels in rules()) {
        let other = Axis::float(0.0, 1.0, false).unwrap();
        let dimensions = [Dimension::Numeric(axis), Dimension::Numeric(other)];
        let missing = vec![f64::NAN; values.len()];
        let observed = vec![Observed::new(&dimensions[0], &values), Observed::new(&dimensions[1], &missing)];
        let mut rules = kernels;
        // The width may depend on how many parameters there are.
        if !matches!(rules.bandwidth.rule, BandwidthRule::Neighbors { .. }) {
            rules.bandwidth.rule = BandwidthRule::Neighbors { prior: true, bounds: true };
        }
        let both = Estimator::fit(&dimensions, observed, &weights(values.len()), &rules, Layout::Observations).unwrap();
        let alone = fit(&dimensions[0], &values, &rules, Layout::Observations);
        let (a, b) = axis.bounds;
        let points: Vec<f64> = (0..=20).map(|i| a + (b - a) * f64::from(i) / 20.0).collect();
        let pairs: Vec<f64> = points.iter().flat_map(|x| [*x, f64::NAN]).collect();
        for (x, y) in log_densities(&both, &pairs, 2).iter().zip(log_densities(&alone, &points, 1)) {
            prop_assert!((x - y).abs() < 1e-10 * (1.0 + x.abs()), "{x} {y}");
        }
    }
}

/// Draws of a joint density fall into cells at the rate of the density: χ² of 9 cells under its 1e-6 quantile.
#[test]
fn draws_follow_the_density() {
    let kernels = Kernels {
        bandwidth: Bandwidth {
            rule: BandwidthRule::Neighbors { prior: false, bounds: false },
            floor: Floor::MAGIC_CLIP,
        },
        truncation: Truncation::Component,
        categorical: CategoricalKernel::Smoothed,
        prior_weight: 1.0,
    };
    let dimensions = [
        Dimension::Numeric(Axis::grid(1.0, 3.0, 1.0, true, GridEnds::Whole).unwrap()),
        Dimension::Categorical(Choices::with_probabilities(vec![0.2, 0.3, 0.5]).unwrap()),
    ];
    let observed = [
        Observed::new(&dimensions[0], &[1.0, 3.0, 3.0, 2.0]),
        Observed::new(&dimensions[1], &[0.0, 2.0, 2.0, 1.0]),
    ];
    for truncation in [Truncation::Component, Truncation::Mixture] {
        let kernels = Kernels { truncation, ..kernels };
        let estimator =
            Estimator::fit(&dimensions, observed.to_vec(), &weights(4), &kernels, Layout::Observations)
                .unwrap();
        let cells: Vec<[f64; 2]> = (0..9).map(|i| [f64::from(1 + i / 3), f64::from(i % 3)]).collect();
        let expected = log_densities(&estimator, &cells.concat(), 2);
        assert!((expected.iter().map(|p| p.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
        let mut rng = Seed(4).stream("draws", 0);
        let n = 20_000;
        let mut counts = [0.0; 9];
        for _ in 0..n {
            let kernel = estimator.draw_kernel(&mut rng);
            let (level, choice) = (estimator.draw(0, kernel, &mut rng), estimator.draw(1, kernel, &mut rng));
            counts[(3.0 * (level - 1.0) + choice) as usize] += 1.0;
        }
        let chi2: f64 = counts
            .iter()
            .zip(&expected)
            .map(|(c, p)| (c - f64::from(n) * p.exp()).powi(2) / (f64::from(n) * p.exp()))
            .sum();
        assert!(chi2 < 42.7, "{chi2}: {counts:?}");
    }
}

#[test]
fn draws_of_numbers_stay_within_bounds_and_follow_the_density() {
    let axis = Axis::float(1e-4, 1.0, true).unwrap().with_prior(-20.0, 3.0).unwrap();
    let kernels = Kernels { truncation: Truncation::Mixture, ..Kernels::default() };
    let estimator = fit(&Dimension::Numeric(axis), &[1e-4, 2e-4, 1.0], &kernels, Layout::Compact);
    let mut rng = Seed(5).stream("draws", 0);
    let (a, b) = axis.bounds;
    let cells = 10;
    let mut counts = vec![0.0; cells];
    let n = 20_000;
    for _ in 0..n {
        let kernel = estimator.draw_kernel(&mut rng);
        let x = estimator.draw(0, kernel, &mut rng);
        assert!((a..=b).contains(&x), "{x}");
        counts[((x - a) / (b - a) * cells as f64).min(cells as f64 - 1.0) as usize] += 1.0;
    }
    for (i, count) in counts.iter().enumerate() {
        let points: Vec<f64> = (0..400)
            .map(|j| a + (b - a) * (i as f64 + (f64::from(j) + 0.5) / 400.0) / cells as f64)
            .collect();
        let mean: f64 = log_densities(&estimator, &points, 1).iter().map(|p| p.exp()).sum::<f64>() / 400.0;
        let expected = f64::from(n) * mean * (b - a) / cells as f64;
        // Six standard deviations of a count.
        assert!((count - expected).abs() < 6.0 * expected.sqrt() + 1.0, "cell {i}: {count} for {expected}");
    }
}

/// Values 0 and 10 up to 19: what is drawn beyond the half step around the last value is that value.
#[test]
fn the_last_value_of_a_cut_grid_has_all_up_to_the_bound() {
    let axis = Axis::grid(0.0, 19.0, 10.0, false, GridEnds::Cut).unwrap();
    assert_eq!([0.0, 10.0].map(|value| axis.cell(value)), [(0.0, 5.0), (5.0, 19.0)]);
    let estimator = fit(&Dimension::Numeric(axis), &[10.0, 10.0], &Kernels::default(), Layout::Compact);
    let expected = log_densities(&estimator, &[10.0], 1)[0].exp();
    let mut rng = Seed(6).stream("draws", 0);
    let n = 10_000;
    let last = (0..n).filter(|_| {
        let kernel = estimator.draw_kernel(&mut rng);
        estimator.draw(0, kernel, &mut rng) == 10.0
    });
    let share = last.count() as f64 / f64::from(n);
    // Four standard deviations of a share of 10,000 draws.
    assert!((share - expected).abs() < 0.02, "{share}, expected {expected}");
}
