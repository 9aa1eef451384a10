//! Free covariance between the levels of one parameter.

use std::f64::consts::PI;
use std::ops::Range;

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized, Transform};
use thrifty_prob::Prior;

use crate::error::require_blocks;
use crate::hyperparameters::Hyperparameters;
use crate::{Kernel, KernelError, KernelWorkspace};

/// Coregionalization kernel: every two levels of a parameter have a covariance of their own.
///
/// ```text
/// k(x, y) = s_a s_b ⟨u_a, u_b⟩,   a and b the levels of x and y
/// u_a = (cos θ_a1, sin θ_a1 cos θ_a2, …, sin θ_a1 ⋯ sin θ_aa, 0, …),   θ = π · angle
/// ```
///
/// The unit vectors u are the rows of a Cholesky factor in spherical coordinates, so that every covariance matrix of the levels has
/// this form, and every choice of the parameters is a covariance. Times a kernel of other columns it is the intrinsic
/// coregionalization model: several correlated functions, such as the folds of a cross-validation.
///
/// The levels are one-hot in as many columns as there are, or in one column at `(a + ½) / K`. Any other point belongs to the level of
/// its largest column, or of the cell that holds it. It has no random features. Cost: O(K³) per matrix beside one table look-up per entry.
/// Parameters: `std_dev[a]` > 0 within `[0.05, 20]`, log scale; `angle[i]` in (0, 1) within `[0.01, 0.99]`, logit scale, the
/// angles of level 1, then those of level 2, and so on; ½ throughout is independence.
/// Source: `pinheiro1996`, section 2.3 (spherical parametrization); `bonilla2008`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Coregionalization {
    block: Range<usize>,
    std_devs: Hyperparameters,
    angles: Hyperparameters,
}

/// A kernel as it is in a file.
#[derive(serde::Deserialize)]
struct Unchecked {
    block: Range<usize>,
    std_devs: Hyperparameters,
    angles: Hyperparameters,
}

impl TryFrom<Unchecked> for Coregionalization {
    type Error = KernelError;

    fn try_from(Unchecked { block, std_devs, angles }: Unchecked) -> Result<Self, KernelError> {
        let levels = std_devs.values().len();
        require_levels(&block, levels)?;
        let (found, expected) = (angles.values().len(), levels * (levels - 1) / 2);
        if found != expected {
            let problem = format!("{levels} levels with {found} angles, expected {expected}");
            return Err(KernelError::Hyperparameters { problem });
        }
        std_devs.require_own(Transform::Log, "expected one learnt standard deviation per level")?;
        angles.require_own(Transform::Logit, "expected learnt angles")?;
        Ok(Self { block, std_devs, angles })
    }
}

/// Checks the number of levels, and that they have one column or one each.
fn require_levels(block: &Range<usize>, levels: usize) -> Result<(), KernelError> {
    require_blocks(std::slice::from_ref(block), 1)?;
    if levels < 2 || (block.len() != 1 && block.len() != levels) {
        return Err(KernelError::Columns {
            columns: block.clone().collect(),
            problem: format!("{levels} levels, expected at least two, in one column or in one each"),
        });
    }
    Ok(())
}

impl Coregionalization {
    /// The kernel with unit variances and one correlation for all pairs of levels, from which learning starts.
    ///
    /// # Errors
    /// [`KernelError`] for a correlation that is not strictly between 0 and 1, fewer than two levels, or a block of columns that
    /// has neither one column nor one per level.
    pub fn exchangeable(block: Range<usize>, levels: usize, correlation: f64) -> Result<Self, KernelError> {
        let correlation = Hyperparameters::correlation("correlation", correlation)?.value();
        let rows: Vec<Vec<f64>> =
            (0..levels).map(|a| (0..=a).map(|b| if a == b { 1.0 } else { correlation }).collect()).collect();
        Self::from_correlations(block, &vec![1.0; levels], &rows)
    }

