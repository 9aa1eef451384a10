//! Probability of the first feasible point.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, ConditionalDraws, LogFeasibility, LookaheadMoments, Utility,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Lookahead, LookaheadCotangent, Posterior, lookahead};

/// Logarithm of the probability that a point breaks no constraint while every running trial breaks one.
///
/// ```text
/// ln 1/S Σ_s [no running trial is feasible in draw s] Π_j Φ(-μ_j,s(x)/σ'_j(x))
/// ```
///
/// Acquisition function for the time before the first feasible measurement. `μ_j,s` and `σ'_j` are the mean and standard deviation of
/// constraint j at x, given draw s. Draws are joint over all constraints at the running trials, as in [`ConditionalDraws`]. Without running
/// trials this is the probability of being feasible.
pub struct LogFirstFeasible<'a> {
    constraints: Vec<(Box<dyn Lookahead + 'a>, ConditionalDraws)>,
    /// Draws in which no running trial is feasible.
    kept: Vec<usize>,
    draws: usize,
}

const FEASIBLE: LogFeasibility = LogFeasibility { threshold: 0.0 };

impl<'a> LogFirstFeasible<'a> {
    /// Draws the running trials. `None` without running trials, if a constraint has no joint posterior, or if every draw has a feasible
    /// running trial.
    ///
    /// # Errors
    /// [`AcquisitionError`] as [`ConditionalDraws::independent`].
    pub fn new(
        constraints: &[&'a dyn Posterior],
        running: &Points,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Option<Self>, AcquisitionError> {
        let joint: Option<Vec<&'a dyn JointPosterior>> = constraints.iter().map(|c| c.joint()).collect();
        let Some(joint) = joint.filter(|joint| !joint.is_empty() && !running.is_empty()) else {
            return Ok(None);
        };
        let given = ConditionalDraws::independent(&joint, running.as_ref(), draws, rng)?;
        let is_first = |draw: &usize| {
            let values: Vec<Vec<f64>> = given.iter().map(|given| given.values(*draw)).collect();
            (0..running.len()).all(|i| values.iter().any(|column| column[i] > 0.0))
        };
        let kept: Vec<usize> = (0..draws).filter(is_first).collect();
        if kept.is_empty() {
            return Ok(None);
        }
        let ahead = joint.iter().map(|joint| lookahead(*joint, running.as_ref(), 0.0));
        Ok(Some(Self { constraints: ahead.zip(given).collect(), kept, draws }))
    }

    /// Value at one point; its gradient is added to `gradient`. False if a model has no gradient.
    fn add(&self, x: &[f64], gradient: Option<&mut [f64]>) -> (f64, bool) {
        let mut logs = vec![0.0; self.kept.len()];
        let mut seen = Vec::with_capacity(self.constraints.len());
        for (lookahead, given) in &self.constraints {
            let (mut mean, mut variance) = ([0.0], [0.0]);
            let mut covariance = vec![0.0; lookahead.means().len() + 1];
            lookahead.moments_into(PointsRef::single(x), &mut mean, &mut variance, &mut covariance);
            let mut means = vec![0.0; self.draws];
            let ahead = LookaheadMoments { mean: mean[0], variance: variance[0], covariance: &covariance };
            let remainder = given.means_into(ahead, &mut means);
            let terms: Vec<(f64, f64, f64)> =
                self.kept.iter().map(|s| FEASIBLE.value_and_slopes(means[*s], remainder.std_dev)).collect();
            logs.iter_mut().zip(&terms).for_each(|(log, term)| *log += term.0);
            seen.push((remainder, terms));
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return (largest, true);
        }
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        if let Some(gradient) = gradient {
            for ((lookahead, given), (remainder, terms)) in self.constraints.iter().zip(&seen) {
                let (mut by_means, mut by_std_dev) = (vec![0.0; self.draws], 0.0);
                for ((s, log), term) in self.kept.iter().zip(&logs).zip(terms) {
                    let share = (log - largest).exp() / sum;
                    // A draw with share 0 may have slopes that are not numbers.
                    if share > 0.0 {
                        by_means[*s] = share * term.1;
                        by_std_dev += share * term.2;
                    }
                }
                let mut covariance = vec![0.0; lookahead.means().len() + 1];
                let slopes = given.slopes_into(remainder, &by_means, by_std_dev, &mut covariance);
                let weights = LookaheadCotangent {
                    mean: slopes.mean,
                    variance: slopes.variance,
                    covariance: &covariance,
                };
                if !lookahead.pull_back(x, weights, gradient) {
                    return (0.0, false);
                }
            }
        }
        (largest + (sum / self.draws as f64).ln(), true)
    }
}

impl Acquisition for LogFirstFeasible<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        x.rows().zip(out).for_each(|(x, value)| *value = self.add(x, None).0);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        gradients.fill(0.0);
        let each = x.rows().zip(out).zip(gradients.chunks_exact_mut(x.dim()));
        for ((x, value), gradient) in each {
            let (found, differentiable) = self.add(x, Some(gradient));
            if !differentiable {
                return false;
            }
            *value = found;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
    use thrifty_kernel::{Matern52, Scaled};
    use thrifty_prob::{cdf, pdf};
    use thrifty_sampling::Seed;

    use super::*;

    fn constraint(y: &[f64; 3]) -> GpPosterior<Scaled<Matern52>> {
        let x = Points::from_flat(vec![0.1, 0.1, 0.9, 0.2, 0.3, 0.95], 2);
        let settings = GpSettings { noise: Noise::Fixed(1e-6), ..GpSettings::default() };
        Gp::matern52(2).with_settings(settings).condition(x.as_ref(), y).unwrap()
    }

    fn over<'a>(
        constraints: &[&'a dyn Posterior],
        running: &[f64],
        draws: usize,
    ) -> Option<LogFirstFeasible<'a>> {
        let running = Points::from_flat(running.to_vec(), 2);
        LogFirstFeasible::new(constraints, &running, draws, &mut Seed(3).stream("draws", 0)).unwrap()
    }

    /// `P(c(x) ≤ 0 < c(r)) = ∫ φ(z) Φ(-(μ_x + ρ σ_x z)/(σ_x √(1 - ρ²))) dz` over z from `-μ_r/σ_r`, for one constraint and one
    /// running trial at r.
    #[test]
    fn the_probability_beside_one_running_trial_is_an_integral() {
        let model = constraint(&[0.3, -0.6, 0.4]);
        let r = [0.5, 0.4];
        let ours = over(&[&model], &r, 4096).unwrap();
        for x in [[0.55, 0.45], [0.2, 0.3], [0.8, 0.8], [0.05, 0.9]] {
            let pair = Points::from_flat([x, r].concat(), 2);
            let (mut mean, mut variance, mut covariance) = ([0.0; 2], [0.0; 2], [0.0; 4]);
            model.predict_into(pair.as_ref(), &mut mean, &mut variance);
            model.covariance_into(pair.as_ref(), &mut covariance);
            let (sx, sr) = (variance[0].sqrt(), variance[1].sqrt());
            let rho = covariance[1] / (sx * sr);
            let (from, n) = (-mean[1] / sr, 4000);
            let step = (9.0 - from) / f64::from(n);
            let integrand =
                |z: f64| pdf(z) * cdf(-(mean[0] + rho * sx * z) / (sx * (1.0 - rho * rho).sqrt()));
            let expected: f64 = (0..n).map(|i| integrand(from + (f64::from(i) + 0.5) * step) * step).sum();
            let found = ours.value(&x).exp();
            assert!((found - expected).abs() < 3e-3, "{x:?}: {found} {expected}");
        }
    }

    #[test]
    fn its_gradient_is_that_of_differences() {
        let models = [constraint(&[0.3, -0.6, 0.4]), constraint(&[-0.5, 0.2, 0.3])];
        let models: Vec<&dyn Posterior> = models.iter().map(|model| model as &dyn Posterior).collect();
        for running in [&[0.5, 0.4][..], &[0.5, 0.4, 0.15, 0.8], &[0.52, 0.41, 0.5, 0.4, 0.9, 0.9]] {
            for count in [1, 2] {
                let ours = over(&models[..count], running, 16).unwrap();
                let rows = [[0.6, 0.5], [0.2, 0.25], [0.85, 0.7]];
                let points = Points::from_flat(rows.concat(), 2);
                let (mut values, mut gradients, mut alone) = ([0.0; 3], [f64::NAN; 6], [0.0; 3]);
                assert!(ours.values_with_gradients_into(points.as_ref(), &mut values, &mut gradients));
                ours.values_into(points.as_ref(), &mut alone);
                assert_eq!(values, alone);
                for (at, gradient) in gradients.iter().enumerate() {
                    let value = |step: f64| {
                        let mut moved = rows[at / 2];
                        moved[at % 2] += step;
                        ours.value(&moved)
                    };
                    let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
                    assert!(
                        (gradient - slope).abs() < 1e-5 * (1.0 + slope.abs()),
                        "{at}: {gradient} {slope}"
                    );
                }
            }
        }
    }

    /// Without constraints or running trials there is no such utility, nor where every draw of a running trial is feasible.
    #[test]
    fn nothing_is_left_to_be_the_first() {
        let (model, feasible) = (constraint(&[0.3, -0.6, 0.4]), constraint(&[-900.0, -1000.0, -950.0]));
        assert!(over(&[], &[0.5, 0.4], 8).is_none());
        assert!(over(&[&model], &[], 8).is_none());
        assert!(over(&[&feasible], &[0.15, 0.12], 8).is_none());
        // With another constraint that may be broken there it is not certain.
        let both = over(&[&feasible, &model], &[0.15, 0.12], 64).unwrap();
        let alone = over(&[&model], &[0.15, 0.12], 64).unwrap();
        assert!(both.kept.len() > 32 && alone.kept.len() > 32, "{} {}", both.kept.len(), alone.kept.len());
        assert_eq!((both.draws, both.constraints.len()), (64, 2));
    }

    /// A constraint that is known to have one value everywhere.
    struct Known(f64);

    impl Posterior for Known {
        fn dim(&self) -> usize {
            2
        }

        fn predict_into(&self, _: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
            mean.fill(self.0);
            variance.fill(0.0);
        }

        fn joint(&self) -> Option<&dyn JointPosterior> {
            Some(self)
        }
    }

    impl JointPosterior for Known {
        fn covariance_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }

        fn cross_covariance_into(&self, _: PointsRef<'_>, _: PointsRef<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }
    }

    /// A constraint of exactly 0 is not broken: a running trial that has it is the first feasible one.
    #[test]
    fn a_constraint_of_0_is_not_broken() {
        for (value, is_first) in [(-1e-9, false), (0.0, false), (1e-9, true)] {
            let constraint = Known(value);
            let found = over(&[&constraint], &[0.5, 0.4], 8);
            assert_eq!(found.is_some(), is_first, "another can be the first beside a constraint of {value}");
        }
    }
}
