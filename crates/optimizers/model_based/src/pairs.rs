//! Likelihood of pairs of losses that are equal or differ.

use thrifty_domain::Points;
use thrifty_optim::Lbfgsb;

/// Bounds of the rates λ, on the unit cube.
const RATES: (f64, f64) = (1e-2, 1e6);

/// Bounds of the logit of q, the probability that losses on two different pieces are equal.
const CHANCE: (f64, f64) = (-14.0, 4.0);

/// Start values of the rates: few pieces and many. The likelihood may have a maximum near each.
const STARTS: [f64; 2] = [10.0, 300.0];

/// Smallest expected number of edges between two points. It keeps the logarithm finite.
pub(crate) const CLOSEST: f64 = 1e-9;

/// Differences of pairs of points along each axis, for pairs with equal losses (tied) and others.
///
/// Two points are on the same piece with probability `P = exp(-Σ_j λ_j |x_j - x'_j|)`, and tie then. On two pieces they tie by chance, with
/// probability q. If all pairs are treated as independent, their log likelihood is
///
/// ```text
/// Σ_tied ln(P + (1 - P) q) + Σ_untied ln((1 - P) (1 - q))
/// ```
pub(crate) struct Pairs {
    tied: Points,
    untied: Points,
}

impl Pairs {
    /// No measured pairs. One artificial untied pair per axis, with distance 1, keeps the rates away from 0.
    pub(crate) fn new(dim: usize) -> Self {
        let mut untied = Points::new(dim);
        for axis in 0..dim {
            let unit: Vec<f64> = (0..dim).map(|d| f64::from(u8::from(d == axis))).collect();
            untied.push(&unit);
        }
        Self { tied: Points::new(dim), untied }
    }

    pub(crate) fn push(&mut self, apart: &[f64], is_tied: bool) {
        if is_tied { &mut self.tied } else { &mut self.untied }.push(apart);
    }

    pub(crate) fn any_tied(&self) -> bool {
        !self.tied.is_empty()
    }

    fn dim(&self) -> usize {
        self.tied.dim()
    }

    /// Maximum likelihood estimate of the rates λ; `None` if chance explains the ties as well.
    ///
    /// The comparison uses Akaike's criterion: rates are one more parameter per axis than chance alone. If all measured pairs tie, they are
    /// taken to be on one piece, since chance cannot be estimated.
    pub(crate) fn rates(&self) -> Option<Vec<f64>> {
        let dim = self.dim();
        let mut bounds = vec![(RATES.0.ln(), RATES.1.ln()); dim];
        bounds.push(CHANCE);
        let found = STARTS.iter().filter_map(|rate| {
            let mut start = vec![rate.ln(); dim];
            let share = self.share_tied();
            start.push((share / (1.0 - share)).ln());
            Lbfgsb::default().minimize(|at, gradient| self.negated(at, gradient), &start, &bounds).ok()
        });
        let best = found.min_by(|a, b| a.value.total_cmp(&b.value))?;
        let is_constant = self.untied.len() == dim;
        let is_explained = is_constant || -best.value - self.by_chance() > dim as f64;
        is_explained.then(|| best.x[..dim].iter().map(|log| log.exp()).collect())
    }

    /// The share of pairs that tie.
    fn share_tied(&self) -> f64 {
        let (tied, untied) = (self.tied.len() as f64, self.untied.len() as f64);
        tied / (tied + untied)
    }

    /// Log likelihood of chance alone (P = 0), at its maximum.
    fn by_chance(&self) -> f64 {
        let share = self.share_tied();
        self.tied.len() as f64 * share.ln() + self.untied.len() as f64 * (-share).ln_1p()
    }

