//! Bayesian optimisation in a trust region.

use std::cmp::Ordering;

use thrifty_domain::Points;
use thrifty_gp::GpSurrogate;
use thrifty_model_based::{
    Candidate, Designer, OutputFitter, PlannedTrials, Repeats, SurrogateState, ask_given, check_config,
    fingerprint, is_modelled, surrogate_fingerprint,
};
use thrifty_params::Parameterized;
use thrifty_sampling::Stream;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, Memo, MemoKey, Optimizer, OptimizerError, StopReason, Suggestion, Trial,
    TrialId,
};
use thrifty_surrogate::{Posterior, sample_jointly};

use crate::TrustRegionSettings;
use crate::candidates::{TrustBox, sides};
use crate::region::Region;

/// Bayesian optimisation in a trust region, `TuRBO`-1: for 20 to a few hundred parameters and a few hundred evaluations.
///
/// ```text
/// box: |x_j - x*_j| ≤ ½ L ℓ_j / (Π ℓ)^(1/d),   next: argmin of f ~ posterior over candidates in the box
/// ```
///
/// x* is the best trial of the run, ℓ the lengthscales of the process and d their number. The side L doubles after several successes in a
/// row and halves after several failures in a row. Once L is below its smallest value, a new run starts from a new design, and earlier
/// trials are no longer modelled. Recommends the best feasible trial.
///
/// The state is a function of the history: L follows from the order of the trials, and the number of the run from their memos.
/// Diagnostics: `run`, `side`, and `mean` and `std_dev` of the posterior.
/// Source: Eriksson et al. (2019); constraints as in Eriksson & Poloczek (2021): candidates that are likely feasible come first, by their
/// drawn value, then the others by their probability of being feasible. Departures: one region; a sample path of the posterior instead of a
/// joint draw; the probability of being feasible instead of a drawn violation.
pub struct TrustRegionOptimizer {
    space: Space,
    settings: TrustRegionSettings,
    planned: PlannedTrials,
    surrogate: GpSurrogate,
    known_constraint: KnownConstraint,
}

/// Run that a trial belongs to; absent in the first run.
static RUN: MemoKey<u64> = MemoKey::new("run");

impl TrustRegionOptimizer {
    /// An optimiser with a Gaussian process and default settings. The prior of the lengthscales grows with the dimension.
    #[must_use]
    pub fn new(space: Space) -> Self {
        let (settings, surrogate) = (TrustRegionSettings::default(), GpSurrogate::default());
        let (planned, known_constraint) = (PlannedTrials::default(), KnownConstraint::default());
        Self { space, settings, planned, surrogate, known_constraint }
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: TrustRegionSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        (self.settings, self.planned) = (settings, PlannedTrials::default());
        Ok(self)
    }

    /// Replaces the surrogate. Kernels without sample paths, such as those for categories, use a joint draw at 400 candidates instead.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: GpSurrogate) -> Self {
        self.surrogate = surrogate;
        self
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. A resumed study needs the same
    /// constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &TrustRegionSettings {
        &self.settings
    }

    /// The number of the current run, its trials, and the state of its region.
    fn current<'h>(&self, history: &'h History<Config>) -> (u64, Vec<&'h Trial<Config>>, Region) {
        let of = |trial: &Trial<Config>| trial.memo.get(&RUN).unwrap_or(0);
        let run = history.trials().iter().map(of).max().unwrap_or(0);
        let trials: Vec<&Trial<Config>> = history.trials().iter().filter(|trial| of(trial) == run).collect();
        let patience = self.settings.patience(self.space.free_parameters());
        let region = Region::after(&trials, is_modelled, &self.settings, patience);
        if !region.has_collapsed(&self.settings) {
            return (run, trials, region);
        }
        (run + 1, Vec::new(), Region::after(&[], is_modelled, &self.settings, patience))
    }

    fn designed(
        &self,
        run: u64,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Ask<Config>, OptimizerError> {
        let (design, space, seed) = (&self.settings.initial, &self.space, history.seed());
        let designer = Designer { design, space, seed, run, known_constraint: &self.known_constraint };
        let config = Repeats::asked(self.settings.repeats, space, history)?.designed(&designer, id)?;
        let of_run = |config| {
            let suggestion = Suggestion::new(config);
            if run > 0 { suggestion.with_memo(&RUN, &run) } else { suggestion }
        };
        Ok(config.map_or(Ask::Stop(StopReason::Exhausted), |config| Ask::Evaluate(of_run(config))))
    }

    /// Lengthscales per column; all 1 if the kernel does not have one per column.
    fn lengthscales(&self, hyperparameters: Vec<f64>) -> Result<Vec<f64>, OptimizerError> {
        let equal = vec![1.0; self.space.dim()];
        let process = self.surrogate.process(self.space.domain());
        let process = process.map_err(|error| OptimizerError::failed("reading the lengthscales", error))?;
        let open = process.kernel().params().into_iter().filter(|param| param.low < param.high);
        let scales: Vec<f64> = open
            .zip(hyperparameters)
            .filter(|(param, _)| param.name.contains("lengthscale["))
            .map(|(_, value)| value)
            .collect();
        let is_whole =
            scales.len() == equal.len() && scales.iter().all(|scale| *scale > 0.0 && scale.is_finite());
        Ok(if is_whole { scales } else { equal })
    }

    /// Candidates valued by the negative of a function drawn from the posterior, best first. Those that are likely feasible come first, by
    /// that value; the others follow by their probability of being feasible.
    fn drawn(
        &self,
        state: &SurrogateState<'_>,
        region: &TrustBox<'_>,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Vec<Candidate>, OptimizerError> {
        let seed = history.seed();
        let count = self.settings.count(self.space.dim());
        let mut rng = seed.stream("trust region candidates", id.0);
        let points = region.candidates(count, self.settings.perturbed, &mut rng);
        let values = function_at(state.posterior(), &points, &mut seed.stream("trust region path", id.0));
        let values =
            values.map_err(|error| OptimizerError::failed(format!("suggesting trial {}", id.0), error))?;
        let mut candidates: Vec<Ranked> = points
            .rows()
            .zip(values)
            .filter(|(_, value)| value.is_finite())
            .map(|(x, value)| Ranked::new(Candidate { x: x.to_vec(), value: -value }, state))
            .collect();
        candidates.sort_by(Ranked::best_first);
        Ok(candidates.into_iter().map(|ranked| ranked.candidate).collect())
    }
}

