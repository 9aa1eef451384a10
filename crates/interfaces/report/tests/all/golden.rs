//! Importances beside those of Optuna on the same trials, and beside the exact shares of variance.

use serde::Deserialize;
use serde_json::Value;
use thrifty_report::Report;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Parameter, Space};
use thrifty_study::{History, Outcome, Trial, TrialId};

#[derive(Deserialize)]
struct File {
    made_by: String,
    studies: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    study: String,
    space: Vec<Parameter>,
    exact: Vec<f64>,
    fanova_mean: Vec<f64>,
    fanova_std_dev: Vec<f64>,
    ped_anova: Vec<f64>,
    /// Objective, then the values in the order of the space.
    trials: Vec<Vec<Value>>,
}

fn history(reference: &Reference) -> History<Config> {
    let trial = |row: &Vec<Value>| {
        let names = reference.space.iter().map(|parameter| parameter.name.clone());
        let query: serde_json::Map<String, Value> = names.zip(row[1..].iter().cloned()).collect();
        let query: Config = serde_json::from_value(Value::Object(query)).unwrap();
        Trial::new(TrialId(0), query, Some(Outcome::from(row[0].as_f64().unwrap())))
    };
    History::from_trials(reference.trials.iter().map(trial).collect(), Seed(0))
}

#[test]
fn importances_are_those_of_optuna_and_near_the_exact_ones() {
    let file: File = serde_json::from_str(include_str!("golden/importance.json")).unwrap();
    assert!(file.made_by.contains("optuna") && file.studies.len() == 5);
    for reference in &file.studies {
        let history = history(reference);
        let space = Space::new(reference.space.clone()).unwrap();
        let found = Report::new(&history, Some(&space)).unwrap().importance().unwrap();
        for (at, one) in found.iter().enumerate() {
            let place = format!("{}: {}", reference.study, one.name);
            println!(
                "{place}: exact {:.4}, ours {:.4}, Optuna {:.4} ± {:.4}; PED-ANOVA {:e} apart",
                reference.exact[at],
                one.share,
                reference.fanova_mean[at],
                reference.fanova_std_dev[at],
                one.near_best - reference.ped_anova[at]
            );
            assert!((one.near_best - reference.ped_anova[at]).abs() < 1e-9, "{place}");
            assert!((one.share - reference.exact[at]).abs() < 0.01, "{place}");
            // Optuna averages a category over the cube of its indicator columns, combinations that do not exist included. On
            // continuous parameters a split of ours is a border of bins, not the middle of the rows of its node.
            let tolerance = match reference.study.as_str() {
                "choices" => f64::INFINITY,
                "steps" | "slopes" => 0.0015,
                _ => 3.0 * reference.fanova_std_dev[at] + 1e-6,
            };
            assert!((one.share - reference.fanova_mean[at]).abs() <= tolerance, "{place}");
        }
    }
}
