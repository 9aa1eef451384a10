use thrifty_space::Config;

/// The configuration that fractional cross-validation recommends, and its loss.
///
/// The loss of an unverified configuration is the best of many posterior means. It is too small on average, because the
/// configuration was chosen for it. The loss of a verified one was measured on every fold.
#[derive(Debug, Clone, PartialEq)]
pub struct FractionalRecommendation {
    /// The configuration.
    pub config: Config,
    /// Verified: the mean of the measured losses over all folds of the first repeat. Otherwise the posterior mean of the
    /// target.
    pub loss: f64,
    /// True if every fold of the first repeat was measured for the configuration.
    pub verified: bool,
}
