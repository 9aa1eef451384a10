//! Optimal stopping: continue while the expected gain of an evaluation is worth its expected cost.

use crate::stop::{latest, require};
use crate::{EXPECTED_COST, EXPECTED_GAIN, HistoryView, StopReason, StopRule, StudyError};

/// Stops when the expected gain of an evaluation is below γ times its expected cost, `times` trials in a row.
///
/// ```text
/// E[gain] < γ E[cost]
/// ```
///
/// γ is the price of one unit of cost in units of the objective. The gain is the [`EXPECTED_GAIN`] of a trial: the expected improvement of
/// the objective, in its units, at the time of the suggestion. The cost is its [`EXPECTED_COST`] if the optimiser models it, otherwise the
/// mean of the measured costs, or 1 if none was measured.
///
/// Trials without an expected gain, such as those of an initial design or of acquisition functions without an expected improvement, do not count.
/// Source: `AutoBCT`, section 2, with a horizon of one evaluation; departure: the gain is an expected improvement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorthItsCost {
    /// Price γ > 0.
    pub gamma: f64,
    /// Number of trials in a row, at least 1.
    pub times: usize,
}

impl WorthItsCost {
    /// A rule with price γ that stops after one trial that is not worth its cost.
    #[must_use]
    pub fn new(gamma: f64) -> Self {
        Self { gamma, times: 1 }
    }
}

impl StopRule for WorthItsCost {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let costs: Vec<f64> = view.outcomes().filter_map(|outcome| outcome.measurement()?.cost).collect();
        let mean = if costs.is_empty() { 1.0 } else { costs.iter().sum::<f64>() / costs.len() as f64 };
        let recent: Vec<(f64, f64)> = latest(view, &EXPECTED_GAIN)
            .zip(latest(view, &EXPECTED_COST))
            .filter_map(|(gain, cost)| Some((gain?, cost.unwrap_or(mean))))
            .take(self.times)
            .collect();
        let unworthy = |(gain, cost): &(f64, f64)| *gain < self.gamma * cost;
        let (gain, cost) = *recent.first()?;
        (recent.len() == self.times && recent.iter().all(unworthy)).then_some(StopReason::NotWorthItsCost {
            gain,
            cost,
            gamma: self.gamma,
        })
    }

    fn validate(&self) -> Result<(), StudyError> {
        let holds = self.gamma > 0.0 && self.gamma.is_finite();
        require("WorthItsCost (gamma)", self.gamma, holds, "a positive finite number")?;
        require("WorthItsCost (times)", self.times as f64, self.times > 0, "at least 1")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::{Measurement, Memo, Outcome};

    struct View {
        outcomes: Vec<Outcome>,
        memos: Vec<Memo>,
        diagnostics: Vec<BTreeMap<String, f64>>,
    }

    impl HistoryView for View {
        fn asked(&self) -> usize {
            self.diagnostics.len()
        }
        fn outcomes(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_> {
            Box::new(self.outcomes.iter())
        }
        fn memos(&self) -> Box<dyn DoubleEndedIterator<Item = &Memo> + '_> {
            Box::new(self.memos.iter())
        }
        fn diagnostics(&self) -> Box<dyn DoubleEndedIterator<Item = &BTreeMap<String, f64>> + '_> {
            Box::new(self.diagnostics.iter())
        }
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }

    fn view(costs: &[Option<f64>], diagnostics: &[&[(&str, f64)]]) -> View {
        let outcome =
            |cost: &Option<f64>| Outcome::Measured(Measurement { cost: *cost, ..Measurement::from(0.0) });
        let memo = |pairs: &&[(&str, f64)]| {
            Memo(pairs.iter().map(|(name, value)| ((*name).to_owned(), vec![*value])).collect())
        };
        View {
            outcomes: costs.iter().map(outcome).collect(),
            memos: diagnostics.iter().map(memo).collect(),
            diagnostics: vec![BTreeMap::new(); diagnostics.len()],
        }
    }

    /// Journals of earlier versions have it in the diagnostics.
    #[test]
    fn gains_among_the_diagnostics_are_found() {
        let mut old = view(&[Some(1.0)], &[&[]]);
        old.diagnostics = vec![BTreeMap::from([("expected_gain".to_owned(), 0.5)])];
        assert!(WorthItsCost::new(0.6).check(&old).is_some());
        assert_eq!(WorthItsCost::new(0.4).check(&old), None);
    }

    #[test]
    fn gains_are_held_against_the_price_of_their_cost() {
        let of = |gamma: f64, view: &View| WorthItsCost::new(gamma).check(view);
        // The mean cost is 3: 0.5 is worth a price of 0.1, not of 0.2.
        let measured = view(&[Some(2.0), Some(4.0)], &[&[], &[("expected_gain", 0.5)]]);
        assert_eq!(of(0.1, &measured), None);
        assert_eq!(
            of(0.2, &measured),
            Some(StopReason::NotWorthItsCost { gain: 0.5, cost: 3.0, gamma: 0.2 })
        );
        // The optimiser expects the next to be cheap.
        let cheap = view(&[Some(2.0), Some(4.0)], &[&[("expected_gain", 0.5), ("expected_cost", 1.0)]]);
        assert_eq!(of(0.2, &cheap), None);
        // Without costs one evaluation costs 1; without gains the rule does not apply.
        assert!(of(0.6, &view(&[None], &[&[("expected_gain", 0.5)]])).is_some());
        assert_eq!(of(0.6, &view(&[None], &[&[("acquisition", 0.5)]])), None);
        // What is worth its cost exactly is worth it.
        assert_eq!(of(0.5, &view(&[None], &[&[("expected_gain", 0.5)]])), None);
        let twice = WorthItsCost { gamma: 0.6, times: 2 };
        assert_eq!(
            twice.check(&view(&[None], &[&[("expected_gain", 0.9)], &[("expected_gain", 0.5)]])),
            None
        );
        assert!(
            twice.check(&view(&[None], &[&[("expected_gain", 0.1)], &[("expected_gain", 0.5)]])).is_some()
        );
    }

    #[test]
    fn prices_are_positive() {
        for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = WorthItsCost::new(gamma).validate().unwrap_err().to_string();
            assert!(error.contains("gamma") && error.contains(&gamma.to_string()), "{error}");
        }
        assert!(WorthItsCost { gamma: 1.0, times: 0 }.validate().is_err());
        assert!(WorthItsCost::new(1e-12).validate().is_ok());
    }
}
