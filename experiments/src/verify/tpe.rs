use std::collections::BTreeMap;

use serde_json::Value;
use thrifty_tpe::{
    Axis, Bandwidth, BandwidthRule, CategoricalKernel, Choices, Dimension, Estimator, Floor, GridEnds,
    Kernels, Layout, Observed, Split, Truncation, Weights,
};

use super::{Family, Findings, number, numbers, relative_to_largest, rows};

/// Splits, weights, mixtures to 1e-12 and logarithms of densities to 1e-10, of both libraries of the file.
pub fn check(file: &Value) -> Result<Findings, String> {
    let mut families = Families::default();
    for (n, expected) in file["n_below_table"].as_object().into_iter().flatten() {
        let losses = vec![0.0; n.parse().map_err(|_| format!("{n} is not a count"))?];
        for (lib, split) in [("hyperopt", HYPEROPT_SPLIT), ("optuna", OPTUNA_SPLIT)] {
            families.add(lib, "split", 0.0, split.good(&losses) as f64 - number(&expected[lib])?);
        }
    }
    for (n, expected) in file["linear_forgetting"].as_object().into_iter().flatten() {
        let losses = vec![0.0; n.parse().map_err(|_| format!("{n} is not a count"))?];
        let found = Weights::LinearForgetting.of(&losses, None).trials;
        for lib in ["hyperopt", "optuna"] {
            let error = relative_to_largest(&found, &numbers(&expected[lib])?, 1e-300);
            families.add(lib, "forgetting", 1e-12, error);
        }
    }
    for case in rows(&file["cases"]) {
        let name = case["name"].as_str().unwrap_or("a case without a name");
        let checked = match (case["lib"].as_str(), case["kind"].as_str()) {
            (Some("hyperopt"), Some("choice" | "pchoice" | "randint")) => choice(case, &mut families),
            (Some("hyperopt"), Some(_)) => hyperopt(case, &mut families),
            (_, Some("multivariate")) => multivariate(case, &mut families),
            _ => optuna(case, &mut families),
        };
        checked.map_err(|error| format!("{name}: {error}"))?;
    }
    let lines = families.0.into_values().map(|family| family.line("tpe.json")).collect();
    Ok(Findings { lines, ..Findings::default() })
}

#[derive(Default)]
struct Families(BTreeMap<String, Family>);

impl Families {
    fn add(&mut self, lib: &str, what: &str, tolerance: f64, error: f64) {
        let name = format!("{lib}, {what}");
        self.0.entry(name.clone()).or_insert_with(|| Family::new(name, tolerance)).add(error.abs());
    }
}

const HYPEROPT_SPLIT: Split = Split::SquareRoot { gamma: 0.25, cap: 25 };
const OPTUNA_SPLIT: Split = Split::Linear { gamma: 0.1, cap: 25 };

/// Values of the good and of the bad side in the order of the trials.
fn sides(values: &[f64], losses: &[f64], good: usize) -> [Vec<f64>; 2] {
    let mut order: Vec<usize> = (0..losses.len()).collect();
    order.sort_by(|a, b| losses[*a].total_cmp(&losses[*b]));
    let pick = |good_ones: bool| {
        let wanted = |i: &usize| order[..good].contains(i) == good_ones;
        (0..losses.len()).filter(wanted).map(|i| values[i]).collect()
    };
    [pick(true), pick(false)]
}

/// Names of the sides in the file: mixtures, observations, densities.
const SIDES: [(&str, &str, &str); 2] = [("below", "below_obs", "log_l"), ("above", "above_obs", "log_g")];

fn kernels(case: &Value, lib: &str) -> Result<Kernels, String> {
    let hyperopt = lib == "hyperopt";
    let bounds = case["consider_endpoints"].as_bool().unwrap_or(false);
    let magic_clip = case["consider_magic_clip"].as_bool().unwrap_or(true);
    Ok(Kernels {
        bandwidth: Bandwidth {
            rule: BandwidthRule::Neighbours { prior: hyperopt, bounds },
            floor: if magic_clip { Floor::MAGIC_CLIP } else { Floor::NONE },
        },
        truncation: if hyperopt { Truncation::Mixture } else { Truncation::Component },
        categorical: if hyperopt { CategoricalKernel::Counts } else { CategoricalKernel::Smoothed },
        prior_weight: if case["prior_weight"].is_null() { 1.0 } else { number(&case["prior_weight"])? },
    })
}

