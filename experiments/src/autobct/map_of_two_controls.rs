//! The value map of two controls at its published size.

use std::collections::BTreeMap;
use std::path::Path;

use thrifty_autobct::{
    Controls, Decision, Expectation, MapSettings, Quadrature, SamplingSettings, Shrunk, State, ValueFunction,
    ValueMap,
};
use thrifty_linear::SmoothingSpline;
use thrifty_sampling::{Seed, Stream};

use super::paper::GAMMA;
use super::published_map;
use super::substitute_tasks::priors::{Appendix, Prior, Reading, prior};
use super::values::normal;
use crate::data;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, JobName, Judgement, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/map-2d",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), section 4.2.3, appendix D.4",
    claim: "before a value map of two controls of the published size training stops by decision, and earns at least what two exact trainings \
            ahead earn",
    quick_cost: "8 runs before a map of 106 beliefs: some seconds",
    full_cost: "40 runs before a map that was built beforehand, and 40 without: some minutes",
    run,
};

/// The map, as the example `build_map published-2d` of the crate `autobct` writes it.
const FILE: &str = "autobct-map-2d.json";
/// Beliefs and controls of the published map; the source prints no grid.
const PUBLISHED: (usize, usize) = (761_600, 121);
/// Earnings that differ by less than a third of the noise of one score are no reason to prefer a policy.
const MARGIN: f64 = 0.05;
/// Trainings at most.
const GUARD: usize = 30;
/// ε of table 7.
const EPSILON: f64 = 0.02;
/// Outcomes of a training that are drawn for each control.
const SAMPLES: usize = 1000;
const POLICIES: [&str; 2] = ["before the map (Algorithm 4)", "two ahead, exact"];

fn decision(prior: &Prior) -> Result<Decision, ExperimentError> {
    let controls =
        Controls::new(Controls::grid(2, 11).as_ref(), &prior.basis, &prior.basis, |_: &[f64]| prior.noise);
    let controls = controls.map_err(ExperimentError::failed)?;
    Decision::new(GAMMA, controls, Quadrature::Adaptive { tolerance: 1e-6 }).map_err(ExperimentError::failed)
}

/// The map from the data folder, or else a small one.
fn map(
    context: &RunContext,
    path: Option<&Path>,
    decision: &Decision,
    start: &State,
) -> Result<ValueMap, ExperimentError> {
    if let Some(path) = path {
        return published_map::read(path);
    }
    let settings = MapSettings::paper(2, 5, Seed(context.seed));
    let small = SamplingSettings { drawn: 5, levels: 6, roots: 1, ..SamplingSettings::paper_2d() };
    ValueMap::build(decision, start, &small, &settings, 1).map_err(ExperimentError::failed)
}

/// Result of a run on a truth drawn from the prior.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Run {
    trainings: f64,
    /// Expected score of what was trained last.
    score: f64,
    /// Expected costs of all trainings.
    spent: f64,
    control: [f64; 2],
}

impl Run {
    fn earned(&self) -> f64 {
        self.score - GAMMA * self.spent
    }

    fn is_guarded(&self) -> bool {
        self.trainings >= GUARD as f64
    }
}

/// Learns from a training whose outcome is drawn as the belief has it.
fn train(state: &mut State, controls: &Controls, u: usize, rng: &mut Stream) -> Result<(), ExperimentError> {
    let (mean, variance) = state.score.moments(controls.score(u));
    let (cost, spread) = state.cost.moments(controls.cost(u));
    let h = mean + normal(rng) * (variance + controls.score_noise(u)).sqrt();
    let t = cost + normal(rng) * (spread + controls.cost_noise(u)).sqrt();
    state.learn(controls, u, h, t).map_err(ExperimentError::failed)
}

/// Inputs that policies share.
struct Setting<'a> {
    decision: &'a Decision,
    start: &'a State,
    map: &'a dyn ValueFunction,
    smoother: SmoothingSpline,
}

