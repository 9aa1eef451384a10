//! Earlier studies of related tasks as sources of a transfer surrogate.

use serde::Deserialize;
use thrifty_domain::Points;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{History, Outcome};
use thrifty_surrogate::Surrogate;
use thrifty_transfer::{Task, TransferError, TransferSurrogate};

use crate::LossTransform;
use crate::targets::Targets;

/// Earlier studies of related tasks on the same space, such as other data or another version of a model.
///
/// [`EarlierStudies::surrogate`] builds a transfer surrogate from them, and [`EarlierStudies::first_trials`] returns configurations to
/// begin with. The losses of each study have their own location and scale. They are transformed as the optimiser transforms those of the
/// new study. Trials that failed, were pruned or are running are left out. Infeasible trials enter the training data, but are never chosen
/// as first trials.
///
/// Trials of the *same* task are not an earlier study: use `Study::with_known` for those.
///
/// ```
/// use thrifty_model_based::{EarlierStudies, GpSurrogate};
/// use thrifty_space::{Config, Space};
/// use thrifty_study::Outcome;
/// let space = Space::builder().float("x", 0.0, 1.0).build()?;
/// let trial = |x: f64| -> (Config, Outcome) {
///     let mut config = Config::new();
///     config.insert("x", x);
///     (config, Outcome::from((x - 0.3).powi(2)))
/// };
/// let trials: Vec<_> = (0..10).map(|i| trial(f64::from(i) / 9.0)).collect();
/// let earlier = EarlierStudies::new(&space).with_trials("last year", &trials)?;
/// let surrogate = earlier.surrogate(GpSurrogate::default())?;
/// let first = earlier.first_trials(&surrogate, 1);
/// assert!((first[0].float("x")? - 1.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EarlierStudies {
    space: Space,
    losses: LossTransform,
    tasks: Vec<Task>,
    left_out: Vec<LeftOut>,
    /// Candidates for the first trials, and their points.
    configs: Vec<Config>,
    candidates: Points,
}

/// Earlier study without usable training data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of the study.
    pub name: String,
    /// The reason.
    pub reason: String,
}

/// Earlier study that does not fit the new one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EarlierStudyError {
    /// A parameter that only one of the spaces has, or that differs.
    #[error("earlier study {study:?}: parameter {parameter} {problem}")]
    Space {
        /// Name of the study.
        study: String,
        /// Name of the parameter.
        parameter: String,
        /// The difference.
        problem: &'static str,
    },
    /// A configuration that is not of the space.
    #[error("earlier study {study:?}, trial {trial}: {source}")]
    Trial {
        /// Name of the study.
        study: String,
        /// Position of the trial.
        trial: usize,
        /// The reason.
        source: SpaceError,
    },
    /// Several objectives; a source must have one.
    #[error("earlier study {study:?}, trial {trial}: {found} objectives, expected 1")]
    Objectives {
        /// Name of the study.
        study: String,
        /// Position of the trial.
        trial: usize,
        /// Number found.
        found: usize,
    },
}

impl EarlierStudies {
    /// An empty collection, for a new study on a space.
    #[must_use]
    pub fn new(space: &Space) -> Self {
        Self {
            space: space.clone(),
            losses: LossTransform::default(),
            tasks: Vec::new(),
            left_out: Vec::new(),
            configs: Vec::new(),
            candidates: Points::new(space.dim()),
        }
    }

    /// Sets the transform of the losses of studies that are added later. It should be the transform of the optimiser.
    #[must_use]
    pub fn with_losses(self, losses: LossTransform) -> Self {
        Self { losses, ..self }
    }

    /// Adds a study from its history. If its journal has a space, this must be the space of the new study.
    ///
    /// # Errors
    /// [`EarlierStudyError`] names the study and the parameter or the trial.
    pub fn with_history(
        self,
        name: impl Into<String>,
        history: &History<Config>,
    ) -> Result<Self, EarlierStudyError> {
        let name = name.into();
        if let Some(recorded) = history.recorded_setting("space")
            && let Ok(space) = Space::deserialize(recorded)
        {
            self.check_space(&name, &space)?;
        }
        let ended = history.trials().iter().enumerate();
        let ended = ended.filter_map(|(i, trial)| Some((i, &trial.query, trial.outcome.as_ref()?)));
        self.with_measured(name, ended)
    }

