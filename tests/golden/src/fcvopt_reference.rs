//! Inputs of a file of the hierarchical process: data, kernel, hyperparameters, priors.

use serde_json::Value;
use thrifty_domain::Points;
use thrifty_gp::{GpSettings, Mean, Noise};
use thrifty_hgp::{FoldKernel, Hgp, HgpPosterior};
use thrifty_kernel::{
    Hierarchical, Kernel, KernelError, Matern12, Matern32, Matern52, Scaled, SquaredExponential, Stationary,
    StationaryProfile,
};
use thrifty_prob::Prior;

use crate::json::{number, numbers, points, text};

/// The kernel where a file names none.
const KERNEL: &str = "matern52";

/// Inputs of the file with its hyperparameters.
pub(crate) struct Reference {
    pub(crate) x: Points,
    pub(crate) folds: Vec<usize>,
    pub(crate) z: Vec<f64>,
    pub(crate) kernel: FoldKernel,
    pub(crate) noise: f64,
    pub(crate) mean: f64,
    /// Standard deviation and mean of the negated losses.
    pub(crate) scale: f64,
    pub(crate) center: f64,
    /// Priors of noise and mean, where the file has priors.
    pub(crate) priors: Option<(Prior, Mean)>,
}

/// Priors by hyperparameter, as `{"lf": {"gamma": {"shape": 1.5, "rate": 0.65}}, …}`.
struct Priors<'v>(&'v Value);

impl Priors<'_> {
    fn of(&self, name: &str) -> Result<Prior, String> {
        let written = self.0[name].as_object().and_then(|prior| prior.iter().next());
        let (family, params) = written.ok_or_else(|| format!("priors: none of {name}"))?;
        crate::prob::prior(family, params).map_err(|error| format!("priors, {name}: {error}"))
    }

    fn of_mean(&self) -> Result<Mean, String> {
        let normal = &self.0["mean"]["normal"];
        Ok(Mean::Normal { mean: number(&normal["mean"])?, std_dev: number(&normal["sd"])? })
    }
}

/// A stationary kernel with the bounds of the package, if this build has it.
fn unit(name: &str, l: Vec<f64>, prior: Option<Prior>) -> Result<Option<Box<dyn Kernel>>, String> {
    Ok(Some(match name {
        "se" => bounded(SquaredExponential::new(l), prior)?,
        "matern12" => bounded(Matern12::new(l), prior)?,
        "matern32" => bounded(Matern32::new(l), prior)?,
        "matern52" => bounded(Matern52::new(l), prior)?,
        _ => return Ok(None),
    }))
}

fn bounded<P: StationaryProfile + 'static>(
    kernel: Result<Stationary<P>, KernelError>,
    prior: Option<Prior>,
) -> Result<Box<dyn Kernel>, String> {
    let kernel = kernel.and_then(|kernel| kernel.with_bounds(1e-3, 1e3)).map_err(text)?;
    Ok(Box::new(match prior {
        Some(prior) => kernel.with_prior(prior),
        None => kernel,
    }))
}

/// On targets that are standardised already.
pub(crate) fn settings(noise: Noise, mean: Mean) -> GpSettings {
    GpSettings { noise, mean, standardize_targets: false, ..GpSettings::default() }
}

impl Reference {
    /// Nothing where this build does not know the file's kernel, whose name is the error then.
    pub(crate) fn read(file: &Value) -> Result<Result<Self, String>, String> {
        let (inputs, hyper) = (&file["inputs"], &file["inputs"]["hyper"]);
        let name = inputs["kernel"].as_str().unwrap_or(KERNEL);
        let priors = Some(&inputs["priors"]).filter(|priors| !priors.is_null()).map(Priors);
        let part = |lengthscale: &str, variance: &str| -> Result<Option<Box<dyn Kernel>>, String> {
            let prior = priors.as_ref().map(|p| p.of(lengthscale)).transpose()?;
            let Some(unit) = unit(name, numbers(&hyper[lengthscale])?, prior)? else { return Ok(None) };
            let scaled = Scaled::new(unit, number(&hyper[variance])?).and_then(|k| k.with_bounds(1e-8, 1e4));
            let scaled = scaled.map_err(text)?;
            Ok(Some(match &priors {
                Some(priors) => Box::new(scaled.with_prior(priors.of(variance)?)),
                None => Box::new(scaled),
            }))
        };
        let (Some(common), Some(std_dev)) = (part("lf", "sf2")?, part("ld", "sd2")?) else {
            return Ok(Err(name.into()));
        };
        let mut kernel = Hierarchical::new(common, std_dev, number(&hyper["rho"])?)
            .and_then(|k| k.with_correlation_bounds(1e-14, 1.0 - 1e-9))
            .map_err(text)?;
        if let Some(priors) = &priors {
            kernel = kernel.with_correlation_prior(priors.of("rho")?);
        }
        Ok(Ok(Self {
            x: points(&inputs["X"])?,
            folds: numbers(&inputs["fold"])?.into_iter().map(|fold| fold as usize).collect(),
            z: numbers(&file["standardise"]["z"])?,
            kernel,
            noise: number(&hyper["noise"])?,
            mean: number(&hyper["mean"])?,
            scale: number(&file["standardise"]["sd_of_neg_y"])?,
            center: number(&file["standardise"]["mean_of_neg_y"])?,
            priors: priors.map(|p| Ok::<_, String>((p.of("noise")?, p.of_mean()?))).transpose()?,
        }))
    }

    /// Configurations with the codes of their folds.
    pub(crate) fn observed(&self) -> Points {
        coded(&self.x, self.folds.iter().map(|fold| *fold as f64))
    }

    pub(crate) fn posterior(&self) -> Result<HgpPosterior, String> {
        self.posterior_of(self.mean, &self.z)
    }

    pub(crate) fn posterior_of(&self, mean: f64, z: &[f64]) -> Result<HgpPosterior, String> {
        let settings = settings(Noise::Fixed(self.noise), Mean::Fixed(mean));
        let hgp = Hgp::of_kernel(self.kernel.clone()).with_settings(settings);
        hgp.condition(self.x.as_ref(), &self.folds, z).map_err(text)
    }
}

/// Points with a column of codes.
pub(crate) fn coded(x: &Points, codes: impl Iterator<Item = f64>) -> Points {
    let mut coded = Points::new(x.dim() + 1);
    x.rows().zip(codes).for_each(|(row, code)| coded.push(&[row, &[code]].concat()));
    coded
}
