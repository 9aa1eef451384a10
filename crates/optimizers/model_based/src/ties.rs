//! Ties among losses: piecewise constant functions.

use thrifty_acquisition::Acquisition;
use thrifty_domain::{Domain, Points, PointsRef};

use crate::pairs::{CLOSEST, Pairs, log_two_pieces};

/// Policy for losses that tie: equal losses at different points of a space with a continuous parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TiePolicy {
    /// Ties are ignored.
    Ignore,
    /// The function is treated as piecewise constant while losses in the lower half tie more often than by chance.
    ///
    /// If the surrogate [has a form for pieces](thrifty_surrogate::Surrogate::in_pieces), losses are then modelled by it, without a transform:
    /// noise explains what a smooth function cannot follow. Other surrogates model them as they do without ties. A utility is multiplied by
    /// the probability that the point is not on the piece of a point that was asked.
    #[default]
    Pieces,
}

/// Pieces of a function, learnt from losses that tie.
///
/// Along each axis the edges of pieces are a Poisson process. Two points are on the same piece with probability
///
/// ```text
/// P(x, x') = exp(-Σ_j λ_j |x_j - x'_j|)
/// ```
///
/// The rates λ maximize the likelihood of all [`Pairs`]. Points with equal losses are on one piece, or tie by chance, as rounded losses do.
/// Points with different losses are on two pieces. So are points with equal losses if a point with another loss lies between them.
pub(crate) struct Pieces {
    /// Points that were asked.
    points: Points,
    rates: Vec<f64>,
}

/// Number of the lowest losses that rates are learnt from. With more, the pairs would cost more than the fit of a model.
const MOST: usize = 200;

/// Pairs that are closer than this along all axes are left out: a search that has converged to a minimum meets equal losses by rounding.
const RESOLVED: f64 = 1e-4;

impl Pieces {
    /// Learns pieces from measured points and losses; `running` points count as asked.
    ///
    /// `None` if no two losses in the lower half tie, or if chance explains the ties. Also `None` on a space without a continuous
    /// parameter, whose points are asked only once.
    ///
    /// Ties among high losses only are like those of a ceiling. They carry no information about the region of the search.
    pub(crate) fn learn(domain: &Domain, x: &Points, losses: &[f64], running: &Points) -> Option<Self> {
        if domain.is_discrete() {
            return None;
        }
        let mut order: Vec<usize> = (0..losses.len()).collect();
        order.sort_by(|&a, &b| losses[a].total_cmp(&losses[b]).then(a.cmp(&b)));
        let median = losses[*order.get(losses.len().saturating_sub(1) / 2)?];
        order.retain(|&i| losses[i] <= median);
        order.truncate(MOST);
        if !order.windows(2).any(|pair| losses[pair[0]] == losses[pair[1]]) {
            return None;
        }
        let mut pairs = Pairs::new(x.dim());
        for (k, &i) in order.iter().enumerate() {
            for &j in &order[..k] {
                let apart = distances(x.row(i), x.row(j));
                if apart.iter().any(|distance| *distance > RESOLVED) {
                    pairs.push(&apart, losses[i] == losses[j] && !is_parted(x, losses, &order, (i, j)));
                }
            }
        }
        if !pairs.any_tied() {
            return None;
        }
        let rates = pairs.rates()?;
        let mut points = x.clone();
        running.rows().for_each(|point| points.push(point));
        Some(Self { points, rates })
    }

    /// Expected number of edges between a point and the nearest asked point, and the index of that point.
    fn nearest(&self, x: &[f64]) -> (f64, usize) {
        let edges = |row: &[f64]| -> f64 {
            distances(row, x).iter().zip(&self.rates).map(|(distance, rate)| distance * rate).sum()
        };
        let each = self.points.rows().map(edges).enumerate();
        let (nearest, edges) = each
            .fold((0, f64::INFINITY), |least, (i, edges)| if edges < least.1 { (i, edges) } else { least });
        (edges.max(CLOSEST), nearest)
    }

