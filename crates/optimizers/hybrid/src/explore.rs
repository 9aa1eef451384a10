use thrifty_acquisition::{Analytic, MaxStdDev};
use thrifty_bo::{Candidate, SurrogateState};
use thrifty_domain::Points;
use thrifty_sampling::Stream;

use crate::ExplorePoint;

/// Points whose Pareto front is explored.
const PARETO_POINTS: usize = 1000;

/// Points to explore, best first.
pub(crate) fn candidates(
    point: ExplorePoint,
    belief: &SurrogateState<'_>,
    rng: &mut Stream,
) -> Vec<Candidate> {
    match point {
        ExplorePoint::MaxStdDev => {
            belief.maximise(&Analytic::new(belief.posterior(), MaxStdDev), "deviation")
        }
        ExplorePoint::Uniform => {
            uniform(belief, 100, rng).rows().map(|x| Candidate { x: x.to_vec(), value: 0.0 }).collect()
        }
        ExplorePoint::Pareto => pareto(belief, rng),
    }
}

fn uniform(belief: &SurrogateState<'_>, count: usize, rng: &mut Stream) -> Points {
    let domain = belief.space().domain();
    let mut points = Points::zeros(count, domain.dim());
    for row in 0..count {
        points.row_mut(row).iter_mut().for_each(|value| *value = rng.uniform());
        domain.snap(points.row_mut(row));
    }
    points
}

/// The Pareto front of small mean and large deviation among uniform points, in random order.
fn pareto(belief: &SurrogateState<'_>, rng: &mut Stream) -> Vec<Candidate> {
    let points = uniform(belief, PARETO_POINTS, rng);
    let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
    belief.posterior().predict_into(points.as_ref(), &mut mean, &mut variance);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| mean[a].total_cmp(&mean[b]).then(variance[b].total_cmp(&variance[a])));
    let mut largest = f64::NEG_INFINITY;
    // By rising mean, a point is on the front when its deviation exceeds all before it.
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
