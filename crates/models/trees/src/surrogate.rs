//! Random forests as surrogates.

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::{Seed, Stream};
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Posterior, Surrogate, SurrogateError};

use crate::{Forest, ForestSettings, Table};

/// Random-forest surrogate: mean and variance of the predictions of the trees.
///
/// ```text
/// mean(x) = 1/B Σ_b t_b(x),   variance(x) = 1/B Σ_b (t_b(x) - mean(x))²
/// ```
///
/// The posterior is piecewise constant: without gradients and without joint covariance. Known noise variances are ignored: the
/// bootstrap takes the noise from the targets. Source: Breiman (2001); Hutter, Hoos & Leyton-Brown (2011), section 4.1.
///
/// ```
/// use thrifty_domain::{Domain, Points, Variable};
/// use thrifty_sampling::Seed;
/// use thrifty_surrogate::{Observations, Surrogate};
/// use thrifty_trees::ForestSurrogate;
/// let domain = Domain::new(vec![Variable::continuous()])?;
/// let x = Points::from_flat((0..40).map(|i| f64::from(i) / 39.0).collect(), 1);
/// let y: Vec<f64> = x.rows().map(|p| if p[0] < 0.5 { 1.0 } else { 3.0 }).collect();
/// let data = Observations::new(x.as_ref(), &y);
/// let fitted = ForestSurrogate::default().fit(&domain, data, None, &mut Seed(1).stream("fit", 0))?;
/// assert!((fitted.posterior().predict(&[0.1]).mean - 1.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForestSurrogate {
    /// Settings of the forest. Those that a file leaves out are the [default](ForestSurrogate::default) ones of the surrogate.
    #[serde(deserialize_with = "InFile::deserialize")]
    pub forest: ForestSettings,
}

/// Settings of the forest as they are in a file.
#[derive(serde::Deserialize)]
#[serde(remote = "ForestSettings", default = "default_forest", deny_unknown_fields)]
struct InFile {
    trees: usize,
    features: Option<usize>,
    min_leaf: usize,
    min_split: usize,
    min_decrease: f64,
    max_depth: Option<usize>,
    sample: f64,
}

fn default_forest() -> ForestSettings {
    ForestSettings { min_leaf: 1, ..ForestSettings::default() }
}

impl Default for ForestSurrogate {
    /// 100 trees with leaves of at least one row, five sixths of the features per split, bootstrap samples. Leaves of several rows
    /// would smooth over the data where a search has become dense.
    fn default() -> Self {
        Self { forest: default_forest() }
    }
}

/// Name of the surrogate in errors and journals.
const NAME: &str = "random forest";

/// Largest number of bins per feature.
const BINS: usize = 256;

impl Surrogate for ForestSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        _: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        data.check(domain.dim())?;
        let features = self.forest.features.unwrap_or((5 * domain.dim()).div_ceil(6));
        let settings = ForestSettings { features: Some(features), ..self.forest.clone() };
        let seed = Seed(rng.bits());
        Ok(Box::new(FittedForest::grow(data.x.to_owned(), data.y.to_vec(), settings, seed)?))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new(NAME, self).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

/// A forest with its data, which a fantasy extends.
struct FittedForest {
    posterior: ForestPosterior,
    x: Points,
    y: Vec<f64>,
    settings: ForestSettings,
    seed: Seed,
}

impl FittedForest {
    fn grow(x: Points, y: Vec<f64>, settings: ForestSettings, seed: Seed) -> Result<Self, SurrogateError> {
        let (dim, n) = (x.dim(), y.len() as f64);
        let mean = y.iter().map(|y| y / n).sum::<f64>();
        let width = y.iter().map(|y| (y - mean).powi(2) / n).sum::<f64>().sqrt();
        let width = if width > 0.0 { width } else { 1.0 };
        // Trees hold single precision, which targets of any scale would not fit.
        let offset = offset(&y, mean);
        let targets: Vec<f64> = y.iter().map(|y| (y - offset) / width).collect();
        let forest = Table::new(features(x.as_ref()), dim, BINS)
            .and_then(|table| Forest::fit(&table, &targets, &settings, seed, 1))
            .map_err(|error| SurrogateError::failed(NAME, error))?;
        Ok(Self { posterior: ForestPosterior { forest, dim, offset, width }, x, y, settings, seed })
    }
}

/// Offset of the targets: their mean, or their median where the middle half of them is far from the mean, as beside an outlier. Leaves of
/// single precision have most digits near 0.
fn offset(y: &[f64], mean: f64) -> f64 {
    let mut sorted = y.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quantile =
        |quarters: usize| sorted.get(quarters * y.len().saturating_sub(1) / 4).copied().unwrap_or(mean);
    let (low, median, high) = (quantile(1), quantile(2), quantile(3));
    if high - low < 1e-3 * (median - mean).abs() { median } else { mean }
}