    /// Logarithm of the probability that a point is on no piece of an asked point:
    ///
    /// ```text
    /// ln(1 - max_i P(x, x_i))
    /// ```
    ///
    /// On the piece of an asked point the loss is known, so it is no improvement.
    pub(crate) fn log_probability_new(&self, x: &[f64]) -> f64 {
        log_two_pieces(self.nearest(x).0)
    }
}

/// True if two tied points are on different pieces, such as on both sides of a minimum. This is so if a chosen point with another loss lies
/// between them along all axes.
fn is_parted(x: &Points, losses: &[f64], chosen: &[usize], (i, j): (usize, usize)) -> bool {
    let is_between = |k: usize| {
        let ends = x.row(i).iter().zip(x.row(j));
        ends.zip(x.row(k)).all(|((a, b), c)| (a.min(*b)..=a.max(*b)).contains(c))
    };
    chosen.iter().any(|&k| losses[k] != losses[i] && is_between(k))
}

fn distances(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect()
}

/// [`Pieces::log_probability_new`] as an acquisition function.
pub(crate) struct LogNewPiece<'a>(pub(crate) &'a Pieces);

impl Acquisition for LogNewPiece<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        x.rows().zip(out).for_each(|(x, out)| *out = self.0.log_probability_new(x));
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let Pieces { points, rates } = self.0;
        for ((x, out), gradient) in x.rows().zip(out).zip(gradients.chunks_exact_mut(rates.len())) {
            let (edges, nearest) = self.0.nearest(x);
            *out = log_two_pieces(edges);
            let slope = edges.exp_m1().recip();
            for (d, (slot, near)) in gradient.iter_mut().zip(points.row(nearest)).enumerate() {
                let side = if x[d] == *near { 0.0 } else { (x[d] - near).signum() };
                *slot = slope * rates[d] * side;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thrifty_domain::Variable;
    use thrifty_sampling::{Seed, Sobol};

    use super::*;

    fn points(dim: usize, count: usize) -> Points {
        Sobol::scrambled(dim, &mut Seed(5).stream("points", 0)).take(count)
    }

    fn learn(x: &Points, losses: &[f64]) -> Option<Pieces> {
        Pieces::learn(&Domain::unit_cube(x.dim()), x, losses, &Points::new(x.dim()))
    }

    /// Edges of a Poisson process along one axis, of which every piece has a loss of its own, and none along the other.
    #[test]
    fn rates_of_edges_are_found() {
        let mut rng = Seed(2).stream("edges", 0);
        let edges: Vec<f64> = (0..12).map(|_| rng.uniform()).collect();
        let x = points(2, 120);
        let losses: Vec<f64> =
            x.rows().map(|x| edges.iter().filter(|edge| **edge < x[0]).count() as f64).collect();
        let found = learn(&x, &losses).unwrap().rates;
        // The lower half is one half of the axis, with about as many edges for its length.
        assert!((6.0..24.0).contains(&found[0]) && found[1] < 0.5, "{found:?}");
    }

    #[test]
    fn without_ties_in_the_lower_half_there_are_no_pieces() {
        let x = points(2, 10);
        let rising: Vec<f64> = (0..10).map(f64::from).collect();
        assert!(learn(&x, &rising).is_none());
        // Ties at a limit.
        assert!(learn(&x, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 9.0, 9.0, 9.0]).is_none());
        // Two in the lower half, far from each other: by chance.
        assert!(learn(&x, &[0.0, 1.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).is_none());
        let steps: Vec<f64> = x.rows().map(|x| (3.0 * x[0]).floor()).collect();
        assert!(learn(&x, &steps).is_some());
        assert!(learn(&Points::new(2), &[]).is_none());
        assert!(learn(&points(2, 1), &[1.0]).is_none());
        // A point that was measured twice, and one beside it whose loss differs by less than rounding.
        let twice = Points::from_flat(vec![0.2, 0.2, 0.2 + 1e-9, 0.9], 1);
        assert!(learn(&twice, &[1.0, 1.0, 1.0, 5.0]).is_none());
        // Both sides of a minimum.
        let sides = Points::from_flat(vec![0.25, 0.5, 0.75, 0.0, 1.0], 1);
        assert!(learn(&sides, &[0.0625, 0.0, 0.0625, 0.25, 0.25]).is_none());
        // A floor.
        let floor = Points::from_flat(vec![0.48, 0.5, 0.52, 0.25, 0.75, 0.0, 1.0], 1);
        assert!(learn(&floor, &[0.0, 0.0, 0.0, 0.0625, 0.0625, 0.25, 0.25]).is_some());
        let levels = Domain::new(vec![Variable::stepped(5)]).unwrap();
        assert!(
            Pieces::learn(&levels, &Points::from_flat(vec![0.0, 0.25], 1), &[1.0, 1.0], &Points::new(1))
                .is_none()
        );
    }

    /// A constant function: finite rates, and points are the newer the farther they are from all others.
    #[test]
    fn a_constant_is_one_piece() {
        let x = Points::from_flat(vec![0.1, 0.2, 0.3], 1);
        let pieces = learn(&x, &[4.0; 3]).unwrap();
        assert!(pieces.rates[0].is_finite() && pieces.rates[0] > 0.0);
        let new = |x: f64| pieces.log_probability_new(&[x]);
        assert!(new(1.0) > new(0.6) && new(0.6) > new(0.31) && new(0.3).is_finite());
    }

    /// Running points count as asked.
    #[test]
    fn running_points_are_known() {
        let x = Points::from_flat(vec![0.1, 0.12, 0.5], 1);
        let of =
            |running: &Points| Pieces::learn(&Domain::unit_cube(1), &x, &[1.0, 1.0, 2.0], running).unwrap();
        let (alone, beside) = (of(&Points::new(1)), of(&Points::from_flat(vec![0.9], 1)));
        assert!(beside.log_probability_new(&[0.9]) < -10.0 && alone.log_probability_new(&[0.9]) > -10.0);
        assert_eq!(alone.rates, beside.rates);
    }

    /// More losses than pairs are made of.
    #[test]
    fn many_losses_are_learnt_from_the_lowest() {
        let x = points(3, 3 * MOST);
        let losses: Vec<f64> = x.rows().map(|x| (8.0 * x[0]).floor()).collect();
        let rates = learn(&x, &losses).unwrap().rates;
        assert!(rates.iter().all(|rate| rate.is_finite()) && rates[0] > 2.0 && rates[1] < 0.5, "{rates:?}");
    }

    proptest! {
        /// Logarithms of probabilities with slopes that agree with differences, away from the points.
        #[test]
        fn slopes_are_those_of_the_values(x in prop::collection::vec(0.0..1.0_f64, 2), steps in 1..6_u32) {
            let asked = points(2, 12);
            let losses: Vec<f64> = asked.rows().map(|x| (f64::from(steps) * x[0]).floor()).collect();
            if let Some(pieces) = learn(&asked, &losses) {
                let (mut value, mut gradient) = ([0.0], [0.0; 2]);
                prop_assert!(LogNewPiece(&pieces).values_with_gradients_into(PointsRef::single(&x), &mut value, &mut gradient));
                prop_assert!(value[0] <= 0.0 && value[0].is_finite());
                prop_assert_eq!(value[0], LogNewPiece(&pieces).value(&x));
                for d in 0..2 {
                    let at = |step: f64| {
                        let mut near = x.clone();
                        near[d] += step;
                        near
                    };
                    let (low, high) = (at(-1e-7), at(1e-7));
                    // The nearest point, or the side of it, may change in between.
                    let (i, j) = (pieces.nearest(&low).1, pieces.nearest(&high).1);
                    let kink = asked.row(i)[d];
                    if i == j && !(low[d]..=high[d]).contains(&kink) {
                        let slope = (pieces.log_probability_new(&high) - pieces.log_probability_new(&low)) / (high[d] - low[d]);
                        prop_assert!((slope - gradient[d]).abs() <= 1e-3 * (1.0 + slope.abs()), "{slope} {}", gradient[d]);
                    }
                }
            }
        }
    }
}
