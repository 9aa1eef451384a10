use super::super::test_data::{constant_column, friedman, hastie};
use super::*;

const LEARNER: BoostedTrees = BoostedTrees { rounds: 120, patience: 20, leaves: true };

fn prepared(train: &Rows, test: &Rows) -> Prepared {
    let (kept, held) = train.without_a_tenth(&mut Seed(0).stream("held out", 0));
    let bins = Bins::new(&kept.x, kept.columns);
    let codes = [&kept, &held, test].map(|rows| bins.codes(&rows.x));
    Prepared { learner: LEARNER, bins, kept, held, test: test.clone(), codes }
}

fn changed(name: &str, value: f64) -> Config {
    let mut config = LEARNER.usual();
    config.insert(name, value);
    config
}

/// A step of Newton's length falls short of where the loss rises again, so that every tree on all rows lowers it.
#[test]
fn the_loss_decreases_tree_by_tree() {
    for (train, test) in [(hastie(300, 0), hastie(200, 1)), (friedman(300, 0), friedman(200, 1))] {
        let fold = prepared(&train, &test);
        let (losses, found) = fold.fit(&LEARNER.usual(), Seed(0)).unwrap();
        assert!(losses.len() > 20 && losses.windows(2).all(|pair| pair[1][0] <= pair[0][0] + 1e-12));
        assert!(losses.last().unwrap()[0] < 0.5 * losses[0][0]);
        let loss = test.targets.loss(&found).unwrap();
        assert!(loss < 0.5, "{loss}");
        // The state of the least loss on what is held out is what predicts.
        let patience = losses.len() <= LEARNER.rounds;
        let best = losses.iter().enumerate().min_by(|a, b| a.1[1].total_cmp(&b.1[1])).unwrap().0;
        assert!(!patience || best + 1 + LEARNER.patience == losses.len(), "{best} of {}", losses.len());
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_draws_others() {
    let fold = prepared(&hastie(200, 0), &hastie(50, 1));
    let config = changed("subsample", 0.5);
    let found = |seed| fold.predictions(&config, Seed(seed)).unwrap();
    assert_eq!(found(1), found(1));
    assert_ne!(found(1), found(2));
    // All rows and columns leave nothing to chance.
    let all = |seed| fold.predictions(&LEARNER.usual(), Seed(seed)).unwrap();
    assert_eq!(all(1), all(2));
}

/// A slow rate ends near its start; penalties and a depth of 1 leave more of the loss.
#[test]
fn every_hyperparameter_does_something() {
    let fold = prepared(&hastie(300, 0), &hastie(50, 1));
    let trained = |config: &Config| fold.fit(config, Seed(0)).unwrap().0[20][0];
    let usual = trained(&LEARNER.usual());
    for (name, value) in [
        ("learning_rate", 1e-3),
        ("reg_alpha", 20.0),
        ("reg_lambda", 100.0),
        ("gamma", 20.0),
        ("subsample", 0.3),
        ("colsample_bytree", 0.1),
    ] {
        let found = trained(&changed(name, value));
        assert!(found > usual + 0.01, "{name}: {found} {usual}");
    }
    for (name, value) in [("max_depth", 1_i64), ("max_leaves", 2)] {
        let mut config = LEARNER.usual();
        config.insert(name, value);
        assert!(trained(&config) > usual + 0.01, "{name}");
    }
    let mut config = LEARNER.usual();
    config.insert("grow_policy", "lossguide");
    config.insert("max_leaves", 6_i64);
    let by_gain = trained(&config);
    config.insert("grow_policy", "depthwise");
    assert!(by_gain < trained(&config));
}

#[test]
fn one_class_a_constant_column_and_more_columns_than_rows() {
    let (train, test) = (hastie(60, 0), hastie(30, 1));
    let one = |rows: &Rows| Rows { targets: Targets::Classes(vec![false; rows.len()]), ..rows.clone() };
    let loss = |train: &Rows, test: &Rows| prepared(train, test).loss(&LEARNER.usual(), Seed(0)).unwrap();
    assert_eq!(loss(&one(&train), &test), Some(0.5_f64.sqrt()));
    assert_eq!(loss(&train, &one(&test)), None);
    assert!(loss(&constant_column(&train), &constant_column(&test)).is_some());
    // Eight rows of ten columns: too few to hold any out.
    let loss_of_few = loss(&train.picked(&[0, 1, 2, 3, 4, 5, 6, 7]), &test);
    assert!(loss_of_few.is_some_and(f64::is_finite));
    let equal = Rows { targets: Targets::Numbers(vec![2.0; 60]), ..train };
    let found = prepared(&equal, &test).predictions(&LEARNER.usual(), Seed(0)).unwrap();
    assert!(found.iter().all(|found| (found - 2.0).abs() < 1e-12));
}

#[test]
fn usual_values_are_in_the_spaces_of_the_source() {
    for (leaves, count) in [(true, 9), (false, 7)] {
        let learner = BoostedTrees { leaves, ..LEARNER };
        let space = learner.space().unwrap();
        space.validate(&learner.usual()).unwrap();
        assert_eq!(space.parameters().len(), count);
    }
}
