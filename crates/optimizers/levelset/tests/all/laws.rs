//! Laws of metrics, intervals and bounds, and their edges.

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_levelset::metrics::{BoundaryDistance, Confusion, boundary_of_grid, worst_misclassification};
use thrifty_levelset::theory::{
    MaternExponents, RunBounds, c1, cumulative_regret, greedy_information_gain, information_gain,
    regret_bound, sample_bound,
};
use thrifty_levelset::{Confidence, FixedGp, Intervals};
use thrifty_model_based::KernelFamily;
use thrifty_sampling::{Seed, Sobol};

#[test]
fn counts_and_shares() {
    let truth = [true, true, true, false, false];
    let said = [true, true, false, true, false];
    let counts = Confusion::of(&truth, &said).unwrap();
    assert_eq!(counts, Confusion { true_above: 2, false_above: 1, true_below: 1, false_below: 1 });
    assert!((counts.precision() - 2.0 / 3.0).abs() < 1e-15 && (counts.recall() - 2.0 / 3.0).abs() < 1e-15);
    assert!((counts.f1() - 2.0 / 3.0).abs() < 1e-15 && (counts.iou() - 0.5).abs() < 1e-15);
    assert!((counts.misclassified() - 0.4).abs() < 1e-15);
    assert!(Confusion::of(&truth, &said[..4]).is_none());
    // Nothing to find and nothing found.
    let nothing = Confusion::of(&[false; 3], &[false; 3]).unwrap();
    assert_eq!((nothing.f1(), nothing.iou(), nothing.misclassified()), (1.0, 1.0, 0.0));
    let missed = Confusion::of(&[true; 3], &[false; 3]).unwrap();
    assert_eq!((missed.f1(), missed.recall(), missed.misclassified()), (0.0, 0.0, 1.0));
    assert_eq!(worst_misclassification(&[1.0, 3.0, 2.0], &[true, false, true], 2.0), 1.0);
    assert_eq!(worst_misclassification(&[1.0, 3.0], &[false, true], 2.0), 0.0);
}

#[test]
fn boundaries_of_grids() {
    // A 3×3 grid whose first column (second axis at 0) is above.
    let above = [true, false, false, true, false, false, true, false, false];
    let boundary = boundary_of_grid(&[3, 3], &above).unwrap();
    assert_eq!(boundary, [[0.0, 0.25], [0.5, 0.25], [1.0, 0.25]]);
    assert!(boundary_of_grid(&[3, 3], &[true; 9]).unwrap().is_empty());
    assert!(
        boundary_of_grid(&[3, 3], &[true; 8]).is_none() && boundary_of_grid(&[1, 3], &[true; 3]).is_none()
    );
    let shifted = vec![vec![0.0, 0.75], vec![0.5, 0.75], vec![1.0, 0.75]];
    let distance = BoundaryDistance::between(&boundary, &shifted).unwrap();
    assert_eq!((distance.mean, distance.largest), (0.5, 0.5));
    assert!(BoundaryDistance::between(&boundary, &[]).is_none());
    assert_eq!(BoundaryDistance::between(&[], &[]).unwrap().largest, 0.0);
}

fn prior(points: &Points) -> Vec<f64> {
    let gp = FixedGp {
        family: KernelFamily::Matern52,
        lengthscales: vec![0.3; 2],
        variance: 1.0,
        mean: 0.0,
        noise_variance: 0.01,
    };
    gp.covariance(points.as_ref()).unwrap()
}

