//! Regression of a value function on samples of belief states.

use std::path::Path;

use thrifty_check::{InputError, number};
use thrifty_linear::SmoothingSpline;
use thrifty_sampling::Seed;
use thrifty_trees::{Boosting, Forest, GroupedRows, Table};

use super::file::Key;
use super::unfinished::Unfinished;
use super::{Learnt, MapSettings, Regressor, ValueMap, features};
use crate::lookahead::bellman_recursion::BellmanRecursion;
use crate::{
    AutoBctError, BeliefSamples, Decision, Expectation, PosteriorFamily, SamplingSettings, State, TwoSteps,
    ValueFunction, Values,
};

impl ValueMap {
    /// Learns `V₁` to `V_N` over a cloud around a prior: the best of one training more, over and over. Trained are the later controls of
    /// the decision. Beliefs are shared out among threads; their number changes nothing but the time.
    ///
    /// # Errors
    /// [`AutoBctError`] for settings or a prior that make no sense, or numbers that break down.
    pub fn build(
        decision: &Decision,
        prior: &State,
        cloud: &SamplingSettings,
        settings: &MapSettings,
        threads: usize,
    ) -> Result<Self, AutoBctError> {
        MapBuild::new(decision, prior, cloud, settings)?.finish(threads)
    }
}

/// Regression of a [`ValueMap`] step by step, for maps that take hours. A build in a file goes on after it was killed, and ends
/// in the same map to the bit.
///
/// ```
/// use thrifty_autobct::{Controls, Decision, MapBuild, MapSettings, NoiseStdDev, Quadrature, SamplingSettings, State};
/// use thrifty_linear::{Coefficients, Polynomial};
///
/// let basis = Polynomial::of_one(1, 0.5);
/// let controls = Controls::new(Controls::grid(1, 3).as_ref(), &basis, &basis, |_| NoiseStdDev { score: 0.1, cost: 0.1 })?;
/// let decision = Decision::new(0.2, controls, Quadrature::Hermite(3))?;
/// let line = Coefficients::independent(vec![0.5, 0.1], &[1.0, 1.0])?;
/// let prior = State { score: line.clone(), cost: line };
/// let cloud = SamplingSettings { drawn: 10, roots: 1, ..SamplingSettings::small() };
/// let mut build = MapBuild::new(&decision, &prior, &cloud, &MapSettings::accurate(3))?;
/// while build.advance(50, 1)? {
///     let progress = build.progress(); // of level 3: the first two are exact
///     assert!(progress.level == 3 && progress.beliefs <= progress.of_beliefs);
/// }
/// assert_eq!(build.finish(1)?.depth(), 3);
/// # Ok::<(), thrifty_autobct::AutoBctError>(())
/// ```
pub struct MapBuild<'a> {
    decision: &'a Decision,
    states: BeliefSamples,
    smoother: Option<SmoothingSpline>,
    table: Option<Table>,
    /// Levels so far.
    map: ValueMap,
    /// Values of the next level so far, in the order of the beliefs.
    targets: Vec<f64>,
    file: Option<Unfinished>,
}

/// Progress of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapProgress {
    /// Level that is being learnt, or the last one.
    pub level: usize,
    /// Number of levels.
    pub of_levels: usize,
    /// Beliefs of that level whose values are known.
    pub beliefs: usize,
    /// Number of beliefs.
    pub of_beliefs: usize,
}

