use std::collections::BTreeMap;

use thrifty_acquisition::{Acquisition, Straddle, Utility};
use thrifty_bo::{Belief, BoSettings, Candidate, GpModel, Model, fingerprint};
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, Optimizer, OptimizerError, StopReason, Suggestion, Trial, TrialId};
use thrifty_surrogate::Posterior;

use crate::criterion::Sight;
use crate::diagnostics::{self, ABOVE};
use crate::progress::Progress;
use crate::{Classified, Criterion, FixedGp, Intervals, Label, LevelSetSettings};

/// Level-set estimation: which points are above a threshold?
///
/// After an initial design, for each trial: form a belief of the objective, classify, stop when nothing is undecided, else suggest the point that the criterion likes best. Points are
/// classified as Gotovos et al. (2013) do, whatever the criterion. Where hyperparameters are known ([`LevelSetOptimizer::with_fixed_model`]) intervals of all
/// steps are intersected; where they are learnt anew intervals of earlier steps were those of another model, and only the current ones count.
///
/// Pending trials: means are as without them, variances as after them, so that a batch spreads. Failed trials teach nothing and are not tried again.
///
/// Recommends the [`Classified`] domain. Diagnostics of a suggestion: `acquisition`, `mean` and `deviation` at it, and those of the state before it: `above`, `undecided`, `misclassified`,
/// `boundary_change`, `mean_variance`, `relative_variance`, `log_expected_improvement`, `threshold`, `beta`, `contradictions`.
pub struct LevelSetOptimizer {
    space: Space,
    seed: Seed,
    settings: LevelSetSettings,
    bo: BoSettings,
    model: Box<dyn Model>,
    cost: Option<KnownCost>,
    /// Intervals of all steps so far, for a model that is fixed.
    progress: Option<Progress>,
    points: Points,
}

/// What an evaluation costs, by name.
struct KnownCost {
    name: String,
    of: Box<dyn Fn(&Config) -> f64 + Send + Sync>,
}

/// What is known before a suggestion.
struct Knowledge<'a> {
    belief: Belief<'a>,
    classified: Classified,
    pending: Points,
    asked: Points,
    cost: Option<&'a KnownCost>,
}

impl LevelSetOptimizer {
    /// With a Matérn-5/2 Gaussian process whose hyperparameters are learnt.
    ///
    /// # Errors
    /// [`OptimizerError`] names the setting that makes no sense or the candidate that is not of the space.
    pub fn new(space: Space, seed: Seed, settings: LevelSetSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        let points = settings.over.points(&space, seed)?;
        let (bo, model) = (settings.as_bo(), Box::new(GpModel::default()));
        Ok(Self { space, seed, settings, bo, model, cost: None, progress: None, points })
    }

    /// With another model that learns.
    #[must_use]
    pub fn with_model(mut self, model: impl Model + 'static) -> Self {
        (self.model, self.progress) = (Box::new(model), None);
        self
    }

    /// With a model that knows its hyperparameters: intervals are intersected.
    #[must_use]
    pub fn with_fixed_model(mut self, model: FixedGp) -> Self {
        (self.model, self.progress) = (Box::new(model), Some(Progress::default()));
        self
    }

