//! Maximum a posteriori fits of hyperparameters with restarts.

use rand_distr::{Distribution, StandardNormal};
use thrifty_kernel::Kernel;
use thrifty_optim::{
    CurvedObjective, Lbfgsb, Minimum, MultiStart, OptimError, StructuredNewton, Termination, multi_start,
};
use thrifty_params::{LogLikelihood, MapObjective, Param, Parameterized, SliceSampler, starting_values};
use thrifty_sampling::Stream;

use crate::data::ScaledData;
use crate::learning_scale::OnLearningScale;
use crate::{ExactLikelihood, GpError, GpSettings, Search};

/// Result of one start of the hyperparameter search.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Restart {
    /// Natural values at the start.
    pub start: Vec<f64>,
    /// Natural values at the end.
    pub end: Vec<f64>,
    /// Log posterior density at the end, up to a constant; `None` if the start could not be used.
    pub log_posterior: Option<f64>,
    /// Evaluations of the likelihood and its gradient.
    pub evaluations: usize,
    /// True if it was stopped by [`max_evaluations`](GpSettings::max_evaluations) before it converged.
    #[serde(default)]
    pub capped: bool,
}

/// A kernel with fixed hyperparameters, and the noise and mean.
pub(crate) struct Learnt<K> {
    pub(crate) kernel: K,
    pub(crate) noise: f64,
    pub(crate) mean: f64,
    pub(crate) params: Vec<Param>,
}

/// The current hyperparameters, or those of the warm start.
pub(crate) fn as_given<K: Kernel + Clone>(
    kernel: &K,
    settings: &GpSettings,
    data: &ScaledData,
    warm: Option<&[f64]>,
) -> Result<Learnt<K>, GpError> {
    let mut kernel = kernel.clone();
    let mut likelihood =
        ExactLikelihood::new(&mut kernel, data.x.as_ref(), &data.y, &settings.noise, settings.mean)
            .with_known_noise(&data.noise);
    let start = starting_values(&likelihood.params(), warm)?;
    Ok(finish(&mut likelihood, &start).into_learnt(kernel))
}

/// Samples of the posterior of the hyperparameters given the data, from `earlier` samples if they fit; empty if no start can be used.
pub(crate) fn sample<K: Kernel + Clone>(
    kernel: &K,
    settings: &GpSettings,
    data: &ScaledData,
    sampler: &SliceSampler,
    earlier: &[Vec<f64>],
    rng: &mut Stream,
) -> Result<Vec<Learnt<K>>, GpError> {
    let mut moved = kernel.clone();
    let mut likelihood =
        ExactLikelihood::new(&mut moved, data.x.as_ref(), &data.y, &settings.noise, settings.mean)
            .with_known_noise(&data.noise);
    let samples = sampler.sample(&mut likelihood, earlier, rng)?;
    let learnt = |values: &Vec<f64>| {
        let mut kernel = kernel.clone();
        let mut likelihood =
            ExactLikelihood::new(&mut kernel, data.x.as_ref(), &data.y, &settings.noise, settings.mean)
                .with_known_noise(&data.noise);
        finish(&mut likelihood, values).into_learnt(kernel)
    };
    Ok(samples.iter().map(learnt).collect())
}

/// Maximum a posteriori estimate of the hyperparameters, on the natural scale or on the learning scale, and the result of each start.
pub(crate) fn learn<K: Kernel + Clone>(
    kernel: &K,
    settings: &GpSettings,
    data: &ScaledData,
    warm: Option<&[f64]>,
    on_learning_scale: bool,
    rng: &mut Stream,
) -> Result<(Learnt<K>, Vec<Restart>), GpError> {
    let mut kernel = kernel.clone();
    let mut likelihood =
        ExactLikelihood::new(&mut kernel, data.x.as_ref(), &data.y, &settings.noise, settings.mean)
            .with_known_noise(&data.noise);
    let (best, restarts) = if on_learning_scale {
        learn_parameters(&mut OnLearningScale::new(&mut likelihood), settings, warm, rng)?
    } else {
        learn_parameters(&mut likelihood, settings, warm, rng)?
    };
    Ok((finish(&mut likelihood, &best).into_learnt(kernel), restarts))
}

