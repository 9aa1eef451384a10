//! Subset-of-data conditioning: the kept observations, and predictions of the others.

use std::sync::Arc;

use thrifty_domain::Points;
use thrifty_kernel::Kernel;
use thrifty_sampling::Stream;
use thrifty_surrogate::Observations;

use crate::data::scaling_of;
use crate::fitted::FittedGp;
use crate::left_out::LeftOut;
use crate::subset::SMALLEST;
use crate::{Conditioning, Gp, GpError, GpPosterior};

/// All observations, and the subset that a process is conditioned on.
///
/// Also for surrogates with their own likelihood ([`learn_by`](Training::learn_by)).
pub struct Training<'a> {
    conditioning: Conditioning,
    /// Value near which observations are kept; `None` for the lowest.
    near: Option<f64>,
    all: Observations<'a>,
    /// `None` if all observations are kept.
    subset: Option<Subset>,
}

/// Observations that are kept.
struct Subset {
    positions: Vec<usize>,
    x: Points,
    y: Vec<f64>,
    noise_variance: Option<Vec<f64>>,
}

impl Subset {
    fn choose<K: Kernel + Clone>(
        process: &Gp<K>,
        all: Observations<'_>,
        size: usize,
        near: Option<f64>,
    ) -> Result<Self, GpError> {
        let positions = match near {
            None => process.subset(all.x, all.y, size)?,
            Some(value) => {
                let distances: Vec<f64> = all.y.iter().map(|y| (y - value).abs()).collect();
                process.subset(all.x, &distances, size)?
            }
        };
        let mut x = Points::new(all.x.dim());
        positions.iter().for_each(|&i| x.push(all.x.row(i)));
        let of = |values: &[f64]| positions.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        Ok(Self { x, y: of(all.y), noise_variance: all.noise_variance.map(of), positions })
    }

    fn data(&self) -> Observations<'_> {
        Observations { x: self.x.as_ref(), y: &self.y, noise_variance: self.noise_variance.as_deref() }
    }
}

impl<'a> Training<'a> {
    /// Chooses the subset by the setting, with the distances of the process: around the lowest targets, or around those nearest to a value.
    ///
    /// # Errors
    /// [`GpError`] for a subset of fewer than 16, and as [`Gp::subset`] if one is chosen.
    pub fn choose<K: Kernel + Clone>(
        conditioning: Conditioning,
        process: &Gp<K>,
        all: Observations<'a>,
        near: Option<f64>,
    ) -> Result<Self, GpError> {
        conditioning.validate()?;
        let size = conditioning.size_for(all.len());
        let subset = size.map(|size| Subset::choose(process, all, size, near)).transpose()?;
        Ok(Self { conditioning, near, all, subset })
    }

    /// Observations to condition on.
    #[must_use]
    pub fn data(&self) -> Observations<'_> {
        self.subset.as_ref().map_or(self.all, Subset::data)
    }

    /// Observations to learn hyperparameters from: half of the subset, chosen in the same way. `None` if all observations are kept; learn
    /// from all then.
    fn to_learn_from<K: Kernel + Clone>(&self, process: &Gp<K>) -> Result<Option<Training<'_>>, GpError> {
        let half =
            |kept: &Subset| Subset::choose(process, kept.data(), (kept.y.len() / 2).max(SMALLEST), self.near);
        let subset = self.subset.as_ref().map(half).transpose()?;
        Ok(subset.map(|half| Training {
            near: self.near,
            all: self.data(),
            subset: Some(half),
            conditioning: self.conditioning,
        }))
    }

    /// Learns the hyperparameters and conditions the process.
    pub(crate) fn learn(&self, process: &Gp<Box<dyn Kernel>>, rng: &mut Stream) -> Result<FittedGp, GpError> {
        let posterior = self.learn_by(
            process,
            |data| process.fit_with_noise(data.x, data.y, &data.noise_variances(), rng),
            |learnt, data| {
                let process = process.clone().warm_started(learnt.hyperparameters());
                let (inputs, targets) = (learnt.input_scaling().cloned(), learnt.target_scaling());
                process.condition_on_scale(data.x, data.y, &data.noise_variances(), inputs, targets)
            },
        )?;
        Ok(self.fitted(posterior, self.count()))
    }

    /// Conditions the process with its current hyperparameters, which were learnt from the first `learnt_from` observations.
    ///
    /// If these were too many to keep, the scale is that of the half of the subset, otherwise that of all observations. A hyperparameter
    /// such as a variance of 1 has another meaning on another scale.
    pub(crate) fn condition(
        &self,
        process: &Gp<Box<dyn Kernel>>,
        learnt_from: usize,
    ) -> Result<GpPosterior<Box<dyn Kernel>>, GpError> {
        let data = self.data();
        if self.subset.is_none() {
            return process.condition_with_noise(data.x, data.y, &data.noise_variances());
        }
        let was_subset = self.conditioning.size_for(learnt_from).is_some();
        let half = if was_subset { self.to_learn_from(process)? } else { None };
        let learnt = half.as_ref().map_or(self.all, Training::data);
        let (inputs, targets) = scaling_of(learnt.x, learnt.y, process.settings());
        process.condition_on_scale(data.x, data.y, &data.noise_variances(), inputs, targets)
    }

    /// Fits a model to the observations. `fit` learns its hyperparameters, from half of the subset if there is one. `condition` then uses
    /// them for the whole subset, on the scale of that half, on which they were learnt. The half is more spread out.
    ///
    /// Learning costs some hundred factorizations; conditioning costs one.
    ///
    /// # Errors
    /// Those of `fit` and `condition`; [`GpError`] as [`Gp::subset`].
    pub fn learn_by<K: Kernel + Clone, P, E: From<GpError>>(
        &self,
        process: &Gp<K>,
        mut fit: impl FnMut(Observations<'_>) -> Result<P, E>,
        condition: impl FnOnce(&P, Observations<'_>) -> Result<P, E>,
    ) -> Result<P, E> {
        match self.to_learn_from(process)? {
            None => fit(self.data()),
            Some(few) => condition(&fit(few.data())?, self.data()),
        }
    }

    /// Number of all observations.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Number of kept observations among the first `count` of all.
    pub(crate) fn rows_before(&self, count: usize) -> usize {
        self.subset.as_ref().map_or(count, |subset| subset.positions.partition_point(|&i| i < count))
    }

    /// The conditioned process, with hyperparameters that were learnt from the first `learnt_from` observations.
    pub(crate) fn fitted(&self, posterior: GpPosterior<Box<dyn Kernel>>, learnt_from: usize) -> FittedGp {
        let left_out = self.subset.as_ref().map(|subset| Arc::new(LeftOut::new(self.all, &subset.positions)));
        FittedGp { posterior, learnt_from, left_out, conditioning: self.conditioning, is_sample: false }
    }
}
