//! The average information of the likelihood, and fits that use it.

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_gp::{ExactLikelihood, Gp, GpSettings, Mean, Noise, Restart, Search, learn_parameters};
use thrifty_kernel::{
    Constant, Kernel, Matern32, Matern52, Product, RationalQuadratic, Scaled, SquaredExponential, Sum,
};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};
use thrifty_params::{LogLikelihood, MapObjective, Parameterized};
use thrifty_sampling::Seed;

fn kernels(dim: usize) -> Vec<Box<dyn Kernel>> {
    let matern = Scaled::new(Matern52::new(vec![0.6; dim]).unwrap(), 1.7).unwrap();
    let smooth = SquaredExponential::isotropic(dim, 1.1).unwrap();
    let product = Product::new(matern.clone(), smooth.clone()).unwrap();
    let sum = Sum::new(product.clone(), Scaled::new(Constant, 0.3).unwrap()).unwrap();
    // A product in a product has weights on both sides.
    let nested = Product::new(sum.clone(), Matern32::new(vec![2.0; dim]).unwrap()).unwrap();
    vec![Box::new(matern), Box::new(smooth), Box::new(product), Box::new(sum), Box::new(nested)]
}

fn learned_noise() -> Noise {
    Noise::Learned { start: 0.05, floor: 1e-6, ceiling: 1.0, prior: None }
}

/// `∂A/∂θ_p` by differences of the kernel; of the noise and the mean as it is.
fn derivatives(kernel: &dyn Kernel, x: &Points) -> Vec<Matrix> {
    let values: Vec<f64> = kernel.params().iter().map(|p| p.value).collect();
    let covariance = |p: usize, offset: f64| {
        let mut moved = kernel.clone_box();
        let mut to = values.clone();
        to[p] += offset;
        moved.set_params(&to);
        let mut out = Matrix::default();
        moved.cov_into(x.as_ref(), x.as_ref(), &mut out);
        out
    };
    let of = |p: usize| {
        let step = 1e-5 * values[p];
        let (above, below) = (covariance(p, step), covariance(p, -step));
        Matrix::from_fn(x.len(), x.len(), |i, j| (above[(i, j)] - below[(i, j)]) / (2.0 * step))
    };
    (0..values.len()).map(of).collect()
}

