//! The five problems on which the estimator is judged, and their moved forms.

use thrifty_space::{Config, Space, SpaceError};
use thrifty_testbed::{Problem, TestFunction};

use super::formula::Formula;
use crate::error::ExperimentError;

/// In the order of tables; each also with its optimum moved away from the middle.
pub const NAMES: [&str; 5] = ["branin", "hartmann6", "rosenbrock4", "ackley10", "mixcond"];

/// Names with both forms.
pub fn both(names: &[&'static str]) -> Vec<(&'static str, bool)> {
    [false, true].into_iter().flat_map(|moved| names.iter().map(move |name| (*name, moved))).collect()
}

/// The problem of a name.
pub fn problem(name: &str, moved: bool) -> Result<Formula, ExperimentError> {
    match name {
        "branin" => on_box(name, TestFunction::branin(), moved),
        "hartmann6" => on_box(name, TestFunction::hartmann6(), moved),
        "rosenbrock4" => on_box(name, TestFunction::rosenbrock(4), moved),
        "ackley10" => on_box(name, TestFunction::ackley(10), moved),
        _ => mixcond(moved),
    }
}

/// Title of a problem in tables.
pub fn title(name: &str, moved: bool) -> String {
    if moved { format!("{name} moved") } else { name.to_owned() }
}

/// Share of its range by which parameter i is moved: 0.1 up, 0.12 down, 0.14 up, ….
fn shift(i: usize) -> f64 {
    (0.1 + 0.02 * i as f64) * if i.is_multiple_of(2) { 1.0 } else { -1.0 }
}

fn on_box(name: &str, function: TestFunction, moved: bool) -> Result<Formula, ExperimentError> {
    let bounds = function.bounds().to_vec();
    let space = Space::from_bounds(&bounds)?;
    let optimum = function.optimum();
    let value = move |config: &Config| {
        let mut x = function.point(config)?;
        if moved {
            for (i, (x, (low, high))) in x.iter_mut().zip(&bounds).enumerate() {
                *x -= shift(i) * (high - low);
            }
        }
        Ok(function.value(&x) - optimum)
    };
    Ok(Formula { name: title(name, moved), space, value: Box::new(value) })
}

/// Three architectures with parameters of their own; the second is best, by 0.2 and more.
fn mixcond(moved: bool) -> Result<Formula, ExperimentError> {
    let (log_lr, log_width, losses) =
        if moved { (-1.2, 8.0, [0.3, 0.0, 0.45, 0.6]) } else { (-2.0, 6.0, [0.6, 0.3, 0.0, 0.45]) };
    let space = Space::builder()
        .categorical("arch", [0, 1, 2])
        .log_float("lr", 1e-5, 1.0)
        .int("depth", 1, 10)
        .when("arch", [0])
        .float("dropout", 0.0, 1.0)
        .when("arch", [0])
        .log_int("width", 4, 1024)
        .when("arch", [1])
        .categorical("act", [0, 1, 2, 3])
        .when("arch", [1])
        .float("u", -5.0, 5.0)
        .when("arch", [2])
        .float("w", -5.0, 5.0)
        .when("arch", [2])
        .build()?;
    let value = move |c: &Config| -> Result<f64, SpaceError> {
        let base = 0.25 * (c.float("lr")?.log10() - log_lr).powi(2);
        Ok(match c.int("arch")? {
            0 => 0.5 + base + 0.05 * (c.float("depth")? - 7.0).abs() + (c.float("dropout")? - 0.3).powi(2),
            1 => {
                base + 0.1 * (c.float("width")?.log2() - log_width).powi(2)
                    + losses[c.int("act")?.clamp(0, 3) as usize]
            }
            _ => {
                let (u, w) = (c.float("u")?, c.float("w")?);
                0.2 + base + 0.02 * ((u - 2.0).powi(2) + (w - u).powi(2))
            }
        })
    };
    Ok(Formula { name: title("mixcond", moved), space, value: Box::new(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_problems_have_their_optima_elsewhere_and_as_deep() {
        for name in ["branin", "hartmann6", "rosenbrock4", "ackley10"] {
            let (still, moved) = (problem(name, false).unwrap(), problem(name, true).unwrap());
            let function = TestFunction::by_name(&still.name).unwrap_or_else(|| match name {
                "branin" => TestFunction::branin(),
                "hartmann6" => TestFunction::hartmann6(),
                "rosenbrock4" => TestFunction::rosenbrock(4),
                _ => TestFunction::ackley(10),
            });
            let best = |at: &[f64]| still.truth(&TestFunction::config(at)).unwrap();
            let inside = function.optimizers().iter().any(|optimum| {
                assert!(best(optimum).abs() < 1e-9, "{name}");
                let there: Vec<f64> = optimum
                    .iter()
                    .zip(function.bounds())
                    .enumerate()
                    .map(|(i, (x, (low, high)))| x + shift(i) * (high - low))
                    .collect();
                let config = TestFunction::config(&there);
                moved.space().validate(&config).is_ok() && moved.truth(&config).unwrap().abs() < 1e-9
            });
            assert!(inside, "{name}: no optimum within bounds");
        }
    }

    #[test]
    fn the_conditional_problem_is_0_at_its_best() {
        for (moved, lr, width, act) in [(false, 1e-2, 64, 2), (true, 10_f64.powf(-1.2), 256, 1)] {
            let mut config = Config::new();
            config.insert("arch", 1);
            config.insert("lr", lr);
            config.insert("width", width);
            config.insert("act", act);
            assert!(problem("mixcond", moved).unwrap().truth(&config).unwrap().abs() < 1e-12);
        }
    }
}
