//! A run: generations from one start to the next.

use thrifty_sampling::Seed;
use thrifty_search::Rank;

use crate::CmaEsSettings;
use crate::coordinates::Coordinates;
use crate::distribution::Distribution;
use crate::margin;
use crate::strategy::Strategy;

/// State of the method in a generation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// Number of the run, from 0.
    pub(crate) number: u64,
    /// First generation of the run.
    pub(crate) first: u64,
    /// Trials of a generation.
    pub(crate) population: usize,
    /// Distribution of the generation.
    pub(crate) distribution: Distribution,
    /// Probability that discrete coordinates keep for other levels.
    pub(crate) margin: f64,
    strategy: Strategy,
    /// Rank of the best trial of each generation.
    best: Vec<Rank>,
    /// Rank of the middle trial of each generation.
    middle: Vec<Rank>,
}

impl Run {
    /// The first run, from the best trial known or the centre.
    pub(crate) fn first(
        settings: &CmaEsSettings,
        coordinates: &Coordinates,
        start: Option<Vec<f64>>,
    ) -> Self {
        let mean = start.unwrap_or_else(|| vec![0.5; coordinates.len()]);
        Self::new(settings, coordinates, 0, 0, mean)
    }

    fn new(
        settings: &CmaEsSettings,
        coordinates: &Coordinates,
        number: u64,
        first: u64,
        mean: Vec<f64>,
    ) -> Self {
        let n = coordinates.len();
        let population = settings.population(number, n);
        let mut run = Self {
            number,
            first,
            population,
            distribution: Distribution::new(mean, settings.step_size),
            margin: settings.margin(population, n),
            strategy: Strategy::new(n.max(1), population, settings.active),
            best: Vec::new(),
            middle: Vec::new(),
        };
        margin::apply(&mut run.distribution, coordinates, run.margin);
        run
    }

    /// Number of positive weights.
    pub(crate) fn parents(&self) -> usize {
        (self.population / 2).max(1)
    }

    /// The state after generation `generation`, whose points and ranks are given from best to worst.
    pub(crate) fn after(
        mut self,
        settings: &CmaEsSettings,
        coordinates: &Coordinates,
        seed: Seed,
        generation: u64,
        ranked: &[(Vec<f64>, Rank)],
    ) -> Self {
        let points: Vec<Vec<f64>> = ranked.iter().map(|(point, _)| point.clone()).collect();
        let updated = self.distribution.update(&self.strategy, &points);
        self.best.extend(ranked.first().map(|(_, rank)| *rank));
        self.middle.extend(ranked.get(ranked.len() / 2).map(|(_, rank)| *rank));
        if updated.is_err() || self.has_converged(settings) {
            let number = self.number + 1;
            let mut rng = seed.stream("cma-es restart", number);
            let mean = coordinates.all.iter().map(|_| rng.uniform()).collect();
            return Self::new(settings, coordinates, number, generation + 1, mean);
        }
        margin::apply(&mut self.distribution, coordinates, self.margin);
        self
    }

    /// True if the run ends. All criteria depend on ranks alone, so that a monotone transform of the losses changes nothing.
    fn has_converged(&self, settings: &CmaEsSettings) -> bool {
        let distribution = &self.distribution;
        let n = distribution.mean.len();
        let is_finite =
            distribution.step_size.is_finite() && distribution.mean.iter().all(|mean| mean.is_finite());
        let is_small = (0..n).all(|j| distribution.unscaled_std_dev(j) < settings.tolerance);
        let diverges = distribution.largest_deviation() > LARGEST_GROWTH * settings.step_size;
        let still =
            (0..n).any(|j| distribution.mean[j] + 0.2 * distribution.std_dev(j) == distribution.mean[j]);
        !is_finite
            || is_small
            || still
            || diverges
            || distribution.condition() > LARGEST_CONDITION
            || self.is_flat(n)
            || self.stagnates(n)
    }

