//! Schedule for learning hyperparameters again.

use thrifty_kernel::Kernel;

use crate::{GpError, GpPosterior, GpSettings};

/// Schedule for learning hyperparameters again. In between, the model is conditioned on all data with the current ones.
///
/// Learning costs some hundred factorisations of the covariance; conditioning costs one.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refit {
    /// Learns in every fit.
    Always,
    /// Learns after growth, and if the observations since the last time were improbable.
    WhenNeeded {
        /// Number of observations up to which every fit learns.
        from: usize,
        /// Factor of growth after which the next fit learns; above 1.
        growth: f64,
        /// Number of observations beyond which a fit by growth starts only from the current hyperparameters, without restarts. There the
        /// posterior of the hyperparameters rarely has a second mode. If it has one, the observations become improbable.
        restarts_until: usize,
    },
}

impl Default for Refit {
    /// Learns in every fit up to 40 observations, then after growth by a fiftieth, with restarts up to 200.
    fn default() -> Self {
        Self::by_growth(1.02)
    }
}

/// Negative logarithm of the probability at which observations count as improbable: one in a thousand.
const SURPRISE: f64 = 6.907_755_278_982_137;

impl Refit {
    /// The default with another growth factor.
    #[must_use]
    pub const fn by_growth(growth: f64) -> Self {
        Self::WhenNeeded { from: 40, growth, restarts_until: 200 }
    }

    /// Checks the growth factor; every update calls it.
    ///
    /// # Errors
    /// [`GpError::InvalidSetting`] for a growth that is not a finite number above 1.
    pub fn validate(self) -> Result<(), GpError> {
        match self {
            Self::WhenNeeded { growth, .. } if !(growth > 1.0 && growth.is_finite()) => {
                let (name, expected) = ("growth between fits", "a finite number above 1");
                Err(GpError::InvalidSetting { name, value: growth, expected })
            }
            _ => Ok(()),
        }
    }

    /// True if hyperparameters that were learnt from `learnt_from` observations may be kept for `observations`.
    #[must_use]
    pub fn may_wait(self, learnt_from: usize, observations: usize) -> bool {
        match self {
            Self::Always => false,
            Self::WhenNeeded { from, growth, .. } => {
                observations > from
                    && observations >= learnt_from
                    && (observations as f64) < growth * learnt_from as f64
            }
        }
    }

    /// True if a fit by growth needs no restarts.
    #[must_use]
    pub fn is_settled(self, observations: usize) -> bool {
        matches!(self, Self::WhenNeeded { restarts_until, .. } if observations > restarts_until)
    }

    /// Plan of the fit to `observations`. `learnt_from` is the number of observations of the last learning fit; `None` if unknown.
    #[must_use]
    pub fn plan(self, learnt_from: Option<usize>, observations: usize) -> FitPlan {
        let keep = learnt_from.filter(|count| self.may_wait(*count, observations));
        let is_settled = learnt_from.is_some() && self.is_settled(observations);
        FitPlan { keep, starts: if is_settled { Starts::Last } else { Starts::All } }
    }
}

/// Starts of a search for hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// All starts of the settings.
    All,
    /// Only the hyperparameters of the last fit.
    Last,
}

impl Starts {
    /// The settings with these starts. The model must begin at the hyperparameters of the last fit.
    #[must_use]
    pub fn of(self, settings: &GpSettings) -> GpSettings {
        match self {
            Self::All => settings.clone(),
            Self::Last => GpSettings { restarts: 0, ..settings.clone() },
        }
    }
}

/// Plan of one fit after others: hyperparameters that may be kept, and the starts of the search for new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitPlan {
    /// Number of observations that the hyperparameters were learnt from, if they may be kept.
    pub keep: Option<usize>,
    /// Starts of the search if no hyperparameters may be kept.
    pub starts: Starts,
}

impl FitPlan {
    /// Keeps the hyperparameters or learns new ones.
    ///
    /// `keep` conditions the model; it returns `None` if the hyperparameters do not hold. All starts are then used. They are also used if a
    /// search from the last hyperparameters fails: if the covariance cannot be factored under these, it may be under others.
    ///
    /// # Errors
    /// Those of `learn` from all starts.
    pub fn carry_out<T, E>(
        self,
        keep: impl FnOnce(usize) -> Option<T>,
        mut learn: impl FnMut(Starts) -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(learnt_from) = self.keep {
            if let Some(kept) = keep(learnt_from) {
                return Ok(kept);
            }
        } else if self.starts == Starts::Last
            && let Ok(learnt) = learn(Starts::Last)
        {
            return Ok(learnt);
        }
        learn(Starts::All)
    }
}

