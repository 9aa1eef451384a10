//! Running trials as fantasies or joint draws.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, ConditionalDraws, OverDraws, Utility, UtilityScale,
};
use thrifty_domain::Points;
use thrifty_sampling::Stream;
use thrifty_surrogate::{FittedSurrogate, JointPosterior, Posterior};

use crate::probability_feasible;

/// Running trials as a belief counts them.
pub struct Running {
    /// Points of the running trials.
    pub points: Points,
    /// The one outcome that each is imagined to have.
    pub fantasies: Vec<f64>,
    /// The model before any outcome was imagined, with the number of draws; nothing where a single outcome stands for each.
    pub drawn: Option<(Box<dyn FittedSurrogate>, usize)>,
}

/// Probability of being feasible from which the fantasy of a running trial counts as an incumbent.
const LIKELY: f64 = 0.5;

impl Running {
    /// The model after an imagined outcome of each trial, which `outcome` makes of the posterior mean there. With a number of
    /// draws the model before is kept, if it has a joint posterior.
    pub fn fantasize(
        mut fitted: Box<dyn FittedSurrogate>,
        points: Points,
        draws: Option<usize>,
        outcome: impl Fn(f64) -> f64,
    ) -> (Box<dyn FittedSurrogate>, Self) {
        let draws = draws.filter(|_| fitted.posterior().joint().is_some());
        let (mut before, mut fantasies) = (None, Vec::with_capacity(points.len()));
        for point in points.rows() {
            let imagined = outcome(fitted.posterior().predict(point).0);
            fantasies.push(imagined);
            // A point that is there already tells nothing new.
            if let Ok(next) = fitted.fantasize(point, imagined) {
                let last = std::mem::replace(&mut fitted, next);
                before.get_or_insert(last);
            }
        }
        (fitted, Self { points, fantasies, drawn: before.zip(draws) })
    }

    /// The imagined outcomes of those that are likely to break no constraint: what the next trial has to improve on.
    pub fn incumbents(&self, constraints: &[&dyn Posterior]) -> Vec<f64> {
        let feasible = likely_feasible(&self.points, constraints);
        self.fantasies.iter().zip(feasible).filter(|(_, feasible)| *feasible).map(|(y, _)| *y).collect()
    }

    /// The points of those that are likely to break no constraint.
    pub fn likely_points(&self, constraints: &[&dyn Posterior]) -> Points {
        let mut points = Points::new(self.points.dim());
        let likely = self
            .points
            .rows()
            .zip(likely_feasible(&self.points, constraints))
            .filter(|(_, feasible)| *feasible);
        likely.for_each(|(point, _)| points.push(point));
        points
    }

    /// [`improvement_over_draws`] where outcomes are drawn; nothing else.
    ///
    /// # Errors
    /// As there.
    pub fn over_draws<'a>(
        &'a self,
        factory: &dyn AcquisitionFactory,
        constraints: &[&dyn Posterior],
        target: impl Fn(&[f64]) -> f64,
        rng: &mut Stream,
    ) -> Result<Option<Box<dyn Acquisition + 'a>>, AcquisitionError> {
        let Some((model, draws)) = &self.drawn else { return Ok(None) };
        improvement_over_draws(model.posterior(), factory, (&self.points, *draws), constraints, target, rng)
    }
}

/// An improvement averaged over joint draws of the outcomes of running trials, each draw with its own target: `target` makes
/// it of the losses drawn where no constraint is broken. Nothing where the acquisition is no analytic improvement or the model has
/// no joint posterior.
///
/// # Errors
/// [`AcquisitionError`] as [`ConditionalDraws::independent`].
pub fn improvement_over_draws<'a>(
    posterior: &'a dyn Posterior,
    factory: &dyn AcquisitionFactory,
    (running, draws): (&Points, usize),
    constraints: &[&dyn Posterior],
    target: impl Fn(&[f64]) -> f64,
    rng: &mut Stream,
) -> Result<Option<Box<dyn Acquisition + 'a>>, AcquisitionError> {
    let (Some(joint), Some(_)) = (posterior.joint(), factory.improvement(0.0)) else { return Ok(None) };
    let logarithms = factory.scale() == UtilityScale::Log;
    let jointly: Option<Vec<&dyn JointPosterior>> = constraints.iter().map(|c| c.joint()).collect();
    // Constraints without a joint posterior are judged one point at a time.
    let likely = jointly.is_none().then(|| likely_feasible(running, constraints));
    let outputs: Vec<_> = std::iter::once(joint).chain(jointly.into_iter().flatten()).collect();
    let mut drawn = ConditionalDraws::independent(&outputs, running.as_ref(), draws, rng)?;
    let constraints = drawn.split_off(1);
    let Some(given) = drawn.pop() else { return Ok(None) };
    let utility = |draw: usize| -> Option<Box<dyn Utility>> {
        let mut feasible = likely.clone().unwrap_or_else(|| vec![true; running.len()]);
        for constraint in &constraints {
            feasible.iter_mut().zip(constraint.values(draw)).for_each(|(slot, c)| *slot = *slot && c <= 0.0);
        }
        let losses = given.values(draw).into_iter().zip(feasible).filter(|(_, feasible)| *feasible);
        let losses: Vec<f64> = losses.map(|(loss, _)| loss).collect();
        factory.improvement(target(&losses))
    };
    let Some(utilities) = (0..draws).map(utility).collect::<Option<Vec<_>>>() else { return Ok(None) };
    Ok(Some(Box::new(OverDraws::new(joint, running.as_ref(), given, utilities, logarithms)?)))
}

/// Which points are likely to break no constraint.
pub fn likely_feasible(points: &Points, constraints: &[&dyn Posterior]) -> Vec<bool> {
    points.rows().map(|x| probability_feasible(constraints.iter().copied(), x) >= LIKELY).collect()
}