    /// True if the best losses of the last 10 + ⌈30 n / λ⌉ generations are all equal.
    fn is_flat(&self, n: usize) -> bool {
        let window = 10 + (30 * n).div_ceil(self.population);
        let from = self.best.len().saturating_sub(window);
        let last = &self.best[from..];
        last.len() == window && last.iter().all(|rank| rank.compare(&last[0]).is_eq())
    }

    /// True if neither best nor middle losses have improved: over the last fifth of the generations, at least 120 + ⌈30 n / λ⌉, the
    /// middle of the latest 30 % is no better than that of the earliest 30 %.
    fn stagnates(&self, n: usize) -> bool {
        let window = (120 + (30 * n).div_ceil(self.population)).max(self.best.len() / 5);
        if self.best.len() < window {
            return false;
        }
        let part = window * 3 / 10;
        [&self.best, &self.middle].into_iter().all(|series| {
            let last = &series[series.len() - window..];
            let (early, late) = (median(&last[..part]), median(&last[window - part..]));
            late.compare(&early).is_ge()
        })
    }
}

/// The middle of some ranks.
fn median(ranks: &[Rank]) -> Rank {
    let mut sorted = ranks.to_vec();
    sorted.sort_by(Rank::compare);
    sorted.get(sorted.len() / 2).copied().unwrap_or(Rank::Lost)
}

/// Ratio of eigenvalues beyond which the covariance matrix is of no use. Source: Hansen (2016), appendix B.3.
const LARGEST_CONDITION: f64 = 1e14;
/// Growth of the standard deviation beyond which a run diverges.
const LARGEST_GROWTH: f64 = 1e4;

#[cfg(test)]
mod tests {
    use thrifty_domain::{Domain, Variable};

    use super::*;

    /// True if a run of 30 trials a generation stagnates after generations with these losses. One coordinate: the window has
    /// 121 generations.
    fn stagnates(loss: impl Fn(usize) -> f64) -> bool {
        run_of(121, loss).stagnates(1)
    }

    /// A run of one coordinate after `generations` of 30 trials, whose best and middle losses were these.
    fn run_of(generations: usize, loss: impl Fn(usize) -> f64) -> Run {
        let settings = CmaEsSettings { population: Some(30), ..CmaEsSettings::default() };
        let coordinates = Coordinates::new(&Domain::new(vec![Variable::continuous()]).unwrap());
        let mut run = Run::first(&settings, &coordinates, None);
        run.best = (0..generations).map(|generation| Rank::Feasible(loss(generation))).collect();
        run.middle.clone_from(&run.best);
        run
    }

    /// Equal best losses of 10 + ⌈30 n / λ⌉ generations, 11 for one coordinate and 30 trials, 12 for two: the run ends with the last of
    /// them, whatever was before. Source: Hansen (2016), appendix B.3.
    #[test]
    fn best_losses_that_are_all_equal_end_a_run() {
        for (n, window) in [(1, 11), (2, 12)] {
            assert!(!run_of(window - 1, |_| 1.0).is_flat(n), "{n} coordinates, a generation less");
            assert!(run_of(window, |_| 1.0).is_flat(n), "{n} coordinates");
            let flat_since = |first: usize| {
                let loss = move |generation| if generation < first { 2.0 } else { 1.0 };
                run_of(40, loss).is_flat(n)
            };
            assert!(flat_since(40 - window) && !flat_since(41 - window), "{n} coordinates, after others");
            assert!(!run_of(40, |generation| f64::from(generation == 35)).is_flat(n), "one is worse");
        }
    }

    /// Windows of stagnation for one coordinate and 30 trials: 121 generations, and the last fifth of a longer run. In the last fifth of
    /// 1000 generations, from 800 on, an improvement at 870 counts; a window of 121 would not reach back to it. Source: Hansen (2016),
    /// appendix B.3.
    #[test]
    fn stagnation_is_judged_over_the_last_fifth() {
        assert!(!run_of(120, |_| 1.0).stagnates(1), "a generation less than the window");
        assert!(run_of(121, |_| 1.0).stagnates(1), "the window");
        let improved_at = |at: usize| {
            let loss = move |generation| if generation < at { 1.0 } else { 0.0 };
            run_of(1000, loss).stagnates(1)
        };
        assert!(!improved_at(870), "improved within the last fifth");
        assert!(improved_at(790), "improved before the last fifth");
    }

