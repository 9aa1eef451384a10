//! The search distribution and its update.

use thrifty_linalg::{Matrix, NoEigenvalues, SymmetricEigen};

use crate::strategy::Strategy;

/// Normal distribution from which a generation is drawn.
///
/// ```text
/// x = m + σ A B D z,   z ~ N(0, I),   C = B D² Bᵀ
/// ```
///
/// A is diagonal and 1 for continuous coordinates; the margin raises it for discrete ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Distribution {
    /// Mean m.
    pub(crate) mean: Vec<f64>,
    /// Step size σ.
    pub(crate) step_size: f64,
    /// Diagonal of A.
    pub(crate) scale: Vec<f64>,
    /// Covariance matrix C.
    pub(crate) covariance: Matrix,
    /// Square roots D of the eigenvalues, in rising order.
    roots: Vec<f64>,
    /// Eigenvectors B.
    vectors: Matrix,
    /// Evolution path of the step size.
    step_path: Vec<f64>,
    /// Evolution path of the covariance matrix.
    covariance_path: Vec<f64>,
    /// Number of updates.
    updates: usize,
}

/// Standard deviations beyond the mean length of a step at which told steps are cut.
const LONGEST: f64 = 3.0;

impl Distribution {
    /// Distribution with covariance σ² I.
    pub(crate) fn new(mean: Vec<f64>, step_size: f64) -> Self {
        let n = mean.len();
        let identity = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        Self {
            mean,
            step_size,
            scale: vec![1.0; n],
            covariance: identity.clone(),
            roots: vec![1.0; n],
            vectors: identity,
            step_path: vec![0.0; n],
            covariance_path: vec![0.0; n],
            updates: 0,
        }
    }

    /// The point of a standard normal vector.
    pub(crate) fn point(&self, z: &[f64]) -> Vec<f64> {
        let mut step = vec![0.0; z.len()];
        for (k, (z, root)) in z.iter().zip(&self.roots).enumerate() {
            add_to(&mut step, z * root, self.vectors.column(k));
        }
        let sigma = self.step_size;
        let coordinates = self.mean.iter().zip(&self.scale).zip(&step);
        coordinates.map(|((mean, scale), step)| mean + sigma * scale * step).collect()
    }

    /// Standard deviation of coordinate `j`.
    pub(crate) fn std_dev(&self, j: usize) -> f64 {
        self.step_size * self.scale[j] * self.root_variance(j)
    }

    /// Standard deviation of coordinate `j` without the factor A, which keeps that of a discrete coordinate large.
    pub(crate) fn unscaled_std_dev(&self, j: usize) -> f64 {
        self.step_size * self.root_variance(j)
    }

    /// `√C_jj`
    fn root_variance(&self, j: usize) -> f64 {
        self.covariance[(j, j)].max(0.0).sqrt()
    }

    /// Ratio of the largest to the smallest eigenvalue of C; infinite where rounding made one 0.
    pub(crate) fn condition(&self) -> f64 {
        match (self.roots.first(), self.roots.last()) {
            (Some(least), Some(largest)) if *least > 0.0 => (largest / least).powi(2),
            _ => f64::INFINITY,
        }
    }

    /// Largest standard deviation in any direction.
    pub(crate) fn largest_deviation(&self) -> f64 {
        self.step_size * self.roots.last().copied().unwrap_or(0.0)
    }

    /// Learns from the points of a generation, the best first.
    ///
    /// # Errors
    /// [`NoEigenvalues`] when the covariance matrix broke down; the run has to end then.
    pub(crate) fn update(&mut self, strategy: &Strategy, ranked: &[Vec<f64>]) -> Result<(), NoEigenvalues> {
        let n = self.mean.len();
        let steps: Vec<Step> = ranked.iter().map(|point| self.step(point)).collect();
        let mut shift = vec![0.0; n];
        for (step, weight) in steps.iter().zip(&strategy.weights).filter(|(_, weight)| **weight > 0.0) {
            add_to(&mut shift, *weight, &step.y);
        }
        for ((mean, shift), scale) in self.mean.iter_mut().zip(&shift).zip(&self.scale) {
            *mean += self.step_size * scale * shift;
        }
        self.updates += 1;
        let moves = self.follow_paths(strategy, &shift);
        self.adapt(strategy, &steps, moves);
        let length = norm(&self.step_path);
        let change = strategy.path_rate / strategy.damping * (length / strategy.mean_length - 1.0);
        // At most a factor of e per generation, against explosions on the first steps.
        self.step_size *= change.min(1.0).exp();
        self.decompose()
    }

