//! Initial designs.

use std::ops::RangeInclusive;

use thrifty_sampling::{MAX_SOBOL_DIM, Seed, Sobol, latin_hypercube};
use thrifty_space::{Config, Space, SpaceError};

/// Initial design.
///
/// Points of a sequence have one coordinate per parameter, so that each level of a category gets its share of points ([`Space::at_quantiles`]).
///
/// A design continues until the number of *measured* trials reaches the number of its configurations. Running trials do not count; further
/// points of the same sequence replace them. Failed trials count only if the optimiser says so, as those do that learn where trials fail. Trial i gets configuration i of the sequence, so trials that are asked at the
/// same time differ. On a finite space no configuration is asked twice, except those given in advance.
///
/// Configurations given in advance come first, in order, each as often as it is given. A trial from elsewhere or an enqueued one replaces
/// only a given configuration that is equal to it.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialDesign {
    /// Scrambled Sobol points: twice the number of parameters with more than one value, from 4 to 20. If a number of trials is planned, at
    /// most a quarter of it, or half of it with conditional parameters, but at least 4. An optimiser may require
    /// [more](DesignBudget::fewest).
    ///
    /// Sources: `run bo/designs` for the 20, `run bo/small` for the half.
    #[default]
    Automatic,
    /// Number of scrambled Sobol points.
    Sobol(usize),
    /// Number of uniform points.
    Random(usize),
    /// Number of points of a Latin hypercube; uniform points follow. Source: `McKay`, Beckman & Conover (1979).
    LatinHypercube(usize),
    /// These configurations in order, followed by the automatic design.
    Given(Vec<Config>),
    /// Only these configurations in order, each asked once whatever its outcome. Uniform points follow only while nothing was measured.
    Only(Vec<Config>),
}

/// Number of trials that determines the length of an automatic design, in addition to the space.
///
/// Converting an optional planned number sets `fewest` to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DesignBudget {
    /// Number of trials that the study is planned for, if known.
    pub planned: Option<usize>,
    /// Smallest number of points, from 4 to 20; limited to a third of the planned number.
    pub fewest: usize,
}

/// Smallest and largest number of points of an automatic design.
const POINTS: RangeInclusive<usize> = 4..=20;

impl From<Option<usize>> for DesignBudget {
    fn from(planned: Option<usize>) -> Self {
        Self { planned, fewest: *POINTS.start() }
    }
}

impl Default for DesignBudget {
    fn default() -> Self {
        None.into()
    }
}

/// Origin of the number of trials in an optimiser's settings: the user, or an [`Optimizer::plan`](thrifty_study::Optimizer::plan).
#[derive(Debug, Clone, Copy, Default)]
pub struct PlannedTrials {
    is_planned: bool,
}

impl PlannedTrials {
    /// Sets `budget` to the number of trials of a plan, unless the user has set it. A later plan replaces an earlier one.
    pub fn plan(&mut self, budget: &mut Option<usize>, trials: usize) {
        self.is_planned |= budget.is_none();
        if self.is_planned {
            *budget = Some(trials);
        }
    }
}

impl InitialDesign {
    /// Number of configurations. `budget` is the number of trials that the study is planned for, if known.
    #[must_use]
    pub fn len(&self, space: &Space, budget: impl Into<DesignBudget>) -> usize {
        let budget = budget.into();
        match self {
            Self::Automatic => automatic(space, budget),
            Self::Sobol(count) | Self::Random(count) | Self::LatinHypercube(count) => *count,
            Self::Given(configs) => configs.len() + automatic(space, budget),
            Self::Only(configs) => configs.len(),
        }
    }

    /// True while the design lasts in run `run`: it [needs more](Self::needs_more) trials, or one of its [given
    /// configurations](Self::next_given) was not asked yet.
    #[must_use]
    pub fn lasts<'c>(
        &self,
        space: &Space,
        budget: impl Into<DesignBudget>,
        (run, asked): (u64, impl IntoIterator<Item = &'c Config>),
        measured: usize,
    ) -> bool {
        self.needs_more(space, budget, run, measured) || self.next_given(space, run, asked).is_some()
    }