    /// The kernel with these standard deviations and correlations of the levels.
    ///
    /// Row a of the correlations has a + 1 numbers, the last one 1.
    ///
    /// # Errors
    /// [`KernelError`] for correlations that are not positive definite, other numbers of them, a standard deviation that is not positive
    /// and finite, and blocks as in [`Coregionalization::exchangeable`].
    pub fn from_correlations(
        block: Range<usize>,
        std_devs: &[f64],
        correlations: &[Vec<f64>],
    ) -> Result<Self, KernelError> {
        let levels = std_devs.len();
        require_levels(&block, levels)?;
        let fault = |problem: String| KernelError::Columns { columns: block.clone().collect(), problem };
        let fits = correlations.iter().enumerate().all(|(a, row)| row.len() == a + 1 && row[a] == 1.0);
        if correlations.len() != levels || !fits {
            return Err(fault(format!("correlations that are not the lower half of {levels} levels")));
        }
        let std_devs = Hyperparameters::new("std_dev", std_devs.to_vec(), (0.05, 20.0, Transform::Log))?;
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(levels);
        let mut angles = Vec::with_capacity(levels * (levels - 1) / 2);
        for (a, correlations) in correlations.iter().enumerate() {
            let mut row = Vec::with_capacity(a + 1);
            let mut rest = 1.0;
            for b in 0..a {
                let known: f64 = rows[b].iter().zip(&row).map(|(l, own): (&f64, &f64)| l * own).sum();
                let entry = (correlations[b] - known) / rows[b][b];
                // What is left of the unit length is the product of the sines so far.
                angles.push((entry / f64::sqrt(rest)).acos() / PI);
                rest -= entry * entry;
                row.push(entry);
            }
            if rest.is_nan() || rest <= 0.0 {
                return Err(KernelError::NotPositive {
                    name: format!("pivot {a} of the correlations"),
                    value: rest,
                });
            }
            row.push(rest.sqrt());
            rows.push(row);
        }
        let angles = Hyperparameters::new("angle", angles, (0.01, 0.99, Transform::Logit))?;
        Ok(Self { block, std_devs, angles })
    }

    /// Sets a prior for every standard deviation.
    #[must_use]
    pub fn with_std_dev_prior(self, prior: Prior) -> Self {
        Self { std_devs: self.std_devs.with_prior(prior), ..self }
    }

    /// Sets a prior for every angle, as a fraction of π.
    #[must_use]
    pub fn with_angle_prior(self, prior: Prior) -> Self {
        Self { angles: self.angles.with_prior(prior), ..self }
    }

