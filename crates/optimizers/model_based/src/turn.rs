//! Turn of a model-based optimiser: its own suggestion, or one at another point.

use thrifty_acquisition::{Acquisition, AcquisitionFactory};
use thrifty_domain::Points;
use thrifty_sampling::Stream;
use thrifty_space::Space;
use thrifty_study::{Ask, History, Optimizer, OptimizerError, Query, Suggestion, TrialId};
use thrifty_surrogate::Posterior;

use crate::{Candidate, random_points};

/// An optimiser whose surrogates can be explored.
///
/// [`Optimizer::ask`] is [`ModelBased::turn`] followed by the optimiser's own choice, [`Turn::ask`]. A wrapper around the optimiser may
/// choose another point instead.
pub trait ModelBased: Optimizer {
    /// Starts the turn of trial `id`, with fitted surrogates.
    ///
    /// # Errors
    /// As [`Optimizer::ask`].
    fn turn<'a>(
        &'a mut self,
        history: &'a History<Self::Query>,
        id: TrialId,
    ) -> Result<Turn<'a, Self::Query>, OptimizerError>;
}

/// A turn of a model-based optimiser.
pub enum Turn<'a, Q> {
    /// The answer needs no surrogate: a point of the initial design, the end, or a verification.
    Decided(Ask<Q>),
    /// Surrogates are fitted; the query is not chosen yet.
    Modelled(Box<dyn Modelled<Q> + 'a>),
}

impl<Q: Query> Turn<'_, Q> {
    /// The optimiser's own answer.
    ///
    /// # Errors
    /// As [`Modelled::exploit`].
    pub fn ask(self) -> Result<Ask<Q>, OptimizerError> {
        match self {
            Self::Decided(ask) => Ok(ask),
            Self::Modelled(mut turn) => turn.exploit(None),
        }
    }
}

/// Outlook of a turn: the largest expected improvement, times the probability of being feasible. Costs do not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// Largest expected improvement of the loss, of the best posterior mean, or of the hypervolume.
    pub expected: f64,
    /// Scale of the improvement: the range of the losses, or the current hypervolume.
    pub range: f64,
    /// The loss to improve on; `None` for several objectives.
    pub target: Option<f64>,
}

/// A turn with fitted surrogates.
pub trait Modelled<Q> {
    /// The space.
    fn space(&self) -> &Space;

    /// Posteriors of the objectives, one per objective, after fantasies of the running trials.
    fn posteriors(&self) -> Vec<&dyn Posterior>;

    /// True if [`Modelled::exploit`] accepts another acquisition function. This needs a single objective.
    fn takes_acquisition(&self) -> bool {
        true
    }

    /// The optimiser's own choice; with `by`, the choice of that acquisition function instead.
    ///
    /// # Errors
    /// [`OptimizerError`] when the acquisition function cannot be built or is NaN, or when `by` is set and the optimiser
    /// [takes none](Modelled::takes_acquisition).
    fn exploit(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Ask<Q>, OptimizerError>;

    /// The outlook of [`Modelled::exploit`] with the same `by`; `None` if no improvement is defined.
    ///
    /// # Errors
    /// As [`Modelled::exploit`].
    fn outlook(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Option<Outlook>, OptimizerError>;

    /// The best allowed points of an acquisition function, best first; `purpose` names the random stream.
    fn maximize(&self, acquisition: &dyn Acquisition, purpose: &str) -> Vec<Candidate>;

    /// Random points that may be suggested: uniform on the unit cube, or among the points of a finite set. There are fewer than `count` if
    /// a known constraint allows few.
    fn uniform(&self, count: usize, rng: &mut Stream) -> Points {
        random_points(self.space().domain(), |_| true, count, rng)
    }

    /// Suggests the first candidate that is new and allowed, with the memo of this turn; `None` if everything was asked.
    ///
    /// # Errors
    /// [`OptimizerError`] when a part of the choice, such as the fold, cannot be made, or when no allowed point is found.
    fn suggest(&mut self, candidates: Vec<Candidate>) -> Result<Option<Suggestion<Q>>, OptimizerError>;
}
