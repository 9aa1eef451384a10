//! Choices of categorical parameters.

use crate::TpeError;

/// A categorical parameter: its choices' prior probabilities, and how far apart they are if that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices {
    probabilities: Vec<f64>,
    distances: Option<Vec<Vec<f64>>>,
}

/// Kernel of a categorical parameter: the weight of an observed choice on the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CategoricalKernel {
    /// Nothing: observations are counted, and `count · prior weight` more are spread according to the prior.
    ///
    /// ```text
    /// p_c ∝ C w₀ π_c + Σ_{i: c_i = c} w_i
    /// ```
    /// Source: Bergstra et al. (2011); Hyperopt.
    Counts,
    /// A kernel has its own choice and, by its share of one prior weight, all.
    ///
    /// ```text
    /// k_i(c) = (1{c = c_i} + s C π_c) / (1 + s C),   s = w₀ / kernels
    /// ```
    /// Source: Optuna.
    #[default]
    Smoothed,
}

impl Choices {
    /// Equally probable choices.
    ///
    /// # Errors
    /// [`TpeError::NoChoices`].
    pub fn uniform(count: usize) -> Result<Self, TpeError> {
        if count == 0 {
            return Err(TpeError::NoChoices);
        }
        Ok(Self { probabilities: vec![1.0 / count as f64; count], distances: None })
    }

    /// Choices with prior probabilities.
    ///
    /// # Errors
    /// [`TpeError::NoChoices`], or [`TpeError::InvalidProbabilities`] when one is negative or the sum is off by
    /// more than 10⁻⁹.
    pub fn with_probabilities(probabilities: Vec<f64>) -> Result<Self, TpeError> {
        if probabilities.is_empty() {
            return Err(TpeError::NoChoices);
        }
        let sum: f64 = probabilities.iter().sum();
        if probabilities.iter().any(|p| p.is_nan() || *p < 0.0) || (sum - 1.0).abs() > 1e-9 {
            return Err(TpeError::InvalidProbabilities { probabilities });
        }
        Ok(Self { probabilities, distances: None })
    }

    /// Sets distances between choices: an observed choice has weight on those near it.
    ///
    /// # Errors
    /// [`TpeError::InvalidDistances`].
    pub fn with_distances(mut self, distances: Vec<Vec<f64>>) -> Result<Self, TpeError> {
        let choices = self.len();
        let invalid = |problem| Err(TpeError::InvalidDistances { choices, problem });
        if distances.len() != choices || distances.iter().any(|row| row.len() != choices) {
            return invalid("the matrix is not square of that size");
        }
        if distances.iter().flatten().any(|d| !(*d >= 0.0 && d.is_finite())) {
            return invalid("one is negative or not finite");
        }
        if (0..choices).any(|i| distances[i][i] != 0.0 || (0..i).any(|j| distances[i][j] != distances[j][i]))
        {
            return invalid("the matrix is not symmetric with a diagonal of 0");
        }
        self.distances = Some(distances);
        Ok(self)
    }

    /// Number of choices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.probabilities.len()
    }

    /// True if there is no choice: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.probabilities.is_empty()
    }

    /// Prior probabilities.
    #[must_use]
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// Probabilities of the kernel of `observed`, one of `kernels` with the prior, which weighs `prior_weight`.
    pub(crate) fn row(
        &self,
        observed: usize,
        kernel: CategoricalKernel,
        kernels: usize,
        prior_weight: f64,
    ) -> Vec<f64> {
        let count = self.len() as f64;
        let smoothing = match kernel {
            CategoricalKernel::Counts => 0.0,
            CategoricalKernel::Smoothed => prior_weight / kernels as f64,
        };
        let near = |choice: usize| match &self.distances {
            None => f64::from(u8::from(choice == observed)),
            Some(distances) => likeness(&distances[observed], choice, kernels, prior_weight),
        };
        let mut row: Vec<f64> =
            (0..self.len()).map(|c| near(c) + smoothing * count * self.probabilities[c]).collect();
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
        row
    }
}

