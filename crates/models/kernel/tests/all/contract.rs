//! The contract rejects kernels that are wrong in one respect.

use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::contract::{self, Law, Violation};
use thrifty_kernel::{Features, Kernel, KernelWorkspace, Matern52, Warped};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized, Transform};
use thrifty_sampling::{Seed, Stream};

/// Faults of a kernel, each of 0.1 % or in one entry, but for the last ones.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    Asymmetry,
    Cross,
    Forward,
    Diagonal,
    Pair,
    Params,
    WeightedSum,
    Input,
    Inputs,
    /// One fault in both functions, so that only finite differences show it.
    InputAndInputs,
    /// One fault in both functions, so that only finite differences show it.
    PairAndParams,
    /// Features of another kernel, 5 % off.
    Features,
    /// NaN between the points that are furthest apart.
    Nan,
    /// Covariances off the diagonal too large by half.
    Indefinite,
    /// A negative variance.
    NegativeVariance,
    /// No pair of points shows that it is indefinite.
    IndefiniteOfThree,
    /// A parameter that stays as it was.
    SetParams,
}

#[derive(Clone)]
struct Faulty {
    kernel: thrifty_kernel::Stationary<thrifty_kernel::Matern52Profile>,
    fault: Fault,
}

impl Faulty {
    fn factor(&self, fault: Fault) -> f64 {
        if self.fault == fault { 1.001 } else { 1.0 }
    }
}

impl Parameterized for Faulty {
    fn params(&self) -> Vec<Param> {
        self.kernel.params()
    }

    fn set_params(&mut self, values: &[f64]) {
        let kept = self.kernel.lengthscales()[1];
        let last = if self.fault == Fault::SetParams { kept } else { values[1] };
        self.kernel.set_params(&[values[0], last]);
    }
}

impl Kernel for Faulty {
    fn dim(&self) -> Option<usize> {
        self.kernel.dim()
    }

