//! Policies of training beside others on several worlds.

mod policies;

use std::collections::BTreeMap;

use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{Controls, Decision, NoiseStdDev, Quadrature, State};
use thrifty_linear::{Coefficients, Polynomial};
use thrifty_sampling::{Seed, Stream};

use self::policies::{POLICIES, Search, Task, earn};
use super::paper::{basis, prior};
use super::substitute_tasks::{Size, Tabulated, tabulated};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, JobName, Judgement, Replications, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/alternatives",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), against what else one would do",
    claim: "on score less γ times cost, training under a budget earns more than other searches with any fixed number of trainings",
    quick_cost: "50 draws, one price: some seconds",
    full_cost: "1,000 draws of three kinds, three prices: some minutes",
    run,
};

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
        let start = &starts[which];
        let task = world.task(start, table, seed)?;
        let rng = seed.stream("noise", 0);
        let mut search = Search::new(task, &start.decision, start.believed.clone(), rng);
        earn(POLICIES[p].1, &mut search, seed)
    })
}

/// Earnings that are lower by at most this are no less.
const MARGIN: f64 = 0.01;

/// Claims about what the first policy earns beside each other one.
fn claims(task: &str, by_policy: &[&[f64]], kind: Kind, planned: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for ((name, _), other) in POLICIES.iter().zip(by_policy).skip(1) {
        let claim = Claim::new(format!("{task}: against {name}"), kind, Test::SignFlip, planned);
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
    n: Replications,
    numbers: &mut BTreeMap<String, f64>,
) -> Result<(Table, Judgement), ExperimentError> {
    let mut rows: Vec<Vec<String>> = POLICIES.iter().map(|(name, _)| vec![(*name).to_owned()]).collect();
    let (draws, mut judgements) = (n.run, Vec::new());
    for (gamma, earned) in by_price {
        let task = format!("{}, γ = {gamma}", world.label());
        let by_policy: Vec<&[f64]> = earned.chunks(draws).collect();
        judgements.push(claims(&task, &by_policy, Kind::NotInferior { margin: MARGIN }, n.planned)?);
        let lower = claims(&task, &by_policy, Kind::Superior, n.planned)?;
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
    let n = context.replications(50, 1000);
    let draws = n.run;
    let prices = context.pick(&[0.16][..], &[0.04, 0.16, 0.64][..]);
    let all = [World::AsBelieved, World::Otherwise, World::Trained];
    let worlds = context.pick(&all[..1], &all[..]);
    let tables = if worlds.contains(&World::Trained) {
        let size = Size { rows: 10_000, epochs: 30, networks: 5, images: 5000, digits: 1 };
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
        let (table, judgement) = table(world, &by_price, n, &mut numbers)?;
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
        let of = |lift: f64, planned: usize| {
            let (own, other) = (earned(0.0), earned(lift));
            let mut by_policy: Vec<&[f64]> = vec![&own; POLICIES.len()];
            by_policy[1] = &other;
            claims("t", &by_policy, Kind::NotInferior { margin: MARGIN }, planned).unwrap().verdict()
        };
        let judged = |lift: f64| of(lift, 12);
        assert_eq!(of(-0.1, 13), Verdict::Inconclusive);
        assert_eq!((judged(-0.1), judged(0.0)), (Verdict::Holds, Verdict::Holds));
        assert_eq!((judged(0.1), judged(MARGIN)), (Verdict::DoesNotHold, Verdict::Inconclusive));
    }
}