impl FittedSurrogate for FittedForest {
    fn posterior(&self) -> &dyn Posterior {
        &self.posterior
    }

    fn hyperparameters(&self) -> Vec<f64> {
        Vec::new()
    }

    /// A forest grown anew from the same seed.
    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let (mut points, mut targets) = (self.x.clone(), self.y.clone());
        points.push(x);
        targets.push(y);
        Ok(Box::new(Self::grow(points, targets, self.settings.clone(), self.seed)?))
    }
}

/// Mean and variance over the trees of a forest.
struct ForestPosterior {
    forest: Forest,
    dim: usize,
    /// Offset and standard deviation of the targets.
    offset: f64,
    width: f64,
}

impl Posterior for ForestPosterior {
    fn dim(&self) -> usize {
        self.dim
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        assert!(x.dim() == self.dim, "points of dimension {}, the forest has {}", x.dim(), self.dim);
        self.forest.moments_into(&features(x), mean, variance);
        mean.iter_mut().for_each(|mean| *mean = self.offset + self.width * *mean);
        variance.iter_mut().for_each(|variance| *variance *= self.width * self.width);
        // A tree has a leaf for what is no number, as for the least.
        for (i, _) in x.rows().enumerate().filter(|(_, row)| row.iter().any(|value| value.is_nan())) {
            (mean[i], variance[i]) = (f64::NAN, f64::NAN);
        }
    }
}

