//! Training data of several objectives.

use thrifty_domain::Points;
use thrifty_model_based::{FailurePolicy, OutputModel, Scale, carried};

use super::observed::Observed;
use crate::MultiObjectiveSettings;

/// Training data: points, and one column per objective on the scale of its surrogate. Failures come after the measured
/// points, imputed according to the settings.
pub(crate) struct Data {
    pub(crate) x: Points,
    pub(crate) objectives: Vec<Vec<f64>>,
    /// Scale of the losses of each objective.
    pub(crate) scales: Vec<Scale>,
    /// Noise variances of each objective on the scale of its model, where any was reported.
    pub(crate) noise_variances: Option<Vec<Vec<f64>>>,
}

impl Data {
    pub(crate) fn of(observed: &Observed, settings: &MultiObjectiveSettings) -> Self {
        let worst = |column: &Vec<f64>| column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut x = observed.x.clone();
        let mut columns = observed.columns[..observed.objectives].to_vec();
        if settings.failures != FailurePolicy::Ignore {
            observed.failed.rows().for_each(|point| x.push(point));
            for column in &mut columns {
                let imputed = match settings.failures {
                    FailurePolicy::AsValue(value) => value,
                    _ => worst(column),
                };
                column.extend(std::iter::repeat_n(imputed, observed.failed.len()));
            }
        }
        let scales: Vec<Scale> = columns.iter().map(|column| Scale::of(column, settings.losses)).collect();
        let noise_variances = observed.noise_variance.iter().any(|v| *v > 0.0).then(|| {
            let of = |(column, scale): (&Vec<f64>, &Scale)| -> Vec<f64> {
                // Failures are imputed without noise.
                let noise = observed.noise_variance.iter().chain(std::iter::repeat(&0.0));
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
        Self { x, objectives: columns, scales, noise_variances }
    }

    /// Losses on the scale of the models.
    pub(crate) fn scaled(&self, losses: &[f64]) -> Vec<f64> {
        self.scales.iter().zip(losses).map(|(scale, loss)| scale.apply(*loss)).collect()
    }
}

/// Posterior means at points: a row a point, a column a model.
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
    use super::*;

    #[test]
    fn failures_are_as_bad_as_the_worst_or_as_a_value() {
        let observed = Observed {
            objectives: 1,
            x: Points::from_flat(vec![0.1, 0.9], 1),
            columns: vec![vec![1.0, 5.0], vec![-3.0, 0.2]],
            noise_variance: vec![0.0, 0.3],
            failed: Points::from_flat(vec![0.5], 1),
            pending: Points::new(1),
            asked: Points::from_flat(vec![0.1, 0.9, 0.5], 1),
        };
        for (failures, loss) in [(FailurePolicy::AsWorst, 5.0), (FailurePolicy::AsValue(50.0), 50.0)] {
            let settings = MultiObjectiveSettings { failures, ..MultiObjectiveSettings::default() };
            let data = Data::of(&observed, &settings);
            assert_eq!((data.x.len(), data.x.row(2)[0]), (3, 0.5));
            assert!((data.scales[0].invert(data.objectives[0][2]) - loss).abs() < 1e-12);
            let noise = &data.noise_variances.as_ref().expect("reported")[0];
            assert!((noise[1] - 0.3 * data.scales[0].slope(5.0).powi(2)).abs() < 1e-15);
            assert_eq!((noise[0], noise[2], noise.len()), (0.0, 0.0, 3));
        }
        let settings = MultiObjectiveSettings { failures: FailurePolicy::Ignore, ..Default::default() };
        assert_eq!(Data::of(&observed, &settings).objectives[0].len(), 2);
    }
}