/// True if the observations after the first `learnt_from` are improbable under the model.
///
/// ```text
/// z = L⁻¹ (y - m),   S = Σ z_i² over the m new ones   >   m + 2 √(m t) + 2 t
/// ```
///
/// z are the standardised errors of predicting each observation from those before it. Under the model S is chi-squared with m
/// degrees of freedom, and exceeds the bound with probability e^(-t) at most. Source of the bound: Laurent & Massart (2000), lemma 1.
#[must_use]
pub fn is_surprised<K: Kernel>(posterior: &GpPosterior<K>, learnt_from: usize) -> bool {
    let errors = posterior.standardized_errors(learnt_from);
    let (count, sum) = (errors.len() as f64, errors.iter().map(|z| z * z).sum::<f64>());
    sum.is_nan() || sum > count + 2.0 * (count * SURPRISE).sqrt() + 2.0 * SURPRISE
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_kernel::Matern52;

    use super::*;
    use crate::{Gp, GpSettings, Mean, Noise};

    #[test]
    fn growth_and_the_first_observations_ask_for_a_fit() {
        let refit = Refit::default();
        assert!(!refit.may_wait(40, 40), "every fit learns up to 40");
        assert!(!refit.may_wait(40, 41), "a fortieth of growth");
        assert!(refit.may_wait(100, 101) && !refit.may_wait(100, 102) && refit.may_wait(1000, 1019));
        let by_a_fifth = Refit::by_growth(1.2);
        assert!(by_a_fifth.may_wait(40, 41) && by_a_fifth.may_wait(40, 47) && !by_a_fifth.may_wait(40, 48));
        assert!(!refit.may_wait(usize::MAX, 50), "fewer than were learnt from");
        assert!(!Refit::Always.may_wait(100, 101));
        assert!(!refit.is_settled(200) && refit.is_settled(201) && !Refit::Always.is_settled(1000));
    }

    /// Kept hyperparameters, and the starts that are tried where fits from the last ones fail or not.
    #[test]
    fn a_plan_is_carried_out_until_something_holds() {
        let carried_out = |plan: FitPlan, holds: bool, last_fails: bool| {
            let mut tried = Vec::new();
            let learn = |starts| {
                tried.push(starts);
                if last_fails && starts == Starts::Last { Err("no factor") } else { Ok(0) }
            };
            let found = plan.carry_out(|count| holds.then_some(count), learn).unwrap();
            (found, tried)
        };
        let refit = Refit::default();
        assert_eq!(carried_out(refit.plan(Some(100), 101), true, false), (100, vec![]));
        assert_eq!(
            carried_out(refit.plan(Some(300), 301), false, false),
            (0, vec![Starts::All]),
            "a surprise"
        );
        assert_eq!(carried_out(refit.plan(Some(100), 110), true, false), (0, vec![Starts::All]), "growth");
        assert_eq!(carried_out(refit.plan(Some(200), 210), true, false), (0, vec![Starts::Last]), "settled");
        assert_eq!(carried_out(refit.plan(Some(200), 210), true, true).1, [Starts::Last, Starts::All]);
        assert_eq!(carried_out(refit.plan(None, 210), true, false).1, [Starts::All]);
    }

    /// Under a kernel of variance 1 and noise near 0, far apart points are independent: z = y.
    #[test]
    fn the_bound_is_that_of_chi_squared() {
        let settings = GpSettings {
            noise: Noise::Fixed(1e-12),
            mean: Mean::Zero,
            standardize_targets: false,
            ..GpSettings::default()
        };
        let process = Gp::new(Matern52::new(vec![1e-3]).unwrap()).with_settings(settings);
        let x = Points::from_flat((0..10).map(f64::from).collect(), 1);
        let surprised = |last: f64| {
            let mut y = vec![1.0; 10];
            y[9] = last;
            is_surprised(&process.condition(x.as_ref(), &y).unwrap(), 9)
        };
        // 1 + 2 √6.908 + 13.816 = 20.07.
        let edge = 20.072_f64.sqrt();
        assert!(!surprised(edge - 1e-3) && surprised(edge + 1e-3) && surprised(-edge - 1e-3));
        let all = process.condition(x.as_ref(), &[1.5; 10]).unwrap();
        let errors = all.standardized_errors(4);
        assert!(errors.len() == 6 && errors.iter().all(|z| (z - 1.5).abs() < 1e-9), "{errors:?}");
        assert!(!is_surprised(&all, 10) && !is_surprised(&all, 11), "nothing new is no surprise");
    }
}
