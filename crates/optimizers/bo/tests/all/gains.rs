//! Expected gains of several objectives: beside pending points, over draws, and their gradients.

use proptest::prelude::*;
use thrifty_acquisition::{Acquisition, Analytic, LogFeasibility, Weighted};
use thrifty_bo::{GpSurrogate, LogExpectedHypervolume, LogNoisyExpectedHypervolume, UncertainFront};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_pareto::{ExpectedHypervolumeImprovement, hypervolume};
use thrifty_sampling::{Seed, Sobol};
use thrifty_surrogate::{
    FittedSurrogate, JointPosterior, Observations, Prediction, Surrogate, sample_jointly,
};

/// Gaussian processes of two objectives and a constraint on 12 points of a square.
fn models() -> (Points, Vec<Box<dyn FittedSurrogate>>) {
    let x = Sobol::scrambled(2, &mut Seed(5).stream("points", 0)).take(12);
    let columns: [fn(&[f64]) -> f64; 3] = [
        |x| x[0] * x[0] + x[1],
        |x| (x[0] - 1.0).powi(2) + x[1].sin(),
        |x| (9.0 * x[0]).sin() + (7.0 * x[1]).cos(),
    ];
    let fit = |column: &fn(&[f64]) -> f64| {
        let y: Vec<f64> = x.rows().map(column).collect();
        let mut rng = Seed(5).stream("fit", 0);
        let data = Observations::new(x.as_ref(), &y);
        GpSurrogate::default().fit(&Domain::unit_cube(2), data, None, &mut rng).unwrap()
    };
    let models = columns.iter().map(fit).collect();
    (x, models)
}

/// Joint posteriors of the models.
fn joint(models: &[Box<dyn FittedSurrogate>]) -> Vec<&dyn JointPosterior> {
    models.iter().map(|model| model.posterior().joint().unwrap()).collect()
}

/// Expected gain of a second point beside a pending one, by joint draws of both: mean and standard error.
fn gain_beside(
    models: &[&dyn JointPosterior],
    front: &Points,
    pair: &Points,
    reference: &[f64],
) -> (f64, f64) {
    let mut rng = Seed(8).stream("draws", 0);
    let draws: Vec<_> =
        models.iter().map(|m| sample_jointly(*m, pair.as_ref(), 20_000, &mut rng).unwrap()).collect();
    let gains: Vec<f64> = (0..20_000)
        .map(|s| {
            let mut known = front.clone();
            known.push(&draws.iter().map(|draw| draw[s][0]).collect::<Vec<f64>>());
            let before = hypervolume(known.as_ref(), reference).unwrap();
            known.push(&draws.iter().map(|draw| draw[s][1]).collect::<Vec<f64>>());
            hypervolume(known.as_ref(), reference).unwrap() - before
        })
        .collect();
    let mean = gains.iter().sum::<f64>() / 20_000.0;
    let variance = gains.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / 20_000.0;
    (mean, (variance / 20_000.0).sqrt())
}

#[test]
fn a_point_beside_a_pending_one_gains_what_joint_draws_say() {
    let (_, models) = models();
    let (front, reference) = (Points::from_flat(vec![0.1, 0.9, 0.4, 0.5, 1.1, 0.1], 2), [1.5, 1.5]);
    let objectives = joint(&models[..2]);
    let mut compared = 0;
    for pair in
        [[0.5, 0.02, 0.45, 0.05], [0.9, 0.01, 0.1, 0.03], [0.6, 0.0, 0.6, 0.01], [0.7, 0.02, 0.3, 0.0]]
    {
        let pair = Points::from_flat(pair.to_vec(), 2);
        let (expected, error) = gain_beside(&objectives, &front, &pair, &reference);
        let baseline = Points::from_flat(pair.row(0).to_vec(), 2);
        let uncertain = UncertainFront {
            fixed: front.as_ref(),
            baseline: baseline.as_ref(),
            constraints: &[],
            reference: &reference,
        };
        let mut rng = Seed(9).stream("fixed", 0);
        let ours = LogNoisyExpectedHypervolume::new(&objectives, uncertain, 1024, &mut rng).unwrap();
        let value = ours.value(pair.row(1)).exp();
        assert!(
            (value - expected).abs() <= 4.0 * error + 2e-3 * expected + 1e-30,
            "{value} {expected} ± {error}"
        );
        compared += usize::from(expected > 20.0 * error && error > 0.0);
    }
    assert!(compared >= 2, "{compared}");
}

