//! Samples of belief states on which a value function is learnt.

use rand_distr::{Distribution, StandardNormal};
use thrifty_check::InputError;
use thrifty_linear::{Coefficients, CovariancePrior};
use thrifty_sampling::{Seed, Stream};

use crate::{AutoBctError, Controls, PosteriorFamily, State};

/// Choice of the states on which a value function is learnt: some between the prior and certainty, some reached by trainings.
/// Source: `AutoBCT`, section 3.4 and the beginning of section 4, which leave numbers and distributions open; these are recorded with a map.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplingSettings {
    /// Means drawn around the prior's, each with a covariance of its own.
    pub drawn: usize,
    /// Each with 0, 1/K, … 1 times its covariance, K + 1 beliefs; those with 0 are truths.
    pub levels: usize,
    /// Distribution of covariances around the prior's.
    pub law: CovariancePrior,
    /// Standard deviation of the means, in those of the prior.
    pub spread: f64,
    /// Beliefs whose means are a score with one peak and a cost that rises or falls, from which trainings lead on.
    pub roots: usize,
    /// Trainings that follow.
    pub depth: usize,
    /// Controls that are trained after each.
    pub branching: Branching,
}

/// Trainings that follow on a belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Branching {
    /// Number b of controls that are trained, each once, after every belief: `(b^(D+1) - 1) / (b - 1)` beliefs per root.
    Every(usize),
    /// Number b of sequences of controls: `1 + b D` beliefs per root.
    Paths(usize),
}

impl SamplingSettings {
    /// 15,600 beliefs: 60 trees of three trainings at five controls, and 624 draws at ten levels.
    #[must_use]
    pub fn small() -> Self {
        Self {
            drawn: 624,
            levels: 9,
            law: CovariancePrior::Wishart { degrees: 10.0 },
            spread: 1.0,
            roots: 60,
            depth: 3,
            branching: Branching::Every(5),
        }
    }

    /// 156,000 beliefs of which 1,000 are truths, as many as the paper has for one control.
    #[must_use]
    pub fn paper_1d() -> Self {
        Self { drawn: 1000, levels: 38, roots: 750, ..Self::small() }
    }

    /// 761,600 beliefs of which 1,000 are truths and trainings go ten deep, as the paper has for two controls.
    #[must_use]
    pub fn paper_2d() -> Self {
        Self {
            drawn: 1000,
            levels: 8,
            law: CovariancePrior::Wishart { degrees: 20.0 },
            roots: 10_600,
            depth: 10,
            branching: Branching::Paths(7),
            ..Self::small()
        }
    }

