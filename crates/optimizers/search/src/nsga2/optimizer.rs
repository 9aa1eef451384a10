//! NSGA-II as an optimiser.

use thrifty_domain::Points;
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Optimizer, OptimizerError, Outcome, StopReason, Suggestion, Trial, TrialId,
};

use super::operators::{crossover, mutate};
use super::rank::{Evaluation, Rank, standings};
use crate::{
    Candidate, Designer, InitialDesign, ParetoSet, ask_given, asked_points, check_config, design_changed,
    fingerprint, first_allowed, points_of,
};

/// Settings of [`Nsga2`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nsga2Settings {
    /// Individuals of a generation, an even number from 2. The first generation has as many as the design if that is more.
    pub population: usize,
    /// Design of the first generation; after its end, further points of its sequence.
    pub initial: InitialDesign,
    /// Probability that two parents are crossed.
    pub crossover: f64,
    /// η of the crossover; for larger values children are nearer to their parents.
    pub crossover_eta: f64,
    /// Probability that a column mutates; by default one column per child on average.
    pub mutation: Option<f64>,
    /// η of the mutation.
    pub mutation_eta: f64,
}

impl Default for Nsga2Settings {
    /// Crossover 0.9 and η = 20 for both operators, as in Deb et al. (2002). The population is 20 instead of 100, since evaluations are
    /// expensive here.
    fn default() -> Self {
        Self {
            population: 20,
            initial: InitialDesign::Automatic,
            crossover: 0.9,
            crossover_eta: 20.0,
            mutation: None,
            mutation_eta: 20.0,
        }
    }
}

/// NSGA-II: the baseline for several objectives.
///
/// Each generation is as large as the population. Parents win binary tournaments by front and crowding distance among the best so far.
/// Simulated binary crossover and polynomial mutation act on the columns of the unit cube; the child is then projected to the space. A
/// generation waits for the previous one. A child that was asked before mutates again.
///
/// The population is a function of the history. Recommends the [`ParetoSet`].
/// Source: Deb et al. (2002), with its constraint domination; departures: no child is repeated, failures rank last.
#[derive(Debug)]
pub struct Nsga2 {
    space: Space,
    settings: Nsga2Settings,
    known_constraint: KnownConstraint,
}

/// Number of further mutations of a child that was asked before.
const TRIES: usize = 16;

impl Nsga2 {
    /// An instance with default settings.
    #[must_use]
    pub fn new(space: Space) -> Self {
        Self { space, settings: Nsga2Settings::default(), known_constraint: KnownConstraint::default() }
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. Given configurations of an
    /// initial design are not checked. A resumed study needs the same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: Nsga2Settings) -> Result<Self, OptimizerError> {
        let invalid = |name: &str, value: String, expected: &str| {
            Err(OptimizerError::InvalidSetting { name: name.into(), value, expected: expected.into() })
        };
        if settings.population < 2 || !settings.population.is_multiple_of(2) {
            return invalid("population", settings.population.to_string(), "an even number from 2");
        }
        for (name, value) in
            [("crossover", settings.crossover), ("mutation", settings.mutation.unwrap_or(0.0))]
        {
            if !(0.0..=1.0).contains(&value) {
                return invalid(name, value.to_string(), "a probability");
            }
        }
        for (name, value) in
            [("crossover_eta", settings.crossover_eta), ("mutation_eta", settings.mutation_eta)]
        {
            if !(value >= 0.0 && value.is_finite()) {
                return invalid(name, value.to_string(), "a finite number from 0");
            }
        }
        self.settings = settings;
        Ok(self)
    }

    fn first_generation(&self) -> usize {
        self.settings.population.max(self.settings.initial.len(&self.space, None))
    }

