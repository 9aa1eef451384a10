//! Initial design of a level-set estimation.

use thrifty_domain::Points;
use thrifty_model_based::{Designer, asked_points, measurement};
use thrifty_space::Config;
use thrifty_study::{History, OptimizerError, TrialId};

use crate::LevelSetOptimizer;
use crate::state::contains;

impl LevelSetOptimizer {
    /// The next point of the initial design; `None` if the design has ended or has no point left.
    ///
    /// The design lasts until the number of measured *places* reaches the number of its configurations. Otherwise a surrogate of repeated
    /// measurements at one place would classify the whole domain.
    pub(crate) fn designed(
        &mut self,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Option<Config>, OptimizerError> {
        self.follow_seed(history.seed())?;
        let initial = &self.settings.initial;
        let lasts = initial.needs_more(&self.space, None, 0, self.places(history)?)
            || if self.settings.over.is_finite() {
                self.next_given(&asked_points(&self.space, history.trials())?)?.is_some()
            } else {
                initial
                    .next_given(&self.space, 0, history.trials().iter().map(|trial| &trial.query))
                    .is_some()
            };
        if lasts { self.initial(history, id) } else { Ok(None) }
    }

    /// Number of places with a measurement.
    fn places(&self, history: &History<Config>) -> Result<usize, OptimizerError> {
        let mut places = Points::new(self.space.dim());
        for point in self.encoded(history, |trial| measurement(trial).is_some())?.rows() {
            if !contains(&places, point) {
                places.push(point);
            }
        }
        Ok(places.len())
    }

    /// The next point of the initial design, or any point after it; `None` if everything was asked.
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
        if let Some(given) = self.next_given(&asked)? {
            return Ok(Some(space.decode(&given)));
        }
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        let config = design.config(space, seed, 0, index).map_err(|error| {
            OptimizerError::failed(format!("initial design, configuration {index}"), error)
        })?;
        Ok(self.nearest(&config, &asked)?.map(|x| space.decode(x)))
    }

    /// The first given configuration that was not asked. On a finite set this is the nearest point of each that no earlier one has taken.
    fn next_given(&self, asked: &Points) -> Result<Option<Vec<f64>>, OptimizerError> {
        let mut taken = Points::new(self.space.dim());
        for config in self.settings.initial.given() {
            let Some(point) = self.nearest(config, &taken)? else { return Ok(None) };
            if !contains(asked, point) {
                return Ok(Some(point.to_vec()));
            }
            taken.push(point);
        }
        Ok(None)
    }

    /// The point of a finite set that is nearest to a configuration, among the allowed points that are not taken.
    fn nearest(&self, config: &Config, taken: &Points) -> Result<Option<&[f64]>, OptimizerError> {
        let near = self
            .space
            .encode(&self.space.canonical(config))
            .map_err(|error| OptimizerError::failed("encoding the initial design", error))?;
        let distance = |x: &[f64]| x.iter().zip(&near).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let is_open = |x: &&[f64]| !contains(taken, x) && self.known_constraint.allows_point(&self.space, x);
        let open = self.points.1.rows().filter(is_open);
        Ok(open.reduce(|best, next| if distance(next) < distance(best) { next } else { best }))
    }
}
