//! Splits test every row once; full cross-validation is fold by fold what it is at once.

use proptest::prelude::*;
use thrifty_cv::{AllFolds, CrossValidation, Fold, FoldQuery, SplitError, Splits};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Fingerprint, History, MaxTrials, Optimizer, OptimizerError, Outcome, Study, Suggestion, TrialId,
};

fn tested_once(splits: &Splits, rows: usize) {
    for repeat in 0..splits.repeats() {
        let mut seen = vec![0; rows];
        for fold in 0..splits.folds() {
            let fold = splits.get(repeat, fold).unwrap();
            fold.test.iter().for_each(|row| seen[*row] += 1);
            let mut all = [fold.train.clone(), fold.test.clone()].concat();
            all.sort_unstable();
            assert_eq!(all, (0..rows).collect::<Vec<_>>());
            assert!(!fold.test.is_empty());
        }
        assert!(seen.iter().all(|count| *count == 1));
    }
}

proptest! {
    #[test]
    fn every_row_is_tested_once(rows in 2..60_usize, share in 0.0..1.0_f64, repeats in 1..4_usize, seed in any::<u64>()) {
        let folds = 2 + (share * (rows - 2) as f64) as usize;
        let splits = Splits::repeated_k_fold(rows, folds, repeats, Seed(seed)).unwrap();
        tested_once(&splits, rows);
        let sizes: Vec<usize> = (0..folds).map(|fold| splits.get(0, fold).unwrap().test.len()).collect();
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        prop_assert_eq!(&splits, &Splits::repeated_k_fold(rows, folds, repeats, Seed(seed)).unwrap());
    }

    #[test]
    fn classes_are_spread_evenly(classes in proptest::collection::vec(0..3_usize, 10..60), seed in any::<u64>()) {
        let splits = Splits::stratified(&classes, 5, 2, Seed(seed)).unwrap();
        tested_once(&splits, classes.len());
        for class in 0..3 {
            let count = |fold| splits.get(1, fold).unwrap().test.iter().filter(|row| classes[**row] == class).count();
            let counts: Vec<usize> = (0..5).map(count).collect();
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
        }
    }

    #[test]
    fn groups_stay_together(groups in proptest::collection::vec(0..12_usize, 30..60), seed in any::<u64>()) {
        let Ok(splits) = Splits::grouped(&groups, 4, 1, Seed(seed)) else { return Ok(()) };
        tested_once(&splits, groups.len());
        for fold in 0..4 {
            let fold = splits.get(0, fold).unwrap();
            prop_assert!(fold.test.iter().all(|row| fold.train.iter().all(|other| groups[*other] != groups[*row])));
        }
    }
}

/// A group of five rows and five of one, in two folds: the large one is placed first, and the small ones fill the other fold, whatever the
/// order of the names.
#[test]
fn large_groups_are_placed_first() {
    for large in 0..6_usize {
        let groups: Vec<usize> =
            (0..6).flat_map(|name| vec![name; if name == large { 5 } else { 1 }]).collect();
        for seed in 0..4 {
            let splits = Splits::grouped(&groups, 2, 2, Seed(seed)).unwrap();
            for repeat in 0..2 {
                let sizes = [0, 1].map(|fold| splits.get(repeat, fold).unwrap().test.len());
                assert_eq!(sizes, [5, 5], "group {large} is large, seed {seed}, repeat {repeat}");
            }
        }
    }
}

#[test]
fn what_cannot_be_split_is_named() {
    assert_eq!(Splits::k_fold(10, 1, Seed(0)), Err(SplitError::FoldCount { folds: 1, rows: 10 }));
    assert_eq!(Splits::k_fold(3, 4, Seed(0)), Err(SplitError::FoldCount { folds: 4, rows: 3 }));
    assert_eq!(Splits::repeated_k_fold(3, 2, 0, Seed(0)), Err(SplitError::NoRepeats));
    assert_eq!(
        Splits::grouped(&[1, 1, 2, 2], 3, 1, Seed(0)),
        Err(SplitError::TooFewGroups { groups: 2, folds: 3 })
    );
}

/// Many groups, such as the patients of a clinic: their sizes are counted once.
#[test]
fn many_groups_are_split_at_once() {
    let groups: Vec<usize> = (0..200_000).map(|row| row / 2).collect();
    let splits = Splits::grouped(&groups, 5, 1, Seed(1)).unwrap();
    let sizes: Vec<usize> = (0..5).map(|fold| splits.get(0, fold).unwrap().test.len()).collect();
    assert_eq!(sizes, [40_000; 5]);
}

