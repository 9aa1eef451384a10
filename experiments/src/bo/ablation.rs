use std::collections::BTreeMap;

use thrifty_acquisition::{Rule, Threshold};
use thrifty_bo::{
    BayesianOptimizer, BoSettings, GpModel, InitialDesign, KernelFamily, LossTransform, Maximiser,
};
use thrifty_gp::{GpSettings, Mean, Noise};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;
use thrifty_study::{MaxTrials, Optimizer};
use thrifty_testbed::Problem;

use super::problems::KINDS;
use crate::error::ExperimentError;
use crate::harness::compare::Comparison;
use crate::harness::replicate::{Run, in_parallel, study};
use crate::harness::stats::{quantile, ranks, wilcoxon};
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/ablation",
    paper: "none: where the defaults of the Bayesian optimiser come from",
    claim: "no change of a single default makes the optimiser better over problems that are used for nothing else",
    quick_cost: "3 problems, 3 variants, 4 replications, 25 evaluations: some seconds",
    full_cost: "9 problems, 14 variants, 40 replications, 50 evaluations: about twenty minutes",
    run,
};

/// One change of the defaults.
#[derive(Debug, Clone)]
struct Variant {
    name: &'static str,
    model: GpModel,
    settings: BoSettings,
}

fn with_noise(floor: f64, prior: Option<Prior>) -> GpModel {
    let noise = Noise::Learned { start: 1e-4, floor, ceiling: 10.0, prior };
    GpModel { settings: GpSettings { noise, ..GpSettings::default() }, ..GpModel::default() }
}

