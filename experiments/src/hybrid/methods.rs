//! Hybrids and what they are compared with.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, Schedule};
use thrifty_bo::{
    BayesianOptimizer, BoSettings, Convergence, GpSurrogate, InitialDesign, KernelFamily, LossTransform,
    Maximizer,
};

use thrifty_gp::{GpSettings, Mean, Noise};
use thrifty_hybrid::{Anticipation, Exploration, Hybrid, HybridSettings, OnConvergence};
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space};
use thrifty_study::OptimizerError;

use super::largest_mean::LargestMean;
use crate::harness::method::{AfterDesign, AnyOptimizer};

/// A method of the comparison, by name.
#[derive(Debug, Clone)]
pub enum Method {
    /// A hybrid with expected improvement.
    Hybrid(Exploration, OnConvergence),
    /// A hybrid of any settings, under a name.
    Named(String, HybridSettings),
    /// A hybrid of any settings that exploits at the largest posterior mean of the loss: made worse on purpose.
    Worst(String, HybridSettings),
    /// A hybrid that only exploits, by the upper confidence bound of the score.
    Ucb,
    /// Algorithm 1 begun again from random points whenever it has converged.
    RandomStarts,
    /// Uniform points.
    Random,
}

/// The model of the paper: squared exponential, hyperparameters by maximum evidence, here with the sample mean and
/// lengthscales within [0.02, 2] of the range. `noise` is a share of the variance of the scores.
pub fn model(noise: Noise) -> GpSurrogate {
    GpSurrogate {
        family: KernelFamily::SquaredExponential,
        settings: GpSettings { noise, mean: Mean::Zero, restarts: 4, ..GpSettings::default() },
        lengthscale_bounds: Some((0.02, 2.0)),
        ..GpSurrogate::default()
    }
}

/// Problem and settings of the methods.
pub struct Setting<'a> {
    pub space: &'a Space,
    pub initial: &'a [Config],
    pub epsilon: f64,
    /// Turns after the initial design.
    pub turns: usize,
    pub noise: Noise,
}

impl Method {
    pub fn label(&self) -> String {
        let reading = |convergence: &OnConvergence| match convergence {
            OnConvergence::Ignore => "",
            OnConvergence::Stop => " literal",
            OnConvergence::Skip => " skip",
            OnConvergence::Force => " force",
        };
        match self {
            Self::Hybrid(Exploration::Never, _) => "EI (Algorithm 1)".into(),
            Self::Hybrid(Exploration::FixedRate { rate }, c) => format!("Algorithm 2, {rate}{}", reading(c)),
            Self::Hybrid(Exploration::PiScaled { floor, .. }, c) if *floor > 0.0 => {
                format!("Algorithm 3, floor {floor}{}", reading(c))
            }
            Self::Hybrid(Exploration::PiScaled { .. }, c) => format!("Algorithm 3{}", reading(c)),
            Self::Hybrid(Exploration::EpsRandom { epsilon }, _) => format!("greedy, {epsilon} uniform"),
            Self::Hybrid(Exploration::EpsPareto { epsilon }, _) => format!("greedy, {epsilon} Pareto"),
            Self::Hybrid(Exploration::ForcedOnConvergence, _) => "EI, forced on convergence".into(),
            Self::Named(name, _) | Self::Worst(name, _) => name.clone(),
            Self::Ucb => "UCB, beta 4".into(),
            Self::RandomStarts => "EI, random starts".into(),
            Self::Random => "random search".into(),
        }
    }

    /// The optimiser of this method.
    pub fn optimizer(&self, setting: &Setting<'_>) -> Result<AnyOptimizer, OptimizerError> {
        let base = BoSettings {
            losses: LossTransform::None,
            initial: InitialDesign::Only(setting.initial.to_vec()),
            rule: AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved),
            // One dimension: a fine grid, as the paper's toy needs.
            maximizer: Maximizer { raw: 1024, around_best: 20, climbs: 6 },
            convergence: Convergence::Continue,
            ..BoSettings::default()
        };
        let base_of = |settings| {
            BayesianOptimizer::new(setting.space.clone())
                .with_surrogate(model(setting.noise.clone()))
                .with_settings(settings)
        };
        let hybrid = |settings: &HybridSettings| HybridSettings {
            epsilon: setting.epsilon,
            max_turns: Some(setting.turns),
            ..settings.clone()
        };
        match self {
            Self::Hybrid(exploration, convergence) => {
                let written = HybridSettings { exploration: *exploration, ..HybridSettings::algorithm_1() };
                let settings = hybrid(&written.reading(*convergence));
                Ok(AnyOptimizer::new(Hybrid::new(base_of(base)?).with_settings(settings)?))
            }
            Self::Named(_, settings) => {
                Ok(AnyOptimizer::new(Hybrid::new(base_of(base)?).with_settings(hybrid(settings))?))
            }
            Self::Worst(_, settings) => {
                let settings = hybrid(&settings.clone().anticipating(Anticipation::Own));
                let base = base_of(base)?.with_acquisition(LargestMean);
                Ok(AnyOptimizer::new(Hybrid::new(base).with_settings(settings)?))
            }
            Self::Ucb => {
                let rule = AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 });
                let settings = HybridSettings {
                    exploration: Exploration::Never,
                    convergence: OnConvergence::Ignore,
                    ..HybridSettings::default()
                };
                let base = base_of(BoSettings { rule, ..base })?;
                Ok(AnyOptimizer::new(Hybrid::new(base).with_settings(hybrid(&settings))?))
            }
            Self::RandomStarts => {
                let convergence = Convergence::Restart { epsilon: setting.epsilon };
                base_of(BoSettings { convergence, ..base }).map(AnyOptimizer::new)
            }
            Self::Random => Ok(AnyOptimizer::new(AfterDesign {
                design: setting.initial.to_vec(),
                search: RandomSearch::new(setting.space.clone()),
            })),
        }
    }
}