/// `ln det` by elimination with pivots on the diagonal.
fn log_det(mut a: Vec<f64>, n: usize) -> f64 {
    let mut total = 0.0;
    for k in 0..n {
        total += a[k * n + k].ln();
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    total
}

#[test]
fn information_is_the_determinant_and_the_greedy_choice_is_best_at_first() {
    let points = Sobol::scrambled(2, &mut Seed(1).stream("points", 0)).take(30);
    let (covariance, noise) = (prior(&points), 0.01);
    let visits = [3, 7, 3, 12, 29, 0];
    let realized = information_gain(&covariance, &visits, noise).unwrap();
    let m = visits.len();
    let matrix: Vec<f64> = (0..m * m)
        .map(|k| covariance[visits[k / m] * 30 + visits[k % m]] / noise + f64::from(k / m == k % m))
        .collect();
    assert!((realized[m - 1] - 0.5 * log_det(matrix, m)).abs() < 1e-10);
    let (chosen, greedy) = greedy_information_gain(&covariance, 10, noise).unwrap();
    assert_eq!(chosen.len(), 10);
    assert_eq!(information_gain(&covariance, &chosen, noise).unwrap(), greedy);
    // One point: the gain of the largest variance; then never less than 1 - 1/e of any other choice.
    assert!((greedy[0] - 0.5 * (1.0 + 1.0 / noise).ln()).abs() < 1e-12);
    assert!(greedy[m - 1] >= (1.0 - (-1.0_f64).exp()) * realized[m - 1]);
    assert!(greedy.windows(3).all(|w| w[2] - w[1] <= w[1] - w[0] + 1e-12), "diminishing returns");
    assert!(
        information_gain(&covariance, &[30], noise).is_err()
            && information_gain(&covariance[1..], &[0], noise).is_err()
    );
    assert!(
        greedy_information_gain(&covariance, 1, 0.0).is_err()
            && greedy_information_gain(&[], 1, 0.1).is_err()
    );
    assert!(information_gain(&covariance, &[], noise).unwrap().is_empty());
}

#[test]
fn bounds_by_hand() {
    // ln(1 + 1/0.25) = ln 5.
    assert!((c1(0.25) - 8.0 / 5_f64.ln()).abs() < 1e-14);
    assert!((regret_bound(100, 9.0, 4.0, 0.25) - (8.0 / 5_f64.ln() * 3600.0).sqrt()).abs() < 1e-12);
    assert_eq!(cumulative_regret(&[3.0, 1.0, 2.0], 1.0), [2.0, 2.0, 3.0]);
    // T/(β γ) with β = 2, γ_T = 1: T/2 ≥ C₁/4ε² at ε = 1.
    let t = sample_bound(&[2.0; 10], &[1.0; 10], 0.25, 1.0).unwrap();
    assert_eq!(t, (8.0 / 5_f64.ln() / 4.0 * 2.0).ceil() as usize);
    assert!(sample_bound(&[2.0; 10], &[1.0; 10], 0.25, 1e-3).is_none());
    // Corrected numbers for ν = 5/2, d = 2; the exponent of the active-learning notes for every ν is (d + 1)/(d + 2) = 0.75.
    let exponents = MaternExponents::new(2.5, 2);
    assert!((exponents.srinivas - 0.773).abs() < 5e-4 && (exponents.vakili - 0.643).abs() < 5e-4);
    assert!((MaternExponents::new(1.0, 2).vakili - 0.75).abs() < 1e-15, "which is that of order 1");
}

/// In units of the objective: a function a thousand times as large has bounds a thousand times as large.
#[test]
fn bounds_of_a_run() {
    let points = Sobol::scrambled(2, &mut Seed(2).stream("points", 0)).take(40);
    let visited = Sobol::scrambled(2, &mut Seed(3).stream("points", 0)).take(12);
    let of = |scale: f64| {
        let model = FixedGp {
            family: KernelFamily::Matern52,
            lengthscales: vec![0.3; 2],
            variance: scale * scale,
            mean: 0.0,
            noise_variance: 0.25 * scale * scale,
        };
        let confidence = Confidence::Gotovos { delta: 0.1 };
        RunBounds::of(&model, points.as_ref(), visited.as_ref(), confidence, 20.0 * scale).unwrap()
    };
    let (one, thousand) = (of(1.0), of(1e3));
    assert_eq!(one.information.len(), 12);
    assert!(one.information.iter().zip(&one.gamma).all(|(learnt, most)| learnt <= most));
    assert!((thousand.regret[11] / one.regret[11] - 1e3).abs() < 1e-6);
    assert!(one.samples.is_some() && one.samples == thousand.samples);
    let nothing = Points::new(2);
    let model = FixedGp {
        family: KernelFamily::Matern32,
        lengthscales: vec![0.3; 2],
        variance: 1.0,
        mean: 0.0,
        noise_variance: 0.1,
    };
    let none = RunBounds::of(&model, points.as_ref(), nothing.as_ref(), Confidence::default(), 0.1).unwrap();
    assert!(none.information.is_empty() && none.samples.is_none());
}

#[test]
fn widths_by_name() {
    assert_eq!(Confidence::default().beta(7, 900).unwrap(), 9.0);
    let gotovos = Confidence::Gotovos { delta: 0.1 }.beta(3, 900).unwrap();
    let by_hand = 2.0 * (900.0 * 9.0 * std::f64::consts::PI.powi(2) / 0.6).ln();
    assert!((gotovos - by_hand).abs() < 1e-12);
    assert_eq!(gotovos, Confidence::Srinivas { delta: 0.1 }.beta(3, 900).unwrap());
    assert!(Confidence::Constant { beta: -1.0 }.beta(1, 1).is_err());
}

proptest! {
    #[test]
    fn shares_agree_with_each_other(truth in prop::collection::vec(any::<bool>(), 1..60), seed in any::<u64>()) {
        let mut rng = Seed(seed).stream("said", 0);
        let said: Vec<bool> = truth.iter().map(|_| rng.uniform() < 0.5).collect();
        let counts = Confusion::of(&truth, &said).unwrap();
        let f1 = counts.f1();
        prop_assert!((counts.iou() - f1 / (2.0 - f1)).abs() < 1e-12);
        let (p, r) = (counts.precision(), counts.recall());
        if counts.true_above > 0 {
            prop_assert!((f1 - 2.0 * p * r / (p + r)).abs() < 1e-12);
        }
        let differ = truth.iter().zip(&said).filter(|(a, b)| a != b).count() as f64;
        prop_assert!((counts.misclassified() - differ / truth.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn intersections_only_shrink(steps in prop::collection::vec((-1.0..1.0_f64, 0.5..2.0_f64), 2..8)) {
        let mut all = Intervals::of(&[steps[0].0], &[steps[0].1], 9.0);
        for (mean, std_dev) in &steps[1..] {
            let (lower, upper) = (all.lower[0], all.upper[0]);
            let next = Intervals::of(&[*mean], &[*std_dev], 9.0);
            all.intersect(&next);
            // √β σ ≥ 1.5 > half the range of the means: they always meet.
            prop_assert!(all.lower[0] >= lower && all.upper[0] <= upper && all.lower[0] <= all.upper[0]);
            prop_assert!(all.lower[0] >= next.lower[0] && all.upper[0] <= next.upper[0]);
            prop_assert_eq!(all.contradictions, 0);
        }
    }
}
