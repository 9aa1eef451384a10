//! Side of the trust region and its centre.

use thrifty_search::Rank;
use thrifty_space::Config;
use thrifty_study::Trial;

use crate::TrustRegionSettings;

/// State of the trust region after some trials of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Region {
    /// Side of the box before it is scaled by lengthscales.
    pub(crate) side: f64,
    /// Index of the best of the given trials.
    pub(crate) best: Option<usize>,
    rank: Rank,
    successes: usize,
    failures: usize,
}

impl Region {
    /// The state after trials in the order of asking. Trials for which `counts` is false, such as those of the initial design, may be the
    /// best, but are neither successes nor failures.
    ///
    /// A success has a lower loss than all trials before. Source: Eriksson et al. (2019), section 2; departure: they require an improvement
    /// by 0.001 of the absolute value of the loss, which depends on the zero of the loss.
    pub(crate) fn after(
        trials: &[&Trial<Config>],
        counts: impl Fn(&Trial<Config>) -> bool,
        settings: &TrustRegionSettings,
        patience: usize,
    ) -> Self {
        let mut region =
            Self { side: settings.side, best: None, rank: Rank::Lost, successes: 0, failures: 0 };
        for (index, trial) in trials.iter().enumerate() {
            let Some(rank) = Rank::of(trial) else { continue };
            let is_better = rank.compare(&region.rank).is_lt();
            if is_better {
                (region.best, region.rank) = (Some(index), rank);
            }
            if counts(trial) {
                region.count(is_better, settings, patience);
            }
        }
        region
    }

    fn count(&mut self, is_success: bool, settings: &TrustRegionSettings, patience: usize) {
        (self.successes, self.failures) =
            if is_success { (self.successes + 1, 0) } else { (0, self.failures + 1) };
        if self.successes == settings.successes {
            (self.side, self.successes) = ((2.0 * self.side).min(settings.largest), 0);
        } else if self.failures == patience {
            (self.side, self.failures) = (0.5 * self.side, 0);
        }
    }

    /// True if the run is over.
    pub(crate) fn has_collapsed(&self, settings: &TrustRegionSettings) -> bool {
        self.side < settings.smallest
    }
}

#[cfg(test)]
mod tests {

    use thrifty_study::{Outcome, TrialId};

    use super::*;

    fn trial(outcome: Option<Outcome>) -> Trial<Config> {
        Trial::new(TrialId(0), Config::new(), outcome)
    }

    fn after(losses: &[f64]) -> Region {
        let trials: Vec<Trial<Config>> =
            losses.iter().map(|loss| trial(Some(Outcome::from(*loss).checked()))).collect();
        Region::after(&trials.iter().collect::<Vec<_>>(), |_| true, &TrustRegionSettings::default(), 4)
    }

    #[test]
    fn sides_double_after_successes_and_halve_after_failures() {
        assert_eq!(after(&[]).side, 0.8);
        assert_eq!((after(&[3.0, 2.0]).side, after(&[3.0, 2.0, 1.0]).side), (0.8, 1.6));
        assert_eq!(after(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]).side, 1.6);
        assert_eq!((after(&[1.0; 4]).side, after(&[1.0; 5]).side, after(&[1.0; 9]).side), (0.8, 0.4, 0.2));
        // A failure ends a row of successes, and the other way round.
        assert_eq!(after(&[3.0, 2.0, 9.0, 1.0, 9.0]).side, 0.8);
        assert_eq!((after(&[3.0, 2.0, 9.0, 1.0]).best, after(&[f64::NAN; 3]).best), (Some(3), None));
        let collapsed = after(&[1.0; 30]);
        assert!(collapsed.has_collapsed(&TrustRegionSettings::default()) && collapsed.side > 0.0);
    }

    #[test]
    fn trials_that_do_not_count_are_left_out() {
        let trials = [trial(None), trial(Some(Outcome::unrelated("down"))), trial(Some(2.0.into()))];
        let trials: Vec<&Trial<Config>> = trials.iter().collect();
        let region = Region::after(&trials, |_| false, &TrustRegionSettings::default(), 1);
        assert_eq!((region.best, region.side, region.failures), (Some(2), 0.8, 0));
    }
}
