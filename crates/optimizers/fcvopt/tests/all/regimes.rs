//! The three regimes of fold choice that the paper describes, each where it is due.

use thrifty_domain::Points;
use thrifty_gp::{GpSettings, Mean, Noise};
use thrifty_hgp::{Hgp, HgpPosterior};
use thrifty_kernel::{Hierarchical, Kernel, Matern52, Scaled};

const FOLDS: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// A true loss of standard deviation 1 that bends, and deviations of folds of standard deviation 0.5 that bend less.
fn after(observed: &[(f64, usize)]) -> HgpPosterior {
    let scaled = |variance, lengthscale| -> Box<dyn Kernel> {
        Box::new(Scaled::new(Matern52::new(vec![lengthscale]).unwrap(), variance).unwrap())
    };
    let kernel = Hierarchical::new(scaled(1.0, 0.2), scaled(0.25, 1.0), 1e-6).unwrap();
    let settings = GpSettings {
        noise: Noise::Fixed(1e-3),
        mean: Mean::Fixed(0.0),
        standardize_targets: false,
        ..GpSettings::default()
    };
    let x = Points::from_flat(observed.iter().map(|o| o.0).collect(), 1);
    let folds: Vec<usize> = observed.iter().map(|o| o.1).collect();
    // What was measured does not matter to variances.
    Hgp::of_kernel(kernel)
        .with_settings(settings)
        .condition(x.as_ref(), &folds, &vec![0.0; folds.len()])
        .unwrap()
}

#[test]
fn early_a_fold_that_was_sampled_elsewhere() {
    let posterior = after(&[(0.0, 2), (0.2, 2), (0.1, 4)]);
    assert_eq!(posterior.common().best_fold(&[0.8], &FOLDS).unwrap(), 2);
}

#[test]
fn near_a_sampled_point_not_the_fold_of_the_neighbor() {
    let posterior = after(&[(0.5, 0), (0.0, 1), (1.0, 2)]);
    for x in [0.48, 0.5, 0.52] {
        assert_ne!(posterior.common().best_fold(&[x], &FOLDS).unwrap(), 0);
    }
}

#[test]
fn late_a_fold_that_was_not_sampled_near_the_optimum() {
    let near: Vec<(f64, usize)> = (0..9).map(|i| (0.46 + 0.01 * f64::from(i), i as usize % 3)).collect();
    let posterior = after(&near);
    assert!(posterior.common().best_fold(&[0.5], &FOLDS).unwrap() > 2);
    // Far from there the sampled ones are still better.
    assert!(posterior.common().best_fold(&[0.95], &FOLDS).unwrap() < 3);
}
