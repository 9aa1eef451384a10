//! Estimators of Hyperopt: numbers and choices.

use serde_json::Value;
use thrifty_tpe::{Axis, Choices, Dimension, Estimator, GridEnds, Layout, Split, Weights};

use crate::json::{number, numbers, relative_to_largest, text};
use crate::tpe::{Families, SIDES, fit, kernels, largest_difference, log_densities, sides};

/// Bounds, or mean and standard deviation, and the step of a kind of number.
fn axis(kind: &str, args: &[f64]) -> Result<Axis, String> {
    if args.len() < 2 {
        return Err(format!("{kind} with {} numbers, expected 2 or 3", args.len()));
    }
    let (log, step) = (kind.contains("log"), args.get(2).copied());
    let natural = |x: f64| if log { x.exp() } else { x };
    let axis = match (kind.contains("normal"), step) {
        (true, _) => Axis::normal(args[0], args[1], log, step),
        (false, None) => Axis::float(natural(args[0]), natural(args[1]), log),
        (false, Some(step)) => Axis::grid(natural(args[0]), natural(args[1]), step, log, GridEnds::Cut),
    };
    // Bounds of the file are latent; through exp and back they would lose their last digit.
    let mut axis = axis.map_err(text)?;
    if !kind.contains("normal") {
        axis = Axis {
            bounds: (args[0], args[1]),
            prior_mean: 0.5 * (args[0] + args[1]),
            prior_sd: args[1] - args[0],
            ..axis
        };
    }
    Ok(axis)
}

/// A numeric parameter of Hyperopt: sorted mixtures, densities of the values themselves.
pub(crate) fn hyperopt(case: &Value, families: &mut Families) -> Result<(), String> {
    let kind = case["kind"].as_str().unwrap_or_default();
    let args = numbers(&case["args"])?;
    let axis = axis(kind, &args)?;
    let dimension = Dimension::Numeric(axis);
    let kernels = kernels(case, "hyperopt")?;
    let losses = numbers(&case["loss"])?;
    let mut order = losses.clone();
    order.sort_by(f64::total_cmp);
    let gamma = number(&case["gamma"])?;
    let cap = number(&case["LF"])? as usize;
    let good = Split::SquareRoot { gamma, cap }.good(&order);
    families.add("hyperopt", "split", 0.0, good as f64 - number(&case["n_below"])?);
    let grid = numbers(&case["grid"])?;
    let points: Vec<f64> = grid.iter().map(|x| dimension.internal(*x)).collect();
    for (values, (side, obs, density)) in sides(&numbers(&case["obs"])?, &losses, good).iter().zip(SIDES) {
        families.add("hyperopt", "sides", 0.0, largest_difference(values, &numbers(&case[obs])?));
        let estimator = fit(&dimension, values, &kernels, Layout::Observations)?;
        // The file has them sorted, the prior before its equals unless there is but one of them.
        let alone = values.len() == 1;
        let is_prior = |i: usize| i + 1 == estimator.len();
        let rank = |i: usize| i32::from(is_prior(i) == alone);
        let mut mixture: Vec<(f64, f64, i32)> = (0..estimator.len())
            .filter_map(|i| estimator.kernel(0, i).map(|(mu, sigma)| (mu, sigma, rank(i))))
            .collect();
        mixture.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        for (name, found) in [
            ("mus", mixture.iter().map(|m| m.0).collect::<Vec<_>>()),
            ("sigmas", mixture.iter().map(|m| m.1).collect()),
        ] {
            let error = relative_to_largest(&found, &numbers(&case[side][name])?, 1e-300);
            families.add("hyperopt", "mixture", 1e-12, error);
        }
        let mut truth = numbers(&case[density])?;
        if kind.starts_with("log") {
            // Densities are of the value: dx = x dz. Hyperopt leaves out the mass within bounds of `loguniform`.
            let mass = if kind == "loguniform" { mass_within(&estimator, &axis, values)? } else { 1.0 };
            truth.iter_mut().zip(&grid).for_each(|(t, x)| *t += x.ln() - mass.ln());
        }
        for layout in [Layout::Observations, Layout::Compact] {
            let estimator = fit(&dimension, values, &kernels, layout)?;
            let error = largest_difference(&log_densities(&estimator, &points, 1), &truth);
            families.add("hyperopt", "log density", 1e-10, error);
        }
    }
    Ok(())
}

/// The mass of an untruncated mixture within bounds.
fn mass_within(estimator: &Estimator, axis: &Axis, values: &[f64]) -> Result<f64, String> {
    let weights = Weights::LinearForgetting.of(values, None).trials;
    let total = weights.iter().sum::<f64>() + 1.0;
    let all = weights.iter().copied().chain([1.0]).enumerate();
    all.map(|(i, weight)| {
        let (mu, sigma) = estimator.kernel(0, i).ok_or("a kernel without a mean")?;
        Ok(weight / total * axis.mass(mu, sigma))
    })
    .sum()
}

pub(crate) fn choice(case: &Value, families: &mut Families) -> Result<(), String> {
    let count = number(&case["n"])? as usize;
    let choices = match &case["prior_p"] {
        Value::Null => Choices::uniform(count),
        probabilities => Choices::with_probabilities(numbers(probabilities)?),
    };
    let choices = choices.map_err(text)?;
    let (offset, dimension) = (number(&case["offset"])?, Dimension::Categorical(choices));
    let kernels = kernels(case, "hyperopt")?;
    let points: Vec<f64> = (0..count).map(|c| c as f64).collect();
    for (_, obs, density) in SIDES {
        let values: Vec<f64> = numbers(&case[obs])?.iter().map(|v| v - offset).collect();
        for layout in [Layout::Observations, Layout::Compact] {
            let estimator = fit(&dimension, &values, &kernels, layout)?;
            let error = largest_difference(&log_densities(&estimator, &points, 1), &numbers(&case[density])?);
            families.add("hyperopt", "log probability", 1e-10, error);
        }
    }
    Ok(())
}
