//! Log noisy expected hypervolume improvement.

use thrifty_acquisition::{Acquisition, AcquisitionError, ConditionalDraws, LookaheadMoments};
use thrifty_domain::{Points, PointsRef};
use thrifty_pareto::{Duplicates, ExpectedHypervolumeImprovement, ParetoError, non_dominated};
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Lookahead, LookaheadCotangent, lookahead};

use crate::MultiObjectiveError;

/// Logarithm of the expected hypervolume improvement over an uncertain front, with noisy measurements or running trials.
///
/// ```text
/// a(x) = ln 1/S Σ_s EHVI(μ_s(x), σ'(x) | front_s),   front_s = fixed points and f^s at the baseline
/// ```
///
/// f^s are S joint draws of every objective at the baseline. Given a draw, f(x) is normal with mean `μ_s` and standard deviation σ'
/// ([`ConditionalDraws`]), and its improvement is exact. A baseline point counts in a draw if no drawn constraint is positive there.
///
/// With measured points in the baseline this is q-NEHVI. With pending points alone and a fixed measured front it is q-EHVI. Points are
/// chosen one at a time. The draws are fixed, so the value is deterministic and smooth. x itself adds no sampling noise.
///
/// x is conditioned only on baseline points that are on the front in some draw. The others would add information about x, but cost as much.
/// Cost per point: an exact improvement per draw, and a triangular solve per objective.
/// Source: Daulton, Balandat & Bakshy (2020, 2021); logarithm: Ament et al. (2023); departure: x in closed form.
pub struct LogNoisyExpectedHypervolume<'a> {
    objectives: Vec<Objective<'a>>,
    /// Improvements over the front, one per draw.
    improvements: Vec<ExpectedHypervolumeImprovement>,
}

struct Objective<'a> {
    lookahead: Box<dyn Lookahead + 'a>,
    given: ConditionalDraws,
}

/// A front of fixed points and joint draws.
#[derive(Clone, Copy)]
pub struct UncertainFront<'a> {
    /// Losses that are known.
    pub fixed: PointsRef<'a>,
    /// Points whose losses are drawn.
    pub baseline: PointsRef<'a>,
    /// Posteriors of the constraints; a point is feasible where none is positive.
    pub constraints: &'a [&'a dyn JointPosterior],
    /// Reference point: worse losses do not count.
    pub reference: &'a [f64],
}

impl<'a> LogNoisyExpectedHypervolume<'a> {
    /// Builds the acquisition over this front, with this many draws.
    ///
    /// # Errors
    /// [`MultiObjectiveError::Draws`] for no draws, an empty baseline, another dimension, or a covariance that cannot be
    /// factored; [`MultiObjectiveError::Front`] as [`ExpectedHypervolumeImprovement::new`].
    pub fn new(
        objectives: &[&'a dyn JointPosterior],
        front: UncertainFront<'_>,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Self, MultiObjectiveError> {
        let baseline = front.baseline;
        // One sequence over all outputs: draws of different objectives must be independent.
        let outputs: Vec<&dyn JointPosterior> = objectives.iter().chain(front.constraints).copied().collect();
        let mut given = ConditionalDraws::independent(&outputs, baseline, draws, rng)?;
        let constraints = given.split_off(objectives.len());
        let mut improvements = Vec::with_capacity(draws);
        let mut heard = vec![false; baseline.len()];
        for s in 0..draws {
            let (losses, places) = drawn(&given, &constraints, s);
            let mut all = losses.clone();
            front.fixed.rows().for_each(|row| all.push(row));
            let on_front = non_dominated(all.as_ref(), Duplicates::First)?;
            for at in on_front.into_iter().filter_map(|at| places.get(at).map(|place| (at, *place))) {
                let counts = losses.row(at.0).iter().zip(front.reference).all(|(loss, limit)| loss < limit);
                heard[at.1] = heard[at.1] || counts;
            }
            improvements.push(ExpectedHypervolumeImprovement::new(all.as_ref(), front.reference)?);
        }
        let mut kept: Vec<usize> = (0..heard.len()).filter(|at| heard[*at]).collect();
        if kept.is_empty() {
            // All draws share one front, so the result does not depend on x.
            kept.push(0);
        }
        let mut anchors = Points::new(baseline.dim());
        kept.iter().for_each(|at| anchors.push(baseline.row(*at)));
        let objective = |(posterior, given): (&&'a dyn JointPosterior, ConditionalDraws)| {
            let given = given.only(*posterior, baseline, &kept)?;
            Ok(Objective { lookahead: lookahead(*posterior, anchors.as_ref(), 0.0), given })
        };
        let objectives: Result<Vec<_>, AcquisitionError> =
            objectives.iter().zip(given).map(objective).collect();
        Ok(Self { objectives: objectives?, improvements })
    }
}

/// The feasible losses of a draw, and the indices of their points in the baseline.
fn drawn(
    objectives: &[ConditionalDraws],
    constraints: &[ConditionalDraws],
    draw: usize,
) -> (Points, Vec<usize>) {
    let columns: Vec<Vec<f64>> = objectives.iter().map(|given| given.values(draw)).collect();
    let broken: Vec<Vec<f64>> = constraints.iter().map(|given| given.values(draw)).collect();
    let (mut losses, mut places) = (Points::new(objectives.len()), Vec::new());
    for at in 0..columns.first().map_or(0, Vec::len) {
        if broken.iter().all(|column| column[at] <= 0.0) {
            losses.push(&columns.iter().map(|column| column[at]).collect::<Vec<f64>>());
            places.push(at);
        }
    }
    (losses, places)
}

/// Moments of one objective for a batch of points: means, remaining variances, covariances.
struct Seen {
    mean: Vec<f64>,
    variance: Vec<f64>,
    covariance: Vec<f64>,
    width: usize,
}

impl Seen {
    fn of(lookahead: &dyn Lookahead, x: PointsRef<'_>) -> Self {
        let width = lookahead.means().len() + 1;
        let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let mut covariance = vec![0.0; x.len() * width];
        lookahead.moments_into(x, &mut mean, &mut variance, &mut covariance);
        Self { mean, variance, covariance, width }
    }

