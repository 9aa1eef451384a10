//! Slopes against finite differences, relations between utilities, and the edges.

use proptest::prelude::*;
use thrifty_acquisition::{
    AcquisitionFactory, AcquisitionKind, ConfidenceBound, Context, ExpectedImprovement, ExpectedUtility,
    Gibbon, ImprovementTarget, LogExpectedImprovement, LogProbabilityOfImprovement, MaxStdDev,
    MaxValueEntropySearch, PosteriorMean, ProbabilityOfImprovement, Schedule, Utility,
};
use thrifty_domain::{Domain, Points};
use thrifty_gp::Gp;
use thrifty_sampling::Seed;
use thrifty_surrogate::JOINT_LIMIT;

fn utilities(target: f64) -> Vec<(&'static str, Box<dyn Utility>)> {
    vec![
        ("pi", Box::new(ProbabilityOfImprovement { target })),
        ("log pi", Box::new(LogProbabilityOfImprovement { target })),
        ("ei", Box::new(ExpectedImprovement { target })),
        ("log ei", Box::new(LogExpectedImprovement { target })),
        ("bound", Box::new(ConfidenceBound { beta: 3.0 })),
        ("mean", Box::new(PosteriorMean)),
        ("deviation", Box::new(MaxStdDev)),
        ("max value", Box::new(MaxValueEntropySearch::new(vec![target - 1.0, target - 0.3]).unwrap())),
        ("gibbon", Box::new(Gibbon::new(vec![target - 1.0, target - 0.3], 0.0).unwrap())),
        ("noisy gibbon", Box::new(Gibbon::new(vec![target - 1.0, target - 0.3], 0.2).unwrap())),
        ("utility", Box::new(ExpectedUtility::new(move |v: f64| (target - v).max(0.0).powi(2)))),
    ]
}

proptest! {
    #[test]
    fn slopes_match_finite_differences(mean in -4.0..4.0_f64, std_dev in 0.2..3.0_f64, target in -1.0..1.0_f64) {
        for (name, utility) in utilities(target) {
            // Quadrature across a kink differs from the integral by up to 1e-5, and so do its differences.
            let tolerance = if name == "utility" { 2e-5 } else { 1e-6 };
            let (value, by_mean, by_std_dev) = utility.value_and_slopes(mean, std_dev);
            prop_assert!((value - utility.value(mean, std_dev)).abs() <= 1e-14 * (1.0 + value.abs()));
            let step = 1e-5;
            let found = (utility.value(mean + step, std_dev) - utility.value(mean - step, std_dev)) / (2.0 * step);
            prop_assert!((found - by_mean).abs() <= tolerance * (1.0 + found.abs()), "{name} by mean: {found} {by_mean}");
            let found = (utility.value(mean, std_dev + step) - utility.value(mean, std_dev - step)) / (2.0 * step);
            prop_assert!((found - by_std_dev).abs() <= tolerance * (1.0 + found.abs()), "{name}: {found} {by_std_dev}");
        }
    }

    #[test]
    fn logarithms_agree_and_quadrature_agrees(mean in -3.0..3.0_f64, std_dev in 0.01..3.0_f64, target in -1.0..1.0_f64) {
        let ei = ExpectedImprovement { target }.value(mean, std_dev);
        if ei > 1e-200 {
            let log = LogExpectedImprovement { target }.value(mean, std_dev);
            prop_assert!((ei.ln() - log).abs() <= 1e-10);
        }
        let by_quadrature = ExpectedUtility::new(|v: f64| (target - v).max(0.0)).value(mean, std_dev);
        prop_assert!((ei - by_quadrature).abs() <= 2e-5 * std_dev, "{ei} {by_quadrature}");
        let linear = ExpectedUtility::new(|v| 3.0 - 2.0 * v).value(mean, std_dev);
        prop_assert!((linear - (3.0 - 2.0 * mean)).abs() <= 1e-12 * (1.0 + std_dev));
        let smooth = ExpectedUtility::new(f64::cos).value(mean, std_dev);
        let exact = mean.cos() * (-0.5 * std_dev * std_dev).exp();
        prop_assert!((smooth - exact).abs() <= 1e-12, "{smooth} {exact}");
    }

    #[test]
    fn gradients_on_a_posterior_match_finite_differences(
        y in prop::collection::vec(-2.0..2.0_f64, 8), at in prop::collection::vec(0.05..0.95_f64, 6)
    ) {
        let x = Points::from_flat((0..16).map(|i| (f64::from(i) * 0.618).fract()).collect(), 2);
        let posterior = Gp::matern52(2).condition(x.as_ref(), &y).unwrap();
        let at = Points::from_flat(at, 2);
        // Around an observation log PI is like one over the squared distance: differences need room.
        let near = |a: &[f64], b: &[f64]| (a[0] - b[0]).hypot(a[1] - b[1]) < 0.06;
        prop_assume!(!at.rows().any(|a| x.rows().any(|b| near(a, b))));
        let rules = [
            AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestObserved),
            AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved),
            AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestWithMargin { xi: 0.1 }),
            AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 }),
            AcquisitionKind::PosteriorMean,
            AcquisitionKind::MaxStdDev,
        ];
        for rule in rules {
            let (domain, mut rng) = (Domain::unit_cube(2), Seed(1).stream("draws", 0));
            let context = Context {
                posterior: &posterior,
                target: rule.target().value(&y, &y),
                t: 3,
                domain: &domain,
                observed: x.as_ref(),
                running: 0,
                joint_limit: JOINT_LIMIT,
                is_promising: None,
                noise_variance: 0.0,
                rng: &mut rng,
            };
            let acquisition = rule.build(context).unwrap();
            let (mut values, mut gradients) = (vec![0.0; 3], vec![0.0; 6]);
            prop_assert!(acquisition.values_with_gradients_into(at.as_ref(), &mut values, &mut gradients));
            for (i, point) in at.rows().enumerate() {
                prop_assert!((acquisition.value(point) - values[i]).abs() <= 1e-9 * (1.0 + values[i].abs()));
                for d in 0..2 {
                    let along = |offset: f64| {
                        let mut moved = point.to_vec();
                        moved[d] += offset;
                        acquisition.value(&moved)
                    };
                    // Fourth order: beside an observation the standard deviation is small and its logarithm bends a lot.
                    let step = 3e-5;
                    let slope = (8.0 * (along(step) - along(-step)) - (along(2.0 * step) - along(-2.0 * step))) / (12.0 * step);
                    // Variances carry 1e-12 of rounding near observations, which the difference divides by the step.
                    let rounding = 1e-12 / step * 4.0 * values[i].abs();
                    let found = gradients[2 * i + d];
                    prop_assert!((slope - found).abs() <= 1e-6 * (1.0 + slope.abs()) + rounding, "{rule:?}: {slope} {found}");
                }
            }
        }
    }
}

