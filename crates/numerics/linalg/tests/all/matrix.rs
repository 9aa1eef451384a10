//! Storage of matrices: columns do not overlap, whatever the number of rows.

use thrifty_linalg::{LANES, Matrix};

#[test]
fn entries_come_back_and_columns_start_apart_for_any_number_of_rows() {
    for rows in 1..=260 {
        let entry = |i: usize, j: usize| (i * 10 + j) as f64;
        let matrix = Matrix::from_fn(rows, 3, entry);
        let mut resized = Matrix::zeros(7, 5);
        resized.resize(rows, 3);
        for j in 0..3 {
            (0..rows).for_each(|i| resized[(i, j)] = entry(i, j));
        }
        for a in [&matrix, &resized] {
            let stride = a.stride();
            assert_eq!((a.rows(), a.cols(), stride % LANES), (rows, 3, 0));
            // As long as the column, at most two registers longer, and no multiple of 512 bytes.
            assert!((rows..rows + 2 * LANES).contains(&stride), "{rows} rows at a stride of {stride}");
            assert!(!stride.is_multiple_of(64), "{rows} rows at a stride of {stride}");
            assert_eq!((a.column(2).len(), a.column(2)[rows - 1]), (rows, entry(rows - 1, 2)));
        }
        for (i, j) in (0..rows).flat_map(|i| [(i, 0), (i, 1), (i, 2)]) {
            assert_eq!((matrix[(i, j)], resized[(i, j)]), (entry(i, j), entry(i, j)));
        }
    }
}

/// Entries alone make matrices equal: padding may hold anything.
#[test]
fn padding_is_not_compared() {
    let one = Matrix::from_fn(5, 3, |i, j| (i * 10 + j) as f64);
    let mut other = Matrix::zeros(8, 3);
    (0..3).for_each(|j| other.column_mut(j).fill(f64::NAN));
    other.resize(5, 3);
    for j in 0..3 {
        (0..5).for_each(|i| other[(i, j)] = one[(i, j)]);
    }
    assert_eq!(one, other);
    other[(4, 2)] = 0.5;
    assert_ne!(one, other);
    assert_ne!(one, Matrix::from_fn(3, 5, |i, j| (j * 10 + i) as f64));
}