    /// Distributions of two coordinates that are of no use any more: narrower than the tolerance in all directions, wider than 10⁴ times
    /// the first step, of a condition above 10¹⁴, or where a fifth of a standard deviation does not change the mean. Source: Hansen (2016),
    /// appendix B.3.
    #[test]
    fn distributions_of_no_use_end_a_run() {
        let settings = CmaEsSettings::default();
        let coordinates = Coordinates::new(&Domain::unit_cube(2));
        let ends = |change: &dyn Fn(&mut Distribution)| {
            let mut run = Run::first(&settings, &coordinates, None);
            change(&mut run.distribution);
            run.has_converged(&settings)
        };
        assert!(!ends(&|_| {}), "the first generation");
        // Variances of the coordinates that make standard deviations of 0.9 and 1.1 of the tolerance.
        let narrow = |factor: f64| (factor * settings.tolerance / settings.step_size).powi(2);
        for (factors, expected) in [([0.9, 0.9], true), ([0.9, 1.1], false), ([1.1, 0.9], false)] {
            let shrink = |d: &mut Distribution| {
                (0..2).for_each(|j| d.covariance[(j, j)] = narrow(factors[j]));
            };
            assert_eq!(ends(&shrink), expected, "{factors:?} of the tolerance");
        }
        for (growth, expected) in [(0.99e4, false), (1.01e4, true)] {
            let grow = |d: &mut Distribution| d.step_size *= growth;
            assert_eq!(ends(&grow), expected, "{growth} times the first step");
        }
        for (root, expected) in [(0.99e7, false), (1.01e7, true)] {
            let stretch = |d: &mut Distribution| {
                *d = Distribution::new(vec![0.5; 2], 1e-5).with_roots(&[1.0, root]);
            };
            assert_eq!(ends(&stretch), expected, "roots of a ratio of {root}");
        }
        // Doubles are 1 apart at 2^52, and half of that is rounded to an even number.
        for (step_size, expected) in [(2.4, true), (2.6, false)] {
            let far = |d: &mut Distribution| (d.mean[1], d.step_size) = (2_f64.powi(52), step_size);
            assert_eq!(ends(&far), expected, "{step_size} at 2^52");
        }
        assert!(ends(&|d| d.mean[0] = f64::NAN) && ends(&|d| d.step_size = f64::INFINITY), "not finite");
    }

    /// A number and three levels whose mean is in the middle one. The margin keeps the standard deviation of the levels large, and the run
    /// ends by the tolerance all the same.
    #[test]
    fn margins_do_not_keep_a_run_going() {
        let settings = CmaEsSettings::default();
        let domain = Domain::new(vec![Variable::continuous(), Variable::stepped(3)]).unwrap();
        let coordinates = Coordinates::new(&domain);
        for (factor, expected) in [(0.9, true), (1.1, false)] {
            let mut run = Run::first(&settings, &coordinates, None);
            run.distribution.step_size = factor * settings.tolerance;
            margin::apply(&mut run.distribution, &coordinates, run.margin);
            assert!(run.distribution.std_dev(1) > 0.05, "{}", run.distribution.std_dev(1));
            assert_eq!(run.has_converged(&settings), expected, "{factor} of the tolerance");
        }
    }

    /// Every third generation is a lucky one: early ones do not end a run that improves, late ones do not keep alive one that does not.
    #[test]
    fn lucky_generations_do_not_decide_on_stagnation() {
        for phase in 0..3 {
            let lucky = |generation: usize| generation % 3 == phase;
            let improving = |generation| match generation {
                0..60 if lucky(generation) => 0.0,
                0..60 => 2.0,
                _ => 1.0,
            };
            assert!(!stagnates(improving), "improves from 2 to 1, {phase}");
            let still = |generation| if generation >= 60 && lucky(generation) { 0.0 } else { 1.0 };
            assert!(stagnates(still), "stays at 1, {phase}");
        }
    }
}
