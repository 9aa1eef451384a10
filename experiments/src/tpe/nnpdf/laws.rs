//! One model for all test sets and laws: the choice with which the closure test of NNPDF ends.

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use super::judge::{Distance, judge as ensemble};
use super::law::{Closure, Law};
use super::scan::{Goal, STARTUP, Search, scan_of};
use super::tables::{HARMLESS, NO_BIAS};
use super::training::Hyperparameters;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/laws",
    paper: "Hyper-optimization (TPE in Hyperopt for n3fit), the closing paragraph: a model that minimises the bias consistently across different \
            test sets and different underlying laws",
    claim: "one model that is chosen by its bias over all test sets and laws has on fresh data a smaller bias than one that is chosen by the K-fold \
            χ² or on one law, and no larger variance",
    quick_cost: "1 replication, 3 scans of 12 trials: a second",
    full_cost: "30 replications, 3 scans of 60 trials, on 3 laws: two minutes of one processor",
    run,
};

/// Rules by which a model is chosen.
const CHOICES: [&str; 4] =
    ["test χ², all laws", "K-fold χ², all laws", "test χ², one law", "largest loss (worse on purpose)"];
const ACROSS: usize = 0;
const FOLDS: usize = 1;
const ONE: usize = 2;
const WORST: usize = 3;

/// Bias and variance of one choice on fresh data of each law, within and beyond the range of the data.
type OfChoice = Vec<[Distance; 2]>;

/// Line of a replication, by choice.
#[derive(serde::Serialize, serde::Deserialize)]
struct Found(Vec<OfChoice>);

/// Models chosen in one replication; the one law is another in every replication.
fn chosen(
    i: usize,
    (startup, trials): (usize, usize),
    seed: Seed,
) -> Result<Vec<Hyperparameters>, ExperimentError> {
    let closures: Vec<Closure> = Law::ALL.map(|law| Closure::new(law, seed)).into();
    let one = &closures[i % closures.len()..][..1];
    let scan = |goal: Goal, closures: &[Closure]| {
        let loss = |h: &Hyperparameters, seed: Seed| goal.across(h, closures, seed);
        scan_of(Search::Described, (startup, trials), seed.child("scan", 0), loss)
    };
    let across = scan(Goal::Test, &closures)?;
    let folds = scan(Goal::Folds, &closures)?;
    let alone = scan(Goal::Test, one)?;
    Ok(vec![across.best, folds.best, alone.best, across.worst])
}

fn replication(
    i: usize,
    trials: (usize, usize),
    replicas: usize,
    seed: Seed,
) -> Result<Found, ExperimentError> {
    let judged = |h: &Hyperparameters| -> OfChoice {
        let on = |law: Law| {
            let closure = Closure::new(law, seed.child("fresh data", 0));
            let found = ensemble(h, &closure, replicas, seed.child("replicas", law as u64));
            [found.within, found.beyond]
        };
        Law::ALL.map(on).into()
    };
    Ok(Found(chosen(i, trials, seed)?.iter().map(judged).collect()))
}

