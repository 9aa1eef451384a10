//! The law of lists of pairs: the same bits as one pair after the other.

use thrifty_domain::PointsRef;

use super::gradients::weight;
use super::violation::{Law, Violation};
use crate::Kernel;

/// See [`Law::Sequences`].
pub(super) fn law(kernel: &dyn Kernel, x: PointsRef<'_>) -> Result<(), Violation> {
    let (n, params, dim) = (x.len(), kernel.num_params(), x.dim());
    for (j, y) in x.rows().enumerate() {
        let weights: Vec<f64> = (0..n).map(|i| weight(i, j)).collect();
        let (mut together, mut alone) = (vec![f64::NAN; n], vec![f64::NAN; n]);
        kernel.eval_each(x, y, &mut together);
        alone.iter_mut().zip(x.rows()).for_each(|(slot, x)| *slot = kernel.eval(x, y));
        same("covariance of a list", &together, &alone, y)?;

        let (mut together, mut alone) = (vec![0.0; params], vec![0.0; params]);
        kernel.pull_back_pairs(x, y, &weights, &mut together);
        for (x, weight) in x.rows().zip(&weights) {
            kernel.pull_back_pair(x, y, *weight, &mut alone);
        }
        same("gradient of a list in the parameters", &together, &alone, y)?;

        let (mut together, mut alone) = (vec![0.0; dim], vec![0.0; dim]);
        kernel.pull_back_input_each(y, x, &weights, &mut together);
        for (x, weight) in x.rows().zip(&weights) {
            kernel.pull_back_input(y, PointsRef::single(x), &[*weight], &mut alone);
        }
        same("gradient of a list in the point", &together, &alone, y)?;
    }
    Ok(())
}

fn same(quantity: &str, found: &[f64], expected: &[f64], y: &[f64]) -> Result<(), Violation> {
    match found.iter().zip(expected).find(|(found, expected)| found.to_bits() != expected.to_bits()) {
        None => Ok(()),
        Some((&found, &expected)) => Err(Violation {
            law: Law::Sequences,
            quantity: quantity.to_owned(),
            found,
            expected,
            points: vec![y.to_vec()],
        }),
    }
}
