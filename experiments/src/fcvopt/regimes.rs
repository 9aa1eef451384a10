//! Choice of the fold: early, late and near evaluated configurations.

use std::collections::BTreeMap;

use thrifty_bo::InitialDesign;
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{FractionalCv, FractionalSettings, LossTarget};
use thrifty_figures::{LinePlot, Series};
use thrifty_sampling::Seed;
use thrifty_study::{Next, Study};

use super::drawn::{Deviations, Drawn, FOLDS};
use super::problem::{FoldProblem, point};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::{Experiment, Figure, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "fcvopt/regimes",
    paper: "FCVOpt (Yerramilli & Apley, 2025), on its choice of folds",
    claim: "the fold of least variance is early one that was sampled before, later one that was not sampled near the promising configurations, and near a sampled configuration not the fold of the neighbour",
    quick_cost: "4 runs of 25 fits in one dimension: a second",
    full_cost: "60 runs of 40 fits in one dimension: a minute",
    run,
};

/// Configurations nearer than this are neighbours.
const NEAR: f64 = 0.08;
const INITIAL: usize = 4;

/// Choices that were made, and how many of them what chance would have made.
#[derive(Default, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Share {
    made: f64,
    by_chance: f64,
    count: f64,
}

impl Share {
    fn add(&mut self, made: bool, by_chance: f64) {
        self.made += f64::from(u8::from(made));
        self.by_chance += by_chance;
        self.count += 1.0;
    }

    fn join(self, other: Self) -> Self {
        Self {
            made: self.made + other.made,
            by_chance: self.by_chance + other.by_chance,
            count: self.count + other.count,
        }
    }
}

/// A run and what its choices were: a fold sampled before, early and late; not sampled near, late; the neighbour's.
#[derive(serde::Serialize, serde::Deserialize)]
struct Choices {
    trials: Vec<(f64, usize)>,
    shares: [Share; 4],
}

fn choices(seed: Seed, fits: usize) -> Result<Choices, ExperimentError> {
    let smooth = Deviations { std_dev: 0.5, lengthscale: 0.8, noise: 0.02 };
    let problem = Drawn::new(1, smooth, seed)?;
    let settings = FractionalSettings {
        target: LossTarget::TrueLoss,
        initial: InitialDesign::Sobol(INITIAL),
        ..FractionalSettings::new(FOLDS)
    };
    let optimizer = FractionalCv::new(problem.space().clone(), settings.folds)
        .and_then(|cv| cv.with_settings(settings))?;
    let mut study = Study::new(optimizer, seed);
    let mut trials: Vec<(f64, usize)> = Vec::new();
    let mut shares = [Share::default(); 4];
    for fit in 0..fits {
        let Next::Evaluate(trial) = study.ask()? else { break };
        let FoldQuery { config, fold, .. } = &trial.query;
        let (x, fold) = (point(problem.space(), config)?[0], *fold);
        let sampled = |near: f64| -> Vec<usize> {
            let mut folds: Vec<usize> =
                trials.iter().filter(|(other, _)| (other - x).abs() < near).map(|(_, fold)| *fold).collect();
            folds.sort_unstable();
            folds.dedup();
            folds
        };
        if fit >= INITIAL {
            let (ever, near) = (sampled(f64::INFINITY), sampled(NEAR));
            let early = fit < 2 * INITIAL;
            let share = |folds: &[usize]| folds.len() as f64 / FOLDS as f64;
            if near.is_empty() {
                shares[usize::from(!early)].add(ever.contains(&fold), share(&ever));
            } else if fit >= fits / 2 {
                shares[2].add(!near.contains(&fold), 1.0 - share(&near));
            }
            let nearest = trials.iter().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs()));
            if let Some((other, neighbor)) = nearest
                && (other - x).abs() < NEAR
            {
                shares[3].add(*neighbor == fold, 1.0 / FOLDS as f64);
            }
        }
        trials.push((x, fold));
        study.tell(trial.id, problem.loss(&trial.query, &mut seed.stream("noise", trial.id.0))?)?;
    }
    Ok(Choices { trials, shares })
}

const NAMES: [(&str, bool); 4] = [
    ("early, far from any: a fold sampled before", true),
    ("later, far from any: a fold sampled before", true),
    ("late, near sampled ones: a fold not sampled there", true),
    ("near a sampled one: the fold of the nearest", false),
];

