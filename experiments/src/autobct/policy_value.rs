//! Earnings of policies on truths drawn from the prior.

use thrifty_autobct::{
    Decision, Expectation, MapSettings, Quadrature, Shrunk, State, ValueFunction, ValueMap, Values,
};
use thrifty_sampling::Seed;

use super::paper::{GAMMA, prior};
use super::values::{EXPERIMENT, decision, normal};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{JobName, RunContext, Runs, Table, number};

/// Valuation of controls by a policy.
#[derive(Clone, Copy)]
enum Look<'a> {
    Steps(usize),
    /// One training before a map.
    Map(&'a dyn ValueFunction),
}

/// A policy: what it looks at after so many trainings, nothing when no more are allowed.
struct Policy<'a> {
    name: &'static str,
    /// Trainings in all, if they are limited.
    horizon: Option<usize>,
    look: Look<'a>,
    /// Runs a full experiment has, as a share of the most.
    share: f64,
    decision: &'a Decision,
}

/// Trainings beyond which no policy goes.
const MOST: usize = 30;

/// Result of a run.
#[derive(serde::Serialize, serde::Deserialize)]
struct Run {
    /// Expected score of what was trained last, less γ times expected costs.
    earned: f64,
    /// The part that is luck: its mean is 0.
    luck: f64,
    trainings: f64,
    /// True if it had to be stopped.
    spree: bool,
}

impl Policy<'_> {
    fn values(&self, state: &State, done: usize) -> Result<Option<Values>, ExperimentError> {
        let depth = match (self.horizon, self.look) {
            (Some(horizon), _) if done >= horizon => return Ok(None),
            (Some(horizon), _) => horizon - done,
            (None, Look::Steps(depth)) => depth,
            (None, Look::Map(map)) => {
                let values = self.decision.on_the_fly(state, 1, map, &Expectation::DEFAULT);
                return Ok(Some(values.map_err(ExperimentError::failed)?));
            }
        };
        Ok(Some(self.decision.steps(state, depth, &Expectation::DEFAULT).map_err(ExperimentError::failed)?))
    }

    /// On one truth, drawn as it is found out: outcomes as the belief has them are those of a truth that was drawn once.
    ///
    /// After a training with innovations the better of stopping and one training more has come out at some value; what was
    /// expected of it is exactly V₂'s, so that the difference is a control variate without bias, a martingale over the run.
    /// The last training a policy is allowed has its own score for that.
    fn run(&self, seed: Seed) -> Result<Run, ExperimentError> {
        let (mut state, _) = prior(1).map_err(ExperimentError::failed)?;
        let controls = self.decision.controls();
        let mut rng = seed.stream("outcomes", 0);
        let mut run = Run { earned: f64::NEG_INFINITY, luck: 0.0, trainings: 0.0, spree: false };
        let (mut paid, mut done) = (0.0, 0);
        while let Some(values) = self.values(&state, done)? {
            if run.earned >= values.value() {
                break;
            }
            if done == MOST {
                run.spree = true;
                break;
            }
            let u = values.best;
            let (mean, variance) = state.score.moments(controls.score(u));
            let (cost, spread) = state.cost.moments(controls.cost(u));
            let price = GAMMA * state.cost_at(controls, u);
            let last = self.horizon == Some(done + 1);
            let expected = if last { mean } else { self.decision.two_steps(&state).of_controls[u] + price };
            let h = mean + normal(&mut rng) * (variance + controls.score_noise(u)).sqrt();
            let t = cost + normal(&mut rng) * (spread + controls.cost_noise(u)).sqrt();
            state.learn(controls, u, h, t).map_err(ExperimentError::failed)?;
            paid += price;
            done += 1;
            run.earned = state.score_at(controls, u);
            let came = if last {
                run.earned
            } else {
                // As V₂ has it: stop, or one training of the later controls.
                let next =
                    thrifty_autobct::OneStep(self.decision).value(&state).map_err(ExperimentError::failed)?;
                run.earned.max(next)
            };
            run.luck += came - expected;
        }
        run.earned -= paid;
        run.trainings = done as f64;
        Ok(run)
    }
}