    fn ahead(&self, i: usize) -> LookaheadMoments<'_> {
        let covariance = &self.covariance[i * self.width..(i + 1) * self.width];
        LookaheadMoments { mean: self.mean[i], variance: self.variance[i], covariance }
    }
}

impl Acquisition for LogNoisyExpectedHypervolume<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let (m, draws) = (self.objectives.len(), self.improvements.len());
        let seen: Vec<Seen> = self.objectives.iter().map(|o| Seen::of(&*o.lookahead, x)).collect();
        let (mut means, mut std_devs) = (vec![vec![0.0; draws]; m], vec![0.0; m]);
        let (mut at, mut logs) = (vec![0.0; m], vec![0.0; draws]);
        for (i, value) in out.iter_mut().enumerate() {
            for (j, objective) in self.objectives.iter().enumerate() {
                std_devs[j] = objective.given.means_into(seen[j].ahead(i), &mut means[j]).std_dev;
            }
            for (s, (improvement, log)) in self.improvements.iter().zip(&mut logs).enumerate() {
                at.iter_mut().zip(&means).for_each(|(at, means)| *at = means[s]);
                *log = improvement.log_value(&at, &std_devs).unwrap_or(f64::NEG_INFINITY);
            }
            *value = log_mean_exp(&logs).0;
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let (m, d, draws) = (self.objectives.len(), x.dim(), self.improvements.len());
        let seen: Vec<Seen> = self.objectives.iter().map(|o| Seen::of(&*o.lookahead, x)).collect();
        let mut means = vec![vec![0.0; draws]; m];
        gradients.fill(0.0);
        for (i, value) in out.iter_mut().enumerate() {
            let remainders: Vec<_> = self
                .objectives
                .iter()
                .enumerate()
                .map(|(j, objective)| objective.given.means_into(seen[j].ahead(i), &mut means[j]))
                .collect();
            let std_devs: Vec<f64> = remainders.iter().map(|r| r.std_dev).collect();
            // Per draw: the logarithm, and its slopes by the means and then by the standard deviations.
            let terms: Vec<(f64, Vec<f64>)> = self
                .improvements
                .iter()
                .enumerate()
                .map(|(s, improvement)| {
                    let at: Vec<f64> = means.iter().map(|means| means[s]).collect();
                    let mut slopes = vec![0.0; 2 * m];
                    let (by_mean, by_std_dev) = slopes.split_at_mut(m);
                    let log = improvement.log_value_with_grad(&at, &std_devs, by_mean, by_std_dev);
                    (log.unwrap_or(f64::NEG_INFINITY), slopes)
                })
                .collect();
            let logs: Vec<f64> = terms.iter().map(|term| term.0).collect();
            let (log, shares) = log_mean_exp(&logs);
            *value = log;
            let gradient = &mut gradients[i * d..(i + 1) * d];
            for (j, (objective, remainder)) in self.objectives.iter().zip(&remainders).enumerate() {
                // A draw with share 0 may have slopes that are not numbers.
                let shared = |(share, term): (&f64, &(f64, Vec<f64>)), at: usize| {
                    if *share > 0.0 { share * term.1[at] } else { 0.0 }
                };
                let by_means: Vec<f64> = shares.iter().zip(&terms).map(|pair| shared(pair, j)).collect();
                let by_std_dev = shares.iter().zip(&terms).map(|pair| shared(pair, m + j)).sum();
                let mut covariance = vec![0.0; seen[j].width];
                let slopes = objective.given.slopes_into(remainder, &by_means, by_std_dev, &mut covariance);
                let weights = LookaheadCotangent {
                    mean: slopes.mean,
                    variance: slopes.variance,
                    covariance: &covariance,
                };
                if !objective.lookahead.pull_back(x.row(i), weights, gradient) {
                    return false;
                }
            }
        }
        true
    }
}