    /// True if `measured` trials of run `run` are too few for a model. Only run 0 has given configurations.
    #[must_use]
    pub fn needs_more(
        &self,
        space: &Space,
        budget: impl Into<DesignBudget>,
        run: u64,
        measured: usize,
    ) -> bool {
        let budget = budget.into();
        match self {
            Self::Only(_) => measured == 0,
            Self::Given(_) if run > 0 => measured < automatic(space, budget),
            _ => measured < self.len(space, budget).max(1),
        }
    }

    /// Index of the given configuration that run `run` asks next: the first that was asked fewer times than it occurs in the list up to
    /// there. `None` if none is left, and in runs after 0.
    #[must_use]
    pub fn next_given<'c>(
        &self,
        space: &Space,
        run: u64,
        asked: impl IntoIterator<Item = &'c Config>,
    ) -> Option<usize> {
        self.next_given_beside(space, run, asked.into_iter().filter_map(|config| space.encode(config).ok()))
    }

    /// [`InitialDesign::next_given`] for encoded configurations.
    pub(crate) fn next_given_beside(
        &self,
        space: &Space,
        run: u64,
        asked: impl Iterator<Item = Vec<f64>>,
    ) -> Option<usize> {
        if run > 0 || self.given().is_empty() {
            return None;
        }
        let mut asked: Vec<Vec<f64>> = asked.collect();
        self.given().iter().position(|config| {
            // A configuration that is not of the space cannot have been asked.
            let point = space.encode(&space.canonical(config)).ok();
            let same = point.and_then(|point| asked.iter().position(|known| *known == point));
            same.is_none_or(|at| {
                asked.swap_remove(at);
                false
            })
        })
    }

    /// The configurations that were given in advance.
    #[must_use]
    pub fn given(&self) -> &[Config] {
        match self {
            Self::Given(configs) | Self::Only(configs) => configs,
            _ => &[],
        }
    }

    /// Configuration `index` of run `run`. In run 0 the given ones come first, with values in the form of [`Space::canonical`]. Points of
    /// an infinite sequence follow.
    ///
    /// A later run may begin at any index, so its Latin hypercube is repeated.
    ///
    /// # Errors
    /// [`SpaceError`] when a given configuration is not of the space.
    pub fn config(&self, space: &Space, seed: Seed, run: u64, index: usize) -> Result<Config, SpaceError> {
        let given = if run == 0 { self.given() } else { &[] };
        if let Some(config) = given.get(index) {
            space.validate(config)?;
            return Ok(space.canonical(config));
        }
        let at = index.saturating_sub(given.len());
        let dim = space.parameters().len();
        if let Self::LatinHypercube(count) = *self
            && count > 0
            && (run > 0 || at < count)
        {
            let at = at % count;
            let points = latin_hypercube(count, dim, &mut seed.stream("latin hypercube", run));
            return Ok(space.at_quantiles(points.row(at)));
        }
        let uniform =
            matches!(self, Self::Random(_) | Self::Only(_) | Self::LatinHypercube(_)) || dim > MAX_SOBOL_DIM;
        if uniform {
            return Ok(space.sample(&mut seed.child("design", run).stream("uniform", index as u64)));
        }
        let mut sobol = Sobol::scrambled(dim, &mut seed.stream("design", run));
        Ok(space.at_quantiles(sobol.take(at + 1).row(at)))
    }
}

