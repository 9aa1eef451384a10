//! Policies of training beside others on several worlds.

use std::collections::BTreeMap;

use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{Controls, Decision, NoiseStdDev, Quadrature, State, expected_cost};
use thrifty_linear::{Coefficients, Polynomial};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::Space;
use thrifty_study::{Next, Study};
use thrifty_tpe::TpeOptimizer;

use super::paper::{basis, prior};
use super::substitute_tasks::{Size, Tabulated, tabulated};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, JobName, Judgement, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/alternatives",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), against what else one would do",
    claim: "on score less γ times cost, training under a budget earns more than other searches with any fixed number of trainings",
    quick_cost: "50 draws, one price: some seconds",
    full_cost: "1,000 draws of three kinds, three prices: some minutes",
    run,
};

/// A task: what the score and the cost truly are.
enum Task<'a> {
    /// Coefficients.
    Drawn { score: Vec<f64>, cost: Vec<f64> },
    /// Trainings of a model.
    Trained(&'a Tabulated),
}

impl Task<'_> {
    /// Its score on average.
    fn score(&self, controls: &Controls, control: usize) -> f64 {
        match self {
            Self::Drawn { score, .. } => truth(score, controls.score(control)),
            Self::Trained(table) => table.score(control),
        }
    }

    /// Score and cost of a training.
    fn train(&self, controls: &Controls, control: usize, rng: &mut Stream) -> (f64, f64) {
        match self {
            Self::Drawn { score, cost } => {
                let (z, w): (f64, f64) = (StandardNormal.sample(rng), StandardNormal.sample(rng));
                (
                    truth(score, controls.score(control)) + z * controls.score_noise(control).sqrt(),
                    truth(cost, controls.cost(control)) + w * controls.cost_noise(control).sqrt(),
                )
            }
            Self::Trained(table) => table.draw(control, rng),
        }
    }
}

/// Source of tasks: the prior of Appendix D.1; a prior that is wrong about it, scores that differ less an
/// differ more; models that were trained, each with the prior of its appendix.
#[derive(Debug, Clone, Copy, PartialEq)]
enum World {
    AsBelieved,
    Otherwise,
    Trained,
}

/// Controls of every task.
const GRID: usize = 33;

fn draw(
    belief: &Coefficients,
    spread: f64,
    shift: f64,
    rng: &mut Stream,
) -> Result<Vec<f64>, ExperimentError> {
    let n = belief.len();
    let root = belief.square_root().map_err(ExperimentError::failed)?;
    let z: Vec<f64> = (0..n).map(|_| StandardNormal.sample(rng)).collect();
    let value = |i: usize| {
        let step: f64 = (0..n).map(|j| root[i * n + j] * z[j]).sum();
        belief.mean()[i] + spread * step + if i == 0 { shift } else { 0.0 }
    };
    Ok((0..n).map(value).collect())
}

fn truth(values: &[f64], functions: &[f64]) -> f64 {
    values.iter().zip(functions).map(|(a, f)| a * f).sum()
}

/// State of a run: posterior, trained controls, cost spent.
struct Search<'a> {
    task: Task<'a>,
    decision: &'a Decision,
    state: State,
    trained: Vec<usize>,
    spent: f64,
    rng: Stream,
}

impl Search<'_> {
    fn train(&mut self, control: usize) -> Result<f64, ExperimentError> {
        let controls = self.decision.controls();
        let (score, cost) = self.task.train(controls, control, &mut self.rng);
        self.state.learn(controls, control, score, cost).map_err(ExperimentError::failed)?;
        self.trained.push(control);
        self.spent += cost.max(0.0);
        Ok(score)
    }

    fn expected(&self, control: usize) -> f64 {
        self.state.score_at(self.decision.controls(), control)
    }

    /// Trained control with the best expected score.
    fn incumbent(&self) -> Option<usize> {
        let better = |a: usize, b: usize| if self.expected(b) > self.expected(a) { b } else { a };
        self.trained.iter().copied().reduce(better)
    }

    /// Expected improvement on the incumbent of every control: in score, then by what the training costs.
    fn improvements(&self, by_cost: bool) -> Vec<f64> {
        let controls = self.decision.controls();
        let best = self.incumbent().map_or(0.0, |control| self.expected(control));
        let one = |u: usize| {
            let (mean, variance) = self.state.score.moments(controls.score(u));
            let improvement = expected_cost(mean - best, variance);
            if by_cost { improvement / self.state.cost_at(controls, u).max(1e-3) } else { improvement }
        };
        (0..controls.len()).map(one).collect()
    }

    /// Earnings if a control is kept.
    fn earned(&self, kept: usize) -> f64 {
        self.task.score(self.decision.controls(), kept) - self.decision.gamma() * self.spent
    }
}