/// Two objectives with wide posteriors: three observations of each in a square.
fn wide() -> Vec<GpPosterior<Scaled<Matern52>>> {
    let x = Points::from_flat(vec![0.1, 0.1, 0.9, 0.2, 0.3, 0.95], 2);
    let settings = || GpSettings { noise: Noise::Fixed(1e-6), ..GpSettings::default() };
    let process = |y: &[f64]| Gp::matern52(2).with_settings(settings()).condition(x.as_ref(), y).unwrap();
    vec![process(&[0.3, -0.6, 0.4]), process(&[-0.2, 0.7, -0.5]), process(&[0.5, -0.4, -0.1])]
}

/// The draws of one objective are independent of those of another, with few draws or many and with several points that run.
#[test]
fn draws_of_several_objectives_are_independent() {
    let models = wide();
    let models: Vec<&dyn JointPosterior> = models.iter().map(|m| m as &dyn JointPosterior).collect();
    let (front, reference) = (Points::from_flat(vec![-0.4, 0.5, 0.4, -0.3], 2), [1.0, 1.0]);
    for (pair, draws, seeds) in [
        ([0.62, 0.71, 0.6, 0.55], 4096, 10),
        ([0.5, 0.5, 0.62, 0.5], 4096, 10),
        ([0.62, 0.71, 0.6, 0.55], 32, 60),
    ] {
        let pair = Points::from_flat(pair.to_vec(), 2);
        let (expected, error) = gain_beside(&models[..2], &front, &pair, &reference);
        // The spread of one plain draw; what is known in closed form given a draw spreads less.
        let spread = error * 20_000_f64.sqrt();
        let baseline = Points::from_flat(pair.row(0).to_vec(), 2);
        let (fixed, baseline) = (front.as_ref(), baseline.as_ref());
        let uncertain = UncertainFront { fixed, baseline, constraints: &[], reference: &reference };
        let of = |seed| {
            let mut rng = Seed(seed).stream("draws", 0);
            let ours = LogNoisyExpectedHypervolume::new(&models[..2], uncertain, draws, &mut rng).unwrap();
            ours.value(pair.row(1)).exp()
        };
        let values: Vec<f64> = (0..seeds).map(of).collect();
        let bound = 4.0 * (error + spread / (draws as f64).sqrt());
        assert!(values.iter().all(|v| (v - expected).abs() < bound), "{values:?} {expected} ± {bound}");
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let bound = 4.0 * (error + spread / (draws as f64 * values.len() as f64).sqrt());
        assert!((mean - expected).abs() < bound, "{mean} {expected} ± {bound}");
    }
}

/// Draws of the constraints at a running trial are independent of its losses.
#[test]
fn draws_of_constraints_are_independent_of_objectives() {
    let models = wide();
    let models: Vec<&dyn JointPosterior> = models.iter().map(|m| m as &dyn JointPosterior).collect();
    let (front, reference) = (Points::from_flat(vec![-0.4, 0.5, 0.4, -0.3], 2), [1.0, 1.0]);
    let pair = Points::from_flat(vec![0.62, 0.71, 0.6, 0.55], 2);
    let mut rng = Seed(8).stream("draws", 0);
    let draws: Vec<_> =
        models.iter().map(|m| sample_jointly(*m, pair.as_ref(), 20_000, &mut rng).unwrap()).collect();
    let gains: Vec<f64> = (0..20_000)
        .map(|s| {
            let mut known = front.clone();
            if draws[2][s][0] <= 0.0 {
                known.push(&[draws[0][s][0], draws[1][s][0]]);
            }
            let before = hypervolume(known.as_ref(), &reference).unwrap();
            known.push(&[draws[0][s][1], draws[1][s][1]]);
            hypervolume(known.as_ref(), &reference).unwrap() - before
        })
        .collect();
    let expected = gains.iter().sum::<f64>() / 20_000.0;
    let spread = (gains.iter().map(|g| (g - expected).powi(2)).sum::<f64>() / 20_000.0).sqrt();
    let baseline = Points::from_flat(pair.row(0).to_vec(), 2);
    let (fixed, baseline) = (front.as_ref(), baseline.as_ref());
    let uncertain = UncertainFront { fixed, baseline, constraints: &models[2..], reference: &reference };
    let bound = 4.0 * spread * (20_000_f64.sqrt().recip() + 4096_f64.sqrt().recip());
    for seed in 0..10 {
        let mut rng = Seed(seed).stream("draws", 0);
        let ours = LogNoisyExpectedHypervolume::new(&models[..2], uncertain, 4096, &mut rng).unwrap();
        let value = ours.value(pair.row(1)).exp();
        assert!((value - expected).abs() < bound, "seed {seed}: {value} {expected} ± {bound}");
    }
}

