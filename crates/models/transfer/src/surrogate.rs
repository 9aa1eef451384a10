//! Transfer surrogate: an ensemble with sources.

use std::sync::Arc;

use thrifty_domain::{Domain, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{
    Description, EarlierFit, FittedSurrogate, Mixture, Observations, Prediction, Surrogate, SurrogateError,
};

use crate::ensemble::{Ensemble, Weight};
use crate::first_points::first_points;
use crate::leave_out::{left_out, left_out_on_line};
use crate::ranking::{chance_of_agreement, discordant_pairs, ranking_weights};
use crate::source::Source;
use crate::trend::{Trend, Trended};
use crate::{Task, TransferError, TransferSettings};

/// Name in errors and journals.
const NAME: &str = "transfer";

/// Transfer surrogate with earlier tasks: an ensemble of the base surrogate alone and one model per source.
///
/// ```text
/// model s:  y_i = a_s + b_s m_s(x_i) + r_s(x_i)       m_s: mean of source s, fitted once; r_s: the base surrogate on the residuals
/// weights:  w_s = P(model s ranks the left-out observations best), 0 for sources that a guard drops
/// ensemble: mixture of all models; every model has seen every new observation
/// ```
///
/// Two guards drop a source. The first: its means agree with the order of the new observations no better than a random order does with
/// probability [`TransferSettings::chance`]. The second: its median ranking loss exceeds the 95 % quantile of the base surrogate's.
///
/// The base surrogate is fitted first, with the random numbers that it would get alone. Names and order of the sources do not matter. Cost:
/// one fit per source once; then one fit of the base surrogate per source that passes the first guard.
/// Source: weights as in `feurer2018`; residuals as in `golovin2017`, section 3.3.2.
pub struct TransferSurrogate {
    base: Box<dyn Surrogate>,
    dim: usize,
    sources: Vec<Source>,
    settings: TransferSettings,
}

/// Start of a fit.
#[derive(Clone, Copy)]
enum Start<'a> {
    /// Hyperparameters to start from; `None` for a cold start.
    Fit(Option<&'a [f64]>),
    /// Update of an earlier fit.
    Update(EarlierFit<'a>),
}

/// Model with a source, and its predictions of left-out observations.
struct Candidate {
    source: usize,
    model: Trended,
    left_out: Vec<Prediction>,
}

impl TransferSurrogate {
    /// Fits the base surrogate to each task. Without tasks it is the base surrogate.
    ///
    /// # Errors
    /// [`TransferError`] names the task whose data cannot be modelled, whose targets are constant, that is a copy of another, or whose fit
    /// fails. It also rejects a base surrogate with a setting in units of the observations ([`Surrogate::on_scale`]).
    pub fn new(
        base: impl Surrogate + 'static,
        domain: &Domain,
        tasks: Vec<Task>,
    ) -> Result<Self, TransferError> {
        if base.on_scale(&|y| y).is_some() {
            let name = base.describe().map_or_else(|error| error.to_string(), |described| described.name);
            return Err(TransferError::Scale { name });
        }
        let mut sources: Vec<Source> = Vec::with_capacity(tasks.len());
        for task in tasks {
            let source = Source::fit(&task, &base, domain)?;
            if let Some(other) = sources.iter().find(|other| other.hash == source.hash) {
                return Err(TransferError::Duplicate { name: source.name, other: other.name.clone() });
            }
            sources.push(source);
        }
        sources.sort_by_key(|source| source.hash);
        let settings = TransferSettings::default();
        Ok(Self { base: Box::new(base), dim: domain.dim(), sources, settings })
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`TransferError::Setting`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: TransferSettings) -> Result<Self, TransferError> {
        settings.validate()?;
        self.settings = settings;
        Ok(self)
    }

    /// Names of the sources, in the order of their content hashes.
    pub fn source_names(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.name.as_str())
    }

    /// Indices of at most `count` candidates at which a new task may begin. They are good for all sources together, and no two are near each other.
    ///
    /// There are fewer if the other candidates lie within 0.2 √d of those chosen, and none without sources.
    #[must_use]
    pub fn first_points(&self, candidates: PointsRef<'_>, count: usize) -> Vec<usize> {
        let means: Vec<Vec<f64>> = self.sources.iter().map(|source| source.means(candidates)).collect();
        first_points(&means, candidates, count)
    }

    /// Fits as [`Surrogate::fit`], and also returns the weights.
    ///
    /// # Errors
    /// As [`Surrogate::fit`].
    pub fn fit_ensemble(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Ensemble, SurrogateError> {
        self.ensemble(domain, data, Start::Fit(warm_start), rng)
    }

    fn ensemble(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        start: Start<'_>,
        rng: &mut Stream,
    ) -> Result<Ensemble, SurrogateError> {
        data.check(domain.dim())?;
        if domain.dim() != self.dim {
            let (found, expected) = (domain.dim(), self.dim);
            return Err(SurrogateError::Dimension { surrogate: NAME.into(), found, expected });
        }
        let alone = self.fit_base(domain, data, self.part(start, 0), rng)?;
        let own = alone.hyperparameters();
        let candidates = self.candidates(domain, data, start, &own, rng)?;
        let learnt_from = alone.learnt_from();
        let hyperparameters = self.hyperparameters(start, &own, &candidates, learnt_from.is_some());
        let weights = self.weights(&*alone, &candidates, domain, data, rng)?;
        let mut sources: Vec<Weight> =
            self.sources.iter().map(|source| Weight { name: source.name.clone(), weight: 0.0 }).collect();
        let mut models = vec![(weights[0], alone)];
        for (candidate, weight) in candidates.into_iter().zip(&weights[1..]) {
            sources[candidate.source].weight = *weight;
            models.push((*weight, Box::new(candidate.model)));
        }
        models.retain(|(weight, _)| *weight > 0.0);
        let fitted =
            if models.len() == 1 { models.swap_remove(0).1 } else { Box::new(Mixture::new(models)?) };
        Ok(Ensemble { fitted, alone: weights[0], sources, hyperparameters, learnt_from })
    }

    /// Hyperparameters of the model without sources, then of one model per source. With `with_counts`, the numbers of observations that the
    /// latter were learnt from follow, 0 for models that were never fitted. A dropped source keeps its last hyperparameters, or gets those
    /// of the model without sources.
    fn hyperparameters(
        &self,
        start: Start<'_>,
        own: &[f64],
        candidates: &[Candidate],
        with_counts: bool,
    ) -> Vec<f64> {
        let (mut all, mut counts) = (own.to_vec(), Vec::new());
        for source in 0..self.sources.len() {
            let fitted = candidates.iter().find(|candidate| candidate.source == source);
            let learnt = fitted.map(|Candidate { model, .. }| (model.hyperparameters(), model.learnt_from()));
            let kept = || earlier(self.part(start, source + 1)).map(|(part, count)| (part.to_vec(), count));
            let part = learnt.or_else(kept).filter(|(part, _)| part.len() == own.len());
            let (part, count) = part.unwrap_or_else(|| (own.to_vec(), None));
            all.extend(part);
            counts.push(count.unwrap_or(0) as f64);
        }
        if with_counts {
            all.extend(counts);
        }
        all
    }

    /// Start of one of the models; model 0 is the one without sources.
    fn part<'a>(&self, start: Start<'a>, index: usize) -> Start<'a> {
        match start {
            Start::Fit(None) => Start::Fit(None),
            Start::Fit(Some(all)) => Start::Fit(self.part_of(all, index).map(|(own, _)| own)),
            Start::Update(EarlierFit { hyperparameters, learnt_from }) => {
                match self.part_of(hyperparameters, index) {
                    None => Start::Fit(None),
                    Some((own, Some(0))) => Start::Fit(Some(own)),
                    Some((own, count)) => {
                        let learnt_from = learnt_from.map(|alone| count.unwrap_or(alone));
                        Start::Update(EarlierFit { hyperparameters: own, learnt_from })
                    }
                }
            }
        }
    }

    /// Hyperparameters of one of the models, and the number of observations that they were learnt from. The number is `None` for the model
    /// without sources, and in journals from before these counts.
    fn part_of<'a>(&self, all: &'a [f64], index: usize) -> Option<(&'a [f64], Option<usize>)> {
        let models = self.sources.len() + 1;
        let size = all.len() / models;
        let (hyperparameters, counts) = all.split_at(size * models);
        let is_count = |count: &f64| *count >= 0.0 && count.fract() == 0.0;
        let is_of_sources = counts.len() == models - 1 && counts.iter().all(is_count);
        if size == 0 || !(counts.is_empty() || is_of_sources) {
            return None;
        }
        let count = index.checked_sub(1).and_then(|source| counts.get(source));
        Some((&hyperparameters[index * size..(index + 1) * size], count.map(|count| *count as usize)))
    }

    fn fit_base(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        start: Start<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        match start {
            Start::Fit(warm_start) => self.base.fit(domain, data, warm_start, rng),
            Start::Update(earlier) => self.base.update(domain, data, earlier, rng),
        }
    }

    /// Models with the sources that pass the first guard, which compares the order of the observations.
    fn candidates(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        start: Start<'_>,
        own: &[f64],
        rng: &mut Stream,
    ) -> Result<Vec<Candidate>, SurrogateError> {
        let mut candidates = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            let mut values = source.means(data.x);
            let chance = chance_of_agreement(data.len(), discordant_pairs(&values, data.y));
            if data.len() < 2
                || !self.settings.passes(chance)
                || values.iter().any(|value| !value.is_finite())
            {
                continue;
            }
            let means = values.clone();
            let trend = Trend::fit(Arc::clone(&source.fitted), &values, data.y);
            trend.of_means(&mut values);
            let residuals: Vec<f64> = data.y.iter().zip(&values).map(|(y, t)| y - t).collect();
            let left = Observations { y: &residuals, ..data };
            let begin = match self.part(start, index + 1) {
                Start::Fit(None) => Start::Fit(Some(own)),
                begin => begin,
            };
            let residual = self.fit_base(domain, left, begin, rng)?;
            let left_out = left_out_on_line(&*residual, &*self.base, domain, data, &means, rng)?;
            if left_out.iter().all(is_finite) {
                candidates.push(Candidate { source: index, model: Trended { trend, residual }, left_out });
            }
        }
        Ok(candidates)
    }

    /// Weights of the model without sources and of the candidates.
    fn weights(
        &self,
        alone: &dyn FittedSurrogate,
        candidates: &[Candidate],
        domain: &Domain,
        data: Observations<'_>,
        rng: &mut Stream,
    ) -> Result<Vec<f64>, SurrogateError> {
        let none = || {
            let mut weights = vec![0.0; candidates.len() + 1];
            weights[0] = 1.0;
            weights
        };
        if candidates.is_empty() {
            return Ok(none());
        }
        let mut predictions = vec![left_out(alone, &*self.base, domain, data, rng)?];
        if !predictions[0].iter().all(is_finite) {
            return Ok(none());
        }
        predictions.extend(candidates.iter().map(|candidate| candidate.left_out.clone()));
        Ok(ranking_weights(&predictions, data.y, self.settings.draws, rng))
    }
}

