//! Cross-validated models of other libraries: they learn, and what they cannot do is a failed fold.

use linfa::prelude::{Fit, Predict};
use linfa_trees::DecisionTree;
use ndarray::{Array1, Array2};
use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;
use thrifty::sampling::Seed;
use thrifty::space::Config;
use thrifty_cv::{CrossValidation, FoldQuery, Splits, adaptors};

/// Two classes that a threshold parts.
fn data() -> (Vec<Vec<f64>>, Vec<u32>) {
    let mut rng = Seed(3).stream("data", 0);
    (0..60)
        .map(|_| {
            let point = vec![rng.uniform(), rng.uniform()];
            let class = u32::from(point[0] > 0.5);
            (point, class)
        })
        .unzip()
}

fn depth(depth: i64) -> Config {
    let mut config = Config::new();
    config.insert("depth", depth);
    config
}

#[test]
fn a_smartcore_forest() {
    let (x, y) = data();
    let splits =
        Splits::stratified(&y.iter().map(|c| *c as usize).collect::<Vec<_>>(), 5, 1, Seed(1)).unwrap();
    let forest = adaptors::smartcore(
        DenseMatrix::from_2d_vec(&x).unwrap(),
        y,
        |config: &Config, x, y, test| {
            let depth = config.int("depth").map_err(|error| error.to_string())? as u16;
            let parameters =
                RandomForestClassifierParameters::default().with_n_trees(20).with_max_depth(depth);
            let forest = RandomForestClassifier::fit(x, y, parameters).map_err(|error| error.to_string())?;
            forest.predict(test).map_err(|error| error.to_string())
        },
        adaptors::error_rate,
    );
    let cv = CrossValidation::new(splits, forest);
    assert!(cv.mean(&depth(4), None).unwrap() < 0.15);
    let nameless = FoldQuery { config: Config::new(), repeat: 0, fold: 0 };
    assert_eq!(cv.evaluate(&nameless).objective(), None);
}

#[test]
fn a_linfa_tree() {
    let (x, y) = data();
    let splits = Splits::k_fold(y.len(), 5, Seed(1)).unwrap();
    let records = Array2::from_shape_vec((60, 2), x.concat()).unwrap();
    let targets = Array1::from_iter(y.into_iter().map(|class| class as usize));
    let tree = adaptors::linfa(
        records,
        targets,
        |config: &Config, set, test| {
            let depth = config.int("depth").map_err(|error| error.to_string())? as usize;
            let tree = DecisionTree::params().max_depth(Some(depth)).fit(set).map_err(|e| e.to_string())?;
            Ok::<_, String>(tree.predict(test))
        },
        adaptors::error_rate,
    );
    let cv = CrossValidation::new(splits, tree);
    assert!(cv.mean(&depth(3), None).unwrap() < 0.15);
    assert_eq!(cv.mean(&Config::new(), None), None);
}