/// Mean earnings this near to the promised value are equal to it: 20,000 draws have a standard error of 0.008.
const TOLERANCE: f64 = 0.03;

/// Judgement, numbers and table: what policies earn on average over truths drawn from the prior.
pub fn table(context: &RunContext) -> Result<(Judgement, Vec<(String, f64)>, Table), ExperimentError> {
    let fine = decision(33, 33, Quadrature::Hermite(9))?;
    let coarse = decision(21, 11, Quadrature::Hermite(3))?;
    let (start, _) = prior(1).map_err(ExperimentError::failed)?;
    let cloud = super::approximators::cloud(context);
    let build = |settings: &MapSettings| {
        ValueMap::build(&coarse, &start, &cloud, settings, 2).map_err(ExperimentError::failed)
    };
    let faithful = build(&MapSettings::paper(2, context.pick(5, 20), Seed(context.seed)))?;
    let accurate = build(&MapSettings::accurate(3))?;
    let level = |map| -> Result<_, ExperimentError> {
        ValueMap::level(map, map.depth(), &coarse).map_err(ExperimentError::failed)
    };
    let (faithful, accurate) = (level(&faithful)?, level(&accurate)?);
    let (careful_faithful, careful_accurate) =
        (Shrunk { of: &faithful, epsilon: 0.02 }, Shrunk { of: &accurate, epsilon: 0.02 });
    let policy = |name, horizon, look, share| {
        let decision = if share == 1.0 { &fine } else { &coarse };
        Policy { name, horizon, look, share, decision }
    };
    let policies = [
        policy("one training", Some(1), Look::Steps(1), 1.0),
        policy("horizon of two", Some(2), Look::Steps(2), 1.0),
        policy("one ahead, anew", None, Look::Steps(1), 1.0),
        policy("two ahead, anew", None, Look::Steps(2), 1.0),
        policy("three ahead, anew", None, Look::Steps(3), 0.1),
        policy("before the paper's map of two", None, Look::Map(&faithful), 0.025),
        policy("the same, ε = 0.02", None, Look::Map(&careful_faithful), 0.025),
        policy("before the accurate map of three", None, Look::Map(&accurate), 0.025),
        policy("the same, ε = 0.02 there", None, Look::Map(&careful_accurate), 0.025),
    ];
    compare(context, &policies, &start)
}

/// Earnings of one policy over its runs.
struct Earnings<'a> {
    policy: &'a Policy<'a>,
    /// The value that a policy with a horizon promises.
    promised: Option<f64>,
    runs: &'a [Run],
}

impl<'a> Earnings<'a> {
    fn new(policy: &'a Policy<'a>, start: &State, runs: &'a [Run]) -> Self {
        let promised = match policy.horizon {
            Some(1) => Some(policy.decision.one_step(start).value()),
            Some(_) => Some(policy.decision.two_steps(start).value()),
            None => None,
        };
        Self { policy, promised, runs }
    }

    /// Earnings without control variates.
    fn plain(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.earned).collect()
    }

    /// Without luck; a horizon is held against its value without what that value is made of.
    fn earned(&self) -> Vec<f64> {
        if self.promised.is_some() {
            return self.plain();
        }
        self.runs.iter().map(|run| run.earned - run.luck).collect()
    }

    fn row(&self) -> Vec<String> {
        let count = self.runs.len() as f64;
        let with_error = |values: &[f64]| {
            let (mean, std_dev) = mean_and_std_dev(values);
            format!("{mean:.4} ± {:.4}", std_dev / count.sqrt())
        };
        let mut trainings: Vec<f64> = self.runs.iter().map(|run| run.trainings).collect();
        trainings.sort_by(f64::total_cmp);
        vec![
            self.policy.name.to_owned(),
            self.promised.map_or_else(|| "–".into(), |value| format!("{value:.4}")),
            with_error(&self.earned()),
            with_error(&self.plain()),
            number(mean_and_std_dev(&trainings).0),
            number(self.runs.iter().filter(|run| run.spree).count() as f64 / count),
            self.runs.len().to_string(),
        ]
    }
}

