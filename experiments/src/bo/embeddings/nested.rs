//! A trust region in nested random embeddings.

use thrifty_bo::InitialDesign;
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, MemoKey, Optimizer, OptimizerError, Suggestion, Trial, TrialId,
};
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use super::embedding::Embedding;

/// `BAxUS`: a trust region in an embedding of few parameters, whose bins are split when the region has shrunk to nothing.
///
/// All trials go along, since a split leaves each of them where it was. Once every parameter has a bin of its own, the region starts anew as
/// without an embedding. It asks for one trial at a time, and holds a state, so that it is for runs that are not resumed.
/// Source: Papenmeier, Nardi & Poloczek (2022), algorithm 1; the region is that of [`TrustRegionOptimizer`] with the failures in a row of the source.
pub struct NestedEmbeddings {
    space: Space,
    embedding: Embedding,
    schedule: SplitSchedule,
    /// False if the first embedding is never split.
    splits: bool,
    region: TrustRegionOptimizer,
    /// Trials in the embedding.
    inner: History<Config>,
    seed: Seed,
}

/// Run of a trial in the trust region, which begins another one when its box is too small.
static RUN: MemoKey<u64> = MemoKey::new("run");

/// New bins of each bin at a split, with the one that stays.
const PARTS: usize = 4;

impl NestedEmbeddings {
    /// For a unit cube and a number of evaluations, of which `design` are a Sobol design in the first embedding.
    pub fn new(
        space: Space,
        evaluations: usize,
        design: usize,
        splits: bool,
        seed: Seed,
    ) -> Result<Self, OptimizerError> {
        let schedule = SplitSchedule::new(space.dim(), evaluations);
        let embedding = Embedding::random(schedule.first, space.dim(), &mut seed.stream("embedding", 0));
        let inside = Space::unit_cube(embedding.dim());
        let points = Sobol::scrambled(embedding.dim(), &mut seed.stream("design", 0)).take(design);
        let design = points.rows().map(|z| inside.decode(z)).collect();
        let region = region(inside, schedule.patience(embedding.dim()), design)?;
        Ok(Self { space, embedding, schedule, splits, region, inner: History::new(seed), seed })
    }

    /// Splits the bins and takes the trials along.
    fn split(&mut self) -> Result<(), OptimizerError> {
        let before = Space::unit_cube(self.embedding.dim());
        let origins = self.embedding.split(PARTS, &mut self.seed.stream("split", self.inner.len() as u64));
        let inside = Space::unit_cube(self.embedding.dim());
        let mut inner = History::new(self.seed);
        for trial in self.inner.trials() {
            let z = before.encode(&trial.query);
            let z = z.map_err(|error| OptimizerError::failed("splitting an embedding", error))?;
            let along: Vec<f64> = origins.iter().map(|bin| z[*bin]).collect();
            inner.push(Trial::new(trial.id, inside.decode(&along), trial.outcome.clone()));
        }
        self.inner = inner;
        self.region = region(inside, self.schedule.patience(self.embedding.dim()), Vec::new())?;
        Ok(())
    }
}

fn region(
    space: Space,
    patience: usize,
    design: Vec<Config>,
) -> Result<TrustRegionOptimizer, OptimizerError> {
    TrustRegionOptimizer::new(space).with_settings(TrustRegionSettings {
        initial: InitialDesign::Only(design),
        failures_in_a_row: Some(patience),
        ..TrustRegionSettings::default()
    })
}