    fn num_params(&self) -> usize {
        self.kernel.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let above = if x[0] > y[0] { self.factor(Fault::Asymmetry) } else { 1.0 };
        let distance = (x[0] - y[0]).abs();
        match self.fault {
            Fault::Nan if distance > 0.65 => f64::NAN,
            Fault::Indefinite if distance > 0.0 => 1.5 * self.kernel.eval(x, y),
            Fault::NegativeVariance => -self.kernel.eval(x, y),
            // Neighbours are alike, others unlike: three points in a row cannot be so.
            Fault::IndefiniteOfThree => {
                if distance < 0.35 {
                    1.0 - 0.1 * distance
                } else {
                    0.0
                }
            }
            _ => above * self.kernel.eval(x, y),
        }
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let factor = self.factor(Fault::Pair) * self.factor(Fault::PairAndParams);
        self.kernel.pull_back_pair(x, y, factor * weight, grad);
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let weights: Vec<f64> = weights
            .iter()
            .map(|w| self.factor(Fault::Input) * self.factor(Fault::InputAndInputs) * w)
            .collect();
        self.kernel.pull_back_input(x, y, &weights, grad);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let factor = self.factor(Fault::Inputs) * self.factor(Fault::InputAndInputs);
        self.kernel.pull_back_inputs(x, y, weights, factor * scale, grad);
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        out.resize(x.len(), y.len());
        for (j, y) in y.rows().enumerate() {
            out.column_mut(j).iter_mut().zip(x.rows()).for_each(|(slot, x)| *slot = self.eval(x, y));
        }
        out[(0, 1)] *= self.factor(Fault::Cross);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.iter_mut().zip(x.rows()).for_each(|(slot, x)| *slot = self.eval(x, x));
        out[1] *= self.factor(Fault::Diagonal);
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        self.kernel.forward(x, scale, workspace, out);
        self.cov_into(x, x, out);
        for j in 0..x.len() {
            out.column_mut(j).iter_mut().for_each(|slot| *slot *= scale * self.factor(Fault::Forward));
        }
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let mut kernel = self.kernel.clone();
        if self.fault == Fault::Features {
            kernel.set_params(&[0.9, 0.9]);
        }
        kernel.features(count, rng)
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let scale = self.factor(Fault::Params) * self.factor(Fault::PairAndParams) * scale;
        self.factor(Fault::WeightedSum) * self.kernel.pull_back_params(x, workspace, weights, scale, grad)
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

const POINTS: [[f64; 2]; 4] = [[0.1, 0.9], [0.4, 0.2], [0.8, 0.7], [0.6, 0.5]];

fn faulty(fault: Fault) -> Faulty {
    Faulty { kernel: Matern52::new(vec![0.5, 0.7]).expect("positive lengthscales"), fault }
}

fn passes(fault: Fault, law: impl Fn(&dyn Kernel, PointsRef<'_>) + std::panic::UnwindSafe) -> bool {
    let (x, kernel) = (Points::from_rows(&POINTS).expect("rows of one length"), faulty(fault));
    std::panic::catch_unwind(move || law(&kernel, x.as_ref())).is_ok()
}

#[test]
fn faults_of_covariances_are_found() {
    let law = contract::covariance_is_consistent;
    assert!(passes(Fault::None, law));
    for fault in [Fault::Asymmetry, Fault::Cross, Fault::Forward, Fault::Diagonal] {
        assert!(!passes(fault, law), "{fault:?}");
    }
}

#[test]
fn faults_of_gradients_are_found() {
    let law = |kernel: &dyn Kernel, x: PointsRef<'_>| contract::gradients_match(kernel, x, 1e-6);
    assert!(passes(Fault::None, law));
    for fault in
        [Fault::Pair, Fault::Params, Fault::WeightedSum, Fault::Input, Fault::Inputs, Fault::InputAndInputs]
    {
        assert!(!passes(fault, law), "{fault:?}");
    }
}

/// A point whose difference crosses the face of the cube, where a warped kernel has a kink: the slope of its own side counts.
#[test]
fn a_kink_within_a_step_is_no_fault() {
    let x = Points::from_rows(&[[0.862_999_841_787_895, 0.137], [0.3, 0.6]]).unwrap();
    let smooth = Matern52::new(vec![0.5, 0.8]).unwrap();
    let warped = Warped::new(smooth, 2).unwrap();
    contract::gradients_match(&warped, x.as_ref(), 1e-6);
}

fn check(fault: Fault) -> Result<(), Violation> {
    let x = Points::from_rows(&POINTS).expect("rows of one length");
    contract::check(&faulty(fault), x.as_ref(), &mut Seed(1).stream("features", 0))
}

/// Each fault is reported with the law that it breaks, the quantity and the points that show it.
#[test]
fn faults_are_named() {
    assert_eq!(check(Fault::None), Ok(()));
    let [a, b, c, d] = POINTS;
    let shifted = [a[0] + 0.137, a[1] + 0.137];
    let cases: [(Fault, Law, &str, &[[f64; 2]]); 13] = [
        (Fault::Asymmetry, Law::Symmetry, "k(y, x)", &[b, a]),
        (Fault::Nan, Law::Finite, "k(x, y)", &[c, a]),
        (Fault::Indefinite, Law::Semidefinite, "|k(x, y)|, at most √(k(x, x) k(y, y)),", &[d, b]),
        (Fault::NegativeVariance, Law::Semidefinite, "k(x, x)", &[a]),
        (Fault::IndefiniteOfThree, Law::Semidefinite, "jitter", &[a, b, c, d]),
        (Fault::PairAndParams, Law::ParameterGradients, "∂k(x, y)/∂ lengthscale[0]", &[b, a]),
        (
            Fault::Params,
            Law::ParameterGradients,
            "lengthscale[0] of a weighted sum by pull_back_params",
            &POINTS,
        ),
        (Fault::WeightedSum, Law::ParameterGradients, "that pull_back_params returns", &POINTS),
        (Fault::InputAndInputs, Law::InputGradients, "∂k(x, y)/∂x[0]", &[shifted, a]),
        (Fault::Inputs, Law::InputGradients, "by pull_back_inputs", &[shifted]),
        (Fault::Cross, Law::Matrices, "cov_into", &[b, a]),
        (Fault::Features, Law::Features, "features", &[a, b]),
        (Fault::SetParams, Law::Parameters, "lengthscale[1] after it was set", &[]),
    ];
    for (fault, law, quantity, points) in cases {
        let violation = check(fault).expect_err("a fault");
        assert_eq!(violation.law, law, "{fault:?}: {violation}");
        assert!(violation.quantity.contains(quantity), "{fault:?}: {violation}");
        assert_eq!(violation.points, points, "{fault:?}: {violation}");
    }
}

#[test]
fn messages_name_culprit_values_and_points() {
    let message = check(Fault::Nan).expect_err("a fault").to_string();
    assert_eq!(
        message,
        "Finite: k(x, y) is NaN, expected a finite number, at x = [0.8, 0.7], y = [0.1, 0.9]"
    );
    let message = check(Fault::NegativeVariance).expect_err("a fault").to_string();
    assert_eq!(message, "Semidefinite: k(x, x) is -1, expected 0, at x = [0.1, 0.9]");
}

/// `exp(t) k(x, y)` with lists that may leave out their last point; the parameter t is alone, and 0 at first.
#[derive(Clone)]
struct Tilted {
    kernel: Matern52,
    t: Param,
    /// Factor of the slope in t.
    slope: f64,
    leaves_out: [bool; 3],
}

fn tilted(slope: f64, leaves_out: [bool; 3]) -> Tilted {
    let t = Param {
        name: "t".into(),
        value: 0.0,
        low: -1.0,
        high: 1.0,
        transform: Transform::Identity,
        prior: None,
    };
    Tilted { kernel: Matern52::new(vec![0.5, 0.7]).expect("positive lengthscales"), t, slope, leaves_out }
}

impl Parameterized for Tilted {
    fn params(&self) -> Vec<Param> {
        vec![self.t.clone()]
    }

    fn set_params(&mut self, values: &[f64]) {
        self.t.value = values[0];
    }
}

impl Kernel for Tilted {
    fn dim(&self) -> Option<usize> {
        Some(2)
    }

    fn num_params(&self) -> usize {
        1
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.t.value.exp() * self.kernel.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        grad[0] += self.slope * weight * self.eval(x, y);
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let weights: Vec<f64> = weights.iter().map(|w| self.t.value.exp() * w).collect();
        self.kernel.pull_back_input(x, y, &weights, grad);
    }

    fn eval_each(&self, x: PointsRef<'_>, y: &[f64], out: &mut [f64]) {
        let count = x.len() - usize::from(self.leaves_out[0]);
        out.iter_mut().zip(x.rows()).take(count).for_each(|(slot, x)| *slot = self.eval(x, y));
    }

    fn pull_back_pairs(&self, x: PointsRef<'_>, y: &[f64], weights: &[f64], grad: &mut [f64]) {
        let count = x.len() - usize::from(self.leaves_out[1]);
        x.rows().zip(weights).take(count).for_each(|(x, w)| self.pull_back_pair(x, y, *w, grad));
    }

    fn pull_back_input_each(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let count = y.len() - usize::from(self.leaves_out[2]);
        for (y, w) in y.rows().zip(weights).take(count) {
            self.pull_back_input(x, PointsRef::single(y), &[*w], grad);
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

fn check_tilted(slope: f64, leaves_out: [bool; 3]) -> Result<(), Violation> {
    let x = Points::from_rows(&POINTS).expect("rows of one length");
    contract::check(&tilted(slope, leaves_out), x.as_ref(), &mut Seed(1).stream("features", 0))
}

/// Parameters that are 0, at which a step relative to them would be none.
#[test]
fn a_parameter_of_zero_has_a_slope() {
    assert_eq!(check_tilted(1.0, [false; 3]), Ok(()), "the right slope");
    for slope in [0.0, 0.999] {
        let violation = check_tilted(slope, [false; 3]).expect_err("a wrong slope");
        assert_eq!(violation.law, Law::ParameterGradients, "{violation}");
        assert!(violation.expected.is_finite(), "{violation}");
    }
}

#[test]
fn lists_without_their_last_point_are_found() {
    for (leaves_out, quantity) in [
        ([true, false, false], "covariance of a list"),
        ([false, true, false], "gradient of a list in the parameters"),
        ([false, false, true], "gradient of a list in the point"),
    ] {
        let violation = check_tilted(1.0, leaves_out).expect_err("a list without its last point");
        assert_eq!((violation.law, violation.quantity.as_str()), (Law::Sequences, quantity), "{violation}");
    }
}