/// The mean of what was earned is the value, within the tolerance.
fn earns_its_value(policy: &str, value: f64, earned: Vec<f64>, planned: usize) -> (Claim, Sample) {
    let kind = Kind::EqualTo { value, tolerance: TOLERANCE };
    let claim = Claim::new(format!("{policy} earns its value"), kind, Test::Student, planned);
    (claim, Sample::Values(earned))
}

fn compare(
    context: &RunContext,
    policies: &[Policy<'_>],
    start: &State,
) -> Result<(Judgement, Vec<(String, f64)>, Table), ExperimentError> {
    let n = context.replications(60, 20_000);
    let count =
        |draws: usize, policy: &Policy<'_>| ((draws as f64 * policy.share) as usize).max(context.pick(6, 20));
    let counts: Vec<usize> = policies.iter().map(|policy| count(n.run, policy)).collect();
    let jobs: Vec<(usize, usize)> =
        counts.iter().enumerate().flat_map(|(p, count)| (0..*count).map(move |i| (p, i))).collect();
    let name = |&(p, i): &(usize, usize)| JobName::new("prior D.1", policies[p].name, i);
    let runs: Vec<Run> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&(p, i)| {
        policies[p].run(Seed(context.seed).child(EXPERIMENT.id, i as u64 + 1))
    })?;
    let (mut rows, mut numbers, mut family) = (Vec::new(), Vec::new(), Family::new(Rule::All));
    let mut rest = &runs[..];
    for (policy, made) in policies.iter().zip(counts) {
        let (own, others) = rest.split_at(made);
        rest = others;
        let earnings = Earnings::new(policy, start, own);
        if let Some(value) = earnings.promised {
            let (claim, sample) =
                earns_its_value(policy.name, value, earnings.earned(), count(n.planned, policy));
            family.push(claim, sample);
        }
        numbers.push((format!("{}: earned", policy.name), mean_and_std_dev(&earnings.earned()).0));
        rows.push(earnings.row());
    }
    let table = Table {
        name: "policies".into(),
        caption: "On truths drawn from the prior of Appendix D.1: the value that was promised, what was earned (expected score of what was trained last \
                  less γ times expected costs) with its standard error, with the luck of every training taken out where nothing is promised; the same \
                  as it came; trainings; the share of runs that were stopped at 30; runs."
            .into(),
        header: ["policy", "promised", "earned", "as it came", "trainings", "stopped", "runs"].map(String::from).to_vec(),
        rows,
    };
    Ok((family.judge()?, numbers, table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// A policy made worse: it earns less than it promises, or promises less than it earns.
    #[test]
    fn a_policy_that_earns_something_else_is_found() {
        let earned = |mean: f64| {
            let luck = |i: usize| if i.is_multiple_of(2) { 0.1 } else { -0.1 };
            (0..400).map(|i| mean + luck(i)).collect::<Vec<f64>>()
        };
        let of = |one: f64, two: f64, planned: usize| {
            let mut family = Family::new(Rule::All);
            for (policy, mean) in [("one", one), ("two", two)] {
                let (claim, sample) = earns_its_value(policy, 0.24, earned(mean), planned);
                family.push(claim, sample);
            }
            family.judge().unwrap().verdict()
        };
        let verdict = |one: f64, two: f64| of(one, two, 400);
        assert_eq!(of(0.24, 0.25, 401), Verdict::Inconclusive);
        assert_eq!(verdict(0.24, 0.25), Verdict::Holds);
        assert_eq!(verdict(0.24, 0.24 - 2.0 * TOLERANCE), Verdict::DoesNotHold);
        assert_eq!(verdict(0.24 + 2.0 * TOLERANCE, 0.24), Verdict::DoesNotHold);
        assert_eq!(verdict(0.24, 0.24 + TOLERANCE), Verdict::Inconclusive);
    }
}
