//! Hyperparameters of processes on folds: learnt, or kept from an earlier suggestion.

use thrifty_censored::{Limits, Response};
use thrifty_domain::PointsRef;
use thrifty_gp::{FitPlan, Refit, Starts, is_surprised};
use thrifty_hgp::{Hgp, HgpError, HgpPosterior};
use thrifty_model_based::LastFit;
use thrifty_sampling::Stream;
use thrifty_study::TrialId;

use crate::FractionalSettings;

/// Rule for the fits of the loss, the constraints and the costs before a suggestion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Learning {
    refit: Refit,
    /// Starts of a learning fit that has last hyperparameters.
    starts: Starts,
    /// True if a fit from all starts does not use the last hyperparameters.
    starts_afresh: bool,
}

/// Training data of one process: losses, values of a constraint or logarithms of costs.
#[derive(Clone, Copy)]
pub(crate) struct FoldData<'a> {
    pub(crate) x: PointsRef<'a>,
    pub(crate) folds: &'a [usize],
    pub(crate) y: &'a [f64],
    /// Reported noise variances.
    pub(crate) noise_variances: &'a [f64],
    pub(crate) limits: Limits,
}

/// A fitted process, and the number of observations that its hyperparameters were learnt from.
pub(crate) struct FoldFit {
    pub(crate) posterior: HgpPosterior,
    pub(crate) learnt_from: usize,
}

impl FoldFit {
    /// The fit as stored in memos.
    pub(crate) fn to_remember(&self) -> LastFit {
        LastFit { hyperparameters: self.posterior.hyperparameters(), learnt_from: Some(self.learnt_from) }
    }
}

impl Learning {
    /// The rule of the settings for a number of measured folds. Beyond `thorough`, nine fits of ten start only from the last
    /// hyperparameters. Beyond the `restarts_until` of `refit`, all fits by growth do.
    pub(crate) fn of(settings: &FractionalSettings, observations: usize, id: TrialId) -> Self {
        let is_brief = observations > settings.thorough && !id.0.is_multiple_of(10);
        let is_brief = is_brief || settings.refit.is_settled(observations);
        let starts = if is_brief { Starts::Last } else { Starts::All };
        Self { refit: settings.refit, starts, starts_afresh: false }
    }

    /// This rule, but with fits from all starts that do not use the last hyperparameters.
    pub(crate) fn starting_afresh(self) -> Self {
        Self { starts_afresh: true, ..self }
    }

    /// Conditions with the last hyperparameters if the rule keeps them, else learns new ones.
    pub(crate) fn fit(
        self,
        model: &Hgp,
        data: FoldData<'_>,
        last: Option<LastFit>,
        rng: &mut Stream,
    ) -> Result<FoldFit, HgpError> {
        let observations = data.y.len();
        let Some(LastFit { hyperparameters, learnt_from }) = last else {
            return Ok(FoldFit { posterior: data.learn(model, rng)?, learnt_from: observations });
        };
        let keep = |learnt_from| {
            data.keep(model, &hyperparameters, learnt_from)
                .map(|posterior| FoldFit { posterior, learnt_from })
        };
        let learn = |starts: Starts| {
            let is_fresh = self.starts_afresh && starts == Starts::All;
            let start =
                if is_fresh { model.clone() } else { model.clone().warm_started(hyperparameters.clone()) };
            let model = start.with_settings(starts.of(model.settings()));
            Ok(FoldFit { posterior: data.learn(&model, rng)?, learnt_from: observations })
        };
        let plan = self.refit.plan(learnt_from, observations);
        FitPlan { starts: self.starts, ..plan }.carry_out(keep, learn)
    }
}

