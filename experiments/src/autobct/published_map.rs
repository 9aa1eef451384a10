//! The value map of the synthetic example at its published size.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use thrifty_autobct::{
    AutoBct, AutoBctSettings, Controls, Decision, Expectation, MapSettings, NoiseStdDev, ValueFunction,
    ValueMap,
};
use thrifty_sampling::Seed;
use thrifty_space::Space;

use super::approximators;
use super::paper::{GAMMA, RUNS, Row, basis, prior};
use super::synthetic::curve::Curve;
use super::synthetic::policies::{Run, train};
use crate::data;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, JobName, Judgement, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/map",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), section 4.1, tables 1 and 2",
    claim: "a value map of the published size has the values of tables 1 and 2, and with it the algorithm stops after some trainings with a \
            score above 0.95",
    quick_cost: "8 runs before a map of 108 beliefs: some seconds",
    full_cost: "30 runs before a map that was built beforehand, and 30 without: some minutes",
    run,
};

/// The map, as the example `build_map` of the crate `autobct` writes it.
const FILE: &str = "autobct-map.json";
/// Beliefs, controls and samples of the published map.
const PUBLISHED: (usize, usize, usize) = (156_000, 101, 100);
/// Values of two maps from other draws are equal if they differ by less than the noise of one score.
const TOLERANCE: f64 = 0.05;
/// Trainings at most.
const GUARD: usize = 15;

/// The map of a file.
pub fn read(path: &Path) -> Result<ValueMap, ExperimentError> {
    let file = File::open(path).map_err(|error| ExperimentError::data(path, error.to_string()))?;
    ValueMap::read(file).map_err(|error| ExperimentError::data(path, error.to_string()))
}

/// The map from the data folder, or else a small one.
fn map(context: &RunContext, path: Option<&Path>) -> Result<ValueMap, ExperimentError> {
    if let Some(path) = path {
        return read(path);
    }
    let (start, noise) = prior(1).map_err(ExperimentError::failed)?;
    let settings = MapSettings::paper(2, 20, Seed(context.seed));
    ValueMap::build(&decision(noise)?, &start, &approximators::cloud(context), &settings, 2)
        .map_err(ExperimentError::failed)
}

fn decision(noise: NoiseStdDev) -> Result<Decision, ExperimentError> {
    let settings = published(Seed(0));
    let controls = Controls::new(Controls::grid(1, settings.grid).as_ref(), &basis(), &basis(), |_| noise);
    Decision::new(GAMMA, controls.map_err(ExperimentError::failed)?, settings.of_cost)
        .map_err(ExperimentError::failed)
}

fn published(seed: Seed) -> AutoBctSettings {
    AutoBctSettings { max_epochs: GUARD, ..AutoBctSettings::paper(1000, 0.0, seed.child("samples", 0)) }
}

/// Samples per control of a map; none for one that is made by quadrature.
fn samples(map: &ValueMap) -> usize {
    match map.settings().expectation {
        Expectation::Sampled { samples, .. } => samples,
        _ => 0,
    }
}

/// Ways to look ahead.
const POLICIES: [&str; 2] = ["before the map (Algorithm 4)", "two ahead, exact"];

fn optimizer(policy: usize, map: &ValueMap, seed: Seed) -> Result<AutoBct, ExperimentError> {
    let (state, noise) = prior(1).map_err(ExperimentError::failed)?;
    let space = Space::builder().float("u", 0.0, 1.0).build()?;
    let settings = AutoBctSettings { gamma: GAMMA, noise_std_dev: noise, ..published(seed) };
    if policy == 0 {
        return Ok(AutoBct::paper(space, [&basis(), &basis()], state, settings, map.clone())?);
    }
    let exact = AutoBctSettings {
        gamma: GAMMA,
        noise_std_dev: noise,
        max_epochs: GUARD,
        ..AutoBctSettings::default()
    };
    Ok(AutoBct::new(space, &basis(), &basis(), state, exact)?)
}

/// Values after one printed training.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct After {
    /// Expected score of the last training.
    stop: f64,
    /// The map at the posterior.
    map: f64,
    /// The best of one training from samples before the map, smoothed, and its control.
    ahead: (f64, f64),
    /// Exact value of two trainings.
    exact: f64,
}

