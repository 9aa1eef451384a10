//! Controls of a training problem.

use thrifty_check::InputError;
use thrifty_domain::{Points, PointsRef};
use thrifty_linear::Basis;

use crate::AutoBctError;

/// Controls to choose from, with the model's description of each: its functions of score and cost, and the variances of both
/// observations.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Controls {
    points: Points,
    score: Vec<Vec<f64>>,
    cost: Vec<Vec<f64>>,
    score_noise: Vec<f64>,
    cost_noise: Vec<f64>,
}

/// Controls as a file has them.
#[derive(serde::Deserialize)]
struct Unchecked {
    points: Points,
    score: Vec<Vec<f64>>,
    cost: Vec<Vec<f64>>,
    score_noise: Vec<f64>,
    cost_noise: Vec<f64>,
}

impl TryFrom<Unchecked> for Controls {
    type Error = AutoBctError;

    fn try_from(file: Unchecked) -> Result<Self, AutoBctError> {
        let Unchecked { points, score, cost, score_noise, cost_noise } = file;
        if points.is_empty() {
            return Err(InputError::Empty { name: "controls" }.into());
        }
        if let Some((index, row)) =
            points.rows().enumerate().find(|(_, row)| row.iter().any(|u| !(0.0..=1.0).contains(u)))
        {
            return Err(AutoBctError::Control { index, control: row.to_vec(), dim: points.dim() });
        }
        for (what, functions) in [("score", &score), ("cost", &cost)] {
            check_functions(what, functions, points.len())?;
        }
        for (what, noise) in
            [("variance of the score's noise", &score_noise), ("variance of the cost's noise", &cost_noise)]
        {
            check_noise(what, noise, points.len())?;
        }
        Ok(Self { points, score, cost, score_noise, cost_noise })
    }
}

/// True if there are equally many finite functions at every control.
fn check_functions(what: &str, functions: &[Vec<f64>], controls: usize) -> Result<(), AutoBctError> {
    let broken = |reason| Err(AutoBctError::File { reason });
    if functions.len() != controls {
        return broken(format!(
            "functions of the {what} at {} controls, expected {controls}",
            functions.len()
        ));
    }
    let expected = functions.first().map_or(0, Vec::len);
    let is_wrong = |own: &Vec<f64>| own.len() != expected || own.iter().any(|f| !f.is_finite());
    match functions.iter().position(is_wrong) {
        Some(at) => broken(format!(
            "functions of the {what} at control {at} are {:?}, expected {expected} finite numbers",
            functions[at]
        )),
        None => Ok(()),
    }
}

/// True if there is a positive variance for every control.
fn check_noise(what: &'static str, noise: &[f64], controls: usize) -> Result<(), AutoBctError> {
    if noise.len() != controls {
        let reason = format!("{what} at {} controls, expected {controls}", noise.len());
        return Err(AutoBctError::File { reason });
    }
    match noise.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
        Some(&value) => {
            Err(InputError::Number { name: what, value, expected: "a positive finite number" }.into())
        }
        None => Ok(()),
    }
}

/// Standard deviations of the observation noise of score and cost at a control.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NoiseStdDev {
    /// `σ_H`.
    pub score: f64,
    /// `σ_T`.
    pub cost: f64,
}

/// Most controls of a grid.
pub(crate) const MOST: usize = 1_000_000;

impl Controls {
    /// These controls under two bases; noise may differ between controls.
    ///
    /// # Errors
    /// [`AutoBctError`] for no controls, one outside of the unit cube or of another dimension than the bases take, or a
    /// standard deviation of the noise that is not positive.
    pub fn new(
        points: PointsRef<'_>,
        score: &dyn Basis,
        cost: &dyn Basis,
        noise: impl Fn(&[f64]) -> NoiseStdDev,
    ) -> Result<Self, AutoBctError> {
        if points.is_empty() {
            return Err(InputError::Empty { name: "controls" }.into());
        }
        let mut controls = Self {
            points: points.to_owned(),
            score: Vec::new(),
            cost: Vec::new(),
            score_noise: Vec::new(),
            cost_noise: Vec::new(),
        };
        for (index, row) in points.rows().enumerate() {
            let fits = row.len() == score.dim() && row.len() == cost.dim();
            if !fits || row.iter().any(|u| !(0.0..=1.0).contains(u)) {
                return Err(AutoBctError::Control { index, control: row.to_vec(), dim: score.dim() });
            }
            let NoiseStdDev { score: of_score, cost: of_cost } = noise(row);
            for (what, value) in [("noise of the score", of_score), ("noise of the cost", of_cost)] {
                if !(value > 0.0 && value.is_finite()) {
                    return Err(InputError::Number {
                        name: what,
                        value,
                        expected: "a positive finite number",
                    }
                    .into());
                }
            }
            controls.score.push(score.eval(row));
            controls.cost.push(cost.eval(row));
            controls.score_noise.push(of_score * of_score);
            controls.cost_noise.push(of_cost * of_cost);
        }
        Ok(controls)
    }

    /// Number of controls of a grid; nothing for more than a million.
    pub(crate) fn grid_len(dim: usize, count: usize) -> Option<usize> {
        let len = u32::try_from(dim).ok().and_then(|dim| count.checked_pow(dim));
        len.filter(|len| *len <= MOST)
    }

    /// `count` equal steps from 0 to 1 in each of `dim` dimensions, the last one fastest.
    ///
    /// # Panics
    /// For a grid of more than a million controls.
    #[must_use]
    pub fn grid(dim: usize, count: usize) -> Points {
        let len = Self::grid_len(dim, count);
        assert!(len.is_some(), "a grid of {count} controls in each of {dim} dimensions is too large");
        let step = |k: usize| if count > 1 { k as f64 / (count - 1) as f64 } else { 0.5 };
        let mut points = Points::new(dim);
        for index in 0..len.unwrap_or(0) {
            let row: Vec<f64> =
                (0..dim).map(|d| step(index / count.pow((dim - 1 - d) as u32) % count)).collect();
            points.push(&row);
        }
        points
    }

    /// Number of controls, at least 1.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// True if there are none: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The controls.
    #[must_use]
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Functions of the score at a control.
    #[must_use]
    pub fn score(&self, control: usize) -> &[f64] {
        &self.score[control]
    }

    /// Functions of the cost at a control.
    #[must_use]
    pub fn cost(&self, control: usize) -> &[f64] {
        &self.cost[control]
    }

    /// Variance of the noise of the score at a control.
    #[must_use]
    pub fn score_noise(&self, control: usize) -> f64 {
        self.score_noise[control]
    }

    /// Variance of the noise of the cost at a control.
    #[must_use]
    pub fn cost_noise(&self, control: usize) -> f64 {
        self.cost_noise[control]
    }
}
