//! Training under a budget as an optimiser.

mod look_ahead;
mod progress;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thrifty_check::InputError;
use thrifty_domain::Points;
use thrifty_linear::{Basis, SmoothingSpline};
use thrifty_prob::quantile;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, Measurement, MeasurementProblem, Optimizer, OptimizerError, StopReason,
    Suggestion, TrialId,
};

use self::progress::{Place, Progress};
use crate::decision::controls::MOST;
use crate::{AutoBctError, AutoBctSettings, Controls, Decision, NoiseStdDev, State, ValueMap, Values};

/// Training under a budget: Algorithm 4 of the paper, by exact look-ahead or with a map.
///
/// Before each training the beliefs about score and cost are brought up to date, and the control is the one of highest value; when the
/// expected score of what was trained last is at least the value of going on, the study stops with the numbers behind it.
/// Trials have one objective, the score's raw value, and a cost. A training from elsewhere is learnt at its own control, on the grid or
/// not. One training at a time: another is not suggested
/// while one runs. A failed training is not learnt from, and its control is not tried again, unless the failure has
/// nothing to do with it; its cost is spent. Constraints of measurements are not used.
///
/// Diagnostics of a suggestion: `value` (of going on), `stop` (the expected score of the last training, if there is one), `expected_score`
/// and `expected_cost` of what is suggested, `spent`, and `outside`: how many reported values so far lay outside of
/// [0, 1] on the scale of the model, a sign that scales are declared badly.
pub struct AutoBct {
    space: Space,
    settings: AutoBctSettings,
    prior: State,
    decision: Decision,
    map: Option<ValueMap>,
    smoother: Option<SmoothingSpline>,
    /// Bases of score and cost.
    bases: [Arc<dyn Basis>; 2],
    noise_at: NoiseAt,
    /// Name of a noise that depends on the control.
    noise: Option<String>,
}

/// Standard deviations of the noise at a point of the unit cube.
type NoiseAt = Arc<dyn Fn(&[f64]) -> NoiseStdDev + Send + Sync>;

