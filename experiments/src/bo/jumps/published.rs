//! Published functions with steps.

use std::f64::consts::TAU;

use thrifty_sampling::Seed;

use super::super::development::Development;

/// A function of numbers between -`bound` and `bound`, with its minimum 0 at the origin, or in the lowest corner.
#[derive(Clone, Copy)]
pub struct Published {
    name: &'static str,
    dim: usize,
    bound: f64,
    of: fn(&[f64]) -> f64,
    /// True for a minimum at the origin, which each replication moves.
    is_moved: bool,
}

const fn central(name: &'static str, dim: usize, bound: f64, of: fn(&[f64]) -> f64) -> Published {
    Published { name, dim, bound, of, is_moved: true }
}

pub const FUNCTIONS: [Published; 7] = [
    central("step 1", 3, 100.0, step_1),
    central("step 2", 2, 100.0, step_2),
    central("step 2", 5, 100.0, step_2),
    central("step 3", 4, 100.0, step_3),
    central("Rastrigin in steps", 2, 5.12, rastrigin),
    central("Rastrigin in steps", 4, 5.12, rastrigin),
    Published { name: "De Jong 3", dim: 5, bound: 5.12, of: de_jong, is_moved: false },
];

/// `Σ ⌊|x_i|⌋`. Source: Jamil & Yang (2013), 138.
fn step_1(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs().floor()).sum()
}

/// `Σ ⌊x_i + ½⌋²`. Source: Yao, Liu & Lin (1999), f6.
fn step_2(x: &[f64]) -> f64 {
    x.iter().map(|x| (x + 0.5).floor().powi(2)).sum()
}

/// `Σ ⌊x_i²⌋`. Source: Jamil & Yang (2013), 140.
fn step_3(x: &[f64]) -> f64 {
    x.iter().map(|x| x.powi(2).floor()).sum()
}

/// Rastrigin's function of numbers that are rounded to multiples of ½ beyond ½. Source: Liang et al. (2006), f8.
fn rastrigin(x: &[f64]) -> f64 {
    let rounded = |x: f64| if x.abs() < 0.5 { x } else { (2.0 * x).round() / 2.0 };
    x.iter().map(|x| rounded(*x)).map(|y| y.powi(2) - 10.0 * (TAU * y).cos() + 10.0).sum()
}

/// `Σ ⌊x_i⌋`, less its minimum. Source: De Jong (1975), F3.
fn de_jong(x: &[f64]) -> f64 {
    x.iter().map(|x| x.floor() + 6.0).sum()
}

impl Published {
    pub fn label(self) -> String {
        format!("{}, d = {}", self.name, self.dim)
    }

    /// The function on the unit cube. A minimum at the origin is moved by up to two fifths of the bound along each axis: methods that begin at
    /// the centre would find it there.
    pub fn problem(self, seed: Seed) -> Development {
        let mut rng = seed.stream("problem", 0);
        let Self { dim, bound, of, is_moved, .. } = self;
        let moved = if is_moved { 0.4 * bound } else { 0.0 };
        let by: Vec<f64> = (0..dim).map(|_| moved * (2.0 * rng.uniform() - 1.0)).collect();
        let function = move |u: &[f64]| {
            let x: Vec<f64> = u.iter().zip(&by).map(|(u, by)| bound * (2.0 * u - 1.0) - by).collect();
            of(&x)
        };
        Development::new(&self.label(), dim, function, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that the formulas have, and the minima.
    #[test]
    fn functions_are_as_published() {
        assert_eq!(step_1(&[1.5, -2.5]), 3.0);
        assert_eq!(step_2(&[1.4, -2.6]), 1.0 + 9.0);
        assert_eq!(step_3(&[1.5, -2.5]), 2.0 + 6.0);
        // Beyond a half 0.7 is rounded to 0.5, where the cosine is -1.
        assert!((rastrigin(&[0.7]) - 20.25).abs() < 1e-12);
        assert!((rastrigin(&[0.25]) - (0.0625 + 10.0)).abs() < 1e-12);
        assert_eq!(de_jong(&[-5.12, 0.3]), 6.0);
        for function in FUNCTIONS {
            let least = if function.is_moved { 0.0 } else { -5.12 };
            assert_eq!((function.of)(&vec![least; function.dim]), 0.0, "{}", function.label());
        }
    }

    /// The minimum is in the cube, elsewhere in each replication.
    #[test]
    fn minima_are_moved() {
        let values = |seed| {
            let problem = FUNCTIONS[1].problem(Seed(seed));
            (0..=400).map(|i| (problem.function)(&[f64::from(i) / 400.0, 0.5])).fold(f64::INFINITY, f64::min)
        };
        assert_ne!(values(1), values(2));
        assert!(values(1) < 41.0_f64.powi(2));
    }
}
