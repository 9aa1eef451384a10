//! Kernels composed in Python, with hyperparameters that may be fixed and have bounds of their own.

use serde::Deserialize;
use thrifty::domain::PointsRef;
use thrifty::kernel::{
    Constant, Kernel, KernelError, KernelWorkspace, Matern12Profile, Matern32Profile, Matern52Profile,
    Product, RationalQuadratic, Scaled, SquaredExponentialProfile, Stationary, StationaryProfile, Sum,
    WeightedVector,
};
use thrifty::linalg::Matrix;
use thrifty::params::{Param, Parameterized};

use crate::parts::{Affine, EuclideanPeriodic};

/// A hyperparameter; its bounds are those of learning, on a log scale.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hyper {
    value: f64,
    low: f64,
    high: f64,
    is_fixed: bool,
}

/// A kernel as a tree, with the names and formulas of scikit-learn.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Expression {
    Sum { left: Box<Expression>, right: Box<Expression> },
    Product { left: Box<Expression>, right: Box<Expression> },
    Constant { value: Hyper },
    Rbf { length_scale: Vec<Hyper>, is_isotropic: bool },
    Matern { nu: f64, length_scale: Vec<Hyper>, is_isotropic: bool },
    RationalQuadratic { alpha: Hyper, length_scale: Hyper },
    ExpSineSquared { length_scale: Hyper, periodicity: Hyper },
    DotProduct { sigma_0: Hyper },
}

/// Bounds that stop no value: those of learning are in [`Leaf`].
const ANY: (f64, f64) = (1e-300, 1e300);

impl Expression {
    /// The kernel for points of so many columns.
    pub(crate) fn kernel(&self, dim: usize) -> Result<Box<dyn Kernel>, KernelError> {
        Ok(match self {
            Self::Sum { left, right } => Sum::new(left.kernel(dim)?, right.kernel(dim)?)?.clone_box(),
            Self::Product { left, right } => match self.amplified(dim)? {
                Some(leaf) => Box::new(leaf),
                None => Product::new(left.kernel(dim)?, right.kernel(dim)?)?.clone_box(),
            },
            _ => match self.leaf(dim)? {
                Some(leaf) => Box::new(leaf),
                None => unreachable!("what is no sum and no product is a leaf"),
            },
        })
    }

    /// The product of a constant and a leaf as one leaf, whose matrices are made in one pass.
    fn amplified(&self, dim: usize) -> Result<Option<Leaf>, KernelError> {
        let Self::Product { left, right } = self else { return Ok(None) };
        let (value, other, is_first) = match (&**left, &**right) {
            (Self::Constant { value }, other) => (value, other, true),
            (other, Self::Constant { value }) => (value, other, false),
            _ => return Ok(None),
        };
        let Some(Leaf { kernel, mut hypers, mut places }) = other.leaf(dim)? else { return Ok(None) };
        let kernel = Scaled::new(kernel, value.value)?.with_bounds(ANY.0, ANY.1)?;
        if is_first {
            for place in &mut places {
                *place += 1;
            }
        }
        let at = if is_first { 0 } else { hypers.len() };
        hypers.insert(at, value.clone());
        places.insert(0, at);
        Ok(Some(Leaf::of(kernel, hypers, Some(places))))
    }

    /// A kernel that is no sum and no product; nothing for these.
    fn leaf(&self, dim: usize) -> Result<Option<Leaf>, KernelError> {
        Ok(Some(match self {
            Self::Sum { .. } | Self::Product { .. } => return Ok(None),
            Self::Constant { value } => {
                let kernel = Scaled::new(Constant, value.value)?.with_bounds(ANY.0, ANY.1)?;
                Leaf::of(kernel, vec![value.clone()], None)
            }
            Self::Rbf { length_scale, is_isotropic } => {
                stationary::<SquaredExponentialProfile>(dim, length_scale, *is_isotropic)?
            }
            Self::Matern { nu, length_scale, is_isotropic } => match nu {
                0.5 => stationary::<Matern12Profile>(dim, length_scale, *is_isotropic)?,
                1.5 => stationary::<Matern32Profile>(dim, length_scale, *is_isotropic)?,
                _ => stationary::<Matern52Profile>(dim, length_scale, *is_isotropic)?,
            },
            Self::RationalQuadratic { alpha, length_scale } => {
                let kernel =
                    RationalQuadratic::isotropic(dim, length_scale.value)?.with_bounds(ANY.0, ANY.1)?;
                let kernel = kernel.with_alpha_bounds(ANY.0, ANY.1)?.with_alpha(alpha.value)?;
                // The library has the lengthscale first.
                Leaf::of(kernel, vec![alpha.clone(), length_scale.clone()], Some(vec![1, 0]))
            }
            Self::ExpSineSquared { length_scale, periodicity } => {
                let kernel = EuclideanPeriodic::new(length_scale.value, periodicity.value);
                Leaf::of(kernel, vec![length_scale.clone(), periodicity.clone()], None)
            }
            Self::DotProduct { sigma_0 } => Leaf::of(Affine::new(sigma_0.value), vec![sigma_0.clone()], None),
        }))
    }
}

