//! Upper envelopes of lines and their expected maximum.

use crate::{TableOfH, cdf, h, log_cdf, log_h, log_pdf, pdf};

/// The upper envelope of lines `a_i + b_i z`, and what it is worth under a standard normal z.
///
/// ```text
/// E[max_i (a_i + b_i Z)] - max_i a_i = Σ_k (b_{k+1} - b_k) h(-|c_k|)
/// ```
///
/// Lines of the envelope in order of their slopes, `c_k` where line k meets line k + 1. Exact: no sampling, no
/// quadrature. Cost: O(n log n). Source: Frazier, Powell & Dayanik (2009), section 4 and algorithm 1.
///
/// ```
/// use thrifty_prob::UpperEnvelope;
/// // max(0, Z) is φ(0) on average.
/// assert!((UpperEnvelope::of(&[0.0, 0.0], &[0.0, 1.0]).expected_gain() - 0.398_942_280_401_432_7).abs() < 1e-16);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct UpperEnvelope {
    /// Lines by ascending slope.
    lines: Vec<usize>,
    slopes: Vec<f64>,
    /// Between one line and the next.
    breaks: Vec<f64>,
}

impl UpperEnvelope {
    /// Upper envelope of lines with intercepts `a` and slopes `b`. Lines that are not finite are left out.
    ///
    /// # Panics
    /// When there are not as many slopes as intercepts.
    #[must_use]
    pub fn of(a: &[f64], b: &[f64]) -> Self {
        assert_eq!(a.len(), b.len(), "one slope an intercept");
        // -0.0 + 0.0 is 0.0: slopes that are equal are next to each other in the total order.
        let line = |i: usize| (a[i].is_finite() && b[i].is_finite()).then_some((b[i] + 0.0, a[i], i));
        let mut order: Vec<(f64, f64, usize)> = (0..a.len()).filter_map(line).collect();
        order.sort_unstable_by(|l, r| l.0.total_cmp(&r.0).then(l.1.total_cmp(&r.1)).then(l.2.cmp(&r.2)));
        let (mut lines, mut breaks): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        for (slope, intercept, i) in order {
            // Of parallel lines the highest is left.
            if lines.last().is_some_and(|&last| b[last] == slope) {
                lines.pop();
                if !lines.is_empty() {
                    breaks.pop();
                }
            }
            while let Some(&last) = lines.last() {
                let meets = (a[last] - intercept) / (slope - b[last]);
                match breaks.last() {
                    // The last line is nowhere the highest.
                    Some(&before) if meets <= before => {
                        lines.pop();
                        breaks.pop();
                    }
                    _ => {
                        breaks.push(meets);
                        break;
                    }
                }
            }
            lines.push(i);
        }
        let slopes = lines.iter().map(|&i| b[i]).collect();
        Self { lines, slopes, breaks }
    }

    /// Lines that are somewhere the highest, by ascending slope.
    #[must_use]
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }

    /// Breakpoints between one line of the envelope and the next.
    #[must_use]
    pub fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    /// Steps of the slope and the distances from 0 at which they are.
    fn steps(&self) -> impl Iterator<Item = (f64, f64)> {
        self.slopes.windows(2).zip(&self.breaks).map(|(pair, c)| (pair[1] - pair[0], c.abs()))
    }

    /// `E[max_i (a_i + b_i Z)] - max_i a_i`, never negative.
    #[must_use]
    pub fn expected_gain(&self) -> f64 {
        self.steps().map(|(step, away)| step * h(-away)).sum()
    }

    /// Its logarithm, finite wherever two lines have different slopes, though the gain may be too small for a number.
    #[must_use]
    pub fn log_expected_gain(&self) -> f64 {
        let terms: Vec<f64> = self.steps().map(|(step, away)| step.ln() + log_h(-away)).collect();
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return largest;
        }
        largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
    }

    /// Adds the derivatives of the gain with respect to intercepts and slopes, times `weight`.
    ///
    /// ```text
    /// ∂/∂a_i = P(i is highest) - [i is highest at 0],   ∂/∂b_i = E[Z; i is highest]
    /// ```
    pub fn pull_back(&self, weight: f64, of_a: &mut [f64], of_b: &mut [f64]) {
        self.pull_back_breaks(|away| weight * cdf(-away), |away| weight * pdf(away), of_a, of_b);
    }

    /// Adds the derivatives of the logarithm of the gain, times `weight`: finite where the logarithm is.
    pub fn pull_back_logarithm(&self, weight: f64, of_a: &mut [f64], of_b: &mut [f64]) {
        let log_gain = self.log_expected_gain();
        if log_gain == f64::NEG_INFINITY {
            return;
        }
        let of = |log: f64| weight * (log - log_gain).exp();
        self.pull_back_breaks(|away| of(log_cdf(-away)), |away| of(log_pdf(away)), of_a, of_b);
    }

    /// Adds what each breakpoint contributes to the derivatives.
    ///
    /// In the intercepts the line that is highest beyond the breakpoint, seen from 0, gains the tail probability, and the other
    /// line loses it. In the slopes the line on the right gains the density, and the line on the left loses it.
    fn pull_back_breaks(
        &self,
        tail: impl Fn(f64) -> f64,
        density: impl Fn(f64) -> f64,
        of_a: &mut [f64],
        of_b: &mut [f64],
    ) {
        for (pair, &at) in self.lines.windows(2).zip(&self.breaks) {
            let (left, right) = (pair[0], pair[1]);
            let (gains, loses) = if at > 0.0 { (right, left) } else { (left, right) };
            let (tail, density) = (tail(at.abs()), density(at));
            of_a[gains] += tail;
            of_a[loses] -= tail;
            of_b[right] += density;
            of_b[left] -= density;
        }
    }
}

