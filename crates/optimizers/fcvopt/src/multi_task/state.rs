//! Posterior Gaussian process on configurations with folds as tasks.

use thrifty_cv::FoldQuery;
use thrifty_domain::{Domain, Points, PointsRef, Variable};
use thrifty_gp::{Gp, GpError, GpPosterior, Refit, Starts, is_surprised};
use thrifty_kernel::{
    Coregionalization, Inputs, Kernel, KernelError, Matern52Profile, OnColumns, Product, for_domain,
};
use thrifty_model_based::{LastFit, carried};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;
use thrifty_space::Space;
use thrifty_study::{History, OptimizerError, Outcome, TrialId};
use thrifty_surrogate::{JointPosterior, Posterior, Prediction};

use super::{MultiTaskSettings, NAME, TaskCovariance};

/// Correlation of two folds at the start of learning.
const START: f64 = 0.7;

/// The process after a history. As a posterior, it is that of the mean over all folds.
pub(super) struct MultiTaskState {
    gp: GpPosterior<Box<dyn Kernel>>,
    /// Number of observations that the hyperparameters were learnt from.
    learnt_from: usize,
    folds: usize,
    /// Configurations with a measured fold, each once. Stored with the first trial and the posterior mean over the folds of each.
    evaluated: Points,
    first: Vec<usize>,
    means: Vec<f64>,
    /// Configurations and folds that were asked, whatever their outcome.
    asked: Vec<(Vec<f64>, usize)>,
}

/// The prior process.
fn process(
    space: &Space,
    folds: usize,
    tasks: TaskCovariance,
) -> Result<Gp<Box<dyn Kernel>>, OptimizerError> {
    let failed = |error: KernelError| OptimizerError::failed("setting up tasks", error);
    let dim = space.dim();
    match tasks {
        TaskCovariance::Exchangeable => {
            let mut variables = space.domain().variables().to_vec();
            variables.push(Variable::one_hot(folds));
            let domain =
                Domain::new(variables).map_err(|error| OptimizerError::failed("setting up tasks", error))?;
            Ok(Gp::on_domain::<Matern52Profile>(&domain))
        }
        TaskCovariance::Free => {
            let inputs = Inputs::for_dimension(space.domain().free_variables());
            let of_x = for_domain::<Matern52Profile>(space.domain(), &inputs).map_err(failed)?;
            let of_x = OnColumns::new(of_x, (0..dim).collect()).map_err(failed)?;
            // Losses are standardized over all folds, so the standard deviation of a fold is near 1.
            let tasks = Coregionalization::exchangeable(dim..dim + folds, folds, START)
                .map_err(failed)?
                .with_std_dev_prior(Prior::LogNormal { mu: 0.0, sigma: 1.0 });
            Ok(Gp::new(Product::new(of_x, tasks).map_err(failed)?.clone_box()))
        }
    }
}

