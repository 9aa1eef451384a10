//! Warnings: signs that a study should not be read as it stands.

use thrifty_check::counted;
use thrifty_space::{Config, Kind};
use thrifty_study::Trial;

use crate::report::Report;

/// Share of failed trials from which there is a warning.
const MANY_FAILURES: f64 = 0.2;

/// Distance to an end of the range, as a share of it, within which the best trial is at the end.
const AT_THE_END: f64 = 0.01;

/// Sentences, the most severe first.
pub(crate) fn warnings(report: &Report<'_>) -> Vec<String> {
    let trials = report.history.trials();
    let mut warnings = Vec::new();
    if report.measured().is_empty() {
        warnings.push("No trial was measured.".into());
    } else if report.compared().is_empty() {
        warnings.push("No trial was measured at the target fidelity.".into());
    } else if report.history.best().is_none() {
        warnings.push("Every measured trial breaks a constraint.".into());
    }
    let failed = trials.iter().filter(|trial| trial.state() == "failed").count();
    if failed > 0 && failed as f64 >= MANY_FAILURES * trials.len() as f64 {
        warnings.push(format!("{failed} of {} trials failed; the table has the reasons.", trials.len()));
    }
    let running = trials.iter().filter(|trial| trial.outcome.is_none()).count();
    if running > 0 {
        warnings.push(format!(
            "{} without an outcome: the study is running or was interrupted.",
            counted(running, "trials")
        ));
    }
    let outside = trials.iter().filter(|trial| report.space.validate(&trial.query).is_err()).count();
    if outside > 0 && !report.is_derived {
        warnings.push(format!("{} outside the space of the study file.", counted(outside, "trials")));
    }
    if report.is_derived {
        warnings.push(
            "The space of the study is not known: ranges and scales of the parameters are derived from the trials."
                .into(),
        );
    } else if report.objectives() == 1 {
        warnings.extend(report.history.best().into_iter().flat_map(|(trial, _)| at_the_ends(report, trial)));
    }
    let repeated = repeated(trials);
    if repeated > 0 {
        warnings.push(format!("{} with the configuration of an earlier one.", counted(repeated, "trials")));
    }
    warnings
}

/// Parameters whose best value lies at an end of its range.
fn at_the_ends(report: &Report<'_>, best: &Trial<Config>) -> Vec<String> {
    let continuous = report.space.parameters().iter().zip(&report.parameters);
    let continuous = continuous.filter(|(parameter, _)| matches!(parameter.kind, Kind::Float { .. }));
    continuous
        .filter_map(|(parameter, axis)| {
            let place = axis.place(best.query.get(&parameter.name)?)?;
            let end = if place <= AT_THE_END {
                "lower"
            } else if place >= 1.0 - AT_THE_END {
                "upper"
            } else {
                return None;
            };
            Some(format!(
                "The best trial has {} at the {end} end of its range: a wider range may be better.",
                parameter.name
            ))
        })
        .collect()
}

/// Number of trials with the configuration of an earlier trial.
fn repeated(trials: &[Trial<Config>]) -> usize {
    let text = |config: &Config| {
        let values: Vec<String> = config.iter().map(|(name, value)| format!("{name:?}={value:?}")).collect();
        values.join(";")
    };
    let mut seen = std::collections::HashSet::new();
    trials.iter().filter(|trial| !seen.insert(text(&trial.query))).count()
}
