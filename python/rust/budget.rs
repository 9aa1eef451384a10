//! Training under a budget with polynomials for score and cost.

use pyo3::prelude::*;
use thrifty::autobct::{AutoBct, AutoBctSettings, State};
use thrifty::linear::{Basis, Coefficients, Polynomial};
use thrifty::space::Space;
use thrifty::study::Directions;

use crate::boundary::{invalid, optimizer as refused};
use crate::method::Keywords;

/// Centre of the monomials: the middle of the unit cube.
const CENTER: f64 = 0.5;

/// The optimiser of keywords: settings, and `degree`, `score_mean`, `score_variance`, `cost_mean`, `cost_variance` of the prior.
///
/// Without means the prior has a score of ½ and a cost of 1 everywhere, on the scale of the model, and unit variances.
pub(crate) fn optimizer(space: Space, mut keywords: Keywords, directions: &Directions) -> PyResult<AutoBct> {
    let degree: u32 = keywords.take("degree")?.unwrap_or(3);
    let basis = match space.dim() {
        1 => Polynomial::of_one(degree, CENTER),
        dim => Polynomial::additive(dim, degree, CENTER),
    };
    let mut belief = |name: &str, level: f64| -> PyResult<Coefficients> {
        let constant = |value: f64| {
            let mut mean = vec![0.0; basis.len()];
            mean[0] = value;
            mean
        };
        let mean: Vec<f64> = keywords.take(&format!("{name}_mean"))?.unwrap_or_else(|| constant(level));
        let variances: Vec<f64> =
            keywords.take(&format!("{name}_variance"))?.unwrap_or_else(|| vec![1.0; basis.len()]);
        for (what, found) in [("mean", mean.len()), ("variance", variances.len())] {
            if found != basis.len() {
                let expected = basis.len();
                return Err(invalid(format!("{name}_{what} has {found} coefficients, expected {expected}")));
            }
        }
        Coefficients::independent(mean, &variances).map_err(invalid)
    };
    let state = State { score: belief("score", 0.5)?, cost: belief("cost", 1.0)? };
    let settings: AutoBctSettings = keywords.losses(directions)?;
    AutoBct::new(space, &basis, &basis, state, settings).map_err(refused)
}