/// The posterior process, and the number of observations that its hyperparameters were learnt from. The hyperparameters of the last fit are
/// kept as long as the rule allows.
fn fitted(
    process: Gp<Box<dyn Kernel>>,
    (x, y, noise): (PointsRef<'_>, &[f64], &[f64]),
    last: Option<LastFit>,
    refit: Refit,
    rng: &mut Stream,
) -> Result<(GpPosterior<Box<dyn Kernel>>, usize), GpError> {
    let Some(LastFit { hyperparameters, learnt_from }) = last else {
        return Ok((process.fit_with_noise(x, y, noise, rng)?, y.len()));
    };
    let process = process.warm_started(hyperparameters.clone());
    // Discard hyperparameters of another model, and those under which the covariance cannot be factored.
    let keep = |learnt_from| {
        let posterior = process.condition_with_noise(x, y, noise).ok()?;
        let holds = posterior.hyperparameters() == hyperparameters && !is_surprised(&posterior, learnt_from);
        holds.then_some((posterior, learnt_from))
    };
    let learn = |starts: Starts| {
        let process = process.clone().with_settings(starts.of(process.settings()));
        Ok((process.fit_with_noise(x, y, noise, rng)?, y.len()))
    };
    refit.plan(learnt_from, y.len()).carry_out(keep, learn)
}

/// A configuration extended by the one-hot code of a fold.
fn task(x: &[f64], fold: usize, folds: usize) -> Vec<f64> {
    let code = (0..folds).map(|k| f64::from(u8::from(k == fold)));
    x.iter().copied().chain(code).collect()
}

impl MultiTaskState {
    /// Fits the process; `None` without a measured fold.
    pub(super) fn fit(
        space: &Space,
        settings: &MultiTaskSettings,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<Self>, OptimizerError> {
        let folds = settings.folds;
        let (mut x, mut y, mut noise) = (Points::new(space.dim() + folds), Vec::new(), Vec::new());
        let (mut evaluated, mut first) = (Points::new(space.dim()), Vec::new());
        let (mut pending, mut asked) = (Points::new(space.dim() + folds), Vec::new());
        for (at, trial) in history.trials().iter().enumerate() {
            let point = space.encode(&trial.query.config).map_err(|error| {
                OptimizerError::failed(format!("encoding trial {at} for trial {}", id.0), error)
            })?;
            let coded = task(&point, trial.query.fold, folds);
            match &trial.outcome {
                None => pending.push(&coded),
                Some(outcome) => {
                    if let Some(loss) = Outcome::objective(outcome) {
                        x.push(&coded);
                        y.push(carried(loss));
                        let reported = outcome.measurement().and_then(|measured| measured.noise_variance);
                        noise.push(carried(reported.unwrap_or(0.0)));
                        if !evaluated.rows().any(|known| known == point.as_slice()) {
                            evaluated.push(&point);
                            first.push(at);
                        }
                    }
                }
            }
            asked.push((point, trial.query.fold));
        }
        if y.is_empty() {
            return Ok(None);
        }
        let failed =
            |error: GpError| OptimizerError::failed(format!("fitting the tasks for trial {}", id.0), error);
        let process = process(space, folds, settings.tasks)?;
        let data = (x.as_ref(), &y[..], &noise[..]);
        let last = LastFit::of(NAME, history.trials().iter());
        let mut rng = history.seed().stream("fit", id.0);
        let (mut gp, learnt_from) = fitted(process, data, last, settings.refit, &mut rng).map_err(failed)?;
        for running in pending.rows() {
            let mean = gp.predict(running).mean;
            gp = gp.with_observation(running, mean).map_err(failed)?;
        }
        let mut state = Self { gp, learnt_from, folds, evaluated, first, means: Vec::new(), asked };
        let mut means = vec![0.0; state.evaluated.len()];
        state.mean_into(state.evaluated.as_ref(), &mut means);
        state.means = means;
        Ok(Some(state))
    }

    /// A configuration once per fold.
    fn tasks(&self, x: &[f64]) -> Points {
        let mut tasks = Points::new(x.len() + self.folds);
        (0..self.folds).for_each(|fold| tasks.push(&task(x, fold, self.folds)));
        tasks
    }

    /// Index of the evaluated configuration with the smallest mean over the folds; the first among equal ones.
    fn best(&self) -> usize {
        (0..self.means.len()).fold(0, |best, i| if self.means[i] < self.means[best] { i } else { best })
    }

    /// The evaluated configuration with the smallest posterior mean over the folds, and that mean.
    pub(super) fn incumbent(&self) -> (&[f64], f64) {
        let best = self.best();
        (self.evaluated.row(best), self.means[best])
    }

    /// The first trial of the incumbent, and its posterior mean.
    pub(super) fn recommended(&self) -> (usize, f64) {
        let best = self.best();
        (self.first[best], self.means[best])
    }

    /// True if this fold of a configuration was asked before.
    pub(super) fn is_asked(&self, x: &[f64], fold: usize) -> bool {
        self.asked.iter().any(|(known, asked)| *asked == fold && known == x)
    }

    /// Prediction of one fold.
    pub(super) fn predict_task(&self, x: &[f64], fold: usize) -> Prediction {
        self.gp.predict(&task(x, fold, self.folds))
    }

    /// The smallest posterior mean of a fold over the evaluated configurations.
    pub(super) fn best_of_task(&self, fold: usize) -> f64 {
        let mut tasks = Points::new(self.evaluated.dim() + self.folds);
        self.evaluated.rows().for_each(|x| tasks.push(&task(x, fold, self.folds)));
        let mut means = vec![0.0; tasks.len()];
        self.gp.mean_into(tasks.as_ref(), &mut means);
        means.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Hyperparameters of the process, and the number of observations that they were learnt from.
    pub(super) fn last_fit(&self) -> LastFit {
        LastFit { hyperparameters: self.gp.hyperparameters(), learnt_from: Some(self.learnt_from) }
    }
}

/// Posterior of the mean over all folds.
impl Posterior for MultiTaskState {
    fn dim(&self) -> usize {
        self.evaluated.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        let k = self.folds;
        let (mut means, mut variances, mut joint) = (vec![0.0; k], vec![0.0; k], vec![0.0; k * k]);
        for (i, row) in x.rows().enumerate() {
            let tasks = self.tasks(row);
            self.gp.predict_into(tasks.as_ref(), &mut means, &mut variances);
            self.gp.covariance_into(tasks.as_ref(), &mut joint);
            mean[i] = means.iter().sum::<f64>() / k as f64;
            variance[i] = (joint.iter().sum::<f64>() / (k * k) as f64).max(0.0);
        }
    }

    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        let mut means = vec![0.0; self.folds];
        for (slot, row) in mean.iter_mut().zip(x.rows()) {
            self.gp.mean_into(self.tasks(row).as_ref(), &mut means);
            *slot = means.iter().sum::<f64>() / self.folds as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use thrifty_params::Parameterized;

    use super::*;

    /// Standard deviations of folds are around 1 before data: s is as probable as 1/s, on a logarithmic scale.
    #[test]
    fn standard_deviations_of_folds_are_around_one() {
        let process = process(&Space::unit_cube(2), 3, TaskCovariance::Free).unwrap();
        let params = process.kernel().params();
        let std_devs: Vec<_> = params.iter().filter(|param| param.name.contains("std_dev[")).collect();
        assert_eq!(std_devs.len(), 3, "one for each fold");
        for param in std_devs {
            let prior = param.prior.as_ref().expect("a prior");
            let on_log_scale = |s: f64| prior.log_density(s) + s.ln();
            for s in [1.5, 4.0, 20.0_f64] {
                let (above, below) = (on_log_scale(s), on_log_scale(1.0 / s));
                assert!((above - below).abs() < 1e-12, "{}: {above} at {s}, {below} below", param.name);
            }
        }
    }
}