/// Expanding windows of a time series of 8 values: each tests the two values after those that it trains on.
#[test]
fn given_folds_are_evaluated_as_they_are() {
    let window = |end: usize| Fold { train: (0..end).collect(), test: vec![end, end + 1] };
    let splits = Splits::new(vec![[2, 4, 6].map(window).to_vec()]).unwrap();
    assert_eq!((splits.repeats(), splits.folds()), (1, 3));
    let cv = CrossValidation::new(splits, |_: &Config, train: &[usize], test: &[usize]| {
        (100 * train.len() + 10 * test[0] + test[1]) as f64
    });
    for (fold, expected) in [(0, 223.0), (1, 445.0), (2, 667.0)] {
        let query = FoldQuery { config: Config::new(), repeat: 0, fold };
        assert_eq!(cv.evaluate(&query).objective(), Some(expected));
    }
}

#[test]
fn given_folds_that_make_no_sense_are_named() {
    let fold = |train: &[usize], test: &[usize]| Fold { train: train.to_vec(), test: test.to_vec() };
    let good = || vec![fold(&[0, 1], &[2]), fold(&[0, 1, 2], &[3])];
    let with = |bad: Fold| Splits::new(vec![good(), vec![fold(&[0], &[1]), bad]]);
    assert_eq!(with(fold(&[3], &[5, 3])), Err(SplitError::Overlap { repeat: 1, fold: 1, row: 3 }));
    assert_eq!(with(fold(&[], &[5])), Err(SplitError::EmptyPart { repeat: 1, fold: 1, part: "train" }));
    assert_eq!(with(fold(&[5], &[])), Err(SplitError::EmptyPart { repeat: 1, fold: 1, part: "test" }));
    assert_eq!(Splits::new(vec![]), Err(SplitError::NoRepeats));
    let one = vec![fold(&[0], &[1])];
    assert_eq!(Splits::new(vec![one.clone()]), Err(SplitError::TooFewFolds { repeat: 0, folds: 1 }));
    let three = [good(), one].concat();
    assert_eq!(
        Splits::new(vec![good(), three]),
        Err(SplitError::UnequalFolds { repeat: 1, folds: 3, expected: 2 })
    );
}

/// Optimiser that suggests 0, ⅛, ⅜, … and reports how many measured configurations it has seen.
struct Steps;

impl Optimizer for Steps {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let mut config = Config::new();
        config.insert("x", id.0 as f64 / 8.0);
        let measured = history.measured().count() as f64;
        Ok(Ask::Evaluate(Suggestion::new(config).with_diagnostic("measured", measured)))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query.clone()))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("steps"))
    }
}

fn loss(config: &Config, _: &[usize], test: &[usize]) -> f64 {
    (config.float("x").unwrap() - 0.5).powi(2) + 0.01 * test[0] as f64
}

#[test]
fn full_cross_validation_is_asked_fold_by_fold() {
    let cv = CrossValidation::new(Splits::k_fold(12, 4, Seed(1)).unwrap(), loss);
    let mut study = Study::new(AllFolds::new(Steps, 4).unwrap(), Seed(0)).with_stop(MaxTrials(34));
    study.run(|query: &FoldQuery, _| cv.evaluate(query)).unwrap();
    let trials = study.history().trials();
    for (i, trial) in trials.iter().enumerate() {
        assert_eq!((trial.query.fold, trial.query.config.float("x").unwrap()), (i % 4, (i / 4) as f64 / 8.0));
    }
    // A configuration is suggested once all folds of those before it are reported.
    assert_eq!(trials[32].diagnostics["measured"], 8.0);
    assert_eq!(study.recommend().unwrap().unwrap().float("x").unwrap(), 0.5);
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    assert!(space.dim() == 1 && AllFolds::new(Steps, 0).is_err());
}

#[test]
fn a_fold_that_fails_fails_its_configuration_alone() {
    let cv = CrossValidation::new(
        Splits::k_fold(12, 3, Seed(1)).unwrap(),
        |config: &Config, _: &[usize], test: &[usize]| {
            if config.float("x").unwrap() == 0.5 && test[0].is_multiple_of(2) {
                f64::NAN
            } else {
                loss(config, &[], test)
            }
        },
    );
    let mut study = Study::new(AllFolds::new(Steps, 3).unwrap(), Seed(0)).with_stop(MaxTrials(24));
    study.run(|query: &FoldQuery, _| cv.evaluate(query)).unwrap();
    let best = study.recommend().unwrap().unwrap().float("x").unwrap();
    assert!(best != 0.5, "{best}");
    let failed = study.history().unsuccessful().count();
    assert!((1..=3).contains(&failed), "{failed}");
    let missing = FoldQuery { config: Config::new(), repeat: 1, fold: 0 };
    assert!(matches!(cv.evaluate(&missing), Outcome::Failed(_)));
    let mut config = Config::new();
    config.insert("x", 0.25);
    assert_eq!(cv.mean(&config, Some(0)), cv.mean(&config, None));
    config.insert("x", 0.5);
    assert_eq!(cv.mean(&config, None), None);
}

