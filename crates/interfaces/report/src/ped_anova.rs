//! PED-ANOVA: importance near the best trials, on a grid.
//!
//! ```text
//! v = α² / β · Σ_g p(g) (p_best(g) / p(g) - 1)²
//! ```
//!
//! p and `p_best` are Parzen estimates of all trials and of the best ones that have the parameter; β and α are the shares of all and of the
//! best trials that have it. Kernels are discretized truncated normals with Scott's width, or smoothed categories, and a prior.
//! Source: Watanabe, Bansal & Hutter (2023), with the grid, the prior and the least width of Optuna 5.

use thrifty_prob::cdf;
use thrifty_space::{Config, Kind, Parameter};

use crate::parameter::ParameterAxis;

/// Points on a continuous axis.
const STEPS: usize = 50;

/// Weight of the prior in trials.
const PRIOR: f64 = 1.0;

/// Least width of a kernel in steps of the grid: 90 % of it fall into one step.
const LEAST_WIDTH: f64 = 0.5 / 1.64;

/// Density that no point falls below.
const FLOOR: f64 = 1e-12;

/// Importance of a parameter up to a factor that all parameters share. `trials` are configurations with their objective.
pub(crate) fn importance(
    parameter: &Parameter,
    axis: &ParameterAxis,
    trials: &[(&Config, f64)],
    share: f64,
) -> f64 {
    let cutoff = cutoff(trials, share);
    let best = |objective: f64| objective <= cutoff;
    let points = grid(parameter, axis);
    let counts = |keep: &dyn Fn(f64) -> bool| -> Vec<f64> {
        let mut counts = vec![0.0; points];
        let kept = trials.iter().filter(|(_, objective)| keep(*objective));
        for place in kept.filter_map(|(config, _)| axis.place(config.get(&parameter.name)?)) {
            let at = if axis.is_named() {
                place
            } else {
                // A place in the middle of two points goes to the lower one.
                (place * (points - 1) as f64 - 0.5).ceil()
            };
            counts[at as usize] += 1.0;
        }
        counts
    };
    let (of_all, of_best) = (counts(&|_| true), counts(&best));
    let (with, best_with): (f64, f64) = (of_all.iter().sum(), of_best.iter().sum());
    if points < 2 || best_with < 1.0 {
        return 0.0;
    }
    let density = |counts: &[f64]| if axis.is_named() { categorical(counts) } else { numeric(counts) };
    let (all, top) = (density(&of_all), density(&of_best));
    let divergence: f64 = all.iter().zip(&top).map(|(p, q)| p * (q / p - 1.0).powi(2)).sum();
    let best_share = best_with / trials.iter().filter(|(_, objective)| best(*objective)).count() as f64;
    best_share * best_share / (with / trials.len() as f64) * divergence
}

/// Largest objective of the best `share` of the trials; trials that are equal to it are among the best.
fn cutoff(trials: &[(&Config, f64)], share: f64) -> f64 {
    let mut sorted: Vec<f64> = trials.iter().map(|(_, objective)| *objective).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let count = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(count - 1).copied().unwrap_or(f64::NEG_INFINITY)
}

/// Number of points: those of a short grid, the choices, or [`STEPS`].
fn grid(parameter: &Parameter, axis: &ParameterAxis) -> usize {
    match parameter.kind {
        Kind::Int { low, high, log: true, .. } => {
            STEPS.min((high.abs_diff(low) as f64 + 1.0).log2().ceil() as usize + 1)
        }
        Kind::Categorical { .. } => axis.names().len(),
        _ => axis.values().map_or(STEPS, |values| STEPS.min(values)),
    }
}

