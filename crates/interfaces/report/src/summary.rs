//! Numbers that describe a study at a glance.

use crate::parameter::text;
use crate::report::Report;

/// Named lines of text: counts by state, the best trial, times, the origin of the ranges.
pub(crate) fn lines(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let trials = report.history.trials();
    let count = |name: &str| trials.iter().filter(|trial| trial.state() == name).count();
    let counts = format!(
        "{} ({} measured, {} failed, {} pruned, {} running)",
        trials.len(),
        count("measured"),
        count("failed"),
        count("pruned"),
        count("running")
    );
    let mut lines = vec![("trials", counts)];
    if report.objectives() > 1 {
        lines.push(("objectives", report.objectives().to_string()));
        if let Ok(set) = thrifty_search::ParetoSet::of(report.history) {
            let trials: Vec<String> = set.members.iter().map(|member| member.trial.0.to_string()).collect();
            lines.push(("Pareto set", format!("{} trials: {}", trials.len(), trials.join(", "))));
        }
    } else if let Some((trial, loss)) = report.history.best() {
        let objective = report.value(0, loss);
        let values = trial.query.iter().map(|(name, value)| format!("{name} = {}", text(value)));
        lines.push(("best objective", format!("{objective:?} (trial {})", trial.id.0)));
        lines.push(("best configuration", values.collect::<Vec<_>>().join(", ")));
    }
    if let Some(words) = &report.recommendation {
        lines.push(("recommended", words.clone()));
    }
    let directions = report.history.directions();
    if !directions.all_minimize() {
        lines.push(("directions", directions.names()));
    }
    let seconds = |of: fn(&thrifty_study::Timing) -> f64| -> f64 {
        trials.iter().map(|trial| of(&trial.timing)).filter(|seconds| seconds.is_finite()).sum()
    };
    lines.push(("evaluations", duration(seconds(|timing| timing.evaluate))));
    lines.push(("suggestions", duration(seconds(|timing| timing.ask))));
    lines.push(("seed", report.history.seed().0.to_string()));
    lines
}

/// Seconds in words, with three digits.
fn duration(seconds: f64) -> String {
    if seconds < 100.0 {
        format!("{seconds:.3} s")
    } else if seconds < 6000.0 {
        format!("{:.1} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_that_fit() {
        assert_eq!([0.0, 0.25, 120.0, 7200.0].map(duration), ["0.000 s", "0.250 s", "2.0 min", "2.0 h"]);
    }
}
