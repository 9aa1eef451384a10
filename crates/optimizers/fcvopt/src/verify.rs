//! Steps of a verification: its start, its suggestions and its end.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use thrifty_cv::FoldQuery;
use thrifty_study::{Ask, History, OptimizerError, StopReason, Suggestion, TrialId};

use crate::evidence::Evidence;
use crate::optimizer::Request;
use crate::verification::{self, MissingFold, Verification, VerificationPlan};
use crate::{Evaluated, FoldSurrogateState, FractionalCv};

impl FractionalCv {
    /// Ends the search and spends at most `fits` more model fits on verification.
    ///
    /// The best configurations become finalists. Every further ask returns one of their missing folds until all are complete; then asks
    /// stop. Returns the missing folds, in the order in which they will be asked if none fails. There are none if every finalist is already
    /// complete or nothing was measured.
    ///
    /// `history` is the current history of the study. The first trial of the verification records it, so a study that is resumed from its
    /// journal continues it. After a resumption before that trial, call this again. A [`budget`](field@crate::FractionalSettings::budget)
    /// of the settings still applies.
    ///
    /// ```
    /// use thrifty_cv::FoldQuery;
    /// use thrifty_fcvopt::FractionalCv;
    /// use thrifty_sampling::Seed;
    /// use thrifty_space::Space;
    /// use thrifty_study::{Next, Study};
    /// let space = Space::builder().float("x", 0.0, 1.0).build()?;
    /// let loss = |query: &FoldQuery| (query.config.float("x").unwrap_or(f64::NAN) - 0.3).powi(2) + 0.01 * query.fold as f64;
    /// let mut study = Study::new(FractionalCv::new(space, 3)?, Seed(1));
    /// for _ in 0..12 {
    ///     let Next::Evaluate(trial) = study.ask()? else { break };
    ///     study.tell(trial.id, loss(&trial.query))?;
    /// }
    /// study.optimizer().finish_verification(study.history(), 6)?;
    /// while let Next::Evaluate(trial) = study.ask()? {
    ///     study.tell(trial.id, loss(&trial.query))?;
    /// }
    /// assert!(study.recommend()?.is_some_and(|best| best.is_observed()) && study.history().len() <= 18);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`FoldSurrogateState::fit`].
    pub fn finish_verification(
        &self,
        history: &History<FoldQuery>,
        fits: usize,
    ) -> Result<Vec<FoldQuery>, OptimizerError> {
        let end = history.len().saturating_add(fits);
        let request = Request { from: history.len(), end: self.settings.budget.map_or(end, |b| end.min(b)) };
        *self.request.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
        let id = TrialId(history.len() as u64);
        let left = match self.begun(history, id, &mut None)? {
            Some(verification) => {
                let evidence = Evidence::gather(&self.space, &self.settings, history)?;
                verification.missing(&self.space, self.settings.all_folds(), &evidence, history)?
            }
            None => Vec::new(),
        };
        let query = |missing: MissingFold| {
            let config = history.trials()[missing.trial].query.config.clone();
            self.query(config, missing.fold)
        };
        Ok(left.into_iter().flatten().flatten().map(query).collect())
    }

    /// True if the history has a trial of a verification started by [`FractionalCv::finish_verification`]. A resumed study continues it;
    /// another call would start a new one.
    #[must_use]
    pub fn is_finishing(history: &History<FoldQuery>) -> bool {
        Verification::was_requested(history)
    }