fn features(x: PointsRef<'_>) -> Vec<f32> {
    x.rows().flatten().map(|value| *value as f32).collect()
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Variable;

    use thrifty_surrogate::Prediction;

    use super::*;

    fn fitted(y: &[f64]) -> Box<dyn FittedSurrogate> {
        let n = y.len();
        let x = Points::from_flat((0..n).map(|i| (i as f64 + 0.5) / n as f64).collect(), 1);
        let domain = Domain::new(vec![Variable::continuous()]).unwrap();
        let data = Observations::new(x.as_ref(), y);
        ForestSurrogate::default().fit(&domain, data, None, &mut Seed(1).stream("fit", 0)).unwrap()
    }

    /// Between two far values trees disagree, depending on which rows they drew; far from the border they do not.
    #[test]
    fn the_variance_is_that_between_trees() {
        let y: Vec<f64> = (0..20).map(|i| if i < 10 { -1.0 } else { 1.0 }).collect();
        let forest = fitted(&y);
        let at_border = forest.posterior().predict(&[0.5]);
        let inside = forest.posterior().predict(&[0.1]);
        assert!(inside.variance < 1e-12 && (inside.mean + 1.0).abs() < 1e-6, "{inside:?}");
        // Trees predict -1 or 1 there: the variance of such a coin is 1 - mean².
        assert!(
            at_border.variance > 0.1 && (at_border.variance - (1.0 - at_border.mean.powi(2))).abs() < 1e-6,
            "{at_border:?}"
        );
    }

    #[test]
    fn a_fantasy_is_an_observation() {
        let forest = fitted(&[0.0; 12]);
        assert_eq!(forest.posterior().predict(&[0.5]), Prediction { mean: 0.0, variance: 0.0 });
        let after = forest.fantasize(&[0.52], 5.0).unwrap();
        let Prediction { mean, variance } = after.posterior().predict(&[0.52]);
        assert!(mean > 1.0 && variance > 0.0, "{mean} {variance}");
        for scale in [1e-12, 1.0, 1e12, 1e150] {
            let constant = fitted(&[3.0 * scale; 5]);
            assert!((constant.posterior().predict(&[0.3]).mean / scale - 3.0).abs() < 1e-12);
            let two = fitted(&[scale, scale, scale, -scale, -scale, -scale]);
            let Prediction { mean, variance } = two.posterior().predict(&[0.5]);
            assert!(mean.abs() < scale && variance > 0.0 && variance <= scale * scale * (1.0 + 1e-6));
        }
    }

    /// Five sixths of the features, rounded up, or as many as are set; the same forest from the same seed alone.
    #[test]
    fn forests_try_five_sixths_of_the_features() {
        assert_eq!(
            ForestSurrogate::default().forest,
            ForestSettings { min_leaf: 1, ..ForestSettings::default() }
        );
        let mut rng = Seed(3).stream("data", 0);
        for (dim, features) in [(1, 1), (2, 2), (3, 3), (6, 5), (7, 6), (12, 10)] {
            let mut x = Points::zeros(30, dim);
            x.as_flat_mut().iter_mut().for_each(|value| *value = rng.uniform());
            let y: Vec<f64> = x.rows().map(|row| row.iter().sum::<f64>().sin()).collect();
            let at = vec![0.4; dim];
            let of = |features: Option<usize>| {
                let forest = ForestSettings { features, ..ForestSurrogate::default().forest };
                let data = Observations::new(x.as_ref(), &y);
                let rng = &mut Seed(1).stream("fit", 0);
                let fitted =
                    ForestSurrogate { forest }.fit(&Domain::unit_cube(dim), data, None, rng).unwrap();
                fitted.posterior().predict(&at)
            };
            assert_eq!(of(None), of(Some(features)), "{dim}");
            assert!((1..=dim).all(|other| other == features || of(Some(other)) != of(None)), "{dim}");
        }
    }

    /// A coordinate that is no number makes a prediction none, and leaves the others of the batch as they are.
    #[test]
    fn a_point_of_nan_has_no_prediction() {
        let x = Points::from_flat((0..40).map(|i| f64::from(i) / 39.0).collect(), 2);
        let y: Vec<f64> = x.rows().map(|p| if p[0] < 0.5 { 1.0 } else { 3.0 }).collect();
        let data = Observations::new(x.as_ref(), &y);
        let rng = &mut Seed(1).stream("fit", 0);
        let forest = ForestSurrogate::default().fit(&Domain::unit_cube(2), data, None, rng).unwrap();
        let at = Points::from_flat(vec![0.1, 0.9, 0.1, f64::NAN, f64::NAN, 0.9, 0.9, 0.1], 2);
        let (mut mean, mut variance) = ([0.0; 4], [0.0; 4]);
        forest.posterior().predict_into(at.as_ref(), &mut mean, &mut variance);
        for (i, at) in at.rows().enumerate() {
            let is_number = !at.iter().any(|value| value.is_nan());
            assert_eq!((mean[i].is_finite(), variance[i].is_finite()), (is_number, is_number), "{at:?}");
        }
    }

    /// Settings that a file leaves out are those of the surrogate, whichever it gives; others are refused.
    #[test]
    fn files_have_the_defaults_of_the_surrogate() {
        let read = |text: &str| serde_json::from_str::<ForestSurrogate>(text);
        let default = ForestSurrogate::default();
        assert_eq!(read("{}").unwrap(), default);
        assert_eq!(read(r#"{"forest":{}}"#).unwrap(), default);
        let more = read(r#"{"forest":{"trees":300}}"#).unwrap();
        assert_eq!(more.forest, ForestSettings { trees: 300, ..default.forest.clone() });
        assert_eq!(read(r#"{"forest":{"min_leaf":5}}"#).unwrap().forest.min_leaf, 5);
        assert_eq!(read(&serde_json::to_string(&more).unwrap()).unwrap(), more);
        assert!(read(r#"{"forest":{"leaves":3}}"#).is_err());
    }

    /// One loss of 1e8 leaves the forest of the others as it was, but where that loss is.
    #[test]
    fn one_far_outlier_does_not_hide_the_others() {
        let good: Vec<f64> = (0..99).map(|i| f64::from(i) / 98.0).collect();
        for outlier in [1e7, 1e8, 1e12] {
            let forest = fitted(&[&good[..], &[outlier]].concat());
            for at in [0.1, 0.3, 0.5, 0.7] {
                let Prediction { mean, variance } = forest.posterior().predict(&[at]);
                assert!((mean - at).abs() < 0.03 && variance < 1e-3, "{outlier}, {at}: {mean} {variance}");
            }
        }
    }

    /// A fantasy is the forest grown from all data with the same seed; there are no hyperparameters and no noise.
    #[test]
    fn fantasies_are_grown_from_the_same_seed() {
        let y = [0.3, 1.0, -2.0, 0.5, 4.0, 1.5];
        let forest = fitted(&y);
        assert!(forest.hyperparameters().is_empty() && forest.noise_variance() == 0.0);
        assert_eq!(forest.posterior().dim(), 1);
        let twice = forest.fantasize(&[0.3], 9.0).unwrap().fantasize(&[0.8], -3.0).unwrap();
        let mut x: Vec<f64> = (0..6).map(|i| (f64::from(i) + 0.5) / 6.0).collect();
        x.extend([0.3, 0.8]);
        let y = [&y[..], &[9.0, -3.0]].concat();
        let points = Points::from_flat(x, 1);
        let data = Observations::new(points.as_ref(), &y);
        let rng = &mut Seed(1).stream("fit", 0);
        let whole = ForestSurrogate::default().fit(&Domain::unit_cube(1), data, None, rng).unwrap();
        for at in [0.1, 0.31, 0.5, 0.79, 0.95] {
            assert_eq!(twice.posterior().predict(&[at]), whole.posterior().predict(&[at]));
        }
        let described = ForestSurrogate::default().describe().unwrap();
        assert_eq!(described.name, "random forest");
        let settings = serde_json::to_value(&described.settings).unwrap();
        assert_eq!(settings["forest"]["min_leaf"], 1);
    }
}
