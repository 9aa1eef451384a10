//! Pareto front of mean and standard deviation.

use thrifty_domain::Points;
use thrifty_sampling::Stream;
use thrifty_surrogate::Posterior;

use crate::{Candidate, Modelled};

/// Number of random points among which the front is found.
const POINTS: usize = 1000;

/// Pareto front of small mean and large standard deviation among 1,000 uniform points, in random order. The value of a candidate is its
/// standard deviation.
///
/// Each point of the front is best for some balance of exploitation and exploration. Source: De Ath et al. (2021), ε-PF.
pub fn front<Q>(turn: &dyn Modelled<Q>, posterior: &dyn Posterior, rng: &mut Stream) -> Vec<Candidate> {
    front_where(turn, posterior, |_| true, rng)
}

/// [`front`] of the points that satisfy a condition; of all points if none does.
pub fn front_where<Q>(
    turn: &dyn Modelled<Q>,
    posterior: &dyn Posterior,
    is_wanted: impl Fn(&[f64]) -> bool,
    rng: &mut Stream,
) -> Vec<Candidate> {
    let all = turn.uniform(POINTS, rng);
    let mut wanted = Points::new(all.dim());
    all.rows().filter(|x| is_wanted(x)).for_each(|x| wanted.push(x));
    let points = if wanted.is_empty() { all } else { wanted };
    let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
    posterior.predict_into(points.as_ref(), &mut mean, &mut variance);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| mean[a].total_cmp(&mean[b]).then(variance[b].total_cmp(&variance[a])));
    let mut largest = f64::NEG_INFINITY;
    // In the order of the means, a point is on the front if its standard deviation exceeds all before it.
    let mut front: Vec<usize> = Vec::new();
    for i in order {
        if variance[i] > largest {
            largest = variance[i];
            front.push(i);
        }
    }
    rng.shuffle(&mut front);
    front.into_iter().map(|i| Candidate { x: points.row(i).to_vec(), value: variance[i].sqrt() }).collect()
}
