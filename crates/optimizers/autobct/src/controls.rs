use thrifty_domain::{Points, PointsRef};
use thrifty_linear::Basis;

use crate::AutoBctError;

/// Controls to choose from, with what the model says of each: its functions of score and cost, and the variances of both
/// observations.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Controls {
    points: Points,
    score: Vec<Vec<f64>>,
    cost: Vec<Vec<f64>>,
    score_noise: Vec<f64>,
    cost_noise: Vec<f64>,
}

/// Deviations of the observation noise of score and cost at a control.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Noise {
    /// `σ_H`.
    pub score: f64,
    /// `σ_T`.
    pub cost: f64,
}

impl Controls {
    /// These controls under two bases; noise may differ between controls.
    ///
    /// # Errors
    /// [`AutoBctError`] for no controls, one outside of the unit cube or of another dimension than the bases take, or a
    /// deviation of the noise that is not positive.
    pub fn new(
        points: PointsRef<'_>,
        score: &dyn Basis,
        cost: &dyn Basis,
        noise: impl Fn(&[f64]) -> Noise,
    ) -> Result<Self, AutoBctError> {
        if points.is_empty() {
            return Err(AutoBctError::NoControls);
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
            let Noise { score: of_score, cost: of_cost } = noise(row);
            for (what, value) in [("noise of the score", of_score), ("noise of the cost", of_cost)] {
                if !(value > 0.0 && value.is_finite()) {
                    return Err(AutoBctError::Number { what, value, expected: "a positive finite number" });
                }
            }
            controls.score.push(score.eval(row));
            controls.cost.push(cost.eval(row));
            controls.score_noise.push(of_score * of_score);
            controls.cost_noise.push(of_cost * of_cost);
        }
        Ok(controls)
    }

    /// `count` equal steps from 0 to 1 in each of `dim` dimensions, the last one fastest.
    #[must_use]
    pub fn grid(dim: usize, count: usize) -> Points {
        let step = |k: usize| if count > 1 { k as f64 / (count - 1) as f64 } else { 0.5 };
        let mut points = Points::new(dim);
        for index in 0..count.pow(dim as u32) {
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

    /// Whether there are none: never.
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
