//! Figures of studies of their own kind: single folds, and training under a budget.

use thrifty_autobct::{AutoBct, AutoBctSettings, State};
use thrifty_cv::FoldQuery;
use thrifty_linear::{Coefficients, Polynomial};
use thrifty_report::{Unfit, fold_correlations, fold_scores, training_values};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, MaxTrials, Measurement, Study, Trial, TrialId};

use crate::snapshot;
use snapshot::{check, check_model};

fn measured(query: FoldQuery, score: f64) -> Trial<FoldQuery> {
    Trial::new(TrialId(0), query, Some(score.into()))
}

/// Configurations on folds: fold 1 rises with fold 0, fold 2 falls; the last configurations lack a fold.
fn folds(configs: usize, repeats: usize) -> History<FoldQuery> {
    let mut trials = Vec::new();
    for at in 0..configs {
        for repeat in 0..repeats {
            for fold in 0..3 {
                if fold == 2 && at + 1 == configs {
                    continue;
                }
                let x = (at as f64 * 0.37).fract();
                let mut config = Config::new();
                config.insert("x", x);
                let score = [x, 0.5 * x + 0.2, 1.0 - x][fold] + 0.01 * repeat as f64;
                trials.push(measured(FoldQuery { config, repeat, fold }, score));
            }
        }
    }
    History::from_trials(trials, Seed(1))
}

#[test]
fn folds_have_scores_and_correlations() {
    let history = folds(6, 1);
    let scores = fold_scores(&history).unwrap();
    check("fold_scores", &scores);
    check("fold_correlations", &fold_correlations(&history).unwrap());
    assert!(scores.contains("trial 0") && !scores.contains("NaN"));
    // The most measured configurations stay when there are too many rows.
    assert!(!fold_scores(&folds(40, 1)).unwrap().contains("\ntrial 117\n"), "the last one lacks a fold");
    assert!(fold_scores(&folds(3, 2)).unwrap().contains("\n1.2\n"), "folds are named with their repeat");
}

#[test]
fn studies_of_few_folds_name_the_reason() {
    let none = History::new(Seed(1));
    assert_eq!(fold_scores(&none), Err(Unfit::TooFew { what: "measured folds", found: 0, needed: 2 }));
    assert!(fold_scores(&folds(2, 1)).is_ok());
    assert_eq!(
        fold_correlations(&folds(2, 1)),
        Err(Unfit::Missing("three configurations on the same two folds"))
    );
}

fn budgeted(space: Space) -> AutoBct {
    let basis = Polynomial::full(space.dim(), 1, 0.5);
    let count = thrifty_linear::Basis::len(&basis);
    let belief = |level: f64| {
        let mut mean = vec![0.0; count];
        mean[0] = level;
        Coefficients::independent(mean, &vec![0.3; count]).unwrap()
    };
    let settings = AutoBctSettings { grid: 5, later_grid: 5, ..AutoBctSettings::default() };
    AutoBct::new(space, &basis, &basis, State { score: belief(0.5), cost: belief(0.3) }, settings).unwrap()
}

fn trained(space: Space, trainings: usize) -> (Study<AutoBct>, History<Config>) {
    let mut study = Study::new(budgeted(space), Seed(0)).with_stop(MaxTrials(trainings));
    let measure =
        |objective| Measurement { objectives: vec![objective], cost: Some(0.1), ..Measurement::default() };
    study.run(|_: &Config, _| measure(0.4)).unwrap();
    let history = study.history().clone();
    (study, history)
}

#[test]
fn training_has_a_value_per_control() {
    let line = || Space::builder().float("epochs", 0.0, 1.0).build().unwrap();
    let (study, history) = trained(line(), 0);
    let before = training_values(study.optimizer(), &history).unwrap();
    assert!(before.contains("value of training") && !before.contains("value of stopping"));
    let (study, history) = trained(line(), 1);
    let after = training_values(study.optimizer(), &history).unwrap();
    assert!(after.contains("value of stopping") && after.contains("epochs"));
    check_model("training_curve", &after);

    let plane = Space::builder().float("epochs", 0.0, 1.0).float("rate", 0.0, 1.0).build().unwrap();
    let (study, history) = trained(plane, 1);
    let map = training_values(study.optimizer(), &history).unwrap();
    assert!(map.contains("epochs") && map.contains("rate") && !map.contains("NaN"));
    check_model("training_map", &map);

    let named = Space::builder().categorical("kind", ["a", "b"]).build().unwrap();
    let (study, history) = trained(named, 0);
    assert_eq!(training_values(study.optimizer(), &history), Err(Unfit::Missing("numeric controls")));
}