#[test]
fn certain_points_and_hopeless_ones_have_answers() {
    for (name, utility) in utilities(0.0) {
        for (mean, std_dev) in
            [(1.0, 0.0), (0.0, 0.0), (-1.0, 0.0), (1.0, 1e-300), (1e12, 1.0), (-1e12, 1e-12)]
        {
            let (value, by_mean, by_std_dev) = utility.value_and_slopes(mean, std_dev);
            assert!(
                !value.is_nan() && !by_mean.is_nan() && !by_std_dev.is_nan(),
                "{name} at {mean}, {std_dev}"
            );
        }
    }
    assert_eq!(ExpectedImprovement { target: 0.0 }.value(-2.0, 0.0), 2.0);
    assert_eq!(ProbabilityOfImprovement { target: 0.0 }.value(0.0, 0.0), 0.0);
    assert!(LogExpectedImprovement { target: 0.0 }.value(1e6, 1.0).is_finite());
}

#[test]
fn thresholds_and_schedules() {
    let observed = [3.0, 1.0, 2.0];
    assert_eq!(ImprovementTarget::Fixed(5.0).value(&observed, &[]), 5.0);
    assert_eq!(ImprovementTarget::BestObserved.value(&observed, &[]), 1.0);
    assert_eq!(ImprovementTarget::BestMean.value(&observed, &[1.5, 1.25]), 1.25);
    assert_eq!(ImprovementTarget::BestWithMargin { xi: 0.5 }.value(&observed, &[]), 0.0);
    assert_eq!(ImprovementTarget::BestObserved.value(&[], &[]), f64::INFINITY);
    assert_eq!(Schedule::Constant { beta: 4.0 }.beta(10), Ok(4.0));
    // 2 ln(100 · 9 π² / 0.6)
    let srinivas = Schedule::SrinivasFinite { points: 100.0, delta: 0.1 }.beta(3).unwrap();
    assert!((srinivas - 2.0 * (900.0 * std::f64::consts::PI.powi(2) / 0.6).ln()).abs() < 1e-12);
    let brochu = Schedule::Brochu { dim: 2, delta: 0.1 }.beta(3).unwrap();
    assert!((brochu - 2.0 * (27.0 * std::f64::consts::PI.powi(2) / 0.3).ln()).abs() < 1e-12);
    assert!(Schedule::Constant { beta: -1.0 }.beta(1).unwrap_err().to_string().contains("beta is -1"));
    assert!(
        Schedule::Brochu { dim: 2, delta: 1.5 }.beta(1).unwrap_err().to_string().contains("delta is 1.5")
    );
    assert!(ExpectedUtility::new(|v| v).with_nodes(4).is_err());
}
