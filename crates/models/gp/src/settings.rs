//! Settings of a Gaussian process: noise, mean, scaling, restarts.

use thrifty_linalg::JitterLadder;
use thrifty_prob::Prior;

use crate::GpError;
use crate::learning::is_default;

/// Variance of the observation noise, in units of the scaled targets (their variance is 1 when standardised).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Noise {
    /// Known variance.
    Fixed(f64),
    /// Learnt between a floor and a ceiling.
    Learned {
        /// Initial value of the search.
        start: f64,
        /// Smallest variance. It also keeps the covariance of duplicate points positive definite.
        floor: f64,
        /// Largest variance.
        ceiling: f64,
        /// Prior density.
        prior: Option<Prior>,
    },
}

/// The constant mean of the process, in units of the scaled targets.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub enum Mean {
    /// Mean 0: the sample mean if targets are standardised.
    Zero,
    /// Known mean.
    Fixed(f64),
    /// Learnt with the other hyperparameters.
    #[default]
    Learned,
    /// Learnt, with a normal prior, on the scale of the targets in the model.
    Normal {
        /// Prior mean.
        mean: f64,
        /// Prior standard deviation.
        #[serde(rename = "deviation", alias = "std_dev")]
        std_dev: f64,
    },
}

/// Method of the search for hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Search {
    /// [`Lbfgsb`](thrifty_optim::Lbfgsb).
    #[default]
    QuasiNewton,
    /// [`StructuredNewton`](thrifty_optim::StructuredNewton) with the average information of the likelihood. It needs fewer evaluations,
    /// each of which costs somewhat more (the example `search` of this crate compares both). With several maxima it may end at another one.
    /// A start that approaches a maximum found by an earlier start ends there.
    ///
    /// A kernel without [`derivatives_times`](thrifty_kernel::Kernel::derivatives_times) is searched by [`Search::QuasiNewton`].
    AverageInformation,
}

/// Settings of a Gaussian process: model assumptions and fit.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpSettings {
    /// Observation noise.
    pub noise: Noise,
    /// Constant mean.
    pub mean: Mean,
    /// True to map each input column to `[0, 1]` before fitting. Off by default: inputs come from the unit cube.
    ///
    /// It applies only to columns of numbers. Scaling would change the meaning of a column of codes (a choice, the activity of a
    /// conditional parameter, a fold), and a warp is a function on the unit interval. [`GpSurrogate`](crate::GpSurrogate) and
    /// [`Gp::on_domain`](crate::Gp::on_domain) never scale such inputs.
    #[serde(rename = "normalise_inputs", alias = "normalize_inputs")]
    pub normalize_inputs: bool,
    /// True to give targets mean 0 and standard deviation 1 before fitting.
    #[serde(rename = "standardise_targets", alias = "standardize_targets")]
    pub standardize_targets: bool,
    /// Number of random starts, in addition to the current hyperparameters; the best result is kept.
    pub restarts: usize,
    /// True to converge only the best of several starts fully. The others stop at about 1e-4 of the log posterior, so modes that are closer
    /// than that may be confused. This halves the cost.
    #[serde(default)]
    pub scout: bool,
    /// Method of the search.
    #[serde(skip_serializing_if = "is_default")]
    pub search: Search,
    /// Largest number of likelihood evaluations per start. After a [scout](GpSettings::scout), the best start may use as many again.
    pub max_evaluations: usize,
    /// Jitter that may be added to a covariance that cannot be factored; the posterior reports the amount.
    pub jitter: JitterLadder,
}

impl Default for GpSettings {
    /// Standardised targets, learnt mean, 2 restarts. The noise variance is learnt from 1e-4 within `[1e-12, 10]`, without a prior: a prior
    /// that favours repeatable evaluations makes the intervals of noisy ones far too narrow.
    fn default() -> Self {
        Self {
            noise: Noise::Learned { start: 1e-4, floor: 1e-12, ceiling: 10.0, prior: None },
            mean: Mean::Learned,
            normalize_inputs: false,
            standardize_targets: true,
            restarts: 2,
            scout: false,
            search: Search::QuasiNewton,
            max_evaluations: 200,
            jitter: JitterLadder::default(),
        }
    }
}

impl GpSettings {
    /// Training protocol of surrogate-based active learning. Each input column is mapped to `[0, 1]`. Targets have mean 0 and standard
    /// deviation 1, so no mean is learnt. There are `restarts` starts, each perturbed from the initial hyperparameters, and the best result
    /// is kept. The unperturbed start is tried as well.
    ///
    /// The protocol maximises the likelihood alone. To follow it exactly, use a kernel without priors
    /// ([`Gp::by_maximum_likelihood`](crate::Gp::by_maximum_likelihood)).
    #[must_use]
    pub fn surrogate_training_protocol(restarts: usize) -> Self {
        Self {
            mean: Mean::Zero,
            normalize_inputs: true,
            standardize_targets: true,
            restarts,
            ..Self::default()
        }
    }

    /// Checks all settings; every fit calls it.
    ///
    /// # Errors
    /// [`GpError::InvalidSetting`] or [`GpError::InvalidPrior`] names the invalid one.
    pub fn validate(&self) -> Result<(), GpError> {
        let check = |name, value: f64, holds, expected| {
            if holds { Ok(()) } else { Err(GpError::InvalidSetting { name, value, expected }) }
        };
        if let Mean::Fixed(mean) = self.mean {
            check("mean", mean, mean.is_finite(), "a finite number")?;
        }
        if let Mean::Normal { mean, std_dev } = self.mean {
            check("mean of the mean", mean, mean.is_finite(), "a finite number")?;
            let positive = std_dev > 0.0 && std_dev.is_finite();
            check("deviation of the mean", std_dev, positive, "a positive finite number")?;
        }
        if let Noise::Learned { prior: Some(prior), .. } = &self.noise {
            prior.validate().map_err(|problem| GpError::InvalidPrior { name: "noise", problem })?;
        }
        match self.noise {
            Noise::Fixed(value) => {
                check("noise", value, value >= 0.0 && value.is_finite(), "a finite number from 0")
            }
            Noise::Learned { start, floor, ceiling, .. } => {
                check("noise floor", floor, floor > 0.0 && floor.is_finite(), "a positive finite number")?;
                check(
                    "noise ceiling",
                    ceiling,
                    ceiling >= floor && ceiling.is_finite(),
                    "a finite number from the floor",
                )?;
                check("noise start", start, start >= floor && start <= ceiling, "between floor and ceiling")
            }
        }
    }
}
