use thrifty_domain::Points;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, OptimizerError, TrialId};
use thrifty_surrogate::{FittedSurrogate, JointPosterior, Observations, Posterior, Surrogate, fit_checked};

use super::observed::Observed;
use super::scale::Scale;
use crate::running::Running;
use crate::targets::carried;
use crate::{FailurePolicy, MultiObjectiveError, MultiObjectiveSettings};

/// What is learnt from: points, a column an objective on the scale of its model, and the same for constraints. Failures
/// are counted in as the settings say, after what was measured.
pub(crate) struct Data {
    pub(crate) x: Points,
    pub(crate) objectives: Vec<Vec<f64>>,
    pub(crate) constraints: Vec<Vec<f64>>,
    /// How the losses of each objective were scaled.
    pub(crate) scales: Vec<Scale>,
    /// Noise variances of each objective on the scale of its model, where any was reported.
    pub(crate) noise_variances: Option<Vec<Vec<f64>>>,
}

impl Data {
    pub(crate) fn of(observed: &Observed, settings: &MultiObjectiveSettings) -> Self {
        let worst = |column: &Vec<f64>| column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut x = observed.x.clone();
        let mut columns = observed.columns.clone();
        if settings.failures != FailurePolicy::Ignore {
            observed.failed.rows().for_each(|point| x.push(point));
            for (j, column) in columns.iter_mut().enumerate() {
                let imputed = match settings.failures {
                    FailurePolicy::AsValue(value) if j < observed.objectives => value,
                    _ => worst(column),
                };
                column.extend(std::iter::repeat_n(imputed, observed.failed.len()));
            }
        }
        let constraints = columns.split_off(observed.objectives);
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
        Self { x, objectives: columns, constraints, scales, noise_variances }
    }

    /// Losses on the scale of the models.
    pub(crate) fn scaled(&self, losses: &[f64]) -> Vec<f64> {
        self.scales.iter().zip(losses).map(|(scale, loss)| scale.apply(*loss)).collect()
    }
}

/// Fits one model a column.
pub(crate) struct Fitter<'a> {
    pub(crate) space: &'a Space,
    pub(crate) surrogate: &'a dyn Surrogate,
    pub(crate) history: &'a History<Config>,
    pub(crate) seed: Seed,
    pub(crate) id: TrialId,
}

/// A model and the name under which its notes stand in a trial's memo.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) fitted: Box<dyn FittedSurrogate>,
}

impl Named {
    pub(crate) fn posterior(&self) -> &dyn Posterior {
        self.fitted.posterior()
    }

    /// Its joint beliefs.
    ///
    /// # Errors
    /// [`MultiObjectiveError::NotJoint`] when it has none.
    pub(crate) fn joint(&self) -> Result<&dyn JointPosterior, MultiObjectiveError> {
        self.posterior().joint().ok_or_else(|| MultiObjectiveError::NotJoint { what: self.name.clone() })
    }

    /// With running trials imagined to give their posterior means.
    pub(crate) fn with_fantasies(self, pending: &Points) -> Self {
        let (fitted, _) = Running::fantasize(self.fitted, pending.clone(), None, |mean| mean);
        Self { fitted, ..self }
    }
}

impl Fitter<'_> {
    /// The model of one column.
    ///
    /// # Errors
    /// [`OptimizerError`] names the model whose fit fails.
    pub(crate) fn fit(&self, name: String, data: Observations<'_>) -> Result<Named, OptimizerError> {
        let warm_start = self.history.trials().iter().rev().find_map(|trial| trial.memo.0.get(&name));
        let mut rng = self.seed.child("fit", self.id.0).stream(&name, 0);
        let domain = self.space.domain();
        let fitted = fit_checked(self.surrogate, domain, data, warm_start.map(Vec::as_slice), &mut rng);
        let fitted = fitted.map_err(|error| {
            OptimizerError::failed(format!("fitting the model of {name} for trial {}", self.id.0), error)
        })?;
        Ok(Named { name, fitted })
    }

    /// One model for each of several columns, named `kind 0`, `kind 1`, ….
    pub(crate) fn fit_all(
        &self,
        kind: &str,
        x: &Points,
        columns: &[Vec<f64>],
        noise_variances: Option<&[Vec<f64>]>,
    ) -> Result<Vec<Named>, OptimizerError> {
        let one = |(j, y): (usize, &Vec<f64>)| {
            let noise_variance = noise_variances.map(|columns| &columns[j][..]);
            self.fit(format!("{kind} {j}"), Observations { x: x.as_ref(), y, noise_variance })
        };
        columns.iter().enumerate().map(one).collect()
    }
}

/// Posterior means at points: a row a point, a column a model.
pub(crate) fn means(models: &[Named], x: &Points) -> Points {
    let mut means = Points::zeros(x.len(), models.len());
    let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for (j, model) in models.iter().enumerate() {
        model.posterior().predict_into(x.as_ref(), &mut mean, &mut variance);
        mean.iter().enumerate().for_each(|(i, mean)| means.row_mut(i)[j] = *mean);
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_as_bad_as_the_worst_and_a_value_is_for_objectives_alone() {
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
            assert_eq!(data.constraints, [vec![-3.0, 0.2, 0.2]]);
            let noise = &data.noise_variances.as_ref().expect("reported")[0];
            assert!((noise[1] - 0.3 * data.scales[0].slope(5.0).powi(2)).abs() < 1e-15);
            assert_eq!((noise[0], noise[2], noise.len()), (0.0, 0.0, 3));
        }
        let settings = MultiObjectiveSettings { failures: FailurePolicy::Ignore, ..Default::default() };
        assert_eq!(Data::of(&observed, &settings).constraints, [vec![-3.0, 0.2]]);
    }
}