#[test]
fn an_infeasible_baseline_leaves_the_front_as_it_is() {
    let (x, models) = models();
    let (front, reference) = (Points::from_flat(vec![0.1, 0.9, 0.4, 0.5, 1.1, 0.1], 2), [1.5, 1.5]);
    let objectives = joint(&models[..2]);
    let certain = ExpectedHypervolumeImprovement::new(front.as_ref(), &reference).unwrap();
    let certain = LogExpectedHypervolume {
        objectives: models[..2].iter().map(|m| m.posterior()).collect(),
        improvement: certain,
    };
    // The mean of the first objective is positive where it was measured: as a constraint it is broken there.
    let broken = joint(&models[..1]);
    let worst = (0..x.len()).max_by(|a, b| x.row(*a)[0].total_cmp(&x.row(*b)[0])).unwrap();
    let baseline = Points::from_flat(x.row(worst).to_vec(), 2);
    let mut values = Vec::new();
    for constraints in [&broken[..], &[]] {
        let uncertain = UncertainFront {
            fixed: front.as_ref(),
            baseline: baseline.as_ref(),
            constraints,
            reference: &reference,
        };
        let mut rng = Seed(9).stream("fixed", 0);
        let ours = LogNoisyExpectedHypervolume::new(&objectives, uncertain, 64, &mut rng).unwrap();
        values.push(ours.value(&[0.3, 0.1]));
    }
    assert!((values[0] - certain.value(&[0.3, 0.1])).abs() < 1e-3, "{values:?}");
}