/// Maximum a posteriori estimate of the parameters of any likelihood, over all starts of the settings, and the result of each start. Among
/// equal results, the first is taken.
///
/// The first start is the warm start, moved within the bounds, if it fits; else the current parameters. Only the settings restarts, scout,
/// search and the largest number of evaluations are used.
///
/// # Errors
/// [`GpError`] for a parameter outside its bounds, bounds in the wrong order, or if no start can be used.
pub fn learn_parameters<L: LogLikelihood>(
    likelihood: &mut L,
    settings: &GpSettings,
    warm: Option<&[f64]>,
    rng: &mut Stream,
) -> Result<(Vec<f64>, Vec<Restart>), GpError> {
    let params = likelihood.params();
    // Checks the bounds, within which the starts are moved.
    let mut objective = MapObjective::new(likelihood)?;
    let mut starts = vec![starting_values(&params, warm)?];
    for _ in 0..settings.restarts {
        starts.push(random_start(&params, rng));
    }
    let bounds = objective.bounds();
    let inner = |start: &Vec<f64>| params.iter().zip(start).map(|(p, &v)| p.transform.forward(v)).collect();
    let from: Vec<Vec<f64>> = starts.iter().map(inner).collect();
    let found = match settings.search {
        Search::QuasiNewton => by_gradients(&mut objective, settings, &from, &bounds)?,
        Search::AverageInformation => match by_information(&mut objective, settings, &from, &bounds) {
            Err(OptimError::NoCurvature) => by_gradients(&mut objective, settings, &from, &bounds)?,
            found => found?,
        },
    };
    let best = objective.natural(&found.best().x);
    let restart = |(start, result): (Vec<f64>, &Result<Minimum, OptimError>)| match result {
        Ok(found) => Restart {
            start,
            end: objective.natural(&found.x),
            log_posterior: Some(-found.value),
            evaluations: found.evaluations,
            capped: found.termination == Termination::Evaluations,
        },
        Err(_) => Restart { end: start.clone(), start, log_posterior: None, evaluations: 1, capped: false },
    };
    let restarts = starts.into_iter().zip(&found.results).map(restart).collect();
    Ok((best, restarts))
}

/// Tolerances of the gradient and the value. A log likelihood that is a ten-thousandth higher changes no decision.
const EXACT: (f64, f64) = (1e-4, 1e-8);

/// Tolerances of a search by average information. Its steps estimate the remaining distance; quasi-Newton steps may be small for other reasons.
const BY_INFORMATION: (f64, f64) = (1e-3, 1e-7);

/// A start ends if it is this near below a known maximum of another start and moves towards it.
const KNOWN_WITHIN: f64 = 0.1;

/// Tolerances of a scout. The best start is clear early, and only that one needs the last digits.
const SCOUT: (f64, f64) = (1e-2, 1e-4);

/// Tolerances of the search after a scout. The first steps of a new quasi-Newton search are small, so a small gain is no sign of convergence.
const POLISH: (f64, f64) = (1e-4, 1e-12);

fn by_gradients<L: LogLikelihood>(
    objective: &mut MapObjective<'_, L>,
    settings: &GpSettings,
    from: &[Vec<f64>],
    bounds: &[(f64, f64)],
) -> Result<MultiStart, OptimError> {
    let optimizer = |(gradient_tolerance, value_tolerance)| Lbfgsb {
        max_evaluations: settings.max_evaluations,
        gradient_tolerance,
        value_tolerance,
        ..Lbfgsb::default()
    };
    let mut evaluate = |u: &[f64], g: &mut [f64]| objective.value_and_gradient(u, g);
    if from.len() == 1 || !settings.scout {
        return multi_start(&optimizer(EXACT), evaluate, from, bounds);
    }
    multi_start(&optimizer(SCOUT), &mut evaluate, from, bounds)?.polished(
        &optimizer(POLISH),
        evaluate,
        bounds,
    )
}

fn by_information<L: LogLikelihood>(
    objective: &mut MapObjective<'_, L>,
    settings: &GpSettings,
    from: &[Vec<f64>],
    bounds: &[(f64, f64)],
) -> Result<MultiStart, OptimError> {
    let mut curved = Curved(objective);
    let newton = |(gradient_tolerance, value_tolerance)| StructuredNewton {
        gradient_tolerance,
        value_tolerance,
        max_evaluations: settings.max_evaluations,
        known_within: KNOWN_WITHIN,
        ..StructuredNewton::default()
    };
    let is_scout = from.len() > 1 && settings.scout;
    let tolerances = if is_scout { SCOUT } else { BY_INFORMATION };
    let found = newton(tolerances).minimize_from(&mut curved, from, bounds)?;
    if !is_scout {
        return Ok(found);
    }
    found.refined(|start| newton(BY_INFORMATION).minimize(&mut curved, start, bounds))
}

/// The objective, with the information matrix of its likelihood as curvature.
struct Curved<'a, 'b, L>(&'a mut MapObjective<'b, L>);