/// `exp(-a (d / d_max)²)` with `a = ln(kernels / prior weight) ln C / ln 6`. Source: Optuna 4.
fn likeness(distances: &[f64], choice: usize, kernels: usize, prior_weight: f64) -> f64 {
    let largest = distances.iter().copied().fold(0.0, f64::max);
    let relative = if largest > 0.0 { distances[choice] / largest } else { 0.0 };
    let sharpness =
        (kernels as f64 / prior_weight).ln().max(0.0) * (distances.len() as f64).ln() / 6_f64.ln();
    (-sharpness * relative * relative).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close, "{found:?}, expected {expected:?}");
    }

    /// `(1{c = 1} + s C π_c) / (1 + s C)` with s = 2/4 and C = 3.
    #[test]
    fn a_smoothed_kernel_has_a_share_of_the_prior() {
        let choices = Choices::with_probabilities(vec![0.5, 0.3, 0.2]).unwrap();
        let row = choices.row(1, CategoricalKernel::Smoothed, 4, 2.0);
        are_close(&row, &[0.75 / 2.5, 1.45 / 2.5, 0.3 / 2.5]);
        are_close(&choices.row(2, CategoricalKernel::Counts, 4, 2.0), &[0.0, 0.0, 1.0]);
        assert_eq!((choices.len(), choices.is_empty()), (3, false));
        assert_eq!(choices.probabilities(), [0.5, 0.3, 0.2]);
    }

    /// exp(-a (d / 2)²), a = ln 8 ln 3 / ln 6 for 8 kernels and a prior weight of 1.
    #[test]
    fn what_is_near_is_like() {
        let distances = vec![vec![0.0, 1.0, 2.0], vec![1.0, 0.0, 4.0], vec![2.0, 4.0, 0.0]];
        let choices = Choices::uniform(3).unwrap().with_distances(distances.clone()).unwrap();
        let a = 8_f64.ln() * 3_f64.ln() / 6_f64.ln();
        let raw = [1.0, (-a / 4.0).exp(), (-a).exp()];
        let sum: f64 = raw.iter().sum();
        are_close(&choices.row(0, CategoricalKernel::Counts, 8, 1.0), &raw.map(|p| p / sum));
        // Smoothing with s C π = 1/8.
        let smoothed = raw.map(|p| (p + 0.125) / (sum + 0.375));
        are_close(&choices.row(0, CategoricalKernel::Smoothed, 8, 1.0), &smoothed);
        // The largest of the row counts, not of all: of choice 1 it is 4.
        let raw = [(-a / 16.0).exp(), 1.0, (-a).exp()];
        let sum: f64 = raw.iter().sum();
        are_close(&choices.row(1, CategoricalKernel::Counts, 8, 1.0), &raw.map(|p| p / sum));
        // A prior that outweighs the kernels hides their distances.
        are_close(&choices.row(0, CategoricalKernel::Counts, 2, 2.0), &[1.0 / 3.0; 3]);
        are_close(&choices.row(0, CategoricalKernel::Counts, 2, 5.0), &[1.0 / 3.0; 3]);
        let together = Choices::uniform(2).unwrap().with_distances(vec![vec![0.0; 2]; 2]).unwrap();
        are_close(&together.row(0, CategoricalKernel::Counts, 9, 1.0), &[0.5, 0.5]);
    }

    #[test]
    fn probabilities_add_up_to_1() {
        assert!(Choices::with_probabilities(vec![0.5, 0.5 + 5e-10]).is_ok());
        assert!(Choices::with_probabilities(vec![0.0, 1.0]).is_ok());
        for bad in [vec![0.5, 0.5 + 5e-9], vec![0.5, 0.5 - 5e-9], vec![-0.5, 1.5], vec![f64::NAN, 1.0]] {
            let error = Choices::with_probabilities(bad).unwrap_err();
            assert!(matches!(error, TpeError::InvalidProbabilities { .. }), "{error}");
        }
        assert!(matches!(Choices::with_probabilities(vec![]), Err(TpeError::NoChoices)));
        assert!(matches!(Choices::uniform(0), Err(TpeError::NoChoices)));
        are_close(Choices::uniform(4).unwrap().probabilities(), &[0.25; 4]);
    }

    #[test]
    fn distances_are_square_finite_and_symmetric() {
        let with = |distances: Vec<Vec<f64>>| Choices::uniform(2).unwrap().with_distances(distances).is_ok();
        assert!(with(vec![vec![0.0, 1.0], vec![1.0, 0.0]]));
        for bad in [
            vec![vec![0.0, 1.0]],
            vec![vec![0.0, 1.0], vec![1.0]],
            vec![vec![0.0, 1.0, 2.0], vec![1.0, 0.0, 1.0]],
            vec![vec![0.0, -1.0], vec![-1.0, 0.0]],
            vec![vec![0.0, f64::INFINITY], vec![f64::INFINITY, 0.0]],
            vec![vec![0.0, f64::NAN], vec![f64::NAN, 0.0]],
            vec![vec![0.0, 1.0], vec![2.0, 0.0]],
            vec![vec![0.0, 1.0], vec![1.0, 0.5]],
            vec![vec![0.5, 1.0], vec![1.0, 0.0]],
        ] {
            assert!(!with(bad.clone()), "{bad:?}");
        }
    }
}