fn times(matrix: &Matrix, v: &[f64]) -> Vec<f64> {
    (0..matrix.rows()).map(|i| (0..matrix.cols()).map(|j| matrix[(i, j)] * v[j]).sum()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// `½ αᵀ ∂A/∂θ_p A⁻¹ ∂A/∂θ_q α`, of the mean `½ 1ᵀ A⁻¹ ∂A/∂θ_p α` and `1ᵀ A⁻¹ 1`, with dense algebra.
    #[test]
    fn information_is_that_of_the_formula(
        dim in 1_usize..4,
        coordinates in prop::collection::vec(0.0..1.0_f64, 60),
        y in prop::collection::vec(-2.0..2.0_f64, 20),
        n in 1_usize..20,
    ) {
        let x = Points::from_flat(coordinates[..n * dim].to_vec(), dim);
        let (y, known) = (&y[..n], vec![0.01; n]);
        for mut kernel in kernels(dim) {
            let moved = derivatives(&*kernel, &x);
            let mut covariance = Matrix::default();
            kernel.cov_into(x.as_ref(), x.as_ref(), &mut covariance);
            covariance.add_to_diagonal(0.06);
            let factor = Cholesky::new(&covariance, &JitterLadder::default()).unwrap();
            let solved = |v: &[f64]| {
                let mut v = v.to_vec();
                factor.solve_in_place(&mut v);
                v
            };
            let mut likelihood =
                ExactLikelihood::new(&mut kernel, x.as_ref(), y, &learned_noise(), Mean::Learned).with_known_noise(&known);
            let count = likelihood.params().len();
            let (mut gradient, mut found) = (vec![0.0; count], vec![f64::NAN; count * count]);
            likelihood.log_likelihood(&mut gradient).unwrap();
            prop_assert!(likelihood.information(&mut found));
            let alpha = solved(y);
            let mut columns: Vec<Vec<f64>> = moved.iter().map(|matrix| times(matrix, &alpha)).collect();
            columns.push(alpha.clone());
            columns.push(vec![1.0; n]);
            for p in 0..count {
                for q in 0..count {
                    let half = if p == count - 1 && q == count - 1 { 1.0 } else { 0.5 };
                    let expected = half * dot(&columns[p], &solved(&columns[q]));
                    let own = found[p * count + q];
                    prop_assert!((own - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "{p} {q}: {own} {expected}");
                }
            }
        }
    }
}

/// For logarithms the information is scaled by both values.
#[test]
fn curvature_is_on_the_scale_of_learning() {
    let (x, y) = data(12, 3);
    let mut kernel = Scaled::new(Matern52::new(vec![0.4, 0.9]).unwrap(), 2.0).unwrap();
    let noise = learned_noise();
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &noise, Mean::Learned);
    let params = likelihood.params();
    let (count, mut gradient) = (params.len(), vec![0.0; params.len()]);
    let mut natural = vec![0.0; count * count];
    likelihood.log_likelihood(&mut gradient).unwrap();
    assert!(likelihood.information(&mut natural));
    let mut objective = MapObjective::new(&mut likelihood).unwrap();
    let (start, mut found) = (objective.start(), vec![0.0; count * count]);
    objective.value_and_gradient(&start, &mut gradient);
    assert!(objective.curvature(&mut found));
    for (p, a) in params.iter().enumerate() {
        for (q, b) in params.iter().enumerate() {
            let by = |name: &str, value: f64| if name == "mean" { 1.0 } else { value };
            let expected = by(&a.name, a.value) * natural[p * count + q] * by(&b.name, b.value);
            assert!((found[p * count + q] - expected).abs() < 1e-12 * expected.abs().max(1.0));
        }
    }
}

fn data(n: usize, seed: u64) -> (Points, Vec<f64>) {
    let mut rng = Seed(seed).stream("data", 0);
    let x = Points::from_flat((0..2 * n).map(|_| rng.uniform()).collect(), 2);
    let y = x.rows().map(|row| (5.0 * row[0]).sin() + row[1] + 0.2 * (rng.uniform() - 0.5)).collect();
    (x, y)
}

fn learnt(mut kernel: Box<dyn Kernel>, n: usize, seed: u64, settings: &GpSettings) -> Vec<Restart> {
    let (x, y) = data(n, seed);
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &settings.noise, settings.mean);
    learn_parameters(&mut likelihood, settings, None, &mut Seed(seed).stream("fit", 0)).unwrap().1
}

fn highest(starts: &[Restart]) -> f64 {
    starts.iter().filter_map(|start| start.log_posterior).fold(f64::NEG_INFINITY, f64::max)
}

/// Fits from as many starts end no lower than by the tolerance, and take half the evaluations; so do rough ones with a polished
/// best.
#[test]
fn fits_by_information_end_as_high_with_half_the_evaluations() {
    for scout in [false, true] {
        let of = |search| GpSettings { noise: learned_noise(), search, scout, ..GpSettings::default() };
        let (mut by_gradients, mut by_information) = (0, 0);
        for seed in 0..12 {
            let kernel = || Scaled::new(Matern52::new(vec![1.0; 2]).unwrap(), 1.0).unwrap().clone_box();
            let count = |starts: &[Restart]| starts.iter().map(|start| start.evaluations).sum::<usize>();
            let before = learnt(kernel(), 40, seed, &of(Search::QuasiNewton));
            let now = learnt(kernel(), 40, seed, &of(Search::AverageInformation));
            assert!(
                highest(&now) > highest(&before) - 1e-3,
                "{seed}: {} {}",
                highest(&now),
                highest(&before)
            );
            assert_eq!(now.len(), 3);
            by_gradients += count(&before);
            by_information += count(&now);
        }
        assert!(2 * by_information < by_gradients, "{by_information} {by_gradients}");
    }
}

/// One start is never rough; several are if that is asked for, and the best then takes further evaluations.
#[test]
fn starts_are_rough_only_where_there_are_several() {
    let of = |scout, restarts| {
        let search = Search::AverageInformation;
        let settings =
            GpSettings { noise: learned_noise(), search, scout, restarts, ..GpSettings::default() };
        learnt(Scaled::new(Matern52::new(vec![1.0; 2]).unwrap(), 1.0).unwrap().clone_box(), 40, 3, &settings)
    };
    let alone = of(false, 0);
    assert_eq!(of(true, 0), alone);
    let (exact, rough) = (of(false, 3), of(true, 3));
    assert_eq!(exact[0], alone[0]);
    assert_ne!(rough, exact);
    assert!((highest(&rough) - highest(&exact)).abs() < 1e-6);
}