    /// The step to an evaluated point, `y = A⁻¹ (x - m) / σ`, clipped to the Mahalanobis length √n + 3 under C.
    ///
    /// Steps drawn from this distribution are longer with a probability below 1e-4. Others come from trials that were drawn from an
    /// earlier generation, or made elsewhere. Source: Hansen (2011), eq. 3; departure: √n + 3 instead of
    /// √n + 2n/(n + 2), which would cut one step in ten for n = 1.
    fn step(&self, point: &[f64]) -> Step {
        let coordinates = point.iter().zip(&self.mean).zip(&self.scale);
        let mut y: Vec<f64> = coordinates.map(|((x, m), a)| (x - m) / (self.step_size * a)).collect();
        let mut length = norm(&self.whitened(&y));
        let longest = (y.len() as f64).sqrt() + LONGEST;
        if length > longest {
            y.iter_mut().for_each(|y| *y *= longest / length);
            length = longest;
        }
        Step { y, length }
    }

    /// `C^(-1/2) y = B D⁻¹ Bᵀ y`.
    fn whitened(&self, y: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; y.len()];
        for (k, root) in self.roots.iter().enumerate() {
            let axis = self.vectors.column(k);
            let along: f64 = axis.iter().zip(y).map(|(b, y)| b * y).sum();
            add_to(&mut out, along / root, axis);
        }
        out
    }

    /// Updates both evolution paths, eqs. 43 and 45; false while the path of the step size is long.
    fn follow_paths(&mut self, strategy: &Strategy, shift: &[f64]) -> bool {
        let rate = strategy.path_rate;
        let fresh = (rate * (2.0 - rate) * strategy.effective).sqrt();
        let whitened = self.whitened(shift);
        self.step_path.iter_mut().for_each(|p| *p *= 1.0 - rate);
        add_to(&mut self.step_path, fresh, &whitened);
        let n = shift.len() as f64;
        let settled = (1.0 - (1.0 - rate).powi(2 * self.updates.min(100_000) as i32)).sqrt();
        let moves = norm(&self.step_path) / settled < (1.4 + 2.0 / (n + 1.0)) * strategy.mean_length;
        let rate = strategy.covariance_path_rate;
        self.covariance_path.iter_mut().for_each(|p| *p *= 1.0 - rate);
        if moves {
            add_to(&mut self.covariance_path, (rate * (2.0 - rate) * strategy.effective).sqrt(), shift);
        }
        moves
    }

    /// Updates the covariance matrix, eqs. 46 and 47.
    fn adapt(&mut self, strategy: &Strategy, steps: &[Step], moves: bool) {
        let (c1, cmu, cc) = (strategy.rank_one, strategy.rank_mu, strategy.covariance_path_rate);
        let lost = if moves { 0.0 } else { c1 * cc * (2.0 - cc) };
        let sum: f64 = strategy.weights.iter().sum();
        let kept = 1.0 + lost - c1 - cmu * sum;
        let n = self.mean.len();
        for j in 0..n {
            self.covariance.column_mut(j).iter_mut().for_each(|entry| *entry *= kept);
        }
        add_square(&mut self.covariance, c1, &self.covariance_path);
        for (step, weight) in steps.iter().zip(&strategy.weights).filter(|(_, weight)| **weight != 0.0) {
            let squared = step.length * step.length;
            // A step of length 0 has nothing to subtract.
            let weight =
                if *weight > 0.0 { *weight } else { weight * n as f64 / squared.max(f64::MIN_POSITIVE) };
            add_square(&mut self.covariance, cmu * weight, &step.y);
        }
    }

    fn decompose(&mut self) -> Result<(), NoEigenvalues> {
        let SymmetricEigen { values, vectors } = SymmetricEigen::new(&self.covariance)?;
        self.roots = values.iter().map(|value| value.max(0.0).sqrt()).collect();
        self.vectors = vectors;
        Ok(())
    }
}

#[cfg(test)]
impl Distribution {
    /// The distribution with these square roots of the eigenvalues, in rising order.
    pub(crate) fn with_roots(self, roots: &[f64]) -> Self {
        Self { roots: roots.to_vec(), ..self }
    }
}

/// A step from the mean in units of A σ, and its length in the metric of C.
struct Step {
    y: Vec<f64>,
    length: f64,
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// `to += factor · x`
fn add_to(to: &mut [f64], factor: f64, x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += factor * x);
}