/// Recommends the lowest loss it has seen.
struct Best;

impl Optimizer for Best {
    type Query = Config;
    type Recommendation = f64;

    fn ask(&mut self, _: &History<Config>, _: TrialId) -> Result<Ask<Config>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(Config::new())))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<f64>, OptimizerError> {
        Ok(history.best().map(|(_, loss)| loss))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("best"))
    }
}

#[test]
fn the_mean_is_over_all_folds_of_one_repeat_or_of_all() {
    // The loss names the fold by what it tests.
    let value = |test: &[usize]| test.iter().map(|row| (row * row) as f64).sum::<f64>();
    let splits = Splits::repeated_k_fold(11, 3, 2, Seed(4)).unwrap();
    let losses: Vec<Vec<f64>> = (0..2)
        .map(|repeat| (0..3).map(|fold| value(&splits.get(repeat, fold).unwrap().test)).collect())
        .collect();
    let cv = CrossValidation::new(splits, move |_: &Config, _: &[usize], test: &[usize]| value(test));
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let config = Config::new();
    for repeat in 0..2 {
        let found = cv.mean(&config, Some(repeat)).unwrap();
        assert!((found - mean(&losses[repeat])).abs() < 1e-12, "{found} {losses:?}");
        // All folds count: none of them alone has this mean.
        assert!(losses[repeat].iter().all(|loss| (loss - found).abs() > 1e-6), "{losses:?}");
    }
    assert!((cv.mean(&config, None).unwrap() - mean(&losses.concat())).abs() < 1e-12);
    // And an optimiser over all folds learns the mean of them.
    let mut study = Study::new(AllFolds::new(Best, 3).unwrap(), Seed(0)).with_stop(MaxTrials(3));
    study.run(|query: &FoldQuery, _| cv.evaluate(query)).unwrap();
    assert!((study.recommend().unwrap().unwrap() - mean(&losses[0])).abs() < 1e-12);
}

/// Repeats and seeds shuffle rows and groups anew, within classes too; the same seed gives the same splits.
#[test]
fn repeats_and_seeds_split_anew() {
    let classes = [0, 1].repeat(20);
    let groups: Vec<usize> = (0..40).map(|row| row / 2).collect();
    let kinds: [&dyn Fn(u64) -> Splits; 3] = [
        &|seed| Splits::repeated_k_fold(40, 4, 3, Seed(seed)).unwrap(),
        &|seed| Splits::stratified(&classes, 4, 3, Seed(seed)).unwrap(),
        &|seed| Splits::grouped(&groups, 4, 3, Seed(seed)).unwrap(),
    ];
    for (kind, split) in kinds.iter().enumerate() {
        let splits = split(1);
        let test = |splits: &Splits, repeat: usize| splits.get(repeat, 0).unwrap().test.clone();
        assert_eq!(splits, split(1));
        assert!(test(&splits, 0) != test(&splits, 1) && test(&splits, 1) != test(&splits, 2), "{kind}");
        assert!(test(&splits, 0) != test(&split(2), 0), "{kind}");
        // Not every fourth row of the list.
        let first: Vec<usize> = test(&splits, 0);
        assert!(first.windows(2).any(|pair| pair[1] - pair[0] != first[1] - first[0]), "{kind}: {first:?}");
    }
}

/// Every kind of split wants at least two folds, a row for each, and a repeat.
#[test]
fn every_kind_of_split_names_what_cannot_be() {
    let rows = [0, 1, 2];
    let kinds: [&dyn Fn(usize, usize) -> Result<Splits, SplitError>; 3] = [
        &|folds, repeats| Splits::repeated_k_fold(3, folds, repeats, Seed(0)),
        &|folds, repeats| Splits::stratified(&rows, folds, repeats, Seed(0)),
        &|folds, repeats| Splits::grouped(&rows, folds, repeats, Seed(0)),
    ];
    for kind in kinds {
        assert_eq!(kind(3, 0), Err(SplitError::NoRepeats));
        for folds in [0, 1, 4] {
            assert_eq!(kind(folds, 1), Err(SplitError::FoldCount { folds, rows: 3 }));
        }
        assert!(kind(2, 1).is_ok() && kind(3, 2).is_ok());
    }
}
