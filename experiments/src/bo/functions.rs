//! Formulas of the development problems.

use std::f64::consts::{PI, TAU};

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;

/// Eight pits at random places, of depth 1 and from 0.4 to 0.85, on a shallow bowl.
pub fn pits(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let pits: Vec<(Vec<f64>, f64, f64)> = (0..8)
        .map(|k| {
            let center = (0..dim).map(|_| 0.05 + 0.9 * rng.uniform()).collect();
            let depth = if k == 0 { 1.0 } else { 0.4 + 0.45 * rng.uniform() };
            (center, depth, (0.06 + 0.1 * rng.uniform()) * (dim as f64).sqrt())
        })
        .collect();
    move |x| {
        let distance = |a: &[f64]| -> f64 { a.iter().zip(x).map(|(a, x)| (a - x).powi(2)).sum() };
        let pit = |(center, depth, width): &(Vec<f64>, f64, f64)| {
            depth * (-0.5 * distance(center) / width.powi(2)).exp()
        };
        0.1 * distance(&vec![0.5; dim]) / dim as f64 - pits.iter().map(pit).sum::<f64>()
    }
}

/// Ackley's function on its usual scale.
pub fn ackley(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (squares, cosines) = x.iter().fold((0.0, 0.0), |(s, c), v| (s + v * v / n, c + (TAU * v).cos() / n));
    20.0 + 1_f64.exp() - 20.0 * (-0.2 * f64::sqrt(squares)).exp() - f64::exp(cosines)
}

/// Levy's function on its usual scale.
pub fn levy(x: &[f64]) -> f64 {
    let w: Vec<f64> = x.iter().map(|v| 1.0 + (v - 1.0) / 4.0).collect();
    let last = w[w.len() - 1];
    let middle: f64 = w[..w.len() - 1]
        .iter()
        .map(|w| (w - 1.0).powi(2) * (1.0 + 10.0 * (PI * w + 1.0).sin().powi(2)))
        .sum();
    (PI * w[0]).sin().powi(2) + middle + (last - 1.0).powi(2) * (1.0 + (TAU * last).sin().powi(2))
}

/// Michalewicz's function on [0, π].
pub fn michalewicz(x: &[f64]) -> f64 {
    let one = |(i, v): (usize, &f64)| v.sin() * ((i + 1) as f64 * v * v / PI).sin().powi(20);
    -x.iter().enumerate().map(one).sum::<f64>()
}

/// Curved valley with steep walls along a random chain of waves.
///
/// ```text
/// f(x) = Σ_i (x_i - c_i)² + 100 (x_{i+1} - g_i(x_i))²,   g_i(u) = ½ + 0.3 sin(2π (a_i u + b_i)),   c_{i+1} = g_i(c_i)
/// ```
///
/// The minimum is 0, at c.
pub fn valley(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let waves: Vec<(f64, f64)> = (1..dim).map(|_| (0.5 + 0.5 * rng.uniform(), rng.uniform())).collect();
    let wave = |(a, b): &(f64, f64), u: f64| 0.5 + 0.3 * (TAU * (a * u + b)).sin();
    let mut center = vec![0.1 + 0.8 * rng.uniform()];
    waves.iter().for_each(|one| center.push(wave(one, center[center.len() - 1])));
    move |x| {
        let along: f64 = x.iter().zip(&center).map(|(x, c)| (x - c).powi(2)).sum();
        let across = |(one, pair): (&(f64, f64), &[f64])| (pair[1] - wave(one, pair[0])).powi(2);
        along + 100.0 * waves.iter().zip(x.windows(2)).map(across).sum::<f64>()
    }
}