impl Setting<'_> {
    /// The control that is best to train next, and the value of training it.
    fn best(&self, policy: usize, state: &State, seed: Seed) -> Result<(usize, f64), ExperimentError> {
        let failed = ExperimentError::failed;
        let values = if policy == 0 {
            let sampled = Expectation::Sampled { samples: SAMPLES, seed };
            let leaf = Shrunk { of: self.map, epsilon: EPSILON };
            let values = self.decision.on_the_fly(state, 1, &leaf, &sampled).map_err(failed)?;
            values.smoothed(&self.smoother).map_err(ExperimentError::failed)?
        } else {
            self.decision.two_steps(state)
        };
        Ok((values.best, values.value()))
    }

    /// On one truth, drawn as it is found out: outcomes as the belief has them are those of a truth that was drawn once.
    fn run(&self, policy: usize, seed: Seed) -> Result<Run, ExperimentError> {
        let controls = self.decision.controls();
        let (mut state, mut rng) = (self.start.clone(), seed.stream("outcomes", 0));
        let mut run = Run { trainings: 0.0, score: f64::NEG_INFINITY, spent: 0.0, control: [0.0; 2] };
        for training in 0..GUARD {
            let (u, value) = self.best(policy, &state, seed.child("training", training as u64))?;
            if run.score >= value {
                break;
            }
            run.spent += state.cost_at(controls, u);
            train(&mut state, controls, u, &mut rng)?;
            run.score = state.score_at(controls, u);
            run.control.copy_from_slice(controls.points().row(u));
            run.trainings += 1.0;
        }
        Ok(run)
    }
}

/// Most runs stop, and earn what those of two exact trainings do.
fn judge(before: &[Run], exact: &[Run], planned: usize) -> Result<Judgement, ClaimError> {
    let gains = before.iter().zip(exact).map(|(own, other)| own.earned() - other.earned()).collect();
    Family::new(Rule::All)
        .with(
            Claim::new("stops before the guard", Kind::RateAtLeast(0.5), Test::Binomial, planned),
            Sample::count(before.iter().map(|run| !run.is_guarded())),
        )
        .with(
            Claim::new(
                "earns what two exact trainings ahead earn",
                Kind::NotInferior { margin: MARGIN },
                Test::SignFlip,
                planned,
            ),
            Sample::Gains(gains),
        )
        .judge()
}

fn row(name: &str, runs: &[Run]) -> Vec<String> {
    let spread = |of: &dyn Fn(&Run) -> f64| {
        let (mean, std_dev) = mean_and_std_dev(&runs.iter().map(of).collect::<Vec<_>>());
        format!("{} ± {}", number(mean), number(std_dev))
    };
    let guarded = runs.iter().filter(|run| run.is_guarded()).count();
    vec![
        name.to_owned(),
        spread(&|run| run.trainings),
        format!("{guarded} of {}", runs.len()),
        spread(&|run| run.score),
        spread(&|run| run.spent),
        spread(&Run::earned),
        spread(&|run| run.control[0]),
        spread(&|run| run.control[1]),
    ]
}

