//! Initial design of a level-set estimation.

use thrifty_model_based::{Designer, asked_points};
use thrifty_space::{Config, Space};
use thrifty_study::{History, OptimizerError, TrialId};

use crate::state::contains;
use crate::{LevelSetOptimizer, LevelSetSettings};

/// True if trial `id` belongs to the initial design. On a finite set the nearest points of given configurations are asked, so there these are
/// only counted.
pub(crate) fn is_designed(
    space: &Space,
    settings: &LevelSetSettings,
    history: &History<Config>,
    id: TrialId,
) -> bool {
    let (initial, measured) = (&settings.initial, history.measured().count());
    if settings.over.is_finite() {
        return id.0 < initial.given().len() as u64 || initial.needs_more(space, None, measured);
    }
    initial.lasts(space, None, (0, history.trials().iter().map(|trial| &trial.query)), measured)
}

impl LevelSetOptimizer {
    /// The next point of the initial design, or any beyond it; nothing when everything was asked.
    pub(crate) fn initial(
        &self,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Option<Config>, OptimizerError> {
        let (design, space, seed) = (&self.settings.initial, &self.space, history.seed());
        let asked = asked_points(&self.space, history.trials())?;
        if !self.settings.over.is_finite() {
            let designer = Designer { design, space, seed, run: 0, known_constraint: &self.known_constraint };
            return designer.config(&asked, id);
        }
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        let config = design.config(space, seed, 0, index).map_err(|error| {
            OptimizerError::failed(format!("initial design, configuration {index}"), error)
        })?;
        let near = space
            .encode(&config)
            .map_err(|error| OptimizerError::failed("encoding the initial design", error))?;
        let distance = |x: &[f64]| x.iter().zip(&near).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let open = self
            .points
            .1
            .rows()
            .filter(|x| !contains(&asked, x) && self.known_constraint.allows_point(&self.space, x));
        let nearest = open.reduce(|best, next| if distance(next) < distance(best) { next } else { best });
        Ok(nearest.map(|x| self.space.decode(x)))
    }
}
