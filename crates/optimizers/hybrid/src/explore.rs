//! Points to explore.

use thrifty_acquisition::{Acquisition, Analytic, MaxStdDev};
use thrifty_domain::PointsRef;
use thrifty_model_based::{Candidate, Modelled, front};
use thrifty_sampling::Stream;
use thrifty_study::OptimizerError;
use thrifty_surrogate::Posterior;

use crate::ExplorePoint;

/// Points to explore, best first.
///
/// # Errors
/// [`OptimizerError`] for a Pareto front of mean and standard deviation with several objectives.
pub(crate) fn candidates<Q>(
    point: ExplorePoint,
    turn: &dyn Modelled<Q>,
    rng: &mut Stream,
) -> Result<Vec<Candidate>, OptimizerError> {
    let posteriors = turn.posteriors();
    Ok(match (point, &posteriors[..]) {
        (ExplorePoint::MaxStdDev, [posterior]) => {
            turn.maximize(&Analytic::new(*posterior, MaxStdDev), "deviation")
        }
        (ExplorePoint::MaxStdDev, _) => turn.maximize(&LogStdDevs { posteriors }, "deviation"),
        (ExplorePoint::Uniform, _) => {
            turn.uniform(100, rng).rows().map(|x| Candidate { x: x.to_vec(), value: 0.0 }).collect()
        }
        (ExplorePoint::Pareto, [posterior]) => front(turn, *posterior, rng),
        (ExplorePoint::Pareto, _) => {
            let error = "the front of mean and standard deviation needs an optimiser with one objective";
            return Err(OptimizerError::failed("finding a point to explore", error));
        }
    })
}

/// Sum of the logarithms of the standard deviations of several objectives: the entropy of independent normal distributions,
/// up to a constant.
struct LogStdDevs<'a> {
    posteriors: Vec<&'a dyn Posterior>,
}

impl Acquisition for LogStdDevs<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.fill(0.0);
        let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        for posterior in &self.posteriors {
            posterior.predict_into(x, &mut mean, &mut variance);
            out.iter_mut().zip(&variance).for_each(|(slot, variance)| *slot += 0.5 * variance.ln());
        }
    }
}
