//! Fractional cross-validation on models that are trained here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::arrays::Array;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::svm::Kernels;
use smartcore::svm::svc::{SVC, SVCParameters};
use thrifty_cv::{CrossValidation, FoldQuery, Splits, adaptors};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

use super::comparison::{FoldComparison, NOTE};
use super::methods::LIVE;
use super::problem::FoldProblem;
use crate::error::ExperimentError;
use crate::harness::claims::Kind;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/live",
    paper: "FCVOpt (Yerramilli & Apley, 2025), on models trained here",
    claim: "tuning models that are trained for every fold, at equal numbers of fits fractional cross-validation is not worse than full \
            cross-validation and other ways with single folds",
    quick_cost: "a support vector machine, 1 seed, 5 fits: some seconds",
    full_cost: "a support vector machine and a random forest, 10 seeds, 100 fits: half an hour",
    run,
};

type Loss = Box<dyn Fn(&Config, &[usize], &[usize]) -> Outcome + Send + Sync>;

const FOLDS: usize = 10;

/// A model on the breast cancer data that a dependency ships. The folds of the first repeat may be asked, the true loss is
/// the mean over the others.
struct Trained {
    space: Space,
    cv: CrossValidation<Loss>,
    /// Repeats of the cross-validation, the first included.
    repeats: usize,
    /// True losses of what was recommended so far.
    known: Mutex<BTreeMap<String, f64>>,
}

fn data() -> Result<(DenseMatrix<f64>, Vec<u32>), ExperimentError> {
    let set = smartcore::dataset::breast_cancer::load_dataset();
    let rows: Vec<Vec<f64>> = set
        .data
        .chunks_exact(set.num_features)
        .map(|row| row.iter().map(|v| f64::from(*v)).collect())
        .collect();
    Ok((DenseMatrix::from_2d_vec(&rows).map_err(ExperimentError::failed)?, set.target))
}

/// Columns with the mean and deviation of the rows that are trained on.
fn standardized(train: &DenseMatrix<f64>, test: &DenseMatrix<f64>) -> (DenseMatrix<f64>, DenseMatrix<f64>) {
    let (rows, columns) = train.shape();
    let moments: Vec<(f64, f64)> = (0..columns)
        .map(|c| {
            let values: Vec<f64> = (0..rows).map(|r| *train.get((r, c))).collect();
            let (mean, std_dev) = crate::harness::stats::mean_and_std_dev(&values);
            (mean, if std_dev > 0.0 { std_dev } else { 1.0 })
        })
        .collect();
    let scale = |matrix: &DenseMatrix<f64>| {
        let values = (0..matrix.shape().0)
            .flat_map(|r| moments.iter().enumerate().map(move |(c, (m, s))| (*matrix.get((r, c)) - m) / s))
            .collect();
        DenseMatrix::new(matrix.shape().0, columns, values, false).expect("as many values as before")
    };
    (scale(train), scale(test))
}

fn machine(
    config: &Config,
    x: &DenseMatrix<f64>,
    y: &[u32],
    test: &DenseMatrix<f64>,
) -> Result<Vec<u32>, ExperimentError> {
    let (x, test) = standardized(x, test);
    let signs: Vec<i32> = y.iter().map(|class| if *class == 0 { -1 } else { 1 }).collect();
    let parameters = SVCParameters::default()
        .with_c(config.float("C")?)
        .with_kernel(Kernels::rbf().with_gamma(config.float("gamma")?))
        .with_seed(Some(1));
    let model = SVC::fit(&x, &signs, &parameters).map_err(ExperimentError::failed)?;
    let predicted = model.predict(&test).map_err(ExperimentError::failed)?;
    Ok(predicted.into_iter().map(|sign| u32::from(sign > 0.0)).collect())
}