impl<'a> MapBuild<'a> {
    /// A build in memory, with arguments as those of [`ValueMap::build`].
    ///
    /// # Errors
    /// [`AutoBctError`] for settings or a prior that make no sense.
    pub fn new(
        decision: &'a Decision,
        prior: &State,
        cloud: &SamplingSettings,
        settings: &MapSettings,
    ) -> Result<Self, AutoBctError> {
        settings.validate()?;
        let smoother = if settings.smooth {
            let points = decision.later().points();
            let (name, expected) = ("number of later controls", "at most 3000 to smooth (`smooth`)");
            number(name, points.len() as f64, points.len() <= SmoothingSpline::MOST_POINTS, expected)?;
            Some(SmoothingSpline::new(points.as_ref())?)
        } else {
            None
        };
        let states = BeliefSamples::new(prior, decision.later(), cloud, settings.seed)?;
        if states.is_empty() {
            let expected = "at least 1";
            return Err(InputError::Number { name: "beliefs of a cloud", value: 0.0, expected }.into());
        }
        let key = Key {
            gamma: decision.gamma(),
            controls: decision.later().clone(),
            cost_rule: decision.rule_name(),
            prior: prior.clone(),
            cloud: cloud.clone(),
            cloud_seed: settings.seed,
        };
        let map = ValueMap { key, settings: settings.clone(), levels: Vec::new() };
        let mut build =
            Self { decision, states, smoother, table: None, map, targets: Vec::new(), file: None };
        build.add_exact_levels();
        Ok(build)
    }

    /// A build that is kept in a file: started there, or continued. The file has all inputs; one of another build is refused. A
    /// deeper map continues the file of a shallower one. The end of a file that a crash cut off is dropped, see
    /// [`MapBuild::dropped`].
    ///
    /// # Errors
    /// As [`MapBuild::new`]; [`AutoBctError::Map`] names the input that differs, [`AutoBctError::File`] what is damaged, or
    /// does not read or write, or is being written by another build.
    pub fn in_file(
        path: &Path,
        decision: &'a Decision,
        prior: &State,
        cloud: &SamplingSettings,
        settings: &MapSettings,
    ) -> Result<Self, AutoBctError> {
        let mut build = Self::new(decision, prior, cloud, settings)?;
        let mut map = build.map;
        let (file, targets) = Unfinished::open(path, &mut map, decision, build.states.len())?;
        (build.map, build.targets, build.file) = (map, targets, Some(file));
        Ok(build)
    }

    /// Bytes at the end of the file that were dropped because they were incomplete; their beliefs are evaluated again.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.file.as_ref().map_or(0, |file| file.dropped)
    }

    /// Progress so far.
    #[must_use]
    pub fn progress(&self) -> MapProgress {
        let (depth, done) = (self.map.settings.depth, self.map.levels.len());
        let of_beliefs = self.states.len();
        let beliefs = if done == depth { of_beliefs } else { self.targets.len() };
        MapProgress { level: (done + 1).min(depth), of_levels: depth, beliefs, of_beliefs }
    }

    /// Evaluates up to `beliefs` further beliefs, at least one; or grows the trees of a level whose beliefs are all evaluated.
    /// True until the last level is there.
    ///
    /// # Errors
    /// [`AutoBctError`] for numbers that break down, or a file that does not write.
    pub fn advance(&mut self, beliefs: usize, threads: usize) -> Result<bool, AutoBctError> {
        let (settings, depth) = (&self.map.settings, self.map.levels.len() + 1);
        if depth > settings.depth {
            return Ok(false);
        }
        let from = self.targets.len();
        if from < self.states.len() {
            let to = self.states.len().min(from.saturating_add(beliefs.max(1)));
            let targets = self.target(depth).of_beliefs(&self.states, from..to, threads)?;
            if let Some(file) = &mut self.file {
                file.add_targets(depth, from, &targets)?;
            }
            self.targets.extend(targets);
            return Ok(true);
        }
        let table = match &self.table {
            Some(table) => table,
            None => self.table.insert(table(self.decision, &self.states, settings)?),
        };
        let learnt = match &settings.regressor {
            Regressor::Forest(forest) => {
                let seed = settings.seed.child("forest", depth as u64);
                Learnt::Forest(Forest::fit(table, &self.targets, forest, seed, threads)?)
            }
            Regressor::Boosting(boosting) => Learnt::Boosting(Boosting::fit(table, &self.targets, boosting)?),
        };
        if let Some(file) = &mut self.file {
            file.add_level(depth, &learnt)?;
        }
        self.map.levels.push(Some(learnt));
        self.targets.clear();
        Ok(depth < settings.depth)
    }

    /// Finishes the build.
    ///
    /// # Errors
    /// As [`MapBuild::advance`].
    pub fn finish(mut self, threads: usize) -> Result<ValueMap, AutoBctError> {
        while self.advance(usize::MAX, threads)? {}
        Ok(self.map)
    }

    fn add_exact_levels(&mut self) {
        let exact = self.map.settings.baseline.depth().min(self.map.settings.depth);
        self.map.levels.resize(exact, None);
    }

    fn target(&self, depth: usize) -> Target<'_> {
        Target { decision: self.decision, map: &self.map, depth, smoother: self.smoother.as_ref() }
    }
}

