//! Laws of the factorisation on random positive-definite matrices, and its behaviour at the edges.

use proptest::prelude::*;
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};

/// `B Bᵀ + n·ε·I` from a random square B: positive definite, condition number up to about 1e8.
fn positive_definite() -> impl Strategy<Value = Matrix> {
    (1_usize..40).prop_flat_map(|n| {
        prop::collection::vec(-1.0..1.0_f64, n * n).prop_map(move |b| {
            Matrix::from_fn(n, n, |i, j| {
                let dot: f64 = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
                dot + if i == j { 1e-6 * n as f64 } else { 0.0 }
            })
        })
    })
}

fn multiply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    (0..a.rows()).map(|i| (0..a.cols()).map(|j| a[(i.max(j), i.min(j))] * x[j]).sum()).collect()
}

fn factor(a: &Matrix) -> Cholesky {
    Cholesky::new(a, &JitterLadder::default()).expect("positive definite")
}

fn entries(l: &Matrix) -> impl Iterator<Item = f64> {
    (0..l.cols()).flat_map(|j| l.column(j)[j..].to_vec())
}

proptest! {
    #[test]
    fn the_factor_multiplies_back_and_solves(a in positive_definite(), seed in 0_u64..1000) {
        let (n, factor) = (a.rows(), factor(&a));
        prop_assert_eq!(factor.jitter(), 0.0);
        let l = factor.factor();
        for j in 0..n {
            for i in j..n {
                let product: f64 = (0..=j).map(|k| l[(i, k)] * l[(j, k)]).sum();
                prop_assert!((product - a[(i, j)]).abs() < 1e-13 * n as f64, "{i},{j}");
            }
        }
        let x: Vec<f64> = (0..n).map(|i| ((i as u64 * 7 + seed) % 11) as f64 - 5.0).collect();
        let mut b = multiply(&a, &x);
        let backward: f64 = b.iter().fold(0.0, |m, v| m.max(v.abs()));
        factor.solve_in_place(&mut b);
        let residual = multiply(&a, &b).iter().zip(multiply(&a, &x)).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
        prop_assert!(residual <= 1e-11 * (1.0 + backward), "residual {residual}");
    }

    #[test]
    fn append_and_drop_agree_with_a_new_factor(a in positive_definite(), which in 0_usize..40) {
        let n = a.rows();
        let without_last = Matrix::from_fn(n - 1, n - 1, |i, j| a[(i, j)]);
        let row: Vec<f64> = (0..n - 1).map(|j| a[(n - 1, j)]).collect();
        let grown = factor(&without_last).appended(&row, a[(n - 1, n - 1)]).expect("positive definite");
        for (found, expected) in entries(grown.factor()).zip(entries(factor(&a).factor())) {
            prop_assert!((found - expected).abs() < 1e-8, "append: {found} against {expected}");
        }
        let index = which % n;
        let kept = |i: usize| i + usize::from(i >= index);
        let mut shrunk = factor(&a);
        shrunk.drop_row(index);
        let smaller = Matrix::from_fn(n - 1, n - 1, |i, j| a[(kept(i), kept(j))]);
        for (found, expected) in entries(shrunk.factor()).zip(entries(factor(&smaller).factor())) {
            prop_assert!((found - expected).abs() < 1e-8, "drop: {found} against {expected}");
        }
    }

    #[test]
    fn the_inverse_is_symmetric_and_inverts(a in positive_definite()) {
        let (n, inverse) = (a.rows(), factor(&a).inverse());
        for j in 0..n {
            let product = multiply(&a, inverse.column(j));
            for (i, value) in product.iter().enumerate() {
                prop_assert_eq!(inverse[(i, j)].to_bits(), inverse[(j, i)].to_bits());
                prop_assert!((value - f64::from(u8::from(i == j))).abs() < 1e-7, "{i},{j}: {value}");
            }
        }
    }

    #[test]
    fn the_log_determinant_scales(a in positive_definite(), exponent in -12_i32..12) {
        let (n, scale) = (a.rows(), 10_f64.powi(exponent));
        let scaled = Matrix::from_fn(n, n, |i, j| a[(i, j)] * scale);
        let expected = factor(&a).log_det() + n as f64 * scale.ln();
        prop_assert!((factor(&scaled).log_det() - expected).abs() < 1e-8 * (1.0 + expected.abs()));
    }
}