/// A kernel without products of derivatives is fitted as it always was, to the bit.
#[test]
fn kernels_without_information_are_fitted_by_gradients() {
    let kernel = || Box::new(RationalQuadratic::new(vec![0.7; 2]).unwrap());
    let of = |search| learnt(kernel(), 15, 1, &GpSettings { search, ..GpSettings::default() });
    assert_eq!(of(Search::AverageInformation), of(Search::QuasiNewton));
    // Nor do starts without a likelihood hide it: of equal points, without noise.
    let (x, y) = (Points::from_flat(vec![0.5; 6], 1), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    let noise = Noise::Learned { start: 1e-17, floor: 1e-30, ceiling: 1.0, prior: None };
    let of = |search| {
        let settings = GpSettings { noise: noise.clone(), search, restarts: 40, ..GpSettings::default() };
        let mut kernel = RationalQuadratic::new(vec![0.7]).unwrap();
        let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &noise, Mean::Zero);
        learn_parameters(&mut likelihood, &settings, Some(&[0.7, 1.0, 1e-17]), &mut Seed(0).stream("fit", 0))
    };
    let found = of(Search::AverageInformation);
    assert!(found.as_ref().is_ok_and(|(_, starts)| starts[0].log_posterior.is_none()), "{found:?}");
    assert_eq!(found, of(Search::QuasiNewton));
}

/// No points, one, duplicates, constants and extreme scales.
#[test]
fn degenerate_data_are_fitted() {
    let settings = GpSettings { search: Search::AverageInformation, ..GpSettings::default() };
    let process = || {
        Gp::new(Scaled::new(Matern52::new(vec![1.0]).unwrap(), 1.0).unwrap()).with_settings(settings.clone())
    };
    let line: Vec<f64> = (0..10).map(f64::from).collect();
    let cases: Vec<(Vec<f64>, Vec<f64>)> = vec![
        (vec![0.3], vec![2.0]),
        (vec![0.5; 8], vec![1.0, 2.0, 1.5, 0.5, 1.0, 2.0, 1.5, 0.5]),
        (line.clone(), vec![3.0; 10]),
        (line.clone(), line.iter().map(|v| 1e12 * v * v).collect()),
        (line.iter().map(|v| 1e-12 * v).collect(), line.iter().map(|v| 1e-12 * v.sin()).collect()),
    ];
    for (x, y) in cases {
        let points = Points::from_flat(x, 1);
        let fitted = process().fit(points.as_ref(), &y, &mut Seed(0).stream("fit", 0)).unwrap();
        assert!(fitted.log_likelihood().is_finite(), "{y:?}");
    }
    // Without points a start is the end.
    let (mut kernel, none) = (Matern52::new(vec![0.7]).unwrap(), Points::new(1));
    let mut likelihood =
        ExactLikelihood::new(&mut kernel, none.as_ref(), &[], &settings.noise, Mean::Learned);
    let start = vec![0.7, 1e-4, 0.0];
    let found = learn_parameters(&mut likelihood, &settings, None, &mut Seed(0).stream("fit", 0)).unwrap();
    assert!(found.0.iter().zip(&start).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", found.0);
}

#[test]
fn journals_do_not_mention_the_usual_search() {
    let json = |search| serde_json::to_string(&GpSettings { search, ..GpSettings::default() }).unwrap();
    assert!(!json(Search::QuasiNewton).contains("search"));
    let other = json(Search::AverageInformation);
    assert!(other.contains(r#""search":"average_information""#), "{other}");
    let read: GpSettings = serde_json::from_str(&other).unwrap();
    assert_eq!(read.search, Search::AverageInformation);
}

/// Fits without parameters are the process as it is, whatever the search.
#[test]
fn a_fit_without_parameters_conditions() {
    let x = Points::from_flat(vec![0.1, 0.4, 0.8], 1);
    let settings = GpSettings {
        noise: Noise::Fixed(0.1),
        mean: Mean::Zero,
        search: Search::AverageInformation,
        ..GpSettings::default()
    };
    let process = Gp::new(Constant).with_settings(settings);
    let y = [1.0, 2.0, 4.0];
    let fitted = process.fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0)).unwrap();
    let known = process.condition(x.as_ref(), &y).unwrap();
    assert_eq!(fitted.log_likelihood(), known.log_likelihood());
}
