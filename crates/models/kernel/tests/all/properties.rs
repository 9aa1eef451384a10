//! Every kernel obeys the contract on random points; edges and bad parameters.

#![allow(clippy::single_range_in_vec_init)] // a block of columns is a range, and one block is common

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_kernel::{
    Conditional, Constant, Coregionalization, Exchangeable, ExponentialDecay, Hamming, Hierarchical, Kernel,
    KernelError, KernelWorkspace, Linear, Matern12, Matern32, Matern52, MemberCode, OnColumns, Periodic,
    Product, RationalQuadratic, Scaled, SquaredExponential, Sum, Warped, WhiteNoise, check_on, contract,
};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;

fn points() -> impl Strategy<Value = Points> {
    (1_usize..6, 1_usize..30).prop_flat_map(|(dim, n)| {
        // Some values come again, as levels do.
        let value = prop_oneof![3 => -1.0..2.0_f64, 1 => Just(0.0), 1 => Just(1.0)];
        prop::collection::vec(value, n * dim).prop_map(move |data| Points::from_flat(data, dim))
    })
}

fn all(lengthscales: &[f64], variance: f64) -> Vec<Box<dyn Kernel>> {
    let l = || lengthscales.to_vec();
    let scaled = Scaled::new(Matern52::new(l()).unwrap(), variance).unwrap();
    let product = Product::new(scaled.clone(), Matern32::new(l()).unwrap()).unwrap();
    let bias = Sum::new(product.clone(), Scaled::new(Constant, 0.3).unwrap()).unwrap();
    let (dim, last) = (lengthscales.len(), lengthscales.len() - 1);
    let first = || Matern52::new(vec![lengthscales[0]]).unwrap();
    let levels = Exchangeable::new(vec![0..1, last.max(1)..last.max(1) + 1], vec![0.3, 0.9]).unwrap();
    let members =
        || Scaled::new(Matern52::new(lengthscales[..last].to_vec()).unwrap(), 0.5 * variance).unwrap();
    let hierarchical: Vec<Box<dyn Kernel>> = (last > 0)
        .then(|| {
            let plain =
                Hierarchical::new(members(), Matern32::new(lengthscales[..last].to_vec()).unwrap(), 0.3)
                    .unwrap();
            [plain.clone().with_blocks(2, 0.6, None).unwrap().clone_box(), plain.clone_box()]
        })
        .into_iter()
        .flatten()
        .collect();
    let levels = if last == 0 { Exchangeable::new(vec![0..1], vec![0.3]).unwrap() } else { levels };
    let others: Vec<Box<dyn Kernel>> = vec![
        Box::new(RationalQuadratic::new(l()).unwrap().with_alpha(variance).unwrap()),
        Box::new(RationalQuadratic::isotropic(dim, variance).unwrap()),
        Box::new(
            Matern52::isotropic(dim, variance).unwrap() + Matern12::isotropic(dim, lengthscales[0]).unwrap(),
        ),
        Box::new(SquaredExponential::isotropic(dim, lengthscales[0]).unwrap()),
        Box::new(Periodic::new(l(), 1.3 * variance).unwrap()),
        Box::new(Periodic::new(l(), 1.3 * variance).unwrap().with_fixed_period()),
        Box::new(Linear::new(l()).unwrap()),
        Box::new(Sum::new(Linear::new(l()).unwrap(), Scaled::new(WhiteNoise, 0.4).unwrap()).unwrap()),
        Box::new(levels.clone()),
        Box::new(Hamming::new(vec![0..dim], vec![variance]).unwrap()),
        Box::new(coregionalized(0..1, lengthscales)),
        Box::new(Product::new(coregionalized(last..dim, lengthscales), Matern32::new(l()).unwrap()).unwrap()),
        Box::new(Product::new(levels, Scaled::new(Matern52::new(l()).unwrap(), variance).unwrap()).unwrap()),
        Box::new(OnColumns::new(first(), vec![last]).unwrap()),
        Box::new(Conditional::new(first(), vec![0], last, 0.2).unwrap()),
        Box::new(
            Product::new(
                Conditional::new(OnColumns::new(first(), vec![0]).unwrap(), vec![last], 0, 0.6).unwrap(),
                RationalQuadratic::new(l()).unwrap().with_alpha(0.7).unwrap(),
            )
            .unwrap(),
        ),
        Box::new(Warped::new(scaled.clone(), dim).unwrap()),
        Box::new(
            Warped::new(Product::new(Linear::new(l()).unwrap(), Matern32::new(l()).unwrap()).unwrap(), dim)
                .unwrap(),
        ),
        Box::new(SquaredExponential::new(l()).unwrap()),
        Box::new(Matern12::new(l()).unwrap()),
        Box::new(Matern32::new(l()).unwrap()),
        Box::new(Matern52::new(l()).unwrap()),
        Box::new(Constant),
        Box::new(scaled.clone()),
        Box::new(product),
        Box::new(Scaled::new(bias.clone(), variance).unwrap()),
        Box::new(Product::new(bias.clone_box(), scaled.clone_box()).unwrap()),
    ];
    hierarchical.into_iter().chain(others).collect()
}

