use thrifty_acquisition::Acquisition;
use thrifty_domain::{Points, PointsRef};
use thrifty_pareto::{ExpectedHypervolumeImprovement, ParetoError};
use thrifty_surrogate::SamplePath;

/// The logarithm of the mean hypervolume improvement over the fronts of functions drawn from the posterior.
///
/// ```text
/// a(x) = ln 1/T Σ_t EHVI(f_t(x), s | front of f_t),   s = 0.01
/// ```
///
/// s smooths a draw, whose improvement has no slope where it is 0.
pub(crate) struct NoisyHypervolume {
    draws: Vec<Draw>,
}

/// One function an objective, and the improvements over their front.
struct Draw {
    objectives: Vec<Box<dyn SamplePath>>,
    improvement: ExpectedHypervolumeImprovement,
}

/// A share of the deviation of an objective.
const SMOOTHING: f64 = 0.01;

impl NoisyHypervolume {
    /// From draws by objective, and the points whose true losses are the front.
    ///
    /// # Errors
    /// As [`ExpectedHypervolumeImprovement::new`].
    pub(crate) fn new(
        paths: Vec<Vec<Box<dyn SamplePath>>>,
        points: PointsRef<'_>,
        reference: &[f64],
    ) -> Result<Self, ParetoError> {
        let count = paths.iter().map(Vec::len).min().unwrap_or(0);
        let mut rest: Vec<_> = paths.into_iter().map(Vec::into_iter).collect();
        let mut draws = Vec::with_capacity(count);
        for _ in 0..count {
            let objectives: Vec<Box<dyn SamplePath>> = rest.iter_mut().filter_map(Iterator::next).collect();
            let mut front = Points::zeros(points.len(), objectives.len());
            let mut values = vec![0.0; points.len()];
            for (j, path) in objectives.iter().enumerate() {
                path.values_into(points, &mut values);
                values.iter().enumerate().for_each(|(i, value)| front.row_mut(i)[j] = *value);
            }
            let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), reference)?;
            draws.push(Draw { objectives, improvement });
        }
        Ok(Self { draws })
    }
}

/// `ln 1/T Σ exp(logs)`, and the share of each.
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

impl Acquisition for NoisyHypervolume {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let n = x.len();
        let mut logs = vec![vec![f64::NEG_INFINITY; self.draws.len()]; n];
        let mut values = vec![0.0; n];
        for (t, Draw { objectives, improvement }) in self.draws.iter().enumerate() {
            let mut means = Points::zeros(n, objectives.len());
            for (j, path) in objectives.iter().enumerate() {
                path.values_into(x, &mut values);
                values.iter().enumerate().for_each(|(i, value)| means.row_mut(i)[j] = *value);
            }
            let deviations = vec![SMOOTHING; objectives.len()];
            for (i, logs) in logs.iter_mut().enumerate() {
                logs[t] = improvement.log_value(means.row(i), &deviations).unwrap_or(f64::NEG_INFINITY);
            }
        }
        out.iter_mut().zip(&logs).for_each(|(value, logs)| *value = log_mean_exp(logs).0);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let d = x.dim();
        for (i, point) in x.rows().enumerate() {
            let mut logs = Vec::with_capacity(self.draws.len());
            let mut slopes = vec![vec![0.0; d]; self.draws.len()];
            let mut of_path = vec![0.0; d];
            for (Draw { objectives, improvement }, slope) in self.draws.iter().zip(&mut slopes) {
                let m = objectives.len();
                let (mut means, mut inner) = (vec![0.0; m], vec![0.0; m * d]);
                for (j, path) in objectives.iter().enumerate() {
                    means[j] = path.value_with_gradient(point, &mut of_path);
                    inner[j * d..(j + 1) * d].copy_from_slice(&of_path);
                }
                let (mut by_mean, mut by_deviation) = (vec![0.0; m], vec![0.0; m]);
                let smoothing = vec![SMOOTHING; m];
                let log =
                    improvement.log_value_with_grad(&means, &smoothing, &mut by_mean, &mut by_deviation);
                logs.push(log.unwrap_or(f64::NEG_INFINITY));
                for (by_mean, inner) in by_mean.iter().zip(inner.chunks_exact(d)) {
                    slope.iter_mut().zip(inner).for_each(|(slope, inner)| *slope += by_mean * inner);
                }
            }
            let (value, shares) = log_mean_exp(&logs);
            out[i] = value;
            let gradient = &mut gradients[i * d..(i + 1) * d];
            gradient.fill(0.0);
            for (share, slope) in shares.iter().zip(&slopes).filter(|(share, _)| **share > 0.0) {
                gradient.iter_mut().zip(slope).for_each(|(g, slope)| *g += share * slope);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x + shift` or its mirror image: a front of slope -1.
    struct Line(f64, f64);

    impl SamplePath for Line {
        fn dim(&self) -> usize {
            1
        }

        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            out.iter_mut().zip(x.rows()).for_each(|(value, x)| *value = self.0 + self.1 * x[0]);
        }

        fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
            gradient[0] = self.1;
            self.0 + self.1 * x[0]
        }
    }

    fn noisy() -> NoisyHypervolume {
        let line = |shift, slope| Box::new(Line(shift, slope)) as Box<dyn SamplePath>;
        let paths = vec![vec![line(0.0, 1.0), line(0.1, 1.0)], vec![line(1.0, -1.0), line(0.9, -1.0)]];
        NoisyHypervolume::new(paths, Points::from_flat(vec![0.0, 1.0], 1).as_ref(), &[1.5, 1.5]).unwrap()
    }

    #[test]
    fn the_middle_of_a_line_improves_by_a_quarter() {
        // Between (0, 1) and (1, 0) the point (½, ½) adds ¼; so in both draws, but for the smoothing.
        let value = noisy().value(&[0.5]);
        assert!((value.exp() - 0.25).abs() < 1e-3, "{}", value.exp());
        // A measured point adds what the smoothing pretends, and nothing else.
        assert!(noisy().value(&[0.0]).exp() < 0.02);
    }

    #[test]
    fn slopes_equal_differences() {
        let noisy = noisy();
        for x in [0.1, 0.3, 0.5, 0.77, 0.99] {
            let (mut value, mut slope) = ([0.0], [0.0]);
            assert!(noisy.values_with_gradients_into(PointsRef::single(&[x]), &mut value, &mut slope));
            assert!((value[0] - noisy.value(&[x])).abs() < 1e-12);
            let step = 1e-6;
            let numeric = (noisy.value(&[x + step]) - noisy.value(&[x - step])) / (2.0 * step);
            assert!((slope[0] - numeric).abs() < 1e-5 * (1.0 + numeric.abs()), "{x}: {} {numeric}", slope[0]);
        }
    }
}
