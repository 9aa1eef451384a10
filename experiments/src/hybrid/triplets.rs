//! The toy function from random triplets.

use std::collections::BTreeMap;

use thrifty_hybrid::{Exploration, OnConvergence};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_testbed::{Problem, TestFunction};

use super::methods::{Method, Setting};
use super::success::{Turns, noise, range};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::compare::Comparison;
use crate::harness::replicate::{Run, studies};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "hybrid/triplets",
    paper: "A Hybrid Monte Carlo Architecture for Parameter Optimization, section 3",
    claim: "the hybrid finds improved maxima where the original algorithm finds a poor local one, whatever the start",
    quick_cost: "15 random triplets, 3 settings, 9 methods, 20 turns: some seconds",
    full_cost: "100 random triplets, 3 settings, 9 methods, 20 turns: about twenty seconds",
    run,
};

const TURNS: usize = 20;

fn methods() -> Vec<Method> {
    use OnConvergence::{Force, Skip, Stop};
    let coin = Exploration::FixedRate { rate: 0.1 };
    let scaled = Exploration::PiScaled { basis: 1.0, floor: 0.0 };
    let hybrids = [coin, scaled].into_iter().flat_map(|e| [Stop, Skip, Force].map(|c| Method::Hybrid(e, c)));
    let mut methods = vec![Method::Hybrid(Exploration::Never, Stop)];
    methods.extend(hybrids);
    methods.extend([Method::RandomStarts, Method::Random]);
    methods
}

/// Algorithm 2, forced where expected improvement has converged.
const FORCED: usize = 3;
/// A success rate that is lower by at most this is not lower.
const MARGIN: f64 = 0.05;

fn settings(replications: usize) -> BTreeMap<String, String> {
    [
        ("turns", TURNS.to_string()),
        ("triplets", format!("{replications}, uniform, the same for every method")),
    ]
    .map(|(name, value): (&str, String)| (name.to_owned(), value))
    .into()
}

/// On no function less often successful than expected improvement, and on one more often.
fn judge(successes: &[(String, Vec<bool>, Vec<bool>)], planned: usize) -> Result<Judgement, ClaimError> {
    let (mut never_worse, mut better) = (Family::new(Rule::All), Family::new(Rule::AtLeast(1)));
    for (name, own, base) in successes {
        let number = |success: &bool| f64::from(u8::from(*success));
        let gains = || Sample::Gains(own.iter().zip(base).map(|(a, b)| number(a) - number(b)).collect());
        let claim = |what: &str, kind| Claim::new(format!("{what} on {name}"), kind, Test::SignFlip, planned);
        never_worse.push(claim("success not rarer", Kind::NotInferior { margin: MARGIN }), gains());
        better.push(claim("success more often", Kind::Superior), gains());
    }
    Ok(Judgement::all(vec![never_worse.judge()?, better.judge()?]))
}

