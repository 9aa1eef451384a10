//! Studies: any method over configurations, asked and told by hand, with a journal.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use thrifty::bo::ParetoSet;
use thrifty::fidelity::FidelityBest;
use thrifty::levelset::{Classified, Label};
use thrifty::pruning::PrunerKind;
use thrifty::sampling::Seed;
use thrifty::space::{Config, Space};
use thrifty::study::{
    AnyOptimizer, Best, Direction, History, Next, Optimizer as _, Outcome, StopReason, StudyError, Trial,
    TrialId,
};
use thrifty_report::{Figure, Report};

use crate::boundary::{Shared, failed, guarded, invalid, optimizer as unsolved, study as refused};
use crate::method::{Keywords, directions, fidelity, optimizer};
use crate::outcome::{Told, reason};
use crate::values::{Numbers, config, numbers, space};

struct Inner {
    space: Space,
    study: thrifty::study::Study<AnyOptimizer<Config>>,
}

/// A study of one method.
#[pyclass(frozen, module = "thrifty._thrifty")]
pub(crate) struct Study {
    inner: Shared<Inner>,
}

/// A trial for Python: number, values, diagnostics.
type Asked = (u64, Numbers, BTreeMap<String, f64>);

/// All that a study knows of a trial: number, values, state, objectives, constraints, cost, reports, message, diagnostics.
type Record = (
    u64,
    Numbers,
    &'static str,
    Vec<f64>,
    Vec<f64>,
    Option<f64>,
    Vec<(u64, f64)>,
    Option<String>,
    BTreeMap<String, f64>,
);

/// One recommended configuration: its trial where it is known, values, objectives, whether those were measured, and the interval of an
/// estimate.
type Recommended = (Option<u64>, Numbers, Vec<f64>, bool, Option<(f64, f64)>);

