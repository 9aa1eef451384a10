//! Thompson sampling: minima of sample paths.

use thrifty_check::{InputError, dimension};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_optim::{LocalSearch, Objective};
use thrifty_sampling::{MAX_SOBOL_DIM, Sobol, Stream};
use thrifty_surrogate::{Description, JointPosterior, Posterior, SamplePath};

use crate::sampling::{JointNormal, normals, smallest};
use crate::{
    Acquisition, AcquisitionError, AcquisitionFactory, ConditionalDraws, Context, Masked, OverDraws,
    PointPredicate, PosteriorMean, UtilityScale, most_promising,
};

/// Minimum of a function drawn from a posterior, and its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimizer {
    /// x*.
    pub x: Vec<f64>,
    /// f* = f(x*).
    pub value: f64,
}

/// Exact Thompson sampling on finitely many points: the index of the smallest value for each of `count` joint draws.
///
/// ```text
/// argmin_i (μ + L z)_i,   L Lᵀ = Σ,   z standard normal
/// ```
///
/// Each index occurs with the probability that its point is the minimiser. The draws are jointly quasi-random; each is an exact draw. Cost:
/// O(m³) once, O(m²) per draw: up to about 2,000 points.
/// Source: Thompson (1933); Russo & Van Roy (2014).
///
/// # Errors
/// [`AcquisitionError`] for no points, another dimension, or a covariance that cannot be factored.
pub fn thompson_among(
    posterior: &dyn JointPosterior,
    points: PointsRef<'_>,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<usize>, AcquisitionError> {
    Ok(draws(posterior, points, count, rng)?.iter().map(|draw| smallest(draw)).collect())
}

/// The smallest values of `count` joint draws on finitely many points: sampled minima for max-value entropy search.
///
/// # Errors
/// As [`thompson_among`].
pub fn minima_among(
    posterior: &dyn JointPosterior,
    points: PointsRef<'_>,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<f64>, AcquisitionError> {
    Ok(draws(posterior, points, count, rng)?.iter().map(|draw| draw[smallest(draw)]).collect())
}

fn draws(
    posterior: &dyn JointPosterior,
    points: PointsRef<'_>,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<Vec<f64>>, AcquisitionError> {
    let law = JointNormal::of(posterior, points, "points")?;
    Ok(normals(count, law.len(), rng).rows().map(|z| law.sample(z)).collect())
}

/// Utility of a drawn function: its negative value. Its maximiser is a Thompson sample.
pub struct ThompsonPath {
    path: Box<dyn SamplePath>,
}

impl ThompsonPath {
    /// Draws one function from a posterior that supports it.
    ///
    /// # Errors
    /// [`AcquisitionError::Lacks`] if the posterior, or its prior, cannot draw functions.
    pub fn drawn(posterior: &dyn Posterior, rng: &mut Stream) -> Result<Self, AcquisitionError> {
        let paths = posterior.paths().and_then(|paths| paths.sample_paths(1, rng));
        let path = paths.and_then(|mut paths| paths.pop()).ok_or(AcquisitionError::Lacks("sample paths"))?;
        Ok(Self { path })
    }
}

impl From<Box<dyn SamplePath>> for ThompsonPath {
    fn from(path: Box<dyn SamplePath>) -> Self {
        Self { path }
    }
}

impl Acquisition for ThompsonPath {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.path.values_into(x, out);
        out.iter_mut().for_each(|value| *value = -*value);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        for ((x, value), gradient) in x.rows().zip(out).zip(gradients.chunks_exact_mut(x.dim())) {
            *value = -self.path.value_with_gradient(x, gradient);
            gradient.iter_mut().for_each(|slope| *slope = -*slope);
        }
        true
    }

    fn has_unit(&self) -> bool {
        true
    }
}

impl Objective for ThompsonPath {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        Acquisition::values_into(self, x, out);
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        let mut value = [0.0];
        self.values_with_gradients_into(PointsRef::single(x), &mut value, gradient).then_some(value[0])
    }
}

/// Settings of the search of [`minimizers_on`] over a domain.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PathSearch {
    /// Number of Sobol points over the domain at which every function is evaluated.
    pub raw: usize,
    /// Number of gradient searches, from the best of these points.
    pub climbs: usize,
}

impl Default for PathSearch {
    /// 512 points and 3 climbs.
    fn default() -> Self {
        Self { raw: 512, climbs: 3 }
    }
}

/// Minima of `count` functions drawn from a posterior on a domain.
///
/// If the posterior has paths, functions are drawn pathwise (Matheron's rule for a Gaussian process). They are minimised by local search
/// from the best raw points and from the best of `known`. Otherwise the result is the minima of exact joint draws at the raw and known
/// points, which are only as accurate as these points are dense.
/// Cost: about (raw + known + 100 climbs) evaluations of each path; without paths O((raw + known)³).
/// Source: Wilson et al. (2020); Hernández-Lobato et al. (2014), section 2.1.
///
/// # Errors
/// [`AcquisitionError`] for no points at all, another dimension, or a posterior without paths and joint covariances.
pub fn minimizers_on(
    posterior: &dyn Posterior,
    domain: &Domain,
    known: PointsRef<'_>,
    search: &PathSearch,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<Minimizer>, AcquisitionError> {
    let area = SearchArea { domain, known, is_promising: None, joint_limit: usize::MAX };
    minimizers_in(posterior, &area, search, count, rng)
}

/// Points among which a minimum is searched.
#[derive(Clone, Copy)]
pub(crate) struct SearchArea<'r> {
    pub(crate) domain: &'r Domain,
    /// Points that are always included, promising or not.
    pub(crate) known: PointsRef<'r>,
    /// True for other points that may be a minimum; `None` if all may.
    pub(crate) is_promising: Option<&'r PointPredicate<'r>>,
    /// Largest number of known points in a joint distribution.
    pub(crate) joint_limit: usize,
}

