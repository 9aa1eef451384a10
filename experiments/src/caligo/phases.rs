//! An optimiser whose criterion changes from phase to phase.

use thrifty_bo::{
    BayesianOptimizer, BoSettings, Convergence, GpSurrogate, InitialDesign, KernelFamily, LossTransform,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::selection::{Candidate, Choice, Criterion as Score, select};
use thrifty_gp::{Gp, GpSettings};
use thrifty_kernel::{
    Matern12Profile, Matern32Profile, Matern52Profile, Scaled, SquaredExponentialProfile, Stationary,
    StationaryProfile,
};
use thrifty_levelset::{ClassificationSet, Classified, Criterion, LevelSetOptimizer, LevelSetSettings};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, Trial, TrialId};
use thrifty_surrogate::{Observations, Surrogate};

/// Points of the initial design.
pub const DESIGN: usize = 8;
/// Quasi-random points that measure the domain.
pub const MEASURED: usize = 2048;
/// Starts of a fit beside the first.
const RESTARTS: usize = 4;
/// Lengthscales on the unit square, for the likelihood alone.
const LENGTHSCALES: (f64, f64) = (0.02, 20.0);

/// The families that are chosen from.
pub const FAMILIES: [(&str, KernelFamily); 4] = [
    ("squared exponential", KernelFamily::SquaredExponential),
    ("Matérn 1/2", KernelFamily::Matern12),
    ("Matérn 3/2", KernelFamily::Matern32),
    ("Matérn 5/2", KernelFamily::Matern52),
];

/// A part of the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    pub name: &'static str,
    /// Trials, of all before too, at which it ends; the last goes on.
    pub until: usize,
    pub chooser: Chooser,
}

/// Chooser of the next point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chooser {
    /// Expected improvement: looks for the best margin, so for ground that is secure at all.
    Improvement,
    /// A criterion of level sets.
    Boundary(Criterion),
}

/// The processes by maximum likelihood, several starts each.
pub fn candidates() -> [Candidate; 4] {
    fn of<R: StationaryProfile>(name: &str) -> Candidate {
        Candidate::new(name, &Gp::<Scaled<Stationary<R>>>::by_maximum_likelihood(2, RESTARTS))
    }
    let [se, rough, once, twice] = FAMILIES.map(|family| family.0);
    [
        of::<SquaredExponentialProfile>(se),
        of::<Matern12Profile>(rough),
        of::<Matern32Profile>(once),
        of::<Matern52Profile>(twice),
    ]
}

/// Measured data, on the unit square.
pub fn data(space: &Space, trials: &[Trial<Config>]) -> Result<(Points, Vec<f64>), OptimizerError> {
    let (mut x, mut y) = (Points::new(space.dim()), Vec::new());
    for trial in trials {
        let Some(value) = trial.outcome.as_ref().and_then(thrifty_study::Outcome::objective) else {
            continue;
        };
        let point = space.encode(&trial.query);
        x.push(&point.map_err(|error| OptimizerError::failed("encoding a trial", error))?);
        y.push(value);
    }
    Ok((x, y))
}

/// The kernel by 5-fold cross-validation of the trials.
pub fn chosen(space: &Space, trials: &[Trial<Config>], seed: Seed) -> Result<Choice, OptimizerError> {
    let (x, y) = data(space, trials)?;
    let rng = &mut seed.stream("kernel", trials.len() as u64);
    select(&candidates(), Score::CrossValidation { folds: 5 }, x.as_ref(), &y, rng)
        .map_err(|error| OptimizerError::failed("choosing a kernel", error))
}

/// The training protocol: a design, then phases, each with a kernel chosen anew on what is there when it begins.
///
/// The objective is a loss, minus the margin: above 0 is the valley. The diagnostics beside every suggestion are those of the level
/// set, in the first phase too.
pub struct Phased {
    space: Space,
    seed: Seed,
    phases: Vec<Phase>,
    kernels: Vec<&'static str>,
    now: Option<Now>,
}

struct Now {
    phase: usize,
    model: GpSurrogate,
    level: LevelSetOptimizer,
    best: BayesianOptimizer,
}

impl Phased {
    pub fn new(space: Space, seed: Seed, phases: Vec<Phase>) -> Self {
        Self { space, seed, phases, kernels: Vec::new(), now: None }
    }

