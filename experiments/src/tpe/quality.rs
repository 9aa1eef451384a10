//! The default estimator beside the rules of other libraries.

use std::collections::{BTreeMap, BTreeSet};

use thrifty_tpe::{Joint, TpeSettings};

use super::runs::{AT, Method, Regrets, collect, read_peers, runs_on_title};
use super::scored::{NAMES, both};
use crate::error::ExperimentError;
use crate::harness::ablation::NO_REGRET;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample as Evidence, Test};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/quality",
    paper: "none: the default Parzen estimator beside those of Hyperopt and Optuna, rule for rule, and beside Optuna itself (--peers)",
    claim: "after 200 evaluations the default is not worse than Optuna's rules, joint or grouped, on any of ten problems",
    quick_cost: "4 problems, 4 seeds: some seconds",
    full_cost: "10 problems, 100 seeds, 500 where branches matter: two minutes",
    run,
};

/// The first is the one under test.
const METHODS: [Method; 5] = [
    ("thrifty", TpeSettings::recommended),
    ("rules of Optuna 5", TpeSettings::optuna5),
    ("rules of Optuna 5, grouped", || TpeSettings { joint: Joint::Grouped, ..TpeSettings::optuna5() }),
    ("rules of Hyperopt", TpeSettings::hyperopt),
    ("rules of Watanabe 2023", TpeSettings::watanabe2023),
];

/// A run above this regret on the conditional problem is stuck, mostly on a wrong branch.
const STUCK: f64 = 0.05;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(4, 100);
    let seeds = n.run;
    let names = context.pick(&NAMES[3..], &NAMES[..]);
    let problems = both(names);
    let mut regrets = collect((EXPERIMENT.id, context), &METHODS, &problems, seeds)?;
    if let Some(path) = &context.peers {
        regrets.extend(read_peers(path, &problems)?);
    }
    let (versus, numbers) = versus(&regrets, n.planned)?;
    Ok(Report {
        judgement: judge(&regrets, n.planned)?,
        numbers,
        settings: [("seeds".to_owned(), seeds.to_string()), ("evaluations".to_owned(), AT[1].to_string())]
            .into(),
        notes: vec![format!(
            "Claims: after 200 evaluations the median log₁₀ regret is on no problem higher by more than 0.1 than that of Optuna, or of its \
             rules. Stuck: share of runs with a regret above {STUCK} after 200 evaluations."
        )],
        tables: vec![regret_table(&regrets), versus],
        figures: Vec::new(),
    })
}

fn regret_table(regrets: &Regrets) -> Table {
    let rows = regrets.iter().map(|((problem, method), runs)| {
        let of = |at: usize, p: f64| number(quantile(&runs.iter().map(|r| r[at]).collect::<Vec<f64>>(), p));
        let stuck = runs.iter().filter(|r| r[1] > STUCK).count() as f64 / runs.len() as f64;
        vec![
            problem.clone(),
            method.clone(),
            runs.len().to_string(),
            of(0, 0.5),
            of(0, 0.9),
            of(1, 0.5),
            of(1, 0.9),
            format!("{:.1} %", 100.0 * stuck),
        ]
    });
    let header = ["problem", "method", "runs", "median 100", "90 % 100", "median 200", "90 % 200", "stuck"];
    Table {
        name: "regret".into(),
        caption: "Simple regret after 100 and 200 evaluations.".into(),
        header: header.map(String::from).to_vec(),
        rows: rows.collect(),
    }
}

/// A median log₁₀ regret that is higher by at most this is no worse.
const MARGIN: f64 = 0.1;

/// Final or earlier regrets of the first method and of another on a problem: paired by seed among our own, independent of
/// runs of other libraries.
fn sample(claim: &str, own: &[f64], theirs: &[f64], is_paired: bool) -> Result<Evidence, ClaimError> {
    if is_paired {
        return Evidence::losses(claim, own, theirs);
    }
    Ok(Evidence::Independent { own: own.to_vec(), other: theirs.to_vec() })
}

fn is_ours(method: &str) -> bool {
    METHODS.iter().any(|(name, _)| *name == method)
}

fn test(method: &str) -> Test {
    if is_ours(method) { Test::SignedRank } else { Test::RankSum }
}

fn logs(runs: &[[f64; 2]], at: usize) -> Vec<f64> {
    runs.iter().map(|run| run[at].max(NO_REGRET).log10()).collect()
}

