//! Tables of the substitute tasks.

use super::bench::Run;
use super::priors::{Appendix, Reading};
use super::published::{Published, ROWS, TABLE_6};
use super::{Finding, Swept};
use crate::autobct::paper::{GAMMA, RUNS, Row};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Table, number};

fn header(names: &[&str]) -> Vec<String> {
    names.iter().copied().map(String::from).collect()
}

fn short(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { "-".into() }
}

fn controls(control: &[f64]) -> String {
    control.iter().map(|u| format!("{u:.2}")).collect::<Vec<_>>().join(", ")
}

/// Every training of the first run, where the paper prints those of one: tables 4, 5 and 6.
pub fn trainings(finding: &Finding<'_>) -> Option<Table> {
    let table = match finding.stand_in.appendix {
        Appendix::D2 => 4,
        Appendix::D3 => 5,
        Appendix::D4(_) => 6,
        _ => return None,
    };
    let mut rows = Vec::new();
    for (name, runs) in &finding.policies {
        let mut spent = 0.0;
        for (n, step) in runs[0].steps.iter().enumerate() {
            spent += step.cost;
            let start = [(*name).to_owned(), (n + 1).to_string()];
            let numbers = [step.score, step.cost, spent].map(short);
            let trained = [controls(&step.control), finding.stand_in.task.meaning(&step.control)];
            let then = [step.mean, step.value].map(short);
            rows.push(start.into_iter().chain(numbers).chain(trained).chain(then).collect());
        }
    }
    rows.extend(published(table));
    Some(Table {
        name: match finding.stand_in.appendix {
            Appendix::D4(Reading::Polynomial) => format!("table-{table}-printed-polynomial"),
            _ => format!("table-{table}"),
        },
        caption: "The first run: trainings, their scores and costs, controls, the expected score of what was trained last and the value of \
                  going on; then the paper's run."
            .into(),
        header: header(&["run", "n", "h", "t", "Σ t", "u", "trained", "expected h", "V"]),
        rows,
    })
}

/// The paper's run of table 4, 5 or 6.
fn published(table: usize) -> Vec<Vec<String>> {
    let of_one = |row: &Row| [row.score, row.cost, row.mean, row.value];
    let printed: Vec<([f64; 4], Vec<f64>)> = match table {
        6 => TABLE_6.iter().map(|&[h, t, u, v, mean, value]| ([h, t, mean, value], vec![u, v])).collect(),
        _ => RUNS[table - 1].rows.iter().map(|row| (of_one(row), vec![row.control])).collect(),
    };
    let mut spent = 0.0;
    let mut rows = Vec::new();
    for (n, ([h, t, mean, value], control)) in printed.into_iter().enumerate() {
        spent += t;
        let numbers = [h, t, spent].map(short);
        let start = [format!("paper, table {table}"), (n + 1).to_string()];
        let end = [controls(&control), "-".into(), short(mean), short(value)];
        rows.push(start.into_iter().chain(numbers).chain(end).collect());
    }
    rows
}

/// The end of all runs, beside the paper's.
pub fn summary(findings: &[Finding<'_>]) -> Table {
    let mut rows = Vec::new();
    for finding in findings {
        for (p, (name, runs)) in finding.policies.iter().enumerate() {
            rows.push(of_policy(finding, p, name, runs));
        }
        for row in ROWS.iter().filter(|row| row.beside == finding.name()) {
            rows.push(of_paper(row));
        }
    }
    Table {
        name: "summary".into(),
        caption: "The end of all runs, mean (deviation): trainings, the first score and the last, cost in all, score less γ times cost, last \
                  controls, their expected score, the value of going on; share of the runs that ended by decision, scores and costs \
                  outside of [0, 1] in a run. Then the paper's."
            .into(),
        header: header(&[
            "stand-in", "runs", "trainings", "first h", "final h", "Σ t", "h - γ Σ t", "final u", "expected h", "V", "decided", "outside",
        ]),
        rows,
    }
}

fn of_policy(finding: &Finding<'_>, policy: usize, name: &str, runs: &[Run]) -> Vec<String> {
    let spread = |of: &dyn Fn(&Run) -> f64| {
        let (mean, std_dev) = finding.over(policy, of);
        if runs.len() > 1 { format!("{mean:.3} ({std_dev:.2})") } else { format!("{mean:.3}") }
    };
    let last = (0..finding.stand_in.controls).map(|d| spread(&|run| run.last().control[d]));
    let stopped: Vec<f64> =
        runs.iter().map(|run| run.last().value).filter(|value| value.is_finite()).collect();
    vec![
        format!("{}, {name}", finding.name()),
        runs.len().to_string(),
        spread(&|run| run.steps.len() as f64),
        spread(&|run| run.steps[0].score),
        spread(&|run| run.last().score),
        spread(&Run::spent),
        spread(&|run| run.last().score - GAMMA * run.spent()),
        last.collect::<Vec<_>>().join(", "),
        spread(&|run| run.last().mean),
        if stopped.is_empty() { "-".into() } else { short(mean_and_std_dev(&stopped).0) },
        number(finding.over(policy, |run| f64::from(u8::from(run.decided))).0),
        number(finding.over(policy, |run| run.outside as f64).0),
    ]
}

fn of_paper(row: &Published) -> Vec<String> {
    let printed = [row.trainings, "-", row.score, row.spent, "-", row.control, row.mean, row.value, "-", "-"];
    [row.name, if row.name.contains("table 7") { "40" } else { "1" }]
        .into_iter()
        .chain(printed)
        .map(String::from)
        .collect()
}

/// Sweeps over the controls: what there was to find.
pub fn landscapes(findings: &[Finding<'_>]) -> Table {
    let row = |finding: &Finding<'_>| {
        let best = |of: fn(f64, f64) -> f64| {
            let value = |at: usize| of(finding.sweep[at].score, finding.sweep[at].cost);
            let at = (0..finding.sweep.len())
                .fold(0, |best, next| if value(next) > value(best) { next } else { best });
            let swept = &finding.sweep[at];
            let meaning = finding.stand_in.task.meaning(&swept.control);
            format!(
                "{} for {} at {} ({meaning})",
                short(swept.score),
                short(swept.cost),
                controls(&swept.control)
            )
        };
        let bounds = |of: fn(&Swept) -> f64| {
            let values = || finding.sweep.iter().map(of);
            let (low, high) =
                (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            format!("{} to {}", short(low), short(high))
        };
        vec![
            finding.name().to_owned(),
            number(finding.reference),
            bounds(|swept| swept.score),
            bounds(|swept| swept.cost),
            best(|h, _| h),
            best(|h, t| h - GAMMA * t.max(0.0)),
            short(finding.of_a_random_control()),
        ]
    };
    Table {
        name: "landscapes".into(),
        caption: "Sweeps over the controls, one training each, apart from the runs: the measured cost of the reference, scores, costs, where \
                  the score is highest, and where score less γ times cost is, each with its cost."
            .into(),
        header: header(&["stand-in", "reference", "h", "t", "highest h", "highest h - γ t", "mean h - γ t"]),
        rows: findings.iter().map(row).collect(),
    }
}
