//! Another library whose random seeds are folds.

use thrifty_cv::FoldQuery;
use thrifty_space::Config;
use thrifty_study::{Ask, Best, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};

use super::peer_study::PeerStudy;

/// A library that evaluates a configuration with several random seeds: the fold is the seed modulo the number of folds.
///
/// The library compares configurations on the same seeds, so on the same folds.
pub struct SeedsAsFolds {
    pub study: PeerStudy,
    pub folds: usize,
}

impl Optimizer for SeedsAsFolds {
    type Query = FoldQuery;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<FoldQuery>, _: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let (config, seed) = self.study.suggestion(history, |query| &query.config)?;
        let seed = seed.ok_or_else(|| OptimizerError::failed("another library", "no seed in its answer"))?;
        let fold = (seed % self.folds as u64) as usize;
        Ok(Ask::Evaluate(Suggestion::new(FoldQuery { config, repeat: 0, fold })))
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.study.recommendation(history, |query| &query.config)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        self.study.fingerprint()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use thrifty_sampling::Seed;
    use thrifty_space::Space;
    use thrifty_study::{Next, Study};

    use super::super::peer_study::First;
    use super::super::process::Process;
    use super::*;

    /// A study whose interpreter gives this answer to each question for a point.
    fn study(answer: &str) -> Study<SeedsAsFolds> {
        let folder = tempfile::tempdir().unwrap();
        let interpreter = folder.path().join("interpreter");
        let script = format!(
            "#!/bin/sh\nread line; echo '{{\"version\": \"1\"}}'\nwhile read line; do case $line in\n\
             *'\"recommend\":true'*) echo '{{\"x\": [0.25]}}';;\n*) echo '{answer}';;\nesac; done\n"
        );
        std::fs::write(&interpreter, script).unwrap();
        std::fs::set_permissions(&interpreter, std::fs::Permissions::from_mode(0o700)).unwrap();
        let first = First { method: "any", seed: 1, noisy: true, evaluations: 4, ..First::default() };
        let process = Process::start(&interpreter).unwrap();
        let Ok(study) = PeerStudy::begin(process, &Space::unit_cube(1), &first) else {
            panic!("the study did not begin");
        };
        Study::new(SeedsAsFolds { study, folds: 5 }, Seed(1))
    }

    #[test]
    fn the_seed_chooses_the_fold() {
        let mut study = study(r#"{"x": [0.5], "seed": 17}"#);
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("no trial") };
        assert_eq!((trial.query.fold, trial.query.repeat), (2, 0));
        assert_eq!(trial.query.config.float("x0").unwrap(), 0.5);
        study.tell(trial.id, 1.0).unwrap();
        assert_eq!(study.recommend().unwrap().unwrap().config.float("x0").unwrap(), 0.25);
    }

    #[test]
    fn a_point_without_a_seed_is_an_error() {
        let error = study(r#"{"x": [0.5]}"#).ask().unwrap_err();
        let mut text = error.to_string();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(deeper) = cause.source() {
            text += &format!(": {deeper}");
            cause = deeper;
        }
        assert!(text.contains("no seed in its answer"), "{text}");
    }
}