#[test]
fn a_singular_matrix_reports_its_jitter() {
    for scale in [1e-12, 1.0, 1e12] {
        let ones = Matrix::from_fn(50, 50, |_, _| scale);
        let factor = Cholesky::new(&ones, &JitterLadder::default()).expect("the ladder helps");
        assert!(factor.jitter() > 0.0 && factor.jitter() <= 1e-12 * scale, "{}", factor.jitter());
        let error = Cholesky::new(&ones, &JitterLadder { steps: Vec::new() }).expect_err("no ladder");
        // Rounding may carry the factorisation past the second pivot, never past the first.
        assert!(error.n == 50 && error.index > 0 && error.jitter == 0.0, "{error:?}");
    }
}

#[test]
fn what_cannot_be_factored_is_an_error() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0] {
        let matrix = Matrix::from_fn(3, 3, |i, j| if i == j { bad } else { 0.0 });
        assert!(Cholesky::new(&matrix, &JitterLadder::default()).is_err(), "{bad}");
        let corner = Matrix::from_fn(40, 40, |i, j| {
            if i != j {
                0.0
            } else if i == 30 {
                bad
            } else {
                1.0
            }
        });
        let found = Cholesky::new(&corner, &JitterLadder { steps: Vec::new() }).expect_err("indefinite");
        assert_eq!(found.index, 30, "{bad}");
    }
}

#[test]
fn no_rows_are_fine() {
    let empty = Cholesky::new(&Matrix::zeros(0, 0), &JitterLadder::default()).expect("empty");
    assert_eq!(empty.log_det(), 0.0);
    empty.solve_in_place(&mut []);
    let mut empty = empty.appended(&[], 4.0).expect("positive");
    assert_eq!(empty.factor()[(0, 0)], 2.0);
    assert!(empty.appended(&[4.0], 4.0).is_err(), "the same row again is singular");
    empty.drop_row(0);
    assert_eq!(empty.dim(), 0);
}

/// Sizes of a factor that grows and shrinks: square, with a row for each row of the matrix.
#[test]
fn factors_stay_square() {
    let mut of = factor(&Matrix::from_fn(3, 3, |i, j| if i == j { 2.0 } else { 0.5 }));
    let size = |of: &Cholesky| (of.factor().rows(), of.factor().cols(), of.dim());
    of = of.appended(&[0.5; 3], 2.0).expect("positive definite");
    assert_eq!(size(&of), (4, 4, 4), "after a row more");
    for (index, n) in [(1, 3), (2, 2), (0, 1), (0, 0)] {
        of.drop_row(index);
        assert_eq!(size(&of), (n, n, n), "after a row less");
    }
}

/// The ladder rises by factors of ten: the jitter reported is the least power of ten that helps.
#[test]
fn jitter_rises_by_factors_of_ten() {
    assert_eq!(JitterLadder::default().steps.len(), 11);
    assert!(JitterLadder::default().steps.windows(2).all(|pair| (pair[1] / pair[0] - 10.0).abs() < 1e-9));
    // Eigenvalues 2 + δ and -δ, mean diagonal 1, so that a jitter above δ helps and none below.
    for (delta, expected) in [(3e-13, 1e-12), (3e-10, 1e-9), (4e-8, 1e-7), (3e-6, 1e-5), (5e-5, 1e-4)] {
        for scale in [1.0, 1e6, 1e-6] {
            let entry = |i: usize, j: usize| scale * if i == j { 1.0 } else { 1.0 + delta };
            let factor = Cholesky::new(&Matrix::from_fn(2, 2, entry), &JitterLadder::default()).unwrap();
            assert!(
                (factor.jitter() / scale / expected - 1.0).abs() < 1e-9,
                "{delta} {scale}: {}",
                factor.jitter()
            );
        }
    }
    let hopeless = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 1.001 });
    let error = Cholesky::new(&hopeless, &JitterLadder::default()).unwrap_err();
    assert!((error.jitter - 1e-4).abs() < 1e-12, "{error}");
}

