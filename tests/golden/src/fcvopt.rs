//! The hierarchical process: covariances, likelihood, priors, posterior of f, choice of the fold, MAP.

use serde_json::Value;
use thrifty_acquisition::{Acquisition, AcquisitionError, KnowledgeGradient};
use thrifty_domain::Points;
use thrifty_gp::{ExactLikelihood, GpSettings, Mean, Noise};
use thrifty_hgp::Hgp;
use thrifty_kernel::{Kernel, KernelWorkspace, MemberCode};
use thrifty_params::{LogLikelihood, Param, Parameterized};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointPosterior, Posterior, Prediction};

use crate::fcvopt_reference::{Reference, coded, settings};
use crate::findings::Findings;
use crate::json::{number, numbers, points, relative_to_largest, rows, text};
use crate::line::Family;

/// Names, tolerances and errors.
type Errors = Vec<(&'static str, f64, f64)>;

const KNOWN: [&str; 5] = ["made_by", "about", "inputs", "standardise", "K_f"];

/// Parts of the log posterior, which is compared as a whole, and other ways of writing the same numbers.
const PARTS: [&str; 7] = [
    "lml_str",
    "lml_grad",
    "log_prior_official",
    "log_prior_intended_noise",
    "log_prior_total_official",
    "log_prior_total_intended",
    "log_posterior_official",
];

type Compare = fn(&Reference, &Value) -> Result<Errors, String>;

/// Hyperparameters, kernel and priors are those of the file.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    let model = match Reference::read(file)? {
        Ok(model) => model,
        Err(kernel) => {
            findings.unknown(format!("kernel {kernel}"));
            return Ok(findings);
        }
    };
    let sections: [(&str, Compare); 7] = [
        ("K_y_with_noise", |of, file| Ok(vec![("covariances", 1e-14, of.covariances(file)?)])),
        ("lml", Reference::likelihood),
        ("post_f", |of, file| Ok(vec![("posterior of f", 1e-10, of.posterior_of_f(file)?)])),
        ("lcb_kappa2_raw", |of, file| Ok(vec![("lower confidence bound", 1e-10, of.bound(file)?)])),
        ("fold_selection", |of, file| Ok(vec![("folds", 1e-10, of.folds(file)?)])),
        ("kg", |of, file| Ok(vec![("knowledge gradients", 1e-8, of.knowledge_gradients(file)?)])),
        ("map_fit", |of, file| Ok(vec![("maximum a posteriori, above the best", 1e-6, of.maximum(file)?)])),
    ];
    let mut known = [&KNOWN[..], &PARTS, &["K_delta", "log_posterior_intended"]].concat();
    findings.section(file, "log_posterior_intended");
    for (name, compare) in sections {
        known.push(name);
        if findings.section(file, name).is_none() {
            continue;
        }
        if name == "map_fit" && model.priors.is_none() {
            findings.skipped.push("log posterior and map_fit: the priors are not in the file".into());
            continue;
        }
        for (what, tolerance, error) in compare(&model, file).map_err(|error| format!("{name}: {error}"))? {
            let mut family = Family::new(what, tolerance);
            family.add(error);
            findings.extend([family]);
        }
    }
    findings.name_others(file, &known);
    Ok(findings)
}

impl Reference {
    /// Covariances of f alone, of deviations by difference, and of observations.
    fn covariances(&self, file: &Value) -> Result<f64, String> {
        let (x, common) = (self.observed(), coded(&self.x, std::iter::repeat(MemberCode::Common.column())));
        let n = x.len();
        let (mut of_y, mut of_f) = (thrifty_linalg::Matrix::default(), thrifty_linalg::Matrix::default());
        self.kernel.cov_into(x.as_ref(), x.as_ref(), &mut of_y);
        self.kernel.cov_into(common.as_ref(), x.as_ref(), &mut of_f);
        let mut built = thrifty_linalg::Matrix::default();
        self.kernel.forward(x.as_ref(), 1.0, &mut KernelWorkspace::default(), &mut built);
        let (k, f, d) =
            (numbers(&file["K_y_with_noise"])?, numbers(&file["K_f"])?, numbers(&file["K_delta"])?);
        let mut worst: f64 = 0.0;
        for i in 0..n {
            for j in 0..=i {
                let noise = if i == j { self.noise } else { 0.0 };
                let at = i * n + j;
                let pairs = [
                    (of_y[(i, j)] + noise, k[at]),
                    (built[(i, j)] + noise, k[at]),
                    (of_f[(i, j)], f[at]),
                    (of_y[(i, j)] - of_f[(i, j)], d[at]),
                ];
                worst = pairs.iter().fold(worst, |worst, (found, truth)| worst.max((found - truth).abs()));
            }
        }
        Ok(worst)
    }

