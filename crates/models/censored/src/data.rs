//! Scaled responses, and the pseudo-observations that replace bounds.

use thrifty_check::{all_finite, dimension, length, not_empty, variances};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{GpError, GpSettings, InputScaling, TargetScaling};
use thrifty_kernel::{Kernel, KernelWorkspace};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix, subtract_inner_products};

use crate::expectation_propagation::{Sites, Truncated, expectation_propagation};
use crate::{Bound, CensoredError, Propagation, Response};

/// Smallest precision of a site, as a share of the prior precision; below it the site is lost in rounding.
const SILENT: f64 = 1e-10;

/// Validated responses on the scales of the model.
pub(crate) struct ScaledResponses {
    pub(crate) x: Points,
    /// All numbers: values and bounds.
    pub(crate) numbers: Vec<f64>,
    /// Known noise variances, in addition to the common noise.
    pub(crate) noise: Vec<f64>,
    /// Positions of the values.
    values: Vec<usize>,
    /// Positions of the bounds, with the bounds.
    censored: Vec<(usize, Bound)>,
    pub(crate) inputs: Option<InputScaling>,
    pub(crate) targets: TargetScaling,
    /// Jitter that may be added to the covariance of the values.
    jitter: JitterLadder,
}

/// Normal observations that stand for all responses.
pub(crate) struct Pseudo {
    /// Positions of the responses: values, and bounds that are informative.
    pub(crate) of: Vec<usize>,
    pub(crate) y: Vec<f64>,
    pub(crate) noise: Vec<f64>,
}

/// Approximation of all responses for one set of hyperparameters.
pub(crate) struct Approximation {
    pub(crate) pseudo: Pseudo,
    pub(crate) log_likelihood: f64,
    pub(crate) bounds: Truncated,
}

impl ScaledResponses {
    /// Validates the responses and scales them. Without a scale, one is computed from these data as the settings ask.
    pub(crate) fn new(
        dim: usize,
        x: PointsRef<'_>,
        responses: &[Response],
        noise: &[f64],
        settings: &GpSettings,
        scale: Option<(Option<InputScaling>, TargetScaling)>,
    ) -> Result<Self, CensoredError> {
        check(dim, x, responses, noise)?;
        let given: Vec<f64> = responses.iter().map(|response| response.number()).collect();
        let (inputs, targets) = scale.unwrap_or_else(|| {
            let inputs = settings.normalize_inputs.then(|| InputScaling::of(x));
            let own = settings.standardize_targets;
            (inputs, if own { TargetScaling::standardize(&given) } else { TargetScaling::NONE })
        });
        let numbers = targets.apply(&given);
        let (mut values, mut censored) = (Vec::new(), Vec::new());
        for (i, response) in responses.iter().enumerate() {
            match response.side() {
                None => values.push(i),
                Some(side) => censored.push((i, Bound { at: numbers[i], side })),
            }
        }
        Ok(Self {
            x: inputs.as_ref().map_or_else(|| x.to_owned(), |scaling| scaling.apply(x)),
            numbers,
            noise: noise.iter().map(|variance| variance / targets.width / targets.width).collect(),
            values,
            censored,
            inputs,
            targets,
            jitter: settings.jitter.clone(),
        })
    }

