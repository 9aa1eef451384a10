//! Ensembles whose sources never see the new observations: by rankings, and with equal weights.

use std::sync::Arc;

use thrifty_bo::GpSurrogate;
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{TargetScaling, YeoJohnson};
use thrifty_sampling::{Seed, Stream};
use thrifty_surrogate::{
    Description, FittedSurrogate, Observations, Posterior, PosteriorGradient, Prediction, Surrogate,
    SurrogateError,
};
use thrifty_transfer::ranking_weights;

/// Weights of the models of an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// By ranking losses, with their guard: the ensemble of `feurer2018`.
    Ranking,
    /// One weight for all, whatever the data say: made worse on purpose.
    Equal,
}

/// Product form: mean Σ w m, variance Σ w² v, of the process on the new task and of those of the sources, brought to the new scale.
pub struct PlainEnsemble {
    sources: Vec<Arc<dyn FittedSurrogate>>,
    weighting: Weighting,
}

/// A member with weight, offset and width.
struct Part {
    weight: f64,
    offset: f64,
    width: f64,
    fitted: Arc<dyn FittedSurrogate>,
}

struct Combined {
    parts: Vec<Part>,
    hyperparameters: Vec<f64>,
    dim: usize,
}

impl PlainEnsemble {
    /// Fits a process to each source: points and losses.
    pub fn new(sources: &[(Points, Vec<f64>)], weighting: Weighting) -> Result<Self, SurrogateError> {
        let fit =
            |(i, (x, y)): (usize, &(Points, Vec<f64>))| -> Result<Arc<dyn FittedSurrogate>, SurrogateError> {
                let bent = YeoJohnson::of_upper_half(y);
                let y: Vec<f64> = y.iter().map(|loss| bent.apply(*loss)).collect();
                let y = TargetScaling::standardize(&y).apply(&y);
                let (domain, data) = (Domain::unit_cube(x.dim()), Observations::new(x.as_ref(), &y));
                let mut rng = Seed(0).stream("source", i as u64);
                Ok(Arc::from(GpSurrogate::default().fit(&domain, data, None, &mut rng)?))
            };
        Ok(Self { sources: sources.iter().enumerate().map(fit).collect::<Result<_, _>>()?, weighting })
    }
}

impl Surrogate for PlainEnsemble {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let own: Arc<dyn FittedSurrogate> =
            Arc::from(GpSurrogate::default().fit(domain, data, warm_start, rng)?);
        let TargetScaling { offset, width } = TargetScaling::standardize(data.y);
        let count = self.sources.len() + 1;
        let weights = match self.weighting {
            Weighting::Equal => vec![1.0 / count as f64; count],
            Weighting::Ranking => {
                let mut predictions = vec![own.leave_one_out().unwrap_or_default()];
                for source in &self.sources {
                    let scaled = |p: Prediction| Prediction {
                        mean: offset + width * p.mean,
                        variance: width * width * p.variance,
                    };
                    predictions.push(data.x.rows().map(|x| scaled(source.posterior().predict(x))).collect());
                }
                ranking_weights(&predictions, data.y, 256, rng)
            }
        };
        let hyperparameters = own.hyperparameters();
        let mut parts = vec![Part { weight: weights[0], offset: 0.0, width: 1.0, fitted: own }];
        for (source, weight) in self.sources.iter().zip(&weights[1..]) {
            parts.push(Part { weight: *weight, offset, width, fitted: Arc::clone(source) });
        }
        parts.retain(|part| part.weight > 0.0);
        Ok(Box::new(Combined { parts, hyperparameters, dim: domain.dim() }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Ok(Description::without_settings(format!("plain ensemble, {:?}", self.weighting)))
    }
}

impl Posterior for Combined {
    fn dim(&self) -> usize {
        self.dim
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        let d = x.len() * x.dim();
        self.predict_with_gradient_into(x, mean, variance, &mut vec![0.0; d], &mut vec![0.0; d]);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }
}

impl PosteriorGradient for Combined {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        let (n, d) = (x.len(), x.dim());
        let (mut m, mut v) = (vec![0.0; n], vec![0.0; n]);
        let (mut of_m, mut of_v) = (vec![0.0; n * d], vec![0.0; n * d]);
        for out in [&mut *mean, &mut *variance, &mut *mean_gradient, &mut *variance_gradient] {
            out.fill(0.0);
        }
        for Part { weight, offset, width, fitted } in &self.parts {
            let Some(gradient) = fitted.posterior().gradient() else { continue };
            gradient.predict_with_gradient_into(x, &mut m, &mut v, &mut of_m, &mut of_v);
            let (linear, square) = (weight * width, (weight * width).powi(2));
            mean.iter_mut().zip(&m).for_each(|(slot, m)| *slot += weight * offset + linear * m);
            variance.iter_mut().zip(&v).for_each(|(slot, v)| *slot += square * v);
            mean_gradient.iter_mut().zip(&of_m).for_each(|(slot, m)| *slot += linear * m);
            variance_gradient.iter_mut().zip(&of_v).for_each(|(slot, v)| *slot += square * v);
        }
    }
}

impl FittedSurrogate for Combined {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters.clone()
    }

    fn fantasize(&self, _: &[f64], _: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Err(SurrogateError::failed("plain ensemble", "trials are asked one by one"))
    }
}