/// Sum of squares of as many random quadratic functions as there are parameters, as in a calibration: all are 0 at a random point.
///
/// ```text
/// f(x) = Σ_j r_j(x - c)²,   r_j(d) = a_j·d + dᵀ B_j d,   a_j and B_j standard normal
/// ```
pub fn least_squares(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let center: Vec<f64> = (0..dim).map(|_| 0.1 + 0.8 * rng.uniform()).collect();
    let weights: Vec<Vec<f64>> =
        (0..dim).map(|_| (0..dim * (dim + 1)).map(|_| StandardNormal.sample(rng)).collect()).collect();
    move |x| {
        let from: Vec<f64> = x.iter().zip(&center).map(|(x, c)| x - c).collect();
        let terms = || from.iter().copied().chain(from.iter().flat_map(|a| from.iter().map(move |b| a * b)));
        let residual = |w: &Vec<f64>| w.iter().zip(terms()).map(|(w, term)| w * term).sum::<f64>();
        weights.iter().map(|w| residual(w).powi(2)).sum()
    }
}

/// Bowl around a random point, with 10⁴ times the curvature on one side of a random plane through that point.
///
/// ```text
/// f(x) = ‖x - c‖² + 10⁴ max(0, w·(x - c))²,   ‖w‖ = 1
/// ```
pub fn steep(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let center: Vec<f64> = (0..dim).map(|_| 0.15 + 0.7 * rng.uniform()).collect();
    let mut normal: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(rng)).collect();
    let length = normal.iter().map(|w| w * w).sum::<f64>().sqrt();
    normal.iter_mut().for_each(|w| *w /= length);
    move |x| {
        let from: Vec<f64> = x.iter().zip(&center).map(|(x, c)| x - c).collect();
        let across: f64 = normal.iter().zip(&from).map(|(w, d)| w * d).sum();
        from.iter().map(|d| d * d).sum::<f64>() + 1e4 * across.max(0.0).powi(2)
    }
}

/// Rings around a random point, each a local minimum deeper than the next one outside: the function Drop-Wave with other numbers of rings.
///
/// ```text
/// f(x) = -(1 + cos(ω r)) / (2 + r²/2),   r = 10 ‖x - c‖,   ω from 4 to 12
/// ```
///
/// The minimum is -1, at c.
pub fn rings(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let center: Vec<f64> = (0..dim).map(|_| 0.25 + 0.5 * rng.uniform()).collect();
    let frequency = 4.0 + 8.0 * rng.uniform();
    move |x| {
        let r = 10.0 * x.iter().zip(&center).map(|(x, c)| (x - c).powi(2)).sum::<f64>().sqrt();
        -(1.0 + (frequency * r).cos()) / (2.0 + 0.5 * r * r)
    }
}

/// One pit on a plateau that is flat but for traces of ripples: the function of Easom at a random place, with a random width.
///
/// ```text
/// f(x) = -exp(-‖s‖²) Π_i cos(s_i),   s = a (x - c),   a from 8 to 20
/// ```
///
/// The minimum is -1, at c.
pub fn needle(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let center: Vec<f64> = (0..dim).map(|_| 0.1 + 0.8 * rng.uniform()).collect();
    let narrow = 8.0 + 12.0 * rng.uniform();
    move |x| {
        let one = |(x, c): (&f64, &f64)| {
            let s = narrow * (x - c);
            (-s * s).exp() * s.cos()
        };
        -x.iter().zip(&center).map(one).product::<f64>()
    }
}

