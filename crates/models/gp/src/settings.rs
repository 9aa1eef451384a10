//! Settings of a Gaussian process: noise, mean, scaling, restarts.

use thrifty_linalg::JitterLadder;
use thrifty_prob::Prior;

use crate::GpError;
use crate::learning::is_default;

/// Variance of the observation noise, in units of the scaled targets (their variance is 1 when standardised).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Noise {
    /// Known.
    Fixed(f64),
    /// Learnt between a floor and a ceiling.
    Learned {
        /// Initial value of the search.
        start: f64,
        /// Smallest variance. It is also what keeps the covariance of duplicated points regular.
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
    /// 0: the sample mean when targets are standardised.
    Zero,
    /// Known.
    Fixed(f64),
    /// Learnt with the other hyperparameters.
    #[default]
    Learned,
    /// Learnt, and normal before data; on the scale of the targets as the model sees them.
    Normal {
        /// Its mean.
        mean: f64,
        /// Standard deviation.
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
    /// [`StructuredNewton`](thrifty_optim::StructuredNewton) with the average information of the likelihood: fewer evaluations, each of
    /// which costs somewhat more (the example `search` of this crate compares both). Of several maxima it may end at another. A start on its way to a
    /// maximum that an earlier one found ends there. A kernel without
    /// [`derivatives_times`](thrifty_kernel::Kernel::derivatives_times) is searched by [`Search::QuasiNewton`].
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
    /// Map each input column to `[0, 1]` before fitting. Off by default: inputs come from the unit cube. For columns of numbers alone: a
    /// column of codes (a choice, the activity of a conditional parameter, a fold) means something else once it is scaled, and a warp is
    /// a function on the unit interval. [`GpSurrogate`](crate::GpSurrogate) and [`Gp::on_domain`](crate::Gp::on_domain) keep such inputs as they are.
    #[serde(rename = "normalise_inputs", alias = "normalize_inputs")]
    pub normalize_inputs: bool,
    /// Give targets mean 0 and standard deviation 1 before fitting.
    #[serde(rename = "standardise_targets", alias = "standardize_targets")]
    pub standardize_targets: bool,
    /// Fits from random starts beside the one from the current hyperparameters; the best is kept.
    pub restarts: usize,
    /// Take only the best of several starts to the last digits; the others stop at about 1e-4 of the log posterior, so
    /// that modes closer than that may be confused. Half the cost.
    #[serde(default)]
    pub scout: bool,
    /// Method of the search.
    #[serde(skip_serializing_if = "is_default")]
    pub search: Search,
    /// Likelihood evaluations that one start may take; the best one may take as many again after a [scout](GpSettings::scout).
    pub max_evaluations: usize,
    /// Jitter that may be added to a covariance that cannot be factored; the posterior reports the amount.
    pub jitter: JitterLadder,
}

impl Default for GpSettings {
    /// Standardised targets, learnt mean, 2 restarts; learnt noise variance from 1e-4 within `[1e-12, 10]`, without a
    /// prior: any that favours repeatable evaluations makes intervals of noisy ones far too narrow.
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
    /// The training protocol of surrogate-based active learning, by its steps: each input column to `[0, 1]`,
    /// targets to mean 0 and standard deviation 1 and so no mean to learn, then `restarts` starts, each perturbed from the
    /// initial hyperparameters, the best of which is kept. The unperturbed start is tried as well.
    ///
    /// The protocol maximises the likelihood alone: use a kernel without priors
    /// ([`Gp::by_maximum_likelihood`](crate::Gp::by_maximum_likelihood)) to follow it to the letter.
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

    /// True if all numbers make sense; every fit asks.
    ///
    /// # Errors
    /// [`GpError::InvalidSetting`] or [`GpError::InvalidPrior`] names the one that does not.
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
