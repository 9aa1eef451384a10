//! The quick check of a kernel on data: faults come back with the points that show them.

use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::{
    Conditional, Constant, Coregionalization, Exchangeable, Hierarchical, Kernel, KernelError, Linear,
    Matern52, OnColumns, Scaled, Warped, check_on,
};
use thrifty_params::{Param, Parameterized};

/// Any function of two numbers.
#[derive(Clone)]
struct Function(fn(f64, f64) -> f64);

impl Parameterized for Function {
    fn params(&self) -> Vec<Param> {
        Vec::new()
    }

    fn set_params(&mut self, _values: &[f64]) {}
}

impl Kernel for Function {
    fn dim(&self) -> Option<usize> {
        Some(1)
    }

    fn num_params(&self) -> usize {
        0
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        (self.0)(x[0], y[0])
    }

    fn pull_back_pair(&self, _x: &[f64], _y: &[f64], _weight: f64, _grad: &mut [f64]) {}

    fn pull_back_input(&self, _x: &[f64], _y: PointsRef<'_>, _weights: &[f64], _grad: &mut [f64]) {}

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

fn check(kernel: fn(f64, f64) -> f64, x: &[f64]) -> Result<(), KernelError> {
    check_on(&Function(kernel), Points::from_flat(x.to_vec(), 1).as_ref())
}

#[test]
fn every_fault_comes_back_with_its_points() {
    let x = [0.25, 0.5, 1.0];
    assert_eq!(check(|x, y| x * y, &x), Ok(()));
    assert_eq!(
        check(|x, y| if x == 1.0 && y == 0.5 { f64::INFINITY } else { x * y }, &x),
        Err(KernelError::NotFinite { x: vec![1.0], y: vec![0.5], value: f64::INFINITY })
    );
    assert!(
        matches!(check(|x, _| (x - 0.9).ln(), &x), Err(KernelError::NotFinite { value, .. }) if value.is_nan())
    );
    assert_eq!(
        check(|x, y| x * x * y, &x),
        Err(KernelError::Asymmetric { x: vec![0.5], y: vec![0.25], covariance: 0.0625, mirrored: 0.03125 })
    );
    assert_eq!(
        check(|x, y| x * y - 0.1, &x),
        Err(KernelError::NegativeVariance { x: vec![0.25], variance: 0.25 * 0.25 - 0.1 })
    );
    assert_eq!(
        check(|x, y| 1.0 + (x - y).abs(), &x),
        Err(KernelError::CovarianceTooLarge { x: vec![0.5], y: vec![0.25], covariance: 1.25, limit: 1.0 })
    );
}

#[test]
fn messages_name_points_and_values() {
    let message = check(|x, y| x * x * y, &[0.25, 0.5]).unwrap_err().to_string();
    assert_eq!(message, "k(x, y) is 0.0625 but k(y, x) is 0.03125 at x = [0.5], y = [0.25]");
    let message = check(|x, y| x * y - 0.1, &[0.25]).unwrap_err().to_string();
    assert!(message.starts_with("variance at [0.25] is -0.0375"), "{message}");
}

#[test]
fn few_points_of_many_are_looked_at() {
    // One evaluation per point and two per pair of 32 points.
    use std::sync::atomic::{AtomicUsize, Ordering};
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let counting = |x: f64, y: f64| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        x * y
    };
    let many: Vec<f64> = (0..5000).map(f64::from).collect();
    assert_eq!(check(counting, &many), Ok(()));
    assert_eq!(CALLS.load(Ordering::Relaxed), 32 * 32);
    // From the first to the last.
    let last = check(|x, y| if x == 4999.0 || y == 4999.0 { f64::NAN } else { x * y }, &many);
    assert!(matches!(last, Err(KernelError::NotFinite { x, .. }) if x == [4999.0]));
}

#[test]
fn edges() {
    assert_eq!(check(|x, y| x * y, &[]), Ok(()));
    assert_eq!(check(|x, y| x * y, &[0.0]), Ok(()));
    // Variances that underflow or nearly overflow, and none at the origin.
    for scale in [1e-300, 1e300] {
        let kernel = scale * Linear::new(vec![1.0]).unwrap();
        assert_eq!(check_on(&kernel, Points::from_flat(vec![0.0, 1.0, 0.5], 1).as_ref()), Ok(()));
    }
    let plane = Points::from_flat(vec![0.0; 4], 2);
    assert_eq!(check_on(&Constant, plane.as_ref()), Ok(()));
    let line = Matern52::new(vec![1.0]).unwrap();
    assert_eq!(check_on(&line, plane.as_ref()), Err(KernelError::PointDimension { expected: 1, found: 2 }));
}

/// Kernels on some columns, on points of three dimensions that do not have the last of them.
#[test]
fn columns_that_the_points_do_not_have_are_refused() {
    let matern = || Matern52::new(vec![0.5]).unwrap();
    let on = |column: usize| OnColumns::new(matern(), vec![column]).unwrap();
    let blocks = |last| Exchangeable::new(vec![0..1, last..last + 1], vec![0.5; 2]).unwrap();
    let built: [Box<dyn Fn(usize) -> Box<dyn Kernel>>; 9] = [
        Box::new(|last| on(last).clone_box()),
        Box::new(|last| Conditional::new(matern(), vec![last], 0, 0.5).unwrap().clone_box()),
        Box::new(|last| Conditional::new(matern(), vec![0], last, 0.5).unwrap().clone_box()),
        Box::new(|last| blocks(last).clone_box()),
        Box::new(|last| Coregionalization::exchangeable(last - 1..last + 1, 2, 0.5).unwrap().clone_box()),
        Box::new(|last| Scaled::new(on(last).clone_box(), 2.0).unwrap().clone_box()),
        Box::new(|last| (on(0) + on(last)).clone_box()),
        Box::new(|last| (on(last) * on(0)).clone_box()),
        Box::new(|last| Hierarchical::new(on(0), on(last - 1), 0.5).unwrap().clone_box()),
    ];
    for (i, build) in built.iter().enumerate() {
        let check = |last| check_on(&*build(last), Points::zeros(2, 3).as_ref());
        assert_eq!(check(2), Ok(()), "{i}");
        assert_eq!(check(3), Err(KernelError::PointDimension { expected: 4, found: 3 }), "{i}");
    }
}

/// Parts that need more columns than the others have do not compose.
#[test]
fn parts_beyond_the_columns_of_others_are_refused() {
    let (plane, last) = (
        || Matern52::new(vec![0.5; 2]).unwrap(),
        |column| OnColumns::new(Matern52::new(vec![0.5]).unwrap(), vec![column]).unwrap(),
    );
    assert!(Hierarchical::new(plane(), last(1), 0.5).is_ok() && Warped::new(last(1), 2).is_ok());
    assert!(OnColumns::new(last(1), vec![4, 0]).is_ok());
    let mismatch = Some(KernelError::DimensionMismatch { left: 2, right: 3 });
    assert_eq!(Hierarchical::new(plane(), last(2), 0.5).err(), mismatch);
    assert_eq!(Warped::new(last(2), 2).err(), Some(KernelError::DimensionMismatch { left: 3, right: 2 }));
    let inner = OnColumns::new(last(2), vec![4, 0]).err().unwrap();
    assert_eq!(inner.to_string(), "columns [4, 0]: the kernel takes 3 of them");
    assert!(Conditional::new(last(2), vec![4, 0], 1, 0.5).is_err());
}
