//! Constraints that exclude the smallest losses.

use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{FoldAcquisition, FoldKnowledge, FractionalCv, FractionalSettings};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{History, MaxTrials, Measurement, Study, TrialId};

/// Best feasible configuration.
const BEST: f64 = 0.75;

/// Loss of three folds that is least at 0.75 among x ≥ 0.5, which the constraint asks for. A hole of this depth at 0.2 breaks it.
fn measurement(query: &FoldQuery, hole: f64) -> Measurement {
    let x = query.config.float("x").unwrap();
    let depth = hole * (1.0 - (x - 0.2).abs() / 0.2).max(0.0);
    let loss = 4.0 * (x - BEST).powi(2) + 0.02 * query.fold as f64 - depth;
    Measurement { constraints: vec![0.5 - x], ..Measurement::from(loss) }
}

/// Distance of the recommendation from the best, and the history.
fn run(settings: FractionalSettings, seed: u64, hole: f64) -> (f64, History<FoldQuery>) {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let optimizer = FractionalCv::new(space, 3).and_then(|cv| cv.with_settings(settings)).unwrap();
    let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(30));
    study.run(|query: &FoldQuery, _| measurement(query, hole)).unwrap();
    let found = study.recommend().unwrap().unwrap().config.float("x").unwrap();
    ((found - BEST).abs(), study.history().clone())
}

/// Infeasible losses far below all feasible ones leave the knowledge gradients at work among the feasible ones.
#[test]
fn knowledge_gradients_ignore_losses_that_break_a_constraint() {
    for acquisition in [FoldAcquisition::JointKnowledgeGradient, FoldAcquisition::KnowledgeGradient] {
        let settings = FractionalSettings { acquisition, ..FractionalSettings::new(3) };
        let mut distances: Vec<f64> = (1..6).map(|seed| run(settings.clone(), seed, 30.0).0).collect();
        distances.sort_by(f64::total_cmp);
        assert!(distances[2] < 0.005, "{acquisition:?}: {distances:?}");
    }
}

/// The knowledge gradient of a feasible fit is by how much it lowers the best feasible mean: a deeper infeasible hole takes nothing away.
#[test]
fn an_infeasible_minimum_takes_no_knowledge_away() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let optimizer = FractionalCv::new(space, 3).unwrap();
    for hole in [3.0, 30.0] {
        let (_, history) = run(FractionalSettings::new(3), 1, hole);
        let state = optimizer.state(&history, TrialId(30)).unwrap().unwrap();
        assert!(state.baseline().len() < state.evaluated().len(), "some break the constraint");
        assert!(state.baseline().rows().all(|x| state.probability_feasible(x) >= 0.5), "none of these does");
        let (_, logarithm) = FoldKnowledge::new(&state, 3, 1).unwrap().best(&[0.85]).unwrap();
        assert!(logarithm > -40.0, "a hole of {hole}: {logarithm}");
    }
}

/// A fit is worth its share of the feasible means: the study does not stop because nothing feasible is below an infeasible loss.
#[test]
fn worth_is_measured_among_feasible_configurations() {
    for seed in 1..6 {
        let settings = FractionalSettings { worth: 0.005, ..FractionalSettings::new(3) };
        let (distance, history) = run(settings, seed, 3.0);
        let later = history.trials().iter().skip(3);
        let feasible = later.filter(|trial| trial.query.config.float("x").unwrap() >= 0.5).count();
        assert!(feasible > 0 && distance < 0.02, "seed {seed}: {feasible} feasible fits, {distance}");
    }
}