/// Density on a grid of the integers from 0: a kernel per occupied point and a wide one in the middle.
fn numeric(counts: &[f64]) -> Vec<f64> {
    let high = counts.len() as f64 - 1.0;
    let observed: Vec<(f64, f64)> =
        counts.iter().enumerate().filter(|(_, n)| **n > 0.0).map(|(at, n)| (at as f64, *n)).collect();
    let width = scott(&observed).max(LEAST_WIDTH);
    let kernels = observed.iter().map(|(mean, n)| (*mean, width, *n));
    let prior = std::iter::once((0.5 * high, high + 1.0, PRIOR));
    let whole: f64 = observed.iter().map(|(_, n)| n).sum::<f64>() + PRIOR;
    let mut density = vec![FLOOR; counts.len()];
    for (mean, width, weight) in kernels.chain(prior) {
        // Mass between two numbers; far in a tail by the other tail, which does not round to 1.
        let mass = |from: f64, to: f64| {
            let (from, to) = ((from - mean) / width, (to - mean) / width);
            if from > 0.0 { cdf(-from) - cdf(-to) } else { cdf(to) - cdf(from) }
        };
        let scale = weight / whole / mass(-0.5, high + 0.5);
        density
            .iter_mut()
            .enumerate()
            .for_each(|(at, p)| *p += scale * mass(at as f64 - 0.5, at as f64 + 0.5));
    }
    density
}

/// Scott's width of weighted points, by the smaller of standard deviation and quartile range. Source: Scott (1992).
fn scott(observed: &[(f64, f64)]) -> f64 {
    let n: f64 = observed.iter().map(|(_, n)| n).sum();
    let mean = observed.iter().map(|(at, n)| at * n).sum::<f64>() / n;
    let sum: f64 = observed.iter().map(|(at, n)| n * (at - mean).powi(2)).sum();
    let std_dev = (sum / (n - 1.0).max(1.0)).sqrt();
    let cumulated: Vec<f64> = observed
        .iter()
        .scan(0.0, |sum, (_, n)| {
            *sum += n;
            Some(*sum)
        })
        .collect();
    let at =
        |index: usize| observed.get(index.min(observed.len().saturating_sub(1))).map_or(0.0, |(at, _)| *at);
    let lower = cumulated.partition_point(|sum| *sum < (n / 4.0).floor());
    let upper = cumulated.partition_point(|sum| *sum <= (3.0 * n / 4.0).floor());
    let quartiles = (at(upper) - at(lower)) / 1.34;
    1.059 * quartiles.min(std_dev) * n.powf(-0.2)
}

/// Density of choices: a kernel per observed choice that leaves the prior's share to the others, and a uniform one.
fn categorical(counts: &[f64]) -> Vec<f64> {
    let kernels = counts.iter().filter(|n| **n > 0.0).count() as f64 + 1.0;
    let (choices, whole) = (counts.len() as f64, counts.iter().sum::<f64>() + PRIOR);
    let smoothing = PRIOR / kernels;
    let row = 1.0 + choices * smoothing;
    // Every kernel gives the smoothing to every choice, and its own choice 1 more.
    let uniform = PRIOR / whole / choices;
    let shared = (whole - PRIOR) / whole * smoothing / row;
    counts.iter().map(|n| FLOOR + uniform + shared + n / whole / row).collect()
}

#[cfg(test)]
mod tests {
    use thrifty_space::{Space, SpaceBuilder, Value};

    use super::*;