/// A row that is appended to a factor with jitter gets the same jitter, and a failed append says so.
#[test]
fn appended_rows_have_the_jitter_of_the_others() {
    let ones = Matrix::from_fn(6, 6, |_, _| 1.0);
    let six = Cholesky::new(&ones, &JitterLadder { steps: vec![1e-3] }).unwrap();
    assert_eq!(six.jitter(), 1e-3);
    let grown = six.appended(&[1.0; 6], 1.0).unwrap();
    let whole = Matrix::from_fn(7, 7, |i, j| if i == j { 1.0 + 1e-3 } else { 1.0 });
    for (found, expected) in entries(grown.factor()).zip(entries(factor(&whole).factor())) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    assert_eq!((grown.jitter(), grown.dim()), (1e-3, 7));
    for diagonal in [0.5, f64::NAN, f64::INFINITY] {
        let error = grown.appended(&[1.0; 7], diagonal).unwrap_err();
        assert_eq!((error.n, error.index, error.jitter), (8, 7, 1e-3));
        assert_eq!(
            error.to_string(),
            "matrix of 8 rows is not positive definite at pivot 7, even with jitter 1e-3"
        );
    }
}

/// Solves with many right-hand sides are those of each, from both sides; half the logarithm of the determinant is that of the factor.
#[test]
fn matrices_of_right_hand_sides_are_solved_column_by_column() {
    let a = Matrix::from_fn(9, 9, |i, j| {
        (-(i as f64 - j as f64).powi(2) / 8.0).exp() + if i == j { 0.1 } else { 0.0 }
    });
    let factor = factor(&a);
    let b = Matrix::from_fn(9, 4, |i, j| ((3 * i + 5 * j) % 7) as f64 - 2.0);
    let (mut lower, mut upper) = (b.clone(), b.clone());
    factor.solve_lower_matrix_in_place(&mut lower);
    factor.solve_upper_matrix_in_place(&mut upper);
    for j in 0..4 {
        let (mut of_lower, mut of_upper) = (b.column(j).to_vec(), b.column(j).to_vec());
        factor.solve_lower_in_place(&mut of_lower);
        factor.solve_upper_in_place(&mut of_upper);
        let l = factor.factor();
        for i in 0..9 {
            assert!(
                (lower[(i, j)] - of_lower[i]).abs() < 1e-13 && (upper[(i, j)] - of_upper[i]).abs() < 1e-13
            );
            let back: f64 = (0..=i).map(|k| l[(i, k)] * of_lower[k]).sum();
            let transposed: f64 = (i..9).map(|k| l[(k, i)] * of_upper[k]).sum();
            assert!((back - b[(i, j)]).abs() < 1e-12 && (transposed - b[(i, j)]).abs() < 1e-12, "{i} {j}");
        }
    }
    let expected: f64 = (0..9).map(|i| factor.factor()[(i, i)].ln()).sum();
    assert!((0.5 * factor.log_det() - expected).abs() < 1e-12);
}

/// A pool of threads gives the factor, inverse and Gram matrix of one thread, above and below the size from which it is used.
#[test]
fn threads_do_not_change_the_result() {
    use thrifty_linalg::{PARALLEL_FROM, Threads, factor_in_place, gram_of_inverse_into, invert_lower_into};
    for n in [3, 40, PARALLEL_FROM] {
        let a = Matrix::from_fn(n, n, |i, j| {
            (-(i as f64 - j as f64).abs() / 3.0).exp() + if i == j { 0.5 } else { 0.0 }
        });
        let results = [Threads::One, Threads::Pool].map(|threads| {
            let mut factor = a.clone();
            factor_in_place(&mut factor, threads).unwrap();
            let (mut inverse, mut gram) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
            invert_lower_into(&factor, &mut inverse, threads);
            gram_of_inverse_into(&inverse, &mut gram, threads);
            gram
        });
        let column = |j: usize| -> Vec<f64> { (0..n).map(|i| results[0][(i.max(j), i.min(j))]).collect() };
        for j in [0, n / 2, n - 1] {
            let product = multiply(&a, &column(j));
            assert!(product.iter().enumerate().all(|(i, v)| (v - f64::from(u8::from(i == j))).abs() < 1e-10));
            for i in j..n {
                assert!((results[0][(i, j)] - results[1][(i, j)]).abs() < 1e-12, "{i} {j}");
            }
        }
    }
    assert_eq!(PARALLEL_FROM, 500);
    let mut wrong = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 - i as f64 } else { 0.0 });
    assert_eq!(factor_in_place(&mut wrong, Threads::Pool), Err(1));
}