fn argmax(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

/// A way to search.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Policy {
    /// A look ahead over this many trainings, until stopping is worth as much; keeps what was trained last, or the best.
    LookaheadMoments { depth: usize, recall: bool },
    /// Expected improvement so often, then the best.
    Improvement { trainings: usize, by_cost: bool },
    /// Expected improvement until it is worth less than the training costs.
    WhileItPays,
    /// Parzen estimators so often, then the best observed.
    Parzen(usize),
    /// At random so often, then the best observed.
    Random(usize),
}

const POLICIES: [(&str, Policy); 14] = [
    ("two ahead", Policy::LookaheadMoments { depth: 2, recall: false }),
    ("two ahead, keeps the best", Policy::LookaheadMoments { depth: 2, recall: true }),
    ("one ahead", Policy::LookaheadMoments { depth: 1, recall: false }),
    ("expected improvement, 2", Policy::Improvement { trainings: 2, by_cost: false }),
    ("expected improvement, 4", Policy::Improvement { trainings: 4, by_cost: false }),
    ("expected improvement, 8", Policy::Improvement { trainings: 8, by_cost: false }),
    ("improvement by cost, 2", Policy::Improvement { trainings: 2, by_cost: true }),
    ("improvement by cost, 4", Policy::Improvement { trainings: 4, by_cost: true }),
    ("improvement by cost, 8", Policy::Improvement { trainings: 8, by_cost: true }),
    ("improvement while it pays", Policy::WhileItPays),
    ("TPE, 4", Policy::Parzen(4)),
    ("TPE, 8", Policy::Parzen(8)),
    ("random, 2", Policy::Random(2)),
    ("random, 4", Policy::Random(4)),
];

/// Trainings beyond which no policy goes.
const MOST: usize = 30;

fn earn(policy: Policy, search: &mut Search<'_>, seed: Seed) -> Result<f64, ExperimentError> {
    let count = search.decision.controls().len();
    match policy {
        Policy::LookaheadMoments { depth, recall } => look_ahead(depth, recall, search),
        Policy::Improvement { trainings, by_cost } => {
            for _ in 0..trainings {
                let next = argmax(&search.improvements(by_cost));
                search.train(next)?;
            }
            Ok(search.incumbent().map_or(0.0, |best| search.earned(best)))
        }
        Policy::WhileItPays => {
            for done in 0..MOST {
                let gains = search.improvements(false);
                let worth: Vec<f64> = (0..count)
                    .map(|u| {
                        gains[u]
                            - search.decision.gamma() * search.state.cost_at(search.decision.controls(), u)
                    })
                    .collect();
                let next = argmax(&worth);
                if done > 0 && worth[next] <= 0.0 {
                    break;
                }
                search.train(next)?;
            }
            Ok(search.incumbent().map_or(0.0, |best| search.earned(best)))
        }
        Policy::Random(trainings) | Policy::Parzen(trainings) => {
            without_prior(matches!(policy, Policy::Parzen(_)), trainings, search, seed)
        }
    }
}

/// Trains as long as that is worth more than what is kept: the last training, or with `recall` the best.
fn look_ahead(depth: usize, recall: bool, search: &mut Search<'_>) -> Result<f64, ExperimentError> {
    let mut kept = None;
    for _ in 0..MOST {
        let values = if depth == 1 {
            search.decision.one_step(&search.state)
        } else {
            search.decision.two_steps(&search.state)
        };
        if kept.is_some_and(|kept| search.expected(kept) >= values.value()) {
            break;
        }
        search.train(values.best)?;
        kept = if recall { search.incumbent() } else { Some(values.best) };
    }
    Ok(kept.map_or(0.0, |kept| search.earned(kept)))
}

/// So many trainings by random search or the Parzen estimator, and the best score of them.
fn without_prior(
    is_parzen: bool,
    trainings: usize,
    search: &mut Search<'_>,
    seed: Seed,
) -> Result<f64, ExperimentError> {
    let count = search.decision.controls().len();
    let space = Space::builder().int("u", 0, count as i64 - 1).build()?;
    let mut study = Study::new(TpeOptimizer::new(space.clone())?, seed);
    let mut rng = seed.stream("controls", 0);
    let mut best: Option<(f64, usize)> = None;
    for _ in 0..trainings {
        let (control, trial) = if is_parzen {
            let Next::Evaluate(trial) = study.ask()? else { break };
            (trial.query.int("u")? as usize, Some(trial.id))
        } else {
            (rng.index(count), None)
        };
        let score = search.train(control)?;
        if let Some(id) = trial {
            study.tell(id, -score)?;
        }
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, control));
        }
    }
    Ok(best.map_or(0.0, |(_, control)| search.earned(control)))
}