    /// The population after the trials before `end`, best first, and the rank of each individual.
    fn population(
        &self,
        trials: &[Trial<Config>],
        end: usize,
    ) -> Result<(Vec<usize>, Vec<Rank>), OptimizerError> {
        let mut best: Vec<usize> = Vec::new();
        let mut from = 0;
        let mut to = self.first_generation();
        let mut sorted = Vec::new();
        while from < end {
            best.extend(from..to.min(end));
            let fates: Vec<Evaluation<'_>> = best.iter().map(|&i| fate(&trials[i])).collect();
            let found =
                standings(&fates).map_err(|error| OptimizerError::failed("ranking the population", error))?;
            let mut order: Vec<usize> = (0..best.len()).collect();
            order.sort_by(|&a, &b| found[a].compare(&found[b]).then(best[a].cmp(&best[b])));
            order.truncate(self.settings.population);
            sorted = order.iter().map(|&at| found[at]).collect();
            best = order.into_iter().map(|at| best[at]).collect();
            (from, to) = (to, to + self.settings.population);
        }
        Ok((best, sorted))
    }

    /// One of the two children of a pair of parents.
    fn child(&self, parents: &Points, standing: &[Rank], pair: (Seed, u64), which: usize) -> Vec<f64> {
        let settings = &self.settings;
        let mut rng = pair.0.stream("mating", pair.1);
        let tournament = |rng: &mut Stream| {
            let (a, b) = (rng.index(parents.len()), rng.index(parents.len()));
            if standing[a].compare(&standing[b]).is_le() { a } else { b }
        };
        let (a, b) = (tournament(&mut rng), tournament(&mut rng));
        let (a, b) = (parents.row(a), parents.row(b));
        let crossed = rng.uniform() < settings.crossover;
        let children = crossover(a, b, settings.crossover_eta, &mut rng);
        if crossed { children[which].clone() } else { [a, b][which].to_vec() }
    }
}

fn fate(trial: &Trial<Config>) -> Evaluation<'_> {
    let Some(measurement) = trial.outcome.as_ref().and_then(Outcome::measurement) else {
        return Evaluation::Lost;
    };
    let violation = measurement.violation();
    if violation > 0.0 {
        Evaluation::Infeasible(violation)
    } else {
        Evaluation::Feasible(&measurement.objectives)
    }
}

impl Optimizer for Nsga2 {
    type Query = Config;
    type Recommendation = ParetoSet;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let (trials, first, seed) = (history.trials(), self.first_generation(), history.seed());
        let asked = asked_points(&self.space, trials)?;
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        let (design, space) = (&self.settings.initial, &self.space);
        // Known trials may fill the first generation before all given configurations were asked.
        let given = design.next_given(space, 0, trials.iter().map(|trial| &trial.query));
        if index < first || given.is_some() {
            let designer = Designer { design, space, seed, run: 0, known_constraint: &self.known_constraint };
            let config = designer.config(&asked, id)?;
            return Ok(config
                .map_or(Ask::Stop(StopReason::Exhausted), |config| Ask::Evaluate(Suggestion::new(config))));
        }
        let (born, place) =
            ((index - first) / self.settings.population, (index - first) % self.settings.population);
        let end = first + born * self.settings.population;
        let before = trials.len().min(end);
        if trials[..before].iter().any(|trial| trial.outcome.is_none()) {
            return Ok(Ask::Wait);
        }
        let (best, standing) = self.population(trials, before)?;
        let mut parents = Points::new(self.space.dim());
        points_of(&self.space, best.iter().map(|&i| &trials[i]))?.rows().for_each(|x| parents.push(x));
        let pair = (end + place - place % 2) as u64;
        let mut child = self.child(&parents, &standing, (seed, pair), place % 2);
        let probability = self.settings.mutation.unwrap_or(1.0 / child.len().max(1) as f64);
        let mut rng = seed.stream("mutation", id.0);
        let domain = self.space.domain();
        let is_new = |x: &[f64]| asked.rows().all(|known| known != x);
        let is_allowed = |x: &[f64]| self.known_constraint.allows_point(&self.space, x);
        for attempt in 0..=TRIES {
            mutate(&mut child, probability, self.settings.mutation_eta, &mut rng);
            domain.snap(&mut child);
            if attempt == TRIES || (is_new(&child) && is_allowed(&child)) {
                break;
            }
        }
        let candidate = Candidate { x: child, value: f64::NAN };
        Ok(match first_allowed(domain, is_allowed, is_new, vec![candidate], seed, id)? {
            Some(found) => {
                let suggestion = Suggestion::new(self.space.decode(&found.x));
                Ask::Evaluate(suggestion.with_diagnostic("generation", (born + 1) as f64))
            }
            None => Ask::Stop(StopReason::Exhausted),
        })
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<ParetoSet>, OptimizerError> {
        Ok(Some(ParetoSet::of(history)?).filter(|set| !set.members.is_empty()))
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
        ask_given(self, |search| (&mut search.space, &search.known_constraint), history, id, given)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(design_changed(fingerprint("nsga-ii", &self.settings, &self.space)?))
    }
}

