//! Functions with many local minima: how often a study ends in a wrong one, and what it spends there.

use std::collections::BTreeMap;

use thrifty_acquisition::{AcquisitionKind, MinValueSampler};
use thrifty_bo::{BoSettings, Convergence, GpSurrogate};
use thrifty_hybrid::{Exploration, ExplorePoint, HybridSettings, OnConvergence};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::History;
use thrifty_testbed::Problem;
use thrifty_trust_region::TrustRegionSettings;

use super::development::Development;
use super::problems::Kind;
use super::variant::{Search, Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Ablation, Grid, NO_REGRET, NOTE};
use crate::harness::runs::lossless_number;
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/basins",
    paper: "none: which rule leaves a local minimum",
    claim: "no rule that leaves local minima makes the optimiser better over functions with many of them, used for nothing else",
    quick_cost: "2 problems, 4 variants, 3 replications, 25 evaluations: some seconds",
    full_cost: "8 problems, 15 variants, 20 replications, 50 evaluations: a quarter of an hour",
    run,
};

const KINDS: [Kind; 8] = [
    Kind::WangFreitas,
    Kind::Pits { dim: 2 },
    Kind::Draw { dim: 2, lengthscale: 0.15, smooth: false, noise: 0.0 },
    Kind::Pits { dim: 3 },
    Kind::Draw { dim: 3, lengthscale: 0.25, smooth: true, noise: 0.0 },
    Kind::Ackley,
    Kind::Levy,
    Kind::Michalewicz,
];

/// Share of the spread above which a local minimum is a wrong one, and a gain worth an evaluation.
const RESOLUTION: f64 = 1e-3;

/// The default first; the posterior mean alone never leaves and is there to be found worse.
fn variants() -> Vec<Variant> {
    let of = |name, settings| Variant::new(name, GpSurrogate::default(), settings);
    let by = |name, rule| of(name, BoSettings { rule, ..BoSettings::default() });
    let on = |name, convergence| of(name, BoSettings { convergence, ..BoSettings::default() });
    let around = |name, exploration, point, epsilon| {
        let convergence = OnConvergence::Force;
        let settings =
            HybridSettings { exploration, point, convergence, epsilon, ..HybridSettings::default() };
        Variant { search: Search::Hybrid(settings), ..on(name, Convergence::Continue) }
    };
    let region =
        |name, settings| Variant { search: Search::Region(settings), ..of(name, BoSettings::default()) };
    let forced = Exploration::ForcedOnConvergence;
    vec![
        of("default", BoSettings::default()),
        by("posterior mean alone", AcquisitionKind::PosteriorMean),
        on("never leaves", Convergence::Continue),
        on("front below 1e-3", Convergence::Explore { epsilon: 1e-3 }),
        on("front below 1e-5", Convergence::Explore { epsilon: 1e-5 }),
        on("front below 1e-6", Convergence::Explore { epsilon: 1e-6 }),
        on("restarts below 1e-3", Convergence::Restart { epsilon: 1e-3 }),
        on("restarts below 1e-7", Convergence::Restart { epsilon: 1e-7 }),
        around("uniform below 1e-7", forced, ExplorePoint::Uniform, 1e-7),
        around("deviation below 1e-7", forced, ExplorePoint::MaxStdDev, 1e-7),
        around("coin 0.1, front", Exploration::FixedRate { rate: 0.1 }, ExplorePoint::Pareto, 0.0),
        by(
            "max-value entropy",
            AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Sampled { count: 10 }),
        ),
        Variant::new("sampled hyperparameters", GpSurrogate::noisy(), BoSettings::default()),
        by("knowledge gradient", AcquisitionKind::LogKnowledgeGradient { anchors: 50 }),
        region("trust region, restarts", TrustRegionSettings::default()),
    ]
}

/// End of one study.
#[derive(serde::Serialize, serde::Deserialize)]
struct End {
    #[serde(with = "lossless_number")]
    regret: f64,
    /// Local minimum below the best configuration, less the global one, as a share of the spread.
    #[serde(with = "lossless_number")]
    excess: f64,
    /// Evaluations near the best so far that gained little.
    polishing: usize,
}

impl End {
    fn is_wrong(&self) -> bool {
        self.excess > RESOLUTION
    }

