//! Evaluations at which diagnostics would have stopped a run.

use std::collections::BTreeMap;

use thrifty_levelset::DiagnosticStop;

use super::traced::Traced;
use crate::harness::stats::quantile;
use crate::harness::{Table, number};

/// A share of the domain that is as good as none.
pub const SMALL: f64 = 0.005;
const TIMES: usize = 3;

/// The diagnostics of the protocol put right, each three times in a row, and all of them together.
pub fn rules() -> [(&'static str, DiagnosticStop); 5] {
    let stable = || DiagnosticStop::boundary_stable(SMALL, TIMES);
    let contracted = || DiagnosticStop::contracted(1e-3, TIMES);
    let improved = || DiagnosticStop::no_improvement(0.01, TIMES);
    let known = || DiagnosticStop::misclassified(SMALL, TIMES);
    [
        ("no improvement: max EI below 1 % of the deviation", improved()),
        ("boundary stable: Δ below 0.5 %", stable()),
        ("contracted: mean variance below 0.1 %", contracted()),
        ("expected misclassified volume below 0.5 %", known()),
        ("the last three together", DiagnosticStop::All(vec![stable(), contracted(), known()])),
    ]
}

/// The evaluations after which a rule first holds.
fn fires(rule: &DiagnosticStop, series: &[BTreeMap<String, f64>]) -> Option<usize> {
    let all: Vec<&BTreeMap<String, f64>> = series.iter().collect();
    (0..all.len()).find(|at| rule.holds(&all[..=*at]))
}

/// Evaluations at which each rule would have stopped the runs, and the quality of the classification there.
pub fn table(runs: &[&Traced]) -> Table {
    let rows = rules().into_iter().map(|(name, rule)| {
        let stopped: Vec<(usize, f64, f64)> = runs
            .iter()
            .filter_map(|run| {
                let at = fires(&rule, &run.diagnostics)?;
                Some((at, run.wrong[at], run.iou[at]))
            })
            .collect();
        let median = |of: fn(&(usize, f64, f64)) -> f64| {
            if stopped.is_empty() {
                return "-".to_owned();
            }
            number(quantile(&stopped.iter().map(of).collect::<Vec<f64>>(), 0.5))
        };
        let early = stopped.iter().filter(|(_, wrong, _)| *wrong > 2.0 * SMALL).count();
        vec![
            name.to_owned(),
            format!("{} of {}", stopped.len(), runs.len()),
            median(|stop| stop.0 as f64),
            median(|stop| stop.1),
            median(|stop| stop.2),
            early.to_string(),
        ]
    });
    Table {
        name: "stops".into(),
        caption: "Where each rule, three times in a row, would have stopped the protocol: the median evaluation, the true misclassified volume \
                  and intersection over union then, and how many runs would have been stopped with more than 1 % of the domain on the wrong \
                  side."
            .into(),
        header: ["rule", "stops", "after", "misclassified then", "IoU then", "too early"].map(String::from).to_vec(),
        rows: rows.collect(),
    }
}

/// Evaluation at which the rule that asks for all stops, if it does, and the share that is wrong there.
pub fn combined(run: &Traced) -> Option<(usize, f64)> {
    let [.., (_, rule)] = rules();
    fires(&rule, &run.diagnostics).map(|at| (at, run.wrong[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_fires_once_it_has_held_three_times() {
        let entry = |value: f64| BTreeMap::from([("misclassified".to_owned(), value)]);
        let series = [0.1, 0.001, 0.001, 0.1, 0.001, 0.001, 0.001, 0.001].map(entry);
        assert_eq!(fires(&rules()[3].1, &series), Some(6));
        assert_eq!(fires(&rules()[3].1, &series[..6]), None);
        assert_eq!(fires(&rules()[4].1, &series), None);
    }
}
