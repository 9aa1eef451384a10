use thrifty_censored::{CensoredGp, CensoredPosterior, Propagation, Response};
use thrifty_domain::{Domain, PointsRef};
use thrifty_gp::Gp;
use thrifty_kernel::Kernel;
use thrifty_sampling::Stream;
use thrifty_study::{Fingerprint, OptimizerError};
use thrifty_surrogate::Posterior;

use crate::model::WithProcess;
use crate::{Fitted, GpModel, Model, ModelError};

/// A Gaussian process of responses that are cut off below: what is at the floor or under it says no more than that the function is.
///
/// It assumes a function that goes on below the floor as smoothly as above, and a normal noise before the cut; of how far below it is nothing is known but that smoothness. For losses
/// that are cut off above turn their sign. Failures that the settings of an optimiser impute at or below the floor count as bounds too.
///
/// Cost: some 10 passes of O(b³) for b responses at the floor beside the O(n³) of [`GpModel`], each time the likelihood is asked.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CensoredGpModel {
    /// Where responses are cut off.
    pub floor: f64,
    /// Kernel, and what is assumed besides.
    pub process: GpModel,
    /// How long expectations are propagated.
    pub propagation: Propagation,
}

impl CensoredGpModel {
    /// The default process above a floor.
    #[must_use]
    pub fn above(floor: f64) -> Self {
        Self { floor, process: GpModel::default(), propagation: Propagation::default() }
    }
}

/// What a censored process is fitted to.
struct ToResponses<'a> {
    x: PointsRef<'a>,
    responses: Vec<Response>,
    propagation: Propagation,
    notes: Option<&'a [f64]>,
    rng: &'a mut Stream,
}

impl WithProcess for ToResponses<'_> {
    fn fit<K: Kernel + Clone + 'static>(&mut self, process: Gp<K>) -> Result<Box<dyn Fitted>, ModelError> {
        let mut process = CensoredGp::new(process).with_propagation(self.propagation);
        if let Some(notes) = self.notes {
            process = process.warm_started(notes.to_vec());
        }
        Ok(Box::new(process.fit(self.x, &self.responses, self.rng)?))
    }
}

impl Model for CensoredGpModel {
    fn fit(
        &self,
        domain: &Domain,
        x: PointsRef<'_>,
        y: &[f64],
        notes: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        let responses = y.iter().map(|y| Response::clipped(*y, self.floor)).collect();
        let propagation = self.propagation;
        self.process.process_for(domain, &mut ToResponses { x, responses, propagation, notes, rng })
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("censored gaussian process").with("model", self)
    }
}

impl<K: Kernel + Clone + 'static> Fitted for CensoredPosterior<K> {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn notes(&self) -> Vec<f64> {
        self.hyperparameters()
    }

    fn imagining(&self, x: &[f64], y: f64) -> Result<Box<dyn Fitted>, ModelError> {
        Ok(Box::new(self.with_observation(x, y)?))
    }

    fn noise(&self) -> f64 {
        self.noise_variance()
    }
}
