//! Every kernel obeys the contract on random points; edges and bad parameters.

use proptest::prelude::*;
use thrifty_domain::Points;
use thrifty_kernel::{
    Constant, Kernel, KernelError, Matern12, Matern32, Matern52, Product, Scaled, SquaredExponential, Sum,
    contract,
};

fn points() -> impl Strategy<Value = Points> {
    (1_usize..6, 1_usize..30).prop_flat_map(|(dim, n)| {
        prop::collection::vec(-1.0..2.0_f64, n * dim).prop_map(move |data| Points::from_flat(data, dim))
    })
}

fn all(lengthscales: &[f64], variance: f64) -> Vec<Box<dyn Kernel>> {
    let l = || lengthscales.to_vec();
    let scaled = Scaled::new(Matern52::new(l()).unwrap(), variance).unwrap();
    let product = Product::new(scaled.clone(), Matern32::new(l()).unwrap()).unwrap();
    let bias = Sum::new(product.clone(), Scaled::new(Constant, 0.3).unwrap()).unwrap();
    vec![
        Box::new(SquaredExponential::new(l()).unwrap()),
        Box::new(Matern12::new(l()).unwrap()),
        Box::new(Matern32::new(l()).unwrap()),
        Box::new(Matern52::new(l()).unwrap()),
        Box::new(Constant),
        Box::new(scaled.clone()),
        Box::new(product),
        Box::new(Scaled::new(bias.clone(), variance).unwrap()),
        Box::new(Product::new(bias.boxed(), scaled.boxed()).unwrap()),
    ]
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
fn parameter_names_are_unique() {
    for kernel in all(&[1.0, 2.0], 1.0) {
        let mut names: Vec<String> = kernel.params().into_iter().map(|p| p.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
