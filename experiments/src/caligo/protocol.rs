//! The phases of the protocol on a problem with a known answer.

use std::collections::BTreeMap;

use thrifty_gp::selection::{Criterion as Score, Outer, nested};
use thrifty_levelset::PhasedLevelSet;
use thrifty_levelset::metrics::Confusion;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Study};
use thrifty_surrogate::{Observations, Surrogate};
use thrifty_testbed::LevelSetProblem;

use super::phases::{self, DESIGN, FAMILIES, MEASURED, METHODS, PHASES, PROTOCOL, candidates, data};
use super::traced::{Measure, Traced};
use super::{figures, stops};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::{mean_and_std_dev, quantile};
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number, pairwise};

pub const EXPERIMENT: Experiment = Experiment {
    id: "caligo/protocol",
    paper: "Active learning and surrogate models, the training protocol: DeathValley2 by the signed margin",
    claim: "with its formulas put right the protocol (normalisation, restarts, kernel by cross-validation, expected improvement, then \
            straddle, then entropy) classifies more than 99 % of the domain rightly, and its diagnostics together stop no run \
            before that",
    quick_cost: "2 replications, 30 evaluations, 4 methods: some seconds",
    full_cost: "45 replications, 60 evaluations, 4 methods: ten minutes",
    run,
};

const NOTE: &str = "Claims: the misclassified share of the protocol is below 1 % at the end of at least every second run, and the rule of all \
    three diagnostics stops at most one run in ten above that. \
    What is secure is the positive class. The seed's straddle is a constant and its entropy is of a density that a boundary does not have: \
    here straddle is 1.96 σ - |μ|, and entropy the mutual information of an observation with the sides of the points.";

fn trace(
    problem: &LevelSetProblem,
    method: &str,
    evaluations: usize,
    seed: Seed,
) -> Result<(Traced, History<Config>), ExperimentError> {
    let space = problem.space().clone();
    let optimizer = PhasedLevelSet::new(space.clone(), phases::settings(method, evaluations))?;
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
    study.run(|config, _| problem.truth(config).map_or(f64::NAN, |margin| -margin))?;
    let found = study.recommend()?.ok_or_else(|| ExperimentError::failed("nothing was measured"))?;
    let points = study.optimizer().points(seed)?;
    let secure = points
        .rows()
        .map(|x| Ok(problem.is_above(&space.decode(x))?))
        .collect::<Result<Vec<bool>, ExperimentError>>()?;
    let judged = |valley: Option<Vec<bool>>| {
        let said: Option<Vec<bool>> = valley.map(|valley| valley.iter().map(|dead| !dead).collect());
        let confusion = said.and_then(|said| Confusion::of(&secure, &said));
        confusion.map_or((f64::NAN, f64::NAN, f64::NAN), |c| (c.misclassified(), c.iou(), c.f1()))
    };
    let trials = study.history().trials();
    let mut steps: Vec<(f64, f64, f64)> =
        trials.iter().map(|trial| judged(study.optimizer().above_before(trial))).collect();
    steps.push(judged(Some(found.predicted_above())));
    let kernels = phases::kernels(study.optimizer(), trials);
    let diagnostics = trials.iter().map(|trial| trial.diagnostics.clone()).collect();
    let history = study.history().clone();
    let map = means(study.optimizer(), &history, seed)?;
    let traced = Traced {
        diagnostics,
        wrong: steps.iter().map(|step| step.0).collect(),
        iou: steps.iter().map(|step| step.1).collect(),
        f1: steps.iter().map(|step| step.2).collect(),
        kernels,
        map,
    };
    Ok((traced, history))
}

/// Posterior means at the points of the map, by the model of the last phase.
fn means(
    optimizer: &PhasedLevelSet,
    history: &History<Config>,
    seed: Seed,
) -> Result<Vec<f64>, ExperimentError> {
    let space = optimizer.space();
    let (x, y) = data(space, history.trials())?;
    let (model, at) = (optimizer.surrogate(history), figures::map_points());
    let rng = &mut seed.stream("map", 0);
    let fitted = model
        .fit(space.domain(), Observations::new(x.as_ref(), &y), None, rng)
        .map_err(ExperimentError::failed)?;
    let (mut mean, mut variance) = (vec![0.0; at.len()], vec![0.0; at.len()]);
    fitted.posterior().predict_into(at.as_ref(), &mut mean, &mut variance);
    Ok(mean)
}

fn last(measure: &Measure) -> f64 {
    measure.last().copied().unwrap_or(f64::NAN)
}

