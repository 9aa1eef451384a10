//! Runs with a known process, and the bounds that hold for them.

use rand_distr::{Distribution, StandardNormal};
use thrifty_acquisition::{ConfidenceBound, Schedule, Utility};
use thrifty_bo::{InitialDesign, KernelFamily};
use thrifty_domain::Points;
use thrifty_levelset::metrics::worst_misclassification;
use thrifty_levelset::theory::{RunBounds, cumulative_regret};
use thrifty_levelset::{
    ClassificationSet, Confidence, Criterion, FixedGp, Label, LevelSetOptimizer, LevelSetSettings,
};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{MaxTrials, StopReason, Study};
use thrifty_surrogate::{Observations, Surrogate};
use thrifty_testbed::{RandomFunction, Spectrum};

use super::DELTA;
use crate::error::ExperimentError;

pub const LENGTHSCALE: f64 = 0.3;
/// Variance, where that of the process is 1.
pub const NOISE: f64 = 0.01;
pub const THRESHOLD: f64 = 0.5;

/// A process that functions are drawn from and that the model is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Process {
    pub name: &'static str,
    family: KernelFamily,
    spectrum: Spectrum,
    /// Order of a Matérn kernel.
    pub order: Option<f64>,
}

impl Process {
    pub const ALL: [Self; 3] = [
        Self {
            name: "Matérn 5/2",
            family: KernelFamily::Matern52,
            spectrum: Spectrum::Matern { twice_smoothness: 5 },
            order: Some(2.5),
        },
        Self {
            name: "squared exponential",
            family: KernelFamily::SquaredExponential,
            spectrum: Spectrum::SquaredExponential,
            order: None,
        },
        Self {
            name: "Matérn 3/2",
            family: KernelFamily::Matern32,
            spectrum: Spectrum::Matern { twice_smoothness: 3 },
            order: Some(1.5),
        },
    ];

    pub fn model(&self) -> FixedGp {
        FixedGp {
            family: self.family,
            lengthscales: vec![LENGTHSCALE; 2],
            variance: 1.0,
            mean: 0.0,
            noise_variance: NOISE,
        }
    }

    fn draw(&self, seed: Seed) -> RandomFunction {
        RandomFunction::draw(self.spectrum, &[LENGTHSCALE; 2], &mut seed.stream("draw", 0))
    }
}

/// The points of a square grid, the last coordinate the fastest.
pub fn grid(side: usize) -> Points {
    let mut points = Points::new(2);
    let at = |i: usize| i as f64 / (side - 1) as f64;
    (0..side * side).for_each(|i| points.push(&[at(i / side), at(i % side)]));
    points
}

/// Upper confidence bounds on one draw, for a loss: the largest of √β σ - μ.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Regret {
    /// Realised, after 1, 2, … evaluations.
    pub cumulative: Vec<f64>,
    pub bounds: Bounds,
}

/// Bounds of theorem 1 for a run after 1, 2, … evaluations.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Bounds {
    pub regret: Vec<f64>,
    pub information: Vec<f64>,
    pub gamma: Vec<f64>,
}

impl Regret {
    /// True if the bound is kept at every step.
    pub fn is_below(&self) -> bool {
        self.cumulative.iter().zip(&self.bounds.regret).all(|(r, b)| r <= b)
    }

    pub fn run(
        process: &Process,
        schedule: Schedule,
        side: usize,
        horizon: usize,
        seed: Seed,
    ) -> Result<Self, ExperimentError> {
        let (points, drawn, model) = (grid(side), process.draw(seed), process.model());
        let values: Vec<f64> = points.rows().map(|x| drawn.value(x)).collect();
        let space = Space::unit_cube(2);
        let (mut noise, mut unused) = (seed.stream("noise", 0), seed.stream("fit", 0));
        let (mut visited, mut seen) = (Points::new(2), Vec::new());
        let mut losses = Vec::new();
        let n = points.len();
        let (mut mean, mut variance) = (vec![0.0; n], vec![1.0; n]);
        for t in 1..=horizon {
            let beta = schedule.beta(t).map_err(ExperimentError::failed)?;
            let rule = ConfidenceBound { beta };
            let worth = |i: usize| rule.value(mean[i], f64::max(variance[i], 0.0).sqrt());
            let best = (1..n).fold(0, |best, i| if worth(i) > worth(best) { i } else { best });
            let normal: f64 = StandardNormal.sample(&mut noise);
            visited.push(points.row(best));
            seen.push(values[best] + NOISE.sqrt() * normal);
            losses.push(values[best]);
            let fitted = model
                .fit(space.domain(), Observations::new(visited.as_ref(), &seen), None, &mut unused)
                .map_err(ExperimentError::failed)?;
            fitted.posterior().predict_into(points.as_ref(), &mut mean, &mut variance);
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let confidence = Confidence::Srinivas { delta: DELTA };
        let RunBounds { regret, information, gamma, .. } =
            RunBounds::of(&model, points.as_ref(), visited.as_ref(), confidence, 1.0)
                .map_err(ExperimentError::failed)?;
        let bounds = Bounds { regret, information, gamma };
        Ok(Self { cumulative: cumulative_regret(&losses, least), bounds })
    }
}

/// Classification of one draw until nothing is undecided.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct Certified {
    /// Evaluations until then; nothing when the cap came first.
    pub samples: Option<usize>,
    /// True if no point farther than ε from the threshold is on the wrong side.
    pub right: bool,
}

impl Certified {
    pub fn run(
        process: &Process,
        epsilon: f64,
        side: usize,
        cap: usize,
        seed: Seed,
    ) -> Result<Self, ExperimentError> {
        let drawn = process.draw(seed);
        let space = Space::unit_cube(2);
        let settings = LevelSetSettings {
            over: ClassificationSet::Grid { per_axis: side },
            criterion: Criterion::Ambiguity,
            confidence: Confidence::Gotovos { delta: DELTA },
            epsilon,
            initial: InitialDesign::Random(1),
            revisit: true,
            ..LevelSetSettings::above(THRESHOLD)
        };
        let optimizer = LevelSetOptimizer::new(space.clone(), settings)?.with_fixed_model(process.model());
        let values: Vec<f64> = optimizer.points(seed)?.rows().map(|x| drawn.value(x)).collect();
        let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(cap));
        let reason = study.run(|config, context| {
            let normal: f64 = StandardNormal.sample(&mut context.noise());
            space.encode(config).map_or(f64::NAN, |x| drawn.value(&x) + NOISE.sqrt() * normal)
        })?;
        let found = study.recommend()?.ok_or_else(|| ExperimentError::failed("nothing was measured"))?;
        // What is undecided still is taken for where the mean is.
        let said: Vec<bool> = found
            .labels()
            .iter()
            .zip(found.predicted_above())
            .map(|(label, above)| if *label == Label::Undecided { above } else { *label == Label::Above })
            .collect();
        let ended = matches!(reason, StopReason::Decided { .. });
        Ok(Self {
            samples: ended.then(|| study.history().len()),
            right: worst_misclassification(&values, &said, THRESHOLD) <= epsilon,
        })
    }
}
