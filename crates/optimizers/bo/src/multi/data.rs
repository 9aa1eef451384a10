//! Training points and targets of the objectives, transformed and imputed.

use thrifty_domain::Points;
use thrifty_model_based::{FailurePolicy, OutputModel, Scale, carried};

use super::observed::Observed;
use crate::MultiObjectiveSettings;

/// Training data: points, and one column per objective on the scale of its surrogate. Imputed failures come before the measured points, so
/// the last rows are the latest measurements.
pub(crate) struct Data {
    pub(crate) x: Points,
    pub(crate) objectives: Vec<Vec<f64>>,
    /// Number of imputed rows.
    pub(crate) imputed: usize,
    /// Scale of the losses of each objective.
    pub(crate) scales: Vec<Scale>,
    /// Noise variances of each objective on the scale of its model; `None` if no measurement reported any.
    pub(crate) noise_variances: Option<Vec<Vec<f64>>>,
}

impl Data {
    pub(crate) fn of(observed: &Observed, settings: &MultiObjectiveSettings) -> Self {
        let worst = |column: &[f64]| column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut x = observed.without_loss.imputed(settings.failures);
        let imputed = x.len();
        observed.x.rows().for_each(|point| x.push(point));
        let with_failures = |column: &Vec<f64>| -> Vec<f64> {
            let value = match settings.failures {
                FailurePolicy::AsValue(value) => value,
                _ => worst(column),
            };
            std::iter::repeat_n(value, imputed).chain(column.iter().copied()).collect()
        };
        let mut columns: Vec<Vec<f64>> =
            observed.columns[..observed.objectives].iter().map(with_failures).collect();
        let scales: Vec<Scale> = columns.iter().map(|column| Scale::of(column, settings.losses)).collect();
        let noise_variances = observed.noise_variance.iter().any(|v| *v > 0.0).then(|| {
            let of = |(column, scale): (&Vec<f64>, &Scale)| -> Vec<f64> {
                // Imputed failures have no noise.
                let noise = std::iter::repeat_n(&0.0, imputed).chain(&observed.noise_variance);
                let scaled = |(loss, v): (&f64, &f64)| {
                    if *v > 0.0 { carried(v * scale.slope(*loss).powi(2)) } else { 0.0 }
                };
                column.iter().zip(noise).map(scaled).collect()
            };
            columns.iter().zip(&scales).map(of).collect()
        });
        for (column, scale) in columns.iter_mut().zip(&scales) {
            column.iter_mut().for_each(|loss| *loss = scale.apply(*loss));
        }
        Self { x, objectives: columns, imputed, scales, noise_variances }
    }

    /// Losses of a measured point on the scale of the models.
    pub(crate) fn measured(&self, index: usize) -> Vec<f64> {
        self.objectives.iter().map(|column| column[self.imputed + index]).collect()
    }

    /// Losses on the scale of the models.
    pub(crate) fn scaled(&self, losses: &[f64]) -> Vec<f64> {
        self.scales.iter().zip(losses).map(|(scale, loss)| scale.apply(*loss)).collect()
    }
}

/// Posterior means at points: one row per point, one column per model.
pub(crate) fn means(models: &[OutputModel], x: &Points) -> Points {
    let mut means = Points::zeros(x.len(), models.len());
    let mut mean = vec![0.0; x.len()];
    for (j, model) in models.iter().enumerate() {
        model.posterior().mean_into(x.as_ref(), &mut mean);
        mean.iter().enumerate().for_each(|(i, mean)| means.row_mut(i)[j] = *mean);
    }
    means
}

#[cfg(test)]
mod tests {
    use thrifty_model_based::WithoutLoss;
    use thrifty_study::Outcome;

    use super::*;

    #[test]
    fn failures_are_as_bad_as_the_worst_or_as_a_value() {
        let mut without_loss = WithoutLoss::new(1);
        without_loss.push(&[0.5], &Outcome::failed("no"), 0);
        let observed = Observed {
            objectives: 1,
            x: Points::from_flat(vec![0.1, 0.9], 1),
            columns: vec![vec![1.0, 5.0], vec![-3.0, 0.2]],
            violations: vec![0.0, 0.2],
            noise_variance: vec![0.0, 0.3],
            without_loss,
            pending: Points::new(1),
        };
        for (failures, loss) in [(FailurePolicy::AsWorst, 5.0), (FailurePolicy::AsValue(50.0), 50.0)] {
            let settings = MultiObjectiveSettings { failures, ..MultiObjectiveSettings::default() };
            let data = Data::of(&observed, &settings);
            assert_eq!(data.x.as_flat(), [0.5, 0.1, 0.9]);
            let losses = data.objectives[0].iter().map(|scaled| data.scales[0].invert(*scaled));
            losses.zip([loss, 1.0, 5.0]).for_each(|(found, loss)| assert!((found - loss).abs() < 1e-12));
            assert_eq!(data.measured(1), [data.objectives[0][2]]);
            let noise = &data.noise_variances.as_ref().expect("reported")[0];
            assert!((noise[2] - 0.3 * data.scales[0].slope(5.0).powi(2)).abs() < 1e-15);
            assert_eq!((noise[0], noise[1], noise.len()), (0.0, 0.0, 3));
        }
        for failures in [FailurePolicy::Ignore, FailurePolicy::AsConstraint] {
            let settings = MultiObjectiveSettings { failures, ..Default::default() };
            assert_eq!(Data::of(&observed, &settings).objectives[0].len(), 2, "{failures:?}");
        }
    }
}
