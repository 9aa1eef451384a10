//! Distribution of the minimizer over representer points.

use thrifty_check::InputError;
use thrifty_domain::{Points, PointsRef};
use thrifty_prob::cdf;
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Lookahead, lookahead};

use crate::error::require_noise;
use crate::lookahead::anchors::CANDIDATES;
use crate::sampling::{JointNormal, normals};
use crate::{AcquisitionError, Context, choose_anchors};

/// Distribution of the minimiser over finitely many representer points, before and after an observation.
///
/// ```text
/// f^s = μ + L z^s,   u^s = (o^s - E o)/sd(o),   p*_i(u) = 1/S Σ_s [i = argmin_j (f^s_j - b_j u^s) + b_j u]
/// ```
///
/// There are S joint draws of the function f at the representers and of the standardised outcome u of an observation o at x, with `b_j =
/// cov[f_j, o]/sd(o)`. By Matheron's rule, `f^s - b u^s + b u` is a draw given the outcome u, so every draw can be used for every outcome.
///
/// For each draw, the lower envelope of m lines in u gives the minimiser as a function of the outcome. The base numbers z^s are
/// quasi-random and fixed, so p* is a deterministic function of x.
///
/// Bit-identical representers count once.
/// Parameters: S ≥ 1.
/// Cost: O(m³) once; O(m² + S m + S k log S k) per point for m representers, with k pieces per envelope.
/// Source: Hennig & Schuler (2012), section 2 for the representers and the distribution of the minimiser over them;
/// departure: exact in the outcome, sampled in the rest, where they linearise expectation propagation.
pub struct MinimizerDistribution<'a> {
    lookahead: Box<dyn Lookahead + 'a>,
    law: JointNormal,
    /// One row per draw, with an extra column for the part of the outcome that the representers do not explain.
    base: Points,
    /// f^s.
    draws: Vec<Vec<f64>>,
}

/// A standardised outcome, with the normal probability on its side away from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    pub(super) at: f64,
    beyond: f64,
}

impl End {
    pub(super) const LEAST: Self = Self { at: f64::NEG_INFINITY, beyond: 0.0 };
    pub(super) const MOST: Self = Self { at: f64::INFINITY, beyond: 0.0 };

    fn at(at: f64) -> Self {
        Self { at, beyond: cdf(-at.abs()) }
    }

    /// `Φ(to) - Φ(self)`, accurate in both tails.
    pub(super) fn mass_to(self, to: Self) -> f64 {
        if self.at > 0.0 {
            self.beyond - to.beyond
        } else if to.at > 0.0 {
            1.0 - to.beyond - self.beyond
        } else {
            to.beyond - self.beyond
        }
    }
}

/// Pieces of all draws: intervals of outcomes with their minimising representer.
pub(super) struct Pieces {
    /// (representer, from, to).
    pub(super) all: Vec<(usize, End, End)>,
    /// Number of draws S.
    pub(super) draws: usize,
    /// Number of representers m.
    pub(super) representers: usize,
}

impl<'a> MinimizerDistribution<'a> {
    /// Distribution on representer points chosen from the posterior of a context.
    pub(crate) fn chosen(
        context: &mut Context<'a, '_>,
        representers: usize,
        draws: usize,
    ) -> Result<Self, AcquisitionError> {
        let (joint, candidates) = (context.joint()?, context.candidates(CANDIDATES));
        let chosen = choose_anchors(joint, candidates.as_ref(), representers, context.rng)?;
        Self::new(joint, chosen.as_ref(), context.noise_variance, draws, context.rng)
    }

    /// Distribution on these representers, with `draws` joint draws, for observations with this noise variance.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no representers or draws, another dimension, a covariance that cannot be factored, or
    /// a noise variance that is negative or not finite.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        representers: PointsRef<'_>,
        noise_variance: f64,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Self, AcquisitionError> {
        require_noise(noise_variance)?;
        if draws == 0 {
            return Err(InputError::Empty { name: "draws" }.into());
        }
        let mut distinct = Points::new(representers.dim());
        for point in representers.rows() {
            if !distinct.rows().any(|known| known == point) {
                distinct.push(point);
            }
        }
        let law = JointNormal::of(posterior, distinct.as_ref(), "representers")?;
        let base = normals(draws, law.len() + 1, rng);
        let draws = base.rows().map(|z| law.sample(z)).collect();
        Ok(Self { lookahead: lookahead(posterior, distinct.as_ref(), noise_variance), law, base, draws })
    }

