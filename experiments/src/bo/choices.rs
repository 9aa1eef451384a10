//! Acquisitions and exploration on conditional spaces, where a study may end in a wrong branch or short of the minimum of the best one.

use thrifty_acquisition::{AcquisitionKind, MinValueSampler};
use thrifty_bo::{BoSettings, Convergence, GpSurrogate, InitialDesign};
use thrifty_hybrid::{Exploration, ExplorePoint, HybridSettings, OnConvergence};
use thrifty_space::Config;
use thrifty_testbed::Problem;

use super::conditional::{KINDS, length};
use super::development::Development;
use super::variant::{Design, Search, Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Ablation, Grid, NOTE};
use crate::harness::runs::lossless_number;
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

/// Final regret above which a run has missed the optimum. The pits of wrong branches end at least 0.1 above it.
const MISSED: f64 = 0.05;

/// End of one study.
#[derive(serde::Serialize, serde::Deserialize)]
struct End {
    #[serde(with = "lossless_number")]
    regret: f64,
    /// Local minimum below the best configuration, in its branch, less the optimum.
    #[serde(with = "lossless_number")]
    reachable: f64,
}

impl End {
    fn at(problem: &Development, best: &Config) -> Result<Self, ExperimentError> {
        let reachable = problem.descended(best)? - problem.optimum();
        Ok(Self { regret: problem.regret(best)?, reachable })
    }

    fn has_missed(&self) -> bool {
        self.regret > MISSED
    }

    /// In another branch than the best one, or above another minimum of the best one.
    fn is_wrong(&self) -> bool {
        self.has_missed() && self.reachable > MISSED
    }

    fn has_not_descended(&self) -> bool {
        self.has_missed() && !self.is_wrong()
    }
}

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
    let ends = studies.ends(context, replications, |problem, history| {
        let best = history.best().ok_or_else(|| ExperimentError::failed("a study without measurements"))?;
        End::at(problem, &best.0.query)
    })?;
    let least = kinds.iter().map(|kind| kind.least_regret()).fold(0.0, f64::max);
    let finals = ablation::regrets(&ends, |end| end.regret.max(least));
    let Ablation { table, numbers, judgement } =
        Ablation::judge(&names, &labels, &finals, replications.planned)?;
    let designs = format!("{evaluations}, of them a design of two for each parameter, at most half");
    Ok(Report {
        judgement,
        numbers,
        settings: studies.settings(replications, &[("evaluations", &designs)]),
        notes: vec![NOTE.into()],
        tables: vec![table, missed(&names, &labels, &ends)],
        figures: Vec::new(),
    })
}

/// Percentages of runs that missed, of all problems: all, those at a wrong minimum, those that have not descended. Then all, of each problem.
fn missed(variants: &[&str], problems: &[String], ends: &Grid<End>) -> Table {
    let percent = |runs: &[&End], counts: fn(&End) -> bool| {
        let count = runs.iter().filter(|end| counts(end)).count();
        number(100.0 * count as f64 / runs.len() as f64)
    };
    let row = |(v, variant): (usize, &&str)| {
        let by_problem: Vec<Vec<&End>> =
            ends.iter().map(|of_problem| of_problem[v].iter().collect()).collect();
        let whole = by_problem.concat();
        let of_all = [End::has_missed, End::is_wrong, End::has_not_descended].map(|is| percent(&whole, is));
        let each = by_problem.iter().map(|own| percent(own, End::has_missed));
        [(*variant).to_owned()].into_iter().chain(of_all).chain(each).collect()
    };
    let header = ["variant", "all", "wrong minimum", "not descended"].map(str::to_owned);
    Table {
        name: "missed".into(),
        caption: format!(
            "Percentage of runs whose final regret is above {MISSED}, of all problems. At a wrong minimum are those from whose best \
             configuration a descent ends above {MISSED} too, in another branch mostly; the others have not descended. Then of each problem."
        ),
        header: header.into_iter().chain(problems.iter().cloned()).collect(),
        rows: variants.iter().enumerate().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::super::branches::{Branches, Shape};
    use super::*;

    /// Pits at 0 and from 0.1 on: below the best configuration of a branch is the pit of that branch, whether it was reached or not.
    #[test]
    fn a_descent_tells_a_wrong_branch_from_one_not_descended() {
        let problem = Branches { count: 3, shared: 1, own: 1, shape: Shape::Pits }.problem(Seed(1)).unwrap();
        let mut rng = Seed(2).stream("points", 0);
        let ends: Vec<(i64, End)> = (0..2000)
            .map(|_| problem.space().sample(&mut rng))
            .map(|config| (config.int("branch").unwrap(), End::at(&problem, &config).unwrap()))
            .filter(|(_, end)| end.regret < 0.5)
            .collect();
        let (right, least) = ends
            .iter()
            .min_by(|(_, a), (_, b)| a.regret.total_cmp(&b.regret))
            .map(|(branch, end)| (*branch, end.regret))
            .unwrap();
        assert!(least < 0.05, "{least}");
        assert!(ends.iter().any(|(branch, end)| *branch == right && end.has_missed()));
        assert!(ends.iter().any(|(branch, _)| *branch != right));
        for (branch, end) in &ends {
            assert_eq!(end.is_wrong(), *branch != right, "{branch}: {} {}", end.regret, end.reachable);
        }
    }

    #[test]
    fn shares_of_missed_runs_are_of_all_and_of_each_problem() {
        let ends = |all: [(f64, f64); 2]| all.map(|(regret, reachable)| End { regret, reachable }).into();
        let ends = vec![
            vec![ends([(0.01, 0.0), (0.2, 0.0)]), ends([(0.3, 0.2), (0.2, 0.1)])],
            vec![ends([(0.01, 0.0), (0.05, 0.04)]), ends([(0.06, 0.05), (0.01, 0.0)])],
        ];
        let table = missed(&["a", "b"], &["p".into(), "q".into()], &ends);
        assert_eq!(table.header, ["variant", "all", "wrong minimum", "not descended", "p", "q"]);
        let rows =
            [["a", "25.00", "0", "25.00", "50.00", "0"], ["b", "75.00", "50.00", "25.00", "100.0", "50.00"]];
        assert_eq!(table.rows, rows);
    }
}
