//! Random forest for two classes.

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_trees::{Forest, ForestSettings, Table};

use super::{Fold, Learner, Rows, Targets};
use crate::LearnerError;

/// A random forest whose trees vote with the shares of the classes in their leaves.
///
/// With targets 0 and 1 the squared error of a regression tree is half its Gini impurity, so that splits and leaves are those of a
/// classification tree. The source grows 500 trees.
#[derive(Debug, Clone, Copy)]
pub struct RandomForest {
    /// Number of trees.
    pub trees: usize,
}

/// Bins of a feature.
const BINS: usize = 64;

struct Prepared {
    trees: usize,
    table: Table,
    targets: Vec<f64>,
    test: Rows,
}

impl Learner for RandomForest {
    fn space(&self) -> Result<Space, SpaceError> {
        Space::builder()
            .log_int("max_depth", 1, 12)
            .log_float("min_impurity_decrease", 1e-8, 10.0)
            .log_float("max_features", 0.005, 0.5)
            .log_int("min_samples_split", 5, 250)
            .build()
    }

    fn usual(&self) -> Config {
        let mut config = Config::new();
        config.insert("max_depth", 12_i64);
        config.insert("min_impurity_decrease", 1e-8);
        config.insert("max_features", 0.1);
        config.insert("min_samples_split", 5_i64);
        config
    }

    fn prepare(&self, train: &Rows, test: &Rows, _: Seed) -> Result<Box<dyn Fold>, LearnerError> {
        if !matches!(train.targets, Targets::Classes(_)) {
            return Err(LearnerError::Targets { learner: "a forest for two classes", found: "numbers" });
        }
        let table = Table::new(train.x.clone(), train.columns, BINS)?;
        let targets = train.targets.numbers();
        Ok(Box::new(Prepared { trees: self.trees, table, targets, test: test.clone() }))
    }
}

impl Fold for Prepared {
    fn targets(&self) -> &Targets {
        &self.test.targets
    }

    fn predictions(&self, config: &Config, seed: Seed) -> Result<Vec<f64>, LearnerError> {
        let share = config.float("max_features")? * self.table.columns() as f64;
        let settings = ForestSettings {
            trees: self.trees,
            features: Some((share as usize).max(1)),
            min_leaf: 1,
            min_split: config.int("min_samples_split")? as usize,
            min_decrease: config.float("min_impurity_decrease")? / 2.0,
            max_depth: Some(config.int("max_depth")? as usize),
            sample: 1.0,
        };
        Ok(Forest::fit(&self.table, &self.targets, &settings, seed, 1)?.predict(&self.test.x)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_data::{constant_column, hastie};
    use super::*;

    const LEARNER: RandomForest = RandomForest { trees: 60 };

    fn fold(train: &Rows, test: &Rows) -> Box<dyn Fold> {
        LEARNER.prepare(train, test, Seed(0)).unwrap()
    }

    #[test]
    fn probabilities_are_shares_and_those_of_both_classes_add_up_to_one() {
        let (train, test) = (hastie(300, 0), hastie(200, 1));
        let other = |rows: &Rows| {
            let Targets::Classes(classes) = &rows.targets else { panic!("two classes") };
            Rows { targets: Targets::Classes(classes.iter().map(|c| !c).collect()), ..rows.clone() }
        };
        // Deep down many splits are equally good, and rounding chooses another of them for the other class.
        let (mut usual, seed) = (LEARNER.usual(), Seed(4));
        usual.insert("max_depth", 2_i64);
        let found = fold(&train, &test).predictions(&usual, seed).unwrap();
        let turned = fold(&other(&train), &other(&test)).predictions(&usual, seed).unwrap();
        for (a, b) in found.iter().zip(&turned) {
            assert!((0.0..=1.0).contains(a) && (a + b - 1.0).abs() < 1e-6, "{a} {b}");
        }
        assert_eq!(found, fold(&train, &test).predictions(&usual, seed).unwrap());
        let loss = fold(&train, &test).loss(&LEARNER.usual(), seed).unwrap().unwrap();
        assert!(loss < 0.5, "{loss}");
    }

    /// No split is worth an impurity of 10, so that all rows have the share of the class, and the loss is √½.
    #[test]
    fn a_forest_without_splits_knows_nothing() {
        let mut config = LEARNER.usual();
        config.insert("min_impurity_decrease", 10.0);
        let fold = fold(&hastie(300, 0), &hastie(100, 1));
        let found = fold.predictions(&config, Seed(0)).unwrap();
        assert!(found.iter().all(|p| *p == found[0]) && (found[0] - 0.5).abs() < 0.1);
        assert!((fold.loss(&config, Seed(0)).unwrap().unwrap() - 0.5_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn one_class_a_constant_column_and_more_columns_than_rows() {
        let (train, test) = (hastie(40, 0), hastie(30, 1));
        let one = |rows: &Rows| Rows { targets: Targets::Classes(vec![true; rows.len()]), ..rows.clone() };
        let loss = |train: &Rows, test: &Rows| fold(train, test).loss(&LEARNER.usual(), Seed(0)).unwrap();
        // One class to train on: every row alike. One class to test on: no loss.
        assert_eq!(loss(&one(&train), &test), Some(0.5_f64.sqrt()));
        assert_eq!(loss(&train, &one(&test)), None);
        assert!(loss(&constant_column(&train), &constant_column(&test)).is_some());
        let wide = |rows: &Rows| rows.picked(&[0, 1, 2, 3, 4, 5]);
        assert!(loss(&wide(&train), &test).is_some());
        let numbers = Rows { targets: Targets::Numbers(vec![0.5; 40]), ..train };
        assert!(LEARNER.prepare(&numbers, &test, Seed(0)).is_err());
    }

    #[test]
    fn usual_values_are_in_the_space_of_the_source() {
        let space = LEARNER.space().unwrap();
        space.validate(&LEARNER.usual()).unwrap();
        assert_eq!(space.parameters().len(), 4);
    }
}
