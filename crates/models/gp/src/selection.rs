//! Model selection among Gaussian processes, with nested cross-validation of the choice.

use thrifty_check::{InputError, length};
use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::Kernel;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Calibration, CalibrationError, Posterior};

use crate::{Gp, GpError, GpPosterior};

/// A process in the selection.
#[derive(Clone)]
pub struct Candidate {
    /// Name of the candidate.
    pub name: String,
    /// The process.
    pub gp: Gp<Box<dyn Kernel>>,
}

/// Score by which a process is selected; higher is better.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Criterion {
    /// Log marginal likelihood at the learnt hyperparameters.
    Evidence,
    /// Mean log predictive density of each target given all others, in closed form at the learnt hyperparameters.
    LeaveOneOut,
    /// Mean log predictive density over folds, each predicted by a fit to the others.
    CrossValidation {
        /// Number of folds.
        folds: usize,
    },
    /// Mean log predictive density of one random share, predicted by a fit to the rest. The share in the active learning protocol is 0.2.
    /// This is cheap and noisy.
    HoldOut {
        /// Share of the observations held out.
        share: f64,
    },
}

/// Outer split of the data for assessing the selection.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Outer {
    /// Each fold is predicted by the process selected on the others.
    Folds(usize),
    /// One random share is predicted by the process selected on the rest.
    HoldOut {
        /// Share of the observations held out.
        share: f64,
    },
}

/// Selected candidate and the scores of all.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Choice {
    /// Index of the candidate with the highest score; the first among equal ones.
    pub best: usize,
    /// Every candidate's score.
    pub scores: Vec<f64>,
}

/// Assessment of the selection on outer splits, which are not used for the selection.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Selection without each outer fold.
    pub choices: Vec<Choice>,
    /// Calibration of the selected candidate on each outer fold.
    pub calibrations: Vec<Calibration>,
}

impl Report {
    /// Mean negative log predictive density over the outer folds.
    #[must_use]
    pub fn nlpd(&self) -> f64 {
        self.calibrations.iter().map(|c| c.nlpd).sum::<f64>() / self.calibrations.len() as f64
    }

    /// Number of times that each candidate was selected.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        let candidates = self.choices.first().map_or(0, |choice| choice.scores.len());
        (0..candidates).map(|i| self.choices.iter().filter(|choice| choice.best == i).count()).collect()
    }
}

/// Error of a model selection.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum SelectionError {
    /// There are no candidates.
    #[error("no candidates, expected at least 1")]
    NoCandidates,
    /// The observations cannot be split in this way.
    #[error("{n} observations cannot be split into {what}, expected at least one on each side")]
    Split {
        /// Number of observations.
        n: usize,
        /// Description of the requested split.
        what: String,
    },
    /// A candidate could not be fitted.
    #[error("candidate {name}: {error}")]
    Fit {
        /// Its name.
        name: String,
        /// The error of the fit.
        error: GpError,
    },
    /// Another number of targets than of points.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A candidate's predictions cannot be scored.
    #[error("candidate {name}: {error}")]
    Score {
        /// Its name.
        name: String,
        /// The error of the calibration.
        error: CalibrationError,
    },
}

/// Scores every candidate on the data.
///
/// # Errors
/// [`SelectionError`]: no candidates, another number of targets than of points, too few observations, a fit that fails.
pub fn select(
    candidates: &[Candidate],
    criterion: Criterion,
    x: PointsRef<'_>,
    y: &[f64],
    rng: &mut Stream,
) -> Result<Choice, SelectionError> {
    if candidates.is_empty() {
        return Err(SelectionError::NoCandidates);
    }
    length("targets", y.len(), x.len())?;
    // All candidates use the same splits.
    let splits = match criterion {
        Criterion::Evidence | Criterion::LeaveOneOut => Vec::new(),
        Criterion::CrossValidation { folds } => split(y.len(), Outer::Folds(folds), rng)?,
        Criterion::HoldOut { share } => split(y.len(), Outer::HoldOut { share }, rng)?,
    };
    let mut score = |candidate: &Candidate| -> Result<f64, SelectionError> {
        match criterion {
            Criterion::Evidence => {
                let fitted = candidate.fitted(x, y, rng)?;
                // Density of the unscaled targets, since candidates may scale them differently.
                Ok(fitted.log_likelihood() - y.len() as f64 * fitted.target_scaling().width.ln())
            }
            Criterion::LeaveOneOut => {
                let judged = candidate.fitted(x, y, rng)?.leave_one_out_calibration();
                Ok(-judged.map_err(|error| candidate.unscored(error))?.nlpd)
            }
            Criterion::CrossValidation { .. } | Criterion::HoldOut { .. } => {
                let mut total = 0.0;
                for held in &splits {
                    total -= candidate.predicted(x, y, held, rng)?.nlpd * held.len() as f64;
                }
                Ok(total / splits.iter().map(Vec::len).sum::<usize>() as f64)
            }
        }
    };
    let scores = candidates.iter().map(&mut score).collect::<Result<Vec<f64>, _>>()?;
    let better = |best, i| if scores[i] > scores[best] { i } else { best };
    let best = (0..scores.len()).reduce(better).unwrap_or(0);
    Ok(Choice { best, scores })
}