    /// Number of distinct representers.
    #[must_use]
    pub fn representers(&self) -> usize {
        self.law.len()
    }

    /// p*: for each distinct representer, the share of draws with their minimum there.
    #[must_use]
    pub fn probabilities(&self) -> Vec<f64> {
        let mut p = vec![0.0; self.representers()];
        for draw in &self.draws {
            p[crate::sampling::smallest(draw)] += 1.0 / self.draws.len() as f64;
        }
        p
    }

    /// Entropy H(p*), in nats.
    #[must_use]
    pub fn entropy(&self) -> f64 {
        entropy(self.probabilities())
    }

    /// Calls `visit` with the pieces of each point; `None` if an observation gives no information.
    pub(super) fn each(&self, x: PointsRef<'_>, mut visit: impl FnMut(usize, Option<Pieces>)) {
        let (m, width) = (self.representers(), self.representers() + 1);
        let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let mut covariance = vec![0.0; x.len() * width];
        self.lookahead.moments_into(x, &mut mean, &mut variance, &mut covariance);
        for (i, row) in covariance.chunks_exact(width).enumerate() {
            let std_dev = variance[i].max(0.0).sqrt();
            let finite = std_dev > 0.0 && row.iter().all(|c| c.is_finite());
            let slopes: Vec<f64> = row[..m].iter().map(|c| c / std_dev).collect();
            visit(i, finite.then(|| self.pieces(&slopes)));
        }
    }

    /// Pieces of the lower envelopes of all draws, for lines with these slopes.
    fn pieces(&self, slopes: &[f64]) -> Pieces {
        let m = slopes.len();
        let mut told = slopes.to_vec();
        self.law.whiten(&mut told);
        let size: f64 = told.iter().map(|t| t * t).sum();
        // Rounding may give the representers more information than exists.
        let shrink = if size > 1.0 { size.sqrt().recip() } else { 1.0 };
        let rest = (1.0 - size).max(0.0).sqrt();
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|i, j| slopes[*j].total_cmp(&slopes[*i]));
        let mut pieces = Vec::with_capacity(2 * self.draws.len());
        let mut stack: Vec<(usize, f64, f64)> = Vec::with_capacity(m);
        for (draw, z) in self.draws.iter().zip(self.base.rows()) {
            let known: f64 = told.iter().zip(z).map(|(t, z)| t * z).sum();
            let outcome = shrink * known + rest * z[m];
            stack.clear();
            for &line in &order {
                push_line(&mut stack, line, draw[line] - slopes[line] * outcome, slopes);
            }
            // A tail of the normal distribution is expensive; compute it once per end.
            let mut from = End::LEAST;
            for (k, (line, ..)) in stack.iter().enumerate() {
                let to = stack.get(k + 1).map_or(End::MOST, |next| End::at(next.2));
                pieces.push((*line, from, to));
                from = to;
            }
        }
        Pieces { all: pieces, draws: self.draws.len(), representers: m }
    }
}

/// Adds a line to a lower envelope of lines by falling slope. Entries are the line, its intercept and its start.
fn push_line(stack: &mut Vec<(usize, f64, f64)>, line: usize, intercept: f64, slopes: &[f64]) {
    if let Some(&(last, known, _)) = stack.last()
        && slopes[last] == slopes[line]
    {
        if intercept >= known {
            return;
        }
        stack.pop();
    }
    let mut begins = f64::NEG_INFINITY;
    while let Some(&(last, known, began)) = stack.last() {
        let meets = (intercept - known) / (slopes[last] - slopes[line]);
        if meets > began {
            begins = meets;
            break;
        }
        stack.pop();
    }
    stack.push((line, intercept, begins));
}

/// Entropy `-Σ p ln p`.
pub(super) fn entropy(p: impl IntoIterator<Item = f64>) -> f64 {
    p.into_iter().filter(|p| *p > 0.0).map(|p| -p * p.ln()).sum::<f64>().max(0.0)
}