    /// Number of beliefs.
    #[must_use]
    pub fn len(&self) -> usize {
        let tree = match self.branching {
            Branching::Every(b) => (0..=self.depth as u32).map(|level| b.saturating_pow(level)).sum(),
            Branching::Paths(paths) => 1 + paths * self.depth,
        };
        self.drawn * (self.levels + 1) + self.roots * tree
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Beliefs, packed: means and lower triangles of covariances, score before cost.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefSamples {
    score: usize,
    cost: usize,
    numbers: Vec<f64>,
}

impl BeliefSamples {
    /// Around a prior, trained at these controls. The same seed gives the same beliefs.
    ///
    /// # Errors
    /// [`AutoBctError`] for a prior of another length than the functions, or a distribution that its covariances cannot have.
    pub fn new(
        prior: &State,
        controls: &Controls,
        settings: &SamplingSettings,
        seed: Seed,
    ) -> Result<Self, AutoBctError> {
        for (belief, functions) in [(&prior.score, controls.score(0)), (&prior.cost, controls.cost(0))] {
            thrifty_check::length("coefficients of a belief", belief.len(), functions.len())?;
        }
        let mut cloud = Self { score: prior.score.len(), cost: prior.cost.len(), numbers: Vec::new() };
        cloud.numbers.reserve_exact(settings.len() * cloud.width());
        for i in 0..settings.drawn {
            cloud.draw(prior, settings, &mut seed.stream("drawn", i as u64))?;
        }
        let shapes = Shapes::new(controls)?;
        for i in 0..settings.roots {
            let mut rng = seed.stream("root", i as u64);
            let root = State {
                score: settings.law.around(&prior.score.with_mean(shapes.score(&mut rng)?)?, &mut rng)?,
                cost: settings.law.around(&prior.cost.with_mean(shapes.cost(&mut rng)?)?, &mut rng)?,
            };
            cloud.simulate(root, controls, settings, &mut rng)?;
        }
        Ok(cloud)
    }

    /// Number of beliefs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len() / self.width().max(1)
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Numbers a belief.
    #[must_use]
    pub fn width(&self) -> usize {
        width(self.score) + width(self.cost)
    }

    /// Numbers of a belief.
    #[must_use]
    pub fn numbers(&self, index: usize) -> &[f64] {
        &self.numbers[index * self.width()..(index + 1) * self.width()]
    }

    /// A belief.
    ///
    /// # Errors
    /// [`AutoBctError`] for numbers that are not finite, which those of a cloud are.
    pub fn state(&self, index: usize) -> Result<State, AutoBctError> {
        let (score, cost) = self.numbers(index).split_at(width(self.score));
        Ok(State { score: unpack(score, self.score)?, cost: unpack(cost, self.cost)? })
    }

    fn push(&mut self, state: &State) {
        pack(&state.score, 1.0, &mut self.numbers);
        pack(&state.cost, 1.0, &mut self.numbers);
    }

    fn draw(
        &mut self,
        prior: &State,
        settings: &SamplingSettings,
        rng: &mut Stream,
    ) -> Result<(), AutoBctError> {
        let mut moved = |belief: &Coefficients| -> Result<Coefficients, AutoBctError> {
            let n = belief.len();
            let root = belief.square_root()?;
            let z: Vec<f64> = (0..n).map(|_| StandardNormal.sample(rng)).collect();
            let step = |i: usize| root[i * n..i * n + n].iter().zip(&z).map(|(r, z)| r * z).sum::<f64>();
            let mean = (0..n).map(|i| belief.mean()[i] + settings.spread * step(i)).collect();
            Ok(settings.law.around(&belief.with_mean(mean)?, rng)?)
        };
        let (score, cost) = (moved(&prior.score)?, moved(&prior.cost)?);
        for level in 0..=settings.levels {
            let share = level as f64 / settings.levels.max(1) as f64;
            pack(&score, share, &mut self.numbers);
            pack(&cost, share, &mut self.numbers);
        }
        Ok(())
    }

    /// A root and what trainings may lead to from it.
    fn simulate(
        &mut self,
        root: State,
        controls: &Controls,
        settings: &SamplingSettings,
        rng: &mut Stream,
    ) -> Result<(), AutoBctError> {
        let normal = |rng: &mut Stream| (StandardNormal.sample(rng), StandardNormal.sample(rng));
        match settings.branching {
            Branching::Every(branches) => {
                self.push(&root);
                let mut level = vec![root];
                // Every root has a choice of controls of its own: one from each of the equal parts of the list.
                let part = |b: usize, rng: &mut Stream| {
                    let (from, to) = (b * controls.len() / branches, (b + 1) * controls.len() / branches);
                    from + rng.index((to - from).max(1))
                };
                let chosen: Vec<usize> = (0..branches).map(|b| part(b, rng)).collect();
                for _ in 0..settings.depth {
                    let mut next = Vec::with_capacity(level.len() * branches);
                    for state in &level {
                        for &control in &chosen {
                            next.push(
                                PosteriorFamily::of_training(state, controls, control)?.state(normal(rng))?,
                            );
                        }
                    }
                    next.iter().for_each(|state| self.push(state));
                    level = next;
                }
            }
            Branching::Paths(paths) => {
                self.push(&root);
                for _ in 0..paths {
                    let mut state = root.clone();
                    for _ in 0..settings.depth {
                        let control = rng.index(controls.len());
                        state =
                            PosteriorFamily::of_training(&state, controls, control)?.state(normal(rng))?;
                        self.push(&state);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Number of numbers that describe a belief about the coefficients.
pub(crate) fn width(coefficients: usize) -> usize {
    coefficients + coefficients * (coefficients + 1) / 2
}

/// Mean and lower triangle of a belief, its covariance scaled.
pub(crate) fn pack(belief: &Coefficients, scale: f64, out: &mut Vec<f64>) {
    out.extend_from_slice(belief.mean());
    for (i, row) in belief.covariance().chunks_exact(belief.len().max(1)).enumerate() {
        out.extend(row[..=i].iter().map(|entry| scale * entry));
    }
}

fn unpack(numbers: &[f64], n: usize) -> Result<Coefficients, AutoBctError> {
    let (mean, triangle) = numbers.split_at(n);
    let entry = |at: usize| {
        let (low, high) = ((at / n).min(at % n), (at / n).max(at % n));
        triangle[high * (high + 1) / 2 + low]
    };
    // After trainings with little noise the covariance is positive semi-definite but for rounding.
    Ok(Coefficients::computed(mean.to_vec(), (0..n * n).map(entry).collect())?)
}

/// Scores with one peak and costs that rise or fall exponentially, as coefficients: least squares over the controls.
struct Shapes<'a> {
    controls: &'a Controls,
}

impl<'a> Shapes<'a> {
    fn new(controls: &'a Controls) -> Result<Self, AutoBctError> {
        if controls.is_empty() {
            Err(InputError::Empty { name: "controls" }.into())
        } else {
            Ok(Self { controls })
        }
    }

    fn score(&self, rng: &mut Stream) -> Result<Vec<f64>, AutoBctError> {
        let dim = self.controls.points().dim();
        let peak: Vec<(f64, f64)> =
            (0..dim).map(|_| (1.4 * rng.uniform() - 0.2, 0.2 + 0.6 * rng.uniform())).collect();
        let (low, high) = (0.6 * rng.uniform(), 0.4 + 0.6 * rng.uniform());
        let shape = |u: &[f64]| {
            let away: f64 = u.iter().zip(&peak).map(|(u, (at, width))| ((u - at) / width).powi(2)).sum();
            low + (high - low) * (-0.5 * away).exp()
        };
        self.fitted(shape, |u| self.controls.score(u))
    }

    fn cost(&self, rng: &mut Stream) -> Result<Vec<f64>, AutoBctError> {
        let dim = self.controls.points().dim();
        // The exponent at 1: 0 is a control that costs the same everywhere.
        let rates: Vec<f64> = (0..dim).map(|_| 6.0 * rng.uniform() - 3.0).collect();
        let (low, high) = (0.3 * rng.uniform(), 0.2 + 2.0 * rng.uniform());
        let top = rates.iter().map(|rate| rate.max(0.0)).sum::<f64>();
        let shape = |u: &[f64]| {
            low + high * (u.iter().zip(&rates).map(|(u, rate)| u * rate).sum::<f64>() - top).exp()
        };
        self.fitted(shape, |u| self.controls.cost(u))
    }

    fn fitted<'b>(
        &self,
        shape: impl Fn(&[f64]) -> f64,
        functions: impl Fn(usize) -> &'b [f64],
    ) -> Result<Vec<f64>, AutoBctError> {
        let n = functions(0).len();
        let mut belief = Coefficients::independent(vec![0.0; n], &vec![100.0; n])?;
        for (u, row) in self.controls.points().rows().enumerate() {
            belief.update(functions(u), shape(row), 0.01)?;
        }
        Ok(belief.mean().to_vec())
    }
}