    /// The negative log likelihood, with its gradient in the logarithms of the rates and the logit of q.
    fn negated(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let (logs, logit) = (&at[..self.dim()], at[self.dim()]);
        let rates: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let chance = (1.0 + (-logit).exp()).recip();
        let edges = |apart: &[f64]| -> f64 { rates.iter().zip(apart).map(|(rate, a)| rate * a).sum() };
        let (slopes, by_logit) = gradient.split_at_mut(self.dim());
        slopes.fill(0.0);
        // Pairs that do not tie each contribute ln(1 - q).
        let mut value = -(self.untied.len() as f64) * (-chance).ln_1p();
        let mut by_chance = self.untied.len() as f64 / (1.0 - chance);
        for apart in self.tied.rows() {
            let one_piece = (-edges(apart)).exp();
            let tie = one_piece + (1.0 - one_piece) * chance;
            value -= tie.ln();
            by_chance -= (1.0 - one_piece) / tie;
            let slope = one_piece * (1.0 - chance) / tie;
            slopes.iter_mut().zip(apart).for_each(|(sum, a)| *sum += slope * a);
        }
        for apart in self.untied.rows() {
            let edges = edges(apart).max(CLOSEST);
            value -= log_two_pieces(edges);
            let slope = edges.exp_m1().recip();
            slopes.iter_mut().zip(apart).for_each(|(sum, a)| *sum -= slope * a);
        }
        slopes.iter_mut().zip(&rates).for_each(|(slope, rate)| *slope *= rate);
        by_logit[0] = by_chance * chance * (1.0 - chance);
        value
    }
}

/// `ln(1 - exp(-u))`: log probability that two points are on different pieces, if u edges are expected between them.
pub(crate) fn log_two_pieces(edges: f64) -> f64 {
    (-(-edges).exp_m1()).ln()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pairs along one axis.
    fn pairs(tied: &[f64], untied: &[f64]) -> Pairs {
        let mut pairs = Pairs::new(1);
        tied.iter().for_each(|apart| pairs.push(&[*apart], true));
        untied.iter().for_each(|apart| pairs.push(&[*apart], false));
        pairs
    }

    /// Near pairs that tie are on one piece; far ones tie by chance, and do not make pieces larger.
    #[test]
    fn near_ties_are_pieces_and_far_ones_chance() {
        let near = [0.005; 10];
        let far: Vec<f64> = (0..40).map(|i| 0.1 + 0.02 * f64::from(i)).collect();
        let alone = pairs(&near, &far).rates().unwrap()[0];
        let mut both = near.to_vec();
        both.extend([0.3, 0.6, 0.8]);
        let beside = pairs(&both, &far).rates().unwrap()[0];
        assert!(alone > 20.0 && beside > 20.0, "{alone} {beside}");
        assert!(pairs(&[0.3, 0.6, 0.8], &far).rates().is_none());
    }

    /// Pairs at one distance: of m tied and n untied ones the likelihood is largest where P is m / (m + n), and chance explains as much.
    #[test]
    fn pairs_at_one_distance_say_nothing_of_pieces() {
        assert!(pairs(&[0.1; 5], &[0.1; 20]).rates().is_none());
        // Where nothing else was seen all is one piece, of which the pair for the axis says how large: λ Σa = λ / (exp(λ) - 1).
        let rate = pairs(&[0.5, 0.5], &[]).rates().unwrap()[0];
        assert!((rate - 2.0_f64.ln()).abs() < 1e-5, "{rate}");
    }

    proptest! {
        /// Slopes agree with differences, and chance alone is the limit of small pieces.
        #[test]
        fn slopes_are_those_of_the_likelihood(
            tied in prop::collection::vec(0.001..1.0_f64, 1..5),
            untied in prop::collection::vec(0.001..1.0_f64, 1..5),
            log in -2.0..5.0_f64,
            logit in -6.0..2.0_f64,
        ) {
            let pairs = pairs(&tied, &untied);
            let (mut gradient, mut ignored) = ([0.0; 2], [0.0; 2]);
            pairs.negated(&[log, logit], &mut gradient);
            let mut at = |log, logit| pairs.negated(&[log, logit], &mut ignored);
            let differences =
                [at(log + 1e-5, logit) - at(log - 1e-5, logit), at(log, logit + 1e-5) - at(log, logit - 1e-5)];
            for (slope, difference) in gradient.iter().zip(differences) {
                prop_assert!((slope - difference / 2e-5).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {difference}");
            }
            let share = pairs.share_tied();
            let limit = -at(RATES.1.ln(), (share / (1.0 - share)).ln());
            prop_assert!((limit - pairs.by_chance()).abs() < 1e-9);
        }
    }
}
