//! Regression of a value function on samples of belief states.

use thrifty_check::InputError;
use thrifty_linear::SmoothingSpline;
use thrifty_sampling::Seed;
use thrifty_trees::{Boosting, Forest, Table};

use super::file::Key;
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
        settings.validate()?;
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
        let mut map = Self { key, settings: settings.clone(), levels: Vec::new() };
        let smoother = if settings.smooth {
            Some(SmoothingSpline::new(decision.later().points().as_ref())?)
        } else {
            None
        };
        let mut table = None;
        for depth in 1..=settings.depth {
            if depth <= settings.baseline.depth() {
                map.levels.push(None);
                continue;
            }
            let target = Target { decision, map: &map, depth, smoother: smoother.as_ref() };
            let (targets, rows) = target.of_cloud(&states, table.is_none(), threads)?;
            let table = match &mut table {
                Some(table) => table,
                none => {
                    let columns = rows.len() / states.len();
                    none.insert(Table::new(rows, columns, settings.bins)?)
                }
            };
            let learnt = match &settings.regressor {
                Regressor::Forest(forest) => {
                    let seed = settings.seed.child("forest", depth as u64);
                    Learnt::Forest(Forest::fit(table, &targets, forest, seed, threads)?)
                }
                Regressor::Boosting(boosting) => Learnt::Boosting(Boosting::fit(table, &targets, boosting)?),
            };
            map.levels.push(Some(learnt));
        }
        Ok(map)
    }
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
    /// For every belief the value less the baseline, and features if they are wanted.
    fn of_cloud(
        self,
        cloud: &BeliefSamples,
        wanted: bool,
        threads: usize,
    ) -> Result<(Vec<f64>, Vec<f32>), AutoBctError> {
        let share = cloud.len().div_ceil(threads.max(1));
        let settings = &self.map.settings;
        let level = super::Level { learnt: None, settings, decision: self.decision, depth: self.depth };
        let part = |from: usize| -> Result<(Vec<f64>, Vec<f32>), AutoBctError> {
            let to = (from + share).min(cloud.len());
            let (mut targets, mut rows) = (Vec::with_capacity(to - from), Vec::new());
            for index in from..to {
                let state = cloud.state(index)?;
                let (fan, still) = (PosteriorFamily::still(&state), [(0.0, 0.0)]);
                let known = level.after(&fan, &still)?;
                targets.push(self.of_state(&state, index as u64)? - known[0]);
                if wanted {
                    features::append(settings.features, self.decision, &fan, &still, &known, &mut rows);
                }
            }
            Ok((targets, rows))
        };
        let parts: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..cloud.len()).step_by(share).map(|from| scope.spawn(move || part(from))).collect();
            // A value function of the caller's may panic: then so do we.
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            running.into_iter().map(join).collect()
        });
        let (mut targets, mut rows) = (Vec::new(), Vec::new());
        for part in parts {
            let (own, features) = part?;
            targets.extend(own);
            rows.extend(features);
        }
        Ok((targets, rows))
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