    /// With a known cost of each evaluation: criteria that look ahead are then per cost. The name stands in the fingerprint. A cost that is not positive counts as
    /// 1.
    #[must_use]
    pub fn with_cost(mut self, name: &str, cost: impl Fn(&Config) -> f64 + Send + Sync + 'static) -> Self {
        self.cost = Some(KnownCost { name: name.to_owned(), of: Box::new(cost) });
        self
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &LevelSetSettings {
        &self.settings
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The points that are classified, on the unit cube.
    #[must_use]
    pub fn points(&self) -> PointsRef<'_> {
        self.points.as_ref()
    }

    /// What the history says of the domain; nothing before the first measurement.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space, or a fit that fails.
    pub fn classify(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        let id = TrialId(history.len() as u64);
        Ok(self.know(history, id)?.map(|knowledge| knowledge.classified))
    }

    /// Where the mean was above the threshold when a trial was suggested, one a point: learning curves without another fit.
    ///
    /// Nothing for trials of the initial design, and those of another domain.
    #[must_use]
    pub fn above_before(&self, trial: &Trial<Config>) -> Option<Vec<bool>> {
        diagnostics::unpacked(trial.memo.0.get(ABOVE)?, self.points.len())
    }

    fn encoded(
        &self,
        history: &History<Config>,
        which: impl Fn(&Trial<Config>) -> bool,
    ) -> Result<Points, OptimizerError> {
        let mut points = Points::new(self.space.dim());
        for trial in history.trials().iter().filter(|trial| which(trial)) {
            let point = self
                .space
                .encode(&trial.query)
                .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
            points.push(&point);
        }
        Ok(points)
    }

    fn know(
        &mut self,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Option<Knowledge<'_>>, OptimizerError> {
        let asked = self.encoded(history, |_| true)?;
        let pending = self.encoded(history, |trial| trial.outcome.is_none())?;
        let told: Vec<&Trial<Config>> =
            history.trials().iter().filter(|trial| trial.outcome.is_some()).collect();
        if let Some(progress) = &mut self.progress {
            progress.follow(&told, &self.space, &*self.model, &self.points, self.settings.confidence)?;
        }
        let belief = Belief::form(&self.space, &self.bo, &*self.model, &told, self.seed, id)?;
        let Some(belief) = belief else { return Ok(None) };
        let n = self.points.len();
        let (mut mean, mut deviation) = (vec![0.0; n], vec![0.0; n]);
        belief.posterior().predict_into(self.points.as_ref(), &mut mean, &mut deviation);
        deviation.iter_mut().for_each(|variance| *variance = variance.sqrt());
        let beta = self
            .settings
            .confidence
            .beta(belief.losses().len(), n)
            .map_err(|error| OptimizerError::failed("finding the width of intervals", error))?;
        let intervals = match &self.progress {
            Some(progress) => progress.intervals().clone(),
            None => Intervals::of(&mean, &deviation, beta),
        };
        let level = self.settings.threshold.level(&mean, &intervals);
        let accuracy = (self.settings.epsilon, beta);
        let classified = Classified::new(self.points.clone(), (mean, deviation), intervals, level, accuracy);
        Ok(Some(Knowledge { belief, classified, pending, asked, cost: self.cost.as_ref() }))
    }

    /// The next point of the initial design, or any beyond it; nothing when everything was asked.
    fn initial(&self, history: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        let index = history.len();
        let config = self.settings.initial.config(&self.space, self.seed, 0, index).map_err(|error| {
            OptimizerError::failed(format!("initial design, configuration {index}"), error)
        })?;
        if !self.settings.over.is_finite() {
            return Ok(Some(config));
        }
        let near = self
            .space
            .encode(&config)
            .map_err(|error| OptimizerError::failed("encoding the initial design", error))?;
        let asked = self.encoded(history, |_| true)?;
        let distance = |x: &[f64]| x.iter().zip(&near).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let open = self.points.rows().filter(|x| !contains(&asked, x));
        let nearest = open.reduce(|best, next| if distance(next) < distance(best) { next } else { best });
        Ok(nearest.map(|x| self.space.decode(x)))
    }

    fn stop(message: &str, numbers: BTreeMap<String, f64>) -> Ask<Config> {
        Ask::Stop(StopReason::Decided { message: message.into(), numbers })
    }
}

/// A utility divided by what an evaluation costs. No gradient: costs have none.
struct PerCost<'a> {
    acquisition: Box<dyn Acquisition + 'a>,
    cost: &'a KnownCost,
    space: &'a Space,
}

impl Acquisition for PerCost<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.acquisition.values_into(x, out);
        for (x, value) in x.rows().zip(out) {
            let cost = (self.cost.of)(&self.space.decode(x));
            *value /= if cost > 0.0 { cost } else { 1.0 };
        }
    }
}

fn contains(points: &Points, x: &[f64]) -> bool {
    points.rows().any(|known| known == x)
}

/// The first index of the largest value; NaN is never the largest.
fn largest(values: &[f64]) -> Option<usize> {
    let better = |best: usize, next: usize| {
        if values[next] > values[best] || values[best].is_nan() { next } else { best }
    };
    (0..values.len()).reduce(better)
}

