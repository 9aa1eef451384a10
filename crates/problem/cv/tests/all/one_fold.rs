//! One fold stands for the whole cross-validation.

use thrifty_cv::{FoldChoice, FoldQuery, OneFold};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{
    Ask, Fingerprint, History, MaxTrials, Optimizer, OptimizerError, Outcome, StopReason, Study, Suggestion,
    TrialId,
};

/// Suggests x = 0, 1, …, 5, then stops; recommends the lowest loss it has seen.
struct Steps;

impl Optimizer for Steps {
    type Query = Config;
    type Recommendation = (Config, f64);

    fn ask(&mut self, _: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let mut config = Config::new();
        config.insert("x", id.0 as f64);
        let next = Suggestion::new(config).with_diagnostic("step", id.0 as f64);
        Ok(if id.0 < 6 { Ask::Evaluate(next) } else { Ask::Stop(StopReason::Exhausted) })
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<(Config, f64)>, OptimizerError> {
        Ok(history.best().map(|(trial, loss)| (trial.query.clone(), loss)))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("steps"))
    }
}

/// Fold k has its minimum at x = k, so each holdout finds its own.
fn loss(query: &FoldQuery) -> f64 {
    (query.config.float("x").unwrap() - query.fold as f64).powi(2)
}

fn study(choice: FoldChoice, seed: u64) -> Study<OneFold<Steps>> {
    let mut study = Study::new(OneFold::new(Steps, 4, choice).unwrap(), Seed(seed)).with_stop(MaxTrials(9));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    study
}

#[test]
fn a_single_holdout_finds_the_minimum_of_its_fold() {
    for fold in 0..4 {
        let mut study = study(FoldChoice::Fixed(fold), 1);
        assert!(
            study.history().trials().iter().all(|trial| trial.query.fold == fold && trial.query.repeat == 0)
        );
        // Six configurations: the optimiser's own end is that of the study.
        assert_eq!(study.history().len(), 6);
        assert_eq!(study.history().trials()[3].diagnostics["step"], 3.0);
        let (best, value) = study.recommend().unwrap().unwrap();
        assert_eq!((best.float("x").unwrap(), value), (fold as f64, 0.0));
    }
}

#[test]
fn random_folds_depend_on_the_seed_and_the_trial_alone() {
    let folds = |seed| -> Vec<usize> {
        study(FoldChoice::Random, seed).history().trials().iter().map(|trial| trial.query.fold).collect()
    };
    assert_eq!(folds(1), folds(1));
    assert!((2..12).any(|seed| folds(seed) != folds(1)));
    let mut counts = [0; 4];
    (0..100).flat_map(folds).for_each(|fold| counts[fold] += 1);
    // 600 draws: six standard deviations of a count are 64.
    assert!(counts.iter().all(|count| (86..=214).contains(count)), "{counts:?}");
}

#[test]
fn a_failed_fold_fails_its_configuration() {
    let mut study = Study::new(OneFold::new(Steps, 2, FoldChoice::Fixed(0)).unwrap(), Seed(0));
    study
        .run(|query: &FoldQuery, _| match query.config.float("x") {
            Ok(0.0) => Outcome::failed("diverged"),
            _ => loss(query).into(),
        })
        .unwrap();
    let (best, value) = study.recommend().unwrap().unwrap();
    assert_eq!((best.float("x").unwrap(), value), (1.0, 1.0));
}

#[test]
fn settings_and_queries_that_make_no_sense_are_named() {
    let error = |folds, choice| OneFold::new(Steps, folds, choice).err().expect("refused").to_string();
    assert!(error(0, FoldChoice::Random).contains("folds"));
    let fixed = error(3, FoldChoice::Fixed(3));
    assert!(fixed.contains("fixed") && fixed.contains('3'), "{fixed}");
    let optimizer = OneFold::new(Steps, 3, FoldChoice::Random).unwrap();
    let query = |fold| FoldQuery { config: Config::new(), repeat: 0, fold };
    assert!(optimizer.check(&query(2), true).is_ok());
    assert!(optimizer.check(&query(3), true).unwrap_err().to_string().contains("fold"));
    let fixed = OneFold::new(Steps, 3, FoldChoice::Fixed(1)).unwrap();
    assert_ne!(optimizer.fingerprint().unwrap(), fixed.fingerprint().unwrap());
}
