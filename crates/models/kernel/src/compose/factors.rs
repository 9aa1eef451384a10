//! Products of many kernels.

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_sampling::Stream;

use super::product::multiply_lower_into;
use crate::features::{Features, Multiplied};
use crate::kernel::weight_sets;
use crate::{Kernel, KernelWorkspace};

/// The product `k₁ · k₂ · … · k_m` of a kernel for a domain with many kinds of variables.
///
/// The factors depend on different columns. It is [`Product`](crate::Product) nested to the left, with the same names of parameters and the same bits. Nested products compute the
/// covariances of their parts anew at each level of the chain; this one computes each once: O(m) instead of O(m²) for gradients in the input.
#[derive(Clone)]
pub(crate) struct Factors(Vec<Box<dyn Kernel>>);

impl Factors {
    /// The product of two kernels at least.
    ///
    /// # Panics
    /// For fewer: they are no product.
    pub(crate) fn new(factors: Vec<Box<dyn Kernel>>) -> Self {
        assert!(factors.len() > 1, "{} factors", factors.len());
        Self(factors)
    }

    /// The slots of each factor in a gradient.
    fn slots(&self) -> Vec<std::ops::Range<usize>> {
        let mut start = 0;
        let slots = self.0.iter().map(|factor| {
            let slot = start..start + factor.num_params();
            start = slot.end;
            slot
        });
        slots.collect()
    }

    /// Calls `visit` with each factor, the last first, and the weights multiplied by all other factors: `weights ∘ k_m ∘ … ∘ k_{i+1} ∘ (k₁ ∘ … ∘ k_{i-1})`.
    fn split(&self, weight: f64, x: &[f64], y: &[f64], mut visit: impl FnMut(usize, f64)) {
        let values: Vec<f64> = self.0.iter().map(|factor| factor.eval(x, y)).collect();
        let mut before = values.clone();
        (1..before.len()).for_each(|i| before[i] *= before[i - 1]);
        let mut rest = weight;
        for i in (0..values.len()).rev() {
            visit(i, if i > 0 { rest * before[i - 1] } else { rest });
            rest *= values[i];
        }
    }
}

impl Parameterized for Factors {
    fn params(&self) -> Vec<Param> {
        let last = self.0.len() - 1;
        let named = self.0.iter().enumerate().flat_map(|(i, factor)| {
            let depth = if i == 0 { last } else { last - i };
            factor.params().into_iter().map(move |p| {
                let own = if i > 0 { p.under("right") } else { p };
                (0..depth).fold(own, |p, _| p.under("left"))
            })
        });
        named.collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let mut rest = values;
        for factor in &mut self.0 {
            let (own, next) = rest.split_at(factor.num_params());
            factor.set_params(own);
            rest = next;
        }
    }
}

impl Kernel for Factors {
    fn dim(&self) -> Option<usize> {
        self.0.iter().find_map(Kernel::dim)
    }

    fn least_dim(&self) -> usize {
        self.0.iter().map(Kernel::least_dim).max().unwrap_or(0)
    }