/// Three levels with standard deviations and correlations from these numbers, in one column.
fn coregionalized(block: std::ops::Range<usize>, numbers: &[f64]) -> Coregionalization {
    let of = |i: usize| numbers[i % numbers.len()];
    let rows = [vec![1.0], vec![0.3 * of(0).sin(), 1.0], vec![0.4 * of(1).cos(), 0.3 * of(2).sin(), 1.0]];
    Coregionalization::from_correlations(block, &[of(0), of(1), of(2)], &rows).unwrap()
}

fn cases() -> impl Strategy<Value = (Points, Vec<f64>, f64)> {
    points().prop_flat_map(|x| {
        let dim = x.dim();
        (Just(x), prop::collection::vec(0.2..3.0_f64, dim), 0.1..5.0_f64)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn covariances_are_consistent((x, lengthscales, variance) in cases()) {
        for kernel in all(&lengthscales, variance) {
            contract::covariance_is_consistent(&*kernel, x.as_ref());
        }
    }

    #[test]
    fn lists_equal_pairs((x, lengthscales, variance) in cases()) {
        for kernel in all(&lengthscales, variance) {
            contract::lists_equal_pairs(&*kernel, x.as_ref());
        }
    }

    #[test]
    fn parameters_are_consistent((_, lengthscales, variance) in cases()) {
        for kernel in all(&lengthscales, variance) {
            contract::parameters_are_consistent(&*kernel);
        }
    }

    #[test]
    fn the_quick_check_passes((x, lengthscales, variance) in cases()) {
        for kernel in all(&lengthscales, variance) {
            prop_assert_eq!(check_on(&*kernel, x.as_ref()), Ok(()));
        }
    }

    /// One lengthscale for all dimensions is one each that are equal, and its gradient is their sum.
    #[test]
    fn isotropic_kernels_are_those_of_equal_lengthscales((x, lengthscales, _) in cases()) {
        let (dim, l) = (x.dim(), lengthscales[0]);
        let pairs: [(Box<dyn Kernel>, Box<dyn Kernel>); 3] = [
            (Box::new(Matern32::isotropic(dim, l).unwrap()), Box::new(Matern32::new(vec![l; dim]).unwrap())),
            (
                Box::new(SquaredExponential::isotropic(dim, l).unwrap()),
                Box::new(SquaredExponential::new(vec![l; dim]).unwrap()),
            ),
            (
                Box::new(RationalQuadratic::isotropic(dim, l).unwrap()),
                Box::new(RationalQuadratic::new(vec![l; dim]).unwrap()),
            ),
        ];
        for (isotropic, ard) in pairs {
            let passes = |kernel: &dyn Kernel| {
                let (mut workspace, mut out) = (KernelWorkspace::default(), Matrix::default());
                kernel.forward(x.as_ref(), 1.3, &mut workspace, &mut out);
                let weights = Matrix::from_fn(x.len(), x.len(), |i, j| if i >= j { 1.0 } else { 0.0 });
                let mut grad = vec![0.0; kernel.num_params()];
                let total = kernel.pull_back_params(x.as_ref(), &mut workspace, &weights, 0.7, &mut grad);
                (out, total, grad)
            };
            let (one, many) = (passes(&*isotropic), passes(&*ard));
            for j in 0..x.len() {
                prop_assert_eq!(&one.0.column(j)[j..], &many.0.column(j)[j..]);
            }
            prop_assert_eq!(one.1, many.1);
            let sum: f64 = many.2[..dim].iter().sum();
            prop_assert!((one.2[0] - sum).abs() <= 1e-12 * (1.0 + sum.abs()));
            prop_assert_eq!(&one.2[1..], &many.2[dim..]);
            let seed = || Seed(5).stream("features", 0);
            let [mut a, mut b] = [vec![0.0; 20], vec![0.0; 20]];
            isotropic.features(20, &mut seed()).unwrap().eval_into(x.row(0), &mut a);
            ard.features(20, &mut seed()).unwrap().eval_into(x.row(0), &mut b);
            prop_assert_eq!(a, b);
        }
    }

    #[test]
    fn random_features_match_their_kernel((x, lengthscales, variance) in cases(), seed in 0_u64..1000) {
        for (id, kernel) in all(&lengthscales, variance).into_iter().enumerate() {
            contract::features_match(&*kernel, x.as_ref(), &mut Seed(seed).stream("features", id as u64));
        }
    }

    #[test]
    fn pullbacks_match_finite_differences((x, lengthscales, variance) in cases()) {
        for kernel in all(&lengthscales, variance) {
            contract::gradients_match(&*kernel, x.as_ref(), 1e-6);
        }
    }
}

#[test]
fn far_and_coincident_points_are_finite() {
    let x = Points::from_rows(&[[0.0], [0.0], [1e100], [-1e12]]).unwrap();
    for kernel in all(&[1e-6], 1e12) {
        let mut out = thrifty_linalg::Matrix::default();
        let mut workspace = thrifty_kernel::KernelWorkspace::default();
        kernel.forward(x.as_ref(), 1.0, &mut workspace, &mut out);
        for j in 0..4 {
            assert!(out.column(j)[j..].iter().all(|v| v.is_finite()), "{:?}", out.column(j));
        }
        let mut gradient = [0.0];
        kernel.pull_back_input(&[0.0], x.as_ref(), &[1.0; 4], &mut gradient);
        assert!(gradient[0].is_finite());
    }
}

#[test]
fn bad_parameters_are_named() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Matern52::new(vec![1.0, bad]).unwrap_err();
        assert!(error.to_string().contains("lengthscale[1]"), "{error}");
        assert!(Scaled::new(Constant, bad).unwrap_err().to_string().contains("variance"));
        assert!(Matern52::new(vec![1.0]).unwrap().with_bounds(bad, 1.0).is_err());
    }
    assert!(Matern52::new(vec![1.0]).unwrap().with_bounds(2.0, 1.0).is_err());
    assert_eq!(Matern52::new(Vec::new()).unwrap_err(), KernelError::NoLengthscales);
    let mismatch =
        Sum::new(Matern52::new(vec![1.0]).unwrap(), Matern12::new(vec![1.0; 2]).unwrap()).unwrap_err();
    assert_eq!(mismatch, KernelError::DimensionMismatch { left: 1, right: 2 });
}