/// Hyperparameters of a start, and the number of observations that they were learnt from.
fn earlier(start: Start<'_>) -> Option<(&[f64], Option<usize>)> {
    match start {
        Start::Fit(warm_start) => warm_start.map(|own| (own, None)),
        Start::Update(earlier) => Some((earlier.hyperparameters, earlier.learnt_from)),
    }
}

fn is_finite(prediction: &Prediction) -> bool {
    prediction.mean.is_finite() && prediction.variance >= 0.0 && prediction.variance.is_finite()
}

impl Surrogate for TransferSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(self.ensemble(domain, data, Start::Fit(warm_start), rng)?))
    }

    fn update(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        earlier: EarlierFit<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(self.ensemble(domain, data, Start::Update(earlier), rng)?))
    }

    /// The base surrogate, or the one that it provides for other outputs: earlier tasks only inform the first objective.
    fn for_other_outputs(&self) -> Option<&dyn Surrogate> {
        Some(self.base.for_other_outputs().unwrap_or(&*self.base))
    }

    fn has_earlier_data(&self) -> bool {
        !self.sources.is_empty() || self.base.has_earlier_data()
    }

    /// Name and settings of the base surrogate, settings of the ensemble, and content hash and size of each source.
    fn describe(&self) -> Result<Description, SurrogateError> {
        let base = self.base.describe()?;
        let sources: Vec<(String, usize)> =
            self.sources.iter().map(|source| (format!("{:016x}", source.hash), source.count)).collect();
        let settings = Described { base: (base.name, base.settings), settings: self.settings, sources };
        Description::new(NAME, &settings).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

/// Settings as written to journals.
#[derive(serde::Serialize)]
struct Described<T> {
    base: (String, T),
    settings: TransferSettings,
    sources: Vec<(String, usize)>,
}