fn automatic(space: &Space, DesignBudget { planned, fewest }: DesignBudget) -> usize {
    let (least, most) = POINTS.into_inner();
    let capped = |count: usize, part: usize| planned.map_or(count, |planned| count.min(planned / part));
    // A model with too few points of a branch does not return to it.
    let is_conditional = space.parameters().iter().any(|parameter| !parameter.conditions.is_empty());
    let wanted = capped(2 * space.free_parameters(), if is_conditional { 2 } else { 4 });
    wanted.max(capped(fewest, 3)).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_count_and_the_budget_caps() {
        let mut builder = Space::builder().categorical("c", ["a", "b", "d", "e"]);
        for name in ["x", "y", "z", "u", "v", "w"] {
            builder = builder.float(name, 0.0, 1.0).when("c", ["a", "b"]);
        }
        let space = builder.build().unwrap();
        let design = InitialDesign::Automatic;
        assert_eq!(design.len(&space, None), 14);
        let within = |space: &Space| [8, 20, 40, 200].map(|budget| design.len(space, Some(budget)));
        assert_eq!(within(&space), [4, 10, 14, 14]);
        assert_eq!(within(&Space::unit_cube(7)), [4, 5, 10, 14]);
        assert_eq!(InitialDesign::Sobol(20).len(&space, Some(8)), 20);
        let two = vec![Config::new(); 2];
        assert_eq!(InitialDesign::Given(two.clone()).len(&space, Some(20)), 12);
        assert_eq!(InitialDesign::Only(two).len(&space, Some(40)), 2);
    }

    /// A model begins before the trials are many, however many parameters there are.
    #[test]
    fn many_parameters_have_twenty_points() {
        let len = |dim: usize, budget| InitialDesign::Automatic.len(&Space::unit_cube(dim), budget);
        assert_eq!([1, 2, 9, 10, 11, 300].map(|dim| len(dim, None)), [4, 4, 18, 20, 20, 20]);
        assert_eq!([8, 60, 100, 1000].map(|budget| len(300, Some(budget))), [4, 15, 20, 20]);
    }

    /// A least length holds where there are few parameters, within a third of what is planned.
    #[test]
    fn few_parameters_have_the_fewest_points() {
        let len = |dim: usize, planned, fewest| {
            InitialDesign::Automatic.len(&Space::unit_cube(dim), DesignBudget { planned, fewest })
        };
        assert_eq!([1, 4, 8, 9, 30].map(|dim| len(dim, None, 16)), [16, 16, 16, 18, 20]);
        assert_eq!([8, 20, 47, 48, 500].map(|planned| len(2, Some(planned), 16)), [4, 6, 15, 16, 16]);
        assert_eq!([30, 60, 72].map(|planned| len(9, Some(planned), 16)), [10, 16, 18]);
        // A least length beyond the limits is one at the limits.
        assert_eq!([0, 4, 20, 21].map(|fewest| len(1, None, fewest)), [4, 4, 20, 20]);
    }

    /// A parameter that is fixed leaves nothing to learn, nor does a condition on it. What is given for one trial alone changes no
    /// design.
    #[test]
    fn parameters_of_one_value_do_not_count() {
        let names = ["x0", "x1", "x2", "x3", "x4"];
        let mut space = Space::from_bounds(&[(0.0, 1.0); 5]).unwrap();
        let design = InitialDesign::Automatic;
        let lengths = names.map(|name| {
            let length = design.len(&space, None);
            space = space.with_fixed(name, 0.5).unwrap();
            length
        });
        assert_eq!(lengths, [10, 8, 6, 4, 4]);
        let one = |builder: thrifty_space::SpaceBuilder| builder.int("n", 3, 3).float("y", 2.0, 2.0);
        let space = one(Space::builder().categorical("c", ["a"]).step_float("s", 0.0, 1.0, 0.5))
            .float("u", 0.0, 1.0)
            .when("c", ["a"])
            .categorical("k", ["p", "q"])
            .build()
            .unwrap();
        assert_eq!(design.len(&space, None), 6);
        let mut given = Config::new();
        given.insert("k", "p");
        assert_eq!(design.len(&space.given(&given).unwrap(), None), 6);
    }

    #[test]
    fn a_latin_hypercube_has_a_point_per_slice() {
        let space = Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap();
        let design = InitialDesign::LatinHypercube(7);
        assert_eq!(design.len(&space, Some(8)), 7);
        for name in ["x", "y"] {
            let value = |i: usize| design.config(&space, Seed(3), 0, i).unwrap().float(name).unwrap();
            let mut slices: Vec<usize> = (0..7).map(|i| (7.0 * value(i)) as usize).collect();
            slices.sort_unstable();
            assert_eq!(slices, [0, 1, 2, 3, 4, 5, 6]);
            // Failures extend the design.
            assert!((0.0..=1.0).contains(&value(30)));
        }
    }

    #[test]
    fn given_configurations_come_before_the_sequence() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let mut given = Config::new();
        given.insert("x", 0.25);
        let sequence = |design: &InitialDesign, range: std::ops::Range<usize>| -> Vec<Config> {
            range.map(|i| design.config(&space, Seed(1), 0, i).unwrap()).collect()
        };
        let design = InitialDesign::Given(vec![given.clone()]);
        assert_eq!(sequence(&design, 0..1), [given]);
        assert_eq!(sequence(&design, 1..9), sequence(&InitialDesign::Automatic, 0..8));
        // A longer design begins with a shorter one, and the sequence continues after its end.
        assert_eq!(sequence(&InitialDesign::Sobol(2), 0..8), sequence(&InitialDesign::Sobol(8), 0..8));
        let read: InitialDesign = serde_json::from_str(&serde_json::to_string(&design).unwrap()).unwrap();
        assert_eq!(read, design);
        assert_eq!(
            serde_json::from_str::<InitialDesign>(r#"{"given": []}"#).unwrap(),
            InitialDesign::Given(vec![])
        );
    }

    /// A Latin hypercube of a later run is whole from whatever index the run begins at; the first run goes on with others after it.
    #[test]
    fn later_runs_have_a_latin_hypercube_too() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let slices = |run: u64, first: usize| {
            let design = InitialDesign::LatinHypercube(7);
            let value = |i: usize| design.config(&space, Seed(3), run, i).unwrap().float("x").unwrap();
            let mut slices: Vec<usize> = (first..first + 7).map(|i| (7.0 * value(i)) as usize).collect();
            slices.sort_unstable();
            slices
        };
        for (run, first) in [(0, 0), (1, 23), (2, 41)] {
            assert_eq!(slices(run, first), [0, 1, 2, 3, 4, 5, 6], "run {run}");
        }
        assert_ne!(slices(0, 7), slices(0, 0));
        assert!(InitialDesign::LatinHypercube(0).config(&space, Seed(3), 1, 5).is_ok());
    }

    /// Configurations that were given have the values of the space, however they were written.
    #[test]
    fn given_configurations_have_the_values_of_the_space() {
        let builder = Space::builder().categorical("n", [16, 32]).step_float("x", 0.0, 0.3, 0.1);
        let space = builder.build().unwrap();
        let mut given = Config::new();
        given.insert("n", 16.0);
        given.insert("x", 3.0 * 0.1);
        for design in [InitialDesign::Given(vec![given.clone()]), InitialDesign::Only(vec![given])] {
            let config = design.config(&space, Seed(1), 0, 0).unwrap();
            assert_eq!((config.int("n"), config.float("x")), (Ok(16), Ok(0.3)));
        }
    }

    /// Later runs have sequences of their own from the first configuration on, and nothing that was given.
    #[test]
    fn later_runs_do_not_begin_with_what_was_given() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let mut given = Config::new();
        given.insert("x", 0.25);
        for design in [InitialDesign::Given(vec![given.clone()]), InitialDesign::Only(vec![given.clone()])] {
            let of = |run: u64, index: usize| design.config(&space, Seed(1), run, index).unwrap();
            assert_eq!(of(0, 0), given);
            assert!(of(1, 0) != given && of(1, 0) != of(0, 1) && of(1, 0) != of(2, 0));
        }
        let sobol = InitialDesign::Sobol(3);
        let run = |index: usize| sobol.config(&space, Seed(1), 1, index).unwrap().float("x").unwrap();
        let mut slices: Vec<usize> = (0..8).map(|index| (8.0 * run(index)) as usize).collect();
        slices.sort_unstable();
        assert_eq!(slices, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_design_lasts_until_enough_was_measured() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let config = |x: f64| {
            let mut config = Config::new();
            config.insert("x", x);
            config
        };
        let two = vec![config(0.1), config(0.2)];
        let lasts = |design: &InitialDesign, asked: usize, measured| {
            design.lasts(&space, None, (0, &two[..asked]), measured)
        };
        let sobol = InitialDesign::Sobol(3);
        assert!(lasts(&sobol, 0, 2) && !lasts(&sobol, 0, 3));
        // At least one has to be measured.
        assert!(lasts(&InitialDesign::Sobol(0), 0, 0) && !lasts(&InitialDesign::Sobol(0), 0, 1));
        let (only, given) = (InitialDesign::Only(two.clone()), InitialDesign::Given(two.clone()));
        assert!(lasts(&only, 1, 1) && !lasts(&only, 2, 1) && lasts(&only, 2, 0));
        assert!(lasts(&given, 1, 9) && lasts(&given, 2, 5) && !lasts(&given, 2, 6));
        // Later runs have none, and are no longer for them.
        let later = |measured| given.lasts(&space, None, (1, &[]), measured);
        assert!(later(*POINTS.start() - 1) && !later(*POINTS.start()));
    }

    /// Every level of a category has its share of a design, however many branches hang on it.
    #[test]
    fn categories_have_equal_shares_of_a_design() {
        let branches: Vec<i64> = (0..4).collect();
        let mut builder = Space::builder().categorical("branch", branches.clone());
        for branch in &branches {
            builder = builder.float(&format!("x{branch}"), 0.0, 1.0).when("branch", [*branch]);
        }
        let space = builder.build().unwrap();
        for seed in 0..20 {
            for design in
                [InitialDesign::Automatic, InitialDesign::Sobol(8), InitialDesign::LatinHypercube(8)]
            {
                let mut counts = [0; 4];
                for index in 0..8 {
                    let config = design.config(&space, Seed(seed), 0, index).unwrap();
                    counts[config.int("branch").unwrap() as usize] += 1;
                }
                assert_eq!(counts, [2; 4], "{design:?}, seed {seed}");
            }
        }
    }

    /// Given configurations are left until each was asked as often as it is given, whatever else was asked.
    #[test]
    fn given_configurations_are_left_until_they_were_asked() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let of = |values: &[f64]| -> Vec<Config> {
            let config = |x: &f64| {
                let mut config = Config::new();
                config.insert("x", *x);
                config
            };
            values.iter().map(config).collect()
        };
        let design = InitialDesign::Given(of(&[0.1, 0.2, 0.1]));
        let next = |asked: &[f64]| design.next_given(&space, 0, &of(asked));
        assert_eq!(next(&[]), Some(0));
        assert_eq!(next(&[0.7, 0.8, 0.9]), Some(0));
        assert_eq!(next(&[0.7, 0.2]), Some(0));
        assert_eq!(next(&[0.1]), Some(1));
        assert_eq!(next(&[0.1, 0.2]), Some(2));
        assert_eq!(next(&[0.1, 0.1, 0.2]), None);
        assert_eq!(design.next_given(&space, 1, &[]), None);
        assert_eq!(InitialDesign::Automatic.next_given(&space, 0, &[]), None);
        let mut unknown = Config::new();
        unknown.insert("y", 0.5);
        assert_eq!(InitialDesign::Only(vec![unknown.clone()]).next_given(&space, 0, &[unknown]), Some(0));
    }
}
