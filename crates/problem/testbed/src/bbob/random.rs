//! Random numbers of the BBOB functions, from which their instances are made.

use std::f64::consts::TAU;

/// Modulus of the generator, 2³¹ - 1.
const MODULUS: u64 = 2_147_483_647;
/// Width of a cell of the shuffle table.
const CELL: u64 = 67_108_865;

/// Next state of the minimal standard generator, `16807 s mod (2³¹ - 1)`.
fn next(state: u64) -> u64 {
    16_807 * state % MODULUS
}

/// Uniform numbers in (0, 1): the minimal standard generator with a shuffle table of 32 cells.
///
/// Source: Park & Miller (1988), Bays & Durham (1976), as in `hansen2009`.
pub(super) fn uniform(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.max(1) % MODULUS;
    let mut table = [0; 32];
    for cell in (0..40).rev() {
        state = next(state);
        if cell < table.len() {
            table[cell] = state;
        }
    }
    let mut last = table[0];
    let draw = |_| {
        state = next(state);
        let cell = (last / CELL) as usize;
        last = std::mem::replace(&mut table[cell], state);
        if last == 0 { 1e-99 } else { last as f64 / MODULUS as f64 }
    };
    (0..count).map(draw).collect()
}

/// Standard normal numbers: `√(-2 ln u_i) cos(2π u_{count+i})`.
pub(super) fn normal(count: usize, seed: u64) -> Vec<f64> {
    let u = uniform(2 * count, seed);
    let (radii, angles) = u.split_at(count);
    let one = |(radius, angle): (&f64, &f64)| {
        let value = (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos();
        if value == 0.0 { 1e-99 } else { value }
    };
    radii.iter().zip(angles).map(one).collect()
}

/// Order of uniform numbers: the positions of the smallest, the second smallest, …
pub(super) fn ranking(count: usize, seed: u64) -> Vec<usize> {
    let u = uniform(count, seed);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| u[*a].total_cmp(&u[*b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimal_standard_generator_has_its_known_state() {
        // Park & Miller (1988): from 1, the 10,000th state is 1,043,618,065.
        assert_eq!((0..10_000).fold(1, |state, _| next(state)), 1_043_618_065);
    }

    #[test]
    fn numbers_have_their_distributions() {
        let (u, z) = (uniform(2_000, 7), normal(2_000, 7));
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let squares: Vec<f64> = z.iter().map(|z| z * z).collect();
        // Standard errors 0.0065, 0.022 and 0.032.
        assert!((mean(&u) - 0.5).abs() < 0.026, "{}", mean(&u));
        assert!(mean(&z).abs() < 0.09 && (mean(&squares) - 1.0).abs() < 0.13);
        assert!(u.iter().all(|u| (0.0..1.0).contains(u)) && uniform(3, 0) == uniform(3, 1));
        let mut order = ranking(50, 3);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..50));
    }
}
