use crate::Estimator;

/// Densities of the good and of the bad side, and the good side's share.
pub(crate) struct Model {
    pub(crate) good: Estimator,
    pub(crate) bad: Estimator,
    pub(crate) share: f64,
}

/// How candidates score, with the logarithms of the densities of the first model.
pub(crate) struct Scores {
    /// What orders them.
    ranked: Vec<f64>,
    pub(crate) log_l: Vec<f64>,
    pub(crate) log_g: Vec<f64>,
}

impl Scores {
    /// Of so many points.
    pub(crate) fn of(models: &[Model], points: &[f64], count: usize) -> Self {
        let mut scored = Self { ranked: vec![0.0; count], log_l: Vec::new(), log_g: Vec::new() };
        for (at, Model { good, bad, share }) in models.iter().enumerate() {
            let (mut log_l, mut log_g) = (vec![0.0; count], vec![0.0; count]);
            good.log_density_into(points, &mut log_l);
            bad.log_density_into(points, &mut log_g);
            for (score, (l, g)) in scored.ranked.iter_mut().zip(log_l.iter().zip(&log_g)) {
                // One criterion alone: the ratio itself orders the candidates, and does not saturate.
                *score +=
                    if models.len() == 1 { l - g } else { -(share + (1.0 - share) * (g - l).exp()).ln() };
            }
            if at == 0 {
                (scored.log_l, scored.log_g) = (log_l, log_g);
            }
        }
        scored
    }

    /// The candidate with the highest score, the first of equals.
    pub(crate) fn best(&self) -> usize {
        (0..self.ranked.len()).fold(0, |best, i| if self.ranked[i] > self.ranked[best] { i } else { best })
    }
}
