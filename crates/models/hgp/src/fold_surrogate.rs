//! The hierarchical process as a surrogate on configurations with a fold.

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Refit, Starts, is_surprised};
use thrifty_sampling::Stream;
use thrifty_surrogate::{
    Description, EarlierFit, FittedSurrogate, JointGradient, JointPosterior, Observations, Posterior,
    PosteriorGradient, Surrogate, SurrogateError,
};

use crate::{Component, Hgp, HgpError, HgpPosterior};

/// Hierarchical process over configurations and folds, as a surrogate for any optimiser.
///
/// The last parameter of the domain is the fold, discrete with one level per fold. Observations are of single folds. The posterior is that
/// of the mean over all folds: it does not depend on the fold of a point. Its noise variance is the prior variance of one fold around the
/// mean, plus the noise of a measurement.
///
/// Level sets and several objectives can therefore work on single folds: `thrifty_cv::OnFolds` asks them with such a space. The mean of the
/// folds is exact. A look-ahead treats an observation of a fold as one of the mean with that noise.
/// The process is conditioned on all observations of folds. Each ask costs the cube of their number once; a fit costs some hundred times as
/// much. See [`update`](Surrogate::update) for when it learns.
/// Source: hierarchical process of Yerramilli & Apley (2025).
///
/// ```
/// use thrifty_domain::{Domain, Points, Variable};
/// use thrifty_hgp::FoldSurrogate;
/// use thrifty_sampling::Seed;
/// use thrifty_surrogate::{Observations, Surrogate};
/// let domain = Domain::new(vec![Variable::continuous(), Variable::stepped(2)])?;
/// let x = Points::from_rows(&[[0.1, 0.25], [0.1, 0.75], [0.6, 0.25], [0.9, 0.75]])?;
/// let data = Observations::new(x.as_ref(), &[1.0, 1.2, 0.3, 0.9]);
/// let fitted = FoldSurrogate.fit(&domain, data, None, &mut Seed(1).stream("fit", 0))?;
/// let at = |fold: f64| fitted.posterior().predict(&[0.4, fold]);
/// assert_eq!(at(0.25), at(0.75));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FoldSurrogate;

/// Schedule for learning hyperparameters again: that of [`GpSurrogate`](thrifty_gp::GpSurrogate), but with restarts up to 100 observations.
const REFIT: Refit = Refit::WhenNeeded { from: 40, growth: 1.02, restarts_until: 100 };

/// Name in errors and journals.
const NAME: &str = "hierarchical process of folds";

/// The last variable of a domain, as the fold.
struct FoldColumn<'a> {
    domain: &'a Domain,
    /// Number of columns before the fold.
    dim: usize,
    folds: usize,
}

impl<'a> FoldColumn<'a> {
    fn of(domain: &'a Domain) -> Result<Self, SurrogateError> {
        let refuse = |message: String| SurrogateError::failed(NAME, message);
        let last = domain.variables().len().checked_sub(1);
        let Some(last) = last.filter(|last| *last > 0) else {
            return Err(refuse("the space has no parameter beside the fold".into()));
        };
        let folds = domain.variables()[last].levels();
        match folds.and_then(|folds| usize::try_from(folds).ok()).filter(|folds| *folds >= 2) {
            Some(folds) => Ok(Self { domain, dim: domain.columns(last).start, folds }),
            None => Err(refuse("the last parameter is no fold: expected two or more discrete levels".into())),
        }
    }

    fn fold(&self, x: &[f64]) -> usize {
        let last = self.domain.variables().len() - 1;
        self.domain.level(last, x).and_then(|level| usize::try_from(level).ok()).unwrap_or(0)
    }

    /// The domain of the configurations alone.
    fn configurations(&self) -> Result<Domain, SurrogateError> {
        let variables = self.domain.variables();
        Domain::new(variables[..variables.len() - 1].to_vec())
            .map_err(|error| SurrogateError::failed(NAME, error))
    }
}

/// Observations of folds.
struct FoldData<'a> {
    column: &'a FoldColumn<'a>,
    x: Points,
    folds: Vec<usize>,
    y: &'a [f64],
    noise_variances: Vec<f64>,
}

impl<'a> FoldData<'a> {
    fn of(column: &'a FoldColumn<'a>, data: Observations<'a>) -> Self {
        Self {
            column,
            x: without_fold(data.x, column.dim),
            folds: data.x.rows().map(|x| column.fold(x)).collect(),
            y: data.y,
            noise_variances: data.noise_variances(),
        }
    }

    /// Learns the hyperparameters of the model.
    fn learn(&self, model: &Hgp, rng: &mut Stream) -> Result<FittedFolds, SurrogateError> {
        let posterior = model
            .fit_with_noise(self.x.as_ref(), &self.folds, self.y, &self.noise_variances, rng)
            .map_err(|error| SurrogateError::failed(NAME, error))?;
        FittedFolds::new(posterior, self.column, self.y.len())
    }

    /// Conditions the model with its current hyperparameters.
    fn condition(&self, model: &Hgp) -> Result<HgpPosterior, HgpError> {
        model.condition_with_noise(self.x.as_ref(), &self.folds, self.y, &self.noise_variances)
    }
}

