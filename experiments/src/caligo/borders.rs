//! Responses with a boundary, and the errors of kernels near it and away from it.

use thrifty_bo::{
    BayesianOptimizer, BoSettings, Convergence, GpSurrogate, InitialDesign, KernelFamily, LossTransform,
};
use thrifty_domain::Points;
use thrifty_gp::GpSettings;
use thrifty_sampling::{Seed, Sobol, latin_hypercube};
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Study};
use thrifty_surrogate::{Observations, Surrogate};
use thrifty_testbed::{LevelSetProblem, RandomFunction, Spectrum};

use crate::error::ExperimentError;
use crate::harness::runs::lossless_number;
use crate::harness::stats::mean_and_std_dev;

/// Kernels, the last made worse on purpose: no lengthscale above 0.02 of the domain.
pub const KERNELS: [(&str, KernelFamily); 5] = [
    ("squared exponential", KernelFamily::SquaredExponential),
    ("Matérn 1/2", KernelFamily::Matern12),
    ("Matérn 3/2", KernelFamily::Matern32),
    ("Matérn 5/2", KernelFamily::Matern52),
    ("Matérn 5/2, lengthscale up to 0.02 (worse on purpose)", KernelFamily::Matern52),
];
const BROKEN: usize = 4;

/// Distances from the boundary on the unit square: up to the first is near, beyond the second is away.
const NEAR: f64 = 0.05;
const AWAY: f64 = 0.15;
/// Points a side of the grid on which the boundary is looked for.
const SIDE: usize = 200;
const TESTED: usize = 1024;
/// Fewest points near and away; a field with fewer is drawn anew.
const FEWEST: usize = 20;
const RESTARTS: usize = 4;
const DESIGN: usize = 6;
/// Regrets below this are as good as none.
const NO_REGRET: f64 = 1e-6;

/// Logarithm to base 10 of an error near the boundary and away from it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Errors {
    #[serde(with = "lossless_number")]
    pub near: f64,
    #[serde(with = "lossless_number")]
    pub away: f64,
}

/// Function h on the unit square whose zeros are the boundary.
#[derive(Debug, Clone, Copy)]
pub enum Field {
    /// Signed margin of `DeathValley2`: positive where bits are secure.
    Valley,
    /// A smooth draw.
    Draw,
}

/// Response at the boundary.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// max(0, h): what a protocol returns.
    Kink,
    /// h, and 1 more where h > 0.
    Jump,
}

type Function = Box<dyn Fn(&[f64]) -> Result<f64, ExperimentError> + Send + Sync>;

impl Field {
    pub const ALL: [Self; 2] = [Self::Valley, Self::Draw];

    pub fn name(self) -> &'static str {
        match self {
            Self::Valley => "DeathValley2",
            Self::Draw => "draw",
        }
    }

    /// The function, with a standard deviation of 1 over the square.
    fn function(self, seed: Seed) -> Result<Function, ExperimentError> {
        let raw: Function = match self {
            Self::Valley => {
                let problem = LevelSetProblem::death_valley2();
                Box::new(move |x| Ok(problem.truth(&problem.space().decode(x))?))
            }
            Self::Draw => {
                let drawn = RandomFunction::draw(
                    Spectrum::SquaredExponential,
                    &[0.35, 0.35],
                    &mut seed.stream("field", 0),
                );
                Box::new(move |x| Ok(drawn.value(x)))
            }
        };
        let points = Sobol::scrambled(2, &mut seed.stream("scale", 0)).take(512);
        let values = points.rows().map(&raw).collect::<Result<Vec<f64>, _>>()?;
        let scale = mean_and_std_dev(&values).1;
        Ok(Box::new(move |x| Ok(raw(x)? / scale)))
    }
}

impl Shape {
    pub const ALL: [Self; 2] = [Self::Kink, Self::Jump];

    pub fn name(self) -> &'static str {
        match self {
            Self::Kink => "kink",
            Self::Jump => "jump",
        }
    }

    fn of(self, h: f64) -> f64 {
        match self {
            Self::Kink => h.max(0.0),
            Self::Jump => h + f64::from(u8::from(h > 0.0)),
        }
    }
}

/// Midpoints of the edges of a grid between whose ends the function changes its sign.
fn boundary(h: &Function) -> Result<Vec<[f64; 2]>, ExperimentError> {
    let at = |k: usize| k as f64 / (SIDE - 1) as f64;
    let values =
        (0..SIDE * SIDE).map(|k| h(&[at(k % SIDE), at(k / SIDE)])).collect::<Result<Vec<f64>, _>>()?;
    let mut found = Vec::new();
    for k in 0..SIDE * SIDE {
        let (i, j) = (k % SIDE, k / SIDE);
        let is_above = |k: usize| values[k] > 0.0;
        if i + 1 < SIDE && is_above(k) != is_above(k + 1) {
            found.push([0.5 * (at(i) + at(i + 1)), at(j)]);
        }
        if j + 1 < SIDE && is_above(k) != is_above(k + SIDE) {
            found.push([at(i), 0.5 * (at(j) + at(j + 1))]);
        }
    }
    Ok(found)
}

