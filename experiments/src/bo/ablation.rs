//! Defaults of the Bayesian optimiser, one changed at a time.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_bo::{BoSettings, Convergence, GpSurrogate, KernelFamily, LossTransform, Maximizer};
use thrifty_gp::{GpSettings, Mean, Noise};
use thrifty_prob::Prior;

use super::problems::KINDS;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::{Experiment, Report, RunContext};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/ablation",
    paper: "none: where the defaults of the Bayesian optimiser come from",
    claim: "no change of a single default makes the optimiser better over problems that are used for nothing else",
    quick_cost: "3 problems, 3 variants, 4 replications, 25 evaluations: some seconds",
    full_cost: "10 problems, 19 variants, 40 replications, 50 evaluations: about half an hour",
    run,
};

fn with_noise(floor: f64, prior: Option<Prior>) -> GpSurrogate {
    let noise = Noise::Learned { start: 1e-4, floor, ceiling: 10.0, prior };
    GpSurrogate { settings: GpSettings { noise, ..GpSettings::default() }, ..GpSurrogate::default() }
}

fn variants() -> Vec<Variant> {
    let gp = |change: fn(&mut GpSettings)| {
        let mut model = GpSurrogate::default();
        change(&mut model.settings);
        model
    };
    let of_model = |name, model| Variant::new(name, model, BoSettings::default());
    let of_settings = |name, settings| Variant::new(name, GpSurrogate::default(), settings);
    let log_normal = |mu, sigma| Some(Prior::LogNormal { mu, sigma });
    let maximizer = |maximizer| BoSettings { maximizer, ..BoSettings::default() };
    vec![
        of_model("default", GpSurrogate::default()),
        of_settings(
            "losses as they are",
            BoSettings { losses: LossTransform::None, ..BoSettings::default() },
        ),
        of_settings(
            "losses of the upper tail",
            BoSettings { losses: LossTransform::UpperTail, ..BoSettings::default() },
        ),
        of_settings(
            "losses of both tails",
            BoSettings { losses: LossTransform::BothTails, ..BoSettings::default() },
        ),
        of_model(
            "squared exponential",
            GpSurrogate { family: KernelFamily::SquaredExponential, ..GpSurrogate::default() },
        ),
        of_settings(
            "EI on the best mean",
            BoSettings {
                rule: AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean),
                ..BoSettings::default()
            },
        ),
        of_settings(
            "no exploration after convergence",
            BoSettings { convergence: Convergence::Continue, ..BoSettings::default() },
        ),
        of_model("sampled hyperparameters", GpSurrogate::noisy()),
        of_model("noise fixed at 1e-8", GpSurrogate::deterministic()),
        of_model("noise without a prior", with_noise(1e-12, None)),
        of_model("noise prior LN(-4, 1)", with_noise(1e-12, log_normal(-4.0, 1.0))),
        of_model("noise prior LN(-10, 3)", with_noise(1e-12, log_normal(-10.0, 3.0))),
        of_model("noise floor 1e-8", with_noise(1e-8, log_normal(-8.0, 4.0))),
        of_model("sample mean", gp(|settings| settings.mean = Mean::Zero)),
        of_model("no restarts", gp(|settings| settings.restarts = 0)),
        of_model("5 restarts", gp(|settings| settings.restarts = 5)),
        of_model("warped inputs", GpSurrogate { warp_inputs: true, ..GpSurrogate::default() }),
        of_settings(
            "2048 raw, 12 climbs",
            maximizer(Maximizer { raw: 2048, climbs: 12, ..Maximizer::default() }),
        ),
        of_settings("none around the best", maximizer(Maximizer { around_best: 0, ..Maximizer::default() })),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(4, 40), context.pick(25, 50));
    let kinds = context.pick(&KINDS[..3], &KINDS[..]);
    let variants: Vec<Variant> = context.pick(variants().into_iter().take(3).collect(), variants());
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    studies.compare(context, replications, &[])
}
