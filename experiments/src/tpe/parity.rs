//! Presets beside the libraries whose rules they have.

use std::collections::BTreeMap;

use thrifty_tpe::{Joint, TpeSettings};

use super::runs::{AT, Method, collect, has_branches, read_peers, runs_on_title};
use super::scored::{NAMES, both};
use crate::error::ExperimentError;
use crate::harness::ablation::NO_REGRET;
use crate::harness::claims::{Claim, Family, Judgement, Kind, Rule, Sample as Evidence, Test};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Report, RunContext, Table, Verdict, number};
use crate::verify;

pub const EXPERIMENT: Experiment = Experiment {
    id: "tpe/parity",
    paper: "Hyperopt 0.3.0 and Optuna 5.0.0: numbers of their own functions, and whole runs of Optuna (--peers)",
    claim: "the presets hyperopt and optuna5 have the rules of those libraries: mixtures to 1e-12, log densities to 1e-10, and runs that end alike",
    quick_cost: "157 cases: a second",
    full_cost: "the same, and 100 runs of the preset on ten problems: half a minute",
    run,
};

/// Presets under the names that the methods have in the file of peers.
const METHODS: [Method; 2] = [
    ("optuna", TpeSettings::optuna5),
    ("optuna grouped", || TpeSettings { joint: Joint::Grouped, ..TpeSettings::optuna5() }),
];

/// The worst error is within the tolerance; a case that could not be computed at all is as far off as can be.
fn as_printed(family: &str, worst_error: f64, tolerance: f64) -> (Claim, Evidence) {
    let worst = if worst_error.is_finite() { worst_error } else { f64::MAX };
    (Claim::exact(family, 0.0, tolerance), Evidence::Values(vec![worst]))
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let lines = verify::tpe_lines()?;
    let mut rows = Vec::new();
    let mut numbers = Family::new(Rule::All);
    for line in &lines {
        let (claim, sample) = as_printed(&line.family, line.worst_error, line.tolerance);
        numbers.push(claim, sample);
        rows.push(vec![
            line.family.clone(),
            line.cases.to_string(),
            number(line.worst_error),
            number(line.tolerance),
            if line.pass { "yes" } else { "no" }.into(),
        ]);
    }
    let header = ["what", "cases", "worst error", "tolerance", "within"];
    let mut tables = vec![Table {
        name: "numbers".into(),
        caption: "Against numbers of the libraries' own functions, ties in the order of the trials.".into(),
        header: header.map(String::from).to_vec(),
        rows,
    }];
    let (table, runs) = alike(context)?;
    let notes = match (&context.peers, table) {
        (None, _) => "Whole runs are compared when --peers names runs of Optuna.".into(),
        (Some(path), None) => format!("{} has no runs of these methods and problems.", path.display()),
        (Some(_), Some(table)) => {
            let of = table.rows.len();
            tables.push(table);
            format!(
                "Whole runs: the medians of log₁₀ of the regret are within {TOLERANCE} of each other in {} of {of} comparisons, and are \
                 not in {}.",
                runs.count(Verdict::Holds),
                runs.count(Verdict::DoesNotHold)
            )
        }
    };
    Ok(Report {
        judgement: Judgement::all(vec![numbers.judge()?, runs]),
        numbers: BTreeMap::from([("families".to_owned(), lines.len() as f64)]),
        settings: BTreeMap::new(),
        notes: vec![notes],
        tables,
        figures: Vec::new(),
    })
}

/// Shift of log₁₀ of the regret that is no difference.
const TOLERANCE: f64 = 0.2;

/// Regrets of our own runs are shifted by no more than the tolerance.
fn as_the_library(name: String, own: Vec<f64>, other: Vec<f64>, planned: usize) -> (Claim, Evidence) {
    let kind = Kind::EqualTo { value: 0.0, tolerance: TOLERANCE };
    (Claim::new(name, kind, Test::RankSum, planned), Evidence::Independent { own, other })
}

/// True for the comparisons of the claim: the grouped rules are others where parameters have conditions alone.
fn is_compared((problem, method): &(String, String)) -> bool {
    method == METHODS[0].0 || has_branches(problem)
}

