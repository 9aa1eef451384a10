//! Crossover and mutation of NSGA-II.

use thrifty_sampling::Stream;

/// Simulated binary crossover of two parents in the unit cube. It returns two children; each column is crossed with probability ½.
///
/// ```text
/// c = ½ [(a + b) ∓ β |a - b|],   P(β) ∝ β^η to 1 and β^-(η+2) above, cut so that c stays in [0, 1]
/// ```
///
/// Source: Deb & Agrawal (1995), with the bounds of Deb's NSGA-II code.
pub(super) fn crossover(a: &[f64], b: &[f64], eta: f64, rng: &mut Stream) -> [Vec<f64>; 2] {
    let [mut first, mut second] = [a.to_vec(), b.to_vec()];
    for k in 0..a.len() {
        let (cross, swap, u) = (rng.uniform() < 0.5, rng.uniform() < 0.5, rng.uniform());
        let (low, high) = (a[k].min(b[k]), a[k].max(b[k]));
        if !cross || high - low < 1e-14 {
            continue;
        }
        let spread = |crowding: f64| {
            let beta = 1.0 + 2.0 * crowding / (high - low);
            let alpha = 2.0 - beta.powf(-(eta + 1.0));
            let power = 1.0 / (eta + 1.0);
            if u * alpha <= 1.0 { (u * alpha).powf(power) } else { (2.0 - u * alpha).recip().powf(power) }
        };
        let middle = 0.5 * (low + high);
        let below = (middle - 0.5 * spread(low) * (high - low)).clamp(0.0, 1.0);
        let above = (middle + 0.5 * spread(1.0 - high) * (high - low)).clamp(0.0, 1.0);
        (first[k], second[k]) = if swap { (above, below) } else { (below, above) };
    }
    [first, second]
}