/// Values along a printed run, of the level of the map that its table has; none if the map is not that deep.
fn replay(map: &ValueMap, rows: &[Row], level: usize, seed: Seed) -> Result<Vec<After>, ExperimentError> {
    if map.depth() < level {
        return Ok(Vec::new());
    }
    let failed = ExperimentError::failed;
    let (mut state, noise) = prior(1).map_err(failed)?;
    let decision = decision(noise)?;
    let smoother = thrifty_linear::SmoothingSpline::new(decision.controls().points().as_ref())
        .map_err(ExperimentError::failed)?;
    let leaf = map.level(level, &decision).map_err(failed)?;
    let after = |(index, row): (usize, &Row)| {
        let control = (100.0 * row.control).round() as usize;
        state.learn(decision.controls(), control, row.score, row.cost).map_err(failed)?;
        let sampled = Expectation::Sampled { samples: 1000, seed: seed.child("replay", index as u64) };
        let ahead = decision.on_the_fly(&state, 1, &leaf, &sampled).map_err(failed)?;
        let ahead = ahead.smoothed(&smoother).map_err(failed)?;
        Ok(After {
            stop: state.score_at(decision.controls(), control),
            map: leaf.value(&state).map_err(failed)?,
            ahead: (ahead.value(), ahead.best as f64 / 100.0),
            exact: decision.two_steps(&state).value(),
        })
    };
    rows.iter().enumerate().map(after).collect()
}

/// Values of tables 1 and 2 less those of the map, and what runs before the map came to.
fn judge(differences: [Vec<f64>; 2], runs: &[Run], planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for (own, run) in differences.into_iter().zip(&RUNS) {
        let claim = Claim::new(
            format!("values of the map less those of table {}", run.name),
            Kind::EqualTo { value: 0.0, tolerance: TOLERANCE },
            Test::Exact,
            run.rows.len(),
        );
        family = family.with(claim, Sample::Values(own));
    }
    let most = |what: &str| Claim::new(what.to_owned(), Kind::RateAtLeast(0.5), Test::Binomial, planned);
    family
        .with(
            most("two to four trainings"),
            Sample::count(runs.iter().map(|run| (2.0..=4.0).contains(&run.trainings))),
        )
        .with(most("score above 0.95"), Sample::count(runs.iter().map(|run| run.score > 0.95)))
        .judge()
}

/// Mean ± standard deviation.
fn spread(values: impl Iterator<Item = f64>) -> String {
    let (mean, std_dev) = mean_and_std_dev(&values.collect::<Vec<_>>());
    format!("{} ± {}", number(mean), number(std_dev))
}

fn runs_row(name: &str, runs: &[Run]) -> Vec<String> {
    let guarded = runs.iter().filter(|run| run.trainings >= GUARD as f64).count();
    vec![
        name.to_owned(),
        spread(runs.iter().map(|run| run.trainings)),
        format!("{guarded} of {}", runs.len()),
        spread(runs.iter().map(|run| run.control)),
        spread(runs.iter().map(|run| run.score)),
        spread(runs.iter().map(|run| run.spent)),
        spread(runs.iter().map(|run| run.score - GAMMA * run.spent)),
    ]
}