// The library's targets are vectors.
#[allow(clippy::ptr_arg)]
fn forest(
    config: &Config,
    x: &DenseMatrix<f64>,
    y: &Vec<u32>,
    test: &DenseMatrix<f64>,
) -> Result<Vec<u32>, ExperimentError> {
    let parameters = RandomForestClassifierParameters::default()
        .with_n_trees(50)
        .with_seed(1)
        .with_max_depth(config.int("max_depth")? as u16)
        .with_min_samples_leaf(config.int("min_samples_leaf")? as usize)
        .with_m(config.int("columns")? as usize);
    let model = RandomForestClassifier::fit(x, y, parameters).map_err(ExperimentError::failed)?;
    model.predict(test).map_err(ExperimentError::failed)
}

impl Trained {
    fn new(name: &str, repeats: usize, seed: Seed) -> Result<Self, ExperimentError> {
        let (x, y) = data()?;
        let classes: Vec<usize> = y.iter().map(|class| *class as usize).collect();
        let splits = Splits::stratified(&classes, FOLDS, repeats, seed).map_err(ExperimentError::failed)?;
        let (space, loss): (Space, Loss) = if name == "svm" {
            let space = Space::builder().log_float("C", 0.03, 3e3).log_float("gamma", 3e-5, 3.0);
            (
                space.build()?,
                Box::new(adaptors::smartcore(
                    x,
                    y,
                    |c, x, y, test| machine(c, x, y, test),
                    adaptors::error_rate,
                )),
            )
        } else {
            let space = Space::builder().int("max_depth", 1, 12).log_int("min_samples_leaf", 1, 64);
            let space = space.int("columns", 1, 30);
            (space.build()?, Box::new(adaptors::smartcore(x, y, forest, adaptors::error_rate)))
        };
        Ok(Self { space, cv: CrossValidation::new(splits, loss), repeats, known: Mutex::default() })
    }
}

impl FoldProblem for Trained {
    fn space(&self) -> &Space {
        &self.space
    }

    fn folds(&self) -> usize {
        FOLDS
    }

    fn loss(&self, query: &FoldQuery, _: &mut Stream) -> Result<Outcome, SpaceError> {
        Ok(self.cv.evaluate(query))
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        let key = config.to_string();
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loss) = known().get(&key) {
            return Ok(*loss);
        }
        let mean = |repeat| self.cv.mean(config, Some(repeat)).unwrap_or(f64::INFINITY);
        let loss = (1..self.repeats).map(mean).sum::<f64>() / (self.repeats - 1) as f64;
        known().insert(key, loss);
        Ok(loss)
    }
}

/// A pseudomedian of paired differences of at most half a point of the error rate is no worse.
const MARGIN: f64 = 0.005;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let names = context.pick(&["svm"][..], &["svm", "forest"][..]);
    let (replications, fits) = (context.replications(1, 10), context.pick(5, 100));
    let repeats = context.pick(2, 3);
    let comparison = FoldComparison {
        id: EXPERIMENT.id,
        context,
        data: "own".into(),
        measure: "true loss",
        problems: names.iter().map(|name| (*name).to_owned()).collect(),
        methods: context.pick(&LIVE[..2], &LIVE[..]),
        replications,
        fits,
        claim: |_| Some(Kind::NotInferior { margin: MARGIN }),
        columns: [5, 12, 20, 50, 100]
            .into_iter()
            .filter(|at| *at <= fits && (*at > 5 || fits < 12))
            .collect(),
        early: None,
    };
    let outcome = comparison.run(|k, seed| {
        Ok(Box::new(Arc::new(Trained::new(names[k], repeats, seed)?)) as Box<dyn FoldProblem>)
    })?;
    Ok(outcome.report([replications.run, fits, FOLDS], vec![
            "Breast cancer, 569 rows of 30 columns; every fit is one model trained on nine folds and tested on the tenth. What is \
             reported is the true loss itself, the mean error over two other repeats of the tenfold cross-validation, not its \
             distance from the least one, which nobody knows. Times are wall-clock seconds with as many runs at a time as there \
             are processors."
                .into(),
            NOTE.into(),
        ]))
}
