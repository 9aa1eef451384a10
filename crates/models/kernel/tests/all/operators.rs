//! Composition by operators is composition by constructors.

use thrifty_kernel::{
    Constant, Kernel, KernelError, Linear, Matern32, Matern52, OnColumns, Periodic, Product, Scaled, Sum,
    WhiteNoise,
};
use thrifty_params::Parameterized;

fn smooth() -> Matern52 {
    Matern52::new(vec![0.5, 0.8]).unwrap()
}

fn trend() -> Linear {
    Linear::new(vec![1.5, 0.2]).unwrap()
}

#[test]
fn operators_build_the_same_types_as_constructors() {
    assert_eq!(smooth() + trend(), Sum::new(smooth(), trend()).unwrap());
    assert_eq!(smooth() * trend(), Product::new(smooth(), trend()).unwrap());
    assert_eq!(2.0 * smooth(), Scaled::new(smooth(), 2.0).unwrap());
    // As in arithmetic: `*` before `+`, both from the left.
    let composed = 2.0 * smooth() + trend() * smooth() + WhiteNoise;
    let expected = Sum::new(
        Sum::new(Scaled::new(smooth(), 2.0).unwrap(), Product::new(trend(), smooth()).unwrap()).unwrap(),
        WhiteNoise,
    );
    assert_eq!(composed, expected.unwrap());
}

#[test]
fn pointers_and_types_mix() {
    let (x, y) = ([0.1, 0.9], [0.4, 0.3]);
    let boxed = || -> Box<dyn Kernel> { Box::new(smooth()) };
    let (k, l) = (smooth().eval(&x, &y), trend().eval(&x, &y));
    assert_eq!((boxed() + trend()).eval(&x, &y), k + l);
    assert_eq!((trend() + boxed()).eval(&x, &y), l + k);
    assert_eq!((boxed() * boxed()).eval(&x, &y), k * k);
    assert_eq!((0.5 * boxed() * trend()).eval(&x, &y), 0.5 * k * l);
    // A loop keeps one type.
    let sum = (0..2).fold(Box::new(Constant) as Box<dyn Kernel>, |sum, column| {
        let part = OnColumns::new(Matern32::new(vec![0.3]).unwrap(), vec![column]).unwrap();
        Box::new(sum + 0.5 * part)
    });
    assert_eq!(sum.params().len(), 4);
    assert_eq!(sum.eval(&x, &x), 2.0);
}

#[test]
#[should_panic(expected = "dimension 2 and 1")]
fn parts_of_different_dimension_panic() {
    let _ = smooth() + Periodic::new(vec![1.0], 1.0).unwrap();
}

#[test]
#[should_panic(expected = "variance is -1")]
fn a_negative_variance_panics() {
    let _ = -1.0 * smooth();
}

/// The example of the chapter on kernels.
#[test]
fn a_season_that_fades_on_a_trend() {
    let weekly =
        Matern52::new(vec![30.0]).unwrap() * Periodic::new(vec![1.0], 7.0).unwrap().with_fixed_period();
    let kernel = 1.5 * weekly + 0.1 * Linear::new(vec![1.0]).unwrap().with_bounds(0.01, 10.0).unwrap();
    assert_eq!(kernel.num_params(), 5);
    // A week on, the season is in phase again: what is left is the decay of the Matérn kernel and the trend.
    let decay = Matern52::new(vec![30.0]).unwrap().eval(&[3.0], &[10.0]);
    assert!((kernel.eval(&[3.0], &[10.0]) - (1.5 * decay + 0.1 * 30.0)).abs() < 1e-12);
}

#[test]
fn parts_of_different_dimension_are_named() {
    let (two, one) = (Matern52::isotropic(2, 0.5).unwrap(), Matern52::isotropic(1, 0.5).unwrap());
    let found = [
        thrifty_kernel::Sum::new(two.clone(), one.clone()).err(),
        thrifty_kernel::Product::new(two.clone(), one.clone()).err(),
        thrifty_kernel::Sum::new(one.clone(), two.clone()).err(),
        thrifty_kernel::Product::new(one, two).err(),
    ];
    for error in &found {
        let Some(KernelError::DimensionMismatch { .. }) = error else { panic!("{error:?}") };
    }
    assert!(found[0] == found[1] && found[2] == found[3] && found[0] != found[2]);
}
