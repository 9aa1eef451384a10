//! Quadrature over a standard normal variable.

use std::borrow::Cow;
use std::f64::consts::PI;

use thrifty_prob::pdf;

use crate::lookahead::kronrod;

/// Quadrature rule for an expectation over a standard normal variable.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quadrature {
    /// Gauss–Hermite with this number of nodes: the best for smooth functions, slow at kinks.
    Hermite(usize),
    /// Gauss–Legendre on equal panels of `[-5.5, 5.5]` against the density: kinks cost only the panel they are in.
    Composite {
        /// Panels.
        panels: usize,
        /// Nodes in each.
        nodes: usize,
    },
    /// Gauss–Legendre on panels that end where a function bends, small around the bend; on four where it does not.
    Bent {
        /// Nodes in each panel.
        nodes: usize,
    },
    /// Gauss–Kronrod with fifteen nodes on panels of `[-5.5, 5.5]` that end where a function bends, each halved until its two
    /// rules agree: exact wherever else it bends. Where nodes must be known beforehand, those of the first panels.
    Adaptive {
        /// Difference of the two rules at which a panel is not halved any more, in units of the function: that of the
        /// fifteen nodes is far less.
        tolerance: f64,
    },
}

/// Beyond this many standard deviations there is 4e-8 of the mass.
const REACH: f64 = 5.5;
/// The mass within: `Φ(5.5) - Φ(-5.5)`.
const MASS: f64 = 1.0 - 3.797_912_493_177_544e-8;

impl Quadrature {
    /// The default for the innovation of a cost. Where the cost of a control is nearly known once it was paid, two steps bend
    /// steeply, each second control at its own place: panels are halved where they do. Beliefs of the published problem are
    /// exact to 1e-5; of random problems, with prices and noises over two orders of magnitude, 99 of 100 are to 5e-6 and all to
    /// 1e-4, for a control may be the best for so narrow a range of outcomes that no node meets it.
    pub const ACCURATE: Self = Self::Adaptive { tolerance: 1e-6 };

    /// Nodes and weights, which add up to 1.
    #[must_use]
    pub fn rule(&self) -> Vec<(f64, f64)> {
        self.prepare().around(None).into_owned()
    }

    pub(crate) fn prepare(&self) -> Rule {
        match *self {
            Self::Hermite(count) => Rule::Fixed(hermite(count.max(1))),
            Self::Composite { panels, nodes } => {
                let ends: Vec<f64> = (0..=panels.max(1))
                    .map(|i| -REACH + 2.0 * REACH * i as f64 / panels.max(1) as f64)
                    .collect();
                Rule::Fixed(on_panels(&ends, &legendre(nodes.max(1))))
            }
            Self::Bent { nodes } => Rule::Bent(legendre(nodes.max(1))),
            Self::Adaptive { tolerance } => Rule::Adaptive { tolerance },
        }
    }
}

/// A rule worked out as far as it can be without knowing where the function bends.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    Fixed(Vec<(f64, f64)>),
    /// Nodes of a panel on `[-1, 1]`.
    Bent(Vec<(f64, f64)>),
    Adaptive {
        tolerance: f64,
    },
}

impl Rule {
    /// `E[f(Z)]` for a function that bends at a point, within about so much of it. `base` is a value of about the size of
    /// the function's: adaptive rules integrate the difference from it, so that a function that is everywhere larger has an
    /// expectation that is as much larger.
    pub(crate) fn expectation(&self, bend: (f64, f64), base: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
        match self {
            Self::Adaptive { tolerance } => {
                let ends = first_ends(Some(bend));
                let panels = ends.windows(2).map(|pair| (pair[0], pair[1]));
                let mut weighted = |z: f64| (f(z) - base) * pdf(z);
                let integral: f64 =
                    panels.map(|panel| kronrod::integrate(&mut weighted, panel, *tolerance)).sum();
                base + integral / MASS
            }
            Self::Fixed(_) | Self::Bent(_) => {
                self.around(Some(bend)).iter().map(|(z, weight)| weight * f(*z)).sum()
            }
        }
    }