/// Mean logarithm over laws and test sets of a distance of a choice, by replication.
fn logs(found: &[Found], choice: usize, pick: fn(&Distance) -> f64) -> Vec<f64> {
    let one = |Found(choices): &Found| {
        let all: Vec<f64> = choices[choice].iter().flatten().map(|d| pick(d).max(NO_BIAS).ln()).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    found.iter().map(one).collect()
}

const BIAS: fn(&Distance) -> f64 = |distance| distance.bias;
const VARIANCE: fn(&Distance) -> f64 = |distance| distance.variance;

/// The choice across laws has less bias than each other choice, and a variance that is not larger than that of the K-fold choice.
fn judge(found: &[Found], planned: usize) -> Result<Judgement, ClaimError> {
    let own = logs(found, ACROSS, BIAS);
    let mut family = Family::new(Rule::All);
    for other in [FOLDS, ONE, WORST] {
        let name = format!("smaller bias than by {}", CHOICES[other]);
        let sample = Sample::losses(&name, &own, &logs(found, other, BIAS))?;
        family.push(Claim::new(name, Kind::Superior, Test::SignFlip, planned), sample);
    }
    let name = format!("variance not larger than by {}", CHOICES[FOLDS]);
    let sample = Sample::losses(&name, &logs(found, ACROSS, VARIANCE), &logs(found, FOLDS, VARIANCE))?;
    family
        .push(Claim::new(name, Kind::NotInferior { margin: HARMLESS.ln() }, Test::SignFlip, planned), sample);
    family.judge()
}

/// Geometric means by choice: over all laws, then bias within and beyond for each law.
fn table(found: &[Found], numbers: &mut BTreeMap<String, f64>) -> Table {
    let mut rows = Vec::new();
    for (c, choice) in CHOICES.into_iter().enumerate() {
        let mean = |pick| mean_and_std_dev(&logs(found, c, pick)).0.exp();
        let (bias, variance) = (mean(BIAS), mean(VARIANCE));
        numbers.insert(format!("{choice}: bias"), bias);
        numbers.insert(format!("{choice}: variance"), variance);
        let mut row = vec![choice.to_owned(), number(bias), number(variance)];
        for law in 0..Law::ALL.len() {
            for set in 0..2 {
                let logs: Vec<f64> =
                    found.iter().map(|found| found.0[c][law][set].bias.max(NO_BIAS).ln()).collect();
                row.push(number(mean_and_std_dev(&logs).0.exp()));
            }
        }
        rows.push(row);
    }
    let mut header = ["chosen by", "bias", "variance"].map(String::from).to_vec();
    let sets = |law: Law| ["within", "beyond"].map(|set| format!("{}, {set}", law.name()));
    header.extend(Law::ALL.into_iter().flat_map(sets));
    Table {
        name: "choices".into(),
        caption: "Ensembles of the chosen model on fresh data, per point, in units of the data's variance: geometric means over replications of the \
                  bias and of the variance over all laws and test sets, then of the bias on each."
            .into(),
        header,
        rows,
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(1, 30);
    let startup = context.pick(4, STARTUP);
    let (trials, replicas) = (3 * startup, context.pick(4, 20));
    let jobs: Vec<usize> = (0..n.run).collect();
    let name = |i: &usize| JobName::new("three laws", "every choice", *i);
    let found: Vec<Found> = Runs::new(EXPERIMENT.id, context).collect(&jobs, name, |&i| {
        replication(i, (startup, trials), replicas, Seed(context.seed).child(EXPERIMENT.id, i as u64))
    })?;
    let mut numbers = BTreeMap::new();
    let table = table(&found, &mut numbers);
    Ok(Report {
        judgement: judge(&found, n.planned)?,
        numbers,
        settings: [
            ("laws", "parton, oscillating, step; 40 training data in [0.05, 0.75]".to_owned()),
            ("test sets", "20 data within [0.05, 0.75], 20 beyond in [0.75, 0.95], of each law".to_owned()),
            ("replications", n.run.to_string()),
            ("trials a scan", format!("{trials}, the first {startup} random")),
            ("search", "rules of nnpdfscan, 24 candidates".to_owned()),
            ("replicas of an ensemble", replicas.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![
            "The loss across laws is the mean over laws and test sets of ln χ² per point of the mean of four networks, one per fold: \"consistently\" is \
             read as a geometric mean. The K-fold loss is the mean over laws of ln of the validation χ². The one law takes turns. What a scan chose \
             is trained again on replicas of fresh data of every law, and held against the law itself. All scans share their random start."
                .into(),
            "Claims: the model that is chosen across test sets and laws has, as a geometric mean over laws and test sets, a smaller bias than \
             each of the others, and a variance of at most 1.25 times that of the K-fold choice. The model with the largest loss of the start is \
             worse on purpose."
                .into(),
        ],
        tables: vec![table],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Replications with a bias and a variance for each choice.
    fn found(of: [(f64, f64); 4]) -> Vec<Found> {
        let one = |i: usize| {
            let wobble = 1.0 + 0.02 * (i % 5) as f64;
            let choice = |(bias, variance): (f64, f64)| {
                vec![[Distance { bias: bias * wobble, variance: variance / wobble }; 2]; 3]
            };
            Found(of.map(choice).to_vec())
        };
        (0..30).map(one).collect()
    }

    const WELL: [(f64, f64); 4] = [(0.5, 1.0), (1.0, 1.0), (2.0, 1.0), (8.0, 1.0)];

    /// The choice made worse on purpose: more bias than by K folds, on one law, or than the worst; more variance.
    #[test]
    fn each_part_of_the_claim_can_fail() {
        let verdict = |own: (f64, f64)| {
            let mut of = WELL;
            of[ACROSS] = own;
            judge(&found(of), 30).unwrap().verdict()
        };
        assert_eq!(verdict(WELL[ACROSS]), Verdict::Holds);
        for bias in [1.5, 3.0, 10.0] {
            assert_eq!(verdict((bias, 1.0)), Verdict::DoesNotHold, "{bias}");
        }
        assert_eq!(verdict((0.5, 1.5)), Verdict::DoesNotHold);
        assert_eq!(verdict((1.0, 1.0)), Verdict::Inconclusive);
    }

    #[test]
    fn fewer_replications_than_planned_decide_nothing() {
        assert_eq!(judge(&found(WELL), 31).unwrap().verdict(), Verdict::Inconclusive);
    }

    /// A replication has the same bits again, and another has another law alone.
    #[test]
    fn choices_are_their_seed() {
        let of = |i| chosen(i, (3, 4), Seed(5)).unwrap();
        let (one, again, other) = (of(0), of(0), of(1));
        assert_eq!(one, again);
        assert_eq!((&one[ACROSS], &one[FOLDS], &one[WORST]), (&other[ACROSS], &other[FOLDS], &other[WORST]));
        assert_ne!(one[ACROSS], one[WORST]);
    }
}
