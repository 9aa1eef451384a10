//! Functions on the unit square with a boundary: their zeros.

use thrifty_sampling::{Seed, Sobol};
use thrifty_testbed::{LevelSetProblem, RandomFunction, Spectrum};

use crate::error::ExperimentError;
use crate::harness::stats::mean_and_std_dev;

/// Distances from the boundary: up to the first is near, beyond the second is away.
const NEAR: f64 = 0.05;
const AWAY: f64 = 0.15;
/// Points a side of the grid on which the boundary is looked for.
const SIDE: usize = 200;
const TESTED: usize = 1024;
/// Fewest points near and away; a field with fewer is drawn anew.
const FEWEST: usize = 20;

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

pub type Function = Box<dyn Fn(&[f64]) -> Result<f64, ExperimentError> + Send + Sync>;

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

    pub fn of(self, h: f64) -> f64 {
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
pub struct Bordered {
    pub h: Function,
    pub boundary: Vec<[f64; 2]>,
    pub near: Vec<Vec<f64>>,
    pub away: Vec<Vec<f64>>,
}

impl Bordered {
    pub fn new(field: Field, seed: Seed) -> Result<Self, ExperimentError> {
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

    /// A zero of the function next to one of the points of its boundary, by halving.
    pub fn edge(&self, at: usize) -> Result<Vec<f64>, ExperimentError> {
        let middle = self.boundary[at];
        let half = 0.5 / (SIDE - 1) as f64;
        let mut best = (f64::INFINITY, middle.to_vec());
        for axis in 0..2 {
            let place = |offset: f64| {
                let mut x = middle.to_vec();
                x[axis] = (x[axis] + offset).clamp(0.0, 1.0);
                x
            };
            let (mut low, mut high) = (-half, half);
            let below = (self.h)(&place(low))? > 0.0;
            for _ in 0..60 {
                let center = 0.5 * (low + high);
                if ((self.h)(&place(center))? > 0.0) == below { low = center } else { high = center }
            }
            let found = place(low);
            let value = (self.h)(&found)?.abs();
            if value < best.0 {
                best = (value, found);
            }
        }
        Ok(best.1)
    }
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
            let on = bordered.edge(5).unwrap();
            assert!((bordered.h)(&on).unwrap().abs() < 1e-9);
            assert!(bordered.near.iter().all(|x| distance(x, &bordered.boundary) <= NEAR));
            assert!(bordered.away.iter().all(|x| distance(x, &bordered.boundary) > AWAY));
        }
    }
}