/// Every kind of choice differs from chance in the direction of `yerramilli2025`, in choices per run.
fn judge(all: &[Choices], planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (k, (name, more)) in NAMES.into_iter().enumerate() {
        let beyond = |choices: &Choices| choices.shares[k].made - choices.shares[k].by_chance;
        let gains = all.iter().map(|choices| if more { beyond(choices) } else { -beyond(choices) });
        let side = if more { "more" } else { "less" };
        let claim =
            Claim::new(format!("{name}, {side} than by chance"), Kind::Superior, Test::SignFlip, planned);
        family.push(claim, Sample::Gains(gains.collect()));
    }
    family.judge()
}

/// Points and folds that the first run measured.
fn figure(first: &[(f64, usize)], fits: usize) -> Result<Figure, ExperimentError> {
    let part = |label: &str, from: usize, to: usize| {
        let dots = first.iter().enumerate().filter(|(i, _)| (from..to).contains(i));
        Series::dots(label, dots.map(|(_, (x, fold))| (*x, *fold as f64)).collect())
    };
    let plot = LinePlot {
        title: "Configurations and folds of the first run".into(),
        x_label: "configuration".into(),
        y_label: "fold".into(),
        series: vec![
            part("initial design", 0, INITIAL),
            part("early", INITIAL, 2 * INITIAL),
            part("later", 2 * INITIAL, fits / 2),
            part("late", fits / 2, fits),
        ],
        ..LinePlot::default()
    };
    Figure::of(
        "folds",
        "Each dot is a model fit: early folds come again far from where they were, late ones fill in around the optimum.",
        plot.draw(),
    )
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(4, 60);
    let (runs, fits) = (n.run, context.pick(25, 40));
    let jobs: Vec<u64> = (0..runs as u64).collect();
    let name = |i: &u64| JobName::new("draws in one dimension", "least variance", *i as usize);
    let all: Vec<Choices> = Runs::new(EXPERIMENT.id, context)
        .collect(&jobs, name, |i| choices(Seed(context.seed).child(EXPERIMENT.id, *i), fits))?;
    let (mut rows, mut numbers) = (Vec::new(), BTreeMap::new());
    for (k, (name, _)) in NAMES.into_iter().enumerate() {
        let share = all.iter().map(|choices| choices.shares[k]).fold(Share::default(), Share::join);
        let (made, chance) = (share.made / share.count, share.by_chance / share.count);
        let std_dev = (chance * (1.0 - chance) / share.count).sqrt();
        rows.push(vec![
            name.to_owned(),
            format!("{}", share.count),
            number(made),
            number(chance),
            number(std_dev),
        ]);
        if share.count > 0.0 {
            numbers.insert(name.to_owned(), made);
        }
    }
    Ok(Report {
        judgement: judge(&all, n.planned)?,
        numbers,
        settings: [("runs", runs), ("model fits", fits), ("folds", FOLDS), ("initial design", INITIAL)]
            .map(|(name, value)| (name.to_owned(), value.to_string()))
            .into(),
        notes: vec![format!(
            "Configurations nearer than {NEAR} are neighbours; early is before fit {}. The target is the true loss, as in the paper. \
             Claims: every kind of choice is made more often, the last one less often, than a fold at random would, in choices per run.",
            2 * INITIAL
        )],
        tables: vec![Table {
            name: "choices".into(),
            caption: "Of the choices of a fold, the share that was of this kind, what a fold at random would have made, and the \
                      deviation of that share."
                .into(),
            header: ["choice", "count", "share", "at random", "deviation"].map(String::from).to_vec(),
            rows,
        }],
        figures: vec![figure(&all[0].trials, fits)?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Choices that are made as often as by chance, more often, and the wrong way round.
    #[test]
    fn the_side_of_chance_decides() {
        let of = |first: f64, last: f64, planned: usize| {
            let share = |made: f64| Share { made, by_chance: 5.0, count: 10.0 };
            let run = |i: usize| {
                let made = |lift: f64| share(5.0 + lift + 0.1 * (i % 3) as f64 - 0.1);
                Choices { trials: Vec::new(), shares: [made(first), made(first), made(first), made(last)] }
            };
            judge(&(0..12).map(run).collect::<Vec<_>>(), planned).unwrap().verdict()
        };
        let judged = |first: f64, last: f64| of(first, last, 12);
        assert_eq!(of(2.0, -2.0, 13), Verdict::Inconclusive);
        assert_eq!(judged(2.0, -2.0), Verdict::Holds);
        assert_eq!(judged(2.0, 2.0), Verdict::DoesNotHold);
        assert_eq!(judged(2.0, 0.0), Verdict::Inconclusive);
    }
}