impl Optimizer for NestedEmbeddings {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let told = self.inner.trials().iter().filter(|trial| trial.outcome.is_some()).count();
        for trial in &history.trials()[told..] {
            if let Some(outcome) = &trial.outcome {
                let kept = self.inner.tell(trial.id, outcome.clone());
                kept.map_err(|error| OptimizerError::failed("keeping an outcome", error))?;
            }
        }
        loop {
            let suggestion = match self.region.ask(&self.inner, id)? {
                Ask::Evaluate(suggestion) => suggestion,
                other => return Ok(other),
            };
            let is_over = suggestion.memo.get(&RUN).is_some_and(|run| run > 0);
            if is_over && self.splits && self.embedding.dim() < self.space.dim() {
                self.split()?;
                continue;
            }
            let inside = Space::unit_cube(self.embedding.dim());
            let z = inside.encode(&suggestion.query);
            let z = z.map_err(|error| OptimizerError::failed("leaving an embedding", error))?;
            let mut trial = Trial::new(id, suggestion.query, None);
            trial.memo = suggestion.memo;
            self.inner.push(trial);
            return Ok(Ask::Evaluate(Suggestion::new(self.space.decode(&self.embedding.lifted(&z)))));
        }
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        Ok(history.best().map(|(trial, value)| Best::observed(trial.query.clone(), value)))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("nested embeddings"))
    }
}

/// Numbers of parameters and of failures in a row. Source: Papenmeier, Nardi & Poloczek (2022), section 3.
#[derive(Debug, Clone, Copy)]
struct SplitSchedule {
    outer: usize,
    /// Parameters of the first embedding.
    first: usize,
    splits: i32,
    evaluations: usize,
}

impl SplitSchedule {
    /// The first number of parameters, below [`PARTS`], that splits bring nearest to all of them.
    fn new(outer: usize, evaluations: usize) -> Self {
        let splits = (outer as f64).ln() / (PARTS as f64).ln();
        let splits = splits.round() as i32;
        let distance = |first: &usize| (first * PARTS.pow(splits as u32)).abs_diff(outer);
        let first = (1..PARTS).min_by_key(distance).unwrap_or(1).min(outer);
        Self { outer, first, splits, evaluations }
    }

    /// Failures in a row after which the side halves: so many that the region can shrink to nothing in the share of the evaluations of an
    /// embedding, which grows with its parameters.
    fn patience(&self, dim: usize) -> usize {
        if dim == self.outer {
            return dim;
        }
        let (parts, first) = (PARTS as f64, self.first as f64);
        let all = first * (parts.powi(self.splits + 1) - 1.0);
        let share = ((parts - 1.0) * self.evaluations as f64 * dim as f64 / all).round();
        let TrustRegionSettings { side, smallest, .. } = TrustRegionSettings::default();
        let halvings = (side / smallest).log2().floor();
        ((share / halvings) as usize).clamp(1, dim)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_study::{MaxTrials, Study};
    use thrifty_testbed::{Problem, TestFunction};

    use super::super::super::many_parameters::Wide;
    use super::*;

    /// 100 parameters: three splits of two parameters come to 128, nearer than 64 or 192.
    #[test]
    fn the_first_embedding_comes_nearest_to_all_parameters() {
        let of = |outer: usize| {
            let schedule = SplitSchedule::new(outer, 100);
            (schedule.first, schedule.splits)
        };
        assert_eq!([of(100), of(200), of(300), of(1000), of(1)], [(2, 3), (1, 4), (1, 4), (1, 5), (1, 0)]);
        let schedule = SplitSchedule::new(100, 500);
        // The shares are 3 · 500 · d / (2 · 255) evaluations: 6, 24 and 94, through six halvings.
        assert_eq!([2, 8, 32, 100].map(|dim| schedule.patience(dim)), [1, 4, 15, 100]);
    }

    /// Run long enough, bins are split, and what was found before is not lost.
    #[test]
    fn bins_are_split_and_trials_go_along() {
        let problem = Wide::embedded(TestFunction::branin(), 12).unwrap();
        let run = |splits: bool| {
            let optimizer = NestedEmbeddings::new(problem.space().clone(), 60, 4, splits, Seed(1)).unwrap();
            let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(60));
            study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
            let (best, _) = study.history().best().unwrap();
            (study.optimizer().embedding.dim(), problem.regret(&best.query).unwrap())
        };
        let (split, first) = (run(true), run(false));
        assert_eq!(first.0, 1);
        assert!(split.0 > 3, "{split:?}");
        assert!(split.1 <= first.1, "{split:?}, {first:?}");
    }
}
