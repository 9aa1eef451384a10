//! The anticipation equations of the hybrid paper beside each other: expected improvement, probability of improvement, mean.

use std::collections::BTreeMap;

use thrifty_gp::Noise;
use thrifty_hybrid::{Anticipation, ConvergenceMeasure, HybridSettings, OnConvergence};
use thrifty_prob::Prior;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_testbed::{Problem, TestFunction};

use super::methods::{Method, Setting};
use super::success::{Turns, noise, range};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::replicate::studies;
use crate::harness::stats::quantile;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "hybrid/anticipation",
    paper: "A Hybrid Monte Carlo Architecture for Parameter Optimization, section 1, equations 1 to 3 and 5: the anticipation equations",
    claim: "inside Algorithms 2 and 3 expected improvement finds the global maximum not less often than the probability of improvement \
            and the mean",
    quick_cost: "3 random triplets, 5 functions, 17 methods, 20 turns: some seconds",
    full_cost: "100 random triplets, 5 functions, 17 methods, 20 turns: some minutes",
    run,
};

const TURNS: usize = 20;
/// Convergence: a share of the range of the scores, or a probability.
const EPSILON: f64 = 1e-3;
/// Success: within this share of the function's range of the global maximum.
const CLOSE: f64 = 0.01;
/// A mean success rate over the functions that is lower by at most this is not lower.
const MARGIN: f64 = 0.05;
/// Triplets of the whole study.
const TRIPLETS: usize = 100;

const EQUATIONS: [(&str, Anticipation); 3] = [
    ("EI", Anticipation::ExpectedImprovement),
    ("PI", Anticipation::ProbabilityOfImprovement),
    ("mean", Anticipation::Mean),
];

/// Methods of one algorithm, in this order: the three equations with the default reading, probability and mean that converge by their own
/// measure, the one made worse on purpose, and expected improvement and mean read literally.
const OF_EACH: usize = 8;
const WORSE: usize = 5;

