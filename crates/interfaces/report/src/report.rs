//! Reports: a history with its parameters and the models of its figures.

use std::cell::OnceCell;

use thrifty_figures::Palette;
use thrifty_space::{Config, Space};
use thrifty_study::{History, Trial};

use crate::model::{ForestModel, GpModel};
use crate::parameter::ParameterAxis;
use crate::{Figure, ReportError, Unfit, derived, page};

/// Names of series that several figures have, the most frequent first: a name has one colour in all of them.
const SERIES: [&[&str]; 3] = [
    &["trials", "best so far", "best trial"],
    &["failed", "pruned", "infeasible", "Pareto set"],
    &["running", "measured", "predicted ± 2 standard deviations"],
];

/// A report of a study: its history, its parameters, and models that are fitted when a figure needs them.
pub struct Report<'a> {
    pub(crate) history: &'a History<Config>,
    pub(crate) space: Space,
    pub(crate) is_derived: bool,
    pub(crate) recommendation: Option<String>,
    pub(crate) parameters: Vec<ParameterAxis>,
    pub(crate) palette: Palette,
    forest: OnceCell<Result<ForestModel, Unfit>>,
    gp: OnceCell<Result<GpModel, Unfit>>,
}

impl<'a> Report<'a> {
    /// The report of a history. Without a space the parameters are derived from the trials: their ranges are those that were tried.
    ///
    /// # Errors
    /// [`ReportError::NoTrials`] without a space and without trials.
    pub fn new(history: &'a History<Config>, space: Option<&Space>) -> Result<Self, ReportError> {
        let is_derived = space.is_none();
        let space = space.map_or_else(|| derived::space(history), |space| Ok(space.clone()))?;
        let parameters = space.parameters().iter().map(ParameterAxis::of).collect();
        let palette =
            SERIES.iter().fold(Palette::default(), |palette, names| palette.with(names.iter().copied()));
        let (forest, gp) = (OnceCell::new(), OnceCell::new());
        Ok(Self { history, space, is_derived, recommendation: None, parameters, palette, forest, gp })
    }

    /// Adds a recommendation of the optimiser in words, which stands among the numbers of the page.
    #[must_use]
    pub fn with_recommendation(mut self, words: String) -> Self {
        self.recommendation = Some(words);
        self
    }

    /// A figure as SVG.
    ///
    /// # Errors
    /// [`ReportError::Unfit`] with the reason for which the study has no such figure.
    pub fn draw(&self, figure: Figure) -> Result<String, ReportError> {
        figure.draw(self).map_err(|reason| ReportError::Unfit { figure: figure.name(), reason })
    }

    /// One HTML page with everything, which needs no network.
    ///
    /// # Errors
    /// [`ReportError::Results`] if the trials have no table.
    pub fn page(&self, title: &str) -> Result<String, ReportError> {
        page::page(self, title)
    }

    /// Measured trials with their first objective, as a loss.
    pub(crate) fn measured(&self) -> Vec<(&'a Trial<Config>, f64)> {
        self.history.measured().collect()
    }

    /// Measured trials with their first objective in the user's units.
    pub(crate) fn values(&self) -> Vec<(&'a Trial<Config>, f64)> {
        self.history.measured().map(|(trial, loss)| (trial, self.value(0, loss))).collect()
    }

    /// Measured trials whose objectives are compared, with their first objective as a loss: in a multi-fidelity study those at the target.
    pub(crate) fn compared(&self) -> Vec<(&'a Trial<Config>, f64)> {
        self.history.measured().filter(|(trial, _)| self.compares(trial)).collect()
    }

    /// The trials whose objectives are compared, in messages.
    pub(crate) fn compared_name(&self) -> &'static str {
        let is_whole = self.compared().len() == self.measured().len();
        if is_whole { "measured trials" } else { "measured trials at the target" }
    }

    /// True for a trial whose objectives are compared with those of others.
    pub(crate) fn compares(&self, trial: &Trial<Config>) -> bool {
        self.history.is_comparable(&trial.query)
    }

    /// The value of a loss in the user's units.
    pub(crate) fn value(&self, objective: usize, loss: f64) -> f64 {
        self.history.directions().of(objective).flip(loss)
    }

    /// Number of objectives of the first measured trial.
    pub(crate) fn objectives(&self) -> usize {
        let first = self.history.trials().iter().find_map(|trial| trial.outcome.as_ref()?.measurement());
        first.map_or(0, |measured| measured.objectives.len())
    }

    /// The label of the first objective.
    pub(crate) fn objective_label(&self) -> &'static str {
        if self.objectives() > 1 { "objective 0" } else { "objective" }
    }

    /// A place per parameter; none where it is inactive.
    pub(crate) fn places(&self, config: &Config) -> Vec<Option<f64>> {
        self.parameters.iter().map(|parameter| parameter.place(config.get(&parameter.name)?)).collect()
    }

    pub(crate) fn forest(&self) -> Result<&ForestModel, Unfit> {
        self.forest.get_or_init(|| ForestModel::fit(self)).as_ref().map_err(Clone::clone)
    }

    pub(crate) fn gp(&self) -> Result<&GpModel, Unfit> {
        self.gp.get_or_init(|| GpModel::fit(self)).as_ref().map_err(Clone::clone)
    }

    /// The numeric parameters, the most important first; in the order of the space where there are no importances.
    pub(crate) fn numeric(&self) -> Vec<usize> {
        let mut numeric: Vec<usize> =
            (0..self.parameters.len()).filter(|at| self.parameters[*at].numeric().is_some()).collect();
        if let Ok(forest) = self.forest() {
            let shares = &forest.importance.main;
            numeric.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
        }
        numeric
    }
}