/// A classified domain: a point's values, label, mean, standard deviation, interval and probability; the level and its bounds.
type Classification = (Vec<(Numbers, &'static str, f64, f64, (f64, f64), f64)>, (f64, f64, f64), f64);

#[pymethods]
impl Study {
    #[new]
    #[pyo3(signature = (method, space_json, seed, settings_json=None, direction_names=Vec::new(), journal=None, pruner_json=None))]
    fn new(
        py: Python<'_>,
        method: &str,
        space_json: &str,
        seed: u64,
        settings_json: Option<&str>,
        direction_names: Vec<String>,
        journal: Option<PathBuf>,
        pruner_json: Option<&str>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let space = space(space_json)?;
            let keywords = Keywords::read(method, settings_json)?;
            let axis = fidelity(method, &space, &keywords);
            let directions = directions(method, &direction_names)?;
            let optimizer = optimizer(method, space.clone(), keywords, &directions)?;
            let mut study =
                thrifty::study::Study::new(optimizer, Seed(seed)).with_directions(directions.clone());
            if let Some(axis) = axis {
                study = study.with_comparable(move |config| axis.is_at_target(config));
            }
            if let Some(json) = pruner_json {
                let pruner: PrunerKind = Keywords::read("pruner", Some(json))?.settings()?;
                study = study.with_pruner(pruner.directed(directions.first()));
            }
            if let Some(path) = journal {
                study = study.with_journal(path).map_err(refused)?;
            }
            Ok(Self { inner: Shared::new(Inner { space, study }) })
        })
    }

    /// Takes the number of trials that are planned, unless the settings have it.
    fn plan(&self, py: Python<'_>, trials: usize) -> PyResult<()> {
        self.inner.with(py, |Inner { study, .. }| {
            study.plan(trials);
            Ok(())
        })
    }

    /// The next trial; or the reason for which there is none, empty where a running trial has to end first.
    fn ask(&self, py: Python<'_>) -> PyResult<(Option<Asked>, String)> {
        self.inner.with(py, |Inner { space, study }| {
            Ok(match study.ask().map_err(refused)? {
                Next::Evaluate(trial) => {
                    (Some((trial.id.0, numbers(space, &trial.query), trial.diagnostics)), String::new())
                }
                Next::Wait => (None, String::new()),
                Next::Stop(why) => (None, shown(study, &why)),
            })
        })
    }

    /// Records how a trial ended, and the seconds that its evaluation took where they are known.
    #[pyo3(signature = (trial, told, seconds=0.0))]
    fn tell(&self, py: Python<'_>, trial: u64, told: Told, seconds: f64) -> PyResult<()> {
        self.inner.with(py, |Inner { study, .. }| {
            let outcome = told.outcome(study.history().directions())?;
            let outcome = outcome.ok_or_else(|| invalid("a trial that runs was not evaluated"))?;
            let evaluation = Duration::try_from_secs_f64(seconds).map_err(invalid)?;
            study.tell_timed(TrialId(trial), outcome, evaluation).map_err(refused)
        })
    }

    /// Raises `ValueError` for a measurement of finite numbers that the method would refuse, whatever trial it is of.
    fn check_measurement(&self, py: Python<'_>, told: Told) -> PyResult<()> {
        self.inner.with(py, |Inner { study, .. }| {
            let outcome = told.outcome(study.history().directions())?;
            match outcome.as_ref().and_then(Outcome::measurement) {
                Some(measured) => study.optimizer().check_measurement(measured).map_err(invalid),
                None => Ok(()),
            }
        })
    }

    /// Records an intermediate value; true if the pruner would stop the trial.
    fn report(&self, py: Python<'_>, trial: u64, step: u64, value: f64) -> PyResult<bool> {
        self.inner.with(py, |Inner { study, .. }| {
            let loss = study.history().directions().first().flip(value);
            study.report(TrialId(trial), step, loss).map_err(refused)?;
            study.should_prune(TrialId(trial)).map_err(refused)
        })
    }

    /// Drops what a running trial reported: it is evaluated again from its first step.
    fn restart(&self, py: Python<'_>, trial: u64) -> PyResult<()> {
        self.inner.with(py, |Inner { study, .. }| study.restart(TrialId(trial)).map_err(refused))
    }

    /// Enqueues a configuration, not where it `skips` those whose values a trial or an entry of the queue has.
    #[pyo3(signature = (values, skips=false))]
    fn enqueue(&self, py: Python<'_>, values: Numbers, skips: bool) -> PyResult<()> {
        self.inner.with(py, |Inner { space, study }| {
            let config = config(space, &values)?;
            space.given(&config).map_err(invalid)?;
            let config = space.canonical(&config);
            let history = study.history();
            let has = |other: &Config| config.iter().all(|(name, value)| other.get(name) == Some(value));
            let mut known = history.trials().iter().map(|trial| &trial.query).chain(history.enqueued());
            if skips && known.any(has) {
                return Ok(());
            }
            study.enqueue(config).map_err(refused)
        })
    }

    /// Adds a trial, not where it `skips` those that are there.
    #[pyo3(signature = (values, told, skips=false))]
    fn add_known(&self, py: Python<'_>, values: Numbers, told: Told, skips: bool) -> PyResult<u64> {
        self.inner.with(py, |Inner { space, study }| {
            let outcome = told.outcome(study.history().directions())?;
            let outcome = outcome.ok_or_else(|| invalid("a known trial has an outcome"))?;
            let config = config(space, &values)?;
            space.validate(&config).map_err(invalid)?;
            let config = space.canonical(&config);
            let same = |trial: &&Trial<Config>| {
                trial.query == config && trial.outcome.as_ref() == Some(&outcome.clone().checked())
            };
            if let Some(known) = study.history().trials().iter().find(same).filter(|_| skips) {
                return Ok(known.id.0);
            }
            Ok(study.add_known(config, outcome).map_err(refused)?.0)
        })
    }

    /// The best of the measured trials that break no constraint.
    fn best(&self, py: Python<'_>) -> PyResult<Option<Recommended>> {
        self.inner.with(py, |Inner { space, study }| {
            let directions = study.history().directions().clone();
            let best = study.history().best();
            Ok(best.map(|(trial, loss)| {
                let measured = trial.outcome.as_ref().and_then(Outcome::measurement);
                let losses = measured.map_or_else(|| vec![loss], |m| m.objectives.clone());
                (Some(trial.id.0), numbers(space, &trial.query), directions.flip(&losses), true, None)
            }))
        })
    }

    /// The optimiser's recommendation: one configuration, or a Pareto set. Of several objectives there is no best one by the first alone.
    fn recommend(&self, py: Python<'_>) -> PyResult<Vec<Recommended>> {
        self.inner.with(py, |Inner { space, study }| {
            let directions = study.history().directions().clone();
            let Some(found) = study.recommend().map_err(refused)? else { return Ok(Vec::new()) };
            if let Some(set) = found.downcast_ref::<ParetoSet>() {
                return Ok(members(space, study.history(), set));
            }
            let history = study.history();
            let mut measured =
                history.trials().iter().filter_map(|trial| trial.outcome.as_ref()?.measurement());
            if measured.any(|m| m.objectives.len() > 1) {
                return Ok(members(space, history, &ParetoSet::of(history).map_err(unsolved)?));
            }
            let (config, value, is_observed, interval) =
                if let Some(best) = found.downcast_ref::<Best<Config>>() {
                    (&best.config, best.value, best.is_observed(), best.interval)
                } else if let Some(best) = found.downcast_ref::<FidelityBest>() {
                    (&best.config, best.value, false, Some(best.interval))
                } else {
                    return Err(invalid("a method that classifies recommends no configuration"));
                };
            let mut measured = history.measured().filter(|_| is_observed);
            let trial = measured.find(|(trial, loss)| trial.query == *config && *loss == value);
            let trial = trial.map(|(trial, _)| trial.id.0);
            let direction = directions.first();
            let interval = interval.map(|interval| direction.flip_interval(interval));
            Ok(vec![(trial, numbers(space, config), vec![direction.flip(value)], is_observed, interval)])
        })
    }

    /// The domain as a level-set study classifies it: points, the level with its bounds, the expected share of wrong points.
    fn classified(&self, py: Python<'_>) -> PyResult<Option<Classification>> {
        self.inner.with(py, |Inner { space, study }| {
            let Some(found) = study.recommend().map_err(refused)? else { return Ok(None) };
            let Some(found) = found.downcast_ref::<Classified>() else {
                return Err(invalid("a method that recommends configurations classifies no domain"));
            };
            let point = |(at, config): (usize, Config)| {
                let interval = (found.intervals().lower[at], found.intervals().upper[at]);
                let label = match found.labels()[at] {
                    Label::Above => "above",
                    Label::Below => "below",
                    Label::Undecided => "undecided",
                };
                let (mean, std_dev) = (found.means()[at], found.std_devs()[at]);
                (numbers(space, &config), label, mean, std_dev, interval, found.probability(at))
            };
            let points = found.configs(space).into_iter().enumerate().map(point).collect();
            let level = found.level();
            Ok(Some((points, (level.estimate, level.pessimistic, level.optimistic), found.misclassified())))
        })
    }

    fn trials(&self, py: Python<'_>) -> PyResult<Vec<Record>> {
        self.inner.with(py, |Inner { space, study }| Ok(records(space, study.history())))
    }

    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.inner.with(py, |Inner { study, .. }| Ok(study.warnings().to_vec()))
    }

    /// The report of the study as an HTML page.
    fn page(&self, py: Python<'_>, title: &str) -> PyResult<String> {
        self.inner.with(py, |Inner { space, study }| {
            Report::new(study.history(), Some(space)).and_then(|report| report.page(title)).map_err(failed)
        })
    }

    /// A figure of the study as SVG.
    fn figure(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.inner.with(py, |Inner { space, study }| {
            let figure = Figure::ALL.into_iter().find(|figure| figure.name() == name);
            let figure = figure.ok_or_else(|| {
                let names: Vec<&str> = Figure::ALL.iter().map(|figure| figure.name()).collect();
                invalid(format!("no figure {name}, expected one of {}", names.join(", ")))
            })?;
            Report::new(study.history(), Some(space)).and_then(|report| report.draw(figure)).map_err(failed)
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.inner.with(py, |Inner { study, .. }| Ok(study.history().len()))
    }
}

/// The members of a Pareto set, in the user's units. Under a rule for noise their objectives are posterior means.
fn members(space: &Space, history: &History<Config>, set: &ParetoSet) -> Vec<Recommended> {
    let member = |m: &thrifty::search::ParetoMember| {
        let trial = history.trials().iter().find(|trial| trial.id == m.trial);
        let measured = trial.and_then(|trial| trial.outcome.as_ref()?.measurement());
        let is_observed = measured.is_some_and(|measured| measured.objectives == m.objectives);
        let objectives = history.directions().flip(&m.objectives);
        (Some(m.trial.0), numbers(space, &m.config), objectives, is_observed, None)
    };
    set.members.iter().map(member).collect()
}

fn shown(study: &thrifty::study::Study<AnyOptimizer<Config>>, why: &StopReason) -> String {
    reason(why, study.history().directions())
}

/// The trials of a history, in the user's units.
fn records(space: &Space, history: &History<Config>) -> Vec<Record> {
    let directions = history.directions();
    let record = |trial: &Trial<Config>| {
        let measured = trial.outcome.as_ref().and_then(Outcome::measurement);
        let message = match &trial.outcome {
            Some(Outcome::Failed(failure)) => Some(failure.to_string()),
            _ => None,
        };
        let reports = trial.reports.iter();
        (
            trial.id.0,
            numbers(space, &trial.query),
            trial.state(),
            measured.map_or_else(Vec::new, |m| directions.flip(&m.objectives)),
            measured.map_or_else(Vec::new, |m| m.constraints.clone()),
            trial.outcome.as_ref().and_then(Outcome::cost),
            reports.map(|(step, loss)| (*step, directions.first().flip(*loss))).collect(),
            message,
            trial.diagnostics.clone(),
        )
    };
    history.trials().iter().map(record).collect()
}

/// Contents of a journal of configurations, whatever method wrote it: its space as JSON, the directions of its objectives, its trials.
#[pyfunction]
pub(crate) fn read_journal(
    py: Python<'_>,
    path: PathBuf,
) -> PyResult<(String, Vec<&'static str>, Vec<Record>)> {
    guarded(py, || {
        let history: History<Config> =
            History::read(&path).map_err(|error| refused(StudyError::Journal(error)))?;
        let json = history.recorded_setting("space").map(ToString::to_string);
        let json = json.ok_or_else(|| failed("the journal does not hold its space, as those of format 1"))?;
        let space = space(&json)?;
        let objectives = history.trials().iter().filter_map(|trial| trial.outcome.as_ref()?.measurement());
        let measured = objectives.map(|m| m.objectives.len()).max();
        let named = history.directions().as_slice().len();
        let objectives = measured.unwrap_or(1).max(named);
        let names = (0..objectives).map(|at| match history.directions().of(at) {
            Direction::Minimize => "minimize",
            Direction::Maximize => "maximize",
        });
        let names = names.collect();
        Ok((json, names, records(&space, &history)))
    })
}
