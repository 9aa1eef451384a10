//! Acquisitions and exploration on conditional spaces, where a study may end in a wrong branch or short of the minimum of the best one.

use thrifty_acquisition::{AcquisitionKind, MinValueSampler};
use thrifty_bo::{BoSettings, Convergence, GpSurrogate, InitialDesign};
use thrifty_hybrid::{Exploration, ExplorePoint, HybridSettings, OnConvergence};

use super::conditional::{KINDS, length};
use super::variant::{Design, Search, Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NOTE};
use crate::harness::{Experiment, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/choices",
    paper: "none: which acquisition and how much exploration a conditional space needs",
    claim: "on conditional spaces, at 30 evaluations, the default is not worse than the knowledge gradient, max-value entropy, sampled \
            hyperparameters, a front of mean and standard deviation where little improvement is expected, exploration by coin flip, and the \
            posterior mean alone, over problems that only choose defaults; regrets below 0.01 count as 0.01",
    quick_cost: "2 problems, 7 variants, 2 replications, 20 evaluations: some seconds",
    full_cost: "8 problems, 7 variants, 40 replications, 30 evaluations: half an hour on one core",
    run,
};

/// Final regret above which a run has missed the optimum. The pits of wrong branches end at least 0.1 above it, so that below this a run
/// is in the right one; above, it is in a wrong one or has not descended.
const MISSED: f64 = 0.05;

/// The default first. The posterior mean alone does not explore, and is there to be found worse.
fn variants() -> Vec<Variant> {
    let of = |name, model, settings| Variant {
        design: Design::Made(|space, evaluations, _| InitialDesign::Sobol(length(space, evaluations, 0.5))),
        ..Variant::new(name, model, settings)
    };
    let default = GpSurrogate::default;
    let by = |name, rule| of(name, default(), BoSettings { rule, ..BoSettings::default() });
    let on = |name, convergence| of(name, default(), BoSettings { convergence, ..BoSettings::default() });
    let coin = HybridSettings {
        exploration: Exploration::FixedRate { rate: 0.2 },
        point: ExplorePoint::MaxStdDev,
        convergence: OnConvergence::Force,
        epsilon: 0.0,
        ..HybridSettings::default()
    };
    let entropy = AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Sampled { count: 10 });
    vec![
        of("default", default(), BoSettings::default()),
        by("knowledge gradient", AcquisitionKind::LogKnowledgeGradient { anchors: 50 }),
        by("max-value entropy", entropy),
        of("sampled hyperparameters", GpSurrogate::noisy(), BoSettings::default()),
        on("front below 1e-2", Convergence::Explore { epsilon: 1e-2 }),
        Variant { search: Search::Hybrid(coin), ..on("coin 0.2, widest", Convergence::Continue) },
        by("posterior mean alone", AcquisitionKind::PosteriorMean),
    ]
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(2, 40), context.pick(20, 30));
    let (kinds, variants) = (context.pick(&KINDS[..2], &KINDS[..]), variants());
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    let (names, labels) = (studies.names(), studies.labels());
    let finals = studies.finals(context, replications)?;
    let Ablation { table, numbers, judgement } =
        Ablation::judge(&names, &labels, &finals, replications.planned)?;
    let designs = format!("{evaluations}, of them a design of two for each parameter, at most half");
    Ok(Report {
        judgement,
        numbers,
        settings: studies.settings(replications, &[("evaluations", &designs)]),
        notes: vec![NOTE.into()],
        tables: vec![table, missed(&names, &labels, &finals)],
        figures: Vec::new(),
    })
}

/// Percentages of runs that missed: of all problems, then of each.
fn missed(variants: &[&str], problems: &[String], finals: &[Vec<Vec<f64>>]) -> Table {
    let percent = |runs: &[f64]| {
        let count = runs.iter().filter(|regret| **regret > MISSED).count();
        number(100.0 * count as f64 / runs.len() as f64)
    };
    let row = |(v, variant): (usize, &&str)| {
        let all: Vec<f64> = finals.iter().flat_map(|of_problem| of_problem[v].iter().copied()).collect();
        let each = finals.iter().map(|of_problem| percent(&of_problem[v]));
        [(*variant).to_owned(), percent(&all)].into_iter().chain(each).collect()
    };
    Table {
        name: "missed".into(),
        caption: format!(
            "Percentage of runs whose final regret is above {MISSED}, of all problems and of each."
        ),
        header: ["variant", "all"].map(str::to_owned).into_iter().chain(problems.iter().cloned()).collect(),
        rows: variants.iter().enumerate().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_missed_runs_are_of_all_and_of_each_problem() {
        let finals = [vec![vec![0.01, 0.2], vec![0.3, 0.2]], vec![vec![0.01, 0.05], vec![0.06, 0.01]]];
        let table = missed(&["a", "b"], &["p".into(), "q".into()], &finals);
        assert_eq!(table.header, ["variant", "all", "p", "q"]);
        assert_eq!(table.rows, [["a", "25.00", "50.00", "0"], ["b", "75.00", "100.0", "50.00"]]);
    }
}
