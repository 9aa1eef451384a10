//! The phases of the methods that are compared, and the kernels that are chosen from.

use thrifty_domain::Points;
use thrifty_gp::selection::Candidate;
use thrifty_gp::{Gp, KernelFamily};
use thrifty_kernel::{
    Matern12Profile, Matern32Profile, Matern52Profile, Scaled, SquaredExponentialProfile, Stationary,
    StationaryProfile,
};
use thrifty_levelset::{
    ClassificationSet, Criterion, LevelSetSettings, Phase, PhaseRule, PhasedLevelSet, PhasedSettings,
};
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Trial};

/// Points of the initial design.
pub const DESIGN: usize = 8;
/// Quasi-random points that measure the domain.
pub const MEASURED: usize = 2048;
/// Starts of a fit beside the first.
const RESTARTS: usize = 4;

/// The families that are chosen from.
pub const FAMILIES: [(&str, KernelFamily); 4] = [
    ("squared exponential", KernelFamily::SquaredExponential),
    ("Matérn 1/2", KernelFamily::Matern12),
    ("Matérn 3/2", KernelFamily::Matern32),
    ("Matérn 5/2", KernelFamily::Matern52),
];

pub const PROTOCOL: &str = "protocol";

/// The methods: the protocol, then single criteria with the same design, model and choice of the kernel.
pub const METHODS: [&str; 4] = [PROTOCOL, "straddle", "SUR", "random"];

/// Names of the phases of the protocol.
pub const PHASES: [&str; 3] = ["expected improvement", "straddle", "entropy"];

/// Settings of a method. The objective is a loss, minus the margin: above 0 is the valley.
pub fn settings(method: &str, evaluations: usize) -> PhasedSettings {
    let protocol = PhasedSettings::caligo(0.0, evaluations);
    let over = ClassificationSet::Domain { points: MEASURED };
    let level_set = LevelSetSettings { over, ..protocol.level_set.clone() };
    let one = |criterion| vec![Phase { until: evaluations, rule: PhaseRule::Criterion(criterion) }];
    let phases = match method {
        PROTOCOL => protocol.phases.clone(),
        "straddle" => one(Criterion::Straddle { kappa: 1.96 }),
        "SUR" => one(Criterion::IntegratedBernoulli),
        _ => one(Criterion::Random),
    };
    PhasedSettings { level_set, phases, ..protocol }
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

/// Name of the kernel with which each phase began.
pub fn kernels(optimizer: &PhasedLevelSet, trials: &[Trial<Config>]) -> Vec<String> {
    let name = |family: KernelFamily| FAMILIES.iter().find(|(_, own)| *own == family).map(|(name, _)| *name);
    let phases = &optimizer.settings().phases;
    let starts = std::iter::once(DESIGN).chain(phases.iter().map(|phase| phase.until));
    let families = starts.filter_map(|start| optimizer.family_of(trials.get(start)?));
    families.filter_map(name).map(str::to_owned).collect()
}