/// Start of all policies: the decision and the prior of a task.
struct Start {
    decision: Decision,
    believed: State,
}

impl Start {
    fn new(
        gamma: f64,
        basis: &Polynomial,
        believed: State,
        noise: NoiseStdDev,
    ) -> Result<Self, ExperimentError> {
        let controls = Controls::new(Controls::grid(1, GRID).as_ref(), basis, basis, |_| noise)
            .map_err(ExperimentError::failed)?;
        let decision =
            Decision::new(gamma, controls, Quadrature::Hermite(9)).map_err(ExperimentError::failed)?;
        Ok(Self { decision, believed })
    }
}

impl World {
    fn label(self) -> &'static str {
        match self {
            Self::AsBelieved => "believed",
            Self::Otherwise => "otherwise",
            Self::Trained => "trained",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::AsBelieved => "Tasks as the prior says.",
            Self::Otherwise => {
                "Tasks otherwise than the prior says: scores of half the spread that begin 0.2 higher, costs of twice the spread."
            }
            Self::Trained => {
                "Models that were trained at every control: the stand-ins of one control for tables 4 to 11, each with its prior, costs by count."
            }
        }
    }

    fn starts(self, gamma: f64, tables: &[Tabulated]) -> Result<Vec<Start>, ExperimentError> {
        if self == Self::Trained {
            let start =
                |t: &Tabulated| Start::new(gamma, &t.prior.basis, t.prior.state.clone(), t.prior.noise);
            return tables.iter().map(start).collect();
        }
        let (believed, noise) = prior(1).map_err(ExperimentError::failed)?;
        Ok(vec![Start::new(gamma, &basis(), believed, noise)?])
    }

    fn task<'a>(
        self,
        start: &Start,
        table: Option<&'a Tabulated>,
        seed: Seed,
    ) -> Result<Task<'a>, ExperimentError> {
        if let Some(table) = table {
            return Ok(Task::Trained(table));
        }
        let mut rng = seed.stream("task", 0);
        let (spread, shift, of_cost) =
            if self == Self::AsBelieved { (1.0, 0.0, 1.0) } else { (0.5, 0.2, 2.0) };
        Ok(Task::Drawn {
            score: draw(&start.believed.score, spread, shift, &mut rng)?,
            cost: draw(&start.believed.cost, of_cost, 0.0, &mut rng)?,
        })
    }
}

/// Earnings of every policy at a price, one after the other, draw by draw.
fn earned_at(
    context: &RunContext,
    world: World,
    gamma: f64,
    tables: &[Tabulated],
    draws: usize,
) -> Result<Vec<f64>, ExperimentError> {
    let starts = world.starts(gamma, tables)?;
    let jobs: Vec<(usize, usize)> =
        (0..POLICIES.len()).flat_map(|p| (0..draws).map(move |i| (p, i))).collect();
    let name =
        |&(p, i): &(usize, usize)| JobName::new(format!("{}, γ = {gamma}", world.label()), POLICIES[p].0, i);
    Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&(p, i)| {
        let seed = Seed(context.seed).child(EXPERIMENT.id, i as u64);
        let which = i % starts.len();
        let table = if world == World::Trained { Some(&tables[which]) } else { None };
        let mut search = Search {
            task: world.task(&starts[which], table, seed)?,
            decision: &starts[which].decision,
            state: starts[which].believed.clone(),
            trained: Vec::new(),
            spent: 0.0,
            rng: seed.stream("noise", 0),
        };
        earn(POLICIES[p].1, &mut search, seed)
    })
}

/// Earnings that are lower by at most this are no less.
const MARGIN: f64 = 0.01;

/// Claims about what the first policy earns beside each other one.
fn claims(task: &str, by_policy: &[&[f64]], kind: Kind) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for ((name, _), other) in POLICIES.iter().zip(by_policy).skip(1) {
        let claim = Claim::new(format!("{task}: against {name}"), kind, Test::SignFlip, by_policy[0].len());
        // More is better: what the first earns less what the other does is the gain.
        let sample = Sample::losses(&claim.name, other, by_policy[0])?;
        family.push(claim, sample);
    }
    family.judge()
}

