//! Surrogates of the outputs of a study: objectives, constraints, cost.

use thrifty_censored::GpClassifier;
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Memo, OptimizerError, Trial, TrialId};
use thrifty_surrogate::{
    EarlierFit, FittedSurrogate, JointPosterior, Observations, Posterior, Surrogate, fit_checked,
};

use crate::{LastFit, Running};

/// Name of the surrogate of a single objective in the memo.
pub(crate) const OBJECTIVE: &str = "model";

/// Fits the surrogates of a study's outputs. Each fit is warm-started from the last suggestion whose memo has hyperparameters of this name.
pub struct OutputFitter<'a> {
    /// The space.
    pub space: &'a Space,
    /// The surrogate of every objective.
    pub surrogate: &'a dyn Surrogate,
    /// The surrogate of constraints and of the logarithm of the cost.
    pub weight_surrogate: &'a dyn Surrogate,
    /// Trials, whose memos provide the warm starts.
    pub trials: Vec<&'a Trial<Config>>,
    /// Seed of the study.
    pub seed: Seed,
    /// The trial to be suggested.
    pub id: TrialId,
}

/// The surrogate of one output.
pub struct OutputModel {
    /// Name of the output; key of its hyperparameters in a memo.
    pub name: String,
    /// The fitted surrogate.
    pub fitted: Box<dyn FittedSurrogate>,
}

impl OutputModel {
    /// The posterior.
    #[must_use]
    pub fn posterior(&self) -> &dyn Posterior {
        self.fitted.posterior()
    }

    /// The joint posterior; `None` for surrogates that predict point by point.
    #[must_use]
    pub fn joint(&self) -> Option<&dyn JointPosterior> {
        self.posterior().joint()
    }

    /// Adds fantasies of running trials at their posterior means.
    #[must_use]
    pub fn with_fantasies(self, pending: &Points) -> Self {
        let (fitted, _) = Running::fantasize(self.fitted, pending.clone(), None, |mean| mean);
        Self { fitted, ..self }
    }

    /// The surrogate after fantasies at these points, with its own means as outcomes. `None` if there are no points, or if no point changes
    /// the posterior.
    #[must_use]
    pub fn fantasized(&self, points: PointsRef<'_>) -> Option<Box<dyn FittedSurrogate>> {
        let mut fantasized: Option<Box<dyn FittedSurrogate>> = None;
        for point in points.rows() {
            let model = fantasized.as_deref().unwrap_or(&*self.fitted);
            let mean = model.posterior().predict(point).mean;
            if let Ok(next) = model.fantasize(point, mean) {
                fantasized = Some(next);
            }
        }
        fantasized
    }

    /// Adds the hyperparameters to a memo, with the number of observations that they were learnt from if the model reports it.
    pub fn remember(&self, memo: &mut Memo) {
        let (hyperparameters, learnt_from) = (self.fitted.hyperparameters(), self.fitted.learnt_from());
        LastFit { hyperparameters, learnt_from }.remember(&self.name, memo);
    }
}

impl OutputFitter<'_> {
    /// Fits the surrogate of one output.
    ///
    /// # Errors
    /// [`OptimizerError`] names the output whose fit fails.
    pub fn fit(&self, name: String, data: Observations<'_>) -> Result<OutputModel, OptimizerError> {
        let earlier = self.earlier(&name);
        self.update(self.surrogate, name, data, earlier.as_ref())
    }

    /// Fits the surrogate of one output whose observations were transformed by `scale`.
    ///
    /// # Errors
    /// As [`OutputFitter::fit`].
    pub(crate) fn fit_on_scale(
        &self,
        name: String,
        data: Observations<'_>,
        scale: &dyn Fn(f64) -> f64,
    ) -> Result<OutputModel, OptimizerError> {
        let (earlier, on_scale) = (self.earlier(&name), self.surrogate.on_scale(scale));
        let surrogate = on_scale.as_deref().unwrap_or(self.surrogate);
        self.update(surrogate, name, data, earlier.as_ref())
    }

    /// Fits the surrogate of an output whose values change with each ask. The last hyperparameters start the search for new ones, and are
    /// never reused unchanged.
    ///
    /// # Errors
    /// As [`OutputFitter::fit`].
    pub fn fit_anew(&self, name: String, data: Observations<'_>) -> Result<OutputModel, OptimizerError> {
        let earlier = self.earlier(&name).map(|last| LastFit { learnt_from: None, ..last });
        self.update(self.surrogate, name, data, earlier.as_ref())
    }

    /// Fits the surrogate of the logarithm of the cost.
    ///
    /// # Errors
    /// As [`OutputFitter::fit`].
    pub fn fit_weight(&self, name: String, data: Observations<'_>) -> Result<OutputModel, OptimizerError> {
        let earlier = self.earlier(&name);
        self.update(self.weight_surrogate, name, data, earlier.as_ref())
    }

    /// Fits the surrogate of a constraint, for which values near 0 matter most.
    ///
    /// # Errors
    /// As [`OutputFitter::fit`].
    pub(crate) fn fit_constraint(
        &self,
        name: String,
        data: Observations<'_>,
    ) -> Result<OutputModel, OptimizerError> {
        let (earlier, near) = (self.earlier(&name), self.weight_surrogate.near(0.0));
        let surrogate = near.as_deref().unwrap_or(self.weight_surrogate);
        self.update(surrogate, name, data, earlier.as_ref())
    }

    /// Fits a classifier to the signs of the observations.
    ///
    /// # Errors
    /// As [`OutputFitter::fit`].
    pub(crate) fn fit_classes(
        &self,
        name: String,
        data: Observations<'_>,
    ) -> Result<OutputModel, OptimizerError> {
        let earlier = self.earlier(&name);
        self.update(&GpClassifier::default(), name, data, earlier.as_ref())
    }

    fn earlier(&self, name: &str) -> Option<LastFit> {
        LastFit::of(name, self.trials.iter().copied())
    }

    fn update(
        &self,
        surrogate: &dyn Surrogate,
        name: String,
        data: Observations<'_>,
        earlier: Option<&LastFit>,
    ) -> Result<OutputModel, OptimizerError> {
        let (mut rng, what) = if name == OBJECTIVE {
            (self.seed.stream("fit", self.id.0), "the model".to_owned())
        } else {
            (self.seed.child("fit", self.id.0).stream(&name, 0), format!("the model of {name}"))
        };
        let earlier = earlier
            .map(|last| EarlierFit { hyperparameters: &last.hyperparameters, learnt_from: last.learnt_from });
        let fitted =
            fit_checked(surrogate, self.space.domain(), data, earlier, &mut rng).map_err(|error| {
                OptimizerError::failed(format!("fitting {what} for trial {}", self.id.0), error)
            })?;
        Ok(OutputModel { name, fitted })
    }

    /// Fits one surrogate per column of values; they are named `kind 0`, `kind 1`, ….
    ///
    /// # Errors
    /// As [`OutputFitter::fit`].
    pub fn fit_all(
        &self,
        kind: &str,
        x: &Points,
        columns: &[Vec<f64>],
        noise_variances: Option<&[Vec<f64>]>,
    ) -> Result<Vec<OutputModel>, OptimizerError> {
        let one = |(j, y): (usize, &Vec<f64>)| {
            let noise_variance = noise_variances.map(|columns| &columns[j][..]);
            self.fit(format!("{kind} {j}"), Observations { x: x.as_ref(), y, noise_variance })
        };
        columns.iter().enumerate().map(one).collect()
    }
}