/// `matrix += factor · y yᵀ`
fn add_square(matrix: &mut Matrix, factor: f64, y: &[f64]) {
    for (j, value) in y.iter().enumerate() {
        add_to(matrix.column_mut(j), factor * value, y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_the_first_generation_are_scaled_normals() {
        let distribution = Distribution::new(vec![0.5, 0.25], 0.1);
        assert_eq!(distribution.point(&[0.0, 0.0]), [0.5, 0.25]);
        let point = distribution.point(&[1.0, -2.0]);
        assert!((point[0] - 0.6).abs() < 1e-15 && (point[1] - 0.05).abs() < 1e-15);
        assert!((distribution.std_dev(0) - 0.1).abs() < 1e-15 && distribution.condition() == 1.0);
    }

    /// The weighted mean of the better half becomes the mean, and far points are cut.
    #[test]
    fn the_mean_moves_to_the_better_half() {
        let mut distribution = Distribution::new(vec![0.0], 1.0);
        let strategy = Strategy::new(1, 4, true);
        distribution.update(&strategy, &[vec![1.0], vec![0.5], vec![-1.0], vec![-2.0]]).unwrap();
        let expected = strategy.weights[0] + 0.5 * strategy.weights[1];
        assert!((distribution.mean[0] - expected).abs() < 1e-14);
        let mut cut = Distribution::new(vec![0.0], 1.0);
        cut.update(&strategy, &[vec![1e9], vec![0.0], vec![0.0], vec![0.0]]).unwrap();
        assert!((cut.mean[0] - 4.0 * strategy.weights[0]).abs() < 1e-12, "{}", cut.mean[0]);
    }

    /// Told steps beyond the cut of √n + 3: the distribution learns from them as from steps of that length, whatever their rank.
    #[test]
    fn steps_beyond_the_longest_count_as_the_longest() {
        let (strategy, longest) = (Strategy::new(2, 6, true), 2_f64.sqrt() + 3.0);
        let after = |rank: usize, factor: f64| {
            let mut distribution = Distribution::new(vec![0.0; 2], 1.0);
            let mut points: Vec<Vec<f64>> =
                (0..6).map(|k| vec![f64::from(k) - 2.5, 1.0 - 0.4 * f64::from(k)]).collect();
            points[rank] = vec![0.6 * factor * longest, -0.8 * factor * longest];
            distribution.update(&strategy, &points).unwrap();
            distribution
        };
        for rank in 0..6 {
            let (far, longest) = (after(rank, 1e3), after(rank, 1.0));
            let of = |d: &Distribution| {
                let c = &d.covariance;
                [d.mean[0], d.mean[1], d.step_size, c[(0, 0)], c[(0, 1)], c[(1, 1)]]
            };
            for (far, longest) in of(&far).into_iter().zip(of(&longest)) {
                assert!((far - longest).abs() < 1e-9, "rank {rank}: {far}, not {longest}");
            }
        }
    }

    /// Points that all agree with the mean leave a finite, narrower distribution.
    #[test]
    fn points_at_the_mean_do_no_harm() {
        let mut distribution = Distribution::new(vec![0.5; 3], 0.3);
        let strategy = Strategy::new(3, 7, true);
        for _ in 0..20 {
            let mean = distribution.mean.clone();
            distribution.update(&strategy, &vec![mean; 7]).unwrap();
        }
        assert!(distribution.step_size < 0.3 && distribution.condition().is_finite());
    }

    /// In the first generation the path of the step size is a sum of one: `√(c (2 - c) μ_eff)` times the shift, and long, so that the
    /// path of the covariance matrix rests, when `√μ_eff · |shift|` is at least 1.4 + 2 / (n + 1) mean lengths.
    #[test]
    fn the_first_path_is_a_multiple_of_the_shift() {
        for n in [1, 2, 5] {
            let strategy = Strategy::new(n, 8, true);
            let limit = (1.4 + 2.0 / (n as f64 + 1.0)) * strategy.mean_length / strategy.effective.sqrt();
            for factor in [0.1, 0.99, 1.01, 2.0] {
                let mut distribution = Distribution::new(vec![0.5; n], 0.2);
                // Weights sum to 1: where all points are one, it is the shift.
                let mut point = vec![0.5; n];
                point[n - 1] -= 0.2 * factor * limit;
                distribution.update(&strategy, &vec![point; 8]).unwrap();
                let multiple = |c: f64| (c * (2.0 - c) * strategy.effective).sqrt() * -factor * limit;
                let of_covariance = if factor < 1.0 { multiple(strategy.covariance_path_rate) } else { 0.0 };
                let (of_step, path) = (distribution.step_path[n - 1], distribution.covariance_path[n - 1]);
                assert!((of_step - multiple(strategy.path_rate)).abs() < 1e-12, "{n} {factor}: {of_step}");
                assert!((path - of_covariance).abs() < 1e-12, "{n} {factor}: {path} {of_covariance}");
            }
        }
    }
}