/// The single runs of tables 1 and 2.
fn printed_row(run: &super::paper::Run) -> Vec<String> {
    let (last, spent) = (&run.rows[run.rows.len() - 1], run.rows.iter().map(|row| row.cost).sum::<f64>());
    let earned = last.score - GAMMA * spent;
    let counts =
        [format!("`cironis2022`, table {}", run.name), run.rows.len().to_string(), "0 of 1".to_owned()];
    counts.into_iter().chain([last.control, last.score, spent, earned].map(number)).collect()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let path = data::file(context.data.as_deref(), FILE);
    let map = map(context, path.as_deref())?;
    let n = context.replications(8, 30);
    let jobs: Vec<(usize, usize)> =
        (0..POLICIES.len()).flat_map(|p| (0..n.run).map(move |i| (p, i))).collect();
    let seed = |i: usize| Seed(context.seed).child(EXPERIMENT.id, i as u64);
    let named = |&(p, i): &(usize, usize)| JobName::new("curve", POLICIES[p], i);
    let curve = Curve::published();
    let job = |&(p, i): &(usize, usize)| Ok(train(optimizer(p, &map, seed(i))?, &curve, seed(i))?.0);
    let runs: Vec<Run> = Runs::new(EXPERIMENT.id, context)
        .data(data::identity(path.as_deref())?)
        .collect(&jobs, named, job)?;
    let (before, exact) = runs.split_at(n.run);
    let (mut values, mut differences) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (index, level) in [2, 4].into_iter().enumerate() {
        let printed = &RUNS[index];
        let found = replay(&map, printed.rows, level, Seed(context.seed))?;
        for (row, after) in printed.rows.iter().zip(&found) {
            let says = |value: f64| if after.stop >= value { "stop" } else { "go on" }.to_owned();
            let numbers = [row.control, after.stop, row.value, after.map, after.ahead.0, after.exact];
            let mut cells = vec![printed.name.to_owned(), number(numbers[0])];
            cells.extend(numbers[1..].iter().map(|value| format!("{value:.3}")));
            cells.extend([number(after.ahead.1), says(row.value), says(after.ahead.0)]);
            values.push(cells);
        }
        differences[index] =
            printed.rows.iter().zip(&found).map(|(row, after)| after.map - row.value).collect();
    }
    let size = (map.beliefs(), map.controls(), samples(&map));
    let worst = |of: &[f64]| of.iter().fold(0.0_f64, |worst, difference| worst.max(difference.abs()));
    let mut numbers = BTreeMap::from([
        ("beliefs of the map".to_owned(), size.0 as f64),
        ("largest difference from a value of table 1".to_owned(), worst(&differences[0])),
    ]);
    numbers.insert(
        "runs that the guard ended".into(),
        before.iter().filter(|run| run.trainings >= GUARD as f64).count() as f64,
    );
    // A smaller map says nothing of the published one.
    let judgement = if size == PUBLISHED {
        judge(differences, before, n.planned.max(30))?
    } else {
        judge([Vec::new(), Vec::new()], &[], n.planned.max(30))?
    };
    let mut rows: Vec<Vec<String>> =
        [before, exact].iter().zip(POLICIES).map(|(runs, name)| runs_row(name, runs)).collect();
    rows.extend(RUNS[..2].iter().map(printed_row));
    let (beliefs, controls, samples) = size;
    let which = format!("{beliefs} beliefs, {controls} controls, {samples} samples, N = {}", map.depth());
    let table = |name: &str, caption: &str, header: &[&str], rows| Table {
        name: name.into(),
        caption: caption.into(),
        header: header.iter().map(|name| (*name).to_owned()).collect(),
        rows,
    };
    Ok(Report {
        judgement,
        numbers,
        settings: [("map".to_owned(), which), ("runs".to_owned(), n.run.to_string()), ("γ".to_owned(), GAMMA.to_string())].into(),
        notes: vec![
            "The map is the file autobct-map.json of the data folder; without it a small one is built, and no claim is decided. Claims, declared before \
             the map was built: each value of table 1 (and of table 2, for a map of four) is that of the map at the same posterior to 0.05, the \
             noise of a score; at least half of 30 runs train two to four times; at least half end above 0.95."
                .into(),
        ],
        tables: vec![
            table(
                "policies",
                "Mean and standard deviation over runs on the curve of the published scores: trainings, runs that the guard of 15 trainings ended, \
                 the last control, its score, the cost in all, and score less γ times cost; then the printed single runs.",
                &["policy", "trainings", "at the guard", "final u", "final score", "cost", "score - γ cost"],
                rows,
            ),
            table(
                "values",
                "After each training of tables 1 and 2: the expected score; the value of going on as printed, of the map at the posterior, of one \
                 training from 1000 samples before the map, and of two exact trainings; the control by the map; and what both say.",
                &["table", "u", "expected score", "V, printed", "V, map", "V, one before the map", "V₂", "next u", "printed", "by the map"],
                values,
            ),
        ],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    fn runs(count: usize, trainings: f64, score: f64) -> Vec<Run> {
        (0..count).map(|_| Run { trainings, control: 0.7, score, spent: 0.8, value: 0.9 }).collect()
    }

    /// Maps that are too high, runs that do not end, and too few of them, on purpose.
    #[test]
    fn values_and_runs_decide() {
        let of =
            |off: f64, own: &[Run]| judge([vec![0.04, -0.04, off], vec![0.0; 3]], own, 30).unwrap().verdict();
        assert_eq!(of(0.0, &runs(30, 3.0, 0.98)), Verdict::Holds);
        assert_eq!(of(0.06, &runs(30, 3.0, 0.98)), Verdict::DoesNotHold);
        assert_eq!(of(0.0, &runs(30, 15.0, 0.98)), Verdict::DoesNotHold);
        assert_eq!(of(0.0, &runs(30, 3.0, 0.66)), Verdict::DoesNotHold);
        assert_eq!(of(0.0, &runs(8, 3.0, 0.98)), Verdict::Inconclusive);
        // A map of two has no values of table 2.
        let shallow = judge([vec![0.0; 3], Vec::new()], &runs(30, 3.0, 0.98), 30).unwrap();
        assert_eq!(shallow.verdict(), Verdict::Inconclusive);
    }
}