impl Knowledge<'_> {
    /// What the settings' criterion likes best.
    fn choose(
        &self,
        settings: &LevelSetSettings,
        seed: Seed,
        id: TrialId,
    ) -> Result<Option<Candidate>, OptimizerError> {
        let imagined = self.belief.imagining(self.pending.as_ref());
        let now = self.belief.posterior();
        let after = imagined.as_ref().map_or(now, |model| model.posterior());
        let open = self.open(settings);
        if settings.over.is_finite() && open.is_empty() {
            return Ok(None);
        }
        if settings.criterion == Criterion::Random {
            let mut rng = seed.stream("random point", id.0);
            if settings.over.is_finite() {
                let x = open.row(rng.index(open.len())).to_vec();
                return Ok(Some(Candidate { x, value: 0.0 }));
            }
            let space = self.belief.space();
            let x = space
                .encode(&space.sample(&mut rng))
                .map_err(|error| OptimizerError::failed("encoding a random point", error))?;
            return Ok(self.belief.first_new(vec![Candidate { x, value: 0.0 }]));
        }
        if settings.criterion == Criterion::Ambiguity {
            return Ok(self.most_ambiguous(settings, after));
        }
        let undecided: Vec<bool> =
            self.classified.labels().iter().map(|label| *label == Label::Undecided).collect();
        let sight = Sight {
            now,
            after,
            points: self.classified.points(),
            threshold: self.classified.level().estimate,
            noise: self.belief.noise(),
            integration: settings.integration,
            undecided: &undecided,
            beta: self.classified.accuracy().1,
            spread: diagnostics::sample_variance(self.belief.losses()).sqrt(),
        };
        let failed = |error| OptimizerError::failed("building the criterion", error);
        let acquisition =
            settings.criterion.on(&sight, &mut seed.stream("criterion", id.0)).map_err(failed)?;
        let Some(acquisition) = acquisition else { return Ok(None) };
        let acquisition: Box<dyn Acquisition + '_> = match self.cost {
            Some(cost) if settings.criterion.looks_ahead() => {
                Box::new(PerCost { acquisition, cost, space: self.belief.space() })
            }
            _ => acquisition,
        };
        if settings.over.is_finite() {
            let shortlist = settings.criterion.looks_ahead().then_some(settings.shortlist);
            return Ok(best_of(&*acquisition, &sight, &open, shortlist));
        }
        let mut found = self.belief.maximise(&*acquisition, "acquisition");
        found.retain(|candidate| !contains(&self.pending, &candidate.x));
        Ok(self.belief.first_new(found))
    }

    /// Points that may be evaluated: those not asked, or all.
    fn open(&self, settings: &LevelSetSettings) -> Points {
        if settings.revisit {
            return self.classified.points().to_owned();
        }
        let mut open = Points::new(self.asked.dim());
        self.classified.points().rows().filter(|x| !contains(&self.asked, x)).for_each(|x| open.push(x));
        open
    }

    /// By the intervals that classify, cut down to what is left of them after pending trials.
    fn most_ambiguous(&self, settings: &LevelSetSettings, after: &dyn Posterior) -> Option<Candidate> {
        let (points, intervals) = (self.classified.points(), self.classified.intervals());
        let (level, width) = (self.classified.level(), self.classified.accuracy().1.sqrt());
        let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        after.predict_into(points, &mut mean, &mut variance);
        let implicit = level.pessimistic < level.optimistic;
        // Where nothing undecided is left to evaluate, anything that is.
        let undecided = (0..points.len()).any(|i| {
            self.classified.labels()[i] == Label::Undecided
                && (settings.revisit || !contains(&self.asked, points.row(i)))
        });
        let value = |i: usize| {
            let x = points.row(i);
            let known = if settings.revisit { contains(&self.pending, x) } else { contains(&self.asked, x) };
            let decided = undecided && self.classified.labels()[i] != Label::Undecided;
            // For an implicit threshold also where the maximum may be.
            let may_be_maximum = implicit
                && matches!(settings.threshold, crate::Threshold::Implicit { omega }
                    if omega * intervals.upper[i] >= level.pessimistic);
            if known || (decided && !may_be_maximum) {
                return f64::NEG_INFINITY;
            }
            let deviation = variance[i].sqrt();
            let (lower, upper) = (
                intervals.lower[i].max(mean[i] - width * deviation),
                intervals.upper[i].min(mean[i] + width * deviation),
            );
            if implicit { upper - lower } else { (upper - level.estimate).min(level.estimate - lower) }
        };
        let values: Vec<f64> = (0..points.len()).map(value).collect();
        let best = largest(&values).filter(|i| values[*i] > f64::NEG_INFINITY)?;
        Some(Candidate { x: points.row(best).to_vec(), value: values[best] })
    }
}