/// Lines whose slopes stay while their intercepts change: sorted once, for many expected maxima.
///
/// ```
/// use thrifty_prob::SlopedLines;
/// let mut lines = SlopedLines::new(&[0.0, 1.0]);
/// assert!((lines.expected_maximum(&[0.0, 0.0]) - 0.398_942_280_401_432_7).abs() < 1e-16);
/// assert!((lines.expected_maximum(&[-50.0, 2.0]) - 2.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct SlopedLines {
    /// Slopes in rising order, with the lines they are of.
    sorted: Vec<(f64, usize)>,
    /// The envelope as far as it was built: slope, intercept, where it begins.
    stack: Vec<(f64, f64, f64)>,
}

impl SlopedLines {
    /// Lines with these slopes; those that are not finite are left out.
    #[must_use]
    pub fn new(slopes: &[f64]) -> Self {
        let mut sorted: Vec<(f64, usize)> =
            slopes.iter().copied().enumerate().filter(|(_, b)| b.is_finite()).map(|(i, b)| (b, i)).collect();
        sorted.sort_unstable_by(|l, r| l.0.total_cmp(&r.0).then(l.1.cmp(&r.1)));
        let stack = Vec::with_capacity(sorted.len());
        Self { sorted, stack }
    }

    /// `E[max_i (a_i + b_i Z)]` for a standard normal Z; minus infinity without lines. Cost: O(n).
    ///
    /// # Panics
    /// When there are fewer intercepts than slopes.
    pub fn expected_maximum(&mut self, a: &[f64]) -> f64 {
        self.maximum(|_, line| a[line], h)
    }