    /// Basins in the trials of a study on a function of this spread, after an initial design.
    fn of(
        problem: &Development,
        history: &History<Config>,
        spread: f64,
        design: usize,
    ) -> Result<Self, ExperimentError> {
        let near = 0.03 * (problem.space().dim() as f64).sqrt();
        let mut best: Option<(Vec<f64>, f64, &Config)> = None;
        let mut polishing = 0;
        for (i, trial) in history.trials().iter().enumerate() {
            let (point, value) = (problem.space().encode(&trial.query)?, problem.truth(&trial.query)?);
            if let Some((at, least, _)) = &best {
                let distance: f64 = at.iter().zip(&point).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                polishing +=
                    usize::from(i >= design && distance < near && least - value < RESOLUTION * spread);
            }
            if best.as_ref().is_none_or(|(_, least, _)| value < *least) {
                best = Some((point, value, &trial.query));
            }
        }
        let (_, value, config) = best.ok_or_else(|| ExperimentError::failed("a study without trials"))?;
        Ok(Self {
            regret: value - problem.optimum(),
            excess: (problem.descended(config)? - problem.optimum()) / spread,
            polishing,
        })
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(3, 20);
    let evaluations = context.pick(25, 50);
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants: Vec<Variant> = context.pick(variants().into_iter().take(4).collect(), variants());
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    let (names, labels) = (studies.names(), studies.labels());
    let ends = studies.ends(context, n, |problem, history| {
        let spread = problem.spread(&mut Seed(context.seed).child("bo/basins spread", 0).stream("points", 0));
        End::of(problem, history, spread, 2 * problem.space().dim())
    })?;
    let finals = ablation::regrets(&ends, |end| end.regret);
    let Ablation { table, mut numbers, judgement } = Ablation::judge(&names, &labels, &finals, n.planned)?;
    let basins = basins(&names, &labels, &ends, evaluations, &mut numbers);
    let settings = [
        ("replications", n.run.to_string()),
        ("evaluations", format!("{evaluations}, 2 d of them a Sobol design")),
    ];
    Ok(Report {
        judgement,
        numbers,
        settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
        notes: vec![NOTE.into()],
        tables: vec![table, basins],
        figures: Vec::new(),
    })
}

/// Table of wrong basins: of all runs, then of each problem.
fn basins(
    variants: &[&str],
    problems: &[String],
    ends: &Grid<End>,
    evaluations: usize,
    numbers: &mut BTreeMap<String, f64>,
) -> Table {
    let mut rows = Vec::new();
    for (v, variant) in variants.iter().enumerate() {
        let own: Vec<&End> = ends.iter().flat_map(|of_problem| &of_problem[v]).collect();
        let logs: Vec<f64> = own.iter().map(|end| end.regret.max(NO_REGRET).log10()).collect();
        let wrong = own.iter().filter(|end| end.is_wrong()).count();
        let polishing: usize = own.iter().map(|end| end.polishing).sum();
        let share = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
        numbers.insert(format!("percent of runs in a wrong basin: {variant}"), share(wrong, own.len()));
        let mut row = vec![
            (*variant).to_owned(),
            format!("{wrong} of {}", own.len()),
            format!("{:.0} %", share(polishing, own.len() * evaluations)),
            format!("{:.2}", quantile(&logs, 0.5)),
            format!("{:.2}", quantile(&logs, 0.75)),
        ];
        for of_problem in ends {
            let regrets: Vec<f64> = of_problem[v].iter().map(|end| end.regret).collect();
            let wrong = of_problem[v].iter().filter(|end| end.is_wrong()).count();
            row.push(format!("{wrong}; {}", number(quantile(&regrets, 0.75))));
        }
        rows.push(row);
    }
    let mut header: Vec<String> =
        ["variant", "wrong basin", "polishing", "median log₁₀ regret", "upper quartile"]
            .map(String::from)
            .to_vec();
    header.extend(problems.iter().cloned());
    Table {
        name: "basins".into(),
        caption: "Runs whose best configuration lies in the basin of a local minimum that is higher than the global one by more than 1e-3 of the \
                  spread (median of the function less its minimum); share of evaluations within 0.03 √d of the best so far that gained less \
                  than that; quantiles of log₁₀ regret over all runs; then of each problem the runs in a wrong basin and the upper quartile of the regret."
            .into(),
        header,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use thrifty_study::{MaxTrials, Study};

    use super::*;
    use crate::harness::replicate::study_with_history;

    /// A search at the bottom of the wide basin of `WangFreitas` is wrong and polishes; one that visits the spike is right.
    #[test]
    fn ends_in_the_wide_basin_are_wrong() {
        let problem = Kind::WangFreitas.problem(Seed(1)).unwrap();
        let spread = problem.spread(&mut Seed(2).stream("points", 0));
        let end = |points: &[f64]| {
            let configs: Vec<Config> =
                points.iter().map(|x| problem.space().decode(&[*x])).collect::<Vec<_>>();
            let optimizer = thrifty_bo::BayesianOptimizer::new(problem.space().clone())
                .with_settings(BoSettings {
                    initial: thrifty_bo::InitialDesign::Given(configs),
                    ..BoSettings::default()
                })
                .unwrap();
            let study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(points.len()));
            let (_, history) = study_with_history("given", &problem, study, 0).unwrap();
            End::of(&problem, &history, spread, 0).unwrap()
        };
        let wide = end(&[0.1, 0.101, 0.099, 0.5]);
        assert!(wide.is_wrong() && wide.polishing == 2, "{} {}", wide.excess, wide.polishing);
        let spike = end(&[0.1, 0.901, 0.5]);
        assert!(!spike.is_wrong() && spike.polishing == 0, "{} {}", spike.excess, spike.polishing);
    }
}