#[test]
fn bad_blocks_and_columns_are_named() {
    let one = || Matern52::new(vec![1.0]).unwrap();
    assert!(OnColumns::new(one(), vec![]).unwrap_err().to_string().contains("at least one"));
    assert!(OnColumns::new(one(), vec![1, 2]).unwrap_err().to_string().contains("takes 1"));
    assert!(OnColumns::new(Constant, vec![2, 2]).unwrap_err().to_string().contains("only once"));
    assert!(Exchangeable::new(vec![0..2, 1..3], vec![0.5; 2]).unwrap_err().to_string().contains("only once"));
    assert!(Exchangeable::new(vec![0..2, 3..3], vec![0.5; 2]).unwrap_err().to_string().contains("empty"));
    assert!(Hamming::new(vec![0..2], vec![1.0, 2.0]).unwrap_err().to_string().contains("1 blocks with 2"));
    assert!(Exchangeable::new(vec![0..1], vec![1.0]).unwrap_err().to_string().contains("correlation is 1"));
    assert!(Conditional::new(one(), vec![0], 1, f64::NAN).unwrap_err().to_string().contains("shared"));
    assert!(Warped::new(one(), 2).is_err() && Periodic::new(vec![1.0], 0.0).is_err());
}

#[test]
fn limits_and_special_cases() {
    let (x, y) = ([0.2, 0.7], [0.9, 0.1]);
    let close = |a: f64, b: f64, tolerance: f64| assert!((a - b).abs() < tolerance, "{a} against {b}");
    let se = SquaredExponential::new(vec![0.5, 0.8]).unwrap();
    let rational = RationalQuadratic::new(vec![0.5, 0.8]).unwrap();
    close(rational.with_alpha(1e9).unwrap().eval(&x, &y), se.eval(&x, &y), 1e-8);
    let periodic = Periodic::new(vec![0.5, 0.8], 0.3).unwrap();
    close(periodic.eval(&x, &[y[0] + 0.6, y[1] - 0.9]), periodic.eval(&x, &y), 1e-12);
    let hamming = Hamming::new(vec![0..1, 1..2], vec![2.0, 1.0]).unwrap();
    close(hamming.eval(&x, &y), (-1.5_f64).exp(), 1e-15);
    close(hamming.eval(&x, &[0.2, 0.1]), (-1.0_f64).exp(), 1e-15);
    // a = b = 1 bends nothing but the margin.
    close(Warped::new(se.clone(), 2).unwrap().eval(&x, &y), se.eval(&x, &y), 1e-5);
    let conditional = Conditional::new(Matern52::new(vec![0.4]).unwrap(), vec![0], 1, 0.25).unwrap();
    let base = Matern52::new(vec![0.4]).unwrap().eval(&[0.1], &[0.6]);
    close(conditional.eval(&[0.1, 1.0], &[0.6, 1.0]), 0.25 + 0.75 * base, 1e-15);
    close(conditional.eval(&[0.1, 0.0], &[0.6, 0.0]), 1.0, 1e-15);
    close(conditional.eval(&[0.5, 0.0], &[0.5, 1.0]), 0.25, 1e-15);
}

