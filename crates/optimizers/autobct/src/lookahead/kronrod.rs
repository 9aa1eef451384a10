//! Adaptive Gauss–Kronrod quadrature.

/// Nodes above 0 and weights of the rule with fifteen nodes, and of the one with seven at every second of them from the second on.
/// Source: Piessens et al. (1983), QUADPACK, routine QK15.
const NODES: [(f64, f64, f64); 7] = [
    (0.991_455_371_120_812_6, 0.022_935_322_010_529_224, 0.0),
    (0.949_107_912_342_758_5, 0.063_092_092_629_978_56, 0.129_484_966_168_869_7),
    (0.864_864_423_359_769_1, 0.104_790_010_322_250_19, 0.0),
    (0.741_531_185_599_394_4, 0.140_653_259_715_525_92, 0.279_705_391_489_276_64),
    (0.586_087_235_467_691_1, 0.169_004_726_639_267_9, 0.0),
    (0.405_845_151_377_397_2, 0.190_350_578_064_785_42, 0.381_830_050_505_118_9),
    (0.207_784_955_007_898_47, 0.204_432_940_075_298_89, 0.0),
];
/// Weights of the node at 0.
const MIDDLE: (f64, f64) = (0.209_482_141_084_727_82, 0.417_959_183_673_469_4);

/// Panels are halved no more often: what is left of a jump is the share of a panel of 2⁻¹⁶.
const DEEPEST: u32 = 16;

/// Fifteen nodes and weights on `[-1, 1]`.
pub(crate) fn rule() -> Vec<(f64, f64)> {
    let sides = NODES.iter().flat_map(|(x, weight, _)| [(-x, *weight), (*x, *weight)]);
    sides.chain([(0.0, MIDDLE.0)]).collect()
}

/// The integral of `f` over a panel by fifteen nodes, halved until the embedded seven-node rule agrees up to `tolerance`.
pub(crate) fn integrate(f: &mut impl FnMut(f64) -> f64, panel: (f64, f64), tolerance: f64) -> f64 {
    halved(f, panel, tolerance, DEEPEST)
}

fn halved(f: &mut impl FnMut(f64) -> f64, (low, high): (f64, f64), tolerance: f64, left: u32) -> f64 {
    let (center, half) = (f64::midpoint(low, high), 0.5 * (high - low));
    let middle = f(center);
    let (mut fifteen, mut seven) = (MIDDLE.0 * middle, MIDDLE.1 * middle);
    for (x, of_fifteen, of_seven) in NODES {
        let both = f(center - half * x) + f(center + half * x);
        fifteen += of_fifteen * both;
        seven += of_seven * both;
    }
    let difference = half * (fifteen - seven).abs();
    // Below that there is rounding alone.
    let least = 1e-14 * (half * fifteen).abs();
    // Written so that a NaN ends it.
    let differ = difference > tolerance && difference > least;
    if left == 0 || !differ {
        return half * fifteen;
    }
    // Errors of the halves add up.
    let tolerance = 0.5 * tolerance;
    halved(f, (low, center), tolerance, left - 1) + halved(f, (center, high), tolerance, left - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_exact_for_polynomials() {
        let of = |weights: &dyn Fn(&(f64, f64, f64)) -> f64, middle: f64, power: i32| {
            let sides: f64 = NODES.iter().map(|node| 2.0 * weights(node) * node.0.powi(power)).sum();
            sides + if power == 0 { middle } else { 0.0 }
        };
        for power in (0..=22).step_by(2) {
            let exact = 2.0 / f64::from(power + 1);
            assert!((of(&|node| node.1, MIDDLE.0, power) - exact).abs() < 1e-15, "{power}");
            if power <= 12 {
                assert!((of(&|node| node.2, MIDDLE.1, power) - exact).abs() < 1e-15, "{power}");
            }
        }
        assert_eq!(rule().len(), 15);
        assert!((rule().iter().map(|(_, weight)| weight).sum::<f64>() - 2.0).abs() < 1e-14);
    }

    #[test]
    fn kinks_and_jumps_are_found() {
        for at in [-0.9, -0.123, 0.0, 0.777] {
            let kink = integrate(&mut |x: f64| (x - at).abs(), (-1.0, 1.0), 1e-9);
            assert!((kink - (1.0 + at * at)).abs() < 1e-9, "{at}: {kink}");
            let jump = integrate(&mut |x: f64| f64::from(u8::from(x > at)), (-1.0, 1.0), 1e-9);
            assert!((jump - (1.0 - at)).abs() < 1e-4, "{at}: {jump}");
        }
        let mut count = 0;
        let smooth = integrate(
            &mut |x: f64| {
                count += 1;
                x.exp()
            },
            (0.0, 1.0),
            1e-9,
        );
        assert!((smooth - 1_f64.exp_m1()).abs() < 1e-14 && count == 15);
        assert!(integrate(&mut |_| f64::NAN, (0.0, 1.0), 1e-9).is_nan());
    }

    /// A jump is halved down as often as allowed, one half of every pair being settled at once.
    #[test]
    fn halving_ends() {
        for left in [0, 1, 5, 20] {
            let mut calls = 0;
            let step = |x: f64| {
                calls += 1;
                f64::from(u8::from(x > 1.0 / 3.0))
            };
            let found = halved(&mut { step }, (0.0, 1.0), 1e-300, left);
            assert_eq!(calls, 15 * (2 * left + 1), "{left}");
            assert!((found - 2.0 / 3.0).abs() <= 0.5_f64.powi(left as i32), "{left}: {found}");
        }
    }
}