    /// Lines in the order of their slopes.
    pub fn order(&self) -> impl Iterator<Item = usize> + '_ {
        self.sorted.iter().map(|(_, line)| *line)
    }

    /// Expected maximum for intercepts by rank of their slope, as in [`SlopedLines::order`], with h from a table.
    #[inline]
    pub fn expected_maximum_in_order(&mut self, intercept: impl Fn(usize) -> f64, table: &TableOfH) -> f64 {
        self.maximum(|rank, _| intercept(rank), |z| table.at(z))
    }

    /// Expected maximum for intercepts by rank and line.
    #[inline]
    fn maximum(&mut self, intercept: impl Fn(usize, usize) -> f64, h: impl Fn(f64) -> f64) -> f64 {
        self.stack.clear();
        let mut highest = f64::NEG_INFINITY;
        for (rank, &(slope, line)) in self.sorted.iter().enumerate() {
            let intercept = intercept(rank, line);
            highest = highest.max(intercept);
            // Of parallel lines the highest is left, and it may hide more than the one it stands for.
            if let Some(&(last, known, _)) = self.stack.last()
                && last == slope
            {
                if intercept <= known {
                    continue;
                }
                self.stack.pop();
            }
            let mut begins = f64::NEG_INFINITY;
            while let Some(&(last, known, began)) = self.stack.last() {
                let meets = (known - intercept) / (slope - last);
                if meets > began {
                    begins = meets;
                    break;
                }
                self.stack.pop();
            }
            self.stack.push((slope, intercept, begins));
        }
        let gains = self.stack.windows(2).map(|pair| {
            let (step, away) = (pair[1].0 - pair[0].0, pair[1].2.abs());
            // Beyond nine standard deviations the remaining terms are zero in double precision.
            if away > 9.0 { 0.0 } else { step * h(-away) }
        });
        highest + gains.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By Simpson's rule over ±9 standard deviations.
    fn by_quadrature(a: &[f64], b: &[f64]) -> f64 {
        let (n, reach) = (20_000, 9.0);
        let at = |i: i32| -reach + 2.0 * reach * f64::from(i) / f64::from(n);
        let value =
            |z: f64| a.iter().zip(b).map(|(a, b)| a + b * z).fold(f64::NEG_INFINITY, f64::max) * pdf(z);
        let weight = |i: i32| {
            if i == 0 || i == n {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        let integral: f64 =
            (0..=n).map(|i| weight(i) * value(at(i))).sum::<f64>() * 2.0 * reach / f64::from(n) / 3.0;
        integral - a.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #[test]
        fn gains_are_expectations(lines in prop::collection::vec((-2.0..2.0_f64, -3..4_i32), 1..9)) {
            // A slope of 0 has either sign.
            let slope = |a: f64, b: i32| if b == 0 { 0_f64.copysign(-a) } else { f64::from(b) / 2.0 };
            let (a, b): (Vec<f64>, Vec<f64>) = lines.iter().map(|(a, b)| (*a, slope(*a, *b))).unzip();
            let envelope = UpperEnvelope::of(&a, &b);
            let gain = envelope.expected_gain();
            prop_assert!((gain - by_quadrature(&a, &b)).abs() < 1e-6, "{gain}");
            prop_assert!(gain >= 0.0);
            if gain > 0.0 {
                prop_assert!((envelope.log_expected_gain() - gain.ln()).abs() < 1e-12 * (1.0 + gain.ln().abs()));
            }
        }

        #[test]
        fn sorted_once_is_sorted_every_time(lines in prop::collection::vec((-2.0..2.0_f64, -3..4_i32), 1..12), other in prop::collection::vec(-2.0..2.0_f64, 12)) {
            let (a, b): (Vec<f64>, Vec<f64>) = lines.iter().map(|(a, b)| (*a, f64::from(*b) / 2.0)).unzip();
            let mut sloped = SlopedLines::new(&b);
            for a in [&a, &other[..a.len()].to_vec(), &a] {
                let highest = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let expected = highest + UpperEnvelope::of(a, &b).expected_gain();
                prop_assert!((sloped.expected_maximum(a) - expected).abs() < 1e-13);
                let order: Vec<usize> = sloped.order().collect();
                let tabulated = sloped.expected_maximum_in_order(|rank| a[order[rank]], &TableOfH::new());
                prop_assert!((tabulated - expected).abs() < 1e-9);
            }
        }

        #[test]
        fn slopes_of_the_gain_match_differences(lines in prop::collection::vec((-2.0..2.0_f64, -2.0..2.0_f64), 2..7)) {
            let (a, b): (Vec<f64>, Vec<f64>) = lines.into_iter().unzip();
            let (mut of_a, mut of_b) = (vec![0.0; a.len()], vec![0.0; a.len()]);
            UpperEnvelope::of(&a, &b).pull_back(1.0, &mut of_a, &mut of_b);
            // The best intercept has a kink where two are equal.
            let mut sorted = a.clone();
            sorted.sort_by(f64::total_cmp);
            prop_assume!(sorted[sorted.len() - 1] - sorted[sorted.len() - 2] > 1e-4);
            for i in 0..a.len() {
                let moved = |da: f64, db: f64| {
                    let (mut a, mut b) = (a.clone(), b.clone());
                    (a[i], b[i]) = (a[i] + da, b[i] + db);
                    UpperEnvelope::of(&a, &b).expected_gain()
                };
                let step = 1e-6;
                prop_assert!((of_a[i] - (moved(step, 0.0) - moved(-step, 0.0)) / (2.0 * step)).abs() < 1e-5);
                prop_assert!((of_b[i] - (moved(0.0, step) - moved(0.0, -step)) / (2.0 * step)).abs() < 1e-5);
            }
            let gain = UpperEnvelope::of(&a, &b).expected_gain();
            if gain > 1e-200 {
                let (mut log_a, mut log_b) = (vec![0.0; a.len()], vec![0.0; a.len()]);
                UpperEnvelope::of(&a, &b).pull_back_logarithm(gain, &mut log_a, &mut log_b);
                for (plain, log) in of_a.iter().chain(&of_b).zip(log_a.iter().chain(&log_b)) {
                    prop_assert!((plain - log).abs() <= 1e-11 * (gain + plain.abs()), "{plain} {log}");
                }
            }
        }
    }

    /// Among (nearly) parallel lines only the highest matters, up to their difference.
    #[test]
    fn parallel_lines_nearly_tied() {
        // The second of two parallel lines hides what the first did not.
        let (a, b) = ([0.0, -1.0, 5.0, 0.3], [0.0, 1.0, 1.0, -1.0]);
        let expected = by_quadrature(&a, &b);
        assert!((UpperEnvelope::of(&a, &b).expected_gain() - expected).abs() < 1e-6);
        assert!((SlopedLines::new(&b).expected_maximum(&a) - 5.0 - expected).abs() < 1e-6);
        let base = [(0.3, -1.0), (0.5, 0.2), (0.1, 1.5)];
        let split = |lines: &[(f64, f64)]| lines.iter().copied().unzip::<f64, f64, Vec<f64>, Vec<f64>>();
        let (a, b) = split(&base);
        let plain = 0.5 + UpperEnvelope::of(&a, &b).expected_gain();
        let next = |x: f64, ulps: i64| f64::from_bits((x.to_bits() as i64 + ulps) as u64);
        for line in 0..3 {
            for (up, steeper) in
                [(0, 0), (1, 0), (-1, 0), (3, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-2, -1)]
            {
                for first in [true, false] {
                    let twin = (next(base[line].0, up), next(base[line].1, steeper));
                    let mut lines = base.to_vec();
                    lines.insert(if first { 0 } else { 3 }, twin);
                    let (a, b) = split(&lines);
                    let envelope = UpperEnvelope::of(&a, &b);
                    let highest = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let found =
                        [highest + envelope.expected_gain(), SlopedLines::new(&b).expected_maximum(&a)];
                    for found in found {
                        assert!((found - plain).abs() < 1e-14, "{lines:?}: {found} {plain}");
                    }
                    if steeper == 0 {
                        // Exactly parallel: one of them is there, and it is the higher.
                        let there: Vec<f64> = envelope
                            .lines()
                            .iter()
                            .filter(|i| b[**i] == base[line].1)
                            .map(|i| a[*i])
                            .collect();
                        assert_eq!(there, [base[line].0.max(twin.0)], "{lines:?}");
                    }
                    assert!(
                        envelope.breaks().windows(2).all(|pair| pair[0] < pair[1]),
                        "{:?}",
                        envelope.breaks()
                    );
                }
            }
        }
    }

    #[test]
    fn edges() {
        assert_eq!(UpperEnvelope::of(&[], &[]).expected_gain(), 0.0);
        assert_eq!(UpperEnvelope::of(&[1.0, 2.0], &[0.5, 0.5]).expected_gain(), 0.0);
        assert_eq!(UpperEnvelope::of(&[1.0], &[3.0]).log_expected_gain(), f64::NEG_INFINITY);
        let far = UpperEnvelope::of(&[0.0, -100.0], &[0.0, 1.0]);
        assert_eq!(far.expected_gain(), 0.0);
        assert!((far.log_expected_gain() - log_h(-100.0)).abs() < 1e-12);
        let (mut of_a, mut of_b) = (vec![0.0; 2], vec![0.0; 2]);
        far.pull_back_logarithm(1.0, &mut of_a, &mut of_b);
        // d ln h / dz at -100, by the definition of the logarithm's slope.
        assert!((of_a[1] - crate::log_h_derivative(-100.0)).abs() < 1e-9 * of_a[1], "{of_a:?}");
        let odd = UpperEnvelope::of(&[0.0, f64::NAN, 0.0], &[0.0, 1.0, f64::INFINITY]);
        assert_eq!((odd.lines(), odd.expected_gain()), (&[0][..], 0.0));
    }
}
