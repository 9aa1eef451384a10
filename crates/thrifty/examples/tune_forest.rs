//! Tunes a random forest on real data: `cargo run --release -p thrifty --example tune_forest`.

use smartcore::dataset::breast_cancer;
use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;
use thrifty::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let space = Space::builder().int("trees", 1, 100).int("depth", 1, 12).int("features", 1, 30).build()?;
    let mut study = Study::new(BayesianOptimizer::new(space), Seed(1)).with_trials(30);
    let data = breast_cancer::load_dataset();
    study.run(|config, _| error_rate(config, &data))?; // an error is a failed trial
    let best = study.recommend()?.ok_or("every trial failed")?;
    println!("{}: {:.1} % wrong by the posterior mean", best.config, 100.0 * best.value);
    Ok(())
}

/// Share of every third row that a forest grown on the others gets wrong.
fn error_rate(
    config: &Config,
    data: &smartcore::dataset::Dataset<f32, u32>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let parameters = RandomForestClassifierParameters::default()
        .with_n_trees(config.int("trees")? as u16)
        .with_max_depth(config.int("depth")? as u16)
        .with_m(config.int("features")? as usize)
        .with_seed(1);
    let rows = data.data.chunks(data.num_features).map(<[f32]>::to_vec).zip(data.target.iter().copied());
    let (test, train): (Vec<_>, Vec<_>) = rows.enumerate().partition(|(i, _)| i % 3 == 0);
    let split = |rows: Vec<(usize, (Vec<f32>, u32))>| -> (Vec<Vec<f32>>, Vec<u32>) {
        rows.into_iter().map(|(_, row)| row).unzip()
    };
    let ((x, y), (test_x, test_y)) = (split(train), split(test));
    let forest = RandomForestClassifier::fit(&DenseMatrix::from_2d_vec(&x)?, &y, parameters)?;
    let predicted: Vec<u32> = forest.predict(&DenseMatrix::from_2d_vec(&test_x)?)?;
    let wrong = predicted.iter().zip(&test_y).filter(|(a, b)| a != b).count();
    Ok(wrong as f64 / test_y.len() as f64)
}