/// The best of finitely many points; where none is worth anything the least certain.
fn best_of(
    acquisition: &dyn Acquisition,
    sight: &Sight<'_>,
    open: &Points,
    shortlist: Option<usize>,
) -> Option<Candidate> {
    let (mut mean, mut variance) = (vec![0.0; open.len()], vec![0.0; open.len()]);
    let mut listed: Vec<usize> = (0..open.len()).collect();
    sight.after.predict_into(open.as_ref(), &mut mean, &mut variance);
    if let Some(count) = shortlist.filter(|count| *count < open.len()) {
        let straddle = Straddle { threshold: sight.threshold, kappa: 1.96 };
        let worth = |i: usize| straddle.value(mean[i], variance[i].sqrt());
        listed.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)));
        listed.truncate(count);
        listed.sort_unstable();
    }
    let mut points = Points::new(open.dim());
    listed.iter().for_each(|i| points.push(open.row(*i)));
    let mut values = vec![0.0; points.len()];
    acquisition.values_into(points.as_ref(), &mut values);
    let mut best = largest(&values)?;
    if values.iter().all(|value| *value == values[best]) {
        let least: Vec<f64> = listed.iter().map(|i| variance[*i]).collect();
        best = largest(&least)?;
    }
    Some(Candidate { x: points.row(best).to_vec(), value: values[best] })
}

impl Optimizer for LevelSetOptimizer {
    type Query = Config;
    type Recommendation = Classified;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let designed = history.len() < self.settings.initial.len(&self.space);
        if designed && let Some(config) = self.initial(history)? {
            return Ok(Ask::Evaluate(Suggestion::new(config)));
        }
        let (settings, seed) = (self.settings.clone(), self.seed);
        let Some(knowledge) = self.know(history, id)? else {
            let config = self.initial(history)?;
            let waits = history.pending().next().is_some();
            return Ok(match config {
                Some(config) => Ask::Evaluate(Suggestion::new(config)),
                None if waits => Ask::Wait,
                None => Ask::Stop(StopReason::Exhausted),
            });
        };
        let numbers = diagnostics::of(&knowledge.classified, knowledge.belief.losses(), history);
        if settings.stop_when_certified && knowledge.classified.is_certified() {
            return Ok(Self::stop("every point is classified", numbers));
        }
        if let Some(rule) = &settings.stop {
            let mut series: Vec<&BTreeMap<String, f64>> =
                history.trials().iter().map(|trial| &trial.diagnostics).collect();
            series.push(&numbers);
            if rule.holds(&series) {
                return Ok(Self::stop("diagnostics of the level set", numbers));
            }
        }
        let Some(chosen) = knowledge.choose(&settings, seed, id)? else {
            let waits = !knowledge.pending.is_empty();
            return Ok(if waits { Ask::Wait } else { Ask::Stop(StopReason::Exhausted) });
        };
        let (mean, variance) = knowledge.belief.posterior().predict(&chosen.x);
        let mut suggestion = Suggestion::new(knowledge.belief.space().decode(&chosen.x))
            .with_diagnostic("acquisition", chosen.value)
            .with_diagnostic("mean", mean)
            .with_diagnostic("deviation", variance.sqrt());
        suggestion.diagnostics.extend(numbers);
        suggestion.memo = knowledge.belief.memo();
        let above = diagnostics::packed(&knowledge.classified.predicted_above());
        suggestion.memo.0.insert(ABOVE.to_owned(), above);
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        self.classify(history)
    }

    fn fingerprint(&self) -> String {
        let fixed = if self.progress.is_some() { "fixed " } else { "" };
        let cost = self.cost.as_ref().map_or(String::new(), |cost| format!(" per {}", cost.name));
        let method = format!("level set with {fixed}{}{cost}", self.model.fingerprint());
        fingerprint(&method, &self.settings, self.seed, &self.space)
    }
}