/// Earnings in a world by policy and price, and the claims about them.
fn table(
    world: World,
    by_price: &[(f64, Vec<f64>)],
    draws: usize,
    numbers: &mut BTreeMap<String, f64>,
) -> Result<(Table, Judgement), ExperimentError> {
    let mut rows: Vec<Vec<String>> = POLICIES.iter().map(|(name, _)| vec![(*name).to_owned()]).collect();
    let mut judgements = Vec::new();
    for (gamma, earned) in by_price {
        let task = format!("{}, γ = {gamma}", world.label());
        let by_policy: Vec<&[f64]> = earned.chunks(draws).collect();
        judgements.push(claims(&task, &by_policy, Kind::NotInferior { margin: MARGIN })?);
        let lower = claims(&task, &by_policy, Kind::Superior)?;
        for (p, (name, _)) in POLICIES.iter().enumerate() {
            let (mean, std_dev) = mean_and_std_dev(by_policy[p]);
            let mark = match p.checked_sub(1).map(|at| lower.findings()[at].direction()) {
                Some("lower") => " (less)",
                Some("higher") => " (more)",
                _ => "",
            };
            rows[p].push(format!("{mean:.3} ± {}{mark}", number(std_dev / (draws as f64).sqrt())));
            numbers.insert(format!("{task}: {name}"), mean);
        }
    }
    let mut header = vec!["policy".to_owned()];
    header.extend(by_price.iter().map(|(gamma, _)| format!("γ = {gamma}")));
    let table = Table {
        name: world.label().into(),
        caption: format!(
            "{} Mean and standard error of what is earned, the true score of what is kept less γ times cost; in \
             brackets where a sign-flip test against the first has a two-sided p below 5 % after Holm's correction.",
            world.what()
        ),
        header,
        rows,
    };
    Ok((table, Judgement::all(judgements)))
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let draws = context.replications(50, 1000);
    let prices = context.pick(&[0.16][..], &[0.04, 0.16, 0.64][..]);
    let all = [World::AsBelieved, World::Otherwise, World::Trained];
    let worlds = context.pick(&all[..1], &all[..]);
    let tables = if worlds.contains(&World::Trained) {
        let size = Size { rows: 10_000, epochs: 30 };
        tabulated(size, GRID, 8, Seed(context.seed).child("trained", 0))?
    } else {
        Vec::new()
    };
    // Everything is run before anything is missed, so that a shard does its part of each.
    let mut earned = Vec::new();
    for world in worlds {
        for gamma in prices {
            earned.push(((*world, *gamma), earned_at(context, *world, *gamma, &tables, draws)));
        }
    }
    let (mut found, mut numbers, mut judgements) = (Vec::new(), BTreeMap::new(), Vec::new());
    for of_world in earned.chunks_mut(prices.len()) {
        let world = of_world[0].0.0;
        let mut by_price = Vec::new();
        for ((_, gamma), earned) in of_world {
            by_price.push((*gamma, std::mem::replace(earned, Ok(Vec::new()))?));
        }
        let (table, judgement) = table(world, &by_price, draws, &mut numbers)?;
        found.push(table);
        judgements.push(judgement);
    }
    Ok(Report {
        judgement: Judgement::all(judgements),
        numbers,
        settings: [("draws".to_owned(), draws.to_string())].into(),
        notes: vec![
            "All but TPE and random search know the prior. Those that look ahead keep what they trained last unless it says otherwise, the others the best. \
             Claims: at no price does another policy earn more on average than two trainings ahead, by more than 0.01."
                .into(),
        ],
        tables: found,
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Another policy that earns more or less on purpose.
    #[test]
    fn a_policy_that_earns_more_breaks_the_claim() {
        let earned =
            |lift: f64| (0..12).map(|i| 0.5 + lift + 0.01 * f64::from(i * 5 % 12)).collect::<Vec<f64>>();
        let judged = |lift: f64| {
            let (own, other) = (earned(0.0), earned(lift));
            let mut by_policy: Vec<&[f64]> = vec![&own; POLICIES.len()];
            by_policy[1] = &other;
            claims("t", &by_policy, Kind::NotInferior { margin: MARGIN }).unwrap().verdict()
        };
        assert_eq!((judged(-0.1), judged(0.0)), (Verdict::Holds, Verdict::Holds));
        assert_eq!((judged(0.1), judged(MARGIN)), (Verdict::DoesNotHold, Verdict::Inconclusive));
    }
}
