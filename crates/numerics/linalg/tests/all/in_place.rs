//! Products that are written into matrices.

use thrifty_linalg::{Matrix, lower_times_into, subtract_inner_products};

#[test]
fn products_with_a_lower_half_do_not_read_the_upper_one() {
    for (n, p) in [(4, 2), (1, 1), (0, 3), (19, 8), (3, 0)] {
        let lower =
            Matrix::from_fn(n, n, |i, j| if i >= j { (i as f64 - 2.0 * j as f64).sin() } else { f64::NAN });
        let b = Matrix::from_fn(n, p, |i, j| (3.0 * i as f64 + j as f64).cos());
        let mut out = Matrix::from_fn(1, 1, |_, _| f64::NAN);
        lower_times_into(&lower, &b, &mut out);
        assert_eq!((out.rows(), out.cols()), (n, p));
        for i in 0..n {
            for j in 0..p {
                let expected: f64 = (0..=i).map(|k| lower[(i, k)] * b[(k, j)]).sum();
                assert!((out[(i, j)] - expected).abs() < 1e-14 * (1.0 + n as f64));
            }
        }
    }
}

#[test]
fn inner_products_are_those_of_the_columns() {
    for (n, p, q) in [(3, 2, 4), (1, 1, 1), (0, 2, 3), (17, 9, 11)] {
        let a = Matrix::from_fn(n, p, |i, j| (i as f64 - 2.0 * j as f64).sin());
        let b = Matrix::from_fn(n, q, |i, j| (3.0 * i as f64 + j as f64).cos());
        let mut out = Matrix::from_fn(p, q, |i, j| (i + j) as f64);
        subtract_inner_products(&mut out, &a, &b);
        for i in 0..p {
            for j in 0..q {
                let product: f64 = a.column(i).iter().zip(b.column(j)).map(|(a, b)| a * b).sum();
                assert!((out[(i, j)] - ((i + j) as f64 - product)).abs() < 1e-14 * (1.0 + n as f64));
            }
        }
    }
}