/// Not worse than Optuna and its rules on any problem, at the end.
fn judge(regrets: &Regrets, seeds: usize) -> Result<Judgement, ClaimError> {
    let mut family = Family::new(Rule::All);
    for ((problem, other), theirs) in regrets {
        let own = regrets.get(&(problem.clone(), METHODS[0].0.to_owned()));
        let Some(own) = own.filter(|_| other.to_lowercase().contains("optuna")) else { continue };
        let name = format!("{problem}: not worse than {other}");
        let evidence = sample(&name, &logs(own, 1), &logs(theirs, 1), is_ours(other))?;
        let planned = runs_on_title(problem, seeds);
        family.push(Claim::new(name, Kind::NotInferior { margin: MARGIN }, test(other), planned), evidence);
    }
    family.judge()
}

/// The first method against all others: our own paired by seed, others by ranks.
fn versus(regrets: &Regrets, seeds: usize) -> Result<(Table, BTreeMap<String, f64>), ClaimError> {
    let ours = METHODS[0].0;
    let (mut rows, mut numbers) = (Vec::new(), BTreeMap::new());
    let others: BTreeSet<&String> =
        regrets.keys().map(|(_, method)| method).filter(|method| *method != ours).collect();
    for other in others {
        let (mut compared, mut family) = (Vec::new(), Family::new(Rule::All));
        for ((problem, _), theirs) in regrets.iter().filter(|((_, method), _)| method == other) {
            let Some(own) = regrets.get(&(problem.clone(), ours.to_owned())) else { continue };
            for (at, evaluations) in AT.into_iter().enumerate() {
                let name = format!("{problem} at {evaluations}: lower than {other}");
                let evidence = sample(&name, &logs(own, at), &logs(theirs, at), is_ours(other))?;
                family.push(
                    Claim::new(name, Kind::Superior, test(other), runs_on_title(problem, seeds)),
                    evidence,
                );
                let median =
                    |runs: &[[f64; 2]]| quantile(&runs.iter().map(|r| r[at]).collect::<Vec<f64>>(), 0.5);
                compared.push((problem, evaluations, median(own), median(theirs)));
            }
        }
        let judgement = family.judge()?;
        let mut better = 0;
        for ((problem, evaluations, own, theirs), finding) in compared.into_iter().zip(judgement.findings()) {
            better += u32::from(evaluations == AT[1] && finding.holds());
            let cells =
                [other.clone(), problem.clone(), evaluations.to_string(), number(own), number(theirs)];
            let found = [number(finding.two_sided()), finding.direction().to_owned()];
            rows.push(cells.into_iter().chain(found).collect());
        }
        numbers.insert(format!("problems lower than {other} after 200"), f64::from(better));
    }
    let header = ["against", "problem", "evaluations", "thrifty", "other", "p (Holm)", "thrifty is"];
    let table = Table {
        name: "versus".into(),
        caption: "Medians; two-sided p of the logarithms by signed ranks against our own, by the rank sum against runs of other \
                  libraries, Holm-corrected over the rows of a method; the direction where it is below 0.05."
            .into(),
        header: header.map(String::from).to_vec(),
        rows,
    };
    Ok((table, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Rules made worse or better on purpose, paired and from another library.
    #[test]
    fn worse_and_better_rules_are_told_apart() {
        let regret = |i: usize| 0.1 + 0.01 * (i * 7 % 30) as f64;
        let of = |factor: f64, other: &str, seeds: usize| {
            let runs = |factor: f64| (0..30).map(|i| [1.0, factor * regret(i)]).collect::<Vec<_>>();
            let key = |method: &str| ("p".to_owned(), method.to_owned());
            let regrets = Regrets::from([(key(METHODS[0].0), runs(1.0)), (key(other), runs(factor))]);
            (judge(&regrets, seeds).unwrap().verdict(), versus(&regrets, seeds).unwrap().0.rows[1][6].clone())
        };
        let with = |factor: f64, other: &str| of(factor, other, 30);
        for other in [METHODS[1].0, "optuna"] {
            assert_eq!(of(3.0, other, 31).0, Verdict::Inconclusive);
            assert_eq!(with(3.0, other), (Verdict::Holds, "lower".into()), "{other}");
            assert_eq!(with(0.3, other), (Verdict::DoesNotHold, "higher".into()), "{other}");
        }
        assert_eq!(with(1.0, METHODS[1].0), (Verdict::Holds, "no difference".into()));
        assert_eq!(with(0.1, "hyperopt").0, Verdict::Inconclusive);
    }
}