fn fit(
    dimension: &Dimension,
    values: &[f64],
    kernels: &Kernels,
    layout: Layout,
) -> Result<Estimator, String> {
    let weights = Weights::LinearForgetting.of(values, None);
    let observed = vec![Observed::new(dimension, values)];
    Estimator::fit(std::slice::from_ref(dimension), observed, &weights, kernels, layout)
        .map_err(|error| error.to_string())
}

fn log_densities(estimator: &Estimator, points: &[f64], dim: usize) -> Vec<f64> {
    let mut out = vec![0.0; points.len() / dim];
    estimator.log_density_into(points, &mut out);
    out
}

fn largest_difference(found: &[f64], truth: &[f64]) -> f64 {
    let differences = found.iter().zip(truth).map(|(f, t)| (f - t).abs());
    let worst = differences.fold(0.0, |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(e) });
    if found.len() == truth.len() { worst } else { f64::INFINITY }
}

/// A numeric parameter of Hyperopt: sorted mixtures, densities of the values themselves.
fn hyperopt(case: &Value, families: &mut Families) -> Result<(), String> {
    let kind = case["kind"].as_str().unwrap_or_default();
    let args = numbers(&case["args"])?;
    let (log, step) = (kind.contains("log"), args.get(2).copied());
    let natural = |x: f64| if log { x.exp() } else { x };
    let axis = match (kind.contains("normal"), step) {
        (true, _) => Axis::normal(args[0], args[1], log, step),
        (false, None) => Axis::float(natural(args[0]), natural(args[1]), log),
        (false, Some(step)) => Axis::grid(natural(args[0]), natural(args[1]), step, log, GridEnds::Cut),
    };
    // Bounds of the file are latent; through exp and back they would lose their last digit.
    let mut axis = axis.map_err(|error| error.to_string())?;
    if !kind.contains("normal") {
        axis = Axis {
            bounds: (args[0], args[1]),
            prior_mean: 0.5 * (args[0] + args[1]),
            prior_sd: args[1] - args[0],
            ..axis
        };
    }
    let dimension = Dimension::Numeric(axis);
    let kernels = kernels(case, "hyperopt")?;
    let losses = numbers(&case["loss"])?;
    let mut order = losses.clone();
    order.sort_by(f64::total_cmp);
    let gamma = number(&case["gamma"])?;
    let good = Split::SquareRoot { gamma, cap: 25 }.good(&order);
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

fn choice(case: &Value, families: &mut Families) -> Result<(), String> {
    let count = number(&case["n"])? as usize;
    let choices = match &case["prior_p"] {
        Value::Null => Choices::uniform(count),
        probabilities => Choices::with_probabilities(numbers(probabilities)?),
    };
    let choices = choices.map_err(|error| error.to_string())?;
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

fn optuna_dimension(dist: &Value) -> Result<Dimension, String> {
    if let Some(count) = dist["n_choices"].as_u64() {
        return Ok(Dimension::Categorical(
            Choices::uniform(count as usize).map_err(|error| error.to_string())?,
        ));
    }
    let (low, high, log) = (number(&dist["low"])?, number(&dist["high"])?, dist["log"] == true);
    let axis = match &dist["step"] {
        Value::Null => Axis::float(low, high, log),
        step => Axis::grid(low, high, number(step)?, log, GridEnds::Whole),
    };
    Ok(Dimension::Numeric(axis.map_err(|error| error.to_string())?))
}

/// Errors of an estimator in trial order against the mixture of the file.
fn optuna_mixture(
    estimator: &Estimator,
    d: usize,
    truth: &Value,
    families: &mut Families,
) -> Result<(), String> {
    let error = relative_to_largest(estimator.probabilities(), &numbers(&truth["weights"])?, 1e-300);
    families.add("optuna", "mixture", 1e-12, error);
    if truth["cat_weights"].is_null() {
        let of = |part: fn((f64, f64)) -> f64| {
            (0..estimator.len()).filter_map(|i| estimator.kernel(d, i)).map(part).collect::<Vec<_>>()
        };
        for (name, found) in [("mus", of(|k| k.0)), ("sigmas", of(|k| k.1))] {
            let error = relative_to_largest(&found, &numbers(&truth[name])?, 1e-300);
            families.add("optuna", "mixture", 1e-12, error);
        }
    } else {
        let found: Vec<f64> =
            (0..estimator.len()).filter_map(|i| estimator.row(d, i)).flatten().copied().collect();
        let error = relative_to_largest(&found, &numbers(&truth["cat_weights"])?, 1e-300);
        families.add("optuna", "mixture", 1e-12, error);
    }
    Ok(())
}

fn optuna(case: &Value, families: &mut Families) -> Result<(), String> {
    let dimension = optuna_dimension(&case["dist"])?;
    let kernels = kernels(case, "optuna")?;
    let losses = numbers(&case["loss"])?;
    let good = OPTUNA_SPLIT.good(&losses);
    families.add("optuna", "split", 0.0, good as f64 - number(&case["n_below"])?);
    let points: Vec<f64> = numbers(&case["grid"])?.iter().map(|x| dimension.internal(*x)).collect();
    for (values, (side, obs, density)) in sides(&numbers(&case["obs"])?, &losses, good).iter().zip(SIDES) {
        families.add("optuna", "sides", 0.0, largest_difference(values, &numbers(&case[obs])?));
        optuna_mixture(&fit(&dimension, values, &kernels, Layout::Observations)?, 0, &case[side], families)?;
        for layout in [Layout::Observations, Layout::Compact] {
            let estimator = fit(&dimension, values, &kernels, layout)?;
            let error = largest_difference(&log_densities(&estimator, &points, 1), &numbers(&case[density])?);
            families.add("optuna", "log density", 1e-10, error);
        }
    }
    Ok(())
}

fn multivariate(case: &Value, families: &mut Families) -> Result<(), String> {
    let names = ["a", "b", "c", "d"];
    let float = |low, high, log| Axis::float(low, high, log).map(Dimension::Numeric);
    let dimensions = [
        float(-5.0, 10.0, false),
        float(1e-5, 1.0, true),
        Axis::grid(1.0, 20.0, 1.0, false, GridEnds::Whole).map(Dimension::Numeric),
        Choices::uniform(4).map(Dimension::Categorical),
    ];
    let dimensions: Vec<Dimension> =
        dimensions.into_iter().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let losses = numbers(&case["loss"])?;
    let good = OPTUNA_SPLIT.good(&losses);
    families.add("optuna", "split", 0.0, good as f64 - number(&case["n_below"])?);
    let columns =
        |list: &Value| names.iter().map(|name| numbers(&list[*name])).collect::<Result<Vec<_>, _>>();
    let (observed, grid) = (columns(&case["obs"])?, columns(&case["grid"])?);
    let points: Vec<f64> = (0..grid[0].len())
        .flat_map(|i| {
            dimensions.iter().zip(&grid).map(move |(d, column)| d.internal(column[i])).collect::<Vec<_>>()
        })
        .collect();
    let kernels = kernels(case, "optuna")?;
    for (at, (side, _, density)) in SIDES.into_iter().enumerate() {
        let values: Vec<Vec<f64>> =
            observed.iter().map(|column| sides(column, &losses, good)[at].clone()).collect();
        let weights = Weights::LinearForgetting.of(&values[0], None);
        let lists: Vec<Observed> = dimensions.iter().zip(&values).map(|(d, v)| Observed::new(d, v)).collect();
        let estimator = Estimator::fit(&dimensions, lists, &weights, &kernels, Layout::Observations)
            .map_err(|error| error.to_string())?;
        for (d, name) in names.iter().enumerate() {
            optuna_mixture(&estimator, d, &case[side][*name], families)?;
        }
        let error = largest_difference(&log_densities(&estimator, &points, 4), &numbers(&case[density])?);
        families.add("optuna", "joint log density", 1e-10, error);
    }
    Ok(())
}