#[test]
fn an_empty_baseline_and_no_draws_are_errors() {
    let (x, models) = models();
    let objectives = joint(&models[..2]);
    let front = Points::new(2);
    let refused = |baseline: &Points, draws, reference: &[f64]| {
        let uncertain = UncertainFront {
            fixed: front.as_ref(),
            baseline: baseline.as_ref(),
            constraints: &[],
            reference,
        };
        let built =
            LogNoisyExpectedHypervolume::new(&objectives, uncertain, draws, &mut Seed(9).stream("fixed", 0));
        built.err().expect("refused").to_string()
    };
    assert!(refused(&Points::new(2), 4, &[1.0, 1.0]).contains("baseline"));
    assert!(refused(&x, 0, &[1.0, 1.0]).contains("draws"));
    assert!(refused(&x, 4, &[1.0, f64::NAN]).contains("NaN"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    /// The gradient of ln EHVI with feasibility agrees with finite differences, and its value with that of the parts.
    #[test]
    fn gradients_match_differences(x in prop::collection::vec(0.02..0.98_f64, 2)) {
        let (_, models) = models();
        let front = Points::from_flat(vec![0.1, 0.9, 0.4, 0.5, 1.1, 0.1], 2);
        let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), &[1.5, 1.5]).unwrap();
        let objectives = vec![models[0].posterior(), models[1].posterior()];
        let at: Vec<Prediction> = models.iter().map(|m| m.posterior().predict(&x)).collect();
        let log = improvement
            .log_value(&[at[0].mean, at[1].mean], &[at[0].std_dev(), at[1].std_dev()])
            .unwrap();
        let ehvi = LogExpectedHypervolume { objectives, improvement };
        prop_assert!((ehvi.value(&x) - log).abs() < 1e-9 * (1.0 + log.abs()));
        let feasible = Analytic::new(models[2].posterior(), LogFeasibility { threshold: 0.0 });
        let both = Weighted::log_utility(ehvi).times(feasible);
        let (mut value, mut gradient) = ([0.0], [0.0; 2]);
        prop_assert!(both.values_with_gradients_into(PointsRef::single(&x), &mut value, &mut gradient));
        let expected = log + thrifty_prob::log_cdf(-at[2].mean / at[2].std_dev());
        prop_assert!((value[0] - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{} {expected}", value[0]);
        for k in 0..2 {
            let at = |step: f64| {
                let mut moved = x.clone();
                moved[k] += step;
                both.value(&moved)
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            prop_assert!((gradient[k] - numeric).abs() < 1e-3 * (1.0 + numeric.abs()), "{} {numeric}", gradient[k]);
        }
    }

    /// Gradients of the improvement on a front that is drawn, constraints and all.
    #[test]
    fn gradients_over_draws_match_differences(x in prop::collection::vec(0.02..0.98_f64, 2), objectives in 2..=3_usize) {
        let (measured, models) = models();
        let joint = joint(&models);
        let mut baseline = measured.clone();
        baseline.push(&[0.31, 0.07]);
        let front = Points::new(objectives);
        let uncertain = UncertainFront {
            fixed: front.as_ref(),
            baseline: baseline.as_ref(),
            constraints: &joint[objectives..],
            reference: &[1.5, 1.5, 2.5][..objectives],
        };
        let mut rng = Seed(9).stream("fixed", 0);
        let ours = LogNoisyExpectedHypervolume::new(&joint[..objectives], uncertain, 8, &mut rng).unwrap();
        let (mut value, mut gradient) = ([0.0], [0.0; 2]);
        prop_assert!(ours.values_with_gradients_into(PointsRef::single(&x), &mut value, &mut gradient));
        prop_assert!((value[0] - ours.value(&x)).abs() < 1e-9 * (1.0 + value[0].abs()));
        // A logarithm far below any improvement is all curvature; finite differences do not resolve it.
        prop_assume!(value[0] > -30.0);
        for k in 0..2 {
            let at = |step: f64| {
                let mut moved = x.clone();
                moved[k] += step;
                ours.value(&moved)
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            prop_assert!((gradient[k] - numeric).abs() < 1e-2 * (1.0 + numeric.abs()), "{} {numeric}", gradient[k]);
        }
    }
}

/// Values and slopes of many points are those of each alone, for fronts that are known and fronts that are drawn.
#[test]
fn many_points_at_once_are_those_of_each() {
    let (measured, models) = models();
    let joint = joint(&models);
    let front = Points::from_flat(vec![0.1, 0.9, 0.4, 0.5, 1.1, 0.1], 2);
    let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), &[1.5, 1.5]).unwrap();
    let objectives = vec![models[0].posterior(), models[1].posterior()];
    let uncertain = UncertainFront {
        fixed: front.as_ref(),
        baseline: measured.as_ref(),
        constraints: &joint[2..],
        reference: &[1.5, 1.5],
    };
    let mut rng = Seed(9).stream("fixed", 0);
    let noisy = LogNoisyExpectedHypervolume::new(&joint[..2], uncertain, 8, &mut rng).unwrap();
    let x = Sobol::scrambled(2, &mut Seed(6).stream("points", 0)).take(5);
    for acquisition in [&LogExpectedHypervolume { objectives, improvement } as &dyn Acquisition, &noisy] {
        let (mut values, mut gradients, mut alone) = ([0.0; 5], [f64::NAN; 10], [0.0; 5]);
        assert!(acquisition.values_with_gradients_into(x.as_ref(), &mut values, &mut gradients));
        acquisition.values_into(x.as_ref(), &mut alone);
        for (i, row) in x.rows().enumerate() {
            let (mut value, mut gradient) = ([0.0], [f64::NAN; 2]);
            assert!(acquisition.values_with_gradients_into(
                PointsRef::single(row),
                &mut value,
                &mut gradient
            ));
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
            assert!(close(values[i], value[0]) && close(alone[i], value[0]), "{i}: {values:?} {value:?}");
            assert!((0..2).all(|k| close(gradients[2 * i + k], gradient[k])), "{i}: {gradients:?}");
        }
    }
}