impl SearchArea<'_> {
    /// The promising ones of `count` Sobol points, then the known points; all Sobol points if there would be none.
    pub(crate) fn points(&self, count: usize, rng: &mut Stream) -> Points {
        let sobol = feasible_sobol(self.domain, count, rng);
        let mut points = Points::new(self.domain.dim());
        let is_promising = |x: &[f64]| self.is_promising.is_none_or(|is_promising| is_promising(x));
        sobol.rows().filter(|x| is_promising(x)).for_each(|x| points.push(x));
        self.known.rows().for_each(|x| points.push(x));
        if points.is_empty() { sobol } else { points }
    }
}

/// [`minimizers_on`], restricted to the promising points of an area.
pub(crate) fn minimizers_in(
    posterior: &dyn Posterior,
    area: &SearchArea<'_>,
    search: &PathSearch,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<Minimizer>, AcquisitionError> {
    let SearchArea { domain, known, is_promising, joint_limit } = *area;
    dimension("domain", domain.dim(), posterior.dim())?;
    if !known.is_empty() {
        dimension("known points", known.dim(), posterior.dim())?;
    }
    let points = area.points(search.raw, rng);
    if points.is_empty() {
        return Err(InputError::Empty { name: "points to look at" }.into());
    }
    let Some(paths) = posterior.paths().and_then(|paths| paths.sample_paths(count, rng)) else {
        let joint = posterior.joint().ok_or(AcquisitionError::Lacks("sample paths or covariances"))?;
        let kept = most_promising(posterior, points.as_ref(), search.raw.saturating_add(joint_limit));
        let mut some = Points::new(points.dim());
        kept.into_iter().for_each(|i| some.push(points.row(i)));
        let points = some;
        let of = |draw: &Vec<f64>| {
            let best = smallest(draw);
            Minimizer { x: points.row(best).to_vec(), value: draw[best] }
        };
        return Ok(draws(joint, points.as_ref(), count, rng)?.iter().map(of).collect());
    };
    let minimum = |path: ThompsonPath| match is_promising {
        Some(is_promising) => {
            minimum_of(&path, &Masked::new(&path, is_promising), domain, &points, search.climbs)
        }
        None => minimum_of(&path, &path, domain, &points, search.climbs),
    };
    Ok(paths.into_iter().map(|path| minimum(ThompsonPath::from(path))).collect())
}

/// [`minimizers_on`], but only the values.
///
/// # Errors
/// As [`minimizers_on`].
pub fn minima_on(
    posterior: &dyn Posterior,
    domain: &Domain,
    known: PointsRef<'_>,
    search: &PathSearch,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<f64>, AcquisitionError> {
    let minimizers = minimizers_on(posterior, domain, known, search, count, rng)?;
    Ok(minimizers.into_iter().map(|minimizer| minimizer.value).collect())
}

/// Scrambled Sobol points of a domain, snapped to feasible points.
pub(crate) fn feasible_sobol(domain: &Domain, count: usize, rng: &mut Stream) -> Points {
    let dim = domain.dim();
    let mut points = if dim <= MAX_SOBOL_DIM {
        Sobol::scrambled(dim, rng).take(count)
    } else {
        let mut points = Points::zeros(count, dim);
        points.as_flat_mut().iter_mut().for_each(|value| *value = rng.uniform());
        points
    };
    (0..points.len()).for_each(|row| domain.snap(points.row_mut(row)));
    points
}

/// Minimum of a path over these points and over local searches from the best of them. The searches use `masked`, the path restricted to
/// points that may be a minimum.
fn minimum_of(
    path: &ThompsonPath,
    masked: &impl Objective,
    domain: &Domain,
    points: &Points,
    climbs: usize,
) -> Minimizer {
    let mut values = vec![0.0; points.len()];
    Acquisition::values_into(path, points.as_ref(), &mut values);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    let mut best = Minimizer { x: points.row(order[0]).to_vec(), value: -values[order[0]] };
    let search = LocalSearch::of_spread(&values);
    for start in order.iter().take(climbs) {
        let summit = search.maximize(domain, masked, points.row(*start));
        if -summit.value < best.value {
            best = Minimizer { x: summit.x, value: -summit.value };
        }
    }
    best
}

/// Number of Sobol points at which a posterior without paths is drawn.
const GRID: usize = 256;

/// Factory of Thompson sampling: the negative path of one draw from the posterior.
///
/// A posterior that cannot draw paths, for example with a kernel without random features, is drawn jointly at 256 Sobol points and the
/// observed ones. Between them the path is the mean given these values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThompsonSampling;

impl AcquisitionFactory for ThompsonSampling {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        match (ThompsonPath::drawn(context.posterior, context.rng), context.posterior.joint()) {
            (Ok(path), _) => return Ok(Box::new(path)),
            // For example kernels without random features: the posterior offers paths but cannot draw them.
            (Err(AcquisitionError::Lacks(_)), Some(_)) => {}
            (Err(error), _) => return Err(error),
        }
        let (joint, points) = (context.joint()?, context.candidates(GRID));
        let draw = ConditionalDraws::new(joint, points.as_ref(), 1, context.rng)?;
        Ok(Box::new(OverDraws::new(joint, points.as_ref(), draw, vec![Box::new(PosteriorMean)], false)?))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Signed
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("thompson sampling"))
    }

    fn handles_pending(&self) -> bool {
        true
    }

    fn is_averaged(&self) -> bool {
        false
    }
}