/// Bounds and priors given by name reach the parameter; a value outside the bounds moves into them.
#[test]
fn every_hyperparameter_takes_bounds_and_a_prior() {
    let prior = |mu: f64| Prior::LogNormal { mu, sigma: 1.0 };
    let named = |params: Vec<Param>| -> Vec<(String, f64, f64, f64, Option<Prior>)> {
        params.into_iter().map(|p| (p.name, p.value, p.low, p.high, p.prior)).collect()
    };
    let linear = Linear::new(vec![0.5, 7.0]).unwrap().with_bounds(0.1, 5.0).unwrap().with_prior(prior(1.0));
    let expected = [
        ("variance[0]".into(), 0.5, 0.1, 5.0, Some(prior(1.0))),
        ("variance[1]".into(), 5.0, 0.1, 5.0, Some(prior(1.0))),
    ];
    assert_eq!(named(linear.params()), expected);
    let periodic =
        Periodic::new(vec![0.5], 7.0).unwrap().with_bounds(0.2, 2.0).unwrap().with_prior(prior(2.0));
    let periodic = periodic.with_period_bounds(1.0, 6.0).unwrap().with_period_prior(prior(3.0));
    let lengthscale = ("lengthscale[0]".into(), 0.5, 0.2, 2.0, Some(prior(2.0)));
    let period = ("period".into(), 6.0, 1.0, 6.0, Some(prior(3.0)));
    assert_eq!(named(periodic.params()), [lengthscale.clone(), period]);
    assert_eq!(named(periodic.with_fixed_period().params()), [lengthscale]);
    let rational = RationalQuadratic::isotropic(2, 0.5).unwrap().with_bounds(0.2, 2.0).unwrap();
    let rational = rational.with_prior(prior(2.0)).with_alpha(9.0).unwrap();
    let rational = rational.with_alpha_bounds(0.5, 3.0).unwrap().with_alpha_prior(prior(4.0));
    let expected = [
        ("lengthscale".into(), 0.5, 0.2, 2.0, Some(prior(2.0))),
        ("alpha".into(), 3.0, 0.5, 3.0, Some(prior(4.0))),
    ];
    assert_eq!(named(rational.params()), expected);
    assert!(Linear::new(vec![1.0]).unwrap().with_bounds(-1.0, 1.0).is_err());
    assert!(Periodic::new(vec![1.0], 1.0).unwrap().with_period_bounds(2.0, 1.0).is_err());
    assert!(RationalQuadratic::new(vec![1.0]).unwrap().with_alpha(0.0).is_err());
    assert!(Matern52::isotropic(0, 1.0).is_err() && Matern52::isotropic(2, f64::NAN).is_err());
}

