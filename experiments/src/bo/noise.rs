//! Noisy evaluations: the default, improvement on the best mean, and sampled hyperparameters.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign};
use thrifty_sampling::Seed;
use thrifty_study::{MaxTrials, Optimizer};
use thrifty_testbed::Problem;

use super::problems::Kind;
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NOTE};
use crate::harness::replicate::study_with_history;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/noise",
    paper: "none: how noisy evaluations are taken",
    claim: "no other treatment of noise makes the optimiser better over noisy problems that are used for nothing else",
    quick_cost: "2 problems, 5 variants, 3 replications, 25 evaluations: some seconds",
    full_cost: "8 problems, 5 variants, 20 replications, 50 evaluations: a quarter of an hour",
    run,
};

/// Draws of standard deviation 1 under noise from a twentieth to a half of their spread.
const KINDS: [Kind; 8] = [
    Kind::Draw { dim: 2, lengthscale: 0.3, smooth: true, noise: 0.5 },
    Kind::Draw { dim: 3, lengthscale: 0.4, smooth: false, noise: 0.1 },
    Kind::Draw { dim: 1, lengthscale: 0.15, smooth: true, noise: 0.3 },
    Kind::Draw { dim: 2, lengthscale: 0.2, smooth: false, noise: 0.05 },
    Kind::Draw { dim: 2, lengthscale: 0.5, smooth: true, noise: 1.0 },
    Kind::Draw { dim: 4, lengthscale: 0.6, smooth: true, noise: 0.5 },
    Kind::Draw { dim: 5, lengthscale: 0.8, smooth: false, noise: 0.2 },
    Kind::Draw { dim: 3, lengthscale: 0.5, smooth: true, noise: 0.05 },
];

fn variants() -> [(&'static str, GpSurrogate, AcquisitionKind); 5] {
    let on_mean = AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean);
    let sampled = GpSurrogate::noisy();
    [
        ("default", GpSurrogate::default(), AcquisitionKind::default()),
        ("EI on the best mean", GpSurrogate::default(), on_mean),
        ("sampled (noisy)", sampled.clone(), AcquisitionKind::default()),
        ("sampled, EI on the best mean", sampled, on_mean),
        ("deterministic", GpSurrogate::deterministic(), AcquisitionKind::default()),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 20), context.pick(25, 50));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants();
    let names: Vec<&str> = variants.iter().map(|(name, ..)| *name).collect();
    let labels: Vec<String> = kinds.iter().map(|kind| kind.label()).collect();
    let one = |k: usize, v: usize, i: usize| {
        let seed = Seed(context.seed).child("bo/noise", (i * 100 + k) as u64);
        let problem = kinds[k].problem(seed)?;
        let (name, surrogate, rule) = &variants[v];
        let optimizer = || {
            let initial = InitialDesign::Sobol(2 * problem.space().dim());
            BayesianOptimizer::new(problem.space().clone())
                .with_surrogate(surrogate.clone())
                .with_settings(BoSettings { initial, rule: *rule, ..BoSettings::default() })
        };
        let (mut run, history) =
            study_with_history(name, &problem, optimizer()?, seed, i, MaxTrials(evaluations))?;
        // The best trial is unknown: the recommendation counts.
        if let Some(best) = optimizer()?.recommend(&history)?
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
        ("regret", "of the recommendation, without noise".to_owned()),
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
