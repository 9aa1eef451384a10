//! Parzen estimators of two libraries.

use std::collections::BTreeMap;

use serde_json::Value;
use thrifty_tpe::{
    Bandwidth, BandwidthRule, CategoricalKernel, Dimension, Estimator, Floor, Kernels, Layout, Observed,
    Split, Truncation, Weights,
};

use crate::findings::Findings;
use crate::json::{number, numbers, relative_to_largest, rows};
use crate::line::Family;
use crate::tpe_hyperopt::{choice, hyperopt};
use crate::tpe_optuna::{multivariate, optuna};

/// Splits, weights, mixtures to 1e-12 and logarithms of densities to 1e-10, of both libraries of the file.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let (mut findings, mut families) = (Findings::default(), Families::default());
    let none = &Value::Null;
    let table = findings.section(file, "n_below_table").unwrap_or(none);
    for (n, expected) in table.as_object().into_iter().flatten() {
        let losses = vec![0.0; n.parse().map_err(|_| format!("{n} is not a count"))?];
        for (lib, split) in [("hyperopt", HYPEROPT_SPLIT), ("optuna", OPTUNA_SPLIT)] {
            families.add(lib, "split", 0.0, split.good(&losses) as f64 - number(&expected[lib])?);
        }
    }
    let table = findings.section(file, "linear_forgetting").unwrap_or(none);
    for (n, expected) in table.as_object().into_iter().flatten() {
        let losses = vec![0.0; n.parse().map_err(|_| format!("{n} is not a count"))?];
        let found = Weights::LinearForgetting.of(&losses, None).trials;
        for lib in ["hyperopt", "optuna"] {
            let error = relative_to_largest(&found, &numbers(&expected[lib])?, 1e-300);
            families.add(lib, "forgetting", 1e-12, error);
        }
    }
    for case in rows(findings.section(file, "cases").unwrap_or(none)) {
        let name = case["name"].as_str().unwrap_or("a case without a name");
        let (lib, kind) =
            (case["lib"].as_str().unwrap_or_default(), case["kind"].as_str().unwrap_or_default());
        let checked = match (lib, kind) {
            ("hyperopt", "choice" | "pchoice" | "randint") => choice(case, &mut families),
            ("hyperopt", kind) if NUMERIC.contains(&kind) => hyperopt(case, &mut families),
            ("optuna", "multivariate") => multivariate(case, &mut families),
            ("optuna", "uniform" | "loguniform" | "step" | "int" | "logint" | "categorical") => {
                optuna(case, &mut families)
            }
            _ => {
                findings.unknown(format!("parameter {kind} of {lib}"));
                continue;
            }
        };
        checked.map_err(|error| format!("{name}: {error}"))?;
    }
    findings.extend(families.0.into_values());
    findings.name_others(file, &["versions", "n_below_table", "linear_forgetting", "cases"]);
    Ok(findings)
}

/// Kinds of numbers in Hyperopt.
const NUMERIC: [&str; 8] =
    ["uniform", "quniform", "loguniform", "qloguniform", "normal", "qnormal", "lognormal", "qlognormal"];

#[derive(Default)]
pub(crate) struct Families(BTreeMap<String, Family>);

impl Families {
    pub(crate) fn add(&mut self, lib: &str, what: &str, tolerance: f64, error: f64) {
        let name = format!("{lib}, {what}");
        self.0.entry(name.clone()).or_insert_with(|| Family::new(name, tolerance)).add(error.abs());
    }
}

const HYPEROPT_SPLIT: Split = Split::SquareRoot { gamma: 0.25, cap: 25 };
pub(crate) const OPTUNA_SPLIT: Split = Split::Linear { gamma: 0.1, cap: 25 };

/// Values of the good and of the bad side in the order of the trials.
pub(crate) fn sides(values: &[f64], losses: &[f64], good: usize) -> [Vec<f64>; 2] {
    let mut order: Vec<usize> = (0..losses.len()).collect();
    order.sort_by(|a, b| losses[*a].total_cmp(&losses[*b]));
    let pick = |good_ones: bool| {
        let wanted = |i: &usize| order[..good].contains(i) == good_ones;
        (0..losses.len()).filter(wanted).map(|i| values[i]).collect()
    };
    [pick(true), pick(false)]
}

/// Names of the sides in the file: mixtures, observations, densities.
pub(crate) const SIDES: [(&str, &str, &str); 2] =
    [("below", "below_obs", "log_l"), ("above", "above_obs", "log_g")];

pub(crate) fn kernels(case: &Value, lib: &str) -> Result<Kernels, String> {
    let hyperopt = lib == "hyperopt";
    let bounds = case["consider_endpoints"].as_bool().unwrap_or(false);
    let magic_clip = case["consider_magic_clip"].as_bool().unwrap_or(true);
    Ok(Kernels {
        bandwidth: Bandwidth {
            rule: BandwidthRule::Neighbors { prior: hyperopt, bounds },
            floor: if magic_clip { Floor::MAGIC_CLIP } else { Floor::NONE },
        },
        truncation: if hyperopt { Truncation::Mixture } else { Truncation::Component },
        categorical: if hyperopt { CategoricalKernel::Counts } else { CategoricalKernel::Smoothed },
        prior_weight: if case["prior_weight"].is_null() { 1.0 } else { number(&case["prior_weight"])? },
    })
}

pub(crate) fn fit(
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

pub(crate) fn log_densities(estimator: &Estimator, points: &[f64], dim: usize) -> Vec<f64> {
    let mut out = vec![0.0; points.len() / dim];
    estimator.log_density_into(points, &mut out);
    out
}

pub(crate) fn largest_difference(found: &[f64], truth: &[f64]) -> f64 {
    let differences = found.iter().zip(truth).map(|(f, t)| (f - t).abs());
    let worst = differences.fold(0.0, |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(e) });
    if found.len() == truth.len() { worst } else { f64::INFINITY }
}