#[cfg(test)]
mod tests {

    use thrifty_study::Measurement;

    use super::*;

    fn trial(outcome: Option<Outcome>) -> Trial<Config> {
        Trial::new(TrialId(0), Config::new(), outcome)
    }

    /// Deb et al. (2002), constraint domination: by the sum of what is violated.
    #[test]
    fn violations_add_up_and_what_is_met_is_feasible() {
        let measured = |constraints: &[f64]| {
            let (objectives, constraints) = (vec![1.0, 2.0], constraints.to_vec());
            trial(Some(Measurement { objectives, constraints, ..Measurement::default() }.into()))
        };
        for (constraints, violation) in [(&[0.5, -3.0, 0.25][..], 0.75), (&[-1.0, 1e-9], 1e-9)] {
            match fate(&measured(constraints)) {
                Evaluation::Infeasible(found) => assert!((found - violation).abs() < 1e-15),
                other => panic!("{other:?}"),
            }
        }
        for constraints in [&[][..], &[0.0], &[-1.0, 0.0]] {
            assert!(matches!(fate(&measured(constraints)), Evaluation::Feasible([1.0, 2.0])));
        }
        assert!(matches!(fate(&trial(None)), Evaluation::Lost));
        assert!(matches!(fate(&trial(Some(Outcome::failed("no")))), Evaluation::Lost));
    }

    /// Deb et al. (2002): crossover with 0.9, both η 20.
    #[test]
    fn defaults_are_those_of_the_paper_but_for_a_small_population() {
        let expected = Nsga2Settings {
            population: 20,
            initial: InitialDesign::Automatic,
            crossover: 0.9,
            crossover_eta: 20.0,
            mutation: None,
            mutation_eta: 20.0,
        };
        assert_eq!(Nsga2Settings::default(), expected);
    }

    #[test]
    fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
        let space = || Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let check = |change: &dyn Fn(&mut Nsga2Settings)| {
            let mut settings = Nsga2Settings::default();
            change(&mut settings);
            match Nsga2::new(space()).with_settings(settings) {
                Err(OptimizerError::InvalidSetting { name, .. }) => Some(name),
                _ => None,
            }
        };
        let named = |name: &str| Some(name.to_owned());
        for population in [0, 1, 3, 21] {
            assert_eq!(check(&|s| s.population = population), named("population"));
        }
        for share in [-1e-9, 1.0 + 1e-9, f64::NAN] {
            assert_eq!(check(&|s| s.crossover = share), named("crossover"));
            assert_eq!(check(&|s| s.mutation = Some(share)), named("mutation"));
        }
        for eta in [-1e-9, f64::INFINITY, f64::NAN] {
            assert_eq!(check(&|s| s.crossover_eta = eta), named("crossover_eta"));
            assert_eq!(check(&|s| s.mutation_eta = eta), named("mutation_eta"));
        }
        for share in [0.0, 1.0] {
            assert_eq!(check(&|s| (s.population, s.crossover, s.mutation) = (2, share, Some(share))), None);
        }
        assert_eq!(check(&|s| (s.crossover_eta, s.mutation_eta) = (0.0, 0.0)), None);
    }

    /// The first generation has as many as the design, if that is more than the population.
    #[test]
    fn the_first_generation_holds_the_design() {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let first = |initial| {
            let settings = Nsga2Settings { population: 6, initial, ..Nsga2Settings::default() };
            Nsga2::new(space.clone()).with_settings(settings).unwrap().first_generation()
        };
        assert_eq!(first(InitialDesign::Sobol(4)), 6);
        assert_eq!(first(InitialDesign::Sobol(9)), 9);
    }
}
