//! Fits of hyperparameters as a study grows: in every ask, when the data ask for them, or never again.

use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign};
use thrifty_gp::Refit;
use thrifty_sampling::Seed;
use thrifty_study::{MaxTrials, Optimizer};
use thrifty_testbed::Problem;

use super::problems::KINDS;
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NOTE};
use crate::harness::replicate::study_with_history;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/growth",
    paper: "none: how often hyperparameters must be learnt",
    claim: "neither fits in every ask nor fewer fits make the optimiser better over problems that are used for nothing else",
    quick_cost: "2 problems, 3 variants, 3 replications, 60 evaluations: some seconds",
    full_cost: "10 problems, 3 variants, 20 replications, 120 evaluations: about half an hour",
    run,
};

/// Ways to time the fits, the default first. The last keeps what 10 observations taught, unless later ones are improbable.
fn variants() -> [(&'static str, Refit); 3] {
    let never = Refit::WhenNeeded { from: 10, growth: 1e9, restarts_until: 200 };
    [("default", Refit::default()), ("in every ask", Refit::Always), ("hardly ever", never)]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 20), context.pick(60, 120));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants();
    let names: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
    let labels: Vec<String> = kinds.iter().map(|kind| kind.label()).collect();
    let one = |k: usize, v: usize, i: usize| {
        let seed = Seed(context.seed).child("bo/growth", (i * 100 + k) as u64);
        let problem = kinds[k].problem(seed)?;
        let (name, refit) = variants[v];
        let optimizer = || {
            let initial = InitialDesign::Sobol(2 * problem.space().dim());
            BayesianOptimizer::new(problem.space().clone())
                .with_surrogate(GpSurrogate { refit, ..GpSurrogate::default() })
                .with_settings(BoSettings { initial, ..BoSettings::default() })
        };
        let (mut run, history) =
            study_with_history(name, &problem, optimizer()?, seed, i, MaxTrials(evaluations))?;
        // With noisy evaluations the best trial is unknown: the recommendation counts.
        if kinds[k].is_noisy()
            && let Some(best) = optimizer()?.recommend(&history)?
            && let Some(last) = run.regret.last_mut()
        {
            *last = problem.regret(&best.config)?;
        }
        Ok(run)
    };
    let Ablation { table, numbers, judgement } =
        Ablation::run((EXPERIMENT.id, context), &names, &labels, replications, one)?;
    let settings = [
        ("replications", replications.to_string()),
        ("evaluations", format!("{evaluations}, 2 d of them a Sobol design")),
    ];
    Ok(Report {
        judgement,
        numbers,
        settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
        notes: vec![NOTE.into()],
        tables: vec![table],
        figures: Vec::new(),
    })
}