/// Regrets of the presets beside those of the library, and whether they are alike; without runs of the library that is undecided.
fn alike(context: &RunContext) -> Result<(Option<Table>, Judgement), ExperimentError> {
    let problems = both(&NAMES);
    let theirs =
        context.peers.as_ref().map(|path| read_peers(path, &problems)).transpose()?.unwrap_or_default();
    let n = context.replications(20, 100);
    if theirs.is_empty() {
        let (claim, none) = as_the_library("runs as the library's".into(), Vec::new(), Vec::new(), n.planned);
        return Ok((None, Family::new(Rule::All).with(claim, none).judge()?));
    }
    let own = collect((EXPERIMENT.id, context), &METHODS, &problems, n.run)?;
    let (mut compared, mut family) = (Vec::new(), Family::new(Rule::All));
    // Without runs of the library a problem is undecided too.
    for (key, own) in own.iter().filter(|(key, _)| is_compared(key)) {
        let theirs = theirs.get(key).map_or(&[][..], Vec::as_slice);
        for (at, evaluations) in AT.into_iter().enumerate() {
            let logs =
                |runs: &[[f64; 2]]| runs.iter().map(|r| r[at].max(NO_REGRET).log10()).collect::<Vec<f64>>();
            let median = |runs: &[[f64; 2]]| match runs {
                [] => f64::NAN,
                runs => quantile(&runs.iter().map(|r| r[at]).collect::<Vec<f64>>(), 0.5),
            };
            let name = format!("{} on {} at {evaluations}: runs as the library's", key.1, key.0);
            let (claim, sample) =
                as_the_library(name, logs(own), logs(theirs), runs_on_title(&key.0, n.planned));
            family.push(claim, sample);
            compared.push((key, evaluations, median(own), median(theirs)));
        }
    }
    let judgement = family.judge()?;
    let rows = compared.into_iter().zip(judgement.findings()).map(
        |(((problem, method), evaluations, own, theirs), finding)| {
            vec![
                method.clone(),
                problem.clone(),
                evaluations.to_string(),
                number(own),
                number(theirs),
                finding.effect_text(),
                finding.verdict().to_string(),
            ]
        },
    );
    let header = ["method", "problem", "evaluations", "preset", "library", "shift of log₁₀", "alike"];
    let table = Table {
        name: "regrets".into(),
        caption: "Median regrets of whole runs, and the shift of their logarithms with its 95 % interval by the rank sum.".into(),
        header: header.map(String::from).to_vec(),
        rows: rows.collect(),
    };
    Ok((Some(table), judgement))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(pairs: Vec<(Claim, Evidence)>) -> Verdict {
        let mut family = Family::new(Rule::All);
        pairs.into_iter().for_each(|(claim, sample)| family.push(claim, sample));
        family.judge().unwrap().verdict()
    }

    /// Rules made worse: a number that is off or missing, and runs that are shifted by a factor of ten.
    #[test]
    fn other_numbers_and_other_runs_are_found() {
        let numbers = |worst| verdict(vec![as_printed("a", 0.0, 1e-12), as_printed("b", worst, 1e-10)]);
        assert_eq!(numbers(1e-11), Verdict::Holds);
        assert_eq!(numbers(1e-9), Verdict::DoesNotHold);
        assert_eq!(numbers(f64::NAN), Verdict::DoesNotHold);
        let of_runs = |shift: f64, planned: usize| {
            let of =
                |shift: f64| (0..100).map(|i| 0.01 * f64::from(i * 37 % 100) + shift).collect::<Vec<f64>>();
            verdict(vec![as_the_library("runs".into(), of(shift), of(0.0), planned)])
        };
        let runs = |shift: f64| of_runs(shift, 100);
        assert_eq!(of_runs(0.0, 101), Verdict::Inconclusive);
        assert_eq!(
            alike(&RunContext::default()).unwrap().1.verdict(),
            Verdict::Inconclusive,
            "no runs at all"
        );
        assert_eq!(runs(0.0), Verdict::Holds);
        assert_eq!(runs(1.0), Verdict::DoesNotHold);
        assert_eq!(runs(-1.0), Verdict::DoesNotHold);
        assert_eq!(runs(TOLERANCE), Verdict::Inconclusive);
    }
}