fn wrong(runs: &[&Traced]) -> Vec<f64> {
    runs.iter().map(|run| last(&run.wrong)).collect()
}

fn methods_table(groups: &[(&'static str, Vec<&Traced>)]) -> Result<Table, ExperimentError> {
    let all: Vec<Vec<f64>> = groups.iter().map(|(_, runs)| wrong(runs)).collect();
    let others = groups.iter().zip(&all).skip(1).map(|((name, _), own)| (*name, own.as_slice()));
    let found = pairwise::superior(&all[0], others, Test::SignedRank)?;
    let rows = groups.iter().enumerate().map(|(m, (name, runs))| {
        let mean = |of: fn(&Traced) -> &Measure| {
            let values: Vec<f64> = runs.iter().map(|run| last(of(run))).collect();
            let (mean, std_dev) = mean_and_std_dev(&values);
            format!("{} ± {}", number(mean), number(std_dev / (values.len() as f64).sqrt()))
        };
        vec![
            (*name).to_owned(),
            mean(|run| &run.wrong),
            number(quantile(&all[m], 0.5)),
            mean(|run| &run.iou),
            mean(|run| &run.f1),
            m.checked_sub(1).map_or("-".into(), |at| number(found[at].two_sided())),
        ]
    });
    Ok(Table {
        name: "methods".into(),
        caption: "After the last evaluation: misclassified share of the domain, intersection over union and F1 of the secure region, mean ± one \
                  standard error; two-sided p of the signed-rank test of the misclassified share against the protocol's, \
                  Holm-corrected. All methods share design, normalisation, restarts and choice of the kernel (single phases choose it \
                  once)."
            .into(),
        header: ["method", "misclassified", "median", "IoU", "F1", "p"].map(String::from).to_vec(),
        rows: rows.collect(),
    })
}

/// Counts of each kernel that was chosen as phases began, and the scores of nested cross-validation.
fn kernels_table(
    problem: &LevelSetProblem,
    runs: &[&Traced],
    first: &History<Config>,
    seed: Seed,
) -> Result<Table, ExperimentError> {
    let starts = ["design", "straddle", "entropy"];
    let mut rows = Vec::new();
    for (name, _) in FAMILIES {
        let count = |at: usize| {
            runs.iter().filter(|run| run.kernels.get(at).is_some_and(|kernel| kernel == name)).count()
        };
        rows.push(
            std::iter::once(name.to_owned())
                .chain((0..starts.len()).map(|at| count(at).to_string()))
                .collect(),
        );
    }
    let (x, y) = data(problem.space(), first.trials())?;
    let rng = &mut seed.stream("nested", 0);
    let outer =
        nested(&candidates(), Score::CrossValidation { folds: 5 }, Outer::Folds(5), x.as_ref(), &y, rng)
            .map_err(ExperimentError::failed)?;
    Ok(Table {
        name: "kernels".into(),
        caption: format!(
            "How often each kernel was chosen by 5-fold cross-validation of what was there: after the design, as straddle began, as entropy \
             began. The outer folds choose nothing: on all evaluations of the first run what they chose without a fold predicts it with \
             a negative log predictive density of {}.",
            number(outer.nlpd())
        ),
        header: std::iter::once("kernel").chain(starts).map(String::from).collect(),
        rows,
    })
}

/// A misclassified share below this is as good as none.
const SMALL: f64 = 0.01;

fn judge(runs: &[&Traced], planned: usize) -> Result<Judgement, ClaimError> {
    let rate = |name: &str, kind| Claim::new(name, kind, Test::Binomial, planned);
    let early = |run: &&Traced| stops::combined(run).is_some_and(|stop| stop.1 > SMALL);
    Family::new(Rule::All)
        .with(
            rate("less than 1 % is misclassified at the end", Kind::RateAtLeast(0.5)),
            Sample::count(runs.iter().map(|run| last(&run.wrong) < SMALL)),
        )
        .with(
            rate("the three diagnostics stop the run before that", Kind::RateBetween(0.0, 0.1)),
            Sample::count(runs.iter().map(early)),
        )
        .judge()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let evaluations = context.pick(30, 60);
    let n = context.replications(2, 45);
    let replications = n.run;
    let (problem, root) = (LevelSetProblem::death_valley2(), Seed(context.seed));
    let seed = |i: usize| root.child(EXPERIMENT.id, i as u64);
    let jobs: Vec<(&'static str, usize)> =
        METHODS.iter().flat_map(|method| (0..replications).map(|i| (*method, i))).collect();
    let name = |(method, i): &(&'static str, usize)| JobName::new(problem.name(), *method, *i);
    let runs: Vec<Traced> = Runs::new(EXPERIMENT.id, context)
        .collect(&jobs, name, |(method, i)| Ok(trace(&problem, method, evaluations, seed(*i))?.0))?;
    let groups: Vec<(&'static str, Vec<&Traced>)> =
        METHODS.iter().copied().zip(runs.chunks(replications).map(|own| own.iter().collect())).collect();
    let own = &groups[0].1;
    // The first of them again, for its trials.
    let (_, history) = trace(&problem, PROTOCOL, evaluations, seed(0))?;
    let mut numbers = BTreeMap::new();
    for (name, runs) in &groups {
        let wrong = wrong(runs);
        numbers.insert(format!("{name}: misclassified share, median"), quantile(&wrong, 0.5));
    }
    let stopped: Vec<(usize, f64)> = own.iter().filter_map(|run| stops::combined(run)).collect();
    numbers.insert("protocol: runs stopped by all three diagnostics".into(), stopped.len() as f64);
    let protocol = phases::settings(PROTOCOL, evaluations).phases;
    let starts: Vec<usize> = std::iter::once(DESIGN)
        .chain(protocol.iter().map(|phase| phase.until))
        .filter(|at| *at < evaluations)
        .collect();
    let described: Vec<String> =
        PHASES.iter().zip(&protocol).map(|(name, phase)| format!("{name} to {}", phase.until)).collect();
    Ok(Report {
        judgement: judge(own, n.planned)?,
        numbers,
        settings: [
            ("phases", format!("{DESIGN} Sobol points, {}", described.join(", "))),
            ("domain", format!("measured by {MEASURED} scrambled Sobol points")),
            ("model", "inputs to [0, 1], targets standardised, maximum likelihood with 4 restarts; kernel by 5-fold cross-validation as \
                       each phase begins".into()),
            ("replications", replications.to_string()),
        ]
        .map(|(name, value): (&str, String)| (name.to_owned(), value))
        .into(),
        notes: vec![NOTE.into()],
        tables: vec![
            methods_table(&groups)?,
            stops::table(own),
            kernels_table(&problem, own, &history, seed(0))?,
        ],
        figures: vec![
            figures::traces(own[0], &starts)?,
            figures::curves(&groups)?,
            figures::map(&problem, own[0], &history)?,
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// A run whose diagnostics are all small from a step on, with true errors by step.
    fn traced(wrong: Vec<f64>, quiet_from: usize) -> Traced {
        let names = [
            "log_expected_improvement",
            "boundary_change",
            "relative_variance",
            "mean_variance",
            "misclassified",
        ];
        let step = |at: usize| {
            let value = |name: &str| match (at >= quiet_from, name) {
                (true, "log_expected_improvement") => -1e3,
                (true, _) => 0.0,
                (false, _) => 1.0,
            };
            names.iter().map(|name| ((*name).to_owned(), value(name))).collect()
        };
        let (iou, f1) = (wrong.clone(), wrong.clone());
        let diagnostics = (0..wrong.len()).map(step).collect();
        Traced { diagnostics, wrong, iou, f1, kernels: Vec::new(), map: Vec::new() }
    }

    /// A protocol made worse: it ends with a wrong set, or its diagnostics stop it before it is right.
    #[test]
    fn a_wrong_end_and_an_early_stop_are_found() {
        let of = |make: &dyn Fn(usize) -> Traced, planned: usize| {
            let runs: Vec<Traced> = (0..60).map(make).collect();
            judge(&runs.iter().collect::<Vec<_>>(), planned).unwrap().verdict()
        };
        let verdict = |make: &dyn Fn(usize) -> Traced| of(make, 60);
        let right = |_| traced(vec![0.3, 0.1, 0.001, 0.001, 0.001, 0.001], 2);
        assert_eq!((verdict(&right), of(&right, 61)), (Verdict::Holds, Verdict::Inconclusive));
        assert_eq!(verdict(&|_| traced(vec![0.3; 6], 6)), Verdict::DoesNotHold);
        let early = |_| traced(vec![0.3, 0.3, 0.3, 0.3, 0.3, 0.001], 0);
        assert!(stops::combined(&early(0)).is_some_and(|stop| stop.1 > SMALL));
        assert_eq!(verdict(&early), Verdict::DoesNotHold);
    }
}