fn runs(
    context: &RunContext,
    problem: &TestFunction,
    epsilon: f64,
    replications: usize,
) -> Result<Vec<Turns>, ExperimentError> {
    let jobs: Vec<(Method, usize)> =
        methods().into_iter().flat_map(|m| (0..replications).map(move |i| (m.clone(), i))).collect();
    let task = format!("{} at {epsilon}", problem.name());
    studies(
        &Runs::new(EXPERIMENT.id, context),
        &jobs,
        |(method, i)| JobName::new(&task, method.label(), *i),
        |(method, i)| {
            let seed = Seed(context.seed).child("hybrid/triplets", *i as u64);
            let mut rng = seed.stream("triplet", 0);
            let triplet: Vec<Config> = (0..3).map(|_| problem.space().sample(&mut rng)).collect();
            let (space, initial) = (problem.space(), &triplet[..]);
            let setting = Setting { space, initial, epsilon, turns: TURNS, noise: noise() };
            Ok(Turns::study(method, problem, &setting, seed, *i)?.0)
        },
    )
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(15, 100);
    let replications = n.run;
    let problems =
        [(TestFunction::x_sin_x(), 1e-2), (TestFunction::x_sin_x(), 1e-3), (TestFunction::forrester(), 1e-3)];
    let all: Vec<Result<Vec<Turns>, ExperimentError>> =
        problems.iter().map(|(problem, epsilon)| runs(context, problem, *epsilon, replications)).collect();
    let (mut numbers, mut tables, mut figures) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut rows: Vec<Vec<String>> = methods().iter().map(|m| vec![m.label()]).collect();
    let mut header = vec!["method".to_owned()];
    let mut successes = Vec::new();
    for ((problem, epsilon), runs) in problems.iter().zip(all) {
        let (runs, name) = (runs?, format!("{} at {epsilon}", problem.name()));
        header.push(format!("{name}: success (median hit)"));
        let limit = 0.01 * range(problem);
        let hits = |run: &Turns| run.hit(3, limit);
        for ((method, row), own) in methods().iter().zip(&mut rows).zip(runs.chunks(replications)) {
            let hits: Vec<f64> = own.iter().filter_map(hits).map(|t| t as f64).collect();
            let share = hits.len() as f64 / own.len() as f64;
            numbers.insert(format!("success of {} on {name}", method.label()), share);
            let median = if hits.is_empty() { "–".into() } else { number(quantile(&hits, 0.5)) };
            row.push(format!("{:.0} % ({median})", 100.0 * share));
        }
        let of = |m: usize| -> Vec<bool> {
            runs[m * replications..(m + 1) * replications].iter().map(|run| hits(run).is_some()).collect()
        };
        successes.push((name, of(FORCED), of(0)));
        let plain: Vec<Run> = runs.iter().map(|turns| turns.run.clone()).collect();
        let comparison = Comparison::new(&plain, 3 + TURNS);
        let slug = format!("{}-{epsilon}", problem.name().replace(' ', "-"));
        tables.push(comparison.table(&format!("regret-{slug}"))?);
        figures.push(comparison.ecdf(&format!("ecdf-{slug}"))?);
    }
    let caption = format!(
        "Share of {replications} random triplets from which the global maximum was found to 1 % of the range in \
         {TURNS} turns, and the median turn at which it was."
    );
    tables.insert(0, Table { name: "success".into(), caption, header, rows });
    Ok(Report {
        judgement: judge(&successes, n.planned)?,
        numbers,
        settings: settings(replications),
        notes: vec![
            "Claims: Algorithm 2 with rate 0.1, forced, succeeds on no function more than 5 points less often than expected \
             improvement from the same triplets, and on at least one more often."
                .into(),
            "How often expected improvement is stuck depends on when it counts as converged more than on anything else: \
             compare the two tolerances on x sin x. The paper's premise is mostly a stopping tolerance."
                .into(),
        ],
        tables,
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// A method made worse on purpose: it misses every fourth triplet on which the other succeeds.
    #[test]
    fn successes_decide_both_ways() {
        let (often, rarely) = (vec![true; 40], (0..40).map(|i| i % 4 != 0).collect::<Vec<bool>>());
        let of = |own: &[bool], base: &[bool], planned: usize| {
            let pairs = [("f", own, base), ("g", &often[..], &often[..])];
            let pairs = pairs.map(|(name, own, base)| (name.to_owned(), own.to_vec(), base.to_vec()));
            judge(&pairs, planned).unwrap().verdict()
        };
        let on = |own: &[bool], base: &[bool]| of(own, base, 40);
        assert_eq!(of(&often, &rarely, 41), Verdict::Inconclusive);
        assert_eq!(on(&often, &rarely), Verdict::Holds);
        assert_eq!(on(&rarely, &often), Verdict::DoesNotHold);
        assert_eq!(on(&often, &often), Verdict::Inconclusive);
    }
}
