//! Kernels made for a domain.

use proptest::prelude::*;
use thrifty_domain::{Domain, Points, Variable};
use thrifty_kernel::{Inputs, Kernel, Matern52, Matern52Profile, contract, for_domain};
use thrifty_params::Parameterized;

fn inputs() -> Inputs {
    Inputs { lengthscale: 0.7, bounds: (0.01, 100.0), prior: None, warped: false }
}

/// Two numbers, two categorical variables in both encodings, a constant one, and two that are active under some
/// categories alone.
fn mixed() -> Domain {
    Domain::new(vec![
        Variable::continuous(),
        Variable::stepped(5),
        Variable::one_hot(3),
        Variable::level(4),
        Variable::one_hot(1),
        Variable::continuous().when(2, vec![0]),
        Variable::one_hot(2).when(2, vec![1, 2]),
    ])
    .unwrap()
}

fn kernel(domain: &Domain) -> Box<dyn Kernel> {
    for_domain::<Matern52Profile>(domain, &inputs()).unwrap()
}

fn points(domain: &Domain) -> impl Strategy<Value = Points> + use<> {
    let dim = domain.dim();
    prop::collection::vec(0.01..0.99_f64, 8 * dim).prop_map(move |flat| Points::from_flat(flat, dim))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn covariances_of_feasible_points_are_consistent(mut x in points(&mixed())) {
        for i in 0..x.len() {
            mixed().snap(x.row_mut(i));
        }
        contract::covariance_is_consistent(&*kernel(&mixed()), x.as_ref());
    }

    #[test]
    fn pullbacks_match_finite_differences(x in points(&mixed())) {
        for warped in [false, true] {
            let kernel = for_domain::<Matern52Profile>(&mixed(), &Inputs { warped, ..inputs() }).unwrap();
            contract::gradients_match(&*kernel, x.as_ref(), 1e-6);
        }
    }

    /// The values in the columns of an inactive variable do not change the covariance.
    #[test]
    fn fillers_are_ignored(x in points(&mixed()), filler in 0.0..1.0_f64) {
        let (mut a, mut b) = (x.row(0).to_vec(), x.row(1).to_vec());
        let domain = mixed();
        // Variable 2 at category 1: variable 5 is inactive.
        a[2..5].copy_from_slice(&[0.0, 1.0, 0.0]);
        b[2..5].copy_from_slice(&[0.0, 0.0, 1.0]);
        domain.snap(&mut a);
        domain.snap(&mut b);
        let kernel = kernel(&domain);
        let before = kernel.eval(&a, &b);
        a[domain.columns(5).start] = filler;
        prop_assert_eq!(kernel.eval(&a, &b), before);
    }

    #[test]
    fn numbers_alone_give_the_stationary_kernel(x in points(&Domain::unit_cube(3))) {
        let plain = Matern52::new(vec![0.7; 3]).unwrap();
        prop_assert_eq!(kernel(&Domain::unit_cube(3)).eval(x.row(0), x.row(1)), plain.eval(x.row(0), x.row(1)));
    }
}

/// Bounds hold for numbers and categories alike; those of categories are within `[0.1, 100]` besides, unless nothing is left of them.
#[test]
fn bounds_hold_for_all_lengthscales() {
    let bounds = |given: (f64, f64)| -> Vec<(String, f64, f64, f64)> {
        let inputs = Inputs { lengthscale: 0.316, bounds: given, ..inputs() };
        let params = for_domain::<Matern52Profile>(&mixed(), &inputs).unwrap().params();
        let lengthscales = params.into_iter().filter(|p| p.name.contains("lengthscale"));
        lengthscales.map(|p| (p.name, p.low, p.value, p.high)).collect()
    };
    let narrow = bounds((0.2, 0.5));
    assert_eq!(narrow.len(), 6);
    for (name, low, value, high) in narrow {
        assert_eq!((low, value, high), (0.2, 0.316, 0.5), "{name}");
    }
    let wide: Vec<(f64, f64)> = bounds((0.01, 100.0)).iter().map(|(_, low, _, high)| (*low, *high)).collect();
    let (of_numbers, of_categories) = ((0.01, 100.0), (0.1, 100.0));
    assert_eq!(wide.iter().filter(|found| **found == of_numbers).count(), 3, "{wide:?}");
    assert_eq!(wide.iter().filter(|found| **found == of_categories).count(), 3, "{wide:?}");
    for (name, low, value, high) in bounds((0.01, 0.05)) {
        assert_eq!((low, value, high), (0.01, 0.05, 0.05), "{name}");
    }
    let one = Domain::new(vec![Variable::one_hot(3)]).unwrap();
    for bad in [(f64::NAN, 1.0), (0.5, 0.2), (-1.0, 1.0), (0.1, f64::INFINITY)] {
        assert!(for_domain::<Matern52Profile>(&one, &Inputs { bounds: bad, ..inputs() }).is_err(), "{bad:?}");
    }
}

#[test]
fn every_variable_that_varies_has_its_parameters() {
    // Two lengthscales of numbers, two of categories, and a correlation and a lengthscale a conditional variable.
    assert_eq!(kernel(&mixed()).params().len(), 2 + 2 + 2 * 2);
    let constant = Domain::new(vec![Variable::one_hot(1)]).unwrap();
    assert_eq!(kernel(&constant).eval(&[1.0], &[1.0]), 1.0);
    assert!(kernel(&constant).params().is_empty());
    let bad = Inputs { lengthscale: f64::NAN, ..inputs() };
    assert!(for_domain::<Matern52Profile>(&mixed(), &bad).is_err());
}