/// Polynomial mutation in the unit cube; each column mutates with a given probability.
///
/// ```text
/// x + δ,   P(δ) ∝ (1 - |δ|)^η, cut so that x + δ stays in [0, 1]
/// ```
///
/// Source: Deb & Goyal (1996), with the bounds of Deb's NSGA-II code.
pub(super) fn mutate(x: &mut [f64], probability: f64, eta: f64, rng: &mut Stream) {
    for value in x {
        let (hit, u) = (rng.uniform() < probability, rng.uniform());
        if !hit {
            continue;
        }
        let power = 1.0 / (eta + 1.0);
        let step = if u < 0.5 {
            (2.0 * u + (1.0 - 2.0 * u) * (1.0 - *value).powf(eta + 1.0)).powf(power) - 1.0
        } else {
            1.0 - (2.0 * (1.0 - u) + (2.0 * u - 1.0) * value.powf(eta + 1.0)).powf(power)
        };
        *value = (*value + step).clamp(0.0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thrifty_sampling::Seed;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn children_stay_in_the_cube(
            (a, b) in (1_usize..6).prop_flat_map(|d| {
                let point = || prop::collection::vec(0.0..=1.0_f64, d);
                (point(), point())
            }),
            eta in 0.0..40.0_f64,
            seed in 0_u64..1000,
        ) {
            let mut rng = Seed(seed).stream("test", 0);
            for mut child in crossover(&a, &b, eta, &mut rng) {
                prop_assert!(child.iter().all(|v| (0.0..=1.0).contains(v)));
                mutate(&mut child, 1.0, eta, &mut rng);
                prop_assert!(child.iter().all(|v| (0.0..=1.0).contains(v)));
            }
            // Equal parents have equal children.
            prop_assert_eq!(&crossover(&a, &a, eta, &mut rng)[1], &a);
        }
    }

    /// Away from the bounds P(β < t) is t^(η+1)/2 up to 1, and P(β > t) is t^-(η+1)/2 above.
    #[test]
    fn the_spread_of_children_has_its_law() {
        let mut rng = Seed(5).stream("test", 0);
        for eta in [1.0, 4.0] {
            let (a, b) = ([0.495], [0.505]);
            let (mut within, mut beyond) = (Vec::new(), Vec::new());
            for _ in 0..20_000 {
                let children = crossover(&a, &b, eta, &mut rng);
                if children[0] == a {
                    continue;
                }
                let beta = (children[0][0] - children[1][0]).abs() / 0.01;
                if beta < 1.0 { within.push(beta) } else { beyond.push(beta) }
            }
            let share = within.len() as f64 / (within.len() + beyond.len()) as f64;
            // 4 standard errors of a half over some 10,000 crossings.
            assert!((share - 0.5).abs() < 0.02, "{share}");
            within.sort_by(f64::total_cmp);
            beyond.sort_by(f64::total_cmp);
            let (low, high) = (within[within.len() / 2], beyond[beyond.len() / 2]);
            let expected = 0.5_f64.powf(1.0 / (eta + 1.0));
            assert!((low - expected).abs() < 0.02, "{low} {expected}");
            assert!((high - expected.recip()).abs() < 0.04, "{high} {}", expected.recip());
        }
    }

    #[test]
    fn children_are_spread_evenly_about_their_parents() {
        let mut rng = Seed(3).stream("test", 0);
        let (a, b) = ([0.45], [0.55]);
        let children: Vec<[Vec<f64>; 2]> = (0..4000).map(|_| crossover(&a, &b, 15.0, &mut rng)).collect();
        let mean = children.iter().map(|c| c[0][0] + c[1][0]).sum::<f64>() / 8000.0;
        // The children of a pair lie mirrored but for the bounds, which are far.
        assert!((mean - 0.5).abs() < 1e-3, "{mean}");
        let mut steps: Vec<f64> = (0..4000)
            .map(|_| {
                let mut x = [0.5];
                mutate(&mut x, 1.0, 20.0, &mut rng);
                (x[0] - 0.5).abs()
            })
            .collect();
        steps.sort_by(f64::total_cmp);
        // Half of the steps are below 1 - 2^(-1/21).
        assert!((steps[2000] - (1.0 - 0.5_f64.powf(1.0 / 21.0))).abs() < 3e-3, "{}", steps[2000]);
    }

    /// Children near a bound equal those of the formulas of Deb's NSGA-II code:
    /// β = 1 + 2 (y₁ - 0) / (y₂ - y₁) below and 1 + 2 (1 - y₂) / (y₂ - y₁) above, α = 2 - β^-(η+1).
    #[test]
    fn children_near_a_bound_are_those_of_debs_code() {
        let (y1, y2) = (0.05, 0.25);
        for eta in [0.0, 2.0, 20.0] {
            let power = 1.0 / (eta + 1.0);
            let beta_q = |beta: f64, u: f64| {
                let alpha = 2.0 - beta.powf(-(eta + 1.0));
                if u <= 1.0 / alpha { (u * alpha).powf(power) } else { (1.0 / (2.0 - u * alpha)).powf(power) }
            };
            let (mut crossed, mut swapped) = (0, 0);
            for seed in 0..200 {
                let mut rng = Seed(seed).stream("test", 0);
                let (cross, swap, u) = (rng.uniform() < 0.5, rng.uniform() < 0.5, rng.uniform());
                let below = 0.5 * ((y1 + y2) - beta_q(1.0 + 2.0 * y1 / (y2 - y1), u) * (y2 - y1));
                let above = 0.5 * ((y1 + y2) + beta_q(1.0 + 2.0 * (1.0 - y2) / (y2 - y1), u) * (y2 - y1));
                // The order of the parents does not matter to a pair that crosses.
                for (a, b) in [(y1, y2), (y2, y1)] {
                    let found = crossover(&[a], &[b], eta, &mut Seed(seed).stream("test", 0));
                    let expected = match (cross, swap) {
                        (false, _) => [a, b],
                        (true, false) => [below, above],
                        (true, true) => [above, below],
                    };
                    for (found, expected) in found.iter().zip(expected) {
                        assert!((found[0] - expected).abs() < 1e-9, "{eta} {seed}: {found:?} {expected}");
                    }
                }
                crossed += usize::from(cross);
                swapped += usize::from(cross && swap);
            }
            assert!((70..=130).contains(&crossed) && (25..=75).contains(&swapped), "{crossed} {swapped}");
        }
    }

    /// δ = (2u + (1 - 2u) (1 - x)^(η+1))^(1/(η+1)) - 1 below u = ½ and 1 - (2 (1 - u) + (2u - 1) x^(η+1))^(1/(η+1)) above.
    #[test]
    fn mutations_near_a_bound_are_those_of_debs_code() {
        for (x, eta) in [(0.1, 20.0), (0.95, 5.0), (0.5, 0.0), (0.0, 3.0), (1.0, 3.0)] {
            let mut moved = 0;
            for seed in 0..100 {
                let mut rng = Seed(seed).stream("test", 0);
                let (hit, u) = (rng.uniform() < 0.4, rng.uniform());
                let xy: f64 = if u < 0.5 { 1.0 - x } else { x };
                let near = if u < 0.5 { 2.0 * u } else { 2.0 - 2.0 * u };
                let step = 1.0 - (near + (1.0 - near) * xy.powf(eta + 1.0)).powf(1.0 / (eta + 1.0));
                let expected = if !hit {
                    x
                } else if u < 0.5 {
                    x - step
                } else {
                    x + step
                };
                let mut found = [x];
                mutate(&mut found, 0.4, eta, &mut Seed(seed).stream("test", 0));
                assert!((found[0] - expected).abs() < 1e-12, "{x} {eta} {seed}: {found:?} {expected}");
                moved += usize::from(hit);
            }
            assert!((20..=60).contains(&moved), "{moved}");
        }
    }
}