fn distance(x: &[f64], to: &[[f64; 2]]) -> f64 {
    let square = |b: &[f64; 2]| (x[0] - b[0]).powi(2) + (x[1] - b[1]).powi(2);
    to.iter().map(square).fold(f64::INFINITY, f64::min).sqrt()
}

/// A function with its boundary, and test points near it and away from it: the first draw that has enough of both.
struct Bordered {
    h: Function,
    boundary: Vec<[f64; 2]>,
    near: Vec<Vec<f64>>,
    away: Vec<Vec<f64>>,
}

impl Bordered {
    fn new(field: Field, seed: Seed) -> Result<Self, ExperimentError> {
        for attempt in 0..100 {
            let seed = seed.child("bordered", attempt);
            let h = field.function(seed)?;
            let boundary = boundary(&h)?;
            let points = Sobol::scrambled(2, &mut seed.stream("test", 0)).take(TESTED);
            let (mut near, mut away) = (Vec::new(), Vec::new());
            for x in points.rows() {
                let far = distance(x, &boundary);
                if far <= NEAR {
                    near.push(x.to_vec());
                } else if far.is_finite() && far > AWAY {
                    away.push(x.to_vec());
                }
            }
            if near.len().min(away.len()) >= FEWEST {
                return Ok(Self { h, boundary, near, away });
            }
        }
        Err(ExperimentError::failed("a hundred fields without a boundary"))
    }
}

fn model(kernel: usize) -> GpSurrogate {
    GpSurrogate {
        family: KERNELS[kernel].1,
        settings: GpSettings::surrogate_training_protocol(RESTARTS),
        lengthscale_bounds: Some(if kernel == BROKEN { (0.01, 0.02) } else { (0.02, 20.0) }),
        ..GpSurrogate::default()
    }
}

/// Errors of the predictions of every kernel from so many points of a Latin hypercube.
pub fn predicted(
    field: Field,
    shape: Shape,
    points: usize,
    seed: Seed,
) -> Result<Vec<Errors>, ExperimentError> {
    let bordered = Bordered::new(field, seed)?;
    let response = |x: &[f64]| (bordered.h)(x).map(|h| shape.of(h));
    let x = latin_hypercube(points, 2, &mut seed.stream("points", 0));
    let y = x.rows().map(response).collect::<Result<Vec<f64>, _>>()?;
    let tested: Vec<f64> =
        bordered.near.iter().chain(&bordered.away).map(|x| response(x)).collect::<Result<_, _>>()?;
    let scale = mean_and_std_dev(&tested).1;
    let space = Space::unit_cube(2);
    let one = |kernel: usize| {
        let rng = &mut seed.stream("fit", 0);
        let observed = Observations::new(x.as_ref(), &y);
        let fitted =
            model(kernel).fit(space.domain(), observed, None, rng).map_err(ExperimentError::failed)?;
        let error = |at: &[Vec<f64>]| -> Result<f64, ExperimentError> {
            let mut tested = Points::new(2);
            at.iter().for_each(|x| tested.push(x));
            let (mut mean, mut variance) = (vec![0.0; at.len()], vec![0.0; at.len()]);
            fitted.posterior().predict_into(tested.as_ref(), &mut mean, &mut variance);
            let mut sum = 0.0;
            for (x, mean) in at.iter().zip(&mean) {
                sum += (response(x)? - mean).powi(2);
            }
            Ok(((sum / at.len() as f64).sqrt() / scale).max(NO_REGRET).log10())
        };
        Ok(Errors { near: error(&bordered.near)?, away: error(&bordered.away)? })
    };
    (0..KERNELS.len()).map(one).collect()
}