    /// Number of levels.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.std_devs.values().len()
    }

    /// Covariance of two levels.
    ///
    /// # Panics
    /// For a level that is not there.
    #[must_use]
    pub fn covariance(&self, a: usize, b: usize) -> f64 {
        let s = self.std_devs.values();
        s[a] * s[b] * if a == b { 1.0 } else { inner(&self.unit(a), &self.unit(b)) }
    }

    /// The angles of a level: one per level before it.
    fn of_level(a: usize) -> Range<usize> {
        let from = a * a.saturating_sub(1) / 2;
        from..from + a
    }

    /// The unit vector of a level, a + 1 numbers.
    fn unit(&self, a: usize) -> Vec<f64> {
        let mut rest = 1.0;
        let mut unit = Vec::with_capacity(a + 1);
        for angle in &self.angles.values()[Self::of_level(a)] {
            let (sin, cos) = (PI * angle).sin_cos();
            unit.push(rest * cos);
            rest *= sin;
        }
        unit.push(rest);
        unit
    }

    /// Derivative of the unit vector of a level in its angle `m`, from that on which it depends.
    fn unit_slope(&self, unit: &[f64], a: usize, m: usize) -> Vec<f64> {
        let (sin, cos) = (PI * self.angles.values()[Self::of_level(a)][m]).sin_cos();
        let product: f64 =
            self.angles.values()[Self::of_level(a)][..m].iter().map(|angle| (PI * angle).sin()).product();
        let mut slope = vec![0.0; unit.len()];
        slope[m] = -PI * product * sin;
        for (slope, entry) in slope[m + 1..].iter_mut().zip(&unit[m + 1..]) {
            *slope = PI * entry * cos / sin;
        }
        slope
    }

    /// The level of a point.
    fn level(&self, x: &[f64]) -> usize {
        let own = &x[self.block.clone()];
        if let [position] = own {
            // NaN and what lies below 0 are level 0 by the saturating cast.
            return ((position * self.levels() as f64).floor() as usize).min(self.levels() - 1);
        }
        own.iter().enumerate().fold(0, |best, (a, value)| if *value > own[best] { a } else { best })
    }

    /// Covariances of all levels, row after row.
    fn table(&self) -> Vec<f64> {
        let units: Vec<Vec<f64>> = (0..self.levels()).map(|a| self.unit(a)).collect();
        let s = self.std_devs.values();
        let entry = |a: usize, b: usize| s[a] * s[b] * if a == b { 1.0 } else { inner(&units[a], &units[b]) };
        (0..self.levels())
            .flat_map(|a| (0..self.levels()).map(move |b| (a, b)))
            .map(|(a, b)| entry(a, b))
            .collect()
    }

    /// `grad += weight · ∂ covariance(a, b)`.
    fn pull_back_levels(&self, a: usize, b: usize, weight: f64, grad: &mut [f64]) {
        let s = self.std_devs.values();
        if a == b {
            grad[a] += weight * 2.0 * s[a];
            return;
        }
        let (unit_a, unit_b) = (self.unit(a), self.unit(b));
        let correlation = inner(&unit_a, &unit_b);
        grad[a] += weight * s[b] * correlation;
        grad[b] += weight * s[a] * correlation;
        let angles = &mut grad[self.levels()..];
        for (level, own, other) in [(a, &unit_a, &unit_b), (b, &unit_b, &unit_a)] {
            for (m, slot) in angles[Self::of_level(level)].iter_mut().enumerate() {
                *slot += weight * s[a] * s[b] * inner(&self.unit_slope(own, level, m), other);
            }
        }
    }
}

/// Inner product of two vectors, of which the shorter one ends in zeros.
fn inner(u: &[f64], v: &[f64]) -> f64 {
    u.iter().zip(v).map(|(u, v)| u * v).sum()
}

impl Parameterized for Coregionalization {
    fn params(&self) -> Vec<Param> {
        self.std_devs.params("std_dev").chain(self.angles.params("angle")).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let rest = self.std_devs.take(values);
        let rest = self.angles.take(rest);
        assert!(rest.is_empty(), "more values than parameters");
    }
}

impl Kernel for Coregionalization {
    fn dim(&self) -> Option<usize> {
        None
    }

    fn least_dim(&self) -> usize {
        self.block.end
    }

    fn num_params(&self) -> usize {
        self.std_devs.num_params() + self.angles.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.covariance(self.level(x), self.level(y))
    }

    fn eval_each(&self, x: PointsRef<'_>, y: &[f64], out: &mut [f64]) {
        let (table, b) = (self.table(), self.level(y));
        for (slot, x) in out.iter_mut().zip(x.rows()) {
            *slot = table[self.level(x) * self.levels() + b];
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        out.resize(x.len(), y.len());
        let (table, levels): (_, Vec<usize>) = (self.table(), x.rows().map(|x| self.level(x)).collect());
        for (j, y) in y.rows().enumerate() {
            let b = self.level(y);
            for (slot, a) in out.column_mut(j).iter_mut().zip(&levels) {
                *slot = table[a * self.levels() + b];
            }
        }
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let s = self.std_devs.values();
        for (slot, x) in out.iter_mut().zip(x.rows()) {
            let a = self.level(x);
            *slot = s[a] * s[a];
        }
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, _: &mut KernelWorkspace, out: &mut Matrix) {
        let n = x.len();
        out.resize(n, n);
        let (table, levels): (_, Vec<usize>) = (self.table(), x.rows().map(|x| self.level(x)).collect());
        for j in 0..n {
            for (slot, a) in out.column_mut(j)[j..].iter_mut().zip(&levels[j..]) {
                *slot = scale * table[a * self.levels() + levels[j]];
            }
        }
    }

    /// Weights are summed per pair of levels first, so that the angles are pulled back once per pair.
    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        _: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let (table, levels): (_, Vec<usize>) = (self.table(), x.rows().map(|x| self.level(x)).collect());
        let mut sums = vec![0.0; table.len()];
        for (j, b) in levels.iter().enumerate() {
            for (w, a) in weights.column(j)[j..].iter().zip(&levels[j..]) {
                sums[a.max(b) * self.levels() + a.min(b)] += w;
            }
        }
        let mut total = 0.0;
        for a in 0..self.levels() {
            for b in 0..=a {
                let sum = sums[a * self.levels() + b];
                total += sum * table[a * self.levels() + b];
                if sum != 0.0 {
                    self.pull_back_levels(a, b, scale * sum, grad);
                }
            }
        }
        total
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        self.pull_back_levels(self.level(x), self.level(y), weight, grad);
    }