    /// Errors of the log likelihood, of its gradient, and of the log posterior.
    fn likelihood(&self, file: &Value) -> Result<Errors, String> {
        let (x, mut kernel) = (self.observed(), self.kernel.clone());
        let (prior, mean) = match &self.priors {
            Some((noise, mean)) => (Some(noise.clone()), *mean),
            None => (None, Mean::Learned),
        };
        let noise = Noise::Learned { start: self.noise, floor: 1e-6, ceiling: 10.0, prior };
        let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &self.z, &noise, mean);
        let mut values: Vec<f64> = likelihood.params().iter().map(|param| param.value).collect();
        if let Some(last) = values.last_mut() {
            *last = self.mean;
        }
        likelihood.set_params(&values);
        let mut gradient = vec![0.0; values.len()];
        let found = likelihood.log_likelihood(&mut gradient).map_err(|pivot| format!("pivot {pivot}"))?;
        let of = &file["lml_grad"];
        let names = ["sf2", "lf", "sd2", "ld", "rho", "noise", "mean"];
        let truth = names.iter().map(|name| numbers(&of[*name])).collect::<Result<Vec<_>, _>>()?.concat();
        // Variances, lengthscales and noise by their logarithms there, β and the mean by themselves.
        let rho = values.len() - 3;
        let own: Vec<f64> = (0..values.len())
            .map(|p| if p == rho || p + 1 == values.len() { gradient[p] } else { gradient[p] * values[p] })
            .collect();
        let prior: f64 = likelihood
            .params()
            .iter()
            .zip(&values)
            .filter_map(|(param, value)| param.prior.as_ref().map(|prior| prior.log_density(*value)))
            .sum();
        let mut errors = vec![
            ("log likelihood", 1e-12, (found - number(&file["lml"])?).abs()),
            ("likelihood gradient", 1e-10, relative_to_largest(&own, &truth, 1e-3)),
        ];
        // Without priors in the file there is nothing to add.
        if self.priors.is_some() && !file["log_posterior_intended"].is_null() {
            let error = (found + prior - number(&file["log_posterior_intended"])?).abs();
            errors.push(("log posterior, intended noise prior", 1e-10, error));
        }
        Ok(errors)
    }

    fn posterior_of_f(&self, file: &Value) -> Result<f64, String> {
        let (test, f) = (points(&file["inputs"]["X_test"])?, self.posterior()?.common());
        let m = test.len();
        let (mut mean, mut variance, mut joint) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
        f.predict_into(test.as_ref(), &mut mean, &mut variance);
        f.covariance_into(test.as_ref(), &mut joint);
        let of = &file["post_f"];
        let mut errors = Vec::new();
        for (found, name) in [(&mean, "mean_z"), (&variance, "var_z"), (&joint, "cov_z")] {
            errors.push(relative_to_largest(found, &numbers(&of[name])?, 1e-3));
        }
        let trained: Vec<f64> = self.x.rows().map(|row| f.predict(row).mean).collect();
        errors.push(relative_to_largest(&trained, &numbers(&of["mean_z_at_train"])?, 1e-3));
        // The best is the largest of negated losses.
        let best = (0..trained.len()).fold(0, |best, i| if trained[i] > trained[best] { i } else { best });
        errors.push((best as f64 - number(&of["incumbent_index"])?).abs());
        Ok(errors.into_iter().fold(0.0, f64::max))
    }

    fn bound(&self, file: &Value) -> Result<f64, String> {
        let (test, f) = (points(&file["inputs"]["X_test"])?, self.posterior()?.common());
        let bound = |row: &[f64]| {
            let Prediction { mean, variance } = f.predict(row);
            -(mean * self.scale + self.center) - 2.0 * variance.sqrt() * self.scale
        };
        let found: Vec<f64> = test.rows().map(bound).collect();
        Ok(relative_to_largest(&found, &numbers(&file["lcb_kappa2_raw"])?, 1e-3))
    }

    fn folds(&self, file: &Value) -> Result<f64, String> {
        let posterior = self.posterior()?;
        let count = number(&file["inputs"]["n_folds"])? as usize;
        let all: Vec<usize> = (0..count).collect();
        let mut worst: f64 = 0.0;
        for case in rows(&file["fold_selection"]) {
            let x = numbers(&case["x"])?;
            let before = posterior.common().predict(&x).variance;
            worst = worst.max((before - number(&case["var_f_before"])?).abs());
            for (gain, truth) in
                posterior.common().fold_gains(&x, &all).map_err(text)?.iter().zip(rows(&case["folds"]))
            {
                worst = worst
                    .max((gain.covariance - number(&truth["cov_f_yj"])?).abs())
                    .max((gain.variance - number(&truth["var_yj_incl_noise"])?).abs())
                    .max((gain.remaining - number(&truth["var_f_after"])?).abs());
            }
            let best = posterior.common().best_fold(&x, &all).map_err(text)?;
            worst = worst.max((best as f64 - number(&case["argmin_exact"])?).abs());
        }
        Ok(worst)
    }

    /// Knowledge gradients of f, of f with noise and of every fold, over all configurations of the file.
    fn knowledge_gradients(&self, file: &Value) -> Result<f64, String> {
        // The file maximises negated losses; ours is of losses.
        let losses: Vec<f64> = self.z.iter().map(|z| -z).collect();
        let posterior = self.posterior_of(-self.mean, &losses)?;
        let test = points(&file["inputs"]["X_test"])?;
        let mut worst: f64 = 0.0;
        for case in rows(&file["kg"]) {
            let x = numbers(&case["x"])?;
            let mut set = Points::new(x.len());
            self.x.rows().chain(test.rows()).chain([x.as_slice()]).for_each(|row| set.push(row));
            let common = posterior.common();
            let value = |kg: Result<KnowledgeGradient<'_>, AcquisitionError>| -> Result<f64, String> {
                Ok(kg.map_err(text)?.among_anchors().value(&x))
            };
            let of_loss = |noise| value(KnowledgeGradient::new(&common, set.as_ref(), noise));
            let of_fold =
                |fold| value(KnowledgeGradient::of(Box::new(common.fold_lookahead(fold, set.as_ref()))));
            let mut check = |found: f64, truth: &Value| -> Result<(), String> {
                worst = worst.max((found - number(truth)?).abs());
                Ok(())
            };
            check(of_loss(0.0)?, &case["kg_observe_f"])?;
            check(of_loss(self.noise)?, &case["kg_observe_f_plus_noise"])?;
            for (fold, truth) in rows(&case["kg_observe_fold"]).iter().enumerate() {
                check(of_fold(fold)?, truth)?;
            }
        }
        Ok(worst)
    }

    /// Excess of the negative log posterior that was found over the best of the file.
    ///
    /// There the prior of the noise is taken at `noise - 1e-4 + 1e-6`: noise sits at its floor of 1e-4.
    fn maximum(&self, file: &Value) -> Result<f64, String> {
        let (noise, mean) = self.priors.as_ref().ok_or("no priors")?;
        let noise = Noise::Learned { start: 0.1, floor: 1e-4, ceiling: 10.0, prior: Some(noise.clone()) };
        let settings = GpSettings { restarts: 5, ..settings(noise, *mean) };
        let hgp = Hgp::of_kernel(self.kernel.clone()).with_settings(settings);
        let fitted =
            hgp.fit(self.x.as_ref(), &self.folds, &self.z, &mut Seed(1).stream("fit", 0)).map_err(text)?;
        let process = fitted.process();
        let prior = |param: &Param| {
            let at = if param.name == "noise" { param.value - 1e-4 + 1e-6 } else { param.value };
            param.prior.as_ref().map_or(0.0, |prior| prior.log_density(at))
        };
        let value = -process.log_likelihood() - process.params().iter().map(prior).sum::<f64>();
        Ok((value - number(&file["map_fit"]["best_of_25"]["value"])?).max(0.0))
    }
}