impl<L: LogLikelihood> CurvedObjective for Curved<'_, '_, L> {
    fn value_and_gradient(&mut self, u: &[f64], gradient: &mut [f64]) -> f64 {
        self.0.value_and_gradient(u, gradient)
    }

    fn curvature(&mut self, hessian: &mut [f64]) -> bool {
        self.0.curvature(hessian)
    }
}

struct Values {
    noise: f64,
    mean: f64,
    params: Vec<Param>,
}

impl Values {
    fn into_learnt<K>(self, kernel: K) -> Learnt<K> {
        Learnt { kernel, noise: self.noise, mean: self.mean, params: self.params }
    }
}

fn finish<K: Kernel>(likelihood: &mut ExactLikelihood<'_, K>, values: &[f64]) -> Values {
    likelihood.set_params(values);
    let mut params = likelihood.params();
    params.iter_mut().zip(values).for_each(|(p, &v)| p.value = v);
    let (noise, mean) = likelihood.noise_and_mean();
    Values { noise, mean, params }
}

/// The current values, moved by a normal step with standard deviation 1.5 on the learning scale. For a positive parameter this is a factor
/// between 1/4.5 and 4.5 with probability two thirds.
fn random_start(params: &[Param], rng: &mut Stream) -> Vec<f64> {
    let mut moved = |p: &Param| {
        let step: f64 = StandardNormal.sample(rng);
        p.transform.inverse(p.transform.forward(p.value) + 1.5 * step).clamp(p.low, p.high)
    };
    params.iter().map(&mut moved).collect()
}

#[cfg(test)]
mod tests {
    use thrifty_params::Transform;
    use thrifty_sampling::Seed;

    use super::*;

    fn params() -> Vec<Param> {
        let mean = Param { transform: Transform::Identity, ..Param::positive("mean", -1.0, -5.0, 5.0) };
        vec![Param::positive("scale", 2.0, 0.5, 8.0), mean]
    }

    /// A likelihood that is the same everywhere, of one parameter with these bounds.
    struct Flat {
        low: f64,
        high: f64,
    }

    impl Parameterized for Flat {
        fn params(&self) -> Vec<Param> {
            vec![Param::positive("scale", 1.0, self.low, self.high)]
        }

        fn set_params(&mut self, _values: &[f64]) {}
    }

    impl LogLikelihood for Flat {
        type Error = std::convert::Infallible;

        fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, Self::Error> {
            gradient.fill(0.0);
            Ok(0.0)
        }
    }

    /// Bounds in the wrong order, and a value beyond its bounds, are errors with and without random starts.
    #[test]
    fn bounds_are_checked_before_the_starts() {
        for (low, high) in [(10.0, 1.0), (2.0, 3.0), (f64::NAN, 3.0)] {
            for (restarts, warm) in [(2, None), (0, None), (0, Some(&[2.0][..]))] {
                let settings = GpSettings { restarts, ..GpSettings::default() };
                let rng = &mut Seed(1).stream("fit", 0);
                let error = learn_parameters(&mut Flat { low, high }, &settings, warm, rng).unwrap_err();
                let expected = format!("expected a value in [{low}, {high}] for transform Log");
                assert_eq!(error.to_string(), format!("parameter scale is 1, {expected}"));
            }
        }
    }

    /// Steps of 1.5 on the scale of learning: of a logarithm for a positive parameter; never beyond the bounds.
    #[test]
    fn restarts_are_normal_steps_from_the_current_values() {
        let free = vec![
            Param::positive("scale", 2.0, 1e-30, 1e30),
            Param { transform: Transform::Identity, ..Param::positive("mean", -1.0, -1e3, 1e3) },
        ];
        let mut rng = Seed(1).stream("restarts", 0);
        let n = 4000;
        let steps: Vec<[f64; 2]> = (0..n)
            .map(|_| random_start(&free, &mut rng))
            .map(|moved| [(moved[0] / 2.0).ln(), moved[1] + 1.0])
            .collect();
        for k in 0..2 {
            let mean = steps.iter().map(|step| step[k]).sum::<f64>() / f64::from(n);
            let square = steps.iter().map(|step| step[k] * step[k]).sum::<f64>() / f64::from(n);
            // Standard errors 0.024 and 0.05; 5 of them.
            assert!(mean.abs() < 0.12 && (square - 2.25).abs() < 0.25, "{k}: {mean} {square}");
        }
        for _ in 0..200 {
            let moved = random_start(&params(), &mut rng);
            assert!((0.5..=8.0).contains(&moved[0]) && (-5.0..=5.0).contains(&moved[1]), "{moved:?}");
        }
    }
}