/// A candidate and its sort key.
struct Ranked {
    candidate: Candidate,
    is_likely: bool,
    /// The negative drawn value if the candidate is likely feasible; otherwise its log probability of being feasible.
    key: f64,
}

impl Ranked {
    fn new(candidate: Candidate, state: &SurrogateState<'_>) -> Self {
        match state.log_probability_feasible(&candidate.x) {
            Some(logarithm) if logarithm < LIKELY.ln() => {
                Self { candidate, is_likely: false, key: logarithm }
            }
            _ => Self { key: candidate.value, candidate, is_likely: true },
        }
    }

    fn best_first(&self, other: &Self) -> Ordering {
        other.is_likely.cmp(&self.is_likely).then(other.key.total_cmp(&self.key))
    }
}

/// Smallest probability of being feasible at which a candidate counts as feasible.
const LIKELY: f64 = 0.5;

/// Values of a function drawn from the posterior: of a sample path, or of a joint draw at the first points if the kernel has no paths.
fn function_at(
    posterior: &dyn Posterior,
    points: &Points,
    rng: &mut Stream,
) -> Result<Vec<f64>, Box<dyn std::error::Error + Send + Sync>> {
    let paths = posterior.paths().and_then(|paths| paths.sample_paths(1, rng));
    if let Some(path) = paths.and_then(|mut paths| paths.pop()) {
        let mut values = vec![0.0; points.len()];
        path.values_into(points.as_ref(), &mut values);
        return Ok(values);
    }
    let joint = posterior.joint().ok_or("the surrogate has neither sample paths nor a joint posterior")?;
    let mut first = Points::new(points.dim());
    points.rows().take(JOINT).for_each(|point| first.push(point));
    Ok(sample_jointly(joint, first.as_ref(), 1, rng)?.pop().unwrap_or_default())
}

/// Number of points of a joint draw; its cost is cubic in this number.
const JOINT: usize = 400;