    fn num_params(&self) -> usize {
        self.0.iter().map(Kernel::num_params).sum()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let (first, rest) = self.0.split_first().expect("two factors at least");
        rest.iter().fold(first.eval(x, y), |product, factor| product * factor.eval(x, y))
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let slots = self.slots();
        self.split(weight, x, y, |i, weight| {
            self.0[i].pull_back_pair(x, y, weight, &mut grad[slots[i].clone()]);
        });
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let (first, rest) = self.0.split_first().expect("two factors at least");
        first.diagonal_into(x, out);
        let mut own = vec![0.0; out.len()];
        for factor in rest {
            factor.diagonal_into(x, &mut own);
            out.iter_mut().zip(&own).for_each(|(product, own)| *product *= own);
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let (first, rest) = self.0.split_first().expect("two factors at least");
        first.cov_into(x, y, out);
        let mut own = Matrix::default();
        for factor in rest {
            factor.cov_into(x, y, &mut own);
            multiply(out, &own);
        }
    }

    fn has_constant_variance(&self) -> bool {
        self.0.iter().all(Kernel::has_constant_variance)
    }

    /// Keeps the covariances of each factor as the values, and the products up to it as the slopes, of the second half of the parts.
    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let count = self.0.len();
        workspace.parts.resize_with(2 * count, KernelWorkspace::default);
        let (own, kept) = workspace.parts.split_at_mut(count);
        for (i, factor) in self.0.iter().enumerate() {
            let (before, here) = kept.split_at_mut(i);
            factor.forward(x, 1.0, &mut own[i], &mut here[0].values);
            let here = &mut here[0];
            here.slopes.resize(x.len(), x.len());
            match before.last() {
                None => {
                    for j in 0..x.len() {
                        here.slopes.column_mut(j)[j..].copy_from_slice(&here.values.column(j)[j..]);
                    }
                }
                Some(before) => multiply_lower_into(&before.slopes, &here.values, &mut here.slopes),
            }
        }
        out.resize(x.len(), x.len());
        let (before, last) = (&kept[count - 2].slopes, &kept[count - 1].values);
        for j in 0..x.len() {
            let pairs = before.column(j)[j..].iter().zip(&last.column(j)[j..]);
            out.column_mut(j)[j..].iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = scale * a * b);
        }
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let (slots, count) = (self.slots(), self.0.len());
        let (own, kept) = workspace.parts.split_at_mut(count);
        // The weights of a factor are multiplied by all others. Only the lower half has meaning.
        let zeros = || Matrix::zeros(weights.rows(), weights.cols());
        let (mut seen, mut rest, mut next) = (zeros(), zeros(), zeros());
        (0..weights.cols()).for_each(|j| rest.column_mut(j)[j..].copy_from_slice(&weights.column(j)[j..]));
        for i in (1..count).rev() {
            multiply_lower_into(&rest, &kept[i - 1].slopes, &mut seen);
            self.0[i].pull_back_params(x, &mut own[i], &seen, scale, &mut grad[slots[i].clone()]);
            multiply_lower_into(&rest, &kept[i].values, &mut next);
            std::mem::swap(&mut rest, &mut next);
        }
        self.0[0].pull_back_params(x, &mut own[0], &rest, scale, &mut grad[slots[0].clone()])
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let mut of_factor = vec![vec![0.0; weights.len()]; self.0.len()];
        for (j, (y, weight)) in y.rows().zip(weights).enumerate() {
            self.split(*weight, x, y, |i, weight| of_factor[i][j] = weight);
        }
        for (factor, weights) in self.0.iter().zip(&of_factor) {
            factor.pull_back_input(x, y, weights, grad);
        }
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let (sets, count) = (weight_sets(x, y, weights, grad), self.0.len());
        let mut values = vec![Matrix::default(); count];
        self.0.iter().zip(&mut values).for_each(|(factor, values)| factor.cov_into(y, x, values));
        let mut before = vec![values[0].clone()];
        for values in &values[1..count - 1] {
            let mut product = before[before.len() - 1].clone();
            multiply(&mut product, values);
            before.push(product);
        }
        // The factors have no column in common, so the order in which they add their gradients is free.
        let (mut rest, mut seen) = (weights.clone(), Matrix::zeros(weights.rows(), weights.cols()));
        for i in (1..count).rev() {
            for c in 0..weights.cols() {
                let (own, of_others) = (values[i].column(c / sets), before[i - 1].column(c / sets));
                let rows = seen.column_mut(c).iter_mut().zip(rest.column_mut(c)).zip(own).zip(of_others);
                for (((seen, rest), own), of_others) in rows {
                    *seen = *rest * of_others;
                    *rest *= own;
                }
            }
            self.0[i].pull_back_inputs(x, y, &seen, scale, grad);
        }
        self.0[0].pull_back_inputs(x, y, &rest, scale, grad);
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let (first, rest) = self.0.split_first()?;
        rest.iter().try_fold(first.features(count, rng)?, |product, factor| {
            Some(Box::new(Multiplied::new(product, factor.features(count, rng)?)) as Box<dyn Features>)
        })
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

/// `out ∘ by`, in place.
fn multiply(out: &mut Matrix, by: &Matrix) {
    for j in 0..out.cols() {
        out.column_mut(j).iter_mut().zip(by.column(j)).for_each(|(out, by)| *out *= by);
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_sampling::Seed;

    use super::*;
    use crate::{Conditional, Hamming, Matern52, OnColumns, Product};

    /// Columns: a number, a category, and a conditional number with its activity.
    fn factors() -> Vec<Box<dyn Kernel>> {
        let one = || Matern52::new(vec![0.6]).unwrap();
        vec![
            Box::new(OnColumns::new(one(), vec![0]).unwrap()),
            Box::new(Hamming::new(std::iter::once(1..2).collect(), vec![0.7]).unwrap()),
            Box::new(Conditional::new(one(), vec![2], 3, 0.4).unwrap()),
        ]
    }

    fn nested() -> Box<dyn Kernel> {
        let mut all = factors().into_iter();
        let first = all.next().unwrap();
        all.fold(first, |product, factor| Box::new(Product::new(product, factor).unwrap()))
    }

    fn points(n: usize) -> Points {
        let mut rng = Seed(5).stream("points", n as u64);
        let mut x = Points::new(4);
        for i in 0..n {
            let (category, active) = (f64::from(u8::from(i % 3 == 0)), i % 2 == 0);
            let own = if active { rng.uniform() } else { 0.5 };
            x.push(&[rng.uniform(), category, own, f64::from(u8::from(active))]);
        }
        x
    }

    /// The lower half, to the bit.
    fn lower(matrix: &Matrix) -> Vec<u64> {
        (0..matrix.cols()).flat_map(|j| matrix.column(j)[j..].iter().map(|v| v.to_bits())).collect()
    }

    #[test]
    fn the_bits_are_those_of_nested_products() {
        let (flat, nested) = (Factors::new(factors()), nested());
        assert_eq!(flat.params(), nested.params());
        let (x, y) = (points(9), points(7));
        let all = |kernel: &dyn Kernel| {
            let (mut workspace, mut out, mut cross) =
                (KernelWorkspace::default(), Matrix::default(), Matrix::default());
            kernel.forward(x.as_ref(), 1.7, &mut workspace, &mut out);
            let weights = Matrix::from_fn(9, 9, |i, j| if i < j { 0.0 } else { (i * 5 + j) as f64 - 11.0 });
            let mut of_params = vec![0.0; kernel.num_params()];
            let total = kernel.pull_back_params(x.as_ref(), &mut workspace, &weights, 0.9, &mut of_params);
            kernel.cov_into(x.as_ref(), y.as_ref(), &mut cross);
            let mut diagonal = vec![0.0; 9];
            kernel.diagonal_into(x.as_ref(), &mut diagonal);
            let mut of_inputs = vec![0.0; 2 * 9 * 4];
            let weights = Matrix::from_fn(7, 18, |i, j| (i as f64 - 2.5) * (j as f64 - 8.0));
            kernel.pull_back_inputs(x.as_ref(), y.as_ref(), &weights, 1.1, &mut of_inputs);
            let (mut of_input, mut of_pair) = (vec![0.0; 4], vec![0.0; kernel.num_params()]);
            kernel.pull_back_input(x.row(0), y.as_ref(), weights.column(0), &mut of_input);
            kernel.pull_back_pair(x.row(0), y.row(2), 0.3, &mut of_pair);
            let mut bits = lower(&out);
            bits.extend((0..7).flat_map(|j| cross.column(j).iter().map(|v| v.to_bits()).collect::<Vec<_>>()));
            let rest = [
                of_params,
                diagonal,
                of_inputs,
                of_input,
                of_pair,
                vec![total, kernel.eval(x.row(1), y.row(3))],
            ];
            bits.extend(rest.iter().flatten().map(|v| v.to_bits()));
            bits
        };
        assert_eq!(all(&flat), all(&*nested));
    }
}
