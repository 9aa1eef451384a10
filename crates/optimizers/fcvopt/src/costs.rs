//! Surrogate of the cost of a model fit.

use thrifty_acquisition::{Analytic, LogInverseCost};
use thrifty_censored::Limits;
use thrifty_cv::FoldQuery;
use thrifty_domain::{Points, PointsRef};
use thrifty_hgp::{Component, Hgp};
use thrifty_model_based::LastFit;
use thrifty_space::Space;
use thrifty_study::{History, Memo, OptimizerError, TrialId};
use thrifty_surrogate::{Posterior, PosteriorGradient, Prediction};

use crate::evidence::Evidence;
use crate::learning::{FoldData, FoldFit, Learning};

/// Cost of a model fit.
pub(crate) enum Costs {
    /// Costs do not count, or none was reported.
    Ignored,
    /// All fits so far have this cost. Equal logarithms have no spread, so a process would take its scale from their size, which depends on
    /// the unit of cost.
    Equal(f64),
    /// Surrogate of the logarithm of the cost.
    Learnt {
        /// The process.
        fit: FoldFit,
        /// Component of the log cost that all folds share.
        common: Component,
    },
}

/// Memo name of the process of the costs.
const NAME: &str = "costs";

impl Costs {
    /// Fits the surrogate of the reported costs. A fit from all starts does not reuse the last hyperparameters.
    pub(crate) fn learn(
        space: &Space,
        evidence: &Evidence,
        history: &History<FoldQuery>,
        learning: Learning,
        id: TrialId,
    ) -> Result<Self, OptimizerError> {
        let (mut x, mut folds, mut costs) = (Points::new(space.dim()), Vec::new(), Vec::new());
        for (i, cost) in evidence.costs.iter().enumerate() {
            // Studies reject a cost without a logarithm, but older journals may have one.
            let Some(cost) = cost.filter(|cost| *cost > 0.0) else { continue };
            x.push(evidence.x.row(i));
            folds.push(evidence.folds[i]);
            costs.push(cost);
        }
        let Some(first) = costs.first().copied() else { return Ok(Self::Ignored) };
        if costs.iter().all(|cost| *cost == first) {
            return Ok(Self::Equal(first));
        }
        let logarithms: Vec<f64> = costs.iter().map(|cost| cost.ln()).collect();
        let data = FoldData {
            x: x.as_ref(),
            folds: &folds,
            y: &logarithms,
            noise_variances: &vec![0.0; logarithms.len()],
            limits: Limits::default(),
        };
        let last = LastFit::of(NAME, history.trials().iter());
        let mut rng = history.seed().stream("fit of costs", id.0);
        let model = Hgp::on_domain(space.domain());
        let fitted = learning.starting_afresh().fit(&model, data, last, &mut rng);
        let fitted = fitted.map_err(|error| {
            OptimizerError::failed(format!("fitting the costs for trial {}", id.0), error)
        })?;
        Ok(Self::by(fitted))
    }

    fn by(fit: FoldFit) -> Self {
        let common = fit.posterior.common();
        Self::Learnt { fit, common }
    }

    /// Adds the hyperparameters to a memo.
    pub(crate) fn remember(&self, memo: &mut Memo) {
        if let Self::Learnt { fit, .. } = self {
            fit.to_remember().remember(NAME, memo);
        }
    }

    /// Log inverse of the expected cost of an evaluation, as a weight; `None` if all costs are equal.
    pub(crate) fn log_inverse(&self) -> Option<Analytic<'_, LogInverseCost>> {
        match self {
            Self::Learnt { common, .. } => Some(Analytic::new(common, LogInverseCost::default())),
            Self::Ignored | Self::Equal(_) => None,
        }
    }

    /// Mean of the log-normal cost of a fold at a configuration; `None` where costs do not count.
    pub(crate) fn expected(&self, x: &[f64], fold: usize) -> Option<f64> {
        match self {
            Self::Ignored => None,
            Self::Equal(cost) => Some(*cost),
            Self::Learnt { fit, .. } => {
                let Prediction { mean, variance } = fit.posterior.fold(fold).predict(x);
                Some((mean + 0.5 * variance).exp())
            }
        }
    }

    /// Log cost of a fold.
    pub(crate) fn of_fold(&self, fold: usize) -> LogCost {
        match self {
            Self::Ignored => LogCost::Equal(0.0),
            Self::Equal(cost) => LogCost::Equal(cost.ln()),
            Self::Learnt { fit, .. } => LogCost::Learnt(fit.posterior.fold(fold)),
        }
    }
}

/// Expected log cost of one fold at every configuration.
pub(crate) enum LogCost {
    /// Constant.
    Equal(f64),
    /// Posterior mean of the logarithm.
    Learnt(Component),
}

