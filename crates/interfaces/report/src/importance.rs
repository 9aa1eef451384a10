//! Importance of parameters.

use thrifty_space::Config;

use crate::report::Report;
use crate::{Unfit, ped_anova};

/// Share of the trials that count as the best, of PED-ANOVA.
const BEST: f64 = 0.1;

/// Importance of a parameter for the first objective.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterImportance {
    /// Its name.
    pub name: String,
    /// Functional ANOVA: share of the variance over the space that the parameter explains alone. Source: Hutter et al. (2014).
    pub share: f64,
    /// Standard deviation of that share over the trees of the forest.
    pub std_dev: f64,
    /// PED-ANOVA: divergence of the best tenth of the trials from all of them, scaled to a sum of 1 over the parameters.
    /// Source: Watanabe, Bansal & Hutter (2023).
    pub near_best: f64,
}

impl Report<'_> {
    /// Importance of every parameter, in the order of the space.
    ///
    /// # Errors
    /// [`Unfit`] with fewer than ten measured trials or equal objectives.
    pub fn importance(&self) -> Result<Vec<ParameterImportance>, Unfit> {
        let shares = &self.forest()?.importance;
        let measured = self.compared();
        let trials: Vec<(&Config, f64)> = measured.iter().map(|(trial, y)| (&trial.query, *y)).collect();
        let parameters = || self.space.parameters().iter().zip(&self.parameters);
        let near: Vec<f64> = parameters()
            .map(|(parameter, axis)| ped_anova::importance(parameter, axis, &trials, BEST))
            .collect();
        let sum: f64 = near.iter().sum();
        let found = parameters().zip(shares.main.iter().zip(&shares.std_dev)).zip(&near);
        Ok(found
            .map(|(((parameter, _), (share, std_dev)), near)| ParameterImportance {
                name: parameter.name.clone(),
                share: *share,
                std_dev: *std_dev,
                near_best: if sum > 0.0 { near / sum } else { 0.0 },
            })
            .collect())
    }
}