    /// Nodes and weights for a function that bends at a point, within about so much of it.
    pub(crate) fn around(&self, bend: Option<(f64, f64)>) -> Cow<'_, [(f64, f64)]> {
        match self {
            Self::Fixed(nodes) => Cow::Borrowed(nodes),
            Self::Bent(panel) => {
                let mut ends = vec![-REACH, -2.0, 2.0, REACH];
                let inner =
                    bend.map_or(vec![0.0], |(at, width)| vec![at - 4.0 * width, at, at + 4.0 * width]);
                ends.extend(inner.iter().filter(|end| end.abs() < REACH));
                ends.sort_by(f64::total_cmp);
                Cow::Owned(on_panels(&ends, panel))
            }
            Self::Adaptive { .. } => Cow::Owned(on_panels(&first_ends(bend), &kronrod::rule())),
        }
    }
}

/// Ends of the first panels of an adaptive rule: at the bend or, without one, in the middle; and where the density
/// bends. Fewer might step over a control that is the best for a narrow range of outcomes alone.
fn first_ends(bend: Option<(f64, f64)>) -> [f64; 5] {
    let at = bend.map(|(at, _)| at).filter(|at| at.abs() < REACH);
    let mut ends = [-REACH, -2.0, at.unwrap_or(0.0), 2.0, REACH];
    ends.sort_by(f64::total_cmp);
    ends
}

/// The normal density by Gauss–Legendre between these ends.
fn on_panels(ends: &[f64], panel: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut rule = Vec::with_capacity((ends.len() - 1) * panel.len());
    for pair in ends.windows(2) {
        let (center, half) = (f64::midpoint(pair[0], pair[1]), 0.5 * (pair[1] - pair[0]));
        rule.extend(panel.iter().map(|(x, w)| {
            let z = center + half * x;
            (z, half * w * pdf(z))
        }));
    }
    let total: f64 = rule.iter().map(|(_, w)| w).sum();
    rule.iter_mut().for_each(|(_, w)| *w /= total);
    rule
}