fn variants() -> Vec<Variant> {
    let gp = |settings: GpSettings| GpModel { settings, ..GpModel::default() };
    let of_model = |name, model| Variant { name, model, settings: BoSettings::default() };
    let of_settings = |name, settings| Variant { name, model: GpModel::default(), settings };
    let log_normal = |mu, sigma| Some(Prior::LogNormal { mu, sigma });
    let maximiser = |maximiser| BoSettings { maximiser, ..BoSettings::default() };
    vec![
        of_model("default", GpModel::default()),
        of_settings(
            "losses as they are",
            BoSettings { losses: LossTransform::None, ..BoSettings::default() },
        ),
        of_settings(
            "losses of both tails",
            BoSettings { losses: LossTransform::BothTails, ..BoSettings::default() },
        ),
        of_model(
            "squared exponential",
            GpModel { family: KernelFamily::SquaredExponential, ..GpModel::default() },
        ),
        of_settings(
            "EI on the best mean",
            BoSettings { rule: Rule::LogExpectedImprovement(Threshold::BestMean), ..BoSettings::default() },
        ),
        of_model("noise floor 1e-6", with_noise(1e-6, None)),
        of_model("noise floor 1e-8", with_noise(1e-8, None)),
        of_model("noise floor 1e-10", with_noise(1e-10, None)),
        of_model("noise prior LN(-4, 1)", with_noise(1e-12, log_normal(-4.0, 1.0))),
        of_model("noise prior LN(-10, 3)", with_noise(1e-12, log_normal(-10.0, 3.0))),
        of_model("sample mean", gp(GpSettings { mean: Mean::Zero, ..GpSettings::default() })),
        of_model("no restarts", gp(GpSettings { restarts: 0, ..GpSettings::default() })),
        of_model("5 restarts", gp(GpSettings { restarts: 5, ..GpSettings::default() })),
        of_model("warped inputs", GpModel { warp_inputs: true, ..GpModel::default() }),
        of_settings(
            "2048 raw, 12 climbs",
            maximiser(Maximiser { raw: 2048, climbs: 12, ..Maximiser::default() }),
        ),
        of_settings("none around the best", maximiser(Maximiser { around_best: 0, ..Maximiser::default() })),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(4, 40), context.pick(25, 50));
    let kinds = context.pick(&KINDS[..3], &KINDS[..]);
    let variants: Vec<Variant> = context.pick(variants().into_iter().take(3).collect(), variants());
    let jobs: Vec<(usize, usize, usize)> = (0..kinds.len())
        .flat_map(|k| (0..variants.len()).map(move |v| (k, v)))
        .flat_map(|(k, v)| (0..replications).map(move |i| (k, v, i)))
        .collect();
    let runs: Vec<Run> = in_parallel("bo/ablation", &jobs, |&(k, v, i)| {
        let seed = Seed(context.seed).child("bo/ablation", (i * 100 + k) as u64);
        let problem = kinds[k].problem(seed)?;
        let variant = &variants[v];
        let settings = BoSettings {
            initial: InitialDesign::Sobol(2 * problem.space().dim()),
            ..variant.settings.clone()
        };
        let optimizer = || {
            BayesianOptimizer::new(problem.space().clone(), seed)
                .with_model(variant.model.clone())
                .with_settings(settings.clone())
        };
        let mut run = study(variant.name, &problem, optimizer()?, seed, i, MaxTrials(evaluations))?;
        // Where evaluations are noisy nobody knows which was best: what is recommended counts.
        if kinds[k].is_noisy()
            && let Some(config) = optimizer()?.recommend(&run.history)?
            && let Some(last) = run.regret.last_mut()
        {
            *last = problem.regret(&config)?;
        }
        Ok(run)
    })?;
    // By problem, by variant: final regrets.
    let finals: Vec<Vec<Vec<f64>>> = (0..kinds.len())
        .map(|k| {
            let own: Vec<Run> =
                jobs.iter().zip(&runs).filter(|(job, _)| job.0 == k).map(|(_, run)| run.clone()).collect();
            let comparison = Comparison::new(&own, evaluations);
            (0..variants.len()).map(|v| comparison.finals(v).iter().map(|r| r.max(1e-9)).collect()).collect()
        })
        .collect();
    let (mut numbers, mut overall, mut verdict) = (BTreeMap::new(), Vec::new(), Verdict::Holds);
    let mean_rank = |v: usize| {
        let mut sum = 0.0;
        for of_problem in &finals {
            for i in 0..replications {
                sum += ranks(&of_problem.iter().map(|f| f[i]).collect::<Vec<f64>>())[v];
            }
        }
        sum / (finals.len() * replications) as f64
    };
    for (v, variant) in variants.iter().enumerate() {
        let logs =
            |v: usize| -> Vec<f64> { finals.iter().flat_map(|f| f[v].iter().map(|r| r.log10())).collect() };
        let (own, base) = (logs(v), logs(0));
        let gain = own.iter().zip(&base).map(|(a, b)| a - b).sum::<f64>() / own.len() as f64;
        let p = wilcoxon(&own, &base);
        if gain < 0.0 && p * ((variants.len() - 1) as f64) < 0.05 {
            verdict = Verdict::DoesNotHold;
        }
        numbers.insert(format!("mean log10 regret against the default: {}", variant.name), gain);
        let mut row =
            vec![variant.name.to_owned(), format!("{:.2}", mean_rank(v)), format!("{gain:+.3}"), number(p)];
        row.extend(finals.iter().map(|f| number(quantile(&f[v], 0.5))));
        overall.push(row);
    }
    let mut header: Vec<String> = ["variant", "mean rank", "log₁₀ regret", "p"].map(String::from).to_vec();
    header.extend(kinds.iter().map(|kind| kind.label()));
    Ok(Report {
        verdict,
        numbers,
        settings: [
            ("replications", replications.to_string()),
            ("evaluations", format!("{evaluations}, 2 d of them a Sobol design")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![
            "Verdict: does not hold when a variant has a lower mean logarithm of the final regret with p below 5 % after \
             Bonferroni's correction. Draws are new in every replication and shared by the variants."
                .into(),
        ],
        tables: vec![Table {
            name: "variants".into(),
            caption: "Mean rank over all runs; mean log₁₀ of the final regret less that of the default; paired Wilcoxon of the \
                      logarithms against the default; then the median final regret of each problem."
                .into(),
            header,
            rows: overall,
        }],
        figures: Vec::new(),
    })
}
