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
        let is_small = (0..n).all(|j| distribution.std_dev(j) < settings.tolerance);
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
        let settings = CmaEsSettings { population: Some(30), ..CmaEsSettings::default() };
        let coordinates = Coordinates::new(&Domain::new(vec![Variable::continuous()]).unwrap());
        let mut run = Run::first(&settings, &coordinates, None);
        run.best = (0..121).map(|generation| Rank::Feasible(loss(generation))).collect();
        run.middle.clone_from(&run.best);
        run.stagnates(1)
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