/// Gauss–Legendre on `[-1, 1]`: zeros by Newton's method.
fn legendre(n: usize) -> Vec<(f64, f64)> {
    let zero = |k: usize| {
        let mut x = (PI * (k as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..100 {
            let (mut value, mut before) = (1.0, 0.0);
            for j in 0..n {
                let j = j as f64;
                (value, before) = (((2.0 * j + 1.0) * x * value - j * before) / (j + 1.0), value);
            }
            slope = n as f64 * (x * value - before) / (x * x - 1.0);
            let step = value / slope;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(zero).collect()
}

/// Gauss–Hermite for the standard normal density: zeros of the normalised polynomials, found between sign changes, so
/// that none is missed.
fn hermite(n: usize) -> Vec<(f64, f64)> {
    // p_n and p_{n-1}, orthonormal to the density.
    let values = |x: f64| {
        let (mut value, mut before) = (1.0, 0.0);
        for j in 0..n {
            let j = j as f64;
            (value, before) = ((x * value - j.sqrt() * before) / (j + 1.0).sqrt(), value);
        }
        (value, before)
    };
    let reach = 2.0 * (n as f64).sqrt() + 2.0;
    let steps = 400 * n;
    let at = |i: usize| -reach + 2.0 * reach * i as f64 / steps as f64;
    let mut rule = Vec::with_capacity(n);
    for i in 0..steps {
        let (mut low, mut high) = (at(i), at(i + 1));
        let (sign, end) = (values(low).0, values(high).0);
        if sign == 0.0 || sign.signum() == end.signum() {
            continue;
        }
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if values(middle).0.signum() == sign.signum() { low = middle } else { high = middle }
        }
        let x = f64::midpoint(low, high);
        let before = values(x).1;
        rule.push((x, 1.0 / (n as f64 * before * before)));
    }
    debug_assert_eq!(rule.len(), n, "all zeros");
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_a_normal_number() {
        for rule in [Quadrature::Hermite(5), Quadrature::Hermite(16), Quadrature::ACCURATE] {
            let nodes = rule.rule();
            let moment = |k: i32| nodes.iter().map(|(z, w)| w * z.powi(k)).sum::<f64>();
            let tolerance = if matches!(rule, Quadrature::Hermite(_)) { 1e-12 } else { 1e-4 };
            for (k, truth) in [(0, 1.0), (1, 0.0), (2, 1.0), (4, 3.0), (8, 105.0)] {
                assert!((moment(k) - truth).abs() < tolerance * 100.0 * truth.max(1.0), "{rule:?} {k}");
            }
        }
        assert_eq!(Quadrature::Hermite(3).rule().len(), 3);
        assert!((Quadrature::Hermite(3).rule()[2].0 - 3_f64.sqrt()).abs() < 1e-14);
        assert_eq!(Quadrature::Hermite(31).rule().len(), 31);
        let one = Quadrature::Hermite(1).rule();
        assert!(one.len() == 1 && one[0].0.abs() < 1e-15 && (one[0].1 - 1.0).abs() < 1e-15);
    }

    fn are_close(found: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance);
        assert!(close, "{found:?}, expected {expected:?}");
    }

    #[test]
    fn the_mass_within_reach_is_that_of_the_normal_distribution() {
        let mass = 1.0 - 2.0 * thrifty_prob::cdf(-REACH);
        assert!((MASS - mass).abs() < 1e-16, "{mass}");
    }

    /// Gauss–Legendre with n nodes is exact for powers up to 2n - 1.
    #[test]
    fn legendre_is_exact_for_polynomials() {
        for n in 1..=16 {
            let rule = legendre(n);
            assert_eq!(rule.len(), n);
            for power in 0..2 * n as i32 {
                let exact = if power % 2 == 1 { 0.0 } else { 2.0 / f64::from(power + 1) };
                let found: f64 = rule.iter().map(|(x, w)| w * x.powi(power)).sum();
                assert!((found - exact).abs() < 1e-14, "{n} nodes, power {power}: {found}");
            }
        }
        are_close(
            &legendre(2).iter().map(|node| node.0).collect::<Vec<_>>(),
            &[1.0 / 3_f64.sqrt(), -1.0 / 3_f64.sqrt()],
            1e-15,
        );
    }

    /// Gauss–Hermite with n nodes has the moments (2k - 1)!! of a normal number up to 2n - 1.
    #[test]
    fn hermite_has_the_moments_of_a_normal_number() {
        for n in 1..=20 {
            let rule = hermite(n);
            assert_eq!(rule.len(), n);
            let mut exact = 1.0;
            for power in (0..2 * n as i32).step_by(2) {
                let found: f64 = rule.iter().map(|(z, w)| w * z.powi(power)).sum();
                assert!((found / exact - 1.0).abs() < 1e-11, "{n} nodes, power {power}: {found} {exact}");
                let odd: f64 = rule.iter().map(|(z, w)| w * z.powi(power + 1)).sum();
                assert!(odd.abs() < 1e-11 * exact * f64::from(power + 1).max(1.0), "{n} {power}: {odd}");
                exact *= f64::from(power + 1);
            }
        }
    }

    /// Nodes are the middles of the panels where each has one.
    #[test]
    fn panels_end_where_a_function_bends_and_around() {
        let middles = |bend| {
            let rule = Quadrature::Bent { nodes: 1 }.prepare();
            rule.around(bend).iter().map(|node| node.0).collect::<Vec<f64>>()
        };
        are_close(&middles(None), &[-3.75, -1.0, 1.0, 3.75], 1e-14);
        are_close(&middles(Some((0.5, 0.1))), &[-3.75, -0.95, 0.3, 0.7, 1.45, 3.75], 1e-14);
        // Ends beyond the reach are none: 5 + 4 × 0.5 is, 3 and 5 are not.
        are_close(&middles(Some((5.0, 0.5))), &[-3.75, 0.0, 2.5, 4.0, 5.25], 1e-14);
        are_close(&middles(Some((9.0, 0.1))), &[-3.75, 0.0, 3.75], 1e-14);
        are_close(&first_ends(None), &[-5.5, -2.0, 0.0, 2.0, 5.5], 0.0_f64.next_up());
        assert_eq!(first_ends(Some((3.0, 0.1))), [-5.5, -2.0, 2.0, 3.0, 5.5]);
        assert_eq!(first_ends(Some((-5.5, 0.1))), [-5.5, -2.0, 0.0, 2.0, 5.5]);
        let composite = Quadrature::Composite { panels: 4, nodes: 1 }.rule();
        are_close(
            &composite.iter().map(|node| node.0).collect::<Vec<_>>(),
            &[-4.125, -1.375, 1.375, 4.125],
            1e-14,
        );
        // Weights are densities, scaled to 1.
        assert!((composite[0].1 / composite[1].1 - pdf(4.125) / pdf(1.375)).abs() < 1e-15);
    }

    #[test]
    fn weights_add_up_to_1() {
        for rule in [
            Quadrature::Hermite(0),
            Quadrature::Hermite(9),
            Quadrature::Composite { panels: 0, nodes: 0 },
            Quadrature::Composite { panels: 7, nodes: 4 },
            Quadrature::Bent { nodes: 0 },
            Quadrature::Bent { nodes: 6 },
            Quadrature::ACCURATE,
        ] {
            let sum: f64 = rule.rule().iter().map(|node| node.1).sum();
            assert!((sum - 1.0).abs() < 1e-14, "{rule:?}: {sum}");
        }
        let count = |rule: Quadrature| rule.rule().len();
        assert_eq!(count(Quadrature::Hermite(0)), 1);
        assert_eq!(count(Quadrature::Composite { panels: 0, nodes: 0 }), 1);
        assert_eq!(count(Quadrature::Composite { panels: 7, nodes: 4 }), 28);
        assert_eq!(count(Quadrature::Bent { nodes: 6 }), 24);
        assert_eq!(count(Quadrature::ACCURATE), 4 * 15);
        assert_eq!(Quadrature::ACCURATE, Quadrature::Adaptive { tolerance: 1e-6 });
    }

    /// E[Φ((Z - a) / w)] = Φ(-a / √(1 + w²)), a step of width w, and E[max(Z, a)] = φ(a) + a Φ(a), a kink.
    #[test]
    fn steps_and_kinks_are_integrated() {
        for (at, width) in [(0.7, 0.02), (-1.3, 0.1), (2.4, 0.005), (0.0, 1.0)] {
            let step = thrifty_prob::cdf(-at / f64::hypot(1.0, width));
            let kink = pdf(at) + at * thrifty_prob::cdf(at);
            for rule in [Quadrature::Bent { nodes: 12 }, Quadrature::Adaptive { tolerance: 1e-8 }] {
                let rule = rule.prepare();
                let of = |f: &dyn Fn(f64) -> f64, base| rule.expectation((at, width), base, f);
                let found = of(&|z| thrifty_prob::cdf((z - at) / width), 0.0);
                assert!((found - step).abs() < 1e-6, "{rule:?} {at}: {found} {step}");
                let found = of(&|z| z.max(at), 0.3);
                assert!((found - kink).abs() < 1e-6, "{rule:?} {at}: {found} {kink}");
                // What is everywhere 1000 more is 1000 more.
                let shifted = of(&|z| 1000.0 + z.max(at), 1000.3);
                assert!((shifted - 1000.0 - found).abs() < 1e-9, "{rule:?} {at}: {shifted} {found}");
            }
        }
    }
}
