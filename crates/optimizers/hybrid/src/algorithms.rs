//! Algorithms 1, 2 and 3 of `brofos2014` as written, and the readings that the text allows.

use thrifty_model_based::ModelBased;
use thrifty_study::OptimizerError;

use crate::{Anticipation, Exploration, Hybrid, HybridSettings, OnConvergence};

impl HybridSettings {
    /// Algorithm 1 of `brofos2014`: expected improvement until no further improvement is expected.
    ///
    /// The constructors of the three algorithms fix what the text fixes. Each open question is a setting:
    ///
    /// | line of the algorithms | reading here | setting |
    /// |---|---|---|
    /// | "Infer a point … by an anticipation equation" | expected improvement, eq. 1 | [`anticipation`](Self::anticipation): also probability (eq. 2 and 3) and mean |
    /// | "Stopping criterion" | largest expected improvement below 0.001 of the range | [`epsilon`](Self::epsilon), [`measure`](Self::measure) |
    /// | a converged exploit turn of Algorithms 2 and 3, on which the text is silent | stop, as Algorithm 1 does | [`convergence`](Self::convergence), [`reading`](Self::reading) |
    /// | "a predetermined number" of steps, 20 on the toy | no limit | [`max_turns`](Self::max_turns) |
    /// | "retrieve that point" of the largest standard deviation | the whole space is searched | [`point`](Self::point) |
    ///
    /// The order of the two branches is lost too. It does not matter: v is uniform, so "v < τ explores" and "v > 1 - τ explores" have the
    /// same distribution. Section 3 fixes the side: regions of high uncertainty are evaluated "only a small fraction of the time".
    #[must_use]
    pub fn algorithm_1() -> Self {
        Self {
            exploration: Exploration::Never,
            convergence: OnConvergence::Stop,
            anticipation: Anticipation::ExpectedImprovement,
            ..Self::default()
        }
    }

    /// Algorithm 2 of `brofos2014`: like [`algorithm_1`](Self::algorithm_1), but with probability `threshold` it evaluates the point of the
    /// largest standard deviation. The published threshold is lost.
    #[must_use]
    pub fn algorithm_2(threshold: f64) -> Self {
        Self { exploration: Exploration::FixedRate { rate: threshold }, ..Self::algorithm_1() }
    }

    /// Algorithm 3 of `brofos2014`: like [`algorithm_2`](Self::algorithm_2), but with probability `basis` times the probability of
    /// improvement (eq. 3) at the point of the largest standard deviation. The basis "may equal unity".
    #[must_use]
    pub fn algorithm_3(basis: f64) -> Self {
        Self { exploration: Exploration::PiScaled { basis, floor: 0.0 }, ..Self::algorithm_1() }
    }

    /// Sets the reading of a converged exploit turn.
    #[must_use]
    pub fn reading(self, convergence: OnConvergence) -> Self {
        Self { convergence, ..self }
    }

    /// Sets the anticipation equation.
    #[must_use]
    pub fn anticipating(self, anticipation: Anticipation) -> Self {
        Self { anticipation, ..self }
    }
}

impl<O: ModelBased> Hybrid<O> {
    /// Algorithm 1 of `brofos2014` around an optimiser: [`HybridSettings::algorithm_1`].
    ///
    /// The optimiser provides the model. The model of the source is a Gaussian process with a squared exponential kernel (eq. 4) and
    /// hyperparameters of maximum evidence. The optimiser must not explore by itself.
    ///
    /// ```
    /// use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, GpSurrogate, KernelFamily, LossTransform};
    /// use thrifty_hybrid::Hybrid;
    /// use thrifty_space::Space;
    /// let model = GpSurrogate { family: KernelFamily::SquaredExponential, ..GpSurrogate::deterministic() };
    /// let (losses, convergence) = (LossTransform::None, Convergence::Continue);
    /// let settings = BoSettings { losses, convergence, ending: 0, ..Default::default() };
    /// let space = Space::builder().int("trees", 1, 150).build()?;
    /// let base = BayesianOptimizer::new(space).with_settings(settings)?.with_surrogate(model);
    /// let optimizer = Hybrid::algorithm_1(base);
    /// # assert_eq!(optimizer.settings().epsilon, 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn algorithm_1(optimizer: O) -> Self {
        Self::of(optimizer, HybridSettings::algorithm_1())
    }

    /// Algorithm 2 of `brofos2014` around an optimiser: [`HybridSettings::algorithm_2`].
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for a threshold outside of [0, 1].
    pub fn algorithm_2(optimizer: O, threshold: f64) -> Result<Self, OptimizerError> {
        Self::new(optimizer).with_settings(HybridSettings::algorithm_2(threshold))
    }

    /// Algorithm 3 of `brofos2014` around an optimiser: [`HybridSettings::algorithm_3`].
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for a basis outside of [0, 1].
    pub fn algorithm_3(optimizer: O, basis: f64) -> Result<Self, OptimizerError> {
        Self::new(optimizer).with_settings(HybridSettings::algorithm_3(basis))
    }
}