/// Selects without each outer fold and predicts that fold with the selected candidate. The folds assess the whole procedure. If the result
/// were used for a selection, it would become an inner score.
///
/// # Errors
/// As [`select`].
pub fn nested(
    candidates: &[Candidate],
    criterion: Criterion,
    outer: Outer,
    x: PointsRef<'_>,
    y: &[f64],
    rng: &mut Stream,
) -> Result<Report, SelectionError> {
    length("targets", y.len(), x.len())?;
    let mut report = Report { choices: Vec::new(), calibrations: Vec::new() };
    for held in split(y.len(), outer, rng)? {
        let (rest_x, rest_y) = without(x, y, &held);
        let choice = select(candidates, criterion, rest_x.as_ref(), &rest_y, rng)?;
        report.calibrations.push(candidates[choice.best].predicted(x, y, &held, rng)?);
        report.choices.push(choice);
    }
    Ok(report)
}

impl Candidate {
    /// A named process with a boxed kernel.
    pub fn new<K: Kernel + Clone>(name: impl Into<String>, gp: &Gp<K>) -> Self {
        let boxed = Gp::new(gp.kernel().clone_box()).with_settings(gp.settings().clone());
        Self { name: name.into(), gp: boxed }
    }

    fn fitted(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        rng: &mut Stream,
    ) -> Result<GpPosterior<Box<dyn Kernel>>, SelectionError> {
        self.gp.fit(x, y, rng).map_err(|error| SelectionError::Fit { name: self.name.clone(), error })
    }

    /// Calibration of predictions of the held-out observations, including noise, by a fit to the others.
    fn predicted(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        held: &[usize],
        rng: &mut Stream,
    ) -> Result<Calibration, SelectionError> {
        let (rest_x, rest_y) = without(x, y, held);
        let fitted = self.fitted(rest_x.as_ref(), &rest_y, rng)?;
        let mut at = Points::new(x.dim());
        held.iter().for_each(|&i| at.push(x.row(i)));
        let (mut mean, mut variance) = (vec![0.0; held.len()], vec![0.0; held.len()]);
        fitted.predict_into(at.as_ref(), &mut mean, &mut variance);
        variance.iter_mut().for_each(|v| *v += fitted.noise_variance());
        let observed: Vec<f64> = held.iter().map(|&i| y[i]).collect();
        Calibration::of(&mean, &variance, &observed).map_err(|error| self.unscored(error))
    }

    fn unscored(&self, error: CalibrationError) -> SelectionError {
        SelectionError::Score { name: self.name.clone(), error }
    }
}

/// All observations except those held out.
fn without(x: PointsRef<'_>, y: &[f64], held: &[usize]) -> (Points, Vec<f64>) {
    let (mut rest_x, mut rest_y) = (Points::new(x.dim()), Vec::new());
    for i in (0..y.len()).filter(|i| !held.contains(i)) {
        rest_x.push(x.row(i));
        rest_y.push(y[i]);
    }
    (rest_x, rest_y)
}

/// Groups of indices that are held out together, in random order.
fn split(n: usize, outer: Outer, rng: &mut Stream) -> Result<Vec<Vec<usize>>, SelectionError> {
    let mut order: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut order);
    match outer {
        Outer::Folds(k) if k >= 2 && k <= n => {
            Ok((0..k).map(|fold| order.iter().skip(fold).step_by(k).copied().collect()).collect())
        }
        Outer::HoldOut { share } if share > 0.0 && share < 1.0 && n >= 2 => {
            let held = ((share * n as f64).round() as usize).clamp(1, n - 1);
            Ok(vec![order[..held].to_vec()])
        }
        Outer::Folds(k) => Err(SelectionError::Split { n, what: format!("{k} folds") }),
        Outer::HoldOut { share } => Err(SelectionError::Split { n, what: format!("a share of {share}") }),
    }
}
