//! Knowledge gradient over configuration and fold.

use thrifty_acquisition::{Acquisition, AcquisitionError, KnowledgeGradient};
use thrifty_domain::PointsRef;

use crate::FoldSurrogateState;
use crate::costs::LogCost;

/// Knowledge gradient over configuration and fold. A configuration has the value of its best fold.
///
/// ```text
/// value(x) = max_j ln KG_j(x) - E ln cost_j(x)
/// ```
///
/// `KG_j` is the expected decrease of the best posterior mean of the target, among the evaluated configurations and x, after fold j is
/// observed at x. It is exact.
///
/// Evaluated configurations that probably break a constraint do not count, unless all do. Their means can be the smallest, and no feasible
/// observation would lower them. Folds that were never observed are equivalent in the model, so one of them represents all (of each
/// repeat). If two folds are equally good, the gradient is that of one of them.
pub struct FoldKnowledge<'a> {
    options: Vec<FoldOption<'a>>,
}

struct FoldOption<'a> {
    fold: usize,
    gain: KnowledgeGradient<'a>,
    cost: LogCost,
}

impl<'a> FoldKnowledge<'a> {
    /// Knowledge gradient over all folds.
    ///
    /// # Errors
    /// [`AcquisitionError`] if nothing was evaluated.
    pub fn new(
        belief: &'a FoldSurrogateState,
        folds: usize,
        repeats: usize,
    ) -> Result<Self, AcquisitionError> {
        let seen = &belief.evidence().folds;
        let pending = &belief.evidence().pending_folds;
        let mut stand_ins = Vec::new();
        for repeat in 0..repeats {
            let all = || repeat * folds..(repeat + 1) * folds;
            let is_seen = |fold: &usize| seen.contains(fold) || pending.contains(fold);
            stand_ins.extend(all().filter(is_seen));
            stand_ins.extend(all().find(|fold| !is_seen(fold)));
        }
        Self::of_folds(belief, &stand_ins)
    }

    /// Knowledge gradient over the given folds.
    ///
    /// # Errors
    /// [`AcquisitionError`] if nothing was evaluated.
    pub fn of_folds(belief: &'a FoldSurrogateState, folds: &[usize]) -> Result<Self, AcquisitionError> {
        let option = |fold: &usize| {
            let ahead = belief.target().fold_lookahead(*fold, belief.baseline());
            let gain = KnowledgeGradient::of(Box::new(ahead))?.logarithm();
            Ok(FoldOption { fold: *fold, gain, cost: belief.costs().of_fold(*fold) })
        };
        Ok(Self { options: folds.iter().map(option).collect::<Result<_, AcquisitionError>>()? })
    }

    /// The best fold at a configuration and its value; the first among equal ones.
    #[must_use]
    pub fn best(&self, x: &[f64]) -> Option<(usize, f64)> {
        let value = |option: &FoldOption<'_>| option.gain.value(x) - option.cost.value(x);
        let values = self.options.iter().map(|option| (option.fold, value(option)));
        values.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// Expected decrease of the best mean by the best fold, without its cost.
    pub(crate) fn gain(&self, x: &[f64]) -> f64 {
        self.options.iter().map(|option| option.gain.value(x).exp()).fold(0.0, f64::max)
    }
}

impl Acquisition for FoldKnowledge<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.fill(f64::NEG_INFINITY);
        let mut values = vec![0.0; x.len()];
        for option in &self.options {
            option.gain.values_into(x, &mut values);
            for ((slot, value), row) in out.iter_mut().zip(&values).zip(x.rows()) {
                *slot = slot.max(value - option.cost.value(row));
            }
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let d = x.dim();
        for (i, row) in x.rows().enumerate() {
            let value = |option: &FoldOption<'_>| option.gain.value(row) - option.cost.value(row);
            let values: Vec<f64> = self.options.iter().map(value).collect();
            let best = (0..values.len()).fold(0, |best, k| if values[k] > values[best] { k } else { best });
            let (option, gradient) = (&self.options[best], &mut gradients[i * d..(i + 1) * d]);
            if !option.gain.values_with_gradients_into(PointsRef::single(row), &mut out[i..=i], gradient) {
                return false;
            }
            out[i] = values[best];
            option.cost.subtract_gradient(row, gradient);
        }
        true
    }
}
