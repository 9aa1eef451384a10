//! Eigenvalues of symmetric matrices.

use proptest::prelude::*;
use thrifty_linalg::{Matrix, NoEigenvalues, SymmetricEigen};

proptest! {
    #[test]
    fn products_give_the_matrix_back(entries in prop::collection::vec(-3.0..3.0_f64, 36), n in 0_usize..7, scale in -12..13_i32) {
        let scale = 10_f64.powi(scale);
        let a = Matrix::from_fn(n, n, |i, j| scale * entries[i.max(j) * 6 % 36 + i.min(j)]);
        let eigen = SymmetricEigen::new(&a).unwrap();
        prop_assert!(eigen.values.is_sorted());
        for i in 0..n {
            for j in 0..n {
                let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>();
                let v = &eigen.vectors;
                let back = sum(&|k| v[(i, k)] * eigen.values[k] * v[(j, k)]);
                prop_assert!((back - a[(i, j)]).abs() < 1e-13 * scale * 6.0);
                let unit = sum(&|k| v[(k, i)] * v[(k, j)]);
                prop_assert!((unit - f64::from(u8::from(i == j))).abs() < 1e-13);
            }
        }
    }
}

#[test]
fn what_is_not_finite_is_named() {
    let a = Matrix::from_fn(2, 2, |i, j| if i + j == 1 { f64::NAN } else { 1.0 });
    assert_eq!(SymmetricEigen::new(&a), Err(NoEigenvalues { n: 2 }));
}