impl AutoBct {
    /// An optimiser with bases of score and cost over the columns of the space, and the prior of their coefficients. Bases of any type may
    /// be behind an `Arc<dyn Basis>`.
    ///
    /// # Errors
    /// [`OptimizerError`] names the setting, basis or belief that does not fit.
    pub fn new(
        space: Space,
        score: &(impl Basis + Clone + 'static),
        cost: &(impl Basis + Clone + 'static),
        prior: State,
        settings: AutoBctSettings,
    ) -> Result<Self, OptimizerError> {
        let noise = settings.noise_std_dev;
        let bases: [Arc<dyn Basis>; 2] = [Arc::new(score.clone()), Arc::new(cost.clone())];
        Self::build(space, bases, prior, settings, Arc::new(move |_| noise))
    }

    /// Algorithm 4 of `cironis2022`: settings as those of [`AutoBctSettings::paper`] before a value function. A map of
    /// [`MapSettings::paper`](crate::MapSettings::paper) is Algorithm 3; a map of one training, which is exact, gives two
    /// trainings on the fly, Algorithm 5.
    ///
    /// # Errors
    /// As [`AutoBct::new`] and [`AutoBct::with_value_function`].
    pub fn paper(
        space: Space,
        [score, cost]: [&(impl Basis + Clone + 'static); 2],
        prior: State,
        settings: AutoBctSettings,
        map: ValueMap,
    ) -> Result<Self, OptimizerError> {
        Self::new(space, score, cost, prior, settings)?.with_value_function(map)
    }

    /// An optimiser with observation noise that depends on the control: `σ_H(u)` and `σ_T(u)`, standard deviations on the scales of the
    /// model. [`AutoBctSettings::noise_std_dev`] is not used; `name` stands for the function in journals.
    ///
    /// # Errors
    /// As [`AutoBct::new`], and for a standard deviation that is not positive and finite at one of the controls.
    pub fn with_noise(
        space: &Space,
        [score, cost]: [&(impl Basis + Clone + 'static); 2],
        prior: State,
        settings: AutoBctSettings,
        name: impl Into<String>,
        noise: impl Fn(&Config) -> NoiseStdDev + Send + Sync + 'static,
    ) -> Result<Self, OptimizerError> {
        let of_space = space.clone();
        let at = move |point: &[f64]| noise(&of_space.decode(point));
        let bases: [Arc<dyn Basis>; 2] = [Arc::new(score.clone()), Arc::new(cost.clone())];
        let built = Self::build(space.clone(), bases, prior, settings, Arc::new(at))?;
        Ok(Self { noise: Some(name.into()), ..built })
    }

    fn build(
        space: Space,
        bases: [Arc<dyn Basis>; 2],
        prior: State,
        settings: AutoBctSettings,
        noise_at: NoiseAt,
    ) -> Result<Self, OptimizerError> {
        let failed = |error: AutoBctError| match error {
            AutoBctError::Input(InputError::Number { name, value, expected }) => {
                OptimizerError::InvalidSetting {
                    name: name.into(),
                    value: value.to_string(),
                    expected: expected.into(),
                }
            }
            other => OptimizerError::failed("setting up training under a budget", other),
        };
        settings.validate().map_err(failed)?;
        let [score, cost] = &bases;
        for (basis, belief) in [(score, &prior.score), (cost, &prior.cost)] {
            thrifty_check::length("coefficients of a belief", belief.len(), basis.len())
                .map_err(|error| failed(error.into()))?;
        }
        let controls = |name, count: usize| -> Result<Controls, AutoBctError> {
            Controls::new(choices(&space, name, count)?.as_ref(), score, cost, |point| noise_at(point))
        };
        let now = controls("controls of each number", settings.grid).map_err(failed)?;
        let later = controls("later controls of each number", settings.later_grid).map_err(failed)?;
        let decision = Decision::with_later(settings.gamma, now, later, settings.of_cost).map_err(failed)?;
        let smoother = if settings.smooth {
            let points = decision.controls().points();
            let expected = "a number of which the grid has at most 3000 controls to smooth (`smooth`)";
            let fits = points.len() <= SmoothingSpline::MOST_POINTS;
            thrifty_check::number("controls of each number", settings.grid as f64, fits, expected)
                .map_err(|error| failed(error.into()))?;
            Some(SmoothingSpline::new(points.as_ref()).map_err(|error| failed(error.into()))?)
        } else {
            None
        };
        Ok(Self { space, settings, prior, decision, map: None, smoother, bases, noise_at, noise: None })
    }

    /// Sets a value function for what follows after the trainings that are looked ahead: Algorithm 4 as it is in the paper. `epsilon` is then taken off
    /// its values, (3.18). A plan with a horizon uses its value of as many trainings as are left; the last two are exact without it.
    ///
    /// # Errors
    /// [`OptimizerError`] names what the map was built for and this problem is not.
    pub fn with_value_function(mut self, map: ValueMap) -> Result<Self, OptimizerError> {
        map.level(map.depth(), &self.decision)
            .map_err(|error| OptimizerError::failed("setting up training under a budget", error))?;
        self.map = Some(map);
        Ok(self)
    }

    /// The decision problem.
    #[must_use]
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The state after a history.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial that is none of this problem, without a cost, or with a value that its scale
    /// does not take.
    pub fn state(&self, history: &History<Config>) -> Result<State, OptimizerError> {
        Ok(self.progress(history)?.state)
    }

    /// Configurations of the controls, in the order of [`Values::of_controls`].
    #[must_use]
    pub fn controls(&self) -> Vec<Config> {
        let points = self.decision.controls().points();
        (0..self.decision.controls().len()).map(|control| self.space.decode(points.row(control))).collect()
    }

    /// The value of stopping: the expected score of the last training that did not fail; nothing before there is one.
    ///
    /// # Errors
    /// As [`AutoBct::state`].
    pub fn stopping_value(&self, history: &History<Config>) -> Result<Option<f64>, OptimizerError> {
        let progress = self.progress(history)?;
        Ok(progress.last.as_ref().map(|(place, _)| self.score_at(&progress, place)))
    }

    /// The value of training each control next, with what follows as the plan has it; nothing when the horizon is over.
    ///
    /// [`AutoBct::stopping_value`] is what stopping is worth.
    ///
    /// # Errors
    /// As [`AutoBct::state`].
    pub fn training_values(&self, history: &History<Config>) -> Result<Option<Values>, OptimizerError> {
        self.values(&self.progress(history)?)
    }

    fn stop(message: &str, progress: &Progress, numbers: &[(&str, f64)]) -> Ask<Config> {
        let mut all = BTreeMap::from([
            ("trainings".to_owned(), progress.trained.len() as f64),
            ("spent".to_owned(), progress.spent),
        ]);
        all.extend(numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)));
        Ask::Stop(StopReason::Decided { message: message.into(), numbers: all })
    }
}

impl Optimizer for AutoBct {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, _: TrialId) -> Result<Ask<Config>, OptimizerError> {
        if history.pending().next().is_some() {
            return Ok(Ask::Wait);
        }
        let progress = self.progress(history)?;
        let controls = self.decision.controls();
        let expected = progress.last.as_ref().map(|(place, _)| self.score_at(&progress, place));
        let score = expected.unwrap_or(f64::NEG_INFINITY);
        // There is none before the first score.
        let guards: Vec<(&str, f64)> = expected.map(|score| ("expected_score", score)).into_iter().collect();
        if history.len() >= self.settings.max_epochs {
            return Ok(Self::stop("as many trainings as allowed", &progress, &guards));
        }
        if progress.spent >= self.settings.max_cost {
            return Ok(Self::stop("as much cost as allowed", &progress, &guards));
        }
        let Some(values) = self.values(&progress)? else {
            return Ok(Self::stop("the last training of the horizon", &progress, &guards));
        };
        let open = (0..controls.len()).filter(|control| !progress.failed.contains(control));
        let better = |best: usize, next: usize| {
            if values.of_controls[next] > values.of_controls[best] { next } else { best }
        };
        let Some(control) = open.reduce(better) else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        let value = values.of_controls[control];
        // Values that end with a map have caution in them already.
        let is_mapped = self.ahead(&progress).is_some_and(|(_, level)| level.is_some());
        let epsilon = if is_mapped { 0.0 } else { self.settings.epsilon };
        let cautious = value - epsilon * value.abs();
        if score >= cautious {
            let numbers = [("expected_score", score), ("value", value)];
            return Ok(Self::stop("what was trained is worth as much as going on", &progress, &numbers));
        }
        let query = self.space.decode(controls.points().row(control));
        let mut suggestion = Suggestion::new(query)
            .with_diagnostic("value", value)
            .with_diagnostic("expected_score", progress.state.score_at(controls, control))
            .with_diagnostic("expected_cost", progress.state.cost_at(controls, control))
            .with_diagnostic("spent", progress.spent)
            .with_diagnostic("outside", progress.outside as f64);
        if let Some(expected) = expected {
            suggestion = suggestion.with_diagnostic("stop", expected);
        }
        Ok(Ask::Evaluate(suggestion))
    }

    /// The trained configuration with the best posterior score; the value is that score.
    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        let progress = self.progress(history)?;
        let score = |(place, _): &(Place, usize)| self.score_at(&progress, place);
        let best = if self.settings.recall_best {
            progress.trained.iter().reduce(|a, b| if score(b) > score(a) { b } else { a })
        } else {
            progress.last.as_ref()
        };
        // The model has a scale of its own, the value of a recommendation is the objective's.
        let raw = |score| self.settings.score.invert(score);
        Ok(best.map(|best| {
            let half = quantile(0.975) * self.score_variance_at(&progress, &best.0).sqrt();
            let mean = score(best);
            // A scale may be turned around.
            let (one, other) = (raw(mean - half), raw(mean + half));
            let config = history.trials()[best.1].query.clone();
            Best::posterior(config, raw(mean)).with_interval((one.min(other), one.max(other)))
        }))
    }

    /// A control is whole: what to train is no choice of a part.
    fn check(&self, query: &Config, _: bool) -> Result<(), OptimizerError> {
        let checked = self.space.validate(query);
        checked.map_err(|error| OptimizerError::failed("a control from elsewhere", error))
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.require_usable(measurement)
    }

    fn canonical(&self, query: Config) -> Config {
        self.space.canonical(&query)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let [score, cost] = &self.bases;
        let ours = Fingerprint::new("training under a budget")
            .with("settings", &self.settings)?
            .with("prior", &self.prior)?
            .with("basis of the score", &score.name())?
            .with("basis of the cost", &cost.name())?
            .with("space", &self.space)?
            .changed_since_format_one("decision.rule", "panels of a fixed rule", "adaptive panels");
        let ours = match &self.noise {
            Some(noise) => ours.with("noise", noise)?,
            None => ours,
        };
        match &self.map {
            Some(map) => ours.with("value function", &map.identity()),
            None => Ok(ours),
        }
    }
}

/// Points to choose from: all of a finite space that has no more, else a grid over its columns snapped to what there is,
/// each once.
///
/// # Errors
/// [`AutoBctError`] names the setting of a grid of more than a million controls.
fn choices(space: &Space, name: &'static str, count: usize) -> Result<Points, AutoBctError> {
    let mut points = Points::new(space.dim());
    let grid = Controls::grid_len(space.dim(), count);
    if let Some(all) = space.domain().enumerate(grid.unwrap_or(MOST) as u64) {
        all.iter().for_each(|point| points.push(point));
        return Ok(points);
    }
    if grid.is_none() {
        let expected = "a number of which the grid has at most a million controls";
        return Err(InputError::Number { name, value: count as f64, expected }.into());
    }
    let mut known = BTreeSet::new();
    for row in Controls::grid(space.dim(), count).rows() {
        let mut snapped = row.to_vec();
        space.domain().snap(&mut snapped);
        if known.insert(snapped.iter().map(|u| u.to_bits()).collect::<Vec<u64>>()) {
            points.push(&snapped);
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finite_spaces_are_listed_and_others_cut_into_a_grid() {
        let rows = |space: &Space, count| {
            choices(space, "grid", count).unwrap().rows().map(<[f64]>::to_vec).collect::<Vec<_>>()
        };
        let line = Space::builder().float("x", 2.0, 4.0).build().unwrap();
        assert_eq!(rows(&line, 3), [[0.0], [0.5], [1.0]]);
        let six = Space::builder().int("n", 1, 3).categorical("c", ["a", "b"]).build().unwrap();
        assert_eq!(rows(&six, 10).len(), 6);
        // More than 3 in each of 2 columns: a grid, snapped, each once.
        let many = Space::builder().int("n", 1, 5).int("m", 1, 2).float("x", 0.0, 1.0).build().unwrap();
        let few = rows(&many, 3);
        assert_eq!(few.len(), 3 * 2 * 3);
        for (i, point) in few.iter().enumerate() {
            assert!(!few[..i].contains(point), "{few:?}");
            let mut snapped = point.clone();
            many.domain().snap(&mut snapped);
            assert_eq!(*point, snapped);
        }
        let mixed = Space::builder().float("x", 0.0, 1.0).int("n", 1, 2).build().unwrap();
        assert_eq!(rows(&mixed, 5).len(), 10);
        // A finite space needs no grid, however many columns it has.
        let wide = (0..10).fold(Space::builder(), |builder, i| builder.int(&format!("n{i}"), 1, 1 + i / 8));
        assert_eq!(rows(&wide.build().unwrap(), 101).len(), 4);
    }
}