impl FoldData<'_> {
    fn responses(&self) -> Vec<Response> {
        self.y.iter().map(|y| self.limits.response(*y)).collect()
    }

    /// The posterior under earlier hyperparameters. `None` if the covariance cannot be factored, if the hyperparameters are of another
    /// model, or if the observations after the first `learnt_from` are improbable.
    ///
    /// With limits, the rows of a posterior differ from those of the data. Their probability is then not checked.
    fn keep(&self, model: &Hgp, hyperparameters: &[f64], learnt_from: usize) -> Option<HgpPosterior> {
        let model = model.clone().warm_started(hyperparameters.to_vec());
        let Self { x, folds, y, noise_variances, limits } = *self;
        let posterior = if limits.is_none() {
            model.condition_with_noise(x, folds, y, noise_variances)
        } else {
            model.condition_censored(x, folds, &self.responses(), noise_variances)
        };
        let posterior = posterior.ok()?;
        let is_same = posterior.hyperparameters() == hyperparameters;
        let is_probable = || !limits.is_none() || !is_surprised(&**posterior.process(), learnt_from);
        (is_same && is_probable()).then_some(posterior)
    }

    fn learn(&self, model: &Hgp, rng: &mut Stream) -> Result<HgpPosterior, HgpError> {
        let Self { x, folds, y, noise_variances, limits } = *self;
        if limits.is_none() {
            model.fit_with_noise(x, folds, y, noise_variances, rng)
        } else {
            model.fit_censored(x, folds, &self.responses(), noise_variances, rng)
        }
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_sampling::Seed;

    use super::*;

    /// Beyond `thorough` observations nine fits of ten begin at the last hyperparameters alone; beyond the restarts of `refit` all do.
    #[test]
    fn nine_fits_of_ten_have_one_start_and_then_all() {
        let refit = Refit::WhenNeeded { from: 5, growth: 1.2, restarts_until: 8 };
        let settings = FractionalSettings { thorough: 5, refit, ..FractionalSettings::new(2) };
        let starts = |observations: usize| {
            [7, 10, 11].map(|id| Learning::of(&settings, observations, TrialId(id)).starts)
        };
        assert_eq!(starts(5), [Starts::All; 3]);
        assert_eq!(starts(8), [Starts::Last, Starts::All, Starts::Last]);
        assert_eq!(starts(9), [Starts::Last; 3]);
    }

    /// A smooth loss of two folds, with a little noise.
    fn losses(n: usize) -> (Points, Vec<usize>, Vec<f64>) {
        let x = Points::from_flat((0..n).map(|i| (0.618_034 * i as f64).fract()).collect(), 1);
        let noise = |i: usize| 0.2 * Seed(8).stream("noise", i as u64).uniform();
        let y = (0..n).map(|i| (5.0 * x.row(i)[0]).sin() + 0.2 * (i % 2) as f64 + noise(i)).collect();
        (x, (0..n).map(|i| i % 2).collect(), y)
    }

    /// The fit of the first `n` losses by a rule of twenty observations and a fifth of growth; one of them is moved by `jump`.
    fn fit(n: usize, jump: (usize, f64), limits: Limits, last: Option<LastFit>, id: u64) -> LastFit {
        fit_with(n, jump, limits, last, &mut Seed(id).stream("fit", 0))
    }

    fn fit_with(
        n: usize,
        (at, jump): (usize, f64),
        limits: Limits,
        last: Option<LastFit>,
        rng: &mut Stream,
    ) -> LastFit {
        let refit = Refit::WhenNeeded { from: 20, growth: 1.2, restarts_until: 60 };
        let settings = FractionalSettings { refit, ..FractionalSettings::new(2) };
        let (x, folds, mut y) = losses(n);
        y[at] += jump;
        let noise_variances = &vec![0.0; n];
        let data = FoldData { x: x.as_ref(), folds: &folds, y: &y, noise_variances, limits };
        let learning = Learning::of(&settings, n, TrialId(1));
        learning.fit(&Hgp::matern52(1), data, last, rng).unwrap().to_remember()
    }

    const NONE: Limits = Limits { floor: None, ceiling: None };
    const AS_IT_IS: (usize, f64) = (0, 0.0);

    #[test]
    fn hyperparameters_are_kept_until_growth_or_a_surprise() {
        let first = fit(30, AS_IT_IS, NONE, None, 1);
        assert_eq!(first.learnt_from, Some(30));
        let next = |n: usize, jump, last: &LastFit| fit(n, jump, NONE, Some(last.clone()), 2);
        assert_eq!(next(31, AS_IT_IS, &first), first);
        assert_eq!(next(35, AS_IT_IS, &first), first);
        assert_eq!(next(36, AS_IT_IS, &first).learnt_from, Some(36), "a fifth of growth");
        // What has jumped is new, or was learnt from.
        assert_eq!(next(31, (30, 20.0), &first).learnt_from, Some(31), "a surprise");
        assert_eq!(next(20, AS_IT_IS, &fit(19, AS_IT_IS, NONE, None, 1)).learnt_from, Some(20), "the first");
        assert_eq!(next(21, AS_IT_IS, &fit(19, AS_IT_IS, NONE, None, 1)).learnt_from, Some(19));
    }

    /// Memos without the number, of another model and without a factor are learnt anew.
    #[test]
    fn what_cannot_be_kept_is_learnt_anew() {
        let first = fit(30, AS_IT_IS, NONE, None, 1);
        let next = |last: LastFit| fit(31, AS_IT_IS, NONE, Some(last), 2);
        let older = next(LastFit { learnt_from: None, ..first.clone() });
        assert_eq!(older.learnt_from, Some(31));
        assert_ne!(older.hyperparameters, first.hyperparameters);
        for hyperparameters in [vec![], first.hyperparameters[1..].to_vec(), vec![f64::NAN; 7]] {
            let found = next(LastFit { hyperparameters, ..first.clone() });
            assert_eq!((found.learnt_from, found.hyperparameters.len()), (Some(31), 7));
            assert!(found.hyperparameters.iter().all(|value| value.is_finite()), "{found:?}");
        }
        assert_eq!(
            next(LastFit { learnt_from: Some(32), ..first }).learnt_from,
            Some(31),
            "fewer than learnt from"
        );
    }

    /// Growth alone asks for a fit where losses may be bounds.
    #[test]
    fn bounds_are_learnt_by_growth() {
        let limits = Limits::above(-0.5);
        let first = fit(30, AS_IT_IS, limits, None, 1);
        let next = |n: usize, jump| fit(n, jump, limits, Some(first.clone()), 2);
        assert_eq!(next(35, AS_IT_IS), first);
        assert_eq!(next(31, (30, 20.0)), first, "not judged");
        assert_eq!(next(36, AS_IT_IS).learnt_from, Some(36));
    }

    /// A fit by growth beyond sixty draws no starts; one after a surprise does.
    #[test]
    fn surprises_have_all_starts() {
        let first = fit(60, AS_IT_IS, NONE, None, 1);
        let draws_starts = |n: usize, jump| {
            let stream = || Seed(2).stream("fit", 0);
            let mut rng = stream();
            let found = fit_with(n, jump, NONE, Some(first.clone()), &mut rng);
            (found.learnt_from, rng.uniform() != stream().uniform())
        };
        assert_eq!(draws_starts(72, AS_IT_IS), (Some(72), false));
        assert_eq!(draws_starts(62, (61, 20.0)), (Some(62), true));
    }

    /// Equal losses, every one of them twice, are no error.
    #[test]
    fn equal_and_repeated_losses_are_kept_and_learnt() {
        let (x, _, _) = losses(15);
        let mut twice = Points::new(1);
        (0..30).for_each(|i| twice.push(x.row(i / 2)));
        let refit = Refit::WhenNeeded { from: 20, growth: 1.2, restarts_until: 60 };
        let settings = FractionalSettings { refit, ..FractionalSettings::new(2) };
        let of = |n: usize, last: Option<LastFit>| {
            let data = FoldData {
                x: twice.as_ref().slice(0, n),
                folds: &vec![0; n],
                y: &vec![0.7; n],
                noise_variances: &vec![0.0; n],
                limits: NONE,
            };
            let mut rng = Seed(1).stream("fit", 0);
            let learning = Learning::of(&settings, n, TrialId(1));
            learning.fit(&Hgp::matern52(1), data, last, &mut rng).unwrap().to_remember()
        };
        let first = of(25, None);
        assert_eq!(of(29, Some(first.clone())), first);
        assert_eq!(of(30, Some(first)).learnt_from, Some(30));
    }
}
