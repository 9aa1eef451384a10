use thrifty_acquisition::Acquisition;
use thrifty_domain::PointsRef;
use thrifty_prob::{inverse_mills, log_cdf};
use thrifty_surrogate::Posterior;

/// An acquisition on a logarithmic scale, with the probability that independent constraints hold.
///
/// ```text
/// a(x) + Σ_c ln Φ(-μ_c(x) / σ_c(x)),   feasible where a constraint is not positive
/// ```
///
/// Without an acquisition the probability alone. Source: Gardner et al. (2014), as a logarithm.
pub struct WithFeasibility<'a> {
    /// a.
    pub acquisition: Option<Box<dyn Acquisition + 'a>>,
    /// What is believed of the constraints.
    pub constraints: Vec<&'a dyn Posterior>,
}

impl WithFeasibility<'_> {
    /// The probability that all constraints hold at a point.
    #[must_use]
    pub fn probability(&self, x: &[f64]) -> f64 {
        let log = |posterior: &&dyn Posterior| {
            let (mean, variance) = posterior.predict(x);
            log_probability(mean, variance.sqrt()).0
        };
        self.constraints.iter().map(log).sum::<f64>().exp()
    }
}

/// `ln Φ(-μ/σ)` with its slopes by μ and σ; without variance they are 0.
fn log_probability(mean: f64, deviation: f64) -> (f64, f64, f64) {
    if deviation <= 0.0 {
        return (if mean <= 0.0 { 0.0 } else { f64::NEG_INFINITY }, 0.0, 0.0);
    }
    let z = -mean / deviation;
    let slope = inverse_mills(-z);
    (log_cdf(z), -slope / deviation, -slope * z / deviation)
}

impl Acquisition for WithFeasibility<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        match &self.acquisition {
            Some(acquisition) => acquisition.values_into(x, out),
            None => out.fill(0.0),
        }
        let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        for posterior in &self.constraints {
            posterior.predict_into(x, &mut mean, &mut variance);
            for ((value, mean), variance) in out.iter_mut().zip(&mean).zip(&variance) {
                *value += log_probability(*mean, variance.sqrt()).0;
            }
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let Some(constraints) = self.constraints.iter().map(|c| c.gradient()).collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        match &self.acquisition {
            Some(acquisition) if !acquisition.values_with_gradients_into(x, out, gradients) => return false,
            Some(_) => {}
            None => {
                out.fill(0.0);
                gradients.fill(0.0);
            }
        }
        let (n, d) = (x.len(), x.dim());
        let (mut mean, mut variance) = (vec![0.0; n], vec![0.0; n]);
        let (mut of_mean, mut of_variance) = (vec![0.0; n * d], vec![0.0; n * d]);
        for posterior in constraints {
            posterior.predict_with_gradient_into(x, &mut mean, &mut variance, &mut of_mean, &mut of_variance);
            for i in 0..n {
                let deviation = variance[i].sqrt();
                let (log, by_mean, by_deviation) = log_probability(mean[i], deviation);
                out[i] += log;
                let by_variance = if deviation > 0.0 { by_deviation / (2.0 * deviation) } else { 0.0 };
                for k in i * d..(i + 1) * d {
                    gradients[k] += by_mean * of_mean[k] + by_variance * of_variance[k];
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_logarithm() {
        for (mean, deviation) in [(0.3, 0.5), (-2.0, 0.1), (40.0, 1.0), (0.0, 2.0)] {
            let (value, by_mean, by_deviation) = log_probability(mean, deviation);
            let at = |m: f64, s: f64| log_probability(m, s).0;
            let step = 1e-6;
            let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
            assert!(value <= 0.0);
            assert!(close(by_mean, (at(mean + step, deviation) - at(mean - step, deviation)) / (2.0 * step)));
            let numeric = (at(mean, deviation + step) - at(mean, deviation - step)) / (2.0 * step);
            assert!(close(by_deviation, numeric), "{by_deviation} {numeric}");
        }
        assert_eq!(log_probability(-1.0, 0.0), (0.0, 0.0, 0.0));
        assert_eq!(log_probability(1.0, 0.0).0, f64::NEG_INFINITY);
        assert!((log_probability(0.0, 1.0).0 + 2_f64.ln()).abs() < 1e-15);
    }
}
