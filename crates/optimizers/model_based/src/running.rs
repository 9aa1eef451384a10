//! Running trials as fantasies or joint draws.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, ConditionalDraws, OverDraws, Utility, UtilityScale,
};
use thrifty_domain::Points;
use thrifty_sampling::Stream;
use thrifty_surrogate::{FittedSurrogate, JointPosterior, Posterior};

use crate::probability_feasible;

/// Running trials and their fantasized outcomes.
pub struct Running {
    /// Points of the running trials.
    pub points: Points,
    /// The fantasized outcome of each.
    pub fantasies: Vec<f64>,
    /// The model before any fantasy, and the number of draws; `None` where one outcome stands for each running trial.
    pub drawn: Option<(Box<dyn FittedSurrogate>, usize)>,
}

/// Smallest probability of being feasible at which a running trial counts as an incumbent, and a point as a possible minimum.
pub(crate) const LIKELY: f64 = 0.5;

impl Running {
    /// Conditions the model on one fantasized outcome per point, in order. `outcome` maps the posterior mean to the outcome. With a number
    /// of draws, the model before the fantasies is kept if it has a joint posterior.
    pub fn fantasize(
        mut fitted: Box<dyn FittedSurrogate>,
        points: Points,
        draws: Option<usize>,
        outcome: impl Fn(f64) -> f64,
    ) -> (Box<dyn FittedSurrogate>, Self) {
        let draws = draws.filter(|_| fitted.posterior().joint().is_some());
        let (mut before, mut fantasies) = (None, Vec::with_capacity(points.len()));
        for point in points.rows() {
            let imagined = outcome(fitted.posterior().predict(point).mean);
            fantasies.push(imagined);
            // Conditioning on a duplicate point fails numerically and would not change the posterior; skip it.
            if let Ok(next) = fitted.fantasize(point, imagined) {
                let last = std::mem::replace(&mut fitted, next);
                before.get_or_insert(last);
            }
        }
        (fitted, Self { points, fantasies, drawn: before.zip(draws) })
    }

    /// The fantasized outcomes of trials that are likely to be feasible: the next trial should improve on them.
    pub fn incumbents(&self, constraints: &[&dyn Posterior]) -> Vec<f64> {
        let feasible = likely_feasible(&self.points, constraints);
        self.fantasies.iter().zip(feasible).filter(|(_, feasible)| *feasible).map(|(y, _)| *y).collect()
    }

    /// The points of trials that are likely to be feasible.
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

    /// The model before any fantasy; `None` unless outcomes are drawn.
    pub fn model(&self) -> Option<&dyn FittedSurrogate> {
        self.drawn.as_ref().map(|(model, _)| &**model)
    }

    /// [`improvement_over_draws`] of this posterior; `None` unless outcomes are drawn.
    ///
    /// # Errors
    /// As [`improvement_over_draws`].
    pub fn over_draws<'a>(
        &self,
        posterior: &'a dyn Posterior,
        factory: &dyn AcquisitionFactory,
        constraints: &[&dyn Posterior],
        target: impl Fn(&[f64]) -> f64,
        rng: &mut Stream,
    ) -> Result<Option<Box<dyn Acquisition + 'a>>, AcquisitionError> {
        let Some((_, draws)) = &self.drawn else { return Ok(None) };
        improvement_over_draws(posterior, factory, (&self.points, *draws), constraints, target, rng)
    }
}

/// An improvement averaged over joint draws of the outcomes of running trials. Each draw has its own target.
///
/// `target` computes the target of a draw from the losses drawn at its feasible points. `None` if the acquisition is not an analytic
/// improvement, or if the model has no joint posterior.
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
    // Without joint posteriors of the constraints, feasibility is decided per point.
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

/// True for each point that is likely to be feasible.
pub fn likely_feasible(points: &Points, constraints: &[&dyn Posterior]) -> Vec<bool> {
    points.rows().map(|x| probability_feasible(constraints.iter().copied(), x) >= LIKELY).collect()
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Domain;
    use thrifty_sampling::Seed;
    use thrifty_surrogate::{Observations, Surrogate};

    use super::*;
    use crate::GpSurrogate;

    fn fitted(y: &[f64]) -> Box<dyn FittedSurrogate> {
        let x = Points::from_flat((0..y.len()).map(|i| i as f64 / (y.len() - 1) as f64).collect(), 1);
        let data = Observations::new(x.as_ref(), y);
        GpSurrogate::default().fit(&Domain::unit_cube(1), data, None, &mut Seed(1).stream("fit", 0)).unwrap()
    }

    /// Each outcome is fantasized from the mean after those before it, and the model before them is kept for draws.
    #[test]
    fn outcomes_are_imagined_one_after_the_other() {
        let y = [1.0, 0.2, -0.5, 0.4, 2.0, 1.1];
        let points = Points::from_flat(vec![0.33, 0.36, 0.71], 1);
        let before = fitted(&y);
        let mut by_hand = fitted(&y);
        let mut expected = Vec::new();
        for point in points.rows() {
            let outcome = by_hand.posterior().predict(point).mean + 0.25;
            expected.push(outcome);
            by_hand = by_hand.fantasize(point, outcome).unwrap();
        }
        let (after, running) = Running::fantasize(fitted(&y), points.clone(), Some(7), |mean| mean + 0.25);
        assert_eq!(running.fantasies, expected);
        assert_eq!(running.points, points);
        let (kept, draws) = running.drawn.as_ref().unwrap();
        assert_eq!(*draws, 7);
        for at in [0.1, 0.35, 0.6] {
            assert_eq!(after.posterior().predict(&[at]), by_hand.posterior().predict(&[at]));
            assert_eq!(kept.posterior().predict(&[at]), before.posterior().predict(&[at]));
        }
        let (_, alone) = Running::fantasize(fitted(&y), points, None, |mean| mean);
        assert!(alone.drawn.is_none());
        let (_, none) = Running::fantasize(fitted(&y), Points::new(1), Some(7), |mean| mean);
        assert!(none.drawn.is_none() && none.fantasies.is_empty());
    }

    /// Trials that probably break a constraint are nothing to improve on.
    #[test]
    fn likely_trials_are_those_with_even_odds() {
        // Negative in the left half and positive in the right one.
        let rising = fitted(&[-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]);
        let falling = fitted(&[3.0, 2.0, 1.0, -1.0, -2.0, -3.0]);
        let points = Points::from_flat(vec![0.1, 0.9, 0.2], 1);
        let running = Running { points: points.clone(), fantasies: vec![5.0, 6.0, 7.0], drawn: None };
        let rising: &[&dyn Posterior] = &[rising.posterior()];
        let both = [rising[0], falling.posterior()];
        assert_eq!(likely_feasible(&points, rising), [true, false, true]);
        assert_eq!(running.incumbents(rising), [5.0, 7.0]);
        assert_eq!(running.likely_points(rising), Points::from_flat(vec![0.1, 0.2], 1));
        assert_eq!(running.incumbents(&[]), [5.0, 6.0, 7.0]);
        assert!(running.incumbents(&both).is_empty() && running.likely_points(&both).is_empty());
        // Even odds are likely enough: the mean at a data point without noise is 0.
        let zero = fitted(&[0.0; 4]);
        let odds = probability_feasible([zero.posterior()].into_iter(), &[0.5]);
        assert_eq!(likely_feasible(&Points::from_flat(vec![0.5], 1), &[zero.posterior()])[0], odds >= 0.5);
    }
}