impl Surrogate for FoldSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let column = FoldColumn::of(domain)?;
        let mut model = Hgp::on_domain(&column.configurations()?);
        if let Some(warm_start) = warm_start {
            model = model.warm_started(warm_start.to_vec());
        }
        Ok(Box::new(FoldData::of(&column, data).learn(&model, rng)?))
    }

    /// Keeps the hyperparameters as long as [`GpSurrogate`](thrifty_gp::GpSurrogate) does by its default [`Refit`]. Beyond 100
    /// observations, a fit by growth starts only from them.
    fn update(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        earlier: EarlierFit<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let EarlierFit { hyperparameters, learnt_from } = earlier;
        let column = FoldColumn::of(domain)?;
        let model = Hgp::on_domain(&column.configurations()?).warm_started(hyperparameters.to_vec());
        let folds = FoldData::of(&column, data);
        // Discard hyperparameters of another model, and those under which the covariance cannot be factored.
        let keep = |learnt_from| {
            let posterior = folds.condition(&model).ok()?;
            let is_same = posterior.hyperparameters().len() == hyperparameters.len();
            let holds = is_same && !is_surprised(&**posterior.process(), learnt_from);
            if holds { FittedFolds::new(posterior, &column, learnt_from).ok() } else { None }
        };
        let learn = |starts: Starts| {
            let model = model.clone().with_settings(starts.of(model.settings()));
            folds.learn(&model, rng)
        };
        Ok(Box::new(REFIT.plan(learnt_from, data.len()).carry_out(keep, learn)?))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Ok(Description::without_settings(NAME))
    }
}

/// A fitted [`FoldSurrogate`].
struct FittedFolds {
    domain: Domain,
    posterior: HgpPosterior,
    target: TargetPosterior,
    noise_variance: f64,
    /// Number of observations that the hyperparameters were learnt from.
    learnt_from: usize,
}

impl FittedFolds {
    fn new(
        posterior: HgpPosterior,
        column: &FoldColumn<'_>,
        learnt_from: usize,
    ) -> Result<Self, SurrogateError> {
        let failed = |error| SurrogateError::failed(NAME, error);
        let mean = posterior.mean_of(column.folds).map_err(failed)?;
        let center = vec![0.5; column.dim];
        let of_fold = posterior.fold(0).prior_variance(&center).map_err(failed)?;
        let around = (of_fold - mean.prior_variance(&center).map_err(failed)?).max(0.0);
        let noise_variance = posterior.process().noise_variance() + around;
        let target = TargetPosterior { mean, dim: column.domain.dim() };
        Ok(Self { domain: column.domain.clone(), posterior, target, noise_variance, learnt_from })
    }
}

impl FittedSurrogate for FittedFolds {
    fn posterior(&self) -> &dyn Posterior {
        &self.target
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.posterior.hyperparameters()
    }

    fn learnt_from(&self) -> Option<usize> {
        Some(self.learnt_from)
    }

    fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let column = FoldColumn::of(&self.domain)?;
        let at = PointsRef::single(&x[..column.dim]);
        let next = self.posterior.with_observations(at, &[column.fold(x)], &[y]);
        let next = next.map_err(|error| SurrogateError::failed(NAME, error))?;
        Ok(Box::new(FittedFolds::new(next, &column, self.learnt_from)?))
    }
}

/// Posterior of the mean over all folds, at points with a fold.
struct TargetPosterior {
    mean: Component,
    /// Dimension of the points, including the columns of the fold.
    dim: usize,
}

/// The first columns of points.
fn without_fold(x: PointsRef<'_>, dim: usize) -> Points {
    let mut points = Points::new(dim);
    x.rows().for_each(|row| points.push(&row[..dim]));
    points
}

impl TargetPosterior {
    fn strip(&self, x: PointsRef<'_>) -> Points {
        without_fold(x, self.mean.dim())
    }

    /// Writes slopes to the columns of the configuration; those of the fold are 0.
    fn spread(&self, slopes: &[f64], out: &mut [f64]) {
        let dim = self.mean.dim();
        for (slot, own) in out.chunks_exact_mut(self.dim).zip(slopes.chunks_exact(dim)) {
            slot.fill(0.0);
            slot[..dim].copy_from_slice(own);
        }
    }
}

impl Posterior for TargetPosterior {
    fn dim(&self) -> usize {
        self.dim
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.mean.predict_into(self.strip(x).as_ref(), mean, variance);
    }

    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        self.mean.mean_into(self.strip(x).as_ref(), mean);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl PosteriorGradient for TargetPosterior {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        let size = x.len() * self.mean.dim();
        let (mut of_mean, mut of_variance) = (vec![0.0; size], vec![0.0; size]);
        let x = self.strip(x);
        self.mean.predict_with_gradient_into(x.as_ref(), mean, variance, &mut of_mean, &mut of_variance);
        self.spread(&of_mean, mean_gradient);
        self.spread(&of_variance, variance_gradient);
    }
}

impl JointPosterior for TargetPosterior {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.mean.covariance_into(self.strip(x).as_ref(), out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        self.mean.cross_covariance_into(self.strip(a).as_ref(), self.strip(b).as_ref(), out);
    }

    fn prior_scale(&self) -> f64 {
        self.mean.prior_scale()
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }
}

impl JointGradient for TargetPosterior {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let dim = self.mean.dim();
        let mut own = vec![0.0; x.len() * dim];
        self.mean.pull_back_joint(self.strip(x).as_ref(), of_mean, of_covariance, &mut own);
        for (slot, slopes) in grad.chunks_exact_mut(self.dim).zip(own.chunks_exact(dim)) {
            slot.iter_mut().zip(slopes).for_each(|(a, b)| *a += b);
        }
    }
}
