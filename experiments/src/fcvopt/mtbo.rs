//! Multi-task Bayesian optimisation over folds.

use thrifty_acquisition::{Analytic, ExpectedImprovement, LogExpectedImprovement, Utility};
use thrifty_bo::{InitialDesign, Maximizer};

use thrifty_cv::FoldQuery;
use thrifty_domain::{Domain, Points, PointsRef, Variable};
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Kernel, Matern52Profile};
use thrifty_model_based::fingerprint;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, MemoKey, Optimizer, OptimizerError, Outcome, StopReason, Suggestion,
    TrialId,
};
use thrifty_surrogate::{JointPosterior, Posterior};

/// Multi-task Bayesian optimisation of the mean over folds: every fold is a task of one process whose covariance is a
/// product of one over configurations and one over tasks; the configuration by expected improvement of the mean over all
/// folds, then the fold by its own expected improvement. Source: Swersky, Snoek & Adams (2013), section 3.1.
///
/// Tasks are exchangeable here, one correlation for all pairs; there any covariance of tasks is learnt.
pub struct MultiTask {
    space: Space,
    folds: usize,
    seed: Seed,
    gp: Gp<Box<dyn Kernel>>,
}

static WARM_START: MemoKey<Vec<f64>> = MemoKey::new("model");

impl MultiTask {
    pub fn new(space: Space, folds: usize, seed: Seed) -> Result<Self, OptimizerError> {
        let mut variables = space.domain().variables().to_vec();
        variables.push(Variable::one_hot(folds));
        let domain =
            Domain::new(variables).map_err(|error| OptimizerError::failed("setting up tasks", error))?;
        Ok(Self { space, folds, seed, gp: Gp::on_domain::<Matern52Profile>(&domain) })
    }

    fn belief(
        &self,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<SurrogateState>, OptimizerError> {
        let failed = |what: &str| format!("{what} for trial {}", id.0);
        let width = self.space.dim() + self.folds;
        let (mut x, mut y) = (Points::new(width), Vec::new());
        let (mut evaluated, mut first) = (Points::new(self.space.dim()), Vec::new());
        for (at, trial) in history.trials().iter().enumerate() {
            let Some(loss) = trial.outcome.as_ref().and_then(Outcome::objective) else { continue };
            let point = self
                .space
                .encode(&trial.query.config)
                .map_err(|error| OptimizerError::failed(failed("encoding"), error))?;
            x.push(&task(&point, trial.query.fold, self.folds));
            y.push(loss);
            if !evaluated.rows().any(|known| known == point.as_slice()) {
                evaluated.push(&point);
                first.push(at);
            }
        }
        if y.is_empty() {
            return Ok(None);
        }
        let notes = history.trials().iter().rev().find_map(|trial| trial.memo.get(&WARM_START));
        let gp = notes.map_or_else(|| self.gp.clone(), |notes| self.gp.clone().warm_started(notes));
        let gp = gp
            .fit(x.as_ref(), &y, &mut self.seed.stream("fit", id.0))
            .map_err(|error| OptimizerError::failed(failed("fitting the model"), error))?;
        Ok(Some(SurrogateState { gp, folds: self.folds, evaluated, first }))
    }
}

/// A configuration with the code of a fold.
fn task(x: &[f64], fold: usize, folds: usize) -> Vec<f64> {
    let mut coded = x.to_vec();
    coded.extend((0..folds).map(|j| f64::from(u8::from(j == fold))));
    coded
}

struct SurrogateState {
    gp: GpPosterior<Box<dyn Kernel>>,
    folds: usize,
    evaluated: Points,
    first: Vec<usize>,
}

impl SurrogateState {
    fn means(&self, posterior: &dyn Posterior) -> Vec<f64> {
        let (mut mean, mut variance) = (vec![0.0; self.evaluated.len()], vec![0.0; self.evaluated.len()]);
        posterior.predict_into(self.evaluated.as_ref(), &mut mean, &mut variance);
        mean
    }

    fn tasks(&self, x: &[f64]) -> Points {
        let mut tasks = Points::new(x.len() + self.folds);
        (0..self.folds).for_each(|fold| tasks.push(&task(x, fold, self.folds)));
        tasks
    }
}

/// The mean over all folds.
impl Posterior for SurrogateState {
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
}

/// Index of the least, the first of equals.
fn least(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, i| if values[i] < values[best] { i } else { best })
}

impl Optimizer for MultiTask {
    type Query = FoldQuery;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let initial = InitialDesign::Automatic;
        let belief =
            if history.len() < initial.len(&self.space, None) { None } else { self.belief(history, id)? };
        let Some(belief) = belief else {
            let config = initial
                .config(&self.space, self.seed, 0, history.len())
                .map_err(|error| OptimizerError::failed("initial design", error))?;
            let fold = history.len() % self.folds;
            return Ok(Ask::Evaluate(Suggestion::new(FoldQuery { config, repeat: 0, fold })));
        };
        let means = belief.means(&belief);
        let best = least(&means);
        let acquisition = Analytic::new(&belief, LogExpectedImprovement { threshold: means[best] });
        let mut rng = self.seed.stream("acquisition", id.0);
        let anchors = [belief.evaluated.row(best)];
        let maximizer = Maximizer { raw: 256, around_best: 64, climbs: 2 };
        let asked: Vec<(Vec<f64>, usize)> = history
            .trials()
            .iter()
            .filter_map(|trial| Some((self.space.encode(&trial.query.config).ok()?, trial.query.fold)))
            .collect();
        for candidate in maximizer.candidates(self.space.domain(), &acquisition, &anchors, &mut rng) {
            let improvement = |fold: usize| {
                let at = |x: &[f64]| belief.gp.predict(&task(x, fold, self.folds));
                let threshold = belief.evaluated.rows().map(|x| at(x).mean).fold(f64::INFINITY, f64::min);
                let there = at(&candidate.x);
                -ExpectedImprovement { threshold }.value(there.mean, there.std_dev())
            };
            let new: Vec<usize> = (0..self.folds)
                .filter(|fold| !asked.iter().any(|(x, known)| known == fold && *x == candidate.x))
                .collect();
            if new.is_empty() {
                continue;
            }
            let worth: Vec<f64> = new.iter().map(|fold| improvement(*fold)).collect();
            let fold = new[least(&worth)];
            let query = FoldQuery { config: self.space.decode(&candidate.x), repeat: 0, fold };
            let warm_start = belief.gp.hyperparameters();
            return Ok(Ask::Evaluate(Suggestion::new(query).with_memo(&WARM_START, &warm_start)));
        }
        Ok(Ask::Stop(StopReason::Exhausted))
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Best<Config>>, OptimizerError> {
        let belief = self.belief(history, TrialId(history.len() as u64))?;
        Ok(belief.map(|belief| {
            let means = belief.means(&belief);
            let best = least(&means);
            Best::posterior(history.trials()[belief.first[best]].query.config.clone(), means[best])
        }))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        fingerprint("multi-task", &self.folds, &self.space)
    }
}
