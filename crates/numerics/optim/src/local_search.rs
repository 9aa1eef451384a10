//! Local search on mixed domains.

use thrifty_domain::{Domain, Points, PointsRef};

use crate::Lbfgsb;

/// Objective of a [`LocalSearch`].
pub trait Objective {
    /// Values at m points, overwriting `out`.
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]);

    /// The value at a point with its gradient overwritten, if there are gradients.
    fn value_with_gradient(&self, _x: &[f64], _gradient: &mut [f64]) -> Option<f64> {
        None
    }
}

/// Climbs to a local maximum on a mixed domain.
///
/// In turn: the continuous columns of active variables by L-BFGS-B where there are gradients, by compass search
/// where not; then the best single move of a discrete variable, if it is better. Ends when neither helps.
/// Deterministic, never leaves the feasible points, never ends below its start.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalSearch {
    /// For the continuous columns.
    pub optimizer: Lbfgsb,
    /// Turns at most.
    pub max_rounds: usize,
    /// Unit of the values, in which the tolerances of `optimizer` are meant. A power of 2 changes no digit of the values.
    pub unit: f64,
}

impl Default for LocalSearch {
    /// At most 100 gradient evaluations and 20 turns; values in units of 1.
    fn default() -> Self {
        Self { optimizer: Lbfgsb { max_evaluations: 100, ..Lbfgsb::default() }, max_rounds: 20, unit: 1.0 }
    }
}

impl LocalSearch {
    /// The default search of a function with these values at other points: their spread is its unit, rounded down to a power of 2.
    ///
    /// So a function times a power of 2 is searched in the same steps, whatever its scale. Values that are not finite do not count; where the others
    /// are all the same, the unit is 1.
    #[must_use]
    pub fn of_spread(values: &[f64]) -> Self {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let spread = finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min);
        // The exponent alone.
        let power = f64::from_bits(spread.to_bits() & f64::INFINITY.to_bits());
        let unit = if spread.is_finite() && power > 0.0 { power } else { 1.0 };
        Self { unit, ..Self::default() }
    }
}

/// Result of a [`LocalSearch`].
#[derive(Debug, Clone, PartialEq)]
pub struct LocalMaximum {
    /// A feasible point.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
}

impl LocalSearch {
    /// Climbs from `start`, made feasible first.
    pub fn maximize(&self, domain: &Domain, landscape: &dyn Objective, start: &[f64]) -> LocalMaximum {
        let mut x = start.to_vec();
        domain.snap(&mut x);
        let mut summit = LocalMaximum { value: value(landscape, &x), x };
        let continuous = domain.continuous_columns().next().is_some();
        let discrete = domain.variables().iter().any(|variable| variable.levels().is_some_and(|n| n > 1));
        for _ in 0..self.max_rounds {
            if continuous {
                self.climb_continuous(domain, landscape, &mut summit);
            }
            if !(discrete && move_once(domain, landscape, &mut summit)) {
                break;
            }
        }
        summit
    }

    fn climb_continuous(&self, domain: &Domain, landscape: &dyn Objective, summit: &mut LocalMaximum) {
        // Everything but the continuous columns of active variables stays where it is.
        let mut bounds: Vec<(f64, f64)> = summit.x.iter().map(|&v| (v, v)).collect();
        for (index, variable) in domain.variables().iter().enumerate() {
            if variable.levels().is_none() && domain.is_active(index, &summit.x) && !domain.is_pinned(index) {
                bounds[domain.columns(index).start] = (0.0, 1.0);
            }
        }
        let mut gradient = vec![0.0; summit.x.len()];
        if landscape.value_with_gradient(&summit.x, &mut gradient).is_none() {
            return compass(landscape, &bounds, summit);
        }
        let descent = |x: &[f64], gradient: &mut [f64]| {
            let value = landscape.value_with_gradient(x, gradient).unwrap_or(f64::NEG_INFINITY);
            gradient.iter_mut().for_each(|g| *g = -*g / self.unit);
            -value / self.unit
        };
        // A start without a finite value has no slope to follow.
        if let Ok(found) = self.optimizer.minimize(descent, &summit.x, &bounds) {
            improve(summit, &found.x, value(landscape, &found.x));
        }
    }
}

fn value(landscape: &dyn Objective, x: &[f64]) -> f64 {
    let mut out = [f64::NEG_INFINITY];
    landscape.values_into(PointsRef::single(x), &mut out);
    out[0]
}

fn improve(summit: &mut LocalMaximum, x: &[f64], value: f64) -> bool {
    let better = value > summit.value || summit.value.is_nan() && !value.is_nan();
    if better {
        *summit = LocalMaximum { x: x.to_vec(), value };
    }
    better
}

/// The best neighbour, if it is better.
fn move_once(domain: &Domain, landscape: &dyn Objective, summit: &mut LocalMaximum) -> bool {
    let mut neighbors = Points::new(domain.dim());
    domain.neighbors(&summit.x).iter().for_each(|x| neighbors.push(x));
    let mut values = vec![f64::NEG_INFINITY; neighbors.len()];
    landscape.values_into(neighbors.as_ref(), &mut values);
    largest(&values).is_some_and(|best| improve(summit, neighbors.row(best), values[best]))
}

/// The first index of the largest value; NaN is never the largest.
fn largest(values: &[f64]) -> Option<usize> {
    let numbers = (0..values.len()).filter(|&i| !values[i].is_nan());
    numbers.reduce(|best, i| if values[i] > values[best] { i } else { best })
}

/// Steps along each axis, halved from 0.1 to 1e-5 whenever none of them helps.
fn compass(landscape: &dyn Objective, bounds: &[(f64, f64)], summit: &mut LocalMaximum) {
    let axes: Vec<usize> = (0..bounds.len()).filter(|&i| bounds[i].0 < bounds[i].1).collect();
    let mut step = 0.1;
    while step > 1e-5 {
        let mut trials = Points::new(bounds.len());
        for &axis in &axes {
            for sign in [-1.0, 1.0] {
                let mut trial = summit.x.clone();
                trial[axis] = (trial[axis] + sign * step).clamp(bounds[axis].0, bounds[axis].1);
                trials.push(&trial);
            }
        }
        let mut values = vec![f64::NEG_INFINITY; trials.len()];
        landscape.values_into(trials.as_ref(), &mut values);
        if !largest(&values).is_some_and(|best| improve(summit, trials.row(best), values[best])) {
            step *= 0.5;
        }
    }
}
