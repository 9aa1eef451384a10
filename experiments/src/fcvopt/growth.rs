//! Fits of hyperparameters as a study of folds grows: in every ask, when the data ask for them, or hardly ever again.

use thrifty_fcvopt::{FractionalCv, FractionalSettings};
use thrifty_gp::Refit;
use thrifty_sampling::Seed;
use thrifty_study::{Next, Study};

use super::drawn::{Deviations, Drawn, FOLDS};
use super::problem::FoldProblem;
use crate::error::ExperimentError;
use crate::harness::ablation::Ablation;
use crate::harness::replicate::Run;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/growth",
    paper: "none: how often the hyperparameters of fractional cross-validation must be learnt",
    claim: "fits by a fiftieth of growth beyond 40 folds, and by surprise, lose no regret beside fits in every ask",
    quick_cost: "1 draw, 3 variants, 2 replications, 45 fits: some seconds",
    full_cost: "3 draws, 3 variants, 60 replications, 120 fits: eight minutes on one core",
    run,
};

/// Draws of a standard deviation of 1 in the true loss.
const DRAWS: [(&str, usize, Deviations); 3] = [
    ("rough-2d", 2, Deviations { std_dev: 0.5, lengthscale: 0.25, noise: 0.05 }),
    ("rough-3d", 3, Deviations { std_dev: 0.5, lengthscale: 0.25, noise: 0.05 }),
    ("smooth-3d", 3, Deviations { std_dev: 0.5, lengthscale: 0.6, noise: 0.05 }),
];

/// Rules by name, the one under test first. The last keeps what few folds taught, unless later ones are improbable: made worse on purpose.
fn variants() -> [(&'static str, Refit); 3] {
    let hardly_ever = Refit::WhenNeeded { from: 10, growth: 1e9, restarts_until: 200 };
    [("by growth", Refit::default()), ("in every ask", Refit::Always), ("hardly ever", hardly_ever)]
}

/// Meaning of the verdict.
const NOTE: &str = "Claims: learning by growth is not worse than each other rule by more than 0.1 in the mean of log₁₀ of the final regret. \
    Draws are new in every replication and shared by the rules.";

/// A study of single folds, with the regret of its last recommendation.
fn study(problem: &Drawn, refit: Refit, seed: Seed, fits: usize) -> Result<Run, ExperimentError> {
    let settings = FractionalSettings { refit, ..FractionalSettings::new(FOLDS) };
    let optimizer = FractionalCv::new(problem.space().clone(), FOLDS)?.with_settings(settings)?;
    let mut study = Study::new(optimizer, seed);
    let began = std::time::Instant::now();
    while study.history().len() < fits {
        let Next::Evaluate(trial) = study.ask()? else { break };
        study.tell(trial.id, problem.loss(&trial.query, &mut seed.stream("noise", trial.id.0))?)?;
    }
    let best = study.recommend()?.map(|best| problem.regret(&best.config)).transpose()?;
    Ok(Run {
        method: String::new(),
        problem: String::new(),
        replication: 0,
        regret: vec![best.unwrap_or(f64::INFINITY)],
        failures: 0,
        optimizer_seconds: began.elapsed().as_secs_f64(),
        evaluation_seconds: 0.0,
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, fits) = (context.replications(2, 60), context.pick(45, 120));
    let (draws, variants) = (context.pick(&DRAWS[..1], &DRAWS[..]), variants());
    let names: Vec<&str> = variants.iter().map(|variant| variant.0).collect();
    let labels: Vec<String> = draws.iter().map(|draw| draw.0.to_owned()).collect();
    let one = |k: usize, v: usize, i: usize| {
        let seed = context.seed_of(EXPERIMENT.id, k, i);
        study(&Drawn::new(draws[k].1, draws[k].2, seed)?, variants[v].1, seed, fits)
    };
    let Ablation { table, numbers, judgement } =
        Ablation::run((EXPERIMENT.id, context), &names, &labels, replications, one)?;
    let settings = [
        ("replications", replications.run.to_string()),
        ("model fits", fits.to_string()),
        ("folds", FOLDS.to_string()),
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