/// f and the deviations have variance 1, β = 0.4: 1 for f, 2 for a member, 1 + (1 + 2 β) / 3 for the mean of three.
#[test]
fn member_codes_choose_the_function() {
    let one = || Matern52::new(vec![0.3]).unwrap();
    let kernel = Hierarchical::new(one(), one(), 0.4).unwrap();
    let covariance = |a: MemberCode, b: MemberCode| kernel.eval(&[0.5, a.column()], &[0.5, b.column()]);
    let (f, mean) = (MemberCode::Common, MemberCode::MeanOf(3));
    let cases = [
        (f, f, 1.0),
        (MemberCode::Member(7), MemberCode::Member(7), 2.0),
        (MemberCode::Member(0), MemberCode::Member(1), 1.4),
        (MemberCode::Member(0), f, 1.0),
        (mean, mean, 1.0 + (1.0 + 2.0 * 0.4) / 3.0),
        (mean, MemberCode::Member(5), 1.4),
        (mean, MemberCode::Member(0), 1.0 + (1.0 + 2.0 * 0.4) / 3.0),
    ];
    for (a, b, expected) in cases {
        let found = covariance(a, b);
        assert!((found - expected).abs() < 1e-15, "{a:?}, {b:?}: {found} against {expected}");
    }
    assert!(std::panic::catch_unwind(|| MemberCode::MeanOf(1).column()).is_err());
}

#[test]
fn a_known_period_stays() {
    let mut periodic = Periodic::new(vec![0.5, 0.6], 7.0).unwrap().with_fixed_period();
    periodic.set_params(&[1.5, 1.6]);
    assert_eq!(periodic, Periodic::new(vec![1.5, 1.6], 7.0).unwrap().with_fixed_period());
    assert_eq!(periodic.with_period_bounds(1.0, 2.0).unwrap().period(), 7.0);
}

/// Values of the formula at a point whose squared scaled distance is 2: `(1 + 1/α)^(-α)`.
#[test]
fn rational_quadratic_is_its_formula() {
    for (alpha, expected) in [(1.0, 0.5), (2.0, 4.0 / 9.0), (0.5, 1.0 / 3_f64.sqrt())] {
        let kernel = RationalQuadratic::new(vec![0.5, 2.0]).unwrap().with_alpha(alpha).unwrap();
        let (x, y) = ([0.5, 2.0], [0.0, 0.0]);
        assert!((kernel.eval(&x, &y) - expected).abs() < 1e-15);
        // ∂k/∂α = k (1/(α + 1) - ln(1 + 1/α)), ∂k/∂ℓ_d = k/(1 + 1/α) (x_d - y_d)²/ℓ_d³.
        let mut grad = vec![0.0; 3];
        kernel.pull_back_pair(&x, &y, 1.0, &mut grad);
        let slope = expected * alpha / (1.0 + alpha);
        for (found, expected) in grad.iter().zip([
            slope / 0.5,
            slope / 2.0,
            expected * (1.0 / (alpha + 1.0) - (1.0 / alpha).ln_1p()),
        ]) {
            assert!((found - expected).abs() < 1e-15, "{found} against {expected}");
        }
    }
}

#[test]
fn profiles_keep_their_parameters_in_files() {
    let kernel = RationalQuadratic::isotropic(2, 0.5).unwrap().with_alpha(0.3).unwrap();
    let text = serde_json::to_string(&kernel).unwrap();
    let read: RationalQuadratic = serde_json::from_str(&text).unwrap();
    assert_eq!(read, kernel);
    assert_eq!(read.eval(&[0.0, 0.0], &[0.3, 0.1]), kernel.eval(&[0.0, 0.0], &[0.3, 0.1]));
    assert!(serde_json::from_str::<Matern52>(&text).is_err());
    let text = text.replace("rational_quadratic", "matern52");
    assert!(
        serde_json::from_str::<Matern52>(&text).unwrap_err().to_string().contains("1 profile parameters")
    );
}

/// Values that no kernel has, in files.
#[test]
fn values_from_files_are_checked() {
    let kernel = RationalQuadratic::isotropic(2, 0.5).unwrap().with_alpha(0.3).unwrap();
    let file = serde_json::to_value(&kernel).unwrap();
    let read = |at: &str, value: serde_json::Value| {
        let mut file = file.clone();
        *file.pointer_mut(at).unwrap() = value;
        serde_json::from_value::<RationalQuadratic>(file).map_err(|error| error.to_string())
    };
    assert_eq!(read("/lengthscales/values/0", 0.25.into()).unwrap().num_params(), kernel.num_params());
    for value in [0.0, -1.0] {
        let error = read("/lengthscales/values/0", value.into()).unwrap_err();
        assert!(error.contains(&format!("is {value}")), "{error}");
    }
    for values in [vec![], vec![0.3, 0.4]] {
        let (count, error) = (values.len(), read("/shape/0/values", values.into()).unwrap_err());
        assert!(error.contains(&format!("{count} values of a profile parameter")), "{error}");
    }
}