impl Optimizer for TrustRegionOptimizer {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let (run, trials, region) = self.current(history);
        let told = self.settings.failures.told(trials.iter().copied());
        let modelled = trials.iter().any(|trial| is_modelled(trial));
        let TrustRegionSettings { initial, budget, .. } = &self.settings;
        let best = region.best.and_then(|index| trials.get(index)).map(|trial| &trial.query);
        let queries = history.trials().iter().map(|trial| &trial.query);
        let lasts = !modelled && initial.lasts(&self.space, *budget, (run, queries), told);
        let Some(best) = best.filter(|_| !lasts) else {
            return self.designed(run, history, id);
        };
        let center = self.space.encode(best);
        let mut center = center.map_err(|error| OptimizerError::failed("encoding the best trial", error))?;
        let (space, surrogate, seed) = (&self.space, &self.surrogate, history.seed());
        let fitter = OutputFitter { space, surrogate, weight_surrogate: surrogate, trials, seed, id };
        let Some(state) = SurrogateState::fit(&fitter, self.settings.state())? else {
            return self.designed(run, history, id);
        };
        let sides = sides(region.side, &self.lengthscales(state.hyperparameters())?);
        let domain = self.space.domain();
        domain.snap(&mut center);
        let trust = TrustBox { domain, center: &center, sides: &sides };
        let candidates = self.drawn(&state, &trust, history, id)?;
        let asked = Repeats::asked(self.settings.repeats, &self.space, history)?;
        let is_allowed = |x: &[f64]| self.known_constraint.allows_point(&self.space, x);
        let Some(chosen) = asked.first_allowed(domain, is_allowed, candidates, seed, id)? else {
            return Ok(Ask::Stop(StopReason::Exhausted));
        };
        let prediction = state.posterior().predict(&chosen.x);
        let mut suggestion = Suggestion::new(self.space.decode(&chosen.x))
            .with_diagnostic("run", run as f64)
            .with_diagnostic("side", region.side)
            .with_diagnostic("mean", prediction.mean)
            .with_diagnostic("std_dev", prediction.variance.sqrt());
        suggestion.memo = state.memo();
        Ok(Ask::Evaluate(if run > 0 { suggestion.with_memo(&RUN, &run) } else { suggestion }))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        Ok(history.best().map(|(trial, value)| Best::observed(trial.query.clone(), value)))
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
    }

    fn canonical(&self, query: Config) -> Config {
        self.space.canonical(&query)
    }

    fn ask_given(
        &mut self,
        history: &History<Config>,
        id: TrialId,
        given: &Config,
    ) -> Result<Ask<Config>, OptimizerError> {
        ask_given(self, |own| (&mut own.space, &own.known_constraint), history, id, given)
    }

    /// Memo with the run alone: a point that others chose is no success or failure of the region.
    fn moved(&self, memo: Memo) -> Memo {
        let mut kept = Memo::default();
        if let Some(run) = memo.get(&RUN) {
            kept.set(&RUN, &run);
        }
        kept
    }

    fn plan(&mut self, trials: usize) {
        self.planned.plan(&mut self.settings.budget, trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let failures = self.settings.failures.identity();
        let settings = TrustRegionSettings { budget: None, repeats: None, failures, ..self.settings.clone() };
        let ours = fingerprint("trust region", &settings, &self.space)?.with_budget(self.settings.budget);
        Ok(ours.around(surrogate_fingerprint(&self.surrogate)?))
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_surrogate::{Observations, Surrogate};

    use super::*;

    /// A function drawn from a process that has paths: values at all candidates, also where they are more than a joint draw takes. The values
    /// at the first of them are those of the same function alone.
    #[test]
    fn a_path_has_values_at_all_candidates() {
        let x = Points::from_rows(&[[0.1], [0.4], [0.9]]).unwrap();
        let data = Observations::new(x.as_ref(), &[1.0, -0.5, 0.3]);
        let space = Space::unit_cube(1);
        let rng = &mut Seed(1).stream("test", 0);
        let fitted = GpSurrogate::default().fit(space.domain(), data, None, rng).unwrap();
        let drawn = |count: usize| {
            let rows: Vec<[f64; 1]> = (0..count).map(|i| [i as f64 / 500.0]).collect();
            let points = Points::from_rows(&rows).unwrap();
            function_at(fitted.posterior(), &points, &mut Seed(2).stream("test", 0)).unwrap()
        };
        let (all, first) = (drawn(JOINT + 100), drawn(3));
        assert_eq!(all.len(), JOINT + 100, "a value per candidate");
        for (value, alone) in all.iter().zip(&first) {
            assert!((value - alone).abs() < 1e-12, "one function: {value} and {alone}");
        }
    }

    /// Lengthscales of a model: its own where all are positive and finite, else all 1, as others have no geometric
    /// mean.
    #[test]
    fn lengthscales_without_a_logarithm_make_a_cube() {
        let optimizer = TrustRegionOptimizer::new(Space::unit_cube(2));
        let process = optimizer.surrogate.process(optimizer.space.domain()).unwrap();
        let of = |lengthscales: [f64; 2]| {
            let mut left = lengthscales.into_iter();
            let values = process.kernel().params().into_iter().map(|param| {
                if param.name.contains("lengthscale[") { left.next().unwrap() } else { param.value }
            });
            optimizer.lengthscales(values.collect()).unwrap()
        };
        assert_eq!(of([0.2, 5.0]), [0.2, 5.0]);
        for bad in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert_eq!(of([0.2, bad]), [1.0, 1.0], "{bad}");
        }
        assert_eq!(optimizer.lengthscales(Vec::new()).unwrap(), [1.0, 1.0], "no model");
    }
}
