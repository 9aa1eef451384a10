//! The contract rejects kernels that are wrong in one respect.

use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::{Kernel, KernelWorkspace, Matern52, contract};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};

/// What is wrong with a kernel, each by 0.1 % or in one entry.
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
    /// The same in both, so that only differences show it.
    InputAndInputs,
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
        self.kernel.set_params(values);
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
        above * self.kernel.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        self.kernel.pull_back_pair(x, y, self.factor(Fault::Pair) * weight, grad);
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
        self.kernel.cov_into(x, y, out);
        out[(0, 1)] *= self.factor(Fault::Cross);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.kernel.diagonal_into(x, out);
        out[1] *= self.factor(Fault::Diagonal);
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        self.kernel.forward(x, self.factor(Fault::Forward) * scale, workspace, out);
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let scale = self.factor(Fault::Params) * scale;
        self.factor(Fault::WeightedSum) * self.kernel.pull_back_params(x, workspace, weights, scale, grad)
    }

    fn boxed(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

fn passes(fault: Fault, law: impl Fn(&dyn Kernel, PointsRef<'_>) + std::panic::UnwindSafe) -> bool {
    let x = Points::from_rows(&[[0.1, 0.9], [0.4, 0.2], [0.8, 0.7], [0.6, 0.5]]).expect("rows of one length");
    let kernel = Faulty { kernel: Matern52::new(vec![0.5, 0.7]).expect("positive lengthscales"), fault };
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
