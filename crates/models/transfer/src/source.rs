//! Data of earlier tasks, and the models fitted to them.

use std::sync::Arc;

use thrifty_check::InputError;
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::TargetScaling;
use thrifty_sampling::Seed;
use thrifty_surrogate::{FittedSurrogate, Observations, Surrogate, SurrogateError, fit_checked};

/// Observations of an earlier task: n points of the new task's domain, with their targets.
///
/// The targets have their own location and scale, and may have been transformed monotonically.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Name in errors and reports.
    pub name: String,
    /// Points.
    pub x: Points,
    /// Targets.
    pub y: Vec<f64>,
    /// Known variance of the noise of each target, if it was reported.
    pub noise_variance: Option<Vec<f64>>,
}

/// A task that cannot be a source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// A setting out of its range.
    #[error(transparent)]
    Setting(#[from] InputError),
    /// A base surrogate with a setting in units of the observations. It cannot be used, since each task and each residual has another scale.
    #[error(
        "the base surrogate {name:?} has a number in units of the observations, expected one for any scale"
    )]
    Scale {
        /// Name of the surrogate.
        name: String,
    },
    /// Data that cannot be modelled.
    #[error("earlier task {name:?}: {source}")]
    Data {
        /// Name of the task.
        name: String,
        /// The reason.
        source: InputError,
    },
    /// Fewer than two different targets, which have no order.
    #[error("earlier task {name:?} has {found} different targets, expected at least 2")]
    Constant {
        /// Name of the task.
        name: String,
        /// Number of different targets.
        found: usize,
    },
    /// Observations that another task has too; they would count twice.
    #[error("earlier task {name:?} has the observations of {other:?}")]
    Duplicate {
        /// Name of the task.
        name: String,
        /// Name of the other task.
        other: String,
    },
    /// A model that could not be fitted.
    #[error("earlier task {name:?}: {source}")]
    Fit {
        /// Name of the task.
        name: String,
        /// The reason.
        source: SurrogateError,
    },
}

impl Task {
    /// A task without known noise.
    #[must_use]
    pub fn new(name: impl Into<String>, x: Points, y: Vec<f64>) -> Self {
        Self { name: name.into(), x, y, noise_variance: None }
    }

    /// FNV-1a hash of the bits of points, targets and noise variances, in hexadecimal. It identifies the content, without the name.
    #[must_use]
    pub fn content_hash(&self) -> String {
        format!("{:016x}", self.hash())
    }

    fn hash(&self) -> u64 {
        let noise = self.noise_variance.as_deref().unwrap_or(&[]);
        let counts = [self.x.dim() as u64, self.y.len() as u64, noise.len() as u64];
        let numbers = self.x.as_flat().iter().chain(&self.y).chain(noise).map(|value| value.to_bits());
        let bytes = counts.into_iter().chain(numbers).flat_map(u64::to_le_bytes);
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    /// Number of different targets.
    #[must_use]
    pub fn different_targets(&self) -> usize {
        let mut sorted = self.y.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        sorted.len()
    }
}

/// Model of an earlier task; its targets have mean 0 and standard deviation 1.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) hash: u64,
    pub(crate) count: usize,
    pub(crate) fitted: Arc<dyn FittedSurrogate>,
}

impl Source {
    /// Fits the base surrogate. Random numbers depend only on the content of the task, not on the seed of a study or the order of tasks.
    pub(crate) fn fit(task: &Task, base: &dyn Surrogate, domain: &Domain) -> Result<Self, TransferError> {
        let (name, hash) = (task.name.clone(), task.hash());
        let data = |y| Observations { x: task.x.as_ref(), y, noise_variance: task.noise_variance.as_deref() };
        data(&task.y)
            .check(domain.dim())
            .map_err(|source| TransferError::Data { name: name.clone(), source })?;
        let found = task.different_targets();
        if found < 2 {
            return Err(TransferError::Constant { name, found });
        }
        let scaling = TargetScaling::standardize(&task.y);
        let y = scaling.apply(&task.y);
        let noise: Option<Vec<f64>> = task
            .noise_variance
            .as_ref()
            .map(|variances| variances.iter().map(|v| v / scaling.width / scaling.width).collect());
        let data = Observations { x: task.x.as_ref(), y: &y, noise_variance: noise.as_deref() };
        let mut rng = Seed(hash).stream("earlier task", 0);
        let fitted = fit_checked(base, domain, data, None, &mut rng)
            .map_err(|source| TransferError::Fit { name: name.clone(), source })?;
        Ok(Self { name, hash, count: y.len(), fitted: Arc::from(fitted) })
    }

    /// Posterior means at some points.
    pub(crate) fn means(&self, x: PointsRef<'_>) -> Vec<f64> {
        let mut means = vec![0.0; x.len()];
        self.fitted.posterior().mean_into(x, &mut means);
        means
    }
}