    #[test]
    fn densities_sum_to_one() {
        for counts in [vec![3.0, 0.0, 1.0], vec![0.0, 0.0, 9.0, 0.0], vec![1.0; 50]] {
            for density in [numeric(&counts), categorical(&counts)] {
                assert!((density.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{density:?}");
                assert!(density.iter().all(|p| *p > 0.0));
            }
        }
    }

    /// Densities of mirrored counts are mirrored, in both tails to the last digits.
    #[test]
    fn densities_of_mirrored_counts_are_mirrored() {
        let mut counts = vec![0.0; 10];
        counts[0] = 1e6;
        let left = numeric(&counts);
        counts.reverse();
        let mut right = numeric(&counts);
        right.reverse();
        for (at, (left, right)) in left.iter().zip(&right).enumerate() {
            assert!((left / right - 1.0).abs() < 1e-13, "{left} and {right} at {at} from the end");
        }
    }

    /// A million trials at the first of ten points: the tail of their kernel, in closed form to the last digits.
    ///
    /// The density at point g is `10⁻¹² + 10⁶ s (Q((g - ½)/w) - Q((g + ½)/w)) / Φ(½/w) + s b`, where `w = 1 / 3.28`, `Q = 1 - Φ`,
    /// `s = 1 / (10⁶ + 1)` and b is the share of the prior. Values are from an arithmetic of forty digits.
    #[test]
    fn tails_of_a_density_are_exact() {
        let mut counts = vec![0.0; 10];
        counts[0] = 1e6;
        let density = numeric(&counts);
        for (at, expected) in
            [(1, 0.053_188_341_940_784_19), (2, 5.566_754_951_076_958e-7), (3, 1.029_763_626_803_146e-7)]
        {
            let found = density[at];
            assert!((found / expected - 1.0).abs() < 1e-12, "{found} at {at}, expected {expected}");
        }
    }

    /// The values of a short grid, the powers of two in a logarithmic range of integers, the choices, and 50 elsewhere at most.
    #[test]
    fn a_grid_has_a_point_a_value() {
        let space = Space::builder()
            .float("float", 0.0, 1.0)
            .step_float("short", 0.0, 1.0, 0.25)
            .step_float("long", 0.0, 1.0, 0.001)
            .int("int", 2, 8)
            .log_int("log", 1, 8)
            .categorical("choice", ["a", "b", "c"])
            .build()
            .unwrap();
        let counts: Vec<usize> = space
            .parameters()
            .iter()
            .map(|parameter| grid(parameter, &ParameterAxis::of(parameter)))
            .collect();
        assert_eq!(counts, [STEPS, 5, STEPS, 7, 4, 3]);
    }

    /// Values of a grid that ends below the upper bound have a point each, as those of a grid that ends at the bound: the same importance.
    #[test]
    fn values_of_a_grid_below_the_upper_bound_have_a_point_each() {
        let importance_of = |builder: SpaceBuilder, value: fn(i64) -> Value| {
            let space = builder.build().unwrap();
            let parameter = &space.parameters()[0];
            let config = |level: i64| {
                let mut config = Config::new();
                config.insert("n", value(level));
                config
            };
            let configs: Vec<Config> = (0..60).map(|at| config(at % 3)).collect();
            // The middle value is the best.
            let objective = |at: usize| (at as f64 % 3.0 - 1.0).abs() + at as f64 / 100.0;
            let trials: Vec<(&Config, f64)> =
                configs.iter().enumerate().map(|(at, config)| (config, objective(at))).collect();
            importance(parameter, &ParameterAxis::of(parameter), &trials, 0.1)
        };
        let expected = importance_of(Space::builder().int("n", 0, 2), Value::Int);
        assert!(expected > 0.1, "{expected}");
        let whole = importance_of(Space::builder().step_int("n", 0, 29, 10), |level| Value::Int(10 * level));
        let float = Space::builder().step_float("n", 0.0, 1.0, 0.4);
        let float = importance_of(float, |level| Value::Float(0.4 * level as f64));
        assert_eq!([whole, float], [expected; 2]);
    }

    /// Importance of a parameter that few trials have: a single trial is all of them and the best of them, which leaves no divergence; of
    /// two that differ the better one diverges.
    #[test]
    fn two_trials_that_have_a_parameter_are_enough() {
        let space = Space::builder()
            .categorical("kind", ["a", "b"])
            .float("x", 0.0, 1.0)
            .when("kind", ["a"])
            .build()
            .unwrap();
        let parameter = &space.parameters()[1];
        let configs: Vec<Config> = [Some(0.1), Some(0.9), None, None]
            .map(|x| {
                let mut config = Config::new();
                config.insert("kind", if x.is_some() { "a" } else { "b" });
                x.into_iter().for_each(|x| config.insert("x", x));
                config
            })
            .to_vec();
        let of = |at: &[usize]| {
            let trials: Vec<(&Config, f64)> = at.iter().map(|at| (&configs[*at], *at as f64)).collect();
            importance(parameter, &ParameterAxis::of(parameter), &trials, 0.1)
        };
        assert_eq!(of(&[0, 2, 3]), 0.0, "one trial has it");
        assert!(of(&[0, 1, 2, 3]) > 0.1, "two trials have it: {}", of(&[0, 1, 2, 3]));
        assert_eq!(of(&[2, 3]), 0.0, "no trial has it");
    }

    /// Levels 0 and 2 three times each: mean 1, standard deviation √(6/5), quartiles 0 and 2.
    #[test]
    fn widths_are_those_of_scott() {
        let expected = 1.059 * (6.0_f64 / 5.0).sqrt() * 6_f64.powf(-0.2);
        assert!((scott(&[(0.0, 3.0), (2.0, 3.0)]) - expected).abs() < 1e-12);
        assert_eq!(scott(&[(7.0, 1.0)]), 0.0);
    }
}