/// Regrets of expected improvement with every kernel, for a minimum on the boundary and one away from it.
///
/// ```text
/// near: |h(x)| + 0.3 ‖x - c‖², c on the boundary       away: (h(x) - h(c))² + 0.3 ‖x - c‖² + 0.2 max(0, -h(x) sign h(c))
/// ```
///
/// Both have their minimum 0 at c. The first has its kink there, the second along the boundary, away from c.
pub fn searched(field: Field, evaluations: usize, seed: Seed) -> Result<Vec<Errors>, ExperimentError> {
    let bordered = Bordered::new(field, seed)?;
    let rng = &mut seed.stream("center", 0);
    let on = edge(&bordered, rng.index(bordered.boundary.len()))?;
    let off = bordered.away[rng.index(bordered.away.len())].clone();
    let h_off = (bordered.h)(&off)?;
    let bowl = |x: &[f64], c: &[f64]| 0.3 * ((x[0] - c[0]).powi(2) + (x[1] - c[1]).powi(2));
    let near = |x: &[f64]| (bordered.h)(x).map(|h| h.abs() + bowl(x, &on));
    let away = |x: &[f64]| {
        let kink = |h: f64| 0.2 * (-h * h_off.signum()).max(0.0);
        (bordered.h)(x).map(|h| (h - h_off).powi(2) + bowl(x, &off) + kink(h))
    };
    (0..KERNELS.len())
        .map(|kernel| {
            Ok(Errors {
                near: regret(kernel, &near, evaluations, seed)?,
                away: regret(kernel, &away, evaluations, seed)?,
            })
        })
        .collect()
}

/// A zero of the function next to a midpoint of the grid, by halving.
fn edge(bordered: &Bordered, at: usize) -> Result<Vec<f64>, ExperimentError> {
    let middle = bordered.boundary[at];
    let half = 0.5 / (SIDE - 1) as f64;
    let mut best = (f64::INFINITY, middle.to_vec());
    for axis in 0..2 {
        let place = |offset: f64| {
            let mut x = middle.to_vec();
            x[axis] = (x[axis] + offset).clamp(0.0, 1.0);
            x
        };
        let (mut low, mut high) = (-half, half);
        let below = (bordered.h)(&place(low))? > 0.0;
        for _ in 0..60 {
            let center = 0.5 * (low + high);
            if ((bordered.h)(&place(center))? > 0.0) == below { low = center } else { high = center }
        }
        let found = place(low);
        let value = (bordered.h)(&found)?.abs();
        if value < best.0 {
            best = (value, found);
        }
    }
    Ok(best.1)
}

fn regret(
    kernel: usize,
    loss: &dyn Fn(&[f64]) -> Result<f64, ExperimentError>,
    evaluations: usize,
    seed: Seed,
) -> Result<f64, ExperimentError> {
    let space = Space::unit_cube(2);
    let settings = BoSettings {
        initial: InitialDesign::Sobol(DESIGN),
        losses: LossTransform::None,
        convergence: Convergence::Continue,
        ..BoSettings::default()
    };
    let optimizer =
        BayesianOptimizer::new(space.clone()).with_settings(settings)?.with_surrogate(model(kernel));
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
    let evaluate = |config: &Config, _: &mut thrifty_study::Context<'_>| {
        space.encode(config).map_err(ExperimentError::from).and_then(|x| loss(&x)).unwrap_or(f64::NAN)
    };
    study.run(evaluate)?;
    let best = study.history().best().map_or(f64::INFINITY, |(_, loss)| loss);
    Ok(best.max(NO_REGRET).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_their_kink_and_jump_at_zero() {
        assert_eq!([-1.0, 0.0, 0.5].map(|h| Shape::Kink.of(h)), [0.0, 0.0, 0.5]);
        assert_eq!([-1.0, 0.0, 0.5].map(|h| Shape::Jump.of(h)), [-1.0, 0.0, 1.5]);
    }

    #[test]
    fn boundaries_are_zeros_and_distances_are_to_them() {
        // h(x) = x₀ - 0.3 has the boundary x₀ = 0.3.
        let h: Function = Box::new(|x| Ok(x[0] - 0.3));
        let boundary = boundary(&h).unwrap();
        assert!(boundary.iter().all(|b| (b[0] - 0.3).abs() < 0.5 / 199.0));
        assert!((distance(&[0.5, 0.31], &boundary) - 0.2).abs() < 0.003);
        assert_eq!(distance(&[0.5, 0.5], &[]), f64::INFINITY);
        for field in Field::ALL {
            let bordered = Bordered::new(field, Seed(3)).unwrap();
            let on = edge(&bordered, 5).unwrap();
            assert!((bordered.h)(&on).unwrap().abs() < 1e-9);
            assert!(bordered.near.iter().all(|x| distance(x, &bordered.boundary) <= NEAR));
            assert!(bordered.away.iter().all(|x| distance(x, &bordered.boundary) > AWAY));
        }
    }

    /// The kernel that is made worse on purpose predicts worse than any other on a smooth side.
    #[test]
    fn the_broken_kernel_is_worse() {
        let errors = predicted(Field::Draw, Shape::Kink, 30, Seed(2)).unwrap();
        assert!((0..BROKEN).all(|kernel| errors[kernel].away < errors[BROKEN].away - 0.2), "{errors:?}");
    }
}