    fn phase(&self, trials: usize) -> usize {
        let last = self.phases.len().saturating_sub(1);
        self.phases.iter().position(|phase| trials < phase.until).unwrap_or(last)
    }

    /// The optimisers of a phase, with the kernel for what was there when it began.
    fn begun(&mut self, phase: usize, trials: &[Trial<Config>]) -> Result<Now, OptimizerError> {
        let family = if trials.len() < DESIGN {
            KernelFamily::default()
        } else {
            let start = if phase == 0 { DESIGN } else { self.phases[phase - 1].until };
            let best = chosen(&self.space, &trials[..start.min(trials.len())], self.seed)?.best;
            self.kernels.push(FAMILIES[best].0);
            FAMILIES[best].1
        };
        let model = GpSurrogate {
            family,
            settings: GpSettings::surrogate_training_protocol(RESTARTS),
            lengthscale_bounds: Some(LENGTHSCALES),
            ..GpSurrogate::default()
        };
        let initial = InitialDesign::Sobol(DESIGN);
        let criterion = match self.phases[phase].chooser {
            Chooser::Improvement => Criterion::Straddle { kappa: 1.96 },
            Chooser::Boundary(criterion) => criterion,
        };
        let settings = LevelSetSettings {
            over: ClassificationSet::Domain { points: MEASURED },
            initial: initial.clone(),
            criterion,
            stop_when_certified: false,
            ..LevelSetSettings::above(0.0)
        };
        let level = LevelSetOptimizer::new(self.space.clone(), settings)?.with_surrogate(model.clone());
        let convergence = Convergence::Continue;
        let settings =
            BoSettings { initial, losses: LossTransform::None, convergence, ..BoSettings::default() };
        let best =
            BayesianOptimizer::new(self.space.clone()).with_settings(settings)?.with_surrogate(model.clone());
        Ok(Now { phase, model, level, best })
    }

    /// The kernels chosen so far: after the design, and as each later phase began.
    pub fn kernels(&self) -> &[&'static str] {
        &self.kernels
    }

    /// Posterior means at points of the unit square, by the model of the phase.
    pub fn means(&self, history: &History<Config>, at: PointsRef<'_>) -> Result<Vec<f64>, OptimizerError> {
        let failed = |error| OptimizerError::failed("drawing the map", error);
        let (x, y) = data(&self.space, history.trials())?;
        let model = self.now.as_ref().map(|now| now.model.clone()).unwrap_or_default();
        let rng = &mut self.seed.stream("map", 0);
        let fitted =
            model.fit(self.space.domain(), Observations::new(x.as_ref(), &y), None, rng).map_err(failed)?;
        let (mut mean, mut variance) = (vec![0.0; at.len()], vec![0.0; at.len()]);
        fitted.posterior().predict_into(at, &mut mean, &mut variance);
        Ok(mean)
    }

    /// True for points with the mean in the valley before a trial.
    pub fn valley_before(&self, trial: &Trial<Config>) -> Option<Vec<bool>> {
        self.now.as_ref()?.level.above_before(trial)
    }

    /// The points that measure the domain.
    pub fn points(&self) -> Option<Points> {
        self.now.as_ref()?.level.points(self.seed).ok()
    }
}

impl Optimizer for Phased {
    type Query = Config;
    type Recommendation = Classified;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let phase = self.phase(history.len());
        let begins = history.len() == DESIGN || self.now.as_ref().is_none_or(|now| now.phase != phase);
        if begins {
            self.now = Some(self.begun(phase, history.trials())?);
        }
        let improves = self.phases[phase].chooser == Chooser::Improvement && history.len() >= DESIGN;
        let Some(now) = &mut self.now else { return Ok(Ask::Wait) };
        let mut asked = now.level.ask(history, id)?;
        if let (true, Ask::Evaluate(suggestion)) = (improves, &mut asked)
            && let Ask::Evaluate(better) = now.best.ask(history, id)?
        {
            suggestion.query = better.query;
        }
        Ok(asked)
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        if self.now.is_none() {
            self.now = Some(self.begun(self.phase(history.len()), history.trials())?);
        }
        let Some(now) = &mut self.now else { return Ok(None) };
        now.level.classify(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("phases").with("phases", &format!("{:?}", self.phases))?.with("seed", &self.seed)
    }
}