/// `ln 1/n Σ exp(logs)`, and the share of each.
fn log_mean_exp(logs: &[f64]) -> (f64, Vec<f64>) {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return (largest, vec![0.0; logs.len()]);
    }
    let mut shares: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    (largest + (sum / logs.len() as f64).ln(), shares)
}

impl From<ParetoError> for MultiObjectiveError {
    fn from(source: ParetoError) -> Self {
        Self::Front(source)
    }
}

impl From<AcquisitionError> for MultiObjectiveError {
    fn from(source: AcquisitionError) -> Self {
        Self::Draws(source)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_surrogate::Posterior;

    use super::*;

    #[test]
    fn means_of_exponentials_are_taken_in_logarithms() {
        let (value, shares) = log_mean_exp(&[0.0, 3.0_f64.ln()]);
        assert!((value - 2.0_f64.ln()).abs() < 1e-15);
        assert!((shares[0] - 0.25).abs() < 1e-15 && (shares[1] - 0.75).abs() < 1e-15);
        // Far below what is a number, and where one term is nothing or all are.
        let (value, shares) = log_mean_exp(&[-5000.0, -5000.0]);
        assert_eq!((value, shares), (-5000.0, vec![0.5, 0.5]));
        let (value, shares) = log_mean_exp(&[f64::NEG_INFINITY, -1.0]);
        assert!((value - (-1.0 - 2.0_f64.ln())).abs() < 1e-15 && shares == [0.0, 1.0]);
        let none = log_mean_exp(&[f64::NEG_INFINITY; 3]);
        assert_eq!(none, (f64::NEG_INFINITY, vec![0.0; 3]));
    }

    /// Independent normal values of mean x and standard deviation 1e-3.
    struct Known(f64);

    impl Posterior for Known {
        fn dim(&self) -> usize {
            1
        }

        fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
            x.rows().zip(mean).for_each(|(x, mean)| *mean = self.0 * x[0]);
            variance.fill(1e-6);
        }

        fn joint(&self) -> Option<&dyn JointPosterior> {
            Some(self)
        }
    }

    impl JointPosterior for Known {
        fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            self.cross_covariance_into(x, x, out);
        }

        fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
            let all = a.rows().flat_map(|a| b.rows().map(move |b| if a == b { 1e-6 } else { 0.0 }));
            out.iter_mut().zip(all).for_each(|(slot, covariance)| *slot = covariance);
        }
    }

    /// Baseline points inside the reference point in every objective are kept, those outside in any are not.
    #[test]
    fn points_beyond_the_reference_are_not_conditioned_on() {
        let objectives: [&dyn JointPosterior; 2] = [&Known(1.0), &Known(-1.0)];
        let fixed = Points::new(2);
        let kept = |baseline: &[f64], reference: [f64; 2]| {
            let baseline = Points::from_flat(baseline.to_vec(), 1);
            let (fixed, baseline) = (fixed.as_ref(), baseline.as_ref());
            let front = UncertainFront { fixed, baseline, constraints: &[], reference: &reference };
            let mut rng = thrifty_sampling::Seed(1).stream("draws", 0);
            let ours = LogNoisyExpectedHypervolume::new(&objectives, front, 8, &mut rng).unwrap();
            ours.objectives.iter().map(|objective| objective.lookahead.means().to_vec()).collect::<Vec<_>>()
        };
        // Losses (x, -x): all are on the front; those at 0.2 and 0.4 are within.
        let found = kept(&[0.2, 0.4, 0.6, 0.9], [0.5, 0.0]);
        assert_eq!(found, [[0.2, 0.4], [-0.2, -0.4]]);
        let found = kept(&[0.2, 0.4, 0.6, 0.9], [2.0, -0.5]);
        assert_eq!(found, [[0.6, 0.9], [-0.6, -0.9]]);
    }
}
