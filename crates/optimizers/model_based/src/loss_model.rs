//! Model of the losses, under the transform of the settings or the one that predicts best.

use thrifty_domain::PointsRef;
use thrifty_gp::YeoJohnson;
use thrifty_space::Config;
use thrifty_study::{Memo, MemoKey, OptimizerError, Trial};
use thrifty_surrogate::{Observations, Prediction};

use crate::outputs::OBJECTIVE;
use crate::targets::{Targets, scaled};
use crate::{LossTransform, OutputFitter, OutputModel};

/// The fitted model of the losses with their transform.
pub(crate) struct LossModel {
    pub(crate) transform: Option<YeoJohnson>,
    pub(crate) model: OutputModel,
    /// Choice of the transform; `None` where the settings name it.
    pub(crate) choice: Option<Choice>,
}

/// The chosen transform, and the model under the other one.
pub(crate) struct Choice {
    kept: Kept,
    /// The model that was not chosen. Its hyperparameters start its next fit. `None` if this fit made no new choice.
    passed_over: Option<OutputModel>,
}

impl Choice {
    /// Adds the choice and the hyperparameters of the other model to a memo.
    pub(crate) fn remember(&self, memo: &mut Memo) {
        memo.set(&IS_BENT, &u64::from(self.kept.is_bent));
        memo.set(&CHOSEN_FROM, &self.kept.chosen_from);
        if let Some(model) = &self.passed_over {
            model.remember(memo);
        }
    }
}

/// A choice in the memo of a suggestion.
#[derive(Clone, Copy)]
struct Kept {
    /// True for the upper half, false for losses as they are.
    is_bent: bool,
    /// Number of losses that the choice was made from.
    chosen_from: u64,
}

/// 1 for the upper half, 0 for losses as they are.
static IS_BENT: MemoKey<u64> = MemoKey::new("transform");
static CHOSEN_FROM: MemoKey<u64> = MemoKey::new("transform chosen from");

/// Memo name of the model of untransformed losses, beside the model under a transform.
const STRAIGHT: &str = "losses as they are";

/// Memo name of the model of piecewise constant losses.
const IN_PIECES: &str = "losses in pieces";

/// True if a model of the losses suggested this trial: its memo has hyperparameters of such a model.
#[must_use]
pub fn is_modelled(trial: &Trial<Config>) -> bool {
    [OBJECTIVE, STRAIGHT, IN_PIECES]
        .into_iter()
        .any(|name| trial.memo.contains(&MemoKey::<Vec<f64>>::new(name)))
}

/// Number of losses up to which each fit makes a new choice.
const EVERY_FIT_UNTIL: u64 = 50;

/// Growth factor after which a choice is made again beyond that. A long study then costs little more than one under a named transform.
const GROWTH: f64 = 1.2;

impl Kept {
    /// The last recorded choice; `None` if the number of losses requires a new one.
    fn last(fitter: &OutputFitter<'_>, losses: u64) -> Option<Self> {
        let of = |memo: &Memo| {
            Some(Self { is_bent: memo.get(&IS_BENT)? == 1, chosen_from: memo.get(&CHOSEN_FROM)? })
        };
        let kept = fitter.trials.iter().rev().find_map(|trial| of(&trial.memo))?;
        let holds = losses > EVERY_FIT_UNTIL && (losses as f64) < GROWTH * kept.chosen_from as f64;
        holds.then_some(kept)
    }
}

impl LossModel {
    /// Fits the model, or one per transform to choose from. The first `imputed` losses stand for failures. If the surrogate has a
    /// form for pieces, piecewise constant losses are modelled by it, without a transform.
    ///
    /// # Errors
    /// [`OptimizerError`] when a fit fails.
    pub(crate) fn fit(
        fitter: &OutputFitter<'_>,
        x: PointsRef<'_>,
        losses: &Targets,
        imputed: usize,
        (transform, are_in_pieces): (LossTransform, bool),
    ) -> Result<Self, OptimizerError> {
        if are_in_pieces && let Some(surrogate) = fitter.surrogate.in_pieces() {
            let fitter = OutputFitter { surrogate: &*surrogate, trials: fitter.trials.clone(), ..*fitter };
            return Self::under(&fitter, x, losses, (LossTransform::None, IN_PIECES));
        }
        if transform != LossTransform::Chosen {
            return Self::under(fitter, x, losses, (transform, OBJECTIVE));
        }
        let count = losses.y.len() as u64;
        let kept = Kept::last(fitter, count);
        // A failed fit of the untransformed losses excludes that choice.
        let straight = || Self::under(fitter, x, losses, (LossTransform::None, STRAIGHT)).ok();
        if let Some(kept) = kept.filter(|kept| !kept.is_bent)
            && let Some(straight) = straight()
        {
            return Ok(straight.chosen(kept, None));
        }
        let bent = Self::under(fitter, x, losses, (LossTransform::UpperHalf, OBJECTIVE))?;
        if let Some(kept) = kept {
            return Ok(bent.chosen(Kept { is_bent: true, ..kept }, None));
        }
        // Without leave-one-out predictions there is no criterion; keep the transform.
        let Some(density) = bent.density(losses, imputed) else { return Ok(bent) };
        let of = |is_bent| Kept { is_bent, chosen_from: count };
        Ok(match straight() {
            Some(straight) if straight.density(losses, imputed) > Some(density) => {
                straight.chosen(of(false), Some(bent.model))
            }
            other => bent.chosen(of(true), other.map(|straight| straight.model)),
        })
    }

    /// Fits the model under a transform; `name` is its key in a memo.
    fn under(
        fitter: &OutputFitter<'_>,
        x: PointsRef<'_>,
        losses: &Targets,
        (transform, name): (LossTransform, &str),
    ) -> Result<Self, OptimizerError> {
        let transform = losses.transform(transform);
        let targets = losses.clone().transformed(transform);
        let data = Observations { x, y: &targets.y, noise_variance: targets.noise_variance() };
        let model = match transform {
            None => fitter.fit(name.to_owned(), data)?,
            Some(psi) => fitter.fit_on_scale(name.to_owned(), data, &|loss| scaled(loss, psi))?,
        };
        Ok(Self { transform, model, choice: None })
    }

    /// Sum of the log densities of the measured losses, each predicted from all others, in units of the loss.
    ///
    /// `None` for a model without leave-one-out predictions, and for a mixture: two mixtures would need twice the time and the memo.
    fn density(&self, losses: &Targets, imputed: usize) -> Option<f64> {
        if !self.model.fitted.members().is_empty() {
            return None;
        }
        let one = |(prediction, loss): (Prediction, &f64)| match self.transform {
            None => log_density(prediction, *loss),
            Some(psi) => log_density(prediction, psi.apply(*loss)) + psi.slope(*loss).ln(),
        };
        let predictions = self.model.fitted.leave_one_out()?;
        let sum = predictions.into_iter().zip(&losses.y).skip(imputed).map(one).sum::<f64>();
        // Predictions without a variance must not win the comparison.
        Some(if sum.is_nan() { f64::NEG_INFINITY } else { sum })
    }

    /// Marks this model as the chosen one.
    fn chosen(self, kept: Kept, passed_over: Option<OutputModel>) -> Self {
        Self { choice: Some(Choice { kept, passed_over }), ..self }
    }
}

/// `ln N(y; m, v)` up to a constant.
fn log_density(Prediction { mean, variance }: Prediction, y: f64) -> f64 {
    -0.5 * (variance.ln() + (y - mean).powi(2) / variance)
}