fn algorithms() -> [(&'static str, HybridSettings); 2] {
    [("Algorithm 2", HybridSettings::algorithm_2(0.1)), ("Algorithm 3", HybridSettings::algorithm_3(1.0))]
}

fn methods() -> Vec<Method> {
    let mut methods = Vec::new();
    for (name, literal) in algorithms() {
        let forced = literal.clone().reading(OnConvergence::Force);
        let by = |label: String, settings: &HybridSettings, anticipation| {
            Method::Named(label, settings.clone().anticipating(anticipation))
        };
        let own = HybridSettings { measure: ConvergenceMeasure::Anticipated, ..forced.clone() };
        methods.extend(EQUATIONS.map(|(label, a)| by(format!("{name}, {label}"), &forced, a)));
        methods.extend(
            EQUATIONS[1..].iter().map(|(label, a)| by(format!("{name}, {label}, own measure"), &own, *a)),
        );
        methods.push(Method::Worst(format!("{name}, largest mean (worse on purpose)"), forced));
        let own = HybridSettings { measure: ConvergenceMeasure::Anticipated, ..literal };
        methods.extend(
            [EQUATIONS[0], EQUATIONS[2]].map(|(label, a)| by(format!("{name}, {label}, literal"), &own, a)),
        );
    }
    methods.push(Method::Random);
    methods
}

/// A function with the noise that its model assumes.
fn problems() -> Vec<(TestFunction, Noise)> {
    // Learned noise: near the spike two evaluations may differ by more than any smooth function explains.
    let prior = Some(Prior::LogNormal { mu: -10.0, sigma: 3.0 });
    let learned = Noise::Learned { start: 1e-6, floor: 1e-8, ceiling: 1.0, prior };
    vec![
        (TestFunction::x_sin_x(), noise()),
        (TestFunction::forrester(), noise()),
        (TestFunction::wang_freitas(), learned),
        (TestFunction::cosines(), noise()),
        (TestFunction::log_goldstein_price(), noise()),
    ]
}

/// In both algorithms expected improvement is not below the other two equations, and above the one made worse on purpose.
///
/// `success` has for each method the mean success over the functions, by triplet.
fn judge(success: &[Vec<f64>], planned: usize) -> Result<Judgement, ClaimError> {
    let (mut not_worse, mut better) = (Family::new(Rule::All), Family::new(Rule::All));
    for (k, (algorithm, _)) in algorithms().iter().enumerate() {
        let of = |m: usize| &success[k * OF_EACH + m];
        let gains =
            |m: usize| Sample::Gains(of(0).iter().zip(of(m)).map(|(own, other)| own - other).collect());
        for (m, (equation, _)) in EQUATIONS.iter().enumerate().skip(1) {
            let name = format!("{algorithm}: EI not rarer than {equation}");
            let kind = Kind::NotInferior { margin: MARGIN };
            not_worse.push(Claim::new(name, kind, Test::SignFlip, planned), gains(m));
        }
        let name = format!("{algorithm}: EI more often than the largest mean");
        better.push(Claim::new(name, Kind::Superior, Test::SignFlip, planned), gains(WORSE));
    }
    Ok(Judgement::all(vec![not_worse.judge()?, better.judge()?]))
}

fn runs(
    context: &RunContext,
    (problem, noise): &(TestFunction, Noise),
    replications: usize,
) -> Result<Vec<Turns>, ExperimentError> {
    let jobs: Vec<(Method, usize)> =
        methods().into_iter().flat_map(|m| (0..replications).map(move |i| (m.clone(), i))).collect();
    studies(
        &Runs::new(EXPERIMENT.id, context),
        &jobs,
        |(method, i)| JobName::new(problem.name(), method.label(), *i),
        |(method, i)| {
            let seed = Seed(context.seed).child(EXPERIMENT.id, *i as u64);
            let mut rng = seed.stream("triplet", 0);
            let triplet: Vec<Config> = (0..3).map(|_| problem.space().sample(&mut rng)).collect();
            let (space, initial, noise) = (problem.space(), &triplet[..], noise.clone());
            let setting = Setting { space, initial, epsilon: EPSILON, turns: TURNS, noise };
            Ok(Turns::study(method, problem, &setting, seed, *i)?.0)
        },
    )
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(3, TRIPLETS);
    let replications = n.run;
    let (problems, methods) = (problems(), methods());
    let mut success = vec![vec![0.0; replications]; methods.len()];
    let mut evaluations = vec![0.0; methods.len()];
    let mut rows: Vec<Vec<String>> = methods.iter().map(|m| vec![m.label()]).collect();
    let mut header = vec!["method".to_owned()];
    // All are run before one is missed, so that a shard does its part of each.
    let of_problems: Vec<_> = problems.iter().map(|problem| runs(context, problem, replications)).collect();
    for (problem, found) in problems.iter().zip(of_problems) {
        let (found, limit) = (found?, CLOSE * range(&problem.0));
        header.push(problem.0.name());
        for (m, own) in found.chunks(replications).enumerate() {
            let hits: Vec<Option<usize>> = own.iter().map(|run| run.hit(3, limit)).collect();
            for (slot, hit) in success[m].iter_mut().zip(&hits) {
                *slot += f64::from(u8::from(hit.is_some())) / problems.len() as f64;
            }
            let turns: Vec<f64> = hits.iter().flatten().map(|turn| *turn as f64).collect();
            let median = if turns.is_empty() { "–".into() } else { number(quantile(&turns, 0.5)) };
            rows[m].push(format!("{:.0} % ({median})", 100.0 * turns.len() as f64 / replications as f64));
            let made = own.iter().map(|run| run.run.regret.len() as f64 - 3.0).sum::<f64>();
            evaluations[m] += made / (replications * problems.len()) as f64;
        }
    }
    let mut numbers = BTreeMap::new();
    for (m, method) in methods.iter().enumerate() {
        let mean = success[m].iter().sum::<f64>() / replications as f64;
        numbers.insert(format!("success of {}", method.label()), mean);
        rows[m].push(format!("{:.1} %", 100.0 * mean));
        rows[m].push(number(evaluations[m]));
    }
    header.extend(["mean", "evaluations"].map(String::from));
    Ok(Report {
        judgement: judge(&success, n.planned)?,
        numbers,
        settings: settings(replications),
        notes: notes(),
        tables: vec![Table {
            name: "success".into(),
            caption: format!(
                "Share of {replications} random triplets from which the global maximum was found to {CLOSE} of the range in {TURNS} turns \
                 (median turn of the hit), the mean over the functions, and the mean number of evaluations beyond the triplet."
            ),
            header,
            rows,
        }],
        figures: Vec::new(),
    })
}

fn settings(replications: usize) -> BTreeMap<String, String> {
    [
        ("turns", TURNS.to_string()),
        ("triplets", format!("{replications}, uniform, the same for every method")),
        (
            "convergence",
            format!("below {EPSILON}; a converged exploit turn explores, unless the reading is literal"),
        ),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn notes() -> Vec<String> {
    vec![
        "Claims: the mean success over the five functions is not lower by more than 5 points with expected improvement than with the \
         probability of improvement or the mean, under Algorithm 2 with rate 0.1 and Algorithm 3 with basis 1, both forced on convergence; \
         and it is higher than with the largest mean, which is made worse on purpose. Replications are triplets."
            .into(),
        "The measure of convergence is the largest expected improvement, whatever the equation. With \"own measure\" it is the \
         largest value of the equation itself: a probability, or the improvement of the smallest mean. \"Literal\" stops on convergence, by \
         that measure. None of these functions chose a default among the equations."
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    fn verdict(change: impl Fn(&mut Vec<Vec<f64>>), planned: usize) -> Verdict {
        let own = |i: usize| 0.6 + 0.2 * (i % 3) as f64;
        let mut success: Vec<Vec<f64>> = (0..methods().len()).map(|_| (0..40).map(own).collect()).collect();
        for k in 0..algorithms().len() {
            success[k * OF_EACH + WORSE].iter_mut().for_each(|rate| *rate -= 0.4);
        }
        change(&mut success);
        judge(&success, planned).unwrap().verdict()
    }

    /// Expected improvement made worse than an equation in one algorithm, or no better than what was made worse.
    #[test]
    fn an_equation_that_is_better_or_a_worse_one_that_is_as_good_is_found() {
        let lower = |at: usize| move |s: &mut Vec<Vec<f64>>| s[at].iter_mut().for_each(|rate| *rate -= 0.2);
        assert_eq!(verdict(|_| {}, 40), Verdict::Holds);
        for algorithm in 0..2 {
            assert_eq!(verdict(lower(algorithm * OF_EACH), 40), Verdict::DoesNotHold);
        }
        let as_good = |s: &mut Vec<Vec<f64>>| s[WORSE] = s[0].clone();
        assert_eq!(verdict(as_good, 40), Verdict::Inconclusive);
        let better = |s: &mut Vec<Vec<f64>>| s[WORSE].iter_mut().for_each(|rate| *rate += 0.6);
        assert_eq!(verdict(better, 40), Verdict::DoesNotHold);
    }

    /// A sample that is shorter than declared decides nothing.
    #[test]
    fn fewer_triplets_than_planned_decide_nothing() {
        assert_eq!(verdict(|_| {}, 41), Verdict::Inconclusive);
    }

    /// The method made worse on purpose reaches the global maximum of the toy less often than expected improvement.
    #[test]
    fn the_largest_mean_is_worse() {
        let problem = TestFunction::x_sin_x();
        let initial: Vec<Config> = [0.5, 4.0, 6.0].iter().map(|x| TestFunction::config(&[*x])).collect();
        let limit = CLOSE * range(&problem);
        let hits = |method: &Method| {
            let of = |i: u64| {
                let (space, initial) = (problem.space(), &initial[..]);
                let setting = Setting { space, initial, epsilon: EPSILON, turns: 8, noise: noise() };
                Turns::study(method, &problem, &setting, Seed(i), 0).unwrap().0.hit(3, limit)
            };
            (0..8).filter_map(of).count()
        };
        let methods = methods();
        assert_eq!((hits(&methods[0]), hits(&methods[WORSE]) < 4), (8, true));
    }
}