fn stationary<R: StationaryProfile>(
    dim: usize,
    scales: &[Hyper],
    is_isotropic: bool,
) -> Result<Leaf, KernelError> {
    let values = scales.iter().map(|scale| scale.value).collect();
    let kernel = match scales {
        [one] if is_isotropic => Stationary::<R>::isotropic(dim, one.value)?,
        _ => Stationary::<R>::new(values)?,
    };
    Ok(Leaf::of(kernel.with_bounds(ANY.0, ANY.1)?, scales.to_vec(), None))
}

/// A kernel whose hyperparameters have bounds each, in an order of their own; fixed ones are no parameters.
#[derive(Clone)]
struct Leaf {
    kernel: Box<dyn Kernel>,
    hypers: Vec<Hyper>,
    /// Place in `hypers` of each parameter of `kernel`.
    places: Vec<usize>,
}

impl Leaf {
    fn of(kernel: impl Kernel + 'static, hypers: Vec<Hyper>, places: Option<Vec<usize>>) -> Self {
        let places = places.unwrap_or_else(|| (0..hypers.len()).collect());
        let mut leaf = Self { kernel: Box::new(kernel), hypers, places };
        leaf.apply();
        leaf
    }

    /// Hands the hyperparameters to the kernel.
    fn apply(&mut self) {
        let values: Vec<f64> = self.places.iter().map(|place| self.hypers[*place].value).collect();
        self.kernel.set_params(&values);
    }

    /// Adds the slopes of the kernel's parameters to those of the learnt ones.
    fn scatter(&self, inner: &[f64], grad: &mut [f64]) {
        for (slope, place) in inner.iter().zip(&self.places) {
            if let Some(at) = self.learnt(*place) {
                grad[at] += slope;
            }
        }
    }

    /// The parameter that a hyperparameter is; none for a fixed one.
    fn learnt(&self, place: usize) -> Option<usize> {
        let before = || self.hypers[..place].iter().filter(|hyper| !hyper.is_fixed).count();
        (!self.hypers[place].is_fixed).then(before)
    }
}

impl Parameterized for Leaf {
    fn params(&self) -> Vec<Param> {
        let named = self.kernel.params();
        let learnt = self.hypers.iter().enumerate().filter(|(_, hyper)| !hyper.is_fixed);
        let param = |(at, hyper): (usize, &Hyper)| {
            let inner = self.places.iter().position(|place| *place == at);
            let name = inner.map_or("hyperparameter", |inner| &named[inner].name);
            Param::positive(name, hyper.value, hyper.low, hyper.high)
        };
        learnt.map(param).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let learnt = self.hypers.iter_mut().filter(|hyper| !hyper.is_fixed);
        for (hyper, value) in learnt.zip(values) {
            hyper.value = *value;
        }
        self.apply();
    }
}

impl Kernel for Leaf {
    fn dim(&self) -> Option<usize> {
        self.kernel.dim()
    }

    fn num_params(&self) -> usize {
        self.hypers.iter().filter(|hyper| !hyper.is_fixed).count()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.kernel.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let mut inner = vec![0.0; self.places.len()];
        self.kernel.pull_back_pair(x, y, weight, &mut inner);
        self.scatter(&inner, grad);
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        self.kernel.pull_back_input(x, y, weights, grad);
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        self.kernel.cov_into(x, y, out);
    }

    fn eval_each(&self, x: PointsRef<'_>, y: &[f64], out: &mut [f64]) {
        self.kernel.eval_each(x, y, out);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.kernel.diagonal_into(x, out);
    }

    fn has_constant_variance(&self) -> bool {
        self.kernel.has_constant_variance()
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        self.kernel.forward(x, scale, workspace, out);
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let mut inner = vec![0.0; self.places.len()];
        let total = self.kernel.pull_back_params(x, workspace, weights, scale, &mut inner);
        self.scatter(&inner, grad);
        total
    }

    fn derivatives_times(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        by: WeightedVector<'_>,
        out: &mut [f64],
        product: &mut [f64],
    ) -> bool {
        let rows = by.vector.len();
        let mut inner = vec![0.0; self.places.len() * rows];
        if !self.kernel.derivatives_times(x, workspace, by, &mut inner, product) {
            return false;
        }
        for (own, place) in inner.chunks_exact(rows.max(1)).zip(&self.places) {
            if let Some(at) = self.learnt(*place) {
                out[at * rows..(at + 1) * rows].iter_mut().zip(own).for_each(|(slot, term)| *slot += term);
            }
        }
        true
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
