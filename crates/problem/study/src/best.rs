//! The best configuration of a study.

/// The best configuration, as recommended by an optimiser of one objective.
///
/// Configurations that break a measured constraint are never the best. For the folds of a cross-validation, the value is the mean over the
/// folds, never that of a single fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Best<C> {
    /// The configuration.
    pub config: C,
    /// Value of the objective, in its units.
    pub value: f64,
    /// Origin of the value.
    pub basis: Basis,
    /// Central 95 % credible interval of the objective, without noise of evaluations, in its units. `None` for a measured value, and for
    /// models without intervals.
    pub interval: Option<(f64, f64)>,
}

/// Origin of the value of a [`Best`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Measured; for folds, on every one of them.
    Observed,
    /// A posterior mean. For the best of many configurations it is too small on average, since the configuration was selected by it.
    Posterior,
}

impl<C> Best<C> {
    /// A measured configuration.
    pub fn observed(config: C, value: f64) -> Self {
        Self { config, value, basis: Basis::Observed, interval: None }
    }

    /// A configuration chosen by its posterior mean.
    pub fn posterior(config: C, value: f64) -> Self {
        Self { config, value, basis: Basis::Posterior, interval: None }
    }

    /// This recommendation with the [interval](Self::interval) from `low` to `high`.
    #[must_use]
    pub fn with_interval(self, (low, high): (f64, f64)) -> Self {
        Self { interval: Some((low, high)), ..self }
    }

    /// True if the value was measured.
    pub fn is_observed(&self) -> bool {
        self.basis == Basis::Observed
    }
}