impl LogCost {
    /// The expected logarithm.
    pub(crate) fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::Equal(logarithm) => *logarithm,
            Self::Learnt(component) => component.predict(x).mean,
        }
    }

    /// Subtracts the gradient of the expected logarithm.
    pub(crate) fn subtract_gradient(&self, x: &[f64], gradient: &mut [f64]) {
        let Self::Learnt(component) = self else { return };
        let (mut mean, mut variance) = ([0.0], [0.0]);
        let (mut of_mean, mut of_variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        component.predict_with_gradient_into(
            PointsRef::single(x),
            &mut mean,
            &mut variance,
            &mut of_mean,
            &mut of_variance,
        );
        gradient.iter_mut().zip(of_mean).for_each(|(slot, slope)| *slot -= slope);
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;
    use crate::FractionalSettings;

    fn cost() -> LogCost {
        let x = Points::from_rows(&[[0.1, 0.2], [0.8, 0.7], [0.4, 0.9], [0.6, 0.1]]).unwrap();
        let hgp = Hgp::matern52(2).condition(x.as_ref(), &[0, 1, 0, 1], &[1.0, 3.0, 2.0, 0.5]).unwrap();
        Costs::by(FoldFit { posterior: hgp, learnt_from: 4 }).of_fold(1)
    }

    /// The slope of the value is subtracted.
    #[test]
    fn the_gradient_of_the_logarithm_is_subtracted() {
        let cost = cost();
        for at in [[0.3, 0.4], [0.7, 0.2]] {
            let mut gradient = [5.0, -2.0];
            cost.subtract_gradient(&at, &mut gradient);
            for k in 0..2 {
                let value = |step: f64| {
                    let mut moved = at;
                    moved[k] += step;
                    cost.value(&moved)
                };
                let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
                assert!(slope.abs() > 1e-3, "{at:?} {k}");
                assert!((gradient[k] - ([5.0, -2.0][k] - slope)).abs() < 1e-6, "{at:?} {k}: {gradient:?}");
            }
        }
    }

    #[test]
    fn equal_costs_have_no_slope() {
        for (costs, logarithm) in [(Costs::Ignored, 0.0), (Costs::Equal(8.0), 8.0_f64.ln())] {
            let cost = costs.of_fold(3);
            let mut gradient = [5.0, -2.0];
            cost.subtract_gradient(&[0.3, 0.4], &mut gradient);
            assert_eq!((cost.value(&[0.3, 0.4]), gradient), (logarithm, [5.0, -2.0]));
        }
    }

    /// The expected cost is the mean of a log-normal, `exp(μ + σ²/2)`, of the fold; the weight is that of all folds.
    #[test]
    fn expected_costs_are_those_of_the_posterior() {
        let x = Points::from_rows(&[[0.1, 0.2], [0.8, 0.7], [0.4, 0.9], [0.6, 0.1]]).unwrap();
        let hgp = Hgp::matern52(2).condition(x.as_ref(), &[0, 1, 0, 1], &[1.0, 3.0, 2.0, 0.5]).unwrap();
        let (costs, common) = (Costs::by(FoldFit { posterior: hgp.clone(), learnt_from: 4 }), hgp.common());
        for at in [[0.3, 0.4], [0.9, 0.95]] {
            for fold in 0..3 {
                let Prediction { mean, variance } = hgp.fold(fold).predict(&at);
                assert!(variance > 1e-3);
                let found = costs.expected(&at, fold).unwrap();
                assert!((found.ln() - (mean + 0.5 * variance)).abs() < 1e-12, "{found}");
                assert_eq!(costs.of_fold(fold).value(&at), mean);
            }
            let weight = thrifty_acquisition::Acquisition::value(&costs.log_inverse().unwrap(), &at);
            assert!(
                (weight + common.predict(&at).mean).abs() < 0.5 * common.predict(&at).variance + 1e-12,
                "{weight}"
            );
        }
        let ignored = Costs::Ignored;
        assert!(ignored.expected(&[0.3, 0.4], 0).is_none() && ignored.log_inverse().is_none());
    }

    fn evidence(costs: &[Option<f64>]) -> Evidence {
        let n = costs.len();
        Evidence {
            x: Points::from_flat((0..n).map(|i| i as f64 / n as f64).collect(), 1),
            folds: (0..n).map(|i| i % 2).collect(),
            y: vec![0.0; n],
            noise_variances: vec![0.0; n],
            costs: costs.to_vec(),
            constraints: Vec::new(),
            of: (0..n).collect(),
            pending: Points::new(1),
            pending_folds: Vec::new(),
            evaluated: Points::new(1),
            first: Vec::new(),
            asked: Vec::new(),
            failed: Vec::new(),
            ended: Points::new(1),
            classes: Vec::new(),
        }
    }

    /// Reported costs are learnt and missing ones are left out. A cost that is not positive is an error that names it.
    #[test]
    fn costs_are_learnt_from_those_that_were_told() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let history = History::from_trials(Vec::new(), Seed(1));
        let learning = Learning::of(&FractionalSettings::new(2), 8, TrialId(3));
        let learnt =
            |costs: &[Option<f64>]| Costs::learn(&space, &evidence(costs), &history, learning, TrialId(3));
        assert!(learnt(&[None, None]).unwrap().expected(&[0.5], 0).is_none());
        let some = [Some(1.0), None, Some(8.0), None, Some(64.0), Some(2.0), None, Some(512.0)];
        let costs = learnt(&some).unwrap();
        for (i, cost) in some.iter().enumerate() {
            let Some(cost) = cost else { continue };
            let found = costs.of_fold(i % 2).value(&[i as f64 / 8.0]);
            assert!((found - cost.ln()).abs() < 2.0, "{i}: {found} {cost}");
        }
        // Four times as dear: the same, and ln 4 more.
        let dear: Vec<Option<f64>> = some.iter().map(|cost| cost.map(|cost| 4.0 * cost)).collect();
        let dear = learnt(&dear).unwrap();
        for at in [0.1, 0.45, 0.9] {
            let [a, b] = [&costs, &dear].map(|costs| costs.of_fold(0).value(&[at]));
            assert!((b - a - 4.0_f64.ln()).abs() < 1e-6, "{at}: {a} {b}");
        }
        // A cost without a logarithm is left out.
        let left_out = learnt(&[Some(1.0), None, Some(0.0), Some(2.0)]).unwrap();
        let without = learnt(&[Some(1.0), None, None, Some(2.0)]).unwrap();
        assert_eq!(left_out.expected(&[0.5], 0), without.expected(&[0.5], 0));
    }
}