/// Exact values of a state, without learnt levels, by the settings of a map.
fn known(
    decision: &Decision,
    settings: &MapSettings,
    depth: usize,
    state: &PosteriorFamily,
) -> Result<Vec<f64>, AutoBctError> {
    super::Level { learnt: None, settings, decision, depth }.after(state, &[(0.0, 0.0)])
}

/// Features of all beliefs.
fn table(decision: &Decision, states: &BeliefSamples, settings: &MapSettings) -> Result<Table, AutoBctError> {
    let mut rows = Vec::new();
    for index in 0..states.len() {
        let fan = PosteriorFamily::still(&states.state(index)?);
        let known = known(decision, settings, settings.depth, &fan)?;
        let mut row = GroupedRows::new(features::count(settings.features, fan.center()));
        features::append(settings.features, decision, &fan, &[(0.0, 0.0)], &known, &mut row)?;
        rows.extend(row.row_major());
    }
    let columns = rows.len() / states.len();
    Ok(Table::new(rows, columns, settings.bins)?)
}

/// Training data for V of a depth: V of one training less is in the value function.
#[derive(Clone, Copy)]
struct Target<'a> {
    decision: &'a Decision,
    map: &'a ValueMap,
    depth: usize,
    smoother: Option<&'a SmoothingSpline>,
}

impl Target<'_> {
    /// For each of these beliefs the value less the baseline.
    fn of_beliefs(
        self,
        cloud: &BeliefSamples,
        range: std::ops::Range<usize>,
        threads: usize,
    ) -> Result<Vec<f64>, AutoBctError> {
        let share = range.len().div_ceil(threads.max(1));
        let end = range.end;
        let part = |from: usize| -> Result<Vec<f64>, AutoBctError> {
            let of_belief = |index: usize| {
                let state = cloud.state(index)?;
                let known =
                    known(self.decision, &self.map.settings, self.depth, &PosteriorFamily::still(&state))?;
                Ok(self.of_state(&state, index as u64)? - known[0])
            };
            (from..(from + share).min(end)).map(of_belief).collect()
        };
        let parts: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = range.step_by(share).map(|from| scope.spawn(move || part(from))).collect();
            // A value function of the caller's may panic: then so do we.
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            running.into_iter().map(join).collect()
        });
        let parts: Vec<Vec<f64>> = parts.into_iter().collect::<Result<_, AutoBctError>>()?;
        Ok(parts.concat())
    }

    fn of_state(self, state: &State, index: u64) -> Result<f64, AutoBctError> {
        let values = self.values(state, index)?;
        match self.smoother {
            Some(smoother) => Ok(values.smoothed(smoother)?.value()),
            None => Ok(values.value()),
        }
    }

    fn values(self, state: &State, index: u64) -> Result<Values, AutoBctError> {
        let later = self.decision.later();
        let expectation = match self.map.settings.expectation {
            // Draws of its own for every belief and depth.
            Expectation::Sampled { samples, seed } => {
                let seed = Seed(seed.0).child("depth", self.depth as u64).child("belief", index);
                Expectation::Sampled { samples, seed }
            }
            nodes => {
                if self.depth == 2 {
                    return Ok(TwoSteps(self.decision).of_controls(later, state));
                }
                nodes
            }
        };
        if self.depth == 1 {
            return Ok(self.decision.one_step_on(later, state));
        }
        let leaf = self.map.unchecked(self.depth - 1, self.decision)?;
        BellmanRecursion::new(self.decision, 1, Some(&leaf), &expectation)?.of_controls(later, state)
    }
}
