//! Suggestion of a configuration and its fidelity.

use std::collections::HashSet;

use thrifty_acquisition::Acquisition;
use thrifty_domain::Points;
use thrifty_model_based::{Candidate, SurrogateState, reject_nan, weighted_logarithm};
use thrifty_space::Config;
use thrifty_study::{Ask, EXPECTED_COST, History, OptimizerError, StopReason, Suggestion, TrialId};

use crate::cost::ProportionalCost;
use crate::reached::{key, reached_points};
use crate::{FidelityCost, MultiFidelityOptimizer, TargetKnowledgeGradient};

/// Number of best configurations that may be continued at every fidelity of a grid.
const CONTINUED: usize = 8;

/// Number of fidelities of that grid.
const GRID: usize = 8;

impl MultiFidelityOptimizer {
    /// Maximises the knowledge gradient per unit of cost.
    pub(crate) fn suggest(
        &self,
        state: &SurrogateState<'_>,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Ask<Config>, OptimizerError> {
        let factory = TargetKnowledgeGradient {
            axis: &self.axis,
            anchors: self.settings.anchors,
            maximizer: &self.settings.maximizer,
        };
        let gain = state
            .acquisition(&factory)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let cost = self.cost(history)?;
        let acquisition: Box<dyn Acquisition + '_> = match &cost {
            Some(cost) => Box::new(weighted_logarithm(Some(gain), vec![Box::new(cost)])),
            None => gain,
        };
        let mut candidates = state.maximize(&*acquisition, "acquisition");
        self.add_evaluated(state, &*acquisition, history, &mut candidates)?;
        reject_nan(&factory, &candidates, id)?;
        let Some(chosen) = state.first_allowed(candidates)? else {
            return Ok(Ask::Stop(StopReason::Exhausted));
        };
        let known = cost.as_ref().map(|cost| cost.at(&chosen.x).0).or_else(|| state.expected_cost(&chosen.x));
        Ok(Ask::Evaluate(self.suggestion(state, &chosen, known)))
    }

    /// The known cost, less what was paid if evaluations continue.
    fn cost(&self, history: &History<Config>) -> Result<Option<ProportionalCost>, OptimizerError> {
        let FidelityCost::Proportional { fixed } = self.settings.cost else { return Ok(None) };
        let mut cost = ProportionalCost::new(&self.axis, fixed);
        if self.settings.continues {
            self.reached(history)?.rows().for_each(|x| cost.pay(x));
        }
        Ok(Some(cost))
    }

    /// Points up to which trials were evaluated.
    fn reached(&self, history: &History<Config>) -> Result<Points, OptimizerError> {
        reached_points(&self.space, &self.axis, history, self.settings.reports > 0)
    }

    /// Adds the evaluated configurations with the best means at the target, at fidelities of a grid. A search over a continuous space would
    /// never find exactly a point that can be continued.
    fn add_evaluated(
        &self,
        state: &SurrogateState<'_>,
        acquisition: &dyn Acquisition,
        history: &History<Config>,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), OptimizerError> {
        let (mut evaluated, mut known) = (Points::new(self.space.dim()), HashSet::new());
        for row in self.reached(history)?.rows() {
            let mut row = row.to_vec();
            self.axis.move_to_target(&mut row);
            if known.insert(key(&row)) {
                evaluated.push(&row);
            }
        }
        let mut mean = vec![0.0; evaluated.len()];
        state.posterior().mean_into(evaluated.as_ref(), &mut mean);
        let mut order: Vec<usize> = (0..mean.len()).collect();
        order.sort_by(|a, b| mean[*a].total_cmp(&mean[*b]));
        let (low, high) = self.axis.ends();
        for at in order.into_iter().take(CONTINUED) {
            for step in 1..=GRID {
                let mut x = evaluated.row(at).to_vec();
                x[self.axis.column()] = low + (high - low) * step as f64 / GRID as f64;
                self.space.domain().snap(&mut x);
                let is_listed = candidates.iter().any(|known| known.x == x);
                if !is_listed && state.is_allowed(&x) {
                    let value = acquisition.value(&x);
                    candidates.push(Candidate { x, value });
                }
            }
        }
        // Best first; a stable sort keeps the order of equal ones.
        candidates.sort_by(|a, b| b.value.total_cmp(&a.value));
        Ok(())
    }

    fn suggestion(
        &self,
        state: &SurrogateState<'_>,
        chosen: &Candidate,
        cost: Option<f64>,
    ) -> Suggestion<Config> {
        let here = state.posterior().predict(&chosen.x);
        let mut moved = chosen.x.clone();
        self.axis.move_to_target(&mut moved);
        let there = state.posterior().predict(&moved);
        let mut suggestion = Suggestion::new(self.space.decode(&chosen.x))
            .with_diagnostic("acquisition", chosen.value)
            .with_diagnostic("mean", here.mean)
            .with_diagnostic("std_dev", here.variance.sqrt())
            .with_diagnostic("target_mean", there.mean)
            .with_diagnostic("target_std_dev", there.variance.sqrt());
        suggestion.memo = state.memo();
        match cost {
            Some(cost) => suggestion.with_outlook(&EXPECTED_COST, cost),
            None => suggestion,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use thrifty_domain::PointsRef;
    use thrifty_model_based::Maximizer;
    use thrifty_sampling::Seed;
    use thrifty_space::Space;
    use thrifty_study::{Measurement, Outcome, Trial};

    use super::*;
    use crate::MultiFidelitySettings;

    /// Worth the same everywhere.
    struct Indifferent;

    impl Acquisition for Indifferent {
        fn values_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }
    }

    fn optimizer() -> MultiFidelityOptimizer {
        let space = Space::builder().float("x", 0.0, 1.0).log_float("s", 1.0, 64.0).build().unwrap();
        MultiFidelityOptimizer::new(space, "s").unwrap()
    }

    /// Twelve configurations at the target, each better than those before it.
    fn history() -> History<Config> {
        let place = |i: usize| (i as f64 + 0.5) / 12.0;
        let trial = |i: usize| {
            let mut query = Config::new();
            query.insert("x", place(i));
            query.insert("s", 64.0);
            Trial::new(TrialId(i as u64), query, Some((1.0 - place(i)).into()))
        };
        History::from_trials((0..12).map(trial).collect(), Seed(1))
    }

    /// At the target a suggestion and its configuration at the target are one point, with one prediction. From every fidelity the
    /// configuration at the target is the same. Where nothing was evaluated the prediction is less certain.
    #[test]
    fn predictions_at_the_target_are_one() {
        let (optimizer, history) = (optimizer(), history());
        let observations = optimizer.observations(&history);
        let state = optimizer.state(&observations, &history, TrialId(12)).unwrap().unwrap();
        let (low, high) = optimizer.axis.ends();
        let of = |s: f64| {
            let chosen = Candidate { x: vec![0.3, s], value: 0.0 };
            let found = optimizer.suggestion(&state, &chosen, None).diagnostics;
            ["mean", "target_mean", "std_dev", "target_std_dev"].map(|name| found[name])
        };
        let [mean, target_mean, std_dev, target_std_dev] = of(high);
        assert_eq!((mean, std_dev), (target_mean, target_std_dev), "one point");
        let [_, from_below, below, spread_from_below] = of(low);
        assert!(below > std_dev, "nothing was evaluated below the target: {below} {std_dev}");
        assert_eq!((from_below, spread_from_below), (target_mean, target_std_dev), "one configuration");
    }

    /// The last eight of twelve configurations, each better than those before it, may be continued at every fidelity.
    #[test]
    fn the_best_configurations_may_be_continued() {
        let (optimizer, history) = (optimizer(), history());
        let observations = optimizer.observations(&history);
        let state = optimizer.state(&observations, &history, TrialId(12)).unwrap().unwrap();
        let mut candidates = Vec::new();
        optimizer.add_evaluated(&state, &Indifferent, &history, &mut candidates).unwrap();
        assert_eq!(candidates.len(), CONTINUED * GRID);
        let found: BTreeSet<usize> = candidates.iter().map(|known| (12.0 * known.x[0]) as usize).collect();
        assert_eq!(found, (4..12).collect());
    }

    /// Eight configurations that were evaluated at the target and below it, with the same loss: all of them may be continued, each once, at
    /// eighths of the axis.
    #[test]
    fn a_configuration_at_several_fidelities_is_one() {
        let (optimizer, at_target) = (optimizer(), history());
        let mut trials = [&at_target.trials()[..8]; 2].concat();
        for (i, trial) in trials.iter_mut().enumerate() {
            trial.id = TrialId(i as u64);
            trial.query.insert("s", if i < 8 { 64.0 } else { 8.0 });
        }
        let history = History::from_trials(trials, Seed(1));
        let observations = optimizer.observations(&history);
        let state = optimizer.state(&observations, &history, TrialId(16)).unwrap().unwrap();
        let mut candidates = Vec::new();
        optimizer.add_evaluated(&state, &Indifferent, &history, &mut candidates).unwrap();
        assert_eq!(candidates.len(), 8 * GRID, "eight configurations");
        let found: BTreeSet<usize> = candidates.iter().map(|known| (12.0 * known.x[0]) as usize).collect();
        assert_eq!(found, (0..8).collect(), "each of them");
        let (low, high) = optimizer.axis.ends();
        let eighths = candidates.iter().map(|known| 8.0 * (known.x[1] - low) / (high - low));
        let found: BTreeSet<u64> = eighths.clone().map(|eighth| eighth.round() as u64).collect();
        assert_eq!(found, (1..=8).collect(), "the target and seven below it");
        assert!(eighths.clone().all(|eighth| (eighth - eighth.round()).abs() < 1e-9), "eighths of the axis");
    }

    /// Worth more at a lower fidelity.
    struct Cheap;

    impl Acquisition for Cheap {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            out.iter_mut().zip(x.rows()).for_each(|(slot, x)| *slot = -x[1]);
        }
    }

    /// Candidates with their values, those that were found before among them: the best is the first.
    #[test]
    fn candidates_are_best_first() {
        let (optimizer, history) = (optimizer(), history());
        let observations = optimizer.observations(&history);
        let state = optimizer.state(&observations, &history, TrialId(12)).unwrap().unwrap();
        let mut candidates = vec![Candidate { x: vec![0.3, 0.55], value: -0.55 }];
        optimizer.add_evaluated(&state, &Cheap, &history, &mut candidates).unwrap();
        assert_eq!(candidates.len(), CONTINUED * GRID + 1);
        assert!(candidates.iter().all(|known| known.value == -known.x[1]), "values are those of the points");
        assert!(candidates.is_sorted_by(|a, b| a.value >= b.value), "best first");
    }

    /// Expected cost of a suggestion: its share of the target and the fixed share where costs are known; what was measured, all the same
    /// everywhere, where they are learnt.
    #[test]
    fn suggestions_say_what_they_cost() {
        let suggested = |cost: FidelityCost, paid: Option<f64>| {
            let maximizer = Maximizer { raw: 16, around_best: 1, climbs: 1 };
            let settings =
                MultiFidelitySettings { cost, maximizer, anchors: 4, ..MultiFidelitySettings::default() };
            let optimizer = optimizer().with_settings(settings).unwrap();
            let mut trials = history().trials().to_vec();
            for trial in &mut trials {
                let loss = trial.outcome.as_ref().and_then(Outcome::objective).unwrap();
                trial.outcome = Some(Measurement { cost: paid, ..Measurement::from(loss) }.into());
            }
            let history = History::from_trials(trials, Seed(1));
            let observations = optimizer.observations(&history);
            let state = optimizer.state(&observations, &history, TrialId(12)).unwrap().unwrap();
            let asked = optimizer.suggest(&state, &history, TrialId(12)).unwrap();
            let Ask::Evaluate(suggestion) = asked else { panic!("the space has points left") };
            let expected = suggestion.memo.get(&EXPECTED_COST).unwrap();
            (expected, optimizer.axis.value(&suggestion.query) / 64.0)
        };
        let (expected, share) = suggested(FidelityCost::Proportional { fixed: 0.25 }, None);
        assert!((expected - 0.25 - share).abs() < 1e-9, "{expected}, a share of {share}");
        let (expected, _) = suggested(FidelityCost::Measured, Some(7.0));
        assert!((expected / 7.0 - 1.0).abs() < 1e-3, "measured costs of 7: {expected}");
    }

    /// Costs at the target of a configuration that was evaluated there, with a fixed share of a quarter: an evaluation that continues
    /// has that share alone left to pay, one from the beginning has all.
    #[test]
    fn evaluations_that_continue_cost_the_difference() {
        let history = history();
        let cost = |continues: bool| {
            let cost = FidelityCost::Proportional { fixed: 0.25 };
            let settings = MultiFidelitySettings { cost, continues, ..MultiFidelitySettings::default() };
            let optimizer = optimizer().with_settings(settings).unwrap();
            let x = optimizer.space.encode(&history.trials()[0].query).unwrap();
            optimizer.cost(&history).unwrap().unwrap().at(&x).0
        };
        assert!((cost(true) - 0.25).abs() < 1e-12, "continued: {}", cost(true));
        assert!((cost(false) - 1.25).abs() < 1e-12, "from the beginning: {}", cost(false));
        let mut trials = history.trials().to_vec();
        trials[0].outcome = Some(Outcome::failed("no memory"));
        let settings = MultiFidelitySettings { continues: true, ..MultiFidelitySettings::default() };
        let optimizer = optimizer().with_settings(settings).unwrap();
        let x = optimizer.space.encode(&trials[0].query).unwrap();
        let failed = optimizer.cost(&History::from_trials(trials, Seed(1))).unwrap().unwrap().at(&x).0;
        assert!((failed - 1.0).abs() < 1e-12, "a failed one left nothing to continue: {failed}");
    }

    /// A trial that was pruned at 16 of 64 has paid a quarter of the target, and it is offered for continuation up to the target, but not where it
    /// was evaluated. A second trial that is pruned there ends that. Where reports are on another scale nothing is known of it.
    #[test]
    fn pruned_trials_are_continued() {
        let with = |reports: usize| {
            let settings = MultiFidelitySettings {
                cost: FidelityCost::Proportional { fixed: 0.25 },
                continues: true,
                reports,
                ..MultiFidelitySettings::default()
            };
            optimizer().with_settings(settings).unwrap()
        };
        let pruned = || {
            let mut trial = history().trials()[0].clone();
            trial.query.insert("x", 0.99);
            Trial { reports: vec![(4, 0.5), (16, 0.1)], outcome: Some(Outcome::pruned(16)), ..trial }
        };
        let x = |optimizer: &MultiFidelityOptimizer, s: f64| {
            let mut query = pruned().query;
            query.insert("s", s);
            optimizer.space.encode(&query).unwrap()
        };
        for (reports, times, left) in [(4, 1, 1.0), (4, 2, 1.0), (0, 1, 1.25)] {
            let optimizer = with(reports);
            let trials = [history().trials(), &vec![pruned(); times]].concat();
            let history = History::from_trials(trials, Seed(1));
            let (target, there) = (x(&optimizer, 64.0), x(&optimizer, 16.0));
            let found = optimizer.cost(&history).unwrap().unwrap().at(&target).0;
            assert!((found - left).abs() < 1e-12, "{reports} reports: {found} left to pay");
            let observations = optimizer.observations(&history);
            let state = optimizer.state(&observations, &history, TrialId(13)).unwrap().unwrap();
            let mut candidates = Vec::new();
            optimizer.add_evaluated(&state, &Indifferent, &history, &mut candidates).unwrap();
            let is_offered = candidates.iter().any(|known| known.x == target);
            assert_eq!(is_offered, reports > 0, "{reports} reports: offered up to the target");
            let may_be_asked = [&target, &there].map(|x| !state.is_known(x));
            let expected = [reports > 0 && times == 1, reports == 0];
            assert_eq!(may_be_asked, expected, "{reports} reports, pruned {times} times");
        }
    }

    /// An evaluation below what was paid has the fixed share to pay: nothing is paid back.
    #[test]
    fn evaluations_below_what_was_paid_cost_the_fixed_share() {
        let optimizer = optimizer();
        let mut cost = ProportionalCost::new(&optimizer.axis, 0.25);
        let at = |s: f64| {
            let mut config = Config::new();
            config.insert("x", 0.5);
            config.insert("s", s);
            optimizer.space.encode(&config).unwrap()
        };
        cost.pay(&at(16.0));
        for (s, expected) in [(1.0, 0.25), (8.0, 0.25), (16.0, 0.25), (32.0, 0.5), (64.0, 1.0)] {
            let (found, slope) = cost.at(&at(s));
            assert!((found - expected).abs() < 1e-12, "{found} at {s}");
            assert!((slope > 0.0) == (s >= 16.0), "a slope of {slope} at {s}");
        }
    }

    /// Candidates that are listed already are not listed again, and none is against the known constraint.
    #[test]
    fn candidates_to_continue_are_new_and_allowed() {
        let optimizer = optimizer().with_known_constraint(|config| config.float("x").unwrap() < 0.5);
        let history = history();
        let observations = optimizer.observations(&history);
        let state = optimizer.state(&observations, &history, TrialId(12)).unwrap().unwrap();
        let mut candidates = Vec::new();
        for time in ["once", "twice"] {
            optimizer.add_evaluated(&state, &Indifferent, &history, &mut candidates).unwrap();
            // Of the best eight of twelve, the fifth and the sixth alone are below a half.
            assert_eq!(candidates.len(), 2 * GRID, "added {time}");
        }
        assert!(candidates.iter().all(|known| known.x[0] < 0.5), "all are allowed");
    }
}