    /// The verification in progress, or the one that begins with this trial. `state` is computed only if needed.
    pub(crate) fn begun(
        &self,
        history: &History<FoldQuery>,
        id: TrialId,
        state: &mut Option<FoldSurrogateState>,
    ) -> Result<Option<Verification>, OptimizerError> {
        let request = *self.request.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorded) = self.recorded(history, request.map_or(0, |request| request.from)) {
            return Ok(Some(recorded));
        }
        let folds = self.settings.all_folds();
        let (plan, asked_for) = match (request, self.settings.verification()) {
            (Some(Request { end, .. }), _) => {
                let finalists = self.settings.finalists_or_default();
                (VerificationPlan { finalists, end }, true)
            }
            // Decided without a fit of the model: this number of fits always suffices.
            (None, Some(plan)) if history.len() + plan.finalists * folds >= plan.end => (plan, false),
            _ => return Ok(None),
        };
        let mut begun = Verification { finalists: Vec::new(), end: plan.end, requested: asked_for };
        *state = self.state(history, id)?;
        let Some(state) = state else { return Ok(asked_for.then_some(begun)) };
        let ranked = self.eligible(state);
        let evidence = state.evidence();
        if !asked_for && !verification::is_due(&self.settings, plan, &ranked, evidence, history.len()) {
            return Ok(None);
        }
        let fits = plan.end.saturating_sub(history.len());
        begun.recruit(&ranked, evidence, folds, plan.finalists, fits);
        Ok(Some(begun))
    }

    /// Evaluated configurations that may become finalists, best first: the probably feasible ones if there is one, else all.
    pub(crate) fn eligible<'a>(&self, state: &'a FoldSurrogateState) -> Vec<Evaluated<'a>> {
        let mut ranked = state.ranked(self.settings.incumbent);
        // The feasible ones come first.
        if ranked.first().is_some_and(|first| state.is_probably_feasible(first.x)) {
            ranked.retain(|one| state.is_probably_feasible(one.x));
        }
        ranked
    }

    /// The verification that a trial from number `from` on recorded. `None` for a verification at the end of a budget if there is a larger
    /// one now, or none: then the search continues.
    fn recorded(&self, history: &History<FoldQuery>, from: usize) -> Option<Verification> {
        let recorded = Verification::recorded(history, from)?;
        let outgrown = self.settings.budget.is_none_or(|budget| recorded.end < budget);
        (recorded.requested || !outgrown).then_some(recorded)
    }

    /// Stops, or first verifies if there is a budget for it.
    pub(crate) fn end_of_search(
        &self,
        reason: StopReason,
        state: &FoldSurrogateState,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        let Some(plan) = self.settings.verification() else { return Ok(Ask::Stop(reason)) };
        let mut begun = Verification { finalists: Vec::new(), end: plan.end, requested: false };
        let ranked = self.eligible(state);
        let fits = plan.end.saturating_sub(history.len());
        begun.recruit(&ranked, state.evidence(), self.settings.all_folds(), plan.finalists, fits);
        Ok(match self.verify(begun, history, id)? {
            Ask::Stop(_) => Ask::Stop(reason),
            ask => ask,
        })
    }

    /// True if verification has begun or was requested, begins with the next trial, or its budget is spent. It also counts as begun with
    /// the next trial if the finalists are already complete, although no trial will record it.
    pub(crate) fn is_verifying(
        &self,
        history: &History<FoldQuery>,
        ranked: &[Evaluated<'_>],
        evidence: &Evidence,
    ) -> bool {
        let asked = history.len();
        let is_due = |plan: VerificationPlan| {
            asked >= plan.end || verification::is_due(&self.settings, plan, ranked, evidence, asked)
        };
        self.request.lock().unwrap_or_else(PoisonError::into_inner).is_some()
            || self.settings.verification().is_some_and(is_due)
            || self.recorded(history, 0).is_some()
    }

    /// The next trial of a verification, or its end.
    pub(crate) fn verify(
        &self,
        mut verification: Verification,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        let fits = verification.end.saturating_sub(history.len());
        let folds = self.settings.all_folds();
        let evidence = Evidence::gather(&self.space, &self.settings, history)?;
        let mut states = verification.missing(&self.space, folds, &evidence, history)?;
        let lost = self.settings.finalists_or_default().saturating_sub(states.iter().flatten().count());
        let next = |states: &[Option<Vec<MissingFold>>]| states.iter().flatten().flatten().next().copied();
        if next(&states).is_none()
            && lost > 0
            && fits > 0
            && let Some(state) = self.state(history, id)?
        {
            verification.recruit(&self.eligible(&state), &evidence, folds, lost, fits);
            states = verification.missing(&self.space, folds, &evidence, history)?;
        }
        Ok(match next(&states) {
            Some(MissingFold { trial, fold }) if fits > 0 => {
                let query = self.query(history.trials()[trial].query.config.clone(), fold);
                Ask::Evaluate(Suggestion { query, diagnostics: BTreeMap::new(), memo: verification.memo() })
            }
            // A running fold may fail; then its configuration is replaced.
            _ if fits > 0 && history.pending().next().is_some() => Ask::Wait,
            _ => Ask::Stop(StopReason::Decided {
                message: "the finalists are verified as far as the model fits go".into(),
                numbers: [
                    ("finalists".to_owned(), states.iter().flatten().count() as f64),
                    ("model fits left".to_owned(), fits as f64),
                ]
                .into(),
            }),
        })
    }
}