    /// Levels are discrete: the derivative is 0.
    fn pull_back_input(&self, _x: &[f64], _y: PointsRef<'_>, _weights: &[f64], _grad: &mut [f64]) {}

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Given correlations and standard deviations come back.
    #[test]
    fn correlations_come_back() {
        let rows = [vec![1.0], vec![0.5, 1.0], vec![-0.3, 0.2, 1.0]];
        let kernel = Coregionalization::from_correlations(0..3, &[1.0, 2.0, 0.5], &rows).unwrap();
        let expected = [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 4.0), (2, 0, -0.15), (2, 1, 0.2), (2, 2, 0.25)];
        for (a, b, value) in expected {
            assert!((kernel.covariance(a, b) - value).abs() < 1e-15, "{a}, {b}: {}", kernel.covariance(a, b));
            assert_eq!(kernel.covariance(a, b), kernel.covariance(b, a));
        }
        let same = Coregionalization::exchangeable(1..2, 4, 0.7).unwrap();
        assert!((0..4).all(|a| (0..a).all(|b| (same.covariance(a, b) - 0.7).abs() < 1e-15)));
    }

    /// One-hot columns, the middles of cells, and points between them.
    #[test]
    fn points_belong_to_levels() {
        let one_hot = Coregionalization::exchangeable(1..4, 3, 0.5).unwrap();
        let level = |x: &[f64]| one_hot.level(x);
        assert_eq!((level(&[9.0, 1.0, 0.0, 0.0]), level(&[9.0, 0.0, 0.0, 1.0])), (0, 2));
        assert_eq!(level(&[0.0, f64::NAN, 0.0, 1.0]), 0);
        let cells = Coregionalization::exchangeable(0..1, 4, 0.5).unwrap();
        let found = [0.125, 0.375, 0.625, 0.875, -3.0, 1.0, 7.0, f64::NAN].map(|x| cells.level(&[x]));
        assert_eq!(found, [0, 1, 2, 3, 0, 3, 3, 0]);
    }

    #[test]
    fn bad_levels_are_named() {
        let of = |block, levels, correlation| {
            Coregionalization::exchangeable(block, levels, correlation).unwrap_err().to_string()
        };
        assert!(of(0..3, 4, 0.5).contains("4 levels"));
        assert!(of(0..1, 1, 0.5).contains("1 levels"));
        assert!(of(2..2, 2, 0.5).contains("at least one"));
        assert!(of(0..2, 2, 1.0).contains("correlation is 1"));
        let build = |std_devs: &[f64], rows: &[Vec<f64>]| {
            Coregionalization::from_correlations(0..1, std_devs, rows).unwrap_err().to_string()
        };
        let rows = [vec![1.0], vec![0.5, 1.0]];
        assert!(build(&[1.0, f64::NAN], &rows).contains("std_dev[1] is NaN"));
        assert!(build(&[1.0, 1.0, 1.0], &rows).contains("3 levels"));
        assert!(build(&[1.0, 1.0], &[vec![1.0], vec![0.5, 0.9]]).contains("lower half"));
        let impossible = [vec![1.0], vec![0.9, 1.0], vec![0.9, -0.9, 1.0]];
        assert!(build(&[1.0; 3], &impossible).contains("pivot 2"));
    }
}