/// Product of a sum of five waves for each parameter, with random phases: the function of Shubert, whose minima are many and narrow.
///
/// ```text
/// f(x) = Π_d Σ_j j cos((j + 1) t_d + φ_dj) / 15,   t = 12 x,   j = 1, ..., 5
/// ```
pub fn combs(dim: usize, rng: &mut Stream) -> impl Fn(&[f64]) -> f64 + Send + Sync + use<> {
    let phases: Vec<[f64; 5]> = (0..dim).map(|_| [(); 5].map(|()| TAU * rng.uniform())).collect();
    move |x| {
        let waves = |(x, phases): (&f64, &[f64; 5])| {
            let wave = |(j, phase): (f64, &f64)| j * ((j + 1.0) * 12.0 * x + phase).cos() / 15.0;
            [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().zip(phases).map(wave).sum::<f64>()
        };
        x.iter().zip(&phases).map(waves).product()
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::{Seed, Sobol};

    use super::super::development::searched;
    use super::super::problems::Kind;
    use crate::error::ExperimentError;

    /// Functions with a minimum of 0 by their formulas: nothing is below it, and a long search finds it. Losses reach far above their median.
    #[test]
    fn valleys_and_least_squares_have_minima_of_0() -> Result<(), ExperimentError> {
        for (kind, dim) in [(Kind::Valley { dim: 2 }, 2), (Kind::LeastSquares { dim: 2 }, 2)] {
            for seed in 0..3 {
                let problem = kind.problem(Seed(seed))?;
                let points = Sobol::scrambled(dim, &mut Seed(seed).stream("points", 0)).take(256);
                let values: Vec<f64> = points.rows().map(|x| (problem.function)(x)).collect();
                assert!(values.iter().all(|value| *value >= 0.0), "{} {seed}", problem.name);
                let rng = &mut Seed(seed).stream("search", 0);
                let found = searched(&problem.function, dim, rng)?;
                assert!(found < 1e-8, "{} {seed}: {found}", problem.name);
                let best = values.iter().copied().fold(f64::INFINITY, f64::min);
                let worst = values.iter().copied().fold(0.0, f64::max);
                assert!(worst > 30.0 * best, "{} {seed}: {best} to {worst}", problem.name);
            }
        }
        Ok(())
    }

    /// Minima of -1 at a random place: nothing is below them, and they are there.
    #[test]
    fn rings_and_needles_have_minima_of_minus_1() {
        let at = |function: &dyn Fn(&[f64]) -> f64, x: &[f64]| function(x);
        for seed in 0..3 {
            let rng = || Seed(seed).stream("function", 0);
            let rings = super::rings(2, &mut rng());
            let needle = super::needle(2, &mut rng());
            let mut center = rng();
            let center = [center.uniform(), center.uniform()];
            assert!((at(&rings, &center.map(|u| 0.25 + 0.5 * u)) + 1.0).abs() < 1e-12);
            assert!((at(&needle, &center.map(|u| 0.1 + 0.8 * u)) + 1.0).abs() < 1e-12);
            let points = Sobol::scrambled(2, &mut Seed(seed).stream("points", 0)).take(4096);
            for function in [&rings as &dyn Fn(&[f64]) -> f64, &needle] {
                assert!(points.rows().all(|x| function(x) > -1.0));
            }
            // Rings are minima on a line from the centre; most of the plateau around a needle is flat.
            let along: Vec<f64> = (0..1000)
                .map(|i| at(&rings, &[center[0] * 0.5 + 0.25 + 1e-3 * f64::from(i), center[1] * 0.5 + 0.25]))
                .collect();
            assert!(along.windows(3).filter(|w| w[1] < w[0] && w[1] < w[2]).count() >= 4);
            assert!(points.rows().filter(|x| needle(x).abs() < 1e-3).count() > 2048);
        }
    }

    /// The search for the minimum of combs, of which there are hundreds, finds the lowest: no point of a fine grid is below it.
    #[test]
    fn the_lowest_minimum_of_combs_is_found() -> Result<(), ExperimentError> {
        for seed in 0..5 {
            let problem = Kind::Combs { dim: 2 }.problem(Seed(seed))?;
            let grid = (0..=700).flat_map(|i| (0..=700).map(move |j| [i, j].map(|k| f64::from(k) / 700.0)));
            let least = grid.map(|x| (problem.function)(&x)).fold(f64::INFINITY, f64::min);
            assert!(
                least >= problem.optimum && least < problem.optimum + 0.05,
                "{least} {}",
                problem.optimum
            );
        }
        Ok(())
    }
}
