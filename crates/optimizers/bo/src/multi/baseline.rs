//! Measured points whose losses are drawn jointly.

use thrifty_acquisition::optimistic_bounds;
use thrifty_domain::Points;
use thrifty_model_based::OutputModel;
use thrifty_pareto::{ParetoError, non_dominated_ranks};

/// Measured points whose losses are drawn jointly, in their order.
///
/// These are all measured points, up to a limit: the smallest [`joint_limit`](thrifty_surrogate::FittedSurrogate::joint_limit) of the
/// models minus the number of running trials, which are drawn too.
///
/// Beyond the limit, the points that may be on the front are kept. For this purpose each loss and constraint value is `μ - 2σ`. Points
/// within the reference point whose constraints hold come first, by the non-dominated rank of their losses; the others follow. No
/// covariance is computed.
pub(super) fn baseline(
    objectives: &[OutputModel],
    constraints: &[OutputModel],
    measured: &Points,
    running: usize,
    reference: &[f64],
) -> Result<Points, ParetoError> {
    let limits = objectives.iter().chain(constraints).map(|model| model.fitted.joint_limit());
    let limit = limits.min().unwrap_or(usize::MAX).saturating_sub(running);
    if measured.len() <= limit {
        return Ok(measured.clone());
    }
    let columns = |models: &[OutputModel]| -> Vec<Vec<f64>> {
        models.iter().map(|model| optimistic_bounds(model.posterior(), measured.as_ref())).collect()
    };
    let (losses, broken) = (columns(objectives), columns(constraints));
    let mut kept = by_rank(&losses, &broken, reference)?;
    kept.truncate(limit);
    kept.sort_unstable();
    let mut baseline = Points::new(measured.dim());
    kept.into_iter().for_each(|i| baseline.push(measured.row(i)));
    Ok(baseline)
}

/// Indices of all points. Those within the reference point that break no constraint come first, by the non-dominated rank of their losses.
/// There is one column per output.
fn by_rank(
    losses: &[Vec<f64>],
    constraints: &[Vec<f64>],
    reference: &[f64],
) -> Result<Vec<usize>, ParetoError> {
    let counts = |i: usize| {
        losses.iter().zip(reference).all(|(column, limit)| column[i] < *limit)
            && constraints.iter().all(|column| column[i] <= 0.0)
    };
    let all = 0..losses.first().map_or(0, Vec::len);
    let (order, rest): (Vec<usize>, Vec<usize>) = all.partition(|i| counts(*i));
    let mut rows = Points::new(losses.len());
    order.iter().for_each(|&i| rows.push(&losses.iter().map(|column| column[i]).collect::<Vec<f64>>()));
    let mut ranked: Vec<(usize, usize)> =
        non_dominated_ranks(rows.as_ref())?.into_iter().zip(order).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    Ok(ranked.into_iter().map(|(_, i)| i).chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Domain;
    use thrifty_gp::{Conditioning, GpSurrogate};
    use thrifty_sampling::Seed;
    use thrifty_surrogate::{Observations, Surrogate};

    use super::*;

    /// Models of outputs that are conditioned on at most 16 of their observations.
    fn models(x: &Points, columns: &[Vec<f64>]) -> Vec<OutputModel> {
        let conditioning = Conditioning::Subset { size: 16 };
        let surrogate = GpSurrogate { conditioning, ..GpSurrogate::default() };
        let fit = |y: &Vec<f64>| {
            let (data, mut rng) = (Observations::new(x.as_ref(), y), Seed(1).stream("fit", 0));
            let fitted = surrogate.fit(&Domain::unit_cube(1), data, None, &mut rng).unwrap();
            OutputModel { name: "output".into(), fitted }
        };
        columns.iter().map(fit).collect()
    }

    /// No more points than the models are conditioned on, running trials included, and the whole front among them.
    #[test]
    fn joint_draws_are_of_as_many_points_as_the_models_have() {
        let points = |count: u32| Points::from_flat((0..count).map(|i| f64::from(i) / 39.0).collect(), 1);
        let outputs = |x: &Points| {
            let of = |f: fn(f64) -> f64| x.rows().map(|x| f(x[0])).collect::<Vec<f64>>();
            let losses = [of(|x| (x - 0.2).powi(2)), of(|x| (x - 0.4).powi(2))];
            (models(x, &losses), models(x, &[of(|x| 0.25 - x)]))
        };
        let all = points(40);
        let (objectives, constraints) = outputs(&all);
        for running in [0, 5] {
            let found = baseline(&objectives, &constraints, &all, running, &[2.0, 2.0]).unwrap();
            assert_eq!(found.len(), 16 - running);
            // The front is from 0.25 to 0.4.
            let front = all.rows().filter(|x| (0.25..0.4).contains(&x[0]));
            front.for_each(|x| assert!(found.rows().any(|kept| kept == x), "{x:?} in {found:?}"));
        }
        assert!(baseline(&objectives, &constraints, &all, 20, &[2.0, 2.0]).unwrap().is_empty());
        let few = points(16);
        let (objectives, constraints) = outputs(&few);
        assert_eq!(baseline(&objectives, &constraints, &few, 0, &[2.0, 2.0]).unwrap(), few);
    }

    /// The front first, then the points behind it; those outside the reference point or that break a constraint last.
    #[test]
    fn points_that_may_be_on_the_front_come_first() {
        let losses = [vec![3.0, 1.0, 2.0, 0.0, 0.5, 1.0], vec![3.0, 1.0, 2.0, 9.0, 1.5, 1.0]];
        let constraints = [vec![-1.0, 0.0, -1.0, -1.0, -1.0, 0.1]];
        assert_eq!(by_rank(&losses, &constraints, &[5.0, 5.0]).unwrap(), [1, 4, 2, 0, 3, 5]);
        assert_eq!(by_rank(&losses, &constraints, &[0.0, 5.0]).unwrap(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(by_rank(&[vec![], vec![]], &[], &[0.0, 0.0]).unwrap(), [0; 0]);
        let unknown = [vec![f64::NAN, 1.0], vec![0.0, 1.0]];
        assert_eq!(by_rank(&unknown, &[], &[5.0, 5.0]).unwrap(), [1, 0], "what is unknown comes last");
    }
}
