//! Score of candidates by the ratio of densities.

use crate::Estimator;

/// Densities of the good and of the bad side, and the good side's share.
pub(crate) struct Model {
    pub(crate) good: Estimator,
    pub(crate) bad: Estimator,
    pub(crate) share: f64,
}

/// Scores of candidates, with the logarithms of the densities of the first model.
pub(crate) struct Scores {
    /// Numbers that order them.
    ranked: Vec<f64>,
    pub(crate) log_l: Vec<f64>,
    pub(crate) log_g: Vec<f64>,
}

impl Scores {
    /// Scores of `count` points.
    ///
    /// With `costs`, expected improvement itself counts, whatever the number of models: its ratio to a cost depends on its scale.
    pub(crate) fn of(models: &[Model], points: &[f64], count: usize, costs: bool) -> Self {
        let mut scored = Self { ranked: vec![0.0; count], log_l: Vec::new(), log_g: Vec::new() };
        for (at, Model { good, bad, share }) in models.iter().enumerate() {
            let (mut log_l, mut log_g) = (vec![0.0; count], vec![0.0; count]);
            good.log_density_into(points, &mut log_l);
            bad.log_density_into(points, &mut log_g);
            for (score, (l, g)) in scored.ranked.iter_mut().zip(log_l.iter().zip(&log_g)) {
                // One criterion alone: the ratio itself orders the candidates, and does not saturate.
                *score += if models.len() == 1 && !costs {
                    l - g
                } else {
                    -(share + (1.0 - share) * (g - l).exp()).ln()
                };
            }
            if at == 0 {
                (scored.log_l, scored.log_g) = (log_l, log_g);
            }
        }
        scored
    }

    /// Numbers that order the candidates, the highest the best.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.ranked
    }

    /// The candidate with the highest score, the first of equals.
    pub(crate) fn best(&self) -> usize {
        (0..self.ranked.len()).fold(0, |best, i| if self.ranked[i] > self.ranked[best] { i } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Dimension, Layout, Observed, SideWeights, TpeSettings, Weights};

    fn estimator(values: &[f64]) -> Estimator {
        let dimension = Dimension::Numeric(Axis::float(0.0, 1.0, false).unwrap());
        let observed = vec![Observed::new(&dimension, values)];
        let weights: SideWeights = Weights::Uniform.of(&vec![0.0; values.len()], None);
        let kernels = TpeSettings::optuna5().kernels;
        Estimator::fit(&[dimension], observed, &weights, &kernels, Layout::Compact).unwrap()
    }

    /// `Π_j 1 / (γ_j + (1 - γ_j) g_j / l_j)` orders the candidates, which neither factor alone does.
    #[test]
    fn several_criteria_are_multiplied() {
        let model =
            |good: &[f64], bad: &[f64], share| Model { good: estimator(good), bad: estimator(bad), share };
        let models = [model(&[0.2, 0.3], &[0.8, 0.9], 0.15), model(&[0.6, 0.7], &[0.1, 0.95], 0.6)];
        let points: Vec<f64> = (0..101).map(|i| f64::from(i) / 100.0).collect();
        let scores = Scores::of(&models, &points, points.len(), false);
        let density = |estimator: &Estimator, x: f64| {
            let mut out = [0.0];
            estimator.log_density_into(&[x], &mut out);
            out[0].exp()
        };
        let factor = |model: &Model, x: f64| {
            let ratio = density(&model.bad, x) / density(&model.good, x);
            1.0 / (model.share + (1.0 - model.share) * ratio)
        };
        let product = |x: f64| factor(&models[0], x) * factor(&models[1], x);
        for (x, ranked) in points.iter().zip(&scores.ranked) {
            assert!((ranked.exp() - product(*x)).abs() < 1e-10 * product(*x), "{x}");
        }
        let best = |of: &dyn Fn(f64) -> f64| {
            (0..points.len()).fold(0, |best, i| if of(points[i]) > of(points[best]) { i } else { best })
        };
        assert_eq!(scores.best(), best(&product));
        assert_ne!(scores.best(), best(&|x| factor(&models[0], x)));
        assert_ne!(scores.best(), best(&|x| factor(&models[1], x)));
    }
}