    /// Conditions exactly on the values; then expectation propagation adds the bounds.
    ///
    /// ```text
    /// log p = ln N(y_v; m, C_vv) + ln P(bounds | y_v),   C = K + σ²I + diag(s)
    /// ```
    pub(crate) fn approximate<K: Kernel>(
        &self,
        kernel: &K,
        noise: f64,
        mean: f64,
        propagation: &Propagation,
        start: Option<&Sites>,
    ) -> Result<Approximation, CensoredError> {
        let mut c = Matrix::default();
        kernel.forward(self.x.as_ref(), 1.0, &mut KernelWorkspace::default(), &mut c);
        for (i, known) in self.noise.iter().enumerate() {
            c[(i, i)] += noise + known;
        }
        let at = |i: usize, j: usize| if i >= j { c[(i, j)] } else { c[(j, i)] };
        let (v, b) = (self.values.len(), self.censored.len());
        let mut given = vec![mean; b];
        let mut covariance = Matrix::from_fn(b, b, |i, j| at(self.censored[i].0, self.censored[j].0));
        // Without values, all of these are 0.
        let c_vv = Matrix::from_fn(v, v, |i, j| at(self.values[i], self.values[j]));
        let factor = Cholesky::new(&c_vv, &self.jitter)?;
        let mut residual: Vec<f64> = self.values.iter().map(|i| self.numbers[*i] - mean).collect();
        factor.solve_lower_in_place(&mut residual);
        let fit: f64 = residual.iter().map(|r| r * r).sum();
        let of_values = -0.5 * (fit + factor.log_det() + v as f64 * std::f64::consts::TAU.ln());
        let mut white = Matrix::from_fn(v, b, |i, j| at(self.values[i], self.censored[j].0));
        factor.solve_lower_matrix_in_place(&mut white);
        subtract_inner_products(&mut covariance, &white, &white);
        for (j, slot) in given.iter_mut().enumerate() {
            *slot += white.column(j).iter().zip(&residual).map(|(w, r)| w * r).sum::<f64>();
        }
        let sides: Vec<Bound> = self.censored.iter().map(|(_, bound)| *bound).collect();
        let bounds = expectation_propagation(&given, &covariance, &sides, propagation, start)
            .map_err(|error| self.named(error))?;
        let pseudo = self.pseudo(&bounds.sites, &given, |i| c[(i, i)]);
        Ok(Approximation { pseudo, log_likelihood: of_values + bounds.log_probability, bounds })
    }

    /// Pseudo-observations in the order of the responses: values unchanged, bounds replaced by their sites.
    fn pseudo(&self, sites: &Sites, given: &[f64], prior: impl Fn(usize) -> f64) -> Pseudo {
        let mut kept: Vec<(usize, f64, f64)> =
            self.values.iter().map(|i| (*i, self.numbers[*i], self.noise[*i])).collect();
        let share = |k: usize| sites.precision[k] * prior(self.censored[k].0);
        let loudest = (0..self.censored.len()).max_by(|a, b| share(*a).total_cmp(&share(*b)));
        for (k, (i, _)) in self.censored.iter().enumerate() {
            // At least one response must remain to condition on.
            let needed = self.values.is_empty() && loudest == Some(k);
            if share(k) > SILENT || needed {
                let tau = sites.precision[k].max(SILENT / prior(*i));
                let target = given[k] + sites.shift[k] / tau;
                kept.push((*i, target, self.noise[*i] + 1.0 / tau));
            }
        }
        kept.sort_by_key(|(i, ..)| *i);
        Pseudo {
            of: kept.iter().map(|(i, ..)| *i).collect(),
            y: kept.iter().map(|(_, y, _)| *y).collect(),
            noise: kept.iter().map(|(.., noise)| *noise).collect(),
        }
    }

    /// Translates the index of a bound to the index of its response.
    fn named(&self, error: CensoredError) -> CensoredError {
        match error {
            CensoredError::Contradiction { index, std_devs } => {
                CensoredError::Contradiction { index: self.censored[index].0, std_devs }
            }
            other => other,
        }
    }

    /// Some of the points.
    pub(crate) fn points(&self, of: &[usize]) -> Points {
        let mut points = Points::new(self.x.dim());
        of.iter().for_each(|i| points.push(self.x.row(*i)));
        points
    }
}

fn check(dim: usize, x: PointsRef<'_>, responses: &[Response], noise: &[f64]) -> Result<(), CensoredError> {
    not_empty("observations", x.len().max(responses.len()))?;
    length("responses", responses.len(), x.len())?;
    length("noise variances", noise.len(), responses.len())?;
    dimension("points", x.dim(), dim)?;
    x.require_finite().map_err(GpError::from)?;
    let numbers: Vec<f64> = responses.iter().map(|response| response.number()).collect();
    all_finite("response", &numbers)?;
    variances("noise variance", noise)?;
    Ok(())
}