/// Files from before kernels could be isotropic, periods fixed and profiles have parameters.
#[test]
fn earlier_files_are_read() {
    let values = |values: &str, low: f64, high: f64| {
        format!(r#"{{"values":{values},"low":{low:?},"high":{high:?},"transform":"Log","prior":null}}"#)
    };
    let lengthscales = values("[0.3,0.4]", 0.001, 1000.0);
    let text = format!(r#"{{"lengthscales":{lengthscales},"profile":"matern52"}}"#);
    let kernel = Matern52::new(vec![0.3, 0.4]).unwrap();
    assert_eq!(serde_json::from_str::<Matern52>(&text).unwrap(), kernel);
    assert_eq!(serde_json::to_string(&kernel).unwrap(), text);
    let text = format!(r#"{{"lengthscales":{lengthscales},"alpha":{}}}"#, values("[2.5]", 0.01, 1000.0));
    let kernel = RationalQuadratic::new(vec![0.3, 0.4]).unwrap().with_alpha(2.5).unwrap();
    assert_eq!(serde_json::from_str::<RationalQuadratic>(&text).unwrap(), kernel);
    assert!(serde_json::from_str::<Matern52>(&text).is_err());
    let text = format!(r#"{{"lengthscales":{lengthscales},"period":{}}}"#, values("[7.0]", 0.001, 1000.0));
    let kernel = Periodic::new(vec![0.3, 0.4], 7.0).unwrap();
    assert_eq!(serde_json::from_str::<Periodic>(&text).unwrap(), kernel);
    let one = || Matern52::new(vec![0.3]).unwrap();
    let kernel = Hierarchical::new(one(), one(), 0.3).unwrap().with_blocks(2, 0.4, None).unwrap();
    let text = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<Hierarchical<Matern52, Matern52>>(&text).unwrap(), kernel);
    let text = text.replace("\"members\"", "\"likeness\"").replace("\"between\"", "\"likeness\"");
    assert_eq!(text.matches("likeness").count(), 2);
    assert_eq!(serde_json::from_str::<Hierarchical<Matern52, Matern52>>(&text).unwrap(), kernel);
}

/// A hyperparameter of which there is one has one value in a file, within bounds that make sense.
#[test]
fn files_of_single_hyperparameters_are_checked() {
    let scaled = Scaled::new(Matern52::new(vec![0.3, 0.4]).unwrap(), 2.0).unwrap();
    let text = serde_json::to_string(&scaled).unwrap();
    assert_eq!(serde_json::from_str::<Scaled<Matern52>>(&text).unwrap(), scaled);
    for (from, to, part) in [
        ("\"values\":[2.0]", "\"values\":[]", "0 values of a hyperparameter, expected 1"),
        ("\"values\":[2.0]", "\"values\":[2.0,3.0]", "2 values of a hyperparameter, expected 1"),
        ("\"low\":1e-6", "\"low\":0.0", "lower bound of hyperparameter"),
        ("\"high\":1000000.0", "\"high\":1e-9", "hyperparameter"),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        let error =
            serde_json::from_str::<Scaled<Matern52>>(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let periodic = serde_json::to_string(&Periodic::new(vec![0.3], 7.0).unwrap()).unwrap();
    assert!(serde_json::from_str::<Periodic>(&periodic.replace("[7.0]", "[]")).is_err());
}

/// The error of reading a kernel of a file after one value in it was replaced.
fn changed<K: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(
    kernel: &K,
    at: &str,
    value: serde_json::Value,
) -> String {
    let mut file = serde_json::to_value(kernel).unwrap();
    assert_eq!(serde_json::from_value::<K>(file.clone()).unwrap(), *kernel);
    *file.pointer_mut(at).unwrap() = value;
    serde_json::from_value::<K>(file).unwrap_err().to_string()
}

/// Parts that do not fit together, in files of composed kernels.
#[test]
fn files_of_composed_kernels_are_checked_as_by_their_constructors() {
    let on = |dim: usize| Matern52::new(vec![0.5; dim]).unwrap();
    let three = serde_json::to_value(on(3)).unwrap();
    let dimensions = "parts of a kernel take points of dimension";
    let sum = Sum::new(on(2), on(2)).unwrap();
    assert_eq!(changed(&sum, "/right", three.clone()), format!("{dimensions} 2 and 3"));
    let product = Product::new(on(2), on(2)).unwrap();
    assert_eq!(changed(&product, "/left", three.clone()), format!("{dimensions} 3 and 2"));
    let hierarchical = Hierarchical::new(on(2), on(2), 0.3).unwrap().with_blocks(4, 0.5, None).unwrap();
    assert_eq!(changed(&hierarchical, "/deviation", three.clone()), format!("{dimensions} 2 and 3"));
    assert!(changed(&hierarchical, "/members/blocks/size", serde_json::json!(0)).contains("nonzero"));

    let columns = OnColumns::new(on(2), vec![4, 1]).unwrap();
    for (value, problem) in [
        (serde_json::json!([4]), "columns [4]: the kernel takes 2 of them"),
        (serde_json::json!([4, 4]), "columns [4, 4]: expected each only once"),
        (serde_json::json!([]), "columns []: expected at least one"),
    ] {
        assert_eq!(changed(&columns, "/columns", value), problem);
    }
    let conditional = Conditional::new(on(2), vec![0, 1], 2, 0.3).unwrap();
    assert_eq!(
        changed(&conditional, "/columns", serde_json::json!([0])),
        "columns [0]: the kernel takes 2 of them"
    );
    assert!(changed(&conditional, "/shared/transform", serde_json::json!("Log")).contains("expected Logit"));
    let warped = Warped::new(on(2), 2).unwrap();
    assert_eq!(changed(&warped, "/kernel", three), format!("{dimensions} 3 and 2"));
    assert_eq!(changed(&warped, "/b/values", serde_json::json!([1.0])), format!("{dimensions} 2 and 1"));
    assert!(changed(&warped, "/a/transform", serde_json::json!("Identity")).contains("expected Log"));
    let decay = ExponentialDecay::new(1.0, 1.0).unwrap();
    assert!(
        changed(&decay, "/range", serde_json::json!([1.0, 0.0])).contains("expected the lower one first")
    );
}

/// Shared and fixed hyperparameters, which no constructor makes but for the lengthscale of an isotropic kernel and a known period.
#[test]
fn files_without_a_parameter_per_value_are_refused() {
    /// Reads a kernel after a flag was added to hyperparameters in its file.
    fn flagged<K: serde::Serialize + serde::de::DeserializeOwned>(
        kernel: &K,
        at: &str,
        flag: &str,
    ) -> Result<K, String> {
        let mut file = serde_json::to_value(kernel).unwrap();
        file.pointer_mut(at).unwrap()[flag] = true.into();
        serde_json::from_value(file).map_err(|error| error.to_string())
    }
    let matern = Matern52::new(vec![0.5, 0.5]).unwrap();
    let scaled = Scaled::new(matern.clone(), 2.0).unwrap();
    let decay = ExponentialDecay::new(1.0, 1.0).unwrap();
    let blocks = Hierarchical::new(matern.clone(), matern.clone(), 0.3).unwrap();
    let blocks = blocks.with_blocks(4, 0.5, None).unwrap();
    let periodic = Periodic::new(vec![1.0, 1.0], 7.0).unwrap();
    for flag in ["shared", "fixed"] {
        for found in [
            flagged(&scaled, "/variance", flag).err(),
            flagged(&decay, "/alpha", flag).err(),
            flagged(&decay, "/beta", flag).err(),
            flagged(&blocks, "/members/correlation", flag).err(),
            flagged(&blocks, "/members/blocks/between", flag).err(),
            flagged(&Linear::new(vec![1.0, 1.0]).unwrap(), "/variances", flag).err(),
            flagged(&periodic, "/lengthscales", flag).err(),
            flagged(&RationalQuadratic::new(vec![0.5]).unwrap(), "/shape/0", flag).err(),
        ] {
            let found = found.expect("an error");
            assert!(found.contains("hyperparameters that are shared or fixed, expected"), "{found}");
        }
    }
    let found = flagged(&matern, "/lengthscales", "fixed").unwrap_err();
    assert!(found.contains("fixed, expected learnt lengthscales"), "{found}");
    assert_eq!(flagged(&matern, "/lengthscales", "shared").unwrap().num_params(), 1);
    assert_eq!(flagged(&periodic, "/period", "fixed").unwrap(), periodic.with_fixed_period());
}

/// Numbers of values that no constructor accepts, in files.
#[test]
fn files_of_kernels_are_checked_as_by_their_constructors() {
    fn error<K: serde::de::DeserializeOwned>(text: &str) -> String {
        let read = serde_json::from_str::<K>(text).map(|_| "no error");
        read.map_or_else(|error| error.to_string(), ToString::to_string)
    }
    let log = |values: &str, flags: &str| {
        format!(r#"{{"values":{values},"low":0.1,"high":100.0,"transform":"Log","prior":null{flags}}}"#)
    };
    let two_blocks = r#""blocks":[{"start":0,"end":1},{"start":1,"end":2}]"#;
    let hamming =
        |blocks: &str, values: &str| error::<Hamming>(&format!(r#"{{{blocks},"values":{values}}}"#));
    assert_eq!(hamming(two_blocks, &log("[0.7,0.8]", "")), "no error");
    assert_eq!(hamming(two_blocks, &log("[0.7]", "")), "columns [0, 1]: 2 blocks with 1 values");
    let one_column = r#""blocks":[{"start":0,"end":1},{"start":0,"end":1}]"#;
    assert!(hamming(one_column, &log("[0.7,0.8]", "")).contains("expected each only once"));
    for flags in [r#","shared":true"#, r#","fixed":true"#] {
        let found = hamming(two_blocks, &log("[0.7,0.7]", flags));
        assert!(found.contains("expected one learnt value per block"), "{found}");
    }
    let logit = log("[0.7,0.8]", "").replace("Log", "Logit").replace("100.0", "0.9");
    assert!(hamming(two_blocks, &logit).contains("transform Logit, expected Log"));

    for flags in [r#","shared":true"#, ""] {
        let lengthscales = log("[]", flags);
        for found in [
            error::<Matern52>(&format!(r#"{{"lengthscales":{lengthscales},"profile":"matern52"}}"#)),
            error::<Periodic>(&format!(r#"{{"lengthscales":{lengthscales},"period":{}}}"#, log("[7.0]", ""))),
        ] {
            let of_kernel = found.contains("a kernel needs at least one lengthscale");
            assert!(of_kernel || found.contains("shared hyperparameters without a value"), "{found}");
        }
    }

    let kernel = Coregionalization::exchangeable(0..3, 3, 0.5).unwrap();
    let file = serde_json::to_value(&kernel).unwrap();
    assert_eq!(serde_json::from_value::<Coregionalization>(file.clone()).unwrap(), kernel);
    for (at, value, part) in [
        ("/angles/values", serde_json::json!([0.3]), "3 levels with 1 angles, expected 3"),
        ("/std_devs/values", serde_json::json!([1.0]), "1 levels, expected at least two"),
        ("/block/end", serde_json::json!(2), "3 levels, expected at least two, in one column or in one each"),
        ("/block/end", serde_json::json!(0), "expected at least one"),
    ] {
        let mut changed = file.clone();
        *changed.pointer_mut(at).unwrap() = value;
        let found = error::<Coregionalization>(&changed.to_string());
        assert!(found.contains(part), "{at}: {found}");
    }
}

#[test]
fn kernels_survive_a_file_and_are_not_read_as_another() {
    let kernel = Product::new(
        Scaled::new(Matern52::new(vec![0.3, 0.4]).unwrap(), 2.0).unwrap(),
        Exchangeable::new(vec![0..2], vec![0.5]).unwrap(),
    )
    .unwrap();
    let text = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<Product<Scaled<Matern52>, Exchangeable>>(&text).unwrap(), kernel);
    let text = serde_json::to_string(&Matern52::new(vec![0.3]).unwrap()).unwrap();
    let error = serde_json::from_str::<Matern32>(&text).unwrap_err();
    assert!(error.to_string().contains("kernel is matern52, expected matern32"), "{error}");
}

#[test]
fn parameter_names_are_unique() {
    for kernel in all(&[1.0, 2.0], 1.0) {
        let mut names: Vec<String> = kernel.params().into_iter().map(|p| p.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
