//! Losses of a network.

/// Loss of a network: a mean over rows.
///
/// ```text
/// cross-entropy: -Σ_c t_c ln p_c,   p = softmax(z)
/// squared:       Σ_c (z_c - t_c)² / C
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Targets are probabilities of classes.
    CrossEntropy,
    /// Targets are numbers.
    Squared,
}

impl Loss {
    /// The mean over rows of `width` outputs.
    pub fn value(self, outputs: &[f64], targets: &[f64], width: usize) -> f64 {
        let rows = outputs.len() / width;
        let of_row = |(z, t): (&[f64], &[f64])| match self {
            Self::CrossEntropy => {
                let level = log_sum(z);
                z.iter().zip(t).map(|(z, t)| t * (level - z)).sum::<f64>()
            }
            Self::Squared => z.iter().zip(t).map(|(z, t)| (z - t).powi(2)).sum::<f64>() / width as f64,
        };
        outputs.chunks_exact(width).zip(targets.chunks_exact(width)).map(of_row).sum::<f64>() / rows as f64
    }

    /// Slopes of [`Loss::value`] with respect to every output.
    pub fn slopes(self, outputs: &[f64], targets: &[f64], width: usize, slopes: &mut Vec<f64>) {
        let rows = (outputs.len() / width) as f64;
        slopes.clear();
        for (z, t) in outputs.chunks_exact(width).zip(targets.chunks_exact(width)) {
            match self {
                Self::CrossEntropy => {
                    let level = log_sum(z);
                    slopes.extend(z.iter().zip(t).map(|(z, t)| ((z - level).exp() - t) / rows));
                }
                Self::Squared => {
                    slopes.extend(z.iter().zip(t).map(|(z, t)| 2.0 * (z - t) / (rows * width as f64)));
                }
            }
        }
    }
}

/// `ln Σ exp z`.
fn log_sum(z: &[f64]) -> f64 {
    let most = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + z.iter().map(|z| (z - most).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let (outputs, targets) = ([0.0, 0.0, 3.0, 3.0], [1.0, 0.0, 0.0, 1.0]);
        assert!((Loss::CrossEntropy.value(&outputs, &targets, 2) - 2_f64.ln()).abs() < 1e-15);
        assert!((Loss::Squared.value(&outputs, &targets, 2) - 3.5).abs() < 1e-15);
        // Logarithms of hopeless odds are finite.
        assert_eq!(Loss::CrossEntropy.value(&[1e4, 0.0], &[0.0, 1.0], 2), 1e4);
    }
}