/// Values of beliefs along the exact runs: by every level of the map, and exactly by two trainings.
fn values(
    map: &ValueMap,
    setting: &Setting<'_>,
    seeds: impl Iterator<Item = Seed>,
) -> Result<Vec<Vec<String>>, ExperimentError> {
    let failed = ExperimentError::failed;
    let controls = setting.decision.controls();
    let mut states = vec![vec![setting.start.clone()]];
    for seed in seeds {
        let (mut state, mut rng) = (setting.start.clone(), seed.stream("states", 0));
        for done in 1..=3 {
            let u = rng.index(controls.len());
            train(&mut state, controls, u, &mut rng)?;
            if states.len() == done {
                states.push(Vec::new());
            }
            states[done].push(state.clone());
        }
    }
    let mut rows = Vec::new();
    for (done, states) in states.iter().enumerate() {
        let mean = |of: &dyn Fn(&State) -> Result<f64, ExperimentError>| -> Result<f64, ExperimentError> {
            let all: Vec<f64> = states.iter().map(of).collect::<Result<_, _>>()?;
            Ok(mean_and_std_dev(&all).0)
        };
        let exact = [
            mean(&|state| Ok(setting.decision.one_step(state).value()))?,
            mean(&|state| Ok(setting.decision.two_steps(state).value()))?,
        ];
        let mut cells = vec![done.to_string(), states.len().to_string()];
        cells.extend(exact.map(|value| format!("{value:.3}")));
        for level in 1..=3 {
            cells.push(if level > map.depth() {
                "–".into()
            } else {
                let level = map.level(level, setting.decision).map_err(failed)?;
                format!("{:.3}", mean(&|state| level.value(state).map_err(failed))?)
            });
        }
        rows.push(cells);
    }
    Ok(rows)
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let path = data::file(context.data.as_deref(), FILE);
    let known = prior(Appendix::D4(Reading::Polynomial)).map_err(ExperimentError::failed)?;
    let decision = decision(&known)?;
    let map = map(context, path.as_deref(), &decision, &known.state)?;
    let level = map.level(map.depth(), &decision).map_err(ExperimentError::failed)?;
    let smoother =
        SmoothingSpline::new(decision.controls().points().as_ref()).map_err(ExperimentError::failed)?;
    let setting = Setting { decision: &decision, start: &known.state, map: &level, smoother };
    let n = context.replications(4, 40);
    let jobs: Vec<(usize, usize)> =
        (0..POLICIES.len()).flat_map(|p| (0..n.run).map(move |i| (p, i))).collect();
    // The same outcomes for both.
    let seed = |i: usize| Seed(context.seed).child(EXPERIMENT.id, i as u64);
    let named = |&(p, i): &(usize, usize)| JobName::new("prior", POLICIES[p], i);
    let runs: Vec<Run> = Runs::new(EXPERIMENT.id, context).data(data::identity(path.as_deref())?).collect(
        &jobs,
        named,
        |&(p, i)| setting.run(p, seed(i)),
    )?;
    let (before, exact) = runs.split_at(n.run);
    let is_published = (map.beliefs(), map.controls()) == PUBLISHED;
    // A smaller map says nothing of the published one.
    let judgement = if is_published {
        judge(before, exact, n.planned.max(40))?
    } else {
        judge(&[], &[], n.planned.max(40))?
    };
    let which = format!("{} beliefs, {} controls, N = {}", map.beliefs(), map.controls(), map.depth());
    let table = |name: &str, caption: &str, header: &[&str], rows| Table {
        name: name.into(),
        caption: caption.into(),
        header: header.iter().map(|name| (*name).to_owned()).collect(),
        rows,
    };
    Ok(Report {
        judgement,
        numbers: BTreeMap::from([
            ("beliefs of the map".to_owned(), map.beliefs() as f64),
            ("depth of the map".to_owned(), map.depth() as f64),
        ]),
        settings: [("map".to_owned(), which), ("runs".to_owned(), n.run.to_string()), ("γ".to_owned(), GAMMA.to_string())].into(),
        notes: vec![
            "The map is the file autobct-map-2d.json of the data folder; without it a small one is built, and no claim is decided. Claims, declared \
             before the map was built: at least half of 40 runs on truths drawn from the prior of D.4 (as a polynomial) stop before 30 trainings; \
             they earn what two exact trainings ahead earn on the same outcomes, less 0.05 at most."
                .into(),
        ],
        tables: vec![
            table(
                "policies",
                "Mean and standard deviation over runs on truths drawn from the prior: trainings, runs that the guard of 30 trainings ended, expected score \
                 of the last control, costs in all, score less γ times costs, and the last control.",
                &["policy", "trainings", "at the guard", "score", "cost", "score - γ cost", "u₁", "u₂"],
                vec![row(POLICIES[0], before), row(POLICIES[1], exact)],
            ),
            table(
                "values",
                "Mean values of beliefs after trainings at random controls from the prior: of one and two trainings exactly, and by each level of the map.",
                &["trainings", "beliefs", "V₁", "V₂", "map, level 1", "level 2", "level 3"],
                values(&map, &setting, (0..n.run).map(seed))?,
            ),
        ],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    fn runs(trainings: f64, score: f64) -> Vec<Run> {
        (0..40)
            .map(|i| Run { trainings, score: score + 0.01 * f64::from(i % 5), spent: 1.0, control: [0.5; 2] })
            .collect()
    }

    /// Runs that do not end, and runs that earn less, on purpose; and too few of them.
    #[test]
    fn stops_and_earnings_decide() {
        let of = |before: &[Run], exact: &[Run]| judge(before, exact, 40).unwrap().verdict();
        assert_eq!(of(&runs(3.0, 0.5), &runs(3.0, 0.5)), Verdict::Holds);
        assert_eq!(of(&runs(3.0, 0.4), &runs(3.0, 0.5)), Verdict::DoesNotHold);
        assert_eq!(of(&runs(30.0, 0.5), &runs(3.0, 0.5)), Verdict::DoesNotHold);
        assert_eq!(of(&runs(3.0, 0.5)[..4], &runs(3.0, 0.5)[..4]), Verdict::Inconclusive);
        assert_eq!(of(&[], &[]), Verdict::Inconclusive);
    }
}