    /// Adds a study from configurations and outcomes, such as those of a table.
    ///
    /// # Errors
    /// As [`EarlierStudies::with_history`].
    pub fn with_trials(
        self,
        name: impl Into<String>,
        trials: &[(Config, Outcome)],
    ) -> Result<Self, EarlierStudyError> {
        let all = trials.iter().enumerate().map(|(i, (config, outcome))| (i, config, outcome));
        self.with_measured(name.into(), all)
    }

    fn with_measured<'t>(
        mut self,
        name: String,
        trials: impl Iterator<Item = (usize, &'t Config, &'t Outcome)>,
    ) -> Result<Self, EarlierStudyError> {
        let (mut x, mut targets) = (Points::new(self.space.dim()), Targets::default());
        for (trial, config, outcome) in trials {
            let study = || name.clone();
            let point = self.space.encode(config);
            let point = point.map_err(|source| EarlierStudyError::Trial { study: study(), trial, source })?;
            let Some(measured) = outcome.measurement() else { continue };
            let [loss] = measured.objectives[..] else {
                let found = measured.objectives.len();
                return Err(EarlierStudyError::Objectives { study: study(), trial, found });
            };
            if !loss.is_finite() {
                continue;
            }
            x.push(&point);
            targets.push(loss, measured.noise_variance);
            if measured.is_feasible() {
                self.candidates.push(&point);
                self.configs.push(config.clone());
            }
        }
        let transform = targets.transform(self.losses);
        let targets = targets.transformed(transform);
        let noise_variance = targets.noise_variance().map(<[f64]>::to_vec);
        let task = Task { name, x, y: targets.y, noise_variance };
        match self.flaw(&task) {
            Some(reason) => self.left_out.push(LeftOut { name: task.name, reason }),
            None => self.tasks.push(task),
        }
        Ok(self)
    }

    /// The reason to leave a study out; `None` if it is usable.
    fn flaw(&self, task: &Task) -> Option<String> {
        let hash = task.content_hash();
        if let Some(other) = self.tasks.iter().find(|other| other.content_hash() == hash) {
            return Some(format!("it has the trials of {:?}", other.name));
        }
        match (task.y.len(), task.different_targets()) {
            (0, _) => Some("0 measured trials, expected at least 2".into()),
            (1, _) => Some("1 measured trial, expected at least 2".into()),
            (_, 1) => Some("all losses are equal".into()),
            _ => None,
        }
    }

    fn check_space(&self, study: &str, earlier: &Space) -> Result<(), EarlierStudyError> {
        let find = |space: &Space, name: &str| space.parameters().iter().find(|p| p.name == name).cloned();
        let differs = |parameter: &str, problem| {
            let (study, parameter) = (study.to_owned(), parameter.to_owned());
            Err(EarlierStudyError::Space { study, parameter, problem })
        };
        for parameter in self.space.parameters() {
            match find(earlier, &parameter.name) {
                None => return differs(&parameter.name, "is not in its space"),
                Some(found) if found != *parameter => {
                    return differs(&parameter.name, "has other values or conditions in its space");
                }
                Some(_) => {}
            }
        }
        let unknown = earlier.parameters().iter().find(|p| find(&self.space, &p.name).is_none());
        unknown.map_or(Ok(()), |parameter| differs(&parameter.name, "is not in the space of the new study"))
    }

    /// Studies that were left out, with the reason.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Number of studies that are sources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// True if no study is a source.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The surrogate for the optimiser of the new study.
    ///
    /// # Errors
    /// [`TransferError`] names the study whose fit fails.
    pub fn surrogate(&self, base: impl Surrogate + 'static) -> Result<TransferSurrogate, TransferError> {
        TransferSurrogate::new(base, self.space.domain(), self.tasks.clone())
    }

    /// Measured feasible configurations that are good for all studies together; at most `count`.
    ///
    /// Pass them to [`Study::with_queue`](thrifty_study::Study::with_queue). They replace the first points of the initial design.
    ///
    /// See [`TransferSurrogate::first_points`].
    #[must_use]
    pub fn first_trials(&self, surrogate: &TransferSurrogate, count: usize) -> Vec<Config> {
        let chosen = surrogate.first_points(self.candidates.as_ref(), count);
        chosen.into_iter().map(|index| self.configs[index].clone()).collect()
    }
}
