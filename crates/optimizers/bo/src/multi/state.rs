//! Surrogates of several objectives before a suggestion.

use thrifty_acquisition::{Acquisition, AcquisitionError, AcquisitionKind, Analytic, LogExpectedImprovement};
use thrifty_domain::Points;
use thrifty_model_based::{
    Asked, LogFirstFeasible, OutputFitter, OutputModel, ParetoSet, improvement_over_draws, likely_feasible,
};
use thrifty_pareto::{
    Duplicates, ExpectedHypervolumeImprovement, Hypervolume, ReferencePoint, non_dominated,
};
use thrifty_space::Config;
use thrifty_study::{History, OptimizerError};
use thrifty_surrogate::{JointPosterior, Observations, Posterior};

use super::baseline::baseline;
use super::data::{Data, means};
use super::improvement::LogExpectedHypervolume;
use super::noisy::{LogNoisyExpectedHypervolume, UncertainFront};
use super::observed::Observed;
use super::scalarization::{augmented_chebyshev, chebyshev_noise_variance, normalized, ranges, weights};
use crate::{MultiObjectiveError, MultiObjectiveRule};

/// Largest number of steps for a hypervolume: about a tenth of a second.
const STEPS: u64 = 30_000_000;

/// Number of joint draws of running trials.
const PENDING_DRAWS: usize = 32;

/// The trials of a study as training data, and the reference point.
pub(crate) struct State<'a> {
    pub(crate) history: &'a History<Config>,
    pub(crate) fitter: OutputFitter<'a>,
    pub(crate) observed: Observed,
    pub(crate) asked: Asked,
    pub(crate) data: Data,
    /// Indices of the measured points that break no constraint.
    pub(crate) feasible: Vec<usize>,
    pub(crate) reference: Option<ReferencePoint>,
}

/// The joint posterior of an output.
///
/// # Errors
/// [`MultiObjectiveError::NotJoint`] when its surrogate predicts point by point.
fn joint(model: &OutputModel) -> Result<&dyn JointPosterior, MultiObjectiveError> {
    model.joint().ok_or_else(|| MultiObjectiveError::NotJoint { what: model.name.clone() })
}

