//! Kernels from outside, written with public items alone: one with passes of its own, and a profile with a parameter.

use proptest::prelude::*;
use rand_distr::{Distribution, Gamma};
use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::{
    Kernel, KernelWorkspace, Linear, Matern52, ProfileParam, RationalQuadratic, Stationary,
    StationaryProfile, Warped, WhiteNoise, check_on, contract, kernel_operators,
};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::{Seed, Stream};

/// Cauchy kernel: `k(x, y) = 1 / (1 + ‖x - y‖² / ℓ²)`, for points of any dimension.
#[derive(Debug, Clone, PartialEq)]
struct Cauchy {
    lengthscale: Param,
}

impl Cauchy {
    fn new(lengthscale: f64) -> Self {
        let prior = Prior::Gamma { shape: 2.0, rate: 1.0 };
        Self { lengthscale: Param::positive("lengthscale", lengthscale, 0.01, 100.0).with_prior(Some(prior)) }
    }
}

kernel_operators!(Cauchy);

impl Parameterized for Cauchy {
    fn params(&self) -> Vec<Param> {
        vec![self.lengthscale.clone()]
    }

    fn set_params(&mut self, values: &[f64]) {
        assert_eq!(values.len(), 1, "one lengthscale");
        self.lengthscale.value = values[0];
    }
}

impl Kernel for Cauchy {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn num_params(&self) -> usize {
        1
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let l = self.lengthscale.value;
        1.0 / (1.0 + x.iter().zip(y).map(|(x, y)| ((x - y) / l).powi(2)).sum::<f64>())
    }

    /// `∂k/∂ℓ = 2 (k - k²) / ℓ`.
    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let k = self.eval(x, y);
        grad[0] += weight * 2.0 * k * (1.0 - k) / self.lengthscale.value;
    }

    /// `∂k/∂x_d = -2 k² (x_d - y_d) / ℓ²`.
    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, w) in y.rows().zip(weights) {
            let slope = -2.0 * w * (self.eval(x, y) / self.lengthscale.value).powi(2);
            grad.iter_mut().zip(x).zip(y).for_each(|((slot, x), y)| *slot += slope * (x - y));
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }

    /// Keeps the covariances, from which the gradient follows without the points.
    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        self.cov_into(x, x, &mut workspace.values);
        out.resize(x.len(), x.len());
        for j in 0..x.len() {
            let kept = workspace.values.column(j);
            out.column_mut(j).iter_mut().zip(kept).for_each(|(slot, k)| *slot = scale * k);
        }
    }

    fn pull_back_params(
        &self,
        _x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let (mut total, mut slope) = (0.0, 0.0);
        for j in 0..weights.cols() {
            for (w, k) in weights.column(j)[j..].iter().zip(&workspace.values.column(j)[j..]) {
                total += w * k;
                slope += w * k * (1.0 - k);
            }
        }
        grad[0] += scale * 2.0 * slope / self.lengthscale.value;
        total
    }
}

/// `k = (1 + q)^(-β)`: a rational quadratic whose lengthscale is that of the tail.
#[derive(Debug, Clone, Copy)]
struct PowerProfile {
    exponent: f64,
}

impl StationaryProfile for PowerProfile {
    const NAME: &'static str = "power";
    const PARAMS: &'static [ProfileParam] =
        &[ProfileParam { name: "exponent", start: 0.5, low: 0.1, high: 5.0 }];
    const FAR: f64 = 1e300;

    fn from_params(values: &[f64]) -> Self {
        Self { exponent: values[0] }
    }

    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64) {
        let k = (1.0 + q).powf(-self.exponent);
        (k, 2.0 * self.exponent * k / (1.0 + q))
    }

    fn param_slope<const FMA: bool>(&self, _p: usize, q: f64) -> f64 {
        -q.ln_1p() * (1.0 + q).powf(-self.exponent)
    }

    fn spectral_mixture(&self, rng: &mut Stream) -> f64 {
        2.0 * Gamma::new(self.exponent, 1.0).expect("a positive exponent").sample(rng)
    }
}

fn points() -> impl Strategy<Value = Points> {
    (1_usize..20).prop_flat_map(|n| {
        let value = prop_oneof![4 => 0.0..1.0_f64, 1 => Just(0.0)];
        prop::collection::vec(value, 2 * n).prop_map(|data| Points::from_flat(data, 2))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_kernel_and_its_compositions_obey_the_contract(x in points(), lengthscale in 0.1..3.0_f64) {
        let own = || Cauchy::new(lengthscale);
        let smooth = || Matern52::new(vec![0.5, 0.8]).unwrap();
        let boxed: Box<dyn Kernel> = Box::new(own() + smooth());
        let kernels: Vec<Box<dyn Kernel>> = vec![
            Box::new(own()),
            Box::new(2.5 * own()),
            Box::new(own() * smooth() + smooth() * own()),
            Box::new(0.5 * own() + 0.1 * WhiteNoise),
            Box::new(boxed.clone() * own() + boxed),
            Box::new(Warped::new(own() * Linear::new(vec![1.0, 0.3]).unwrap(), 2).unwrap()),
        ];
        for kernel in kernels {
            contract::check(&*kernel, x.as_ref(), &mut Seed(7).stream("features", 0)).unwrap();
            check_on(&*kernel, x.as_ref()).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_profile_with_a_parameter_makes_a_kernel(x in points(), l in 0.1..3.0_f64, exponent in 0.2..3.0_f64) {
        let kernel = Stationary::<PowerProfile>::new(vec![l, 0.5]).unwrap();
        let kernel = kernel.with_profile_param("exponent", exponent).unwrap();
        contract::check(&kernel, x.as_ref(), &mut Seed(8).stream("features", 0)).unwrap();
        let isotropic = Stationary::<PowerProfile>::isotropic(2, l).unwrap();
        contract::check(&isotropic, x.as_ref(), &mut Seed(9).stream("features", 0)).unwrap();
        // The rational quadratic of lengthscale ℓ' has ℓ² = 2 α ℓ'².
        let scale = (2.0 * exponent).sqrt();
        let same = RationalQuadratic::new(vec![l / scale, 0.5 / scale]).unwrap().with_alpha(exponent).unwrap();
        let (ours, own) = (same.eval(x.row(0), &[0.3, 0.4]), kernel.eval(x.row(0), &[0.3, 0.4]));
        prop_assert!((ours - own).abs() <= 1e-14, "{} against {}", ours, own);
    }
}

#[test]
fn bounds_and_priors_reach_the_composition() {
    let params = (Cauchy::new(0.5) + 2.0 * Cauchy::new(3.0)).params();
    let names: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!(names, ["left.lengthscale", "right.variance", "right.lengthscale"]);
    assert_eq!((params[2].low, params[2].high), (0.01, 100.0));
    assert_eq!(params[2].prior, Some(Prior::Gamma { shape: 2.0, rate: 1.0 }));
}
