//! Variants of the Bayesian optimiser on development problems.

use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign};
use thrifty_sampling::Seed;
use thrifty_study::{MaxTrials, Optimizer};
use thrifty_testbed::Problem;

use super::problems::Kind;
use crate::error::ExperimentError;
use crate::harness::RunContext;
use crate::harness::replicate::{Run, study_with_history};

/// Variant of the Bayesian optimiser.
#[derive(Debug, Clone)]
pub struct Variant {
    pub name: &'static str,
    pub model: GpSurrogate,
    pub settings: BoSettings,
}

/// Studies of one experiment.
#[derive(Debug, Clone, Copy)]
pub struct Studies<'a> {
    /// Name of the experiment, from which its seeds are made.
    pub id: &'static str,
    pub kinds: &'a [Kind],
    pub variants: &'a [Variant],
    pub evaluations: usize,
}

impl Studies<'_> {
    /// Replication `i` of variant `v` on problem `k`, after a Sobol design of 2 d trials.
    ///
    /// With noisy evaluations the best trial is unknown: the last regret is that of the recommendation.
    pub fn run(self, context: &RunContext, (k, v, i): (usize, usize, usize)) -> Result<Run, ExperimentError> {
        let seed = Seed(context.seed).child(self.id, (i * 100 + k) as u64);
        let (problem, variant) = (self.kinds[k].problem(seed)?, &self.variants[v]);
        let optimizer = || {
            let initial = InitialDesign::Sobol(2 * problem.space().dim());
            BayesianOptimizer::new(problem.space().clone())
                .with_surrogate(variant.model.clone())
                .with_settings(BoSettings { initial, ..variant.settings.clone() })
        };
        let (mut run, history) =
            study_with_history(variant.name, &problem, optimizer()?, seed, i, MaxTrials(self.evaluations))?;
        if self.kinds[k].is_noisy()
            && let Some(best) = optimizer()?.recommend(&history)?
            && let Some(last) = run.regret.last_mut()
        {
            *last = problem.regret(&best.config)?;
        }
        Ok(run)
    }
}
