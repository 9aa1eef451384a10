//! Every experiment by its id.

use crate::error::ExperimentError;
use crate::harness::Experiment;
use crate::{acquisition, autobct, bench, bo, caligo, fcvopt, gp, hybrid, levelset, pareto, study, tpe};

/// Every experiment.
pub fn all() -> Vec<Experiment> {
    vec![
        autobct::replay::EXPERIMENT.clone(),
        autobct::synthetic::EXPERIMENT.clone(),
        autobct::published_map::EXPERIMENT.clone(),
        autobct::map_of_two_controls::EXPERIMENT.clone(),
        autobct::values::EXPERIMENT.clone(),
        autobct::alternatives::EXPERIMENT.clone(),
        autobct::substitute_tasks::EXPERIMENT.clone(),
        acquisition::functions::EXPERIMENT.clone(),
        acquisition::gallery::EXPERIMENT.clone(),
        bo::ablation::EXPERIMENT.clone(),
        bo::basins::EXPERIMENT.clone(),
        bo::batches::EXPERIMENT.clone(),
        bo::batches::peers::EXPERIMENT.clone(),
        bo::choices::EXPERIMENT.clone(),
        bo::conditional::EXPERIMENT.clone(),
        bo::constraints::EXPERIMENT.clone(),
        bo::constraints::failures::EXPERIMENT.clone(),
        bo::constraints::failures_peers::EXPERIMENT.clone(),
        bo::constraints::peers::EXPERIMENT.clone(),
        bo::designs::EXPERIMENT.clone(),
        bo::dimensions::EXPERIMENT.clone(),
        bo::embeddings::EXPERIMENT.clone(),
        bo::endings::EXPERIMENT.clone(),
        bo::few::EXPERIMENT.clone(),
        bo::growth::EXPERIMENT.clone(),
        bo::judged::EXPERIMENT.clone(),
        bo::jumps::EXPERIMENT.clone(),
        bo::jumps::peers::EXPERIMENT.clone(),
        bo::losses::EXPERIMENT.clone(),
        bo::mixed::EXPERIMENT.clone(),
        bo::noise::EXPERIMENT.clone(),
        bo::noise_peers::EXPERIMENT.clone(),
        bo::outliers::EXPERIMENT.clone(),
        bo::pending::EXPERIMENT.clone(),
        bo::rules::EXPERIMENT.clone(),
        bo::small::EXPERIMENT.clone(),
        bo::subset::EXPERIMENT.clone(),
        bo::transfer::EXPERIMENT.clone(),
        bo::wide::EXPERIMENT.clone(),
        gp::restarts::EXPERIMENT.clone(),
        gp::selection::EXPERIMENT.clone(),
        gp::posterior::EXPERIMENT.clone(),
        gp::calibration::EXPERIMENT.clone(),
        hybrid::toy::EXPERIMENT.clone(),
        hybrid::triplets::EXPERIMENT.clone(),
        hybrid::wangfreitas::EXPERIMENT.clone(),
        hybrid::anticipation::EXPERIMENT.clone(),
        hybrid::credit::EXPERIMENT.clone(),
        fcvopt::synth::EXPERIMENT.clone(),
        fcvopt::tables::EXPERIMENT.clone(),
        fcvopt::batches::EXPERIMENT.clone(),
        fcvopt::late::EXPERIMENT.clone(),
        fcvopt::verified::EXPERIMENT.clone(),
        fcvopt::growth::EXPERIMENT.clone(),
        fcvopt::failures::EXPERIMENT.clone(),
        fcvopt::live::EXPERIMENT.clone(),
        fcvopt::learners::FOREST.clone(),
        fcvopt::learners::BOOSTING.clone(),
        fcvopt::learners::PERCEPTRON.clone(),
        fcvopt::learners::RESIDUAL.clone(),
        fcvopt::landscapes::EXPERIMENT.clone(),
        fcvopt::ablation::EXPERIMENT.clone(),
        fcvopt::regimes::EXPERIMENT.clone(),
        tpe::ablation::EXPERIMENT.clone(),
        tpe::nnpdf::EXPERIMENT.clone(),
        tpe::nnpdf::laws::EXPERIMENT.clone(),
        tpe::parity::EXPERIMENT.clone(),
        tpe::quality::EXPERIMENT.clone(),
        pareto::benchmarks::EXPERIMENT.clone(),
        pareto::peers::EXPERIMENT.clone(),
        levelset::criteria::EXPERIMENT.clone(),
        levelset::deathvalley::EXPERIMENT.clone(),
        levelset::theory::EXPERIMENT.clone(),
        caligo::protocol::EXPERIMENT.clone(),
        caligo::pareto::EXPERIMENT.clone(),
        caligo::noise::EXPERIMENT.clone(),
        caligo::boundaries::EXPERIMENT.clone(),
        bench::functions::EXPERIMENT.clone(),
        bench::tables::EXPERIMENT.clone(),
        study::pruning::EXPERIMENT.clone(),
    ]
}

/// The experiment with an id.
pub fn find(id: &str) -> Result<Experiment, ExperimentError> {
    all().into_iter().find(|e| e.id == id).ok_or_else(|| ExperimentError::UnknownExperiment { id: id.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{RunContext, Verdict};

    /// Experiments that take moments: with one replication of those that they declare, no claim but on exact numbers is decided.
    #[test]
    fn fewer_replications_than_declared_decide_nothing() {
        for id in ["hybrid/triplets", "fcvopt/regimes", "gp/selection", "levelset/theory"] {
            let context = RunContext { seeds: Some(1), ..RunContext::default() };
            let report = (find(id).unwrap().run)(&context).unwrap();
            let findings = report.judgement.findings();
            assert!(!findings.is_empty(), "{id}");
            for finding in findings.iter().filter(|finding| finding.test != "exact") {
                assert!(finding.n < finding.planned, "{id}: {}", finding.claim);
                assert_eq!(finding.verdict(), Verdict::Inconclusive, "{id}: {}", finding.claim);
            }
        }
    }
}