impl State<'_> {
    /// The surrogates of the objectives that a rule needs.
    pub(crate) fn objectives(&self, rule: MultiObjectiveRule) -> Result<Vec<OutputModel>, OptimizerError> {
        let (data, pending) = (&self.data, &self.observed.pending);
        match rule {
            _ if self.reference.is_none() => Ok(Vec::new()),
            MultiObjectiveRule::Chebyshev { augmentation } => {
                let (y, noise) = self.scalarized(augmentation);
                let observations =
                    Observations { x: data.x.as_ref(), y: &y, noise_variance: noise.as_deref() };
                // Its weights change in each ask.
                let model = self.fitter.fit_anew("scalarisation".into(), observations)?;
                Ok(vec![if model.joint().is_some() { model } else { model.with_fantasies(pending) }])
            }
            _ => {
                let models = self.fitter.fit_all(
                    "objective",
                    &data.x,
                    &data.objectives,
                    data.noise_variances.as_deref(),
                )?;
                // Joint posteriors give draws of running trials; other surrogates get fantasies at their means.
                let joint = models.iter().all(|model| model.joint().is_some());
                Ok(if joint {
                    models
                } else {
                    models.into_iter().map(|m| m.with_fantasies(pending)).collect()
                })
            }
        }
    }

    /// One weighted sum of the losses per training point, and its noise variance if any was reported.
    fn scalarized(&self, augmentation: f64) -> (Vec<f64>, Option<Vec<f64>>) {
        let columns = normalized(&self.data.objectives);
        let mut rng = self.fitter.seed.stream("weights", self.fitter.id.0);
        let weights = weights(columns.len(), &mut rng);
        let row =
            |columns: &[Vec<f64>], i: usize| -> Vec<f64> { columns.iter().map(|column| column[i]).collect() };
        let sum = |i: usize| augmented_chebyshev(&weights, &row(&columns, i), augmentation);
        let noise_variances = self.data.noise_variances.as_ref().map(|noise| {
            let ranges = ranges(&self.data.objectives);
            let of = |i: usize| {
                chebyshev_noise_variance(&weights, &row(&columns, i), &row(noise, i), &ranges, augmentation)
            };
            (0..self.data.x.len()).map(of).collect()
        });
        ((0..self.data.x.len()).map(sum).collect(), noise_variances)
    }

    /// The acquisition function without constraints; `None` while no point is feasible.
    pub(crate) fn acquisition<'m>(
        &self,
        rule: MultiObjectiveRule,
        models: &'m [OutputModel],
        constraints: &[OutputModel],
    ) -> Result<Option<Box<dyn Acquisition + 'm>>, OptimizerError> {
        let Some(reference) = &self.reference else { return Ok(None) };
        let reference = self.data.scaled(reference.values());
        let built = match (rule, models) {
            (MultiObjectiveRule::Chebyshev { augmentation }, [model]) => {
                let (sums, _) = self.scalarized(augmentation);
                let best = self.feasible.iter().map(|&i| sums[self.data.imputed + i]).min_by(f64::total_cmp);
                let Some(best) = best else { return Ok(None) };
                self.improvement(model, constraints, best).map_err(MultiObjectiveError::from)
            }
            (MultiObjectiveRule::NoisyExpectedHypervolume { draws }, _) => {
                self.noisy(draws, models, constraints, &reference)
            }
            _ => self.noiseless(models, constraints, &reference),
        };
        built.map(Some).map_err(|error| OptimizerError::failed("building the acquisition", error))
    }

    /// The probability of being the first feasible point, given running trials; `None` without running trials.
    pub(crate) fn first_feasible<'m>(
        &self,
        constraints: &'m [OutputModel],
    ) -> Result<Option<Box<dyn Acquisition + 'm>>, OptimizerError> {
        let constraints: Vec<&'m dyn Posterior> = constraints.iter().map(OutputModel::posterior).collect();
        let mut rng = self.fitter.seed.stream("draws", self.fitter.id.0);
        let first = LogFirstFeasible::new(&constraints, &self.observed.pending, PENDING_DRAWS, &mut rng)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        Ok(first.map(|first| -> Box<dyn Acquisition + 'm> { Box::new(first) }))
    }

    /// Expected improvement of one weighted sum over the best measured value and over draws of the running trials.
    fn improvement<'m>(
        &self,
        model: &'m OutputModel,
        constraints: &[OutputModel],
        best: f64,
    ) -> Result<Box<dyn Acquisition + 'm>, AcquisitionError> {
        let (posterior, running) = (model.posterior(), &self.observed.pending);
        let constraints: Vec<&dyn Posterior> = constraints.iter().map(OutputModel::posterior).collect();
        let least = |losses: &[f64]| losses.iter().copied().fold(best, f64::min);
        if !running.is_empty() {
            let (rule, mut rng) =
                (AcquisitionKind::default(), self.fitter.seed.stream("draws", self.fitter.id.0));
            let drawn = (running, PENDING_DRAWS);
            if let Some(over) =
                improvement_over_draws(posterior, &rule, drawn, &constraints, least, &mut rng)?
            {
                return Ok(over);
            }
        }
        let likely = running.rows().zip(likely_feasible(running, &constraints)).filter(|(_, likely)| *likely);
        let target = least(&likely.map(|(x, _)| posterior.predict(x).mean).collect::<Vec<f64>>());
        Ok(Box::new(Analytic::new(posterior, LogExpectedImprovement { target })))
    }

    /// Improvement over a front of joint draws; no measured loss is treated as exact.
    fn noisy<'m>(
        &self,
        draws: usize,
        models: &'m [OutputModel],
        constraints: &[OutputModel],
        reference: &[f64],
    ) -> Result<Box<dyn Acquisition + 'm>, MultiObjectiveError> {
        let running = self.observed.pending.len();
        let mut baseline = baseline(models, constraints, &self.observed.x, running, reference)?;
        self.observed.pending.rows().for_each(|point| baseline.push(point));
        let fixed = Points::new(self.observed.objectives);
        self.over_draws(draws, models, constraints, [&fixed, &baseline], reference)
    }

    /// Improvement over the measured front; running trials enter by joint draws.
    fn noiseless<'m>(
        &self,
        models: &'m [OutputModel],
        constraints: &[OutputModel],
        reference: &[f64],
    ) -> Result<Box<dyn Acquisition + 'm>, MultiObjectiveError> {
        let mut front = Points::new(self.observed.objectives);
        for &i in &self.feasible {
            front.push(&self.data.measured(i));
        }
        let pending = &self.observed.pending;
        let joint = models.iter().chain(constraints).all(|model| model.joint().is_some());
        if joint && !pending.is_empty() {
            return self.over_draws(PENDING_DRAWS, models, constraints, [&front, pending], reference);
        }
        let feasible: Vec<&dyn Posterior> = constraints.iter().map(OutputModel::posterior).collect();
        let likely = likely_feasible(pending, &feasible);
        let means = means(models, pending);
        means.rows().zip(likely).filter(|(_, likely)| *likely).for_each(|(mean, _)| front.push(mean));
        let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), reference)?;
        let objectives = models.iter().map(OutputModel::posterior).collect();
        Ok(Box::new(LogExpectedHypervolume { objectives, improvement }))
    }

    fn over_draws<'m>(
        &self,
        draws: usize,
        models: &'m [OutputModel],
        constraints: &[OutputModel],
        [fixed, baseline]: [&Points; 2],
        reference: &[f64],
    ) -> Result<Box<dyn Acquisition + 'm>, MultiObjectiveError> {
        let objectives = models.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
        let constraints = constraints.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
        let (fixed, baseline) = (fixed.as_ref(), baseline.as_ref());
        let front = UncertainFront { fixed, baseline, constraints: &constraints, reference };
        let mut rng = self.fitter.seed.stream("draws", self.fitter.id.0);
        Ok(Box::new(LogNoisyExpectedHypervolume::new(&objectives, front, draws, &mut rng)?))
    }

    /// Hypervolume of the measured front on the scale of the surrogates; `None` if it is expensive.
    pub(crate) fn scaled_hypervolume(&self, reference: &[f64]) -> Option<f64> {
        let mut front = Points::new(self.observed.objectives);
        for &i in &self.feasible {
            front.push(&self.data.measured(i));
        }
        Hypervolume::new(reference).ok()?.with_limit(STEPS).exact(front.as_ref()).ok()
    }

    /// Hypervolume and size of the current front; expensive values are left out.
    pub(crate) fn progress(&self) -> Vec<(&'static str, f64)> {
        let losses = self.observed.losses(&self.feasible);
        let front = non_dominated(losses.as_ref(), Duplicates::First);
        let mut found = vec![("front", front.map_or(0.0, |front| front.len() as f64))];
        if let Some(reference) = &self.reference
            && let Ok(set) = ParetoSet::of(self.history)
            && let Ok(volume) = set.hypervolume(reference)
        {
            found.push(("hypervolume", volume));
        }
        found
    }
}
