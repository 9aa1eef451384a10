//! Direction numbers of Sobol sequences.

use std::sync::OnceLock;

use crate::MAX_SOBOL_DIM;

/// Bits of a coordinate.
pub(crate) const BITS: usize = 32;

/// The published table, as text.
const TABLE: &str = include_str!("joe_kuo_6.txt");

/// Direction numbers of every column, computed once per process.
///
/// ```text
/// column 1: v_i = 2^(32-i)
/// others:   v_i = m_i 2^(32-i)                                   for i ≤ s
///           v_i = v_{i-s} ⊕ (v_{i-s} / 2^s) ⊕ ⊕_k a_k v_{i-k}    for i > s, k = 1, …, s - 1
/// ```
///
/// `a_1` is the highest of the s - 1 bits of a. Source: Joe & Kuo (2008), set 6.
pub(crate) fn directions() -> &'static [[u32; BITS]] {
    static COLUMNS: OnceLock<Vec<[u32; BITS]>> = OnceLock::new();
    COLUMNS.get_or_init(|| {
        let first: [u32; BITS] = std::array::from_fn(|i| 1 << (BITS - 1 - i));
        let columns: Vec<_> = std::iter::once(first).chain(rows().map(|row| column(&row))).collect();
        assert_eq!(columns.len(), MAX_SOBOL_DIM, "one row per column");
        columns
    })
}

/// Rows of the table: d, s, a and the initial numbers.
fn rows() -> impl Iterator<Item = Vec<u32>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').map(|word| word.parse().expect("a table of numbers")).collect())
}

/// Direction numbers of a column by the recursion of its polynomial.
fn column(row: &[u32]) -> [u32; BITS] {
    let (degree, coefficients, initial) = (row[1] as usize, row[2], &row[3..]);
    let mut v = [0; BITS];
    for i in 0..BITS {
        if i < degree {
            v[i] = initial[i] << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for k in 1..degree {
            if coefficients >> (degree - 1 - k) & 1 == 1 {
                v[i] ^= v[i - k];
            }
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Product of two polynomials over GF(2), modulo a third of degree `degree`.
    fn product(mut a: u64, mut b: u64, modulus: u64, degree: usize) -> u64 {
        let mut sum = 0;
        while b > 0 {
            if b & 1 == 1 {
                sum ^= a;
            }
            a <<= 1;
            if a >> degree & 1 == 1 {
                a ^= modulus;
            }
            b >>= 1;
        }
        sum
    }

    fn power(mut exponent: u64, modulus: u64, degree: usize) -> u64 {
        let (mut base, mut result) = (product(2, 1, modulus, degree), 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = product(result, base, modulus, degree);
            }
            base = product(base, base, modulus, degree);
            exponent >>= 1;
        }
        result
    }

    fn prime_factors(mut n: u64) -> Vec<u64> {
        let mut factors = Vec::new();
        for p in 2.. {
            if p * p > n {
                break;
            }
            while n.is_multiple_of(p) {
                factors.push(p);
                n /= p;
            }
        }
        factors.push(n);
        factors
    }

    /// The order of x modulo the polynomial is 2^s - 1, and no polynomial occurs twice.
    #[test]
    fn polynomials_are_primitive_and_differ() {
        let mut seen = std::collections::HashSet::new();
        for row in rows() {
            let (degree, a) = (row[1] as usize, u64::from(row[2]));
            let polynomial = 1 << degree | a << 1 | 1;
            assert!(seen.insert(polynomial), "column {} has the polynomial of another", row[0]);
            let order = (1 << degree) - 1;
            assert_eq!(power(order, polynomial, degree), 1, "column {}", row[0]);
            for factor in prime_factors(order).into_iter().filter(|factor| degree > 1 && *factor > 1) {
                assert_ne!(power(order / factor, polynomial, degree), 1, "column {}", row[0]);
            }
        }
        assert_eq!(seen.len(), MAX_SOBOL_DIM - 1);
    }

    #[test]
    fn initial_numbers_are_odd_and_small_enough() {
        for (row, number) in rows().zip(2..) {
            assert_eq!((row[0], row.len()), (number, 3 + row[1] as usize));
            for (i, m) in row[3..].iter().enumerate() {
                assert!(m % 2 == 1 && *m < 2 << i, "column {number}: m_{} = {m}", i + 1);
            }
        }
    }
}
